//! Argument typing: which JSON value the text of an argument is, by the schema
//! of its parameter. For arguments that are written as text between markers;
//! arguments that are JSON already are never retyped here.

use crate::json::{self, Kind, quote_into};
use crate::literal::python_to_json;
use crate::{Kinds, Type};

/// The words that a dialect's template prints for null.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Nulls {
    /// `null` alone: `None` is text.
    #[default]
    Json,
    /// `null` or `None`.
    Python,
}

/// Appends `text`, an argument as it stands between its tags with all framing
/// removed, to `out` as JSON.
///
/// Text that no admitted kind can be read from becomes a string, for the tool
/// to refuse: nothing is dropped and nothing invented.
///
/// ```
/// use callsign_core::{Nulls, Schema, type_text};
///
/// let schema = Schema::parse(r#"{"type":["integer","null"]}"#)?;
/// let typed = |text| {
///     let mut out = String::new();
///     type_text(text, schema.root(), Nulls::Json, &mut out);
///     out
/// };
/// assert_eq!(typed("\n5.0\n"), "5.0");
/// assert_eq!(typed("null"), "null");
/// assert_eq!(typed("None"), r#""None""#);
/// # Ok::<(), callsign_core::SchemaError>(())
/// ```
pub fn type_text(text: &str, ty: Type<'_>, nulls: Nulls, out: &mut String) {
    let typed = if ty.is_unspecified() {
        untyped(text, out)
    } else if !ty.kinds().contains(Kinds::STRING) {
        value(text.trim(), ty.kinds(), nulls, out)
    } else if ty.only_string() || ty.lists_string(text) {
        None
    } else {
        branch(text, ty.kinds(), nulls, out)
    };
    if typed.is_none() {
        quote_into(text, out);
    }
}

/// Without a schema only what is unmistakable is read.
fn untyped(text: &str, out: &mut String) -> Option<()> {
    let text = text.trim();
    matches!(json::kind(text), Some(Kind::Array | Kind::Object)).then(|| out.push_str(text))
}

/// Where no string is admitted, whatever can be read as an admitted kind is.
fn value(text: &str, kinds: Kinds, nulls: Nulls, out: &mut String) -> Option<()> {
    if let Some(kind) = json::kind(text) {
        return admits(kinds, kind).then(|| out.push_str(text));
    }
    for word in ["true", "false"] {
        if text.eq_ignore_ascii_case(word) {
            return admits(kinds, Kind::Boolean).then(|| out.push_str(word));
        }
    }
    literal(text, out, |kind| admits(kinds, kind) && (kind != Kind::Null || nulls == Nulls::Python))
}

/// Where strings are admitted too, only what is exactly a value of another
/// branch is one.
fn branch(text: &str, kinds: Kinds, nulls: Nulls, out: &mut String) -> Option<()> {
    if text.trim().len() != text.len() {
        return None;
    }
    if let Some(kind) = json::kind(text) {
        // A fraction is text where the other branch wants an integer.
        let admitted = match kind {
            Kind::Number => kinds.contains(Kinds::of(text)),
            Kind::String => false,
            _ => admits(kinds, kind),
        };
        return admitted.then(|| out.push_str(text));
    }
    let word = match text {
        "True" if kinds.contains(Kinds::BOOLEAN) => "true",
        "False" if kinds.contains(Kinds::BOOLEAN) => "false",
        "None" if kinds.contains(Kinds::NULL) && nulls == Nulls::Python => "null",
        _ => {
            return literal(text, out, |kind| {
                matches!(kind, Kind::Array | Kind::Object) && admits(kinds, kind)
            });
        }
    };
    out.push_str(word);
    Some(())
}

/// Appends a Python literal of a kind that is `admitted`.
fn literal(text: &str, out: &mut String, admitted: impl Fn(Kind) -> bool) -> Option<()> {
    let start = out.len();
    let kind = python_to_json(text, out)?;
    if !admitted(kind) {
        out.truncate(start);
        return None;
    }
    Some(())
}

/// Whether a value of `kind` is read as such. Any number will do for an
/// integer: whether it has a fraction is for validation.
fn admits(kinds: Kinds, kind: Kind) -> bool {
    kinds.intersects(match kind {
        Kind::Null => Kinds::NULL,
        Kind::Boolean => Kinds::BOOLEAN,
        Kind::Number => Kinds::NUMBER,
        Kind::String => Kinds::STRING,
        Kind::Array => Kinds::ARRAY,
        Kind::Object => Kinds::OBJECT,
    })
}
