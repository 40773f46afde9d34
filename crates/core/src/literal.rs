//! Python literals as JSON: what models write where a template showed them the
//! `repr` of a value. No names, calls or arithmetic.

#[cfg(test)]
mod tests;

use crate::json::{Kind, MAX_DEPTH, escape_into};

/// Appends the one Python literal that `text` is to `out` as JSON: white space
/// between tokens and the spelling of numbers stay, as far as JSON allows. The
/// words `true`, `false` and `null` count as literals too.
///
/// `None`, with `out` unchanged, if `text` is something else or JSON has no
/// such value.
pub fn python_to_json(text: &str, out: &mut String) -> Option<Kind> {
    let start = out.len();
    let kind = Converter { text, at: 0, out }.convert();
    if kind.is_none() {
        out.truncate(start);
    }
    kind
}

/// What follows a backslash in a Python string that is not raw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// A character, and how many bytes after the backslash spell it.
    Char(char, usize),
    /// A line break of so many bytes, which the backslash takes out.
    Nothing(usize),
    /// No escape: the backslash stands for itself.
    Plain,
    /// The text ends before it is clear.
    Cut,
    /// An escape of no character: too few digits, half a surrogate pair, beyond
    /// Unicode, or a character by its name.
    Invalid,
}

/// Decodes the escape whose backslash stands before `rest`.
pub fn decode_escape(rest: &str) -> Escape {
    let Some(&byte) = rest.as_bytes().first() else { return Escape::Cut };
    let char = match byte {
        b'\\' | b'\'' | b'"' => char::from(byte),
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'a' => '\u{7}',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'v' => '\u{b}',
        b'\n' => return Escape::Nothing(1),
        b'\r' => {
            return match rest.as_bytes().get(1) {
                Some(b'\n') => Escape::Nothing(2),
                Some(_) => Escape::Nothing(1),
                None => Escape::Cut,
            };
        }
        b'0'..=b'7' => return octal(rest.as_bytes()),
        b'x' => return code_point(&rest[1..], 2),
        b'u' => return code_point(&rest[1..], 4),
        b'U' => return code_point(&rest[1..], 8),
        b'N' => return Escape::Invalid,
        _ => return Escape::Plain,
    };
    Escape::Char(char, 1)
}

/// One to three digits: the character is known once another byte ends them.
fn octal(rest: &[u8]) -> Escape {
    let length = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    if length == rest.len() && length < 3 {
        return Escape::Cut;
    }
    let code = rest[..length].iter().fold(0, |code, byte| code * 8 + u32::from(byte - b'0'));
    char::from_u32(code).map_or(Escape::Invalid, |char| Escape::Char(char, length))
}

/// So many digits after the letter of the escape. Two escapes of four digits
/// may spell the halves of one character.
fn code_point(digits: &str, length: usize) -> Escape {
    let high = match hex(digits, length) {
        Ok(code) => code,
        Err(escape) => return escape,
    };
    if length != 4 || !(0xD800..0xDC00).contains(&high) {
        return char::from_u32(high).map_or(Escape::Invalid, |char| Escape::Char(char, 1 + length));
    }
    let rest = &digits[length..];
    let Some(digits) = rest.strip_prefix("\\u") else {
        return if "\\u".starts_with(rest) { Escape::Cut } else { Escape::Invalid };
    };
    match hex(digits, 4) {
        Ok(low @ 0xDC00..0xE000) => {
            let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
            char::from_u32(code).map_or(Escape::Invalid, |char| Escape::Char(char, 11))
        }
        Ok(_) => Escape::Invalid,
        Err(escape) => escape,
    }
}

fn hex(text: &str, length: usize) -> Result<u32, Escape> {
    let digits = text.bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
    if digits < length {
        return Err(if digits == text.len() { Escape::Cut } else { Escape::Invalid });
    }
    u32::from_str_radix(&text[..length], 16).map_err(|_| Escape::Invalid)
}

struct Converter<'t, 'o> {
    text: &'t str,
    at: usize,
    out: &'o mut String,
}

/// A container that is open.
struct Open {
    what: What,
    /// How many items it has; more than a few count as a few.
    items: u8,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    List,
    Tuple,
    Dict,
}

