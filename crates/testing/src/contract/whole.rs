//! Calls that only the end of a turn decides on: those that count as the whole
//! turn, and those that go on to its end.

use callsign_core::{ToolCall, Turn};
use callsign_syntax::description::{Body, Container, Description, Part, Place, Region};

use super::Contract;
use crate::markers::{first_texts, openers};

impl Contract {
    /// The texts with which calls begin that count only as the whole turn.
    pub(super) fn whole_turn_openers(&self) -> Vec<String> {
        let forms = self.description.regions.iter().flat_map(|region| match &region.body {
            Body::Calls(calls) if calls.place == Place::WholeTurn => {
                calls.forms.iter().map(|form| [&region.open[..], form].concat()).collect()
            }
            _ => Vec::new(),
        });
        forms.flat_map(|parts| first_texts(&parts)).collect()
    }

    /// The texts that begin a structure wherever they stand.
    pub(super) fn openers_anywhere(&self) -> Vec<String> {
        let anywhere = |region: &Region| match &region.body {
            Body::Calls(calls) => calls.place == Place::Anywhere,
            _ => true,
        };
        let mut description: Description = self.description.clone();
        description.regions.retain(anywhere);
        openers(&description)
    }

    /// Whether a turn began with calls that would have been the whole of it and
    /// is text for what came behind them.
    pub(super) fn is_taken_back(&self, turn: &Turn) -> bool {
        let text = turn.content.trim_start();
        self.whole_turn_openers().iter().any(|opener| text.starts_with(opener.as_str()))
    }

    /// Whether `call` is everything up to the end of `output`, by a form that
    /// has no other end.
    pub(super) fn is_the_rest(&self, call: &ToolCall, output: &str) -> bool {
        let mut arguments = call.arguments.entries();
        let (Some((key, value)), None) = (arguments.next(), arguments.next()) else {
            return false;
        };
        let Ok(text) = serde_json::from_str::<String>(value) else { return false };
        let form = Part::Arguments(Container::Rest { tool: call.name.clone(), key });
        let forms = self.description.regions.iter().flat_map(|region| match &region.body {
            Body::Calls(calls) => calls.forms.as_slice(),
            _ => &[],
        });
        forms.flatten().any(|part| *part == form) && output.ends_with(&text)
    }
}
