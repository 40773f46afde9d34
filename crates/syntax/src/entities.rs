//! The entities of XML: five names, and characters by their number.

use std::borrow::Cow;

use callsign_core::Out;

/// Longer ones do not exist: `&#x10FFFF;`.
const LONGEST: usize = 10;

enum Entity {
    /// A character, and how many bytes spell it.
    Char(char, usize),
    /// An ampersand that stands for itself.
    Plain,
    /// The text ends before it is clear.
    Cut,
}

/// Appends text with entities from `flushed` up to `upto` to the arguments,
/// decoded. What may be the beginning of an entity stays, unless the text ends
/// there.
pub(crate) fn flush(
    flushed: &mut usize,
    upto: usize,
    ends: bool,
    pending: &str,
    out: &mut Out<'_>,
) {
    while *flushed < upto {
        let rest = &pending[*flushed..upto];
        let run = memchr::memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        out.arguments().push_escaped(&rest[..run]);
        *flushed += run;
        let rest = &rest[run..];
        match entity(rest) {
            _ if rest.is_empty() => return,
            Entity::Char(char, len) => {
                out.arguments().push_escaped(char.encode_utf8(&mut [0; 4]));
                *flushed += len;
            }
            Entity::Cut if !ends => return,
            Entity::Cut | Entity::Plain => {
                out.arguments().push_str("&");
                *flushed += 1;
            }
        }
    }
}

/// Text with its entities decoded.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (char, len) = match entity(rest) {
            Entity::Char(char, len) => (char, len),
            Entity::Cut | Entity::Plain => ('&', 1),
        };
        out.push(char);
        rest = &rest[len..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What the ampersand in front of `text` begins.
fn entity(text: &str) -> Entity {
    let name = text.as_bytes().get(1..).unwrap_or_default();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'#';
    let length = name.iter().take(LONGEST).take_while(is_name).count();
    match name.get(length) {
        Some(b';') => {}
        None if length < LONGEST => return Entity::Cut,
        _ => return Entity::Plain,
    }
    let char = match &name[..length] {
        b"lt" => Some('<'),
        b"gt" => Some('>'),
        b"amp" => Some('&'),
        b"quot" => Some('"'),
        b"apos" => Some('\''),
        number => std::str::from_utf8(number).ok().and_then(by_number),
    };
    char.map_or(Entity::Plain, |char| Entity::Char(char, length + 2))
}

fn by_number(number: &str) -> Option<char> {
    let digits = number.strip_prefix('#')?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => digits.parse(),
    };
    char::from_u32(code.ok()?)
}
