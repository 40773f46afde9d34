//! Numbers, which stay as they are spelled, and literals.

use callsign_core::Repair;
use callsign_core::json::{self, Kind};

use super::{Ending, Fault, Reader};

impl Reader<'_> {
    pub(super) fn number(&mut self) -> Result<(), Fault> {
        let length = self.bare_len(|char| matches!(char, '+' | '-' | '.'));
        let number = &self.text[self.at..self.at + length];
        if self.may_go_on(length) || json::kind(number) != Some(Kind::Number) {
            return Err(self.bare_fault(length, "a number"));
        }
        self.at += length;
        Ok(())
    }

    pub(super) fn word(&mut self) -> Result<(), Fault> {
        let length = self.bare_len(|_| false);
        let (start, word) = (self.at, &self.text[self.at..self.at + length]);
        let literal = match word {
            "None" => Some("null"),
            _ => {
                let mut literals = ["true", "false", "null"].into_iter();
                literals.find(|literal| literal.eq_ignore_ascii_case(word))
            }
        };
        let Some(literal) = literal.filter(|_| !self.may_go_on(length)) else {
            return Err(self.bare_fault(length, "a value"));
        };
        self.at += length;
        if literal != word {
            self.replace(start, literal, Repair::Literals);
        }
        Ok(())
    }

    /// The length of what is next up to the first byte that belongs to no word.
    fn bare_len(&self, also: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[self.at..];
        let ends = |char: char| !(char.is_alphanumeric() || char == '_' || also(char));
        rest.find(ends).unwrap_or(rest.len())
    }

    /// Whether more of it may follow than these bytes. In a container it may
    /// too, but then the container is cut.
    fn may_go_on(&self, length: usize) -> bool {
        self.ends(length) && self.open.is_empty() && self.ending == Ending::Open
    }

    fn ends(&self, length: usize) -> bool {
        self.at + length == self.text.len()
    }

    fn bare_fault(&self, length: usize, expected: &'static str) -> Fault {
        Fault { at: self.at, expected, cut: self.ends(length) }
    }
}
