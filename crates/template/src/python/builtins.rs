//! Filters, tests and functions as Jinja2 and transformers define them.

use std::fmt;

use minijinja::value::{Kwargs, Rest, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, Output, State};

use super::methods;
use super::print::{self, Dumps};
use super::value::Dict;

/// Bytes that a printed value may have for one unit of fuel: what the engine
/// itself charges for its own serialisation.
const BYTES_PER_FUEL: usize = 4;

/// Puts all of them into an environment.
pub(crate) fn install(env: &mut Environment<'static>) {
    env.set_formatter(format);
    env.set_unknown_method_callback(methods::call);
    env.add_filter("tojson", tojson);
    env.add_filter("string", string);
    env.add_filter("trim", trim);
    env.add_test("iterable", is_iterable);
    env.add_test("sequence", is_sequence);
    env.add_test("number", is_number);
    env.add_test("callable", is_callable);
    env.add_function("raise_exception", raise_exception);
}

/// What `{{ value }}` prints.
fn format(out: &mut Output<'_>, state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let written = match value.as_str() {
        Some(text) => out.write_str(text),
        None => out.write_str(&charged(state, print::str(value)?)?),
    };
    written.map_err(Error::from)
}

/// A text that was made from a value, once it is paid for.
fn charged(state: &State<'_, '_>, text: String) -> Result<String, Error> {
    state.consume_fuel((text.len() / BYTES_PER_FUEL) as u64)?;
    Ok(text)
}

/// `json.dumps`, with the defaults of transformers.
fn tojson(
    state: &State<'_, '_>,
    value: &Value,
    arguments: Rest<Value>,
    named: Kwargs,
) -> Result<String, Error> {
    let names = ["ensure_ascii", "indent", "separators", "sort_keys"];
    if arguments.len() > names.len() {
        return Err(ErrorKind::TooManyArguments.into());
    }
    let argument = |at: usize| -> Result<Option<Value>, Error> {
        let value = match arguments.get(at) {
            Some(value) => Some(value.clone()),
            None => named.get(names[at])?,
        };
        Ok(value.filter(|value| !value.is_none()))
    };
    let ascii = argument(0)?.is_some_and(|value| value.is_true());
    let indent = match argument(1)? {
        None => None,
        Some(indent) => Some(match indent.as_str() {
            Some(text) => text.to_owned(),
            None => " ".repeat(usize::try_from(i64::try_from(indent)?.clamp(0, 256)).unwrap_or(0)),
        }),
    };
    let (between_items, after_key) = match argument(2)? {
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
        Some(pair) => {
            let pair: Vec<Value> = pair.try_iter()?.checked().collect::<Result<_, _>>()?;
            match &*pair {
                [items, key] => (print::str(items)?, print::str(key)?),
                _ => return Err(Error::new(ErrorKind::CannotUnpack, "separators are two texts")),
            }
        }
    };
    let sort_keys = argument(3)?.is_some_and(|value| value.is_true());
    named.assert_all_used()?;
    let how = Dumps { ascii, indent, between_items, after_key, sort_keys };
    charged(state, print::dumps(value, &how)?)
}

fn string(state: &State<'_, '_>, value: &Value) -> Result<String, Error> {
    charged(state, print::str(value)?)
}

fn trim(value: &Value, chars: Option<&str>) -> Result<String, Error> {
    let text = print::str(value)?;
    let trims = |char: char| match chars {
        Some(chars) => chars.contains(char),
        None => methods::is_space(char),
    };
    Ok(text.trim_matches(trims).to_owned())
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
    matches!(value.kind(), ValueKind::Number | ValueKind::Bool)
}

fn is_callable(value: &Value) -> bool {
    value.kind() == ValueKind::Plain
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
    let message = print::str(message)?;
    // A template goes through the messages one by one; where it names several,
    // it is at the last of them.
    let names = state.known_variables();
    let at_hand = names.iter().filter_map(|name| {
        state.lookup(name).and_then(|value| value.downcast_object_ref::<Dict>()?.message)
    });
    let raised = Raised { at: at_hand.max(), message: message.clone() };
    Err(Error::new(ErrorKind::InvalidOperation, message).with_source(raised))
}
