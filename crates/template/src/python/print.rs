//! Values as text: Python's `str` and `repr`, and `json.dumps`.
//!
//! One walk serves all; it keeps its own stack, for a template can nest values
//! as deep as its fuel lasts.

use std::fmt::Write;

use callsign_core::json;
use minijinja::value::{Tuple, Value, ValueIter, ValueKind};
use minijinja::{Error, ErrorKind, State};

use super::value::Written;

/// How `json.dumps` is asked to write.
#[derive(Debug, Clone)]
pub(super) struct Dumps {
    pub(super) ascii: bool,
    pub(super) indent: Option<String>,
    pub(super) between_items: String,
    pub(super) after_key: String,
    pub(super) sort_keys: bool,
}

enum Style<'a> {
    Repr,
    Json(&'a Dumps),
}

/// Pays fuel for what is printed. A few small values can hold one another in so
/// many places that no memory holds what they print.
type Pay<'a> = &'a dyn Fn(u64) -> Result<(), Error>;

/// Bytes that are printed for one unit of fuel, and units for each value: a
/// little more than the engine charges for its own serialisation.
const BYTES_PER_FUEL: usize = 16;
const FUEL_PER_VALUE: u64 = 4;

/// What `str(value)` is: a string as it is, anything else as `repr` has it.
pub(super) fn str(value: &Value, state: &State<'_, '_>) -> Result<String, Error> {
    match value.as_str() {
        Some(text) => Ok(text.to_owned()),
        None if value.is_undefined() => Ok(String::new()),
        None => write(value, &Style::Repr, &|fuel| state.consume_fuel(fuel)),
    }
}

/// What `repr(value)` is, of a value that came with the conversation.
pub(super) fn repr(value: &Value) -> Result<String, Error> {
    write(value, &Style::Repr, &|_| Ok(()))
}

/// What `json.dumps(value)` is.
pub(super) fn dumps(value: &Value, how: &Dumps, state: &State<'_, '_>) -> Result<String, Error> {
    write(value, &Style::Json(how), &|fuel| state.consume_fuel(fuel))
}

/// A container that is being written.
struct Open {
    items: Items,
    first: bool,
    close: &'static str,
}

enum Items {
    Values(ValueIter),
    Pairs(std::vec::IntoIter<(Value, Value)>),
}

fn write(value: &Value, style: &Style<'_>, pay: Pay<'_>) -> Result<String, Error> {
    let mut out = String::new();
    let mut stack: Vec<Open> = Vec::new();
    let mut paid = 0;
    begin(value, style, &mut stack, &mut out)?;
    while let Some(open) = stack.last_mut() {
        pay(FUEL_PER_VALUE + ((out.len() - paid) / BYTES_PER_FUEL) as u64)?;
        paid = out.len();
        let next = match &mut open.items {
            Items::Values(values) => values.next().map(|value| (None, value)),
            Items::Pairs(pairs) => pairs.next().map(|(key, value)| (Some(key), value)),
        };
        let first = std::mem::replace(&mut open.first, false);
        let Some((key, value)) = next else {
            let close = open.close;
            stack.pop();
            if !first {
                new_line(style, stack.len(), &mut out);
            }
            out.push_str(close);
            continue;
        };
        if !first {
            out.push_str(match style {
                Style::Repr => ", ",
                Style::Json(how) => &how.between_items,
            });
        }
        new_line(style, stack.len(), &mut out);
        if let Some(key) = key {
            match style {
                Style::Repr => scalar(&key, style, &mut out)?,
                Style::Json(how) => json_key(&key, how, &mut out)?,
            }
            out.push_str(match style {
                Style::Repr => ": ",
                Style::Json(how) => &how.after_key,
            });
        }
        begin(&value, style, &mut stack, &mut out)?;
    }
    Ok(out)
}

fn new_line(style: &Style<'_>, depth: usize, out: &mut String) {
    if let Style::Json(Dumps { indent: Some(indent), .. }) = style {
        out.push('\n');
        for _ in 0..depth {
            out.push_str(indent);
        }
    }
}

