//! JSON as models write it, read into JSON text. Only the syntax is mended:
//! what names and values say stays, to the byte, and where that would be a
//! matter of taste the text is at fault.

mod around;
mod guess;
mod scalars;
mod strings;

use callsign_core::Repair;
use callsign_core::json;

pub(crate) use around::{surplus, unfence};
pub(crate) use guess::guess;
use strings::{Role, opening_quote};

/// What is known of the end of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The text may have been cut there.
    Open,
    /// The value ends there: a closing tag or the like follows.
    Proved,
}

/// A value as JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relaxed {
    /// The value; where nothing was mended, as it was written.
    pub(crate) json: String,
    /// What was mended, each once, in the order in which it was first needed.
    pub(crate) repairs: Vec<Repair>,
    /// How many bytes of the text were read: those before the value and its
    /// own, none after it.
    pub(crate) len: usize,
}

/// Why a text is no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The byte at fault.
    pub(crate) at: usize,
    /// What would have fit there.
    pub(crate) expected: &'static str,
    /// Whether the text ended there.
    pub(crate) cut: bool,
}

/// Reads the value that `text` begins with, white space before it allowed, at
/// most `depth` containers deep. What follows the value is not looked at.
///
/// JSON is read as it stands, but for a bare number or word at an open end, which
/// may go on. Comments, words other than the literals, values and colons that are
/// missing and strings that would have to be put together are faults.
pub(crate) fn read(text: &str, ending: Ending, depth: usize) -> Result<Relaxed, Fault> {
    let mut reader = Reader {
        text,
        at: 0,
        written: 0,
        out: String::new(),
        repairs: Vec::new(),
        open: Vec::new(),
        ending,
        depth,
    };
    reader.read()?;
    reader.write_to(reader.at);
    Ok(Relaxed { json: reader.out, repairs: reader.repairs, len: reader.at })
}

/// Reads all of `text` as one value whose end is known, closing brackets too
/// many and white space around it allowed.
pub(crate) fn whole(text: &str) -> Option<Relaxed> {
    let mut relaxed = read(text, Ending::Proved, json::MAX_DEPTH).ok()?;
    let surplus = surplus(&text[relaxed.len..]);
    if surplus > 0 && !relaxed.repairs.contains(&Repair::SurplusBrackets) {
        relaxed.repairs.push(Repair::SurplusBrackets);
    }
    relaxed.len += surplus;
    text[relaxed.len..].trim().is_empty().then_some(relaxed)
}

/// The text goes out as it stands from mended place to mended place.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    /// Up to where the text has gone out.
    written: usize,
    out: String,
    repairs: Vec<Repair>,
    open: Vec<Open>,
    ending: Ending,
    depth: usize,
}

/// A container that is open.
#[derive(Debug, Clone, Copy)]
struct Open {
    what: What,
    place: Place,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Object,
    Array,
    /// A second pair of braces around an object, as a prompt shows it that
    /// escapes braces: it does not go out.
    Doubled,
}

/// What stands before, in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Opener,
    Item,
    Comma,
}

impl What {
    fn closer(self) -> u8 {
        if self == What::Array { b']' } else { b'}' }
    }

    /// The closer as it goes out.
    fn written(self) -> &'static str {
        match self {
            What::Object => "}",
            What::Array => "]",
            What::Doubled => "",
        }
    }
}

impl Open {
    fn expected(self) -> &'static str {
        match (self.what, self.place) {
            (What::Object, Place::Item) => "a comma or `}`",
            (What::Array, Place::Item) => "a comma or `]`",
            (What::Object, _) => "a key",
            (What::Array, _) => "a value",
            (What::Doubled, _) => "a second `}`",
        }
    }
}

impl<'t> Reader<'t> {
    fn read(&mut self) -> Result<(), Fault> {
        self.space();
        self.written = self.at;
        self.value()?;
        while let Some(inner) = self.open.last().copied() {
            let end = self.at;
            self.space();
            match self.peek() {
                None => self.end(inner, end)?,
                Some(closer @ (b'}' | b']')) => self.close(inner, closer, end)?,
                Some(b',') if inner.what != What::Doubled => self.comma(inner),
                Some(_) => match inner.place {
                    Place::Item => self.missing_comma(inner, end)?,
                    Place::Opener | Place::Comma => {
                        if inner.what == What::Object {
                            self.key()?;
                        }
                        self.value()?;
                    }
                },
            }
        }
        Ok(())
    }

