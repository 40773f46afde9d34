//! JSON objects and arrays as lists of the texts in them, so that a schema is
//! rewritten without a change of order or spelling.

use crate::json::{self, Kind, entries, quote_into};

/// The members of an object, in order.
pub(super) struct Object<'s>(pub(super) Vec<(String, &'s str)>);

impl<'s> Object<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        Object(entries(text).collect())
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'s str> {
        self.0.iter().rev().find(|(key, _)| key == keyword).map(|(_, value)| *value)
    }
}

/// An object that is being written.
#[derive(Default)]
pub(super) struct Members(String);

impl Members {
    pub(super) fn push(&mut self, key: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        quote_into(key, &mut self.0);
        self.0.push(':');
        self.0.push_str(value);
    }

    pub(super) fn close(mut self) -> String {
        if self.0.is_empty() {
            self.0.push('{');
        }
        self.0.push('}');
        self.0
    }
}

/// The elements of an array.
pub(super) fn items(array: &str) -> Vec<&str> {
    serde_json::from_str::<Vec<&serde_json::value::RawValue>>(array)
        .map(|items| items.into_iter().map(serde_json::value::RawValue::get).collect())
        .unwrap_or_default()
}

/// The string that a JSON value is.
pub(super) fn text(value: &str) -> Option<String> {
    serde_json::from_str(value).ok()
}

/// Whether a JSON value is of this kind.
pub(super) fn is(value: &str, kind: Kind) -> bool {
    json::kind(value) == Some(kind)
}
