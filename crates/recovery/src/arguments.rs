//! The arguments of a call, mended by the schema of its tool: what has another
//! type than the schema's, stands in markup, or lies one level too deep. What
//! the schema admits stays, to the byte; so does what fits nothing, for
//! validation to refuse.

mod retype;

use std::borrow::Cow;
use std::ops::Range;

use callsign_core::json::{entries, is_object, quote_into, unescape};
use callsign_core::{Kinds, Nulls, Repair, Tool, Type, type_text};

use crate::relaxed;
use crate::repairs::Repairs;

/// Knows the tags that dialects put around one argument.
pub(crate) trait Unwrap {
    /// The inside of `text` if it is one argument in markup: that of `key`, or
    /// of one that the markup does not name.
    fn unwrap<'t>(&self, text: &'t str, key: &str) -> Option<&'t str>;
}

/// What models put the arguments under, a level too deep.
const ALIASES: [&str; 6] = ["arguments", "parameters", "args", "input", "params", "kwargs"];

/// Mends the arguments of a call of `tool`, a JSON object as text, and says how.
/// `None` if there is nothing to mend.
pub(crate) fn mend(
    arguments: &str,
    tool: &Tool,
    wraps: &dyn Unwrap,
) -> Option<(String, Vec<Repair>)> {
    if is_settled(arguments, tool) || !is_object(arguments) {
        return None;
    }
    let mut repairs = Repairs::default();
    let mut now = Cow::Borrowed(arguments);
    if let Some(inside) = taken_out(&now, tool, &mut repairs) {
        now = inside.into();
    }
    if let Some(bare) = without_markup(&now, tool, wraps, &mut repairs) {
        now = bare.into();
    }
    // What stood in a string may hold strings in turn. Each round takes the
    // quotes off that are outermost, so there are as many as quotes are nested,
    // and quotes in quotes double in length.
    while let Some(retyped) = retype::retype(&now, tool.parameters.root(), &mut repairs) {
        now = retyped.into();
    }
    // What stood in strings may nest deeper than is allowed.
    (!repairs.is_empty() && is_object(&now)).then(|| (now.into_owned(), repairs.into_vec()))
}

/// Whether one look tells that nothing is to mend, as of most arguments: flat
/// values of declared kinds, no string among them that begins as markup does.
fn is_settled(arguments: &str, tool: &Tool) -> bool {
    let root = tool.parameters.root();
    entries(arguments).all(|(key, value)| {
        let ty = root.sure_property(&key);
        let kind = Kinds::of(value);
        let begins = value.trim_start_matches(['"', ' ']);
        let flat = kind != Kinds::OBJECT && kind != Kinds::ARRAY;
        let escaped = begins.starts_with('\\');
        flat && !escaped
            && !begins.starts_with('<')
            && !ty.is_unspecified()
            && ty.kinds().contains(kind)
            && (kind != Kinds::STRING || ty.kinds() == Kinds::STRING)
    })
}

/// The arguments that lie under one key which the tool does not declare.
fn taken_out(arguments: &str, tool: &Tool, repairs: &mut Repairs) -> Option<String> {
    let mut members = entries(arguments);
    let (key, value) = members.next().filter(|(key, _)| ALIASES.contains(&key.as_str()))?;
    if members.next().is_some() {
        return None;
    }
    let declared: Vec<&str> = tool.parameters.root().properties().map(|(key, _)| key).collect();
    let are_declared = |arguments: &str| {
        is_object(arguments) && entries(arguments).all(|(key, _)| declared.contains(&key.as_str()))
    };
    if declared.contains(&key.as_str()) {
        return None;
    }
    if are_declared(value) {
        repairs.extend([Repair::Aliases]);
        return Some(value.to_owned());
    }
    let inside = relaxed::whole(&string(value)?).filter(|inside| are_declared(&inside.json))?;
    repairs.extend([Repair::Aliases, Repair::DoubleEncoding]);
    repairs.extend(inside.repairs);
    Some(inside.json)
}

/// The arguments with the markup taken off that stands around a whole string.
fn without_markup(
    arguments: &str,
    tool: &Tool,
    wraps: &dyn Unwrap,
    repairs: &mut Repairs,
) -> Option<String> {
    let mut edits = Vec::new();
    for (key, value) in entries(arguments) {
        let Some(text) = string(value) else { continue };
        let mut inside = &*text;
        while let Some(bare) = wraps.unwrap(inside, &key)
            && bare.len() < inside.len()
        {
            inside = bare;
        }
        if inside.len() < text.len() {
            let ty = tool.parameters.root().sure_property(&key);
            let typed = typed(inside, ty).map_or_else(
                || {
                    let mut string = String::new();
                    quote_into(inside, &mut string);
                    string
                },
                |(typed, mended)| {
                    repairs.extend(mended);
                    typed
                },
            );
            edits.push((place(arguments, value), typed));
            repairs.extend([Repair::Unwrapped(key)]);
        }
    }
    (!edits.is_empty()).then(|| edited(arguments, &edits))
}

/// The value that `text` spells where the schema is `ty`, if it is no string,
/// and what was mended to read it.
fn typed(text: &str, ty: Type<'_>) -> Option<(String, Vec<Repair>)> {
    let read = |text: &str| {
        let mut out = String::new();
        type_text(text, ty, Nulls::Python, &mut out);
        (!out.starts_with('"')).then_some(out)
    };
    if let Some(value) = read(text) {
        return Some((value, Vec::new()));
    }
    if ty.is_unspecified() || ty.kinds().contains(Kinds::STRING) {
        return None;
    }
    let relaxed = relaxed::whole(text)?;
    read(&relaxed.json).map(|value| (value, relaxed.repairs))
}

/// What the JSON string `value` says; `None` if it is something else.
fn string(value: &str) -> Option<Cow<'_, str>> {
    unescape(value.strip_prefix('"')?.strip_suffix('"')?)
}

/// Where `part`, a slice of `whole`, stands in it.
fn place(whole: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - whole.as_ptr().addr();
    start..start + part.len()
}

/// `text` with other text in some places, which are given in order.
fn edited(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (place, other) in edits {
        out.push_str(&text[at..place.start]);
        out.push_str(other);
        at = place.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests;
