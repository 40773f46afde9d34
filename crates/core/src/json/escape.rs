//! The inside of JSON strings.

use std::borrow::Cow;

/// Bytes that cannot stand in a JSON string as they are.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// The length of the prefix of `bytes` that holds no byte below 0x20, no quote,
/// no backslash and no `stop`.
#[inline]
pub fn plain_run(bytes: &[u8], stop: u8) -> usize {
    // Eight bytes at a time, then four: each term has the high bit of every byte
    // set that it looks for. A carry can set bits above the first hit, never
    // below it.
    macro_rules! hits {
        ($word:ident: $int:ty) => {{
            const ONES: $int = <$int>::MAX / 0xff;
            let equals = |byte: u8| {
                let difference = $word ^ (ONES * <$int>::from(byte));
                difference.wrapping_sub(ONES) & !difference
            };
            let below = $word.wrapping_sub(ONES * 0x20) & !$word;
            (below | equals(b'"') | equals(b'\\') | equals(stop)) & (ONES << 7)
        }};
    }
    let mut at = 0;
    let mut rest = bytes;
    while let Some((eight, after)) = rest.split_first_chunk() {
        let word = u64::from_le_bytes(*eight);
        let hits = hits!(word: u64);
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 8;
        rest = after;
    }
    if let Some((four, after)) = rest.split_first_chunk() {
        let word = u32::from_le_bytes(*four);
        let hits = hits!(word: u32);
        if hits != 0 {
            return at + (hits.trailing_zeros() / 8) as usize;
        }
        at += 4;
        rest = after;
    }
    for byte in rest {
        if SPECIAL[usize::from(*byte)] || *byte == stop {
            break;
        }
        at += 1;
    }
    at
}

/// Appends `raw` as the inside of a JSON string.
#[inline]
pub fn escape_into(raw: &str, out: &mut String) {
    let bytes = raw.as_bytes();
    let mut at = 0;
    loop {
        let run = plain_run(&bytes[at..], b'"');
        out.push_str(&raw[at..at + run]);
        at += run;
        let Some(byte) = bytes.get(at) else { return };
        escape_byte_into(*byte, out);
        at += 1;
    }
}

/// Appends `raw` as a JSON string, quotes included.
pub fn quote_into(raw: &str, out: &mut String) {
    out.push('"');
    escape_into(raw, out);
    out.push('"');
}

/// Appends an ASCII byte that cannot stand in a JSON string, escaped.
#[inline]
pub fn escape_byte_into(byte: u8, out: &mut String) {
    let letter = match byte {
        b'\n' => 'n',
        b'"' => '"',
        b'\\' => '\\',
        b'\t' => 't',
        b'\r' => 'r',
        0x08 => 'b',
        0x0c => 'f',
        _ => return escape_control_into(byte, out),
    };
    out.push('\\');
    out.push(letter);
}

#[cold]
fn escape_control_into(byte: u8, out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push_str("\\u00");
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 0xf)]));
}

/// Decodes the inside of a JSON string; `None` if an escape is no escape or
/// stands for half a surrogate pair, which no string can hold.
pub fn unescape(inside: &str) -> Option<Cow<'_, str>> {
    let Some(first) = memchr::memchr(b'\\', inside.as_bytes()) else {
        return Some(Cow::Borrowed(inside));
    };
    let mut out = String::with_capacity(inside.len());
    out.push_str(&inside[..first]);
    let mut rest = &inside[first..];
    while let Some(escape) = rest.strip_prefix('\\') {
        let mut chars = escape.chars();
        let decoded = match chars.next()? {
            '"' => '"',
            '\\' => '\\',
            '/' => '/',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let (unit, after) = hex4(chars.as_str())?;
                let (code, after) = match unit {
                    0xD800..=0xDBFF => {
                        let (low, after) = hex4(after.strip_prefix("\\u")?)?;
                        if !(0xDC00..=0xDFFF).contains(&low) {
                            return None;
                        }
                        (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), after)
                    }
                    _ => (unit, after),
                };
                chars = after.chars();
                char::from_u32(code)?
            }
            _ => return None,
        };
        out.push(decoded);
        let after = chars.as_str();
        let next = memchr::memchr(b'\\', after.as_bytes()).unwrap_or(after.len());
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    Some(Cow::Owned(out))
}

fn hex4(text: &str) -> Option<(u32, &str)> {
    let digits = text.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((u32::from_str_radix(digits, 16).ok()?, &text[4..]))
}
