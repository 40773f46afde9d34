//! Cut calls, and writing.

use callsign_core::{End, Kinds, Offer, Policy, ReasoningCalls, ToolCall};
use serde_json::Value;

use super::{Contract, Verdict, same};
use crate::reading::Reading;

/// An output is cut at no more places than these.
const MOST_CUTS: usize = 400;

impl Contract {
    /// However an output is cut, its calls are the first calls of the whole
    /// output. Turns that are flagged as ambiguous are exempt.
    pub fn a_cut_call_is_never_a_call(&self) -> Verdict {
        self.for_outputs(|text, offer, end| {
            // A call in reasoning that may still be closed counts where the
            // output ends: there the rest decides, and not what was cut.
            let offer = match offer.policy.reasoning_calls {
                ReasoningCalls::Wait => {
                    offer.policy(Policy::default().reasoning_calls(ReasoningCalls::End))
                }
                _ => *offer,
            };
            let whole = Reading::of(&*self.dialect, &offer, end, [text]).turn;
            if self.calls_are_the_turn() && whole.calls.is_empty() {
                // It is no calls for what follows them.
                return Ok(());
            }
            let step = text.len() / MOST_CUTS + 1;
            for at in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
                // How the cut is reported decides nothing.
                for end in [End::Cut, End::Stop] {
                    let cut = Reading::of(&*self.dialect, &offer, end, [&text[..at]]).turn;
                    if !cut.ambiguous && !whole.calls.starts_with(&cut.calls) {
                        return Err(format!(
                            "cut at {at}, after {:?}: {:#?} are not the first of {:#?}",
                            &text[..at],
                            cut.calls,
                            whole.calls
                        ));
                    }
                }
            }
            Ok(())
        })
    }

    /// What is written is read back, with the text around it, and only what the
    /// markup cannot express is refused.
    pub fn write_then_read_is_the_identity(&self) -> Verdict {
        self.for_all(&self.turns.faithful(), |turn| {
            let offer = Offer::new(&self.tools);
            let reading = Reading::of(&*self.dialect, &offer, End::Stop, [&*turn.text]);
            let read = &reading.turn;
            same("the calls", &compact(&turn.calls), &compact(&read.calls))?;
            same("the content", &turn.content.concat(), &read.content)?;
            same("the reasoning", &turn.reasoning, &read.reasoning)?;
            same("the rejected regions", &Vec::new(), &read.rejected)?;
            same("ambiguous", &false, &read.ambiguous)?;
            for (call, error) in &turn.unwritable {
                if !self.excused(call) {
                    return Err(format!("{error}, and nothing speaks against {call:#?}"));
                }
            }
            Ok(())
        })
    }

    /// Whether there is a reason for which a call may be refused: a key, or a
    /// value that holds a piece of markup, or one whose type is in doubt.
    fn excused(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.tools.get(&call.name) else { return true };
        call.arguments.entries().any(|(key, value)| {
            let schema = tool.parameters.root().property(&key);
            let odd = |char: char| !char.is_alphanumeric() && !"-_ ./".contains(char);
            let definite = schema.only_string()
                || !schema.is_unspecified() && !schema.kinds().contains(Kinds::STRING);
            let written = value.replace("\\/", "/");
            let marked =
                self.turns.markers().iter().any(|marker| written.contains(marker.as_str()));
            let odd_keys = match serde_json::from_str::<Value>(value) {
                Ok(value) => has_key(&value, &|key| key.is_empty() || key.contains(odd)),
                Err(_) => true,
            };
            key.is_empty() || key.contains(odd) || !definite || marked || odd_keys
        })
    }
}

/// Whether a key of an object in `value` is `such`.
fn has_key(value: &Value, such: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| has_key(item, such)),
        Value::Object(members) => {
            members.iter().any(|(key, value)| such(key) || has_key(value, such))
        }
        _ => false,
    }
}

/// Names and compact arguments.
pub(super) fn compact(calls: &[ToolCall]) -> Vec<(&str, String)> {
    calls.iter().map(|call| (call.name.as_str(), call.arguments.compact())).collect()
}
