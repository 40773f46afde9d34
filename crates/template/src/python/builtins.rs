//! Filters, tests and functions as Jinja2 and transformers define them.

use std::fmt;

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State, filters};

use super::methods;
use super::print::{self, Dumps};
use super::value::{Dict, Written};

/// Puts all of them into an environment.
pub(crate) fn install(env: &mut Environment<'static>) {
    minijinja_contrib::add_to_environment(env);
    env.set_formatter(format);
    env.set_unknown_method_callback(methods::call);
    env.add_filter("tojson", tojson);
    env.add_filter("string", string);
    env.add_filter("escape", escape);
    env.add_filter("e", escape);
    env.add_filter("trim", trim);
    env.add_filter("join", join);
    env.add_filter("indent", indent);
    env.add_filter("int", int);
    env.add_filter("float", float);
    env.add_filter("wordcount", wordcount);
    env.add_filter("center", center);
    env.add_test("iterable", is_iterable);
    env.add_test("sequence", is_sequence);
    env.add_test("number", is_number);
    env.add_test("integer", is_integer);
    env.add_test("float", is_float);
    env.add_test("callable", is_callable);
    env.add_function("raise_exception", raise_exception);
}

/// A function from text to text.
pub(crate) fn function(of: impl Fn(&str) -> String + Send + Sync + 'static) -> Value {
    Value::from_function(move |state: &State<'_, '_>, text: &Value| {
        print::str(text, state).map(|text| of(&text))
    })
}

/// What `{{ value }}` prints.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let written = match value.as_str() {
        Some(text) => out.write_str(text),
        None => out.write_str(&print::str(value, state)?),
    };
    written.map_err(Error::from)
}

/// An argument, by its place or its name; `None` for Python's.
fn argument(
    arguments: &[Value],
    named: &Kwargs,
    at: usize,
    name: &str,
) -> Result<Option<Value>, Error> {
    let value = match arguments.get(at) {
        Some(value) => Some(value.clone()),
        None => named.get(name)?,
    };
    Ok(value.filter(|value| !value.is_none()))
}

/// `json.dumps`, with the defaults of transformers.
fn tojson(
    state: &State<'_, '_>,
    value: &Value,
    arguments: Rest<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let argument = |at, name| argument(&arguments, &named, at, name);
    let ascii = argument(0, "ensure_ascii")?.is_some_and(|value| value.is_true());
    let indent = match argument(1, "indent")? {
        None => None,
        Some(indent) => Some(spaces(&indent)?),
    };
    let (between_items, after_key) = match argument(2, "separators")? {
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
        Some(pair) => {
            let pair: Vec<Value> = pair.try_iter()?.checked().collect::<Result<_, _>>()?;
            match &*pair {
                [items, key] => (print::str(items, state)?, print::str(key, state)?),
                _ => return Err(Error::new(ErrorKind::CannotUnpack, "separators are two texts")),
            }
        }
    };
    let sort_keys = argument(3, "sort_keys")?.is_some_and(|value| value.is_true());
    named.assert_all_used()?;
    let how = Dumps { ascii, indent, between_items, after_key, sort_keys };
    print::dumps(value, &how, state)
}

/// Bytes that are copied for one unit of fuel, as the engine has it.
const BYTES_PER_FUEL: u64 = 64;

fn string(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    print::str(value, state)
}

/// Text for HTML, as `markupsafe` has it: what is `safe` stays.
fn escape(state: &State<'_, '_>, value: &Value) -> Result<Value, Error> {
    if value.is_safe() {
        return Ok(value.clone());
    }
    let mut out = String::new();
    for char in print::str(value, state)?.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            _ => out.push(char),
        }
    }
    Ok(Value::from_safe_string(out))
}

fn trim(state: &State<'_, '_>, value: &Value, chars: Option<&str>) -> Result<String, Error> {
    let text = print::str(value, state)?;
    let trims = |char: char| match chars {
        Some(chars) => chars.contains(char),
        None => methods::is_space(char),
    };
    Ok(text.trim_matches(trims).to_owned())
}

fn join(
    state: &State<'_, '_>,
    value: &Value,
    separator: Option<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let separator = match separator {
        Some(separator) => print::str(&separator, state)?,
        None => named.get::<Option<String>>("d")?.unwrap_or_default(),
    };
    let attribute: Option<Value> = named.get("attribute")?;
    named.assert_all_used()?;
    let mut out = String::new();
    for (at, item) in value.try_iter()?.checked().enumerate() {
        let item = item?;
        if at > 0 {
            out.push_str(&separator);
        }
        let part = match &attribute {
            Some(attribute) => print::str(&item.get_item(attribute)?, state)?,
            None => print::str(&item, state)?,
        };
        // What grows is paid for as it grows.
        state.consume_fuel((separator.len() + part.len()) as u64 / BYTES_PER_FUEL)?;
        out.push_str(&part);
    }
    Ok(out)
}