/// Writes a scalar, or opens a container.
fn begin(
    value: &Value,
    style: &Style<'_>,
    stack: &mut Vec<Open>,
    out: &mut String,
) -> Result<(), Error> {
    let (open, items, close) = match value.kind() {
        ValueKind::Map => {
            let mut pairs = Vec::new();
            for key in value.try_iter()?.checked() {
                let key = key?;
                let value = value.get_item(&key)?;
                pairs.push((key, value));
            }
            if matches!(style, Style::Json(Dumps { sort_keys: true, .. })) {
                pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
            ("{", Items::Pairs(pairs.into_iter()), "}")
        }
        ValueKind::Seq | ValueKind::Iterable => {
            let items = Items::Values(value.try_iter()?);
            match (style, value.downcast_object_ref::<Tuple>()) {
                (Style::Repr, Some(tuple)) if tuple.len() == 1 => ("(", items, ",)"),
                (Style::Repr, Some(_)) => ("(", items, ")"),
                _ => ("[", items, "]"),
            }
        }
        _ => return scalar(value, style, out),
    };
    out.push_str(open);
    stack.push(Open { items, first: true, close });
    Ok(())
}

fn scalar(value: &Value, style: &Style<'_>, out: &mut String) -> Result<(), Error> {
    let json = match style {
        Style::Repr => None,
        Style::Json(how) => Some(how),
    };
    match value.kind() {
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            match json {
                None => quote(text, out),
                Some(how) if how.ascii => quote_ascii(text, out),
                Some(_) => json::quote_into(text, out),
            }
        }
        ValueKind::None => out.push_str(if json.is_some() { "null" } else { "None" }),
        ValueKind::Bool => out.push_str(match (value.is_true(), json.is_some()) {
            (true, true) => "true",
            (false, true) => "false",
            (true, false) => "True",
            (false, false) => "False",
        }),
        ValueKind::Number if value.is_integer() => {
            let _ = write!(out, "{value}");
        }
        ValueKind::Number => float(f64::try_from(value.clone())?, json.is_some(), out),
        ValueKind::Undefined if json.is_none() => out.push_str("Undefined"),
        ValueKind::Plain if json.is_none() || value.downcast_object_ref::<Written>().is_some() => {
            let _ = write!(out, "{value}");
        }
        // What an iterator could not give; asking for its items says why.
        ValueKind::Invalid => {
            value.try_iter()?;
        }
        kind => {
            let what = format!("a value of type {kind} is not JSON serializable");
            return Err(Error::new(ErrorKind::BadSerialization, what));
        }
    }
    Ok(())
}

/// A key as `json.dumps` writes it: always a string.
fn json_key(key: &Value, how: &Dumps, out: &mut String) -> Result<(), Error> {
    if key.kind() == ValueKind::String {
        return scalar(key, &Style::Json(how), out);
    }
    out.push('"');
    scalar(key, &Style::Json(how), out)?;
    out.push('"');
    Ok(())
}

/// A string as `repr` quotes it.
fn quote(text: &str, out: &mut String) {
    let mark = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    out.push(mark);
    for char in text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            _ if char == mark => out.extend(['\\', char]),
            _ if is_printable(char) => out.push(char),
            _ => {
                let _ = match u32::from(char) {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
        }
    }
    out.push(mark);
}

/// What `str.isprintable` says of a character.
///
/// The standard library asks the same of characters that `Debug` shows, except
/// that it escapes a combining mark at the start of a text.
fn is_printable(char: char) -> bool {
    match char {
        ' '..='~' => true,
        '\0'..='\u{a0}' => false,
        _ => {
            let mut after = [b'a', 0, 0, 0, 0];
            let length = char.encode_utf8(&mut after[1..]).len();
            let text = std::str::from_utf8(&after[..=length]).unwrap_or_default();
            text.escape_debug().nth(1) != Some('\\')
        }
    }
}

/// A string as `json.dumps` writes it with `ensure_ascii`.
fn quote_ascii(text: &str, out: &mut String) {
    let mut quoted = String::with_capacity(text.len() + 2);
    json::quote_into(text, &mut quoted);
    for char in quoted.chars() {
        match char {
            ..='\u{7f}' => out.push(char),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
}

/// A float as `repr` has it, and `json.dumps` but for what is no number.
fn float(value: f64, json: bool, out: &mut String) {
    if value.is_nan() {
        out.push_str(if json { "NaN" } else { "nan" });
        return;
    }
    if value.is_infinite() {
        out.push_str(if value < 0.0 { "-" } else { "" });
        out.push_str(if json { "Infinity" } else { "inf" });
        return;
    }
    match exponential(value) {
        Some(text) => out.push_str(&text),
        None => {
            let _ = write!(out, "{value:?}");
        }
    }
}

/// A finite float as `repr` has it, if that has an exponent.
pub(super) fn exponential(value: f64) -> Option<String> {
    // The shortest digits that read back as the same number, as Python's.
    let shortest = format!("{value:e}");
    let (digits, exponent) = shortest.split_once('e')?;
    match exponent.parse::<i32>() {
        Ok(exponent @ (..-4 | 16..)) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            Some(format!("{digits}e{sign}{:02}", exponent.unsigned_abs()))
        }
        _ => None,
    }
}
