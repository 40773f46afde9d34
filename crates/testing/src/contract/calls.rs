//! Cut calls, and writing.

use callsign_core::{End, Kinds, Offer, Policy, ReasoningCalls, ToolCall, Type};
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
        let forms = self.description.regions.iter().filter_map(|region| match &region.body {
            Body::Calls(calls) => Some(calls.forms.iter().flatten()),
            _ => None,
        });
        let mut parts: Vec<&Part> = forms.flatten().collect();
        while let Some(part) = parts.pop() {
            match part {
                part if such(part) => return true,
                Part::Maybe { parts: inside, .. } => parts.extend(inside),
                Part::OneOf(all) => parts.extend(all.iter().flatten()),
                _ => {}
            }
        }
        false
    }

    /// Whether there is a reason for which a call may be refused: a key, or a
    /// value that holds a piece of markup, or one whose type is in doubt.
    fn excused(&self, call: &ToolCall) -> bool {
        let Some(tool) = self.tools.get(&call.name) else { return true };
        // The members of a value are elements as well, with a tag each and a
        // type that only the schema tells.
        let elements = self.has(&|part| matches!(part, Part::Arguments(Container::Elements(_))));
        call.arguments.entries().any(|(key, value)| {
            let schema = tool.parameters.root().property(&key);
            let written = value.replace("\\/", "/");
            let marked =
                self.turns.markers().iter().any(|marker| written.contains(marker.as_str()));
            let value = serde_json::from_str::<Value>(value);
            let nested = value.as_ref().is_ok_and(|value| elements && odd_inside(value, schema));
            is_odd(&key) || !is_definite(schema) || marked || value.is_err() || nested
        })
    }
}

/// Whether a key is one that a tag may not be able to hold.
fn is_odd(key: &str) -> bool {
    key.is_empty() || key.contains(|char: char| !char.is_alphanumeric() && !"-_ ./".contains(char))
}

/// Whether the schema leaves no doubt whether a value is text.
fn is_definite(schema: Type<'_>) -> bool {
    schema.only_string() || !schema.is_unspecified() && !schema.kinds().contains(Kinds::STRING)
}

/// Whether a member of `value`, however deep, has an odd key or is in doubt.
fn odd_inside(value: &Value, schema: Type<'_>) -> bool {
    let odd = |value: &Value, schema| !is_definite(schema) || odd_inside(value, schema);
    match value {
        Value::Array(items) => items.iter().any(|item| odd(item, schema.items())),
        Value::Object(members) => {
            members.iter().any(|(key, value)| is_odd(key) || odd(value, schema.property(key)))
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
