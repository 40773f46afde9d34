//! Strings among literals: quotes, delimiters and escapes.

use callsign_core::literal::{Escape, decode_escape};
use callsign_core::{Flow, Nulls, Out, Tool, type_text};

use super::{At, Close, LiteralScan, Place};
use crate::nested::{Step, second_of, type_of};
use crate::program::LiteralSpec;
use crate::walk::is_space;

impl LiteralScan {
    /// The text that may flow past the scanner, if it is in such and has read all
    /// up to `end`.
    pub(crate) fn flow(&self, spec: &LiteralSpec, end: usize) -> Option<Flow> {
        let At::Text(close, Place::Streams) = self.state else { return None };
        if self.at < end {
            return None;
        }
        match (close, spec) {
            // A backslash is Python's own.
            (Close::Quote(quote) | Close::ThreeQuotes(quote), _) => Some(Flow::plain(quote)),
            (Close::Delimiter, LiteralSpec::Braces { quote }) => {
                Some(Flow::raw(quote[0], second_of(quote), false))
            }
            (Close::Delimiter, LiteralSpec::Python) => None,
        }
    }

    /// So much has flowed past.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Whether a string opens here; `None` if that is not clear yet.
    pub(super) fn opens_text(&self, byte: u8, spec: &LiteralSpec, bytes: &[u8]) -> Option<bool> {
        match spec {
            LiteralSpec::Python => Some(matches!(byte, b'"' | b'\'')),
            LiteralSpec::Braces { quote } => starts_with(&bytes[self.at..], quote),
        }
    }

    pub(super) fn open_text(&mut self, spec: &LiteralSpec, place: Place) {
        self.text.clear();
        self.state = match spec {
            LiteralSpec::Python => At::Quotes(place),
            LiteralSpec::Braces { quote } => {
                self.at += quote.len();
                At::Text(Close::Delimiter, place)
            }
        };
    }

    /// One quote, or three of them.
    pub(super) fn quotes(&mut self, bytes: &[u8], place: Place) -> Step {
        let rest = &bytes[self.at..];
        let quote = rest[0];
        let same = rest.iter().take(3).take_while(|byte| **byte == quote).count();
        let close = match same {
            1 if rest.len() == 1 => return Step::More,
            2 if rest.len() == 2 => return Step::More,
            3 => Close::ThreeQuotes(quote),
            _ => Close::Quote(quote),
        };
        self.at += if same == 3 { 3 } else { 1 };
        self.state = At::Text(close, place);
        Step::Go
    }

    pub(super) fn string(
        &mut self,
        close: Close,
        place: Place,
        spec: &LiteralSpec,
        pending: &str,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        let bytes = pending.as_bytes();
        let rest = &bytes[self.at..];
        let first = first_of(close, spec);
        let escapes = close != Close::Delimiter;
        // A line break in a string is no Python, but templates print it so, and
        // it can mean nothing else.
        let run =
            if escapes { memchr::memchr2(first, b'\\', rest) } else { memchr::memchr(first, rest) };
        let run = run.unwrap_or(rest.len());
        self.push_text(&pending[self.at..self.at + run], place, out);
        self.at += run;
        let rest = &bytes[self.at..];
        let Some(byte) = rest.first() else { return Step::More };
        match (close, byte) {
            (_, b'\\') if escapes => self.escape(&pending[self.at + 1..], place, out),
            (Close::Quote(_), _) => self.end_text(1, place, tool, out),
            (Close::ThreeQuotes(_), _) => match starts_with(rest, &[first; 3]) {
                None => Step::More,
                Some(true) => self.end_text(3, place, tool, out),
                Some(false) => self.data(1, pending, place, out),
            },
            (Close::Delimiter, _) => {
                let LiteralSpec::Braces { quote } = spec else { return Step::More };
                // A delimiter ends the string only where something can follow
                // a string.
                match (starts_with(rest, quote), rest.get(quote.len())) {
                    (Some(false), _) => self.data(1, pending, place, out),
                    (None, _) | (_, None) => Step::More,
                    (_, Some(next)) if is_space(*next) || b",}]:".contains(next) => {
                        self.end_text(quote.len(), place, tool, out)
                    }
                    _ => self.data(quote.len(), pending, place, out),
                }
            }
        }
    }

    /// The next `len` bytes are the string's.
    pub(super) fn data(
        &mut self,
        len: usize,
        pending: &str,
        place: Place,
        out: &mut Out<'_>,
    ) -> Step {
        let mut end = self.at + len;
        while !pending.is_char_boundary(end) {
            end += 1;
        }
        self.push_text(&pending[self.at..end], place, out);
        self.at = end;
        Step::Go
    }

    pub(super) fn escape(&mut self, rest: &str, place: Place, out: &mut Out<'_>) -> Step {
        match decode_escape(rest) {
            Escape::Cut => return Step::More,
            Escape::Char(char, len) => {
                self.push_text(char.encode_utf8(&mut [0; 4]), place, out);
                self.at += 1 + len;
            }
            Escape::Nothing(len) => self.at += 1 + len,
            Escape::Plain => {
                self.push_text("\\", place, out);
                self.at += 1;
            }
            Escape::Invalid => {
                // Half a surrogate pair is no character, but JSON can spell it.
                let half = rest.get(..5).filter(|_| place == Place::Streams);
                let Some(half) = half.filter(|half| is_half(half)) else {
                    return Step::Unexpected("an escape");
                };
                out.arguments().push_str("\\");
                out.arguments().push_str(half);
                self.at += 1 + half.len();
            }
        }
        Step::Go
    }

    pub(super) fn push_text(&mut self, text: &str, place: Place, out: &mut Out<'_>) {
        match place {
            Place::Streams => out.arguments().push_escaped(text),
            Place::Key | Place::Typed => self.text.push_str(text),
        }
    }

    pub(super) fn end_text(
        &mut self,
        quotes: usize,
        place: Place,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        self.at += quotes;
        self.state = At::Next;
        match place {
            Place::Streams => out.arguments().push_str("\""),
            Place::Key => {
                let key = std::mem::take(&mut self.text);
                self.begin_member(&key, tool, out);
            }
            Place::Typed => {
                let kind = type_of(tool, self.kind);
                let nulls = Nulls::Python;
                out.arguments().append(|arguments| type_text(&self.text, kind, nulls, arguments));
            }
        }
        Step::Go
    }
}

/// The first byte of what closes a string.
fn first_of(close: Close, spec: &LiteralSpec) -> u8 {
    match (close, spec) {
        (Close::Quote(quote) | Close::ThreeQuotes(quote), _) => quote,
        (Close::Delimiter, LiteralSpec::Braces { quote }) => quote[0],
        // Python knows no delimiters.
        (Close::Delimiter, LiteralSpec::Python) => b'"',
    }
}

/// Whether `bytes` begin with `text`; `None` if they are too few to tell.
fn starts_with(bytes: &[u8], text: &[u8]) -> Option<bool> {
    let length = bytes.len().min(text.len());
    match bytes[..length] == text[..length] {
        true if length < text.len() => None,
        same => Some(same),
    }
}

/// `uD83D` and its like.
fn is_half(escape: &str) -> bool {
    escape
        .strip_prefix('u')
        .and_then(|digits| u32::from_str_radix(digits, 16).ok())
        .is_some_and(|code| (0xD800..0xE000).contains(&code))
}