/// Puts `width` blanks, or the text that it is, before each line but the first.
fn indent(
    state: &State<'_, '_>,
    value: &Value,
    arguments: Rest<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let argument = |at, name| argument(&arguments, &named, at, name);
    let before = spaces(&argument(0, "width")?.unwrap_or_else(|| Value::from(4)))?;
    let first = argument(1, "first")?.is_some_and(|value| value.is_true());
    let blank = argument(2, "blank")?.is_some_and(|value| value.is_true());
    named.assert_all_used()?;
    let mut out = String::new();
    for (at, line) in methods::lines(&(print::str(value, state)? + "\n"), false).iter().enumerate()
    {
        if at > 0 {
            out.push('\n');
        }
        let indented = match at {
            0 => first,
            _ => !line.is_empty() || blank,
        };
        if indented {
            state.consume_fuel(before.len() as u64 / BYTES_PER_FUEL)?;
            out.push_str(&before);
        }
        out.push_str(line);
    }
    Ok(out)
}

/// An indentation: a text as it is, a number as so many blanks.
fn spaces(width: &Value) -> Result<String, Error> {
    const MOST: i64 = 256;
    Ok(match width.as_str() {
        Some(text) => text.to_owned(),
        None => " ".repeat(i64::try_from(width.clone())?.clamp(0, MOST).unsigned_abs() as usize),
    })
}

/// What the engine's filter gives, or zero for what is no number.
fn int(
    state: &State<'_, '_>,
    value: &Value,
    default: Option<Value>,
    base: Option<u32>,
    named: Kwargs,
) -> Value {
    let number = filters::int(state, value, default, base, named);
    number.unwrap_or_else(|_| Value::from(0))
}

fn float(state: &State<'_, '_>, value: &Value, default: Option<Value>, named: Kwargs) -> Value {
    let number = filters::float(state, value, default, named);
    number.unwrap_or_else(|_| Value::from(0.0))
}

fn wordcount(state: &State<'_, '_>, value: &Value) -> Result<usize, Error> {
    let apart = |char: char| !char.is_alphanumeric() && char != '_';
    Ok(print::str(value, state)?.split(apart).filter(|word| !word.is_empty()).count())
}

fn center(state: &State<'_, '_>, value: &Value, width: Option<usize>) -> Result<String, Error> {
    Ok(methods::padded(&print::str(value, state)?, "center", width.unwrap_or(80), ' '))
}

/// Whether `iter(value)` does not raise.
fn is_iterable(value: &Value) -> bool {
    !value.is_none() && value.try_iter().is_ok()
}

/// Whether the value has a length and items.
fn is_sequence(value: &Value) -> bool {
    matches!(
        value.kind(),
        ValueKind::Undefined | ValueKind::String | ValueKind::Seq | ValueKind::Map
    )
}

/// Whether the value is one of Python's numbers, which `True` is too.
fn is_number(value: &Value) -> bool {
    matches!(value.kind(), ValueKind::Number | ValueKind::Bool) || written(value).is_some()
}

fn is_integer(value: &Value) -> bool {
    value.is_integer() || written(value).is_some_and(|number| !number.float)
}

fn is_float(value: &Value) -> bool {
    value.is_number() && !value.is_integer() || written(value).is_some_and(|number| number.float)
}

fn written(value: &Value) -> Option<&Written> {
    value.downcast_object_ref()
}

fn is_callable(value: &Value) -> bool {
    value.kind() == ValueKind::Plain && written(value).is_none()
}

/// What a template refused the conversation with.
#[derive(Debug)]
pub(crate) struct Raised {
    /// The template's own words.
    pub(crate) message: String,
    /// Which message of the conversation it had at hand.
    pub(crate) at: Option<usize>,
}

impl fmt::Display for Raised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Raised {}

fn raise_exception(state: &State<'_, '_>, message: &Value) -> Result<Value, Error> {
    let message = print::str(message, state)?;
    // A template goes through the messages one by one; where it names several,
    // it is at the last of them.
    let names = state.known_variables();
    let at_hand = names.iter().filter_map(|name| {
        state.lookup(name).and_then(|value| value.downcast_object_ref::<Dict>()?.message)
    });
    let raised = Raised { at: at_hand.max(), message: message.clone() };
    Err(Error::new(ErrorKind::InvalidOperation, message).with_source(raised))
}
