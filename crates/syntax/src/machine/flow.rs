//! The short ways: text that flows on, and text of the arguments that flows past
//! the machine.

use callsign_core::{Flow, Out};

use super::{Machine, Mode, Scanning};
use crate::audit::look;
use crate::program::ProseId;

impl Machine {
    /// The short way, for pieces of text that change nothing. Says whether it was
    /// enough.
    #[inline]
    pub(super) fn flow_on(&mut self, out: &mut Out<'_>) -> bool {
        let Mode::Prose(id) = self.mode else { return false };
        let bytes = out.pending().as_bytes();
        if self.walk.at > 0 || self.quiet || !self.program.flows(id, bytes) {
            return false;
        }
        match id {
            ProseId::Reasoning | ProseId::PlainReasoning => out.reasoning(bytes.len()),
            _ => out.text(bytes.len()),
        }
        true
    }

    /// The text of the arguments that may flow past the machine, if it is in
    /// such and has read all up to `end`.
    pub(super) fn flow_of_arguments(&self, end: usize) -> Option<Flow> {
        match &self.scanning {
            Scanning::Value(value) => value.flow(end),
            Scanning::Object(object) => object.flow(end),
            Scanning::Json(json) => json.flow(end),
            Scanning::Literals(literals) => {
                literals.flow(&self.program.literals[usize::from(literals.spec)], end)
            }
            Scanning::Elements(elements) => {
                elements.flow(&self.program.elements[usize::from(elements.spec)], end)
            }
            Scanning::Rest(_) | Scanning::Nothing => None,
        }
    }

    /// So much text has flowed past.
    pub(super) fn skip(&mut self, bytes: usize) {
        look(bytes);
        match &mut self.scanning {
            Scanning::Value(value) => value.skip(bytes),
            Scanning::Object(object) => {
                self.walk.at += bytes;
                object.skip(bytes);
            }
            Scanning::Json(json) => {
                self.walk.at += bytes;
                json.skip(bytes);
            }
            Scanning::Literals(literals) => literals.skip(bytes),
            Scanning::Elements(elements) => elements.skip(bytes),
            Scanning::Rest(_) | Scanning::Nothing => {}
        }
    }
}
