//! Values as a template sees them in Python: dictionaries that keep their order
//! and whose methods hide keys of the same name, and integers of any size.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use callsign_core::json;
use minijinja::value::{Enumerator, Object, ObjectRepr, Value};
use minijinja::{Error, State};

use super::print;

/// A dictionary with string keys.
#[derive(Debug, Default)]
pub(crate) struct Dict {
    entries: Vec<(String, Value)>,
    /// Where the keys are, once there are too many to look through.
    index: HashMap<String, usize>,
    /// Which message of the conversation it is, for errors to say.
    pub(super) message: Option<usize>,
}

/// With more keys than this a dictionary keeps an index.
const FEW: usize = 8;

impl Dict {
    /// What a message of the conversation is made of.
    pub(crate) fn of_message(at: usize) -> Self {
        Dict { message: Some(at), ..Dict::default() }
    }

    /// Sets a key: a new one at the end, a known one in its place.
    pub(crate) fn set(&mut self, key: impl Into<String>, value: impl Into<Value>) {
        let key = key.into();
        match self.position(&key) {
            Some(at) => self.entries[at].1 = value.into(),
            None => {
                self.entries.push((key, value.into()));
                let from = if self.index.is_empty() { 0 } else { self.entries.len() - 1 };
                if self.entries.len() > FEW {
                    for (at, (key, _)) in self.entries.iter().enumerate().skip(from) {
                        self.index.insert(key.clone(), at);
                    }
                }
            }
        }
    }

    fn position(&self, key: &str) -> Option<usize> {
        match self.index.is_empty() {
            true => self.entries.iter().position(|(known, _)| known == key),
            false => self.index.get(key).copied(),
        }
    }
}

impl From<Dict> for Value {
    fn from(dict: Dict) -> Self {
        Value::from_object(dict)
    }
}

/// The methods of Python's `dict`, which an attribute names before any key.
const METHODS: [&str; 11] = [
    "clear",
    "copy",
    "fromkeys",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
];

impl Object for Dict {
    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.position(key.as_str()?).map(|at| self.entries[at].1.clone())
    }

    /// What `dict.key` is, other than `dict["key"]`.
    fn get_value_by_str(self: &Arc<Self>, key: &str) -> Option<Value> {
        if METHODS.contains(&key) {
            return Some(Value::from_object(Method { dict: Arc::clone(self), name: key.into() }));
        }
        self.position(key).map(|at| self.entries[at].1.clone())
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Values(self.entries.iter().map(|(key, _)| Value::from(&**key)).collect())
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        Some(self.entries.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &print::repr(&Value::from_dyn_object(Arc::clone(self))).map_err(|_| fmt::Error)?,
        )
    }
}

/// A method of a dictionary that is named and not called.
#[derive(Debug)]
struct Method {
    dict: Arc<Dict>,
    name: String,
}

impl Object for Method {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn call(self: &Arc<Self>, state: &mut State<'_, '_>, args: &[Value]) -> Result<Value, Error> {
        Value::from_dyn_object(Arc::clone(&self.dict)).call_method(state, &self.name, args)
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<built-in method {} of dict object>", self.name)
    }
}

/// A list.
#[derive(Debug)]
struct List(Vec<Value>);

impl Object for List {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Seq
    }

    fn get_value(self: &Arc<Self>, key: &Value) -> Option<Value> {
        self.0.get(key.as_usize()?).cloned()
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        Enumerator::Seq(self.0.len())
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &print::repr(&Value::from_dyn_object(Arc::clone(self))).map_err(|_| fmt::Error)?,
        )
    }
}

/// A list of `items`.
pub(crate) fn list(items: Vec<Value>) -> Value {
    Value::from_object(List(items))
}

/// A number that the engine cannot hold, or would print in another way than
/// Python: an integer of more than 128 bits, a float with an exponent. It can
/// only be printed.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) float: bool,
}

impl Object for Written {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The value of valid JSON text, as Python's `json.loads` makes it: keys in
/// their order, the last of duplicates, integers exact.
pub(crate) fn from_json(text: &str) -> Value {
    enum Open {
        Array(Vec<Value>),
        Object { key: Option<String>, dict: Dict },
    }
    let mut open: Vec<Open> = Vec::new();
    for token in json::tokens(text) {
        let done = match token.as_bytes()[0] {
            b'{' => {
                open.push(Open::Object { key: None, dict: Dict::default() });
                continue;
            }
            b'[' => {
                open.push(Open::Array(Vec::new()));
                continue;
            }
            b',' | b':' => continue,
            b'}' | b']' => match open.pop() {
                Some(Open::Array(items)) => list(items),
                Some(Open::Object { dict, .. }) => dict.into(),
                None => continue,
            },
            b'"' => {
                let string = string(token);
                if let Some(Open::Object { key: key @ None, .. }) = open.last_mut() {
                    *key = Some(string);
                    continue;
                }
                Value::from(string)
            }
            b't' => Value::from(true),
            b'f' => Value::from(false),
            b'n' => Value::from(()),
            _ => number(token),
        };
        match open.last_mut() {
            None => return done,
            Some(Open::Array(items)) => items.push(done),
            Some(Open::Object { key, dict }) => dict.set(key.take().unwrap_or_default(), done),
        }
    }
    Value::from(())
}

/// What a JSON string says; half a surrogate pair stays as it is written.
fn string(token: &str) -> String {
    let inside = token.get(1..token.len() - 1).unwrap_or_default();
    json::unescape(inside).map_or_else(|| inside.to_owned(), Into::into)
}

fn number(token: &str) -> Value {
    if let Ok(small) = token.parse::<i64>() {
        return Value::from(small);
    }
    if let Ok(large) = token.parse::<i128>() {
        return Value::from(large);
    }
    if !token.contains(['.', 'e', 'E']) {
        return Value::from_object(Written { text: token.to_owned(), float: false });
    }
    // JSON text that has been checked holds no other number.
    let number = token.parse::<f64>().unwrap_or_default();
    match print::exponential(number) {
        None => Value::from(number),
        Some(text) => Value::from_object(Written { text, float: true }),
    }
}