impl<'t> Converter<'t, '_> {
    fn convert(mut self) -> Option<Kind> {
        self.space();
        let mut open: Vec<Open> = Vec::new();
        let kind = self.value(&mut open)?;
        while let Some(around) = open.last_mut() {
            let space = self.space();
            let closer = match around.what {
                What::List => b']',
                What::Tuple => b')',
                What::Dict => b'}',
            };
            let mut byte = self.peek()?;
            let mut comma = None;
            if byte == b',' && around.items > 0 {
                self.at += 1;
                comma = Some(self.space());
                byte = self.peek()?;
            }
            self.out.push_str(space);
            if byte == closer {
                // Without a comma the parentheses only group.
                if around.what == What::Tuple && around.items == 1 && comma.is_none() {
                    return None;
                }
                self.out.push_str(comma.unwrap_or_default());
                self.at += 1;
                self.out.push(if closer == b'}' { '}' } else { ']' });
                open.pop();
                continue;
            }
            match comma {
                Some(space) => {
                    self.out.push(',');
                    self.out.push_str(space);
                }
                None if around.items > 0 => return None,
                None => {}
            }
            around.items = around.items.saturating_add(1);
            if around.what == What::Dict {
                self.key()?;
            }
            self.value(&mut open)?;
        }
        self.space();
        (self.at == self.text.len()).then_some(kind)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    /// Passes white space and returns it. Form feeds, which Python takes for
    /// space and JSON does not, are no space here.
    fn space(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let after = rest.trim_start_matches([' ', '\n', '\t', '\r']);
        let space = &rest[..rest.len() - after.len()];
        self.at += space.len();
        space
    }

    /// Writes a value, or opens it if it is a container.
    fn value(&mut self, open: &mut Vec<Open>) -> Option<Kind> {
        let what = match self.peek()? {
            b'[' => What::List,
            b'(' => What::Tuple,
            b'{' => What::Dict,
            b'+' | b'-' | b'.' | b'0'..=b'9' => return self.number(),
            _ => return self.word().or_else(|| self.string()),
        };
        if open.len() == MAX_DEPTH {
            return None;
        }
        self.at += 1;
        open.push(Open { what, items: 0 });
        let (bracket, kind) =
            if what == What::Dict { ('{', Kind::Object) } else { ('[', Kind::Array) };
        self.out.push(bracket);
        Some(kind)
    }

    /// Writes a key, its colon and the white space around that.
    fn key(&mut self) -> Option<()> {
        self.string()?;
        let before = self.space();
        if !self.eat(b':') {
            return None;
        }
        let after = self.space();
        self.out.push_str(before);
        self.out.push(':');
        self.out.push_str(after);
        Some(())
    }

    fn word(&mut self) -> Option<Kind> {
        const WORDS: [(&str, &str, Kind); 6] = [
            ("None", "null", Kind::Null),
            ("True", "true", Kind::Boolean),
            ("False", "false", Kind::Boolean),
            ("null", "null", Kind::Null),
            ("true", "true", Kind::Boolean),
            ("false", "false", Kind::Boolean),
        ];
        let rest = &self.text[self.at..];
        let (word, json, kind) = WORDS.into_iter().find(|(word, ..)| rest.starts_with(word))?;
        self.at += word.len();
        self.out.push_str(json);
        Some(kind)
    }

    /// Writes a number as it is spelled, but for what JSON cannot spell: a
    /// plus, underscores, a point without digits on both sides.
    fn number(&mut self) -> Option<Kind> {
        if !self.eat(b'+') && self.eat(b'-') {
            self.out.push('-');
        }
        let whole = self.digits()?;
        match whole.as_bytes() {
            [] => self.out.push('0'),
            // Python has no such integers, but for zero.
            [b'0', _, ..] => return None,
            _ => self.push_digits(whole),
        }
        if self.eat(b'.') {
            let fraction = self.digits()?;
            if whole.is_empty() && fraction.is_empty() {
                return None;
            }
            self.out.push('.');
            self.push_digits(if fraction.is_empty() { "0" } else { fraction });
        } else if whole.is_empty() {
            return None;
        }
        if let Some(e @ (b'e' | b'E')) = self.peek() {
            self.at += 1;
            self.out.push(char::from(e));
            if let Some(sign @ (b'+' | b'-')) = self.peek() {
                self.at += 1;
                self.out.push(char::from(sign));
            }
            let exponent = self.digits()?;
            if exponent.is_empty() {
                return None;
            }
            self.push_digits(exponent);
        }
        Some(Kind::Number)
    }

    /// Passes digits, between which single underscores may stand.
    fn digits(&mut self) -> Option<&'t str> {
        let rest = &self.text[self.at..];
        let end = rest.find(|char: char| !char.is_ascii_digit() && char != '_');
        let digits = &rest[..end.unwrap_or(rest.len())];
        self.at += digits.len();
        let stray = digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
        (!stray).then_some(digits)
    }

    fn push_digits(&mut self, digits: &str) {
        self.out.extend(digits.split('_'));
    }

    fn string(&mut self) -> Option<Kind> {
        let raw = match self.peek()? {
            b'r' | b'R' => true,
            b'u' | b'U' => false,
            _ => return self.quoted(false),
        };
        self.at += 1;
        self.quoted(raw)
    }

    fn quoted(&mut self, raw: bool) -> Option<Kind> {
        let quote = self.peek().filter(|byte| matches!(byte, b'\'' | b'"'))?;
        let three = if quote == b'"' { "\"\"\"" } else { "'''" };
        let triple = self.text[self.at..].starts_with(three);
        self.at += if triple { 3 } else { 1 };
        self.out.push('"');
        loop {
            let rest = &self.text[self.at..];
            let run = if triple {
                memchr::memchr2(quote, b'\\', rest.as_bytes())?
            } else {
                memchr::memchr3(quote, b'\\', b'\n', rest.as_bytes())?
            };
            escape_into(&rest[..run], self.out);
            self.at += run;
            let rest = &rest[run..];
            match rest.as_bytes()[0] {
                b'\\' if raw => self.raw_pair(&rest[1..])?,
                b'\\' => self.escape(&rest[1..])?,
                // Only three quotes hold a line break.
                b'\n' => return None,
                _ if triple && !rest.starts_with(three) => {
                    self.at += 1;
                    escape_into(&rest[..1], self.out);
                }
                _ => {
                    self.at += if triple { 3 } else { 1 };
                    self.out.push('"');
                    return Some(Kind::String);
                }
            }
        }
    }

    /// In a raw string a backslash stays and keeps a quote from closing.
    fn raw_pair(&mut self, rest: &str) -> Option<()> {
        let next = rest.chars().next()?;
        self.out.push_str("\\\\");
        escape_into(next.encode_utf8(&mut [0; 4]), self.out);
        self.at += 1 + next.len_utf8();
        Some(())
    }

    fn escape(&mut self, rest: &str) -> Option<()> {
        self.at += 1;
        match decode_escape(rest) {
            Escape::Char(char, length) => {
                escape_into(char.encode_utf8(&mut [0; 4]), self.out);
                self.at += length;
            }
            Escape::Nothing(length) => self.at += length,
            Escape::Plain => self.out.push_str("\\\\"),
            Escape::Cut | Escape::Invalid => return None,
        }
        Some(())
    }
}
