//! Cut calls, and writing.

use callsign_core::{End, Kinds, Offer, Policy, ReasoningCalls, ToolCall};
use callsign_syntax::description::{Body, Container, Part};
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
            // What follows calls that count only as the whole turn can make text
            // of them. Nothing but calls was read before it came.
            let taken_back = self.is_taken_back(&whole);
            let step = text.len() / MOST_CUTS + 1;
            for at in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
                // How the cut is reported decides nothing.
                for end in [End::Cut, End::Stop] {
                    let mut cut = Reading::of(&*self.dialect, &offer, end, [&text[..at]]).turn;
                    if taken_back && cut.content.trim().is_empty() {
                        continue;
                    }
                    // A call without an end of its own ends with a turn that is
                    // said to be whole, and that only.
                    let rest = |call: &ToolCall| self.is_the_rest(call, &text[..at]);
                    if end == End::Stop && cut.calls.last().is_some_and(rest) {
                        cut.calls.pop();
                    }
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
            if turn.calls.iter().any(|call| call.id.is_some()) {
                same("the ids", &ids(&turn.calls), &ids(&read.calls))?;
            }
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

    /// Whether a form of a call has such a part.
    fn has(&self, such: &dyn Fn(&Part) -> bool) -> bool {
        self.description.regions.iter().any(|region| match &region.body {
            Body::Calls(calls) => calls.forms.iter().flatten().any(such),
            _ => false,
        })
    }

    /// Whether there is a reason for which a call may be refused: a key, or a
    /// value that holds a piece of markup, or one whose type is in doubt.
    fn excused(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.tools.get(&call.name) else { return true };
        // The tags of elements are keys, the nested ones as well.
        let elements = self.has(&|part| matches!(part, Part::Arguments(Container::Elements(_))));
        call.arguments.entries().any(|(key, value)| {
            let schema = tool.parameters.root().property(&key);
            let odd = |char: char| !char.is_alphanumeric() && !"-_ ./".contains(char);
            let odd_key = |key: &str| key.is_empty() || key.contains(odd);
            let definite = schema.only_string()
                || !schema.is_unspecified() && !schema.kinds().contains(Kinds::STRING);
            let written = value.replace("\\/", "/");
            let marked =
                self.turns.markers().iter().any(|marker| written.contains(marker.as_str()));
            let value = serde_json::from_str::<Value>(value);
            let nested = value.as_ref().is_ok_and(|value| elements && has_key(value, &odd_key));
            odd_key(&key) || !definite || marked || value.is_err() || nested
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

/// The ids of calls.
fn ids(calls: &[ToolCall]) -> Vec<&Option<String>> {
    calls.iter().map(|call| &call.id).collect()
}
