//! Strings: which quote ends one, and what a backslash stands for.
//!
//! A quote ends a string if what may stand behind a string follows it. Inside a
//! value, another one is a part of the string, provided that such quotes come in
//! pairs and look like it: the first of two stands right before what it quotes,
//! the second right behind. All else could be read in two ways and is at fault.
//! In JSON proper the first quote ends a string, so no rule ever meets it.

use callsign_core::Repair;
use callsign_core::json::{escape_byte_into, plain_run};

use super::{Fault, Reader, What, is_closer, is_space};

/// What a text lacks that ends inside a string.
pub(super) const OPEN: &str = "the end of the string";

/// What a string lacks whose quotes may be read in two ways.
pub(super) const UNPAIRED: &str = "a backslash before every quote in the string";

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Key,
    Value,
}

/// The quotes that delimit a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    /// Typographic, in any direction.
    CurlyDouble,
    CurlySingle,
}

impl Quote {
    /// The first byte of such a quote.
    fn lead(self) -> u8 {
        match self {
            Quote::Double => b'"',
            Quote::Single => b'\'',
            Quote::CurlyDouble | Quote::CurlySingle => 0xe2,
        }
    }

    fn len(self) -> usize {
        match self {
            Quote::Double | Quote::Single => 1,
            Quote::CurlyDouble | Quote::CurlySingle => 3,
        }
    }
}

/// The quote that `text` begins with.
pub(super) fn opening_quote(text: &str) -> Option<Quote> {
    Some(match text.chars().next()? {
        '"' => Quote::Double,
        '\'' => Quote::Single,
        '\u{2018}'..='\u{201b}' => Quote::CurlySingle,
        '\u{201c}'..='\u{201f}' => Quote::CurlyDouble,
        _ => return None,
    })
}

