//! Methods of Python's strings, lists and dictionaries.
//!
//! Most are minijinja-contrib's; here are those it lacks or answers otherwise.

use minijinja::value::{Tuple, Value, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State};
use minijinja_contrib::pycompat;

/// Answers `value.method(args)`.
pub(super) fn call(
    state: &mut State<'_, '_>,
    value: &Value,
    method: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let own = match (value.as_str(), value.kind()) {
        (Some(text), _) => of_string(text, method, args)?,
        (None, ValueKind::Seq | ValueKind::Iterable) => of_list(value, method, args)?,
        (None, ValueKind::Map) => of_dict(value, method, args)?,
        _ => None,
    };
    match own {
        Some(answer) => Ok(answer),
        None => pycompat::unknown_method_callback(state, value, method, args),
    }
}

fn of_string(text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    Ok(Some(match method {
        "strip" | "lstrip" | "rstrip" => {
            let (chars,): (Option<Value>,) = from_args(args)?;
            let chars = chars.as_ref().and_then(Value::as_str);
            let strips = |char: char| match chars {
                Some(chars) => chars.contains(char),
                None => is_space(char),
            };
            Value::from(match method {
                "strip" => text.trim_matches(strips),
                "lstrip" => text.trim_start_matches(strips),
                _ => text.trim_end_matches(strips),
            })
        }
        "split" if args.is_empty() => {
            Value::from_iter(text.split(is_space).filter(|part| !part.is_empty()))
        }
        "rsplit" => {
            let (separator, most): (Option<&str>, Option<i64>) = from_args(args)?;
            let Some(separator) = separator else { return Ok(None) };
            let mut parts: Vec<&str> = match most.and_then(|most| usize::try_from(most).ok()) {
                Some(most) => text.rsplitn(most.saturating_add(1), separator).collect(),
                None => text.rsplit(separator).collect(),
            };
            parts.reverse();
            Value::from_iter(parts)
        }
        "partition" => parted(text, args, text_split_once)?,
        "rpartition" => parted(text, args, text_rsplit_once)?,
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            Value::from(text.strip_prefix(prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            Value::from(text.strip_suffix(suffix).unwrap_or(text))
        }
        "title" => {
            let () = from_args(args)?;
            Value::from(title(text))
        }
        "splitlines" => {
            let (keep,): (Option<bool>,) = from_args(args)?;
            Value::from_iter(lines(text, keep.unwrap_or_default()))
        }
        "index" | "rindex" => {
            let (what,): (&str,) = from_args(args)?;
            let at = if method == "index" { text.find(what) } else { text.rfind(what) };
            let missing = || Error::new(ErrorKind::InvalidOperation, "substring not found");
            Value::from(text[..at.ok_or_else(missing)?].chars().count())
        }
        "zfill" => {
            let (width,): (usize,) = from_args(args)?;
            let (sign, digits) = match text.strip_prefix(['+', '-']) {
                Some(digits) => text.split_at(text.len() - digits.len()),
                None => ("", text),
            };
            let digits = padded(digits, "rjust", width.saturating_sub(sign.len()), '0');
            Value::from(format!("{sign}{digits}"))
        }
        "ljust" | "rjust" | "center" => {
            let (width, fill): (usize, Option<char>) = from_args(args)?;
            Value::from(padded(text, method, width, fill.unwrap_or(' ')))
        }
        "casefold" => {
            let () = from_args(args)?;
            Value::from(text.to_lowercase())
        }
        _ => return Ok(None),
    }))
}

/// The widest a text is padded to.
const MOST_PADDING: usize = 1 << 20;

pub(super) fn padded(text: &str, method: &str, width: usize, fill: char) -> String {
    let missing = width.min(MOST_PADDING).saturating_sub(text.chars().count());
    let before = match method {
        "ljust" => 0,
        "rjust" => missing,
        // The odd one goes where CPython puts it.
        _ => missing / 2 + (missing & width & 1),
    };
    let fill = |count: usize| std::iter::repeat_n(fill, count);
    fill(before).chain(text.chars()).chain(fill(missing - before)).collect()
}

type Split = fn(&str, &str) -> (usize, bool);

fn text_split_once(text: &str, separator: &str) -> (usize, bool) {
    text.find(separator).map_or((text.len(), false), |at| (at, true))
}

fn text_rsplit_once(text: &str, separator: &str) -> (usize, bool) {
    text.rfind(separator).map_or((0, false), |at| (at, true))
}

/// What stands before, as and after a separator.
fn parted(text: &str, args: &[Value], split: Split) -> Result<Value, Error> {
    let (separator,): (&str,) = from_args(args)?;
    if separator.is_empty() {
        return Err(Error::new(ErrorKind::InvalidOperation, "empty separator"));
    }
    let (at, found) = split(text, separator);
    let (before, rest) = text.split_at(at);
    let parts = match found {
        true => [before, separator, &rest[separator.len()..]],
        false if at == 0 => ["", "", text],
        false => [text, "", ""],
    };
    Ok(Value::from(Tuple::from(parts.map(Value::from))))
}

fn of_list(value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    Ok(Some(match method {
        "index" => {
            let (what,): (&Value,) = from_args(args)?;
            for (at, item) in value.try_iter()?.checked().enumerate() {
                if item? == *what {
                    return Ok(Some(Value::from(at)));
                }
            }
            return Err(Error::new(ErrorKind::InvalidOperation, "the value is not in the list"));
        }
        "copy" => Value::from(value.try_iter()?.checked().collect::<Result<Vec<_>, _>>()?),
        "append" | "extend" | "insert" | "pop" | "remove" | "clear" | "sort" | "reverse" => {
            return Err(immutable("list", method));
        }
        _ => return Ok(None),
    }))
}

fn of_dict(value: &Value, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    match method {
        "copy" => {
            let () = from_args(args)?;
            Ok(Some(value.clone()))
        }
        "clear" | "pop" | "popitem" | "setdefault" | "update" => Err(immutable("dict", method)),
        _ => Ok(None),
    }
}

/// Chat templates run in a sandbox that keeps values as they are.
fn immutable(kind: &str, method: &str) -> Error {
    let what = format!("`{kind}.{method}` would change a value, which templates may not");
    Error::new(ErrorKind::InvalidOperation, what)
}

/// What `str.isspace` says of a character.
pub(super) fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// `str.title`: a letter after none is upper case, any other lower case.
fn title(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for char in text.chars() {
        match inside {
            true => out.extend(char.to_lowercase()),
            false => out.extend(char.to_uppercase()),
        }
        inside = char.is_alphabetic();
    }
    out
}

/// `str.splitlines`.
pub(super) fn lines(text: &str, keep: bool) -> Vec<&str> {
    let ends = |char: char| matches!(char, '\n'..='\r' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(ends) {
        let (line, end) = rest.split_at(at);
        let ending = match end.starts_with("\r\n") {
            true => 2,
            false => end.chars().next().map_or(0, char::len_utf8),
        };
        lines.push(if keep { &rest[..at + ending] } else { line });
        rest = &rest[at + ending..];
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}
