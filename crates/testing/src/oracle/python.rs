//! Strings, numbers and words as Python spells them, as JSON.

use callsign_core::json;

use super::json::Stop;
use super::literals::Found;

/// What follows a backslash, and how many bytes of it.
enum Escape {
    Char(char, usize),
    /// A line break, which is taken out.
    Nothing(usize),
    /// Half a surrogate pair.
    Half(usize),
    Invalid,
    Cut,
}

/// The string whose quote stands at `at`: the same quote ends it, or three of
/// them if it begins with three.
pub(super) fn string(text: &str, at: usize, halves: bool) -> Found {
    let three = text.get(at..at + 3).filter(|quotes| matches!(*quotes, "\"\"\"" | "'''"));
    let close = three.unwrap_or(&text[at..=at]);
    let mut at = at + close.len();
    let mut json = String::from("\"");
    loop {
        let rest = &text[at..];
        if rest.starts_with(close) {
            json.push('"');
            return Ok((at + close.len(), json));
        }
        let mut push = |char: char| json::escape_into(char.encode_utf8(&mut [0; 4]), &mut json);
        at += match rest.strip_prefix('\\').map(escape) {
            None => {
                let next = rest.chars().next().ok_or(Stop::Cut)?;
                push(next);
                next.len_utf8()
            }
            Some(Escape::Char(char, len)) => {
                push(char);
                1 + len
            }
            Some(Escape::Nothing(len)) => 1 + len,
            Some(Escape::Half(len)) if halves => {
                json.push_str(&rest[..=len]);
                1 + len
            }
            Some(Escape::Half(_) | Escape::Invalid) => return Err(Stop::Fails(at)),
            Some(Escape::Cut) => return Err(Stop::Cut),
        };
    }
}

fn escape(rest: &str) -> Escape {
    let Some(letter) = rest.chars().next() else { return Escape::Cut };
    match letter {
        '\\' | '\'' | '"' => Escape::Char(letter, 1),
        'a' => Escape::Char('\u{7}', 1),
        'b' => Escape::Char('\u{8}', 1),
        'f' => Escape::Char('\u{c}', 1),
        'n' => Escape::Char('\n', 1),
        'r' => Escape::Char('\r', 1),
        't' => Escape::Char('\t', 1),
        'v' => Escape::Char('\u{b}', 1),
        '\n' => Escape::Nothing(1),
        '\r' => Escape::Nothing(if rest.starts_with("\r\n") { 2 } else { 1 }),
        '0'..='7' => {
            let digits: String = rest.chars().take(3).take_while(|c| c.is_digit(8)).collect();
            character(u32::from_str_radix(&digits, 8).ok(), digits.len())
        }
        'x' => code(rest, 2),
        'u' => code(rest, 4),
        'U' => code(rest, 8),
        // A character by its name.
        'N' => Escape::Invalid,
        // The backslash stands for itself.
        _ => Escape::Char('\\', 0),
    }
}

/// A letter and so many digits.
fn code(rest: &str, digits: usize) -> Escape {
    let len = 1 + digits;
    let high = match hexadecimal(&rest[1..], digits) {
        Ok(high) => high,
        Err(escape) => return escape,
    };
    if digits != 4 || !(0xD800..0xE000).contains(&high) {
        return character(Some(high), len);
    }
    // Two escapes of four digits may be the halves of one character.
    let more = &rest[len..];
    let low = match more.strip_prefix("\\u").map(|more| hexadecimal(more, 4)) {
        Some(Ok(low)) => low,
        Some(Err(Escape::Cut)) => return Escape::Cut,
        None if "\\u".starts_with(more) => return Escape::Cut,
        _ => return Escape::Half(len),
    };
    let pair = [high, low].map(|unit| u16::try_from(unit).unwrap_or_default());
    match String::from_utf16(&pair).map(|pair| pair.chars().next()) {
        Ok(Some(char)) if u32::from(char) >= 0x1_0000 => Escape::Char(char, 2 * len + 1),
        _ => Escape::Half(len),
    }
}

fn hexadecimal(text: &str, digits: usize) -> Result<u32, Escape> {
    let found: String = text.chars().take(digits).take_while(char::is_ascii_hexdigit).collect();
    match u32::from_str_radix(&found, 16) {
        Ok(code) if found.len() == digits => Ok(code),
        _ if found.len() == text.len() => Err(Escape::Cut),
        _ => Err(Escape::Invalid),
    }
}

fn character(code: Option<u32>, len: usize) -> Escape {
    code.and_then(char::from_u32).map_or(Escape::Invalid, |char| Escape::Char(char, len))
}

/// A number or a word that stands for a value, in either language's spelling.
pub(super) fn scalar(word: &str) -> Option<String> {
    match word {
        "None" | "null" => Some("null".to_owned()),
        "True" | "true" => Some("true".to_owned()),
        "False" | "false" => Some("false".to_owned()),
        _ => number(word),
    }
}

/// A number as it is spelled, but for what JSON has no spelling for.
fn number(word: &str) -> Option<String> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let minus = if word.starts_with('-') { "-" } else { "" };
    let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
        Some(at) => (&unsigned[..at], Some(&unsigned[at..])),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let nothing = whole.is_empty() && fraction.is_none_or(str::is_empty);
    if nothing || whole.len() > 1 && whole.starts_with('0') {
        return None;
    }
    let mut json = format!("{minus}{}", digits(whole)?);
    if let Some(fraction) = fraction {
        json = format!("{json}.{}", digits(fraction)?);
    }
    if let Some(exponent) = exponent {
        let unsigned = exponent[1..].strip_prefix(['+', '-']).unwrap_or(&exponent[1..]);
        if unsigned.is_empty() {
            return None;
        }
        let before = &exponent[..exponent.len() - unsigned.len()];
        json = format!("{json}{before}{}", digits(unsigned)?);
    }
    Some(json)
}

/// Digits, between which single underscores may stand; zero for none.
fn digits(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some("0".to_owned());
    }
    let groups: Vec<&str> = text.split('_').collect();
    let all = groups
        .iter()
        .all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    all.then(|| groups.concat())
}
