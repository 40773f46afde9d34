//! Views of JSON text that has been scanned: its members, a compact form and a
//! canonical form. None of them recurses.

use std::collections::BTreeMap;

use super::{Scanner, Step, quote_into, scan, unescape};

/// The members of the object that `text` is: decoded keys and the text of
/// values. Of an array, the items, with empty keys. A key that no string can hold (half a surrogate pair) stays as it is
/// written.
pub fn entries(text: &str) -> impl Iterator<Item = (String, &str)> {
    let mut scanner = Scanner::new(scan::MAX_DEPTH);
    let mut at = 0;
    let mut key = String::new();
    let mut start = 0;
    std::iter::from_fn(move || {
        loop {
            match scanner.step(text.as_bytes(), &mut at) {
                Step::Key | Step::Value => start = at,
                Step::KeyEnd => {
                    let written = &text[start..at - 1];
                    key = unescape(written).map_or_else(|| written.to_owned(), Into::into);
                }
                Step::ValueEnd => return Some((std::mem::take(&mut key), &text[start..at])),
                Step::More | Step::Done | Step::Unexpected | Step::TooDeep => return None,
            }
        }
    })
}

/// The items of the array that `text` is, as JSON text.
pub fn items(text: &str) -> impl Iterator<Item = &str> {
    entries(text).map(|(_, value)| value)
}

/// The same JSON without white space between tokens and with every string
/// escaped in one way.
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        match token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            None => out.push_str(token),
            Some(inside) => write_string(inside, &mut out),
        }
    }
    out
}

/// One text for every equal value: compact, keys sorted, the last of duplicate
/// keys alone, numbers in a normal form.
pub fn canonical(text: &str) -> String {
    // The containers that are open, the innermost last.
    let mut open: Vec<Open> = Vec::new();
    for token in tokens(text) {
        let done = match token.as_bytes()[0] {
            b'{' => {
                open.push(Open::Object { key: None, members: BTreeMap::new() });
                continue;
            }
            b'[' => {
                open.push(Open::Array(String::from("[")));
                continue;
            }
            b',' | b':' => continue,
            b'}' | b']' => match open.pop() {
                Some(Open::Object { members, .. }) => {
                    let mut out = String::from("{");
                    for (key, value) in members {
                        separate(&mut out, '{');
                        out.push_str(&key);
                        out.push(':');
                        out.push_str(&value);
                    }
                    out + "}"
                }
                Some(Open::Array(items)) => items + "]",
                None => return text.to_owned(),
            },
            b'"' => {
                let mut out = String::with_capacity(token.len());
                write_string(&token[1..token.len() - 1], &mut out);
                out
            }
            b'-' | b'0'..=b'9' => number(token),
            _ => token.to_owned(),
        };
        match open.last_mut() {
            None => return done,
            Some(Open::Array(items)) => {
                separate(items, '[');
                items.push_str(&done);
            }
            Some(Open::Object { key, members }) => match key.take() {
                None => *key = Some(done),
                Some(key) => {
                    members.insert(key, done);
                }
            },
        }
    }
    text.to_owned()
}

enum Open {
    Array(String),
    Object { key: Option<String>, members: BTreeMap<String, String> },
}

fn separate(out: &mut String, opener: char) {
    if !out.ends_with(opener) || out.len() > 1 {
        out.push(',');
    }
}

fn write_string(inside: &str, out: &mut String) {
    match unescape(inside) {
        Some(raw) => quote_into(&raw, out),
        None => {
            out.push('"');
            out.push_str(inside);
            out.push('"');
        }
    }
}

/// The tokens of valid JSON text, white space left out.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|byte| scan::is_space(*byte)) {
            at += 1;
        }
        let start = at;
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at) {
                    at += 1;
                    match byte {
                        b'"' => break,
                        b'\\' => at += 1,
                        _ => {}
                    }
                }
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' => at += 1,
            _ => {
                while let Some(byte) = bytes.get(at)
                    && !scan::is_space(*byte)
                    && !matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b'"')
                {
                    at += 1;
                }
            }
        }
        text.get(start..at.min(bytes.len()))
    })
}

/// The normal form of a number: digits without a leading or trailing zero and
/// a power of ten, or a plain integer where that is short.
fn number(spelled: &str) -> String {
    let (sign, rest) = match spelled.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", spelled),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let Ok(exponent) = exponent.parse::<i64>() else { return spelled.to_owned() };
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let zeros = (digits.len() - significant.len()) as i64 - fraction.len() as i64;
    match exponent.saturating_add(zeros) {
        0 => format!("{sign}{significant}"),
        power @ 1..=18 => format!("{sign}{significant}{}", "0".repeat(power as usize)),
        power => format!("{sign}{significant}e{power}"),
    }
}
