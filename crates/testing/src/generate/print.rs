//! Calls as a description writes them, unchecked: also those that are read
//! back as something else. What is nested in the value of an argument stays
//! JSON.

use std::borrow::Cow;

use callsign_core::{ToolCall, json};
use callsign_syntax::description::{
    Body, Calls, Container, Description, Elements, Frame, Object, Part, Region, TypeWords, Wrap,
};

/// `calls` as text, without what separates them from text before; `None` if
/// the description has a part that this printer does not know.
pub fn print(description: &Description, calls: &[ToolCall]) -> Option<String> {
    let (region, body) = description.regions.iter().find_map(|region| match &region.body {
        Body::Calls(calls) => Some((region, calls)),
        _ => None,
    })?;
    let mut out = String::new();
    for (index, call) in calls.iter().enumerate() {
        print_separator(region, body, index, &mut out)?;
        print_parts(body.forms.first()?, index, call, &mut out)?;
    }
    if !calls.is_empty() {
        print_fixed(&region.close, &mut out)?;
    }
    Some(out)
}

/// What separates the calls of a description from text before them.
pub fn separator(description: &Description) -> &str {
    let calls = description.regions.iter().find(|region| matches!(region.body, Body::Calls(_)));
    match calls.and_then(|region| region.open.first()) {
        Some(Part::Space(space)) => space,
        _ => "",
    }
}

/// Parts without slots.
pub(crate) fn print_fixed(parts: &[Part], out: &mut String) -> Option<()> {
    for part in parts {
        match part {
            Part::Literal(text) | Part::Marker(text) | Part::Space(text) => out.push_str(text),
            Part::Maybe { written: false, .. } => {}
            Part::Maybe { parts, written: true } => print_fixed(parts, out)?,
            Part::OneOf(all) => print_fixed(all.first()?, out)?,
            _ => return None,
        }
    }
    Some(())
}

fn print_separator(region: &Region, calls: &Calls, index: usize, out: &mut String) -> Option<()> {
    let opened = match region.open.as_slice() {
        [Part::Space(_), rest @ ..] => rest,
        all => all,
    };
    match &calls.wrap {
        _ if index == 0 => print_fixed(opened, out),
        Wrap::Together => print_fixed(&calls.between, out),
        Wrap::Apart(between) => {
            print_fixed(&region.close, out)?;
            out.push_str(between);
            print_fixed(opened, out)
        }
    }
}

fn print_parts(parts: &[Part], index: usize, call: &ToolCall, out: &mut String) -> Option<()> {
    for part in parts {
        match part {
            Part::Name => out.push_str(&call.name),
            Part::Id(parts) => match &call.id {
                Some(id) => out.push_str(id),
                None => print_parts(parts, index, call, out)?,
            },
            Part::Index(first) => out.push_str(&(*first as usize + index).to_string()),
            Part::Arguments(Container::Json) => out.push_str(call.arguments.as_str()),
            Part::Arguments(Container::Each(each)) => {
                for (at, (key, value)) in call.arguments.entries().enumerate() {
                    if at > 0 {
                        out.push_str(&each.between);
                    }
                    print_item(&each.item, &key, value, out)?;
                }
            }
            Part::Arguments(Container::Python) => {
                let arguments = call.arguments.entries();
                let arguments = arguments.map(|(key, value)| format!("{key}={value}"));
                out.push_str(&arguments.collect::<Vec<_>>().join(", "));
            }
            Part::Arguments(Container::Braces(braces)) => {
                let arguments = call.arguments.entries();
                let arguments = arguments.map(|(key, value)| match string(value) {
                    Some(text) => format!("{key}:{}{text}{}", braces.quote, braces.quote),
                    None => format!("{key}:{value}"),
                });
                out.push_str(&format!("{{{}}}", arguments.collect::<Vec<_>>().join(",")));
            }
            Part::Arguments(Container::Elements(Elements { prefix, .. })) => {
                for (key, value) in call.arguments.entries() {
                    let text = string(value).unwrap_or(value.into());
                    out.push_str(&format!("{prefix}<{key}>{text}{prefix}</{key}>"));
                }
            }
            Part::Object(object) => print_object(object, call, out),
            Part::Maybe { written: false, .. } => {}
            Part::Maybe { parts, written: true } => print_parts(parts, index, call, out)?,
            Part::OneOf(all) => print_parts(all.first()?, index, call, out)?,
            fixed => print_fixed(std::slice::from_ref(fixed), out)?,
        }
    }
    Some(())
}

fn print_object(object: &Object, call: &ToolCall, out: &mut String) {
    let mut members = Vec::new();
    let mut member = |key: Option<&String>, value: String| {
        if let Some(key) = key {
            members.push(format!("\"{key}\": {value}"));
        }
    };
    let quoted = |text: &str| {
        let mut quoted = String::new();
        json::quote_into(text, &mut quoted);
        quoted
    };
    member(object.name.first(), quoted(&call.name));
    member(object.arguments.first(), call.arguments.as_str().to_owned());
    if let Some(id) = &call.id {
        member(object.id.as_ref(), quoted(id));
    }
    out.push_str(&format!("{{{}}}", members.join(", ")));
}

fn print_item(parts: &[Part], key: &str, value: &str, out: &mut String) -> Option<()> {
    for part in parts {
        match part {
            Part::Key => out.push_str(key),
            Part::Type(words) => out.push_str(type_word(words, value)),
            Part::Value(spec) => {
                let frame = if spec.frame == Frame::Newline { "\n" } else { "" };
                out.push_str(frame);
                out.push_str(&string(value).unwrap_or(value.into()));
                out.push_str(frame);
            }
            fixed => print_fixed(std::slice::from_ref(fixed), out)?,
        }
    }
    Some(())
}

/// The text of a value that is a JSON string.
fn string(value: &str) -> Option<Cow<'_, str>> {
    let inside = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(json::unescape(inside).unwrap_or(inside.into()))
}

fn type_word<'w>(words: &'w TypeWords, value: &str) -> &'w str {
    match words {
        TypeWords::Flag { text, .. } if value.starts_with('"') => text,
        TypeWords::Flag { json, .. } => json,
        TypeWords::Names => match value.bytes().next() {
            Some(b'"') => "string",
            Some(b'{') => "object",
            Some(b'[') => "array",
            Some(b't' | b'f') => "boolean",
            Some(b'n') => "null",
            _ => "number",
        },
    }
}
