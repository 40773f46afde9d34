//! Arguments as literals: the keywords of a Python call, and bare keys in
//! braces.

use callsign_core::{Kinds, Nulls, Type, json, type_text};

use super::call::LONGEST_SLOT;
use super::json::Stop;
use super::{Oracle, python};

/// A value as JSON, and where it ends.
pub(super) type Found = Result<(usize, String), Stop>;

/// How literals are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style<'s> {
    Python,
    /// With this on either side of a string.
    Braces(&'s str),
}

/// What holds members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    /// The parentheses of a Python call. The closing one is the call's.
    Keywords,
    /// Braces.
    Object,
}

/// Literals in the text of an output.
#[derive(Clone, Copy)]
pub(super) struct Literals<'a> {
    pub(super) oracle: &'a Oracle<'a>,
    pub(super) style: Style<'a>,
}

impl Literals<'_> {
    /// Reads arguments of this type behind their bracket.
    pub(super) fn arguments(self, at: usize, kind: Type<'_>) -> Found {
        let holder = match self.style {
            Style::Python => Holder::Keywords,
            Style::Braces(_) => Holder::Object,
        };
        self.members(holder, at, kind, 1)
    }

    fn byte(self, at: usize) -> Result<u8, Stop> {
        self.oracle.text.as_bytes().get(at).copied().ok_or(Stop::Cut)
    }

    fn members(self, holder: Holder, at: usize, kind: Type<'_>, depth: usize) -> Found {
        let (separator, close) = match holder {
            Holder::Keywords => (b'=', b')'),
            Holder::Object => (b':', b'}'),
        };
        let mut members = Vec::new();
        let mut at = at;
        loop {
            at = self.oracle.space(at);
            if self.byte(at)? == close {
                let end = if holder == Holder::Keywords { at } else { at + 1 };
                return Ok((end, format!("{{{}}}", members.join(","))));
            }
            let (end, key) = self.key(holder, at)?;
            at = self.oracle.space(end);
            if self.byte(at)? != separator {
                return Err(Stop::Fails(at));
            }
            let kind = kind.property(&key);
            let (end, value) = self.value(self.oracle.space(at + 1), kind, depth)?;
            members.push(format!("{}:{value}", quoted(&key)));
            at = self.next(end, close)?;
        }
    }

    fn items(self, at: usize, close: u8, kind: Type<'_>, depth: usize) -> Found {
        let mut items = Vec::new();
        let mut at = at;
        loop {
            at = self.oracle.space(at);
            if self.byte(at)? == close {
                return Ok((at + 1, format!("[{}]", items.join(","))));
            }
            let (end, value) = self.value(at, kind, depth)?;
            items.push(value);
            at = self.next(end, close)?;
            // Without a comma, parentheses around one value only group.
            if close == b')' && items.len() == 1 && self.oracle.text.as_bytes()[at] == close {
                let comma = self.oracle.text[end..at].contains(',');
                if !comma {
                    return Err(Stop::Fails(at));
                }
            }
        }
    }

    /// Where reading goes on behind a member: behind its comma, or at the end
    /// of what holds it.
    fn next(self, end: usize, close: u8) -> Result<usize, Stop> {
        let at = self.oracle.space(end);
        match self.byte(at)? {
            b',' => Ok(at + 1),
            byte if byte == close => Ok(at),
            _ => Err(Stop::Fails(at)),
        }
    }

    fn key(self, holder: Holder, at: usize) -> Result<(usize, String), Stop> {
        if self.string_opens(at)? && (holder, self.style) != (Holder::Keywords, Style::Python) {
            let (end, json) = self.string(at, false)?;
            return Ok((end, plain(&json)));
        }
        let bytes = &self.oracle.text.as_bytes()[at..];
        let first = bytes.first().copied().ok_or(Stop::Cut)?;
        if !is_key_byte(first) || (holder, self.style) == (Holder::Object, Style::Python) {
            return Err(Stop::Fails(at));
        }
        // A bare key in braces may hold blanks.
        let blank = |byte: u8| byte == b' ' && self.style != Style::Python;
        let run = bytes.iter().take_while(|byte| is_key_byte(**byte) || blank(**byte)).count();
        if run > LONGEST_SLOT {
            return Err(Stop::Fails(at));
        }
        if run == bytes.len() {
            return Err(Stop::Cut);
        }
        Ok((at + run, self.oracle.text[at..at + run].trim_end_matches(' ').to_owned()))
    }

    /// A value inside of so many containers.
    fn value(self, at: usize, kind: Type<'_>, depth: usize) -> Found {
        if self.string_opens(at)? {
            let text = kind.is_unspecified() || kind.kinds().contains(Kinds::STRING);
            let (end, json) = self.string(at, text)?;
            if text {
                return Ok((end, json));
            }
            let mut typed = String::new();
            type_text(&plain(&json), kind, Nulls::Python, &mut typed);
            return Ok((end, typed));
        }
        let container = match self.byte(at)? {
            b'(' => self.style == Style::Python,
            first => matches!(first, b'{' | b'['),
        };
        if container && depth >= self.oracle.offer.limits.depth {
            return Err(Stop::TooDeep(at));
        }
        match self.byte(at)? {
            b'{' => self.members(Holder::Object, at + 1, kind, depth + 1),
            b'[' => self.items(at + 1, b']', kind.items(), depth + 1),
            b'(' if container => self.items(at + 1, b')', kind.items(), depth + 1),
            _ => self.word(at, kind),
        }
    }

    /// A number or a word that stands for a value. For a parameter that takes
    /// only text it is text.
    fn word(self, at: usize, kind: Type<'_>) -> Found {
        let rest = &self.oracle.text[at..];
        let end = rest.find([' ', '\n', '\r', '\t', ',', ')', ']', '}', ':', '<']);
        let word = &rest[..end.unwrap_or(rest.len())];
        if word.len() > LONGEST_SLOT {
            return Err(Stop::Fails(at));
        }
        if end.is_none() {
            return Err(Stop::Cut);
        }
        let json = python::scalar(word).ok_or(Stop::Fails(at))?;
        Ok((at + word.len(), if kind.only_string() { quoted(word) } else { json }))
    }

    fn string_opens(self, at: usize) -> Result<bool, Stop> {
        match self.style {
            Style::Python => Ok(matches!(self.byte(at)?, b'"' | b'\'')),
            Style::Braces(quote) => match self.oracle.literal(quote, at) {
                Ok(_) => Ok(true),
                Err(Stop::Cut) => Err(Stop::Cut),
                Err(_) => Ok(false),
            },
        }
    }

    /// The string that opens here. `halves` says whether half a surrogate pair
    /// may stand in it: JSON can spell it, text cannot hold it.
    fn string(self, at: usize, halves: bool) -> Found {
        let text = self.oracle.text;
        let Style::Braces(quote) = self.style else { return python::string(text, at, halves) };
        let start = at + quote.len();
        let mut from = start;
        loop {
            let end = from + text[from..].find(quote).ok_or(Stop::Cut)?;
            from = end + quote.len();
            // A delimiter ends the string only where something can follow one.
            if b" \n\r\t,:]}".contains(&self.byte(from)?) {
                return Ok((from, quoted(&text[start..end])));
            }
        }
    }
}

/// Text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    let mut json = String::new();
    json::quote_into(text, &mut json);
    json
}

/// The text of a JSON string without halves of surrogate pairs.
fn plain(json: &str) -> String {
    json::unescape(&json[1..json.len() - 1]).unwrap_or_default().into_owned()
}

/// Bytes of a bare key: no white space, no brackets, no quotes, nothing that
/// separates.
fn is_key_byte(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !b"=:,(){}[]\"'<>".contains(&byte)
}