    fn value(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'{') => return self.open(What::Object),
            Some(b'[') => return self.open(What::Array),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            _ => match opening_quote(&self.text[self.at..]) {
                Some(quote) => self.string(quote, Role::Value)?,
                None => return Err(self.fault("a value")),
            },
        }
        self.end_value();
        Ok(())
    }

    fn open(&mut self, mut what: What) -> Result<(), Fault> {
        if self.open.len() == self.depth {
            return Err(self.fault("less nesting"));
        }
        self.at += 1;
        if what == What::Object && self.after_space(self.at) == Some(b'{') {
            what = What::Doubled;
            let start = self.at - 1;
            self.space();
            self.replace(start, "", Repair::SurplusBrackets);
        }
        self.open.push(Open { what, place: Place::Opener });
        Ok(())
    }

    /// A closer is next; the last token ended at `end`.
    fn close(&mut self, inner: Open, closer: u8, end: usize) -> Result<(), Fault> {
        let mut rest = self.text.as_bytes()[self.at..].iter();
        if inner.what.closer() == closer {
            self.take_closer(inner, end);
        } else if self.ending == Ending::Proved
            && rest.all(|byte| is_space(*byte) || is_closer(*byte))
        {
            self.close_all();
        } else {
            return Err(self.fault(inner.expected()));
        }
        Ok(())
    }

    fn take_closer(&mut self, inner: Open, end: usize) {
        self.at += 1;
        if inner.what == What::Doubled {
            self.replace(end, "", Repair::SurplusBrackets);
        }
        self.open.pop();
        self.end_value();
    }

    /// Nothing but closers is left: which containers they close is clear, in
    /// whatever order they stand.
    fn close_all(&mut self) {
        while let Some(inner) = self.open.last().copied() {
            let end = self.at;
            self.space();
            let Some(closer) = self.peek() else {
                self.at = end;
                return;
            };
            if inner.what.closer() == closer {
                self.take_closer(inner, end);
            } else if self.open.iter().any(|open| open.what.closer() == closer) {
                self.at = end;
                self.insert(end, inner.what.written(), Repair::MissingBrackets);
                self.open.pop();
                self.end_value();
            } else {
                let start = self.at;
                self.at += 1;
                self.replace(start, "", Repair::SurplusBrackets);
            }
        }
    }

    /// The text is over; the last token ended at `end`.
    fn end(&mut self, inner: Open, end: usize) -> Result<(), Fault> {
        if self.ending == Ending::Open || inner.place != Place::Item {
            return Err(self.fault(inner.expected()));
        }
        self.at = end;
        while let Some(open) = self.open.pop() {
            self.insert(end, open.what.written(), Repair::MissingBrackets);
        }
        Ok(())
    }

    fn end_value(&mut self) {
        if let Some(around) = self.open.last_mut() {
            around.place = Place::Item;
        }
    }

    fn comma(&mut self, inner: Open) {
        let start = self.at;
        self.at += 1;
        let next = self.after_space(self.at);
        if inner.place != Place::Item || next.is_some_and(|byte| byte == b',' || is_closer(byte)) {
            self.replace(start, "", Repair::Commas);
        } else if let Some(inner) = self.open.last_mut() {
            inner.place = Place::Comma;
        }
    }

    /// Between two items that stand clearly apart, the first of which ends at
    /// `end`.
    fn missing_comma(&mut self, inner: Open, end: usize) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        let apart = opening_quote(rest).is_some()
            || rest.starts_with(['{', '['])
            || self.text[end..self.at].contains('\n');
        if inner.what == What::Doubled || !apart {
            return Err(self.fault(inner.expected()));
        }
        self.insert(end, ",", Repair::Commas);
        if let Some(inner) = self.open.last_mut() {
            inner.place = Place::Comma;
        }
        Ok(())
    }

    /// A key, its colon and the white space around that.
    fn key(&mut self) -> Result<(), Fault> {
        let rest = &self.text[self.at..];
        if let Some(quote) = opening_quote(rest) {
            self.string(quote, Role::Key)?;
        } else {
            let length = rest.find(|char| !in_bare_key(char)).unwrap_or(rest.len());
            if length == 0 || rest.starts_with(|char: char| char.is_numeric() || char == '-') {
                return Err(self.fault("a key"));
            }
            self.insert(self.at, "\"", Repair::BareKeys);
            self.at += length;
            self.insert(self.at, "\"", Repair::BareKeys);
        }
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("a colon"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        self.at = self.space_end(self.at);
    }

    /// The first byte from `at` on that is no white space.
    fn after_space(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(self.space_end(at)).copied()
    }

    fn space_end(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        at + rest.iter().take_while(|byte| is_space(**byte)).count()
    }

    /// The text up to `at` goes out as it stands.
    fn write_to(&mut self, at: usize) {
        if self.written < at {
            self.out.push_str(&self.text[self.written..at]);
            self.written = at;
        }
    }

    /// What was read from `start` on goes out as `other`.
    fn replace(&mut self, start: usize, other: &str, repair: Repair) {
        self.insert(start, other, repair);
        self.written = self.at;
    }

    /// At `at`, `other` goes out.
    fn insert(&mut self, at: usize, other: &str, repair: Repair) {
        self.write_to(at);
        self.out.push_str(other);
        self.note(repair);
    }

    fn note(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    fn fault(&self, expected: &'static str) -> Fault {
        Fault { at: self.at, expected, cut: self.at == self.text.len() }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

fn is_closer(byte: u8) -> bool {
    matches!(byte, b'}' | b']')
}

fn in_bare_key(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '-')
}

#[cfg(test)]
mod tests;