impl Reader<'_> {
    /// A string that `quote` opens.
    pub(super) fn string(&mut self, quote: Quote, role: Role) -> Result<(), Fault> {
        if role == Role::Value && self.tripled(quote)? {
            return Ok(());
        }
        self.delimiter(quote);
        // Whether every quote inside has its second.
        let mut paired = true;
        loop {
            self.at += plain_run(&self.text.as_bytes()[self.at..], quote.lead());
            let rest = &self.text[self.at..];
            match rest.as_bytes().first() {
                None => return Err(self.fault(OPEN)),
                Some(b'\\') => self.backslash()?,
                Some(control @ ..0x20) => self.escaped(*control, Repair::ControlCharacters),
                Some(_) if opening_quote(rest) == Some(quote) => {
                    if self.is_followed(quote, role) {
                        if paired {
                            self.delimiter(quote);
                            return Ok(());
                        }
                        return Err(self.fault(UNPAIRED));
                    }
                    if !self.is_apostrophe(quote) {
                        if !self.is_inner(quote, paired) {
                            return Err(self.fault(UNPAIRED));
                        }
                        paired = !paired;
                    }
                    match quote {
                        Quote::Double => self.escaped(b'"', Repair::Quotes),
                        _ => self.at += quote.len(),
                    }
                }
                Some(b'"') => self.escaped(b'"', Repair::Quotes),
                Some(_) => self.at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
    }

    /// A string between three quotes on either side, as Python has it: what they hold
    /// is text, line ends and quotes included. Says whether there is one.
    fn tripled(&mut self, quote: Quote) -> Result<bool, Fault> {
        const TRIPLE: usize = 3;
        let mark = match quote {
            Quote::Double => r#"""""#,
            Quote::Single => "'''",
            Quote::CurlyDouble | Quote::CurlySingle => return Ok(false),
        };
        let Some(inside) = self.text[self.at..].strip_prefix(mark) else { return Ok(false) };
        let start = self.at + TRIPLE;
        let Some(end) = inside.match_indices(mark).map(|(at, _)| start + at).find(|end| {
            let next = self.space_end(end + TRIPLE);
            let escaped = self.text[..*end].ends_with('\\');
            !escaped
                && self
                    .text
                    .as_bytes()
                    .get(next)
                    .is_none_or(|byte| *byte == b',' || is_closer(*byte))
        }) else {
            return Ok(false);
        };
        let open = self.at;
        self.at = start;
        self.replace(open, "\"", Repair::Quotes);
        while self.at < end {
            self.at += plain_run(&self.text.as_bytes()[self.at..end], b'"');
            match self.text.as_bytes().get(self.at) {
                _ if self.at >= end => {}
                Some(b'\\') => self.backslash()?,
                Some(control @ ..0x20) => self.escaped(*control, Repair::ControlCharacters),
                Some(b'"') => self.escaped(b'"', Repair::Quotes),
                _ => self.at += self.text[self.at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        let close = self.at;
        self.at = end + TRIPLE;
        self.replace(close, "\"", Repair::Quotes);
        Ok(true)
    }

    /// Passes a quote, which goes out as JSON's.
    fn delimiter(&mut self, quote: Quote) {
        let start = self.at;
        self.at += quote.len();
        if quote != Quote::Double {
            self.replace(start, "\"", Repair::Quotes);
        }
    }

    /// Passes an ASCII byte, which goes out escaped.
    fn escaped(&mut self, byte: u8, repair: Repair) {
        self.write_to(self.at);
        escape_byte_into(byte, &mut self.out);
        self.at += 1;
        self.written = self.at;
        self.note(repair);
    }

    /// Whether what may follow a string follows the quote that is next.
    fn is_followed(&self, quote: Quote, role: Role) -> bool {
        let Some(around) = self.open.last() else { return true };
        if role == Role::Key {
            return true;
        }
        let end = self.at + quote.len();
        let next = self.space_end(end);
        match self.text.as_bytes().get(next) {
            None => true,
            Some(byte) if *byte == b',' || is_closer(*byte) => true,
            // Between this string and one more the comma may be missing.
            Some(_) if next > end => match opening_quote(&self.text[next..]) {
                Some(quote) => around.what == What::Array || self.is_key(next, quote),
                None => false,
            },
            Some(_) => false,
        }
    }

    /// Whether a key stands at `at`, in these quotes.
    fn is_key(&self, at: usize, quote: Quote) -> bool {
        let inside = &self.text[at + quote.len()..];
        let end = inside.find(|char: char| {
            char == '\n' || opening_quote(char.encode_utf8(&mut [0; 4])) == Some(quote)
        });
        end.is_some_and(|end| {
            let quoted = !inside[end..].starts_with('\n');
            let after = at + quote.len() + end + quote.len();
            quoted && self.after_space(after) == Some(b':')
        })
    }

    /// Whether the quote that is next stands within a word.
    fn is_apostrophe(&self, quote: Quote) -> bool {
        let in_word = |char: Option<char>| char.is_some_and(char::is_alphanumeric);
        matches!(quote, Quote::Single | Quote::CurlySingle)
            && in_word(self.text[..self.at].chars().next_back())
            && in_word(self.text[self.at + quote.len()..].chars().next())
    }

    /// Whether the quote that is next looks like the first or the second of two
    /// that stand inside a string, and not like one that ends a string.
    fn is_inner(&self, quote: Quote, opens: bool) -> bool {
        if opens {
            let after = &self.text[self.at + quote.len()..];
            !after.starts_with(|char: char| char.is_whitespace() || char == '+')
        } else {
            !self.text[..self.at].ends_with(char::is_whitespace)
        }
    }

    /// A backslash that begins no escape of JSON stands for itself.
    fn backslash(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if let Some(end) = self.windows_path() {
            while self.at < end {
                match &self.text.as_bytes()[self.at..end] {
                    [b'\\', b'\\', ..] => self.at += 2,
                    [b'\\', ..] => self.escaped(b'\\', Repair::Escapes),
                    _ => self.at += 1,
                }
            }
            return Ok(());
        }
        match self.text.as_bytes().get(start + 1) {
            None => {
                self.at += 1;
                return Err(self.fault(OPEN));
            }
            Some(b'\'') => {
                self.at += 2;
                self.replace(start, "'", Repair::Escapes);
            }
            Some(_) => match escape_len(&self.text[start..]) {
                Some(length) => self.at += length,
                None => self.escaped(b'\\', Repair::Escapes),
            },
        }
        Ok(())
    }

    /// The end of the Windows path whose first backslash is next, if some
    /// backslash in it begins no escape: then none does, since no name of a
    /// folder holds a line break or a tab.
    fn windows_path(&self) -> Option<usize> {
        let mut before = self.text[..self.at].chars().rev();
        let drive = before.next() == Some(':')
            && before.next().is_some_and(|char| char.is_ascii_alphabetic())
            && before.next().is_none_or(|char| !char.is_alphanumeric());
        if !drive {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        let mut bare = false;
        // A colon ends a path, so that no byte belongs to two of them.
        while let Some(byte) = bytes.get(at) {
            match (byte, bytes.get(at + 1)) {
                (b'\\', Some(b'\\')) => at += 2,
                (b'\\', Some(b'"' | b'\'') | None) => break,
                (b'\\', Some(_)) => {
                    bare |= escape_len(&self.text[at..]).is_none();
                    at += 1;
                }
                (
                    b'"' | b'\'' | b'`' | b':' | b'*' | b'?' | b'<' | b'>' | b'|' | b',' | b';',
                    _,
                ) => {
                    break;
                }
                (byte, _) if *byte < 0x20 => break,
                (byte, Some(next)) if is_space(*byte) && is_space(*next) => break,
                _ => at += 1,
            }
        }
        bare.then_some(at)
    }
}

/// The length of the escape that `text` begins with, if JSON has it.
fn escape_len(text: &str) -> Option<usize> {
    match text.as_bytes().get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => {
            let digits = text.as_bytes().get(2..6)?;
            digits.iter().all(u8::is_ascii_hexdigit).then_some(6)
        }
        _ => None,
    }
}
