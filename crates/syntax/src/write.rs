//! From calls to text, as the model itself writes them.

use std::fmt::Write as _;

use callsign_core::{
    Arguments, End, Event, Offer, Reader, ToolCall, Toolset, Turn, Unwritable, json,
};

use crate::description::{Body, Calls, Codec, Container, Description, Part, TypeWords, Wrap};
use crate::dialect::Compiled;

/// Appends `calls` to `out`, if they are read back as they are: the reader is
/// the one judge of what the markup can express.
pub(crate) fn write(
    dialect: &Compiled,
    calls: &[ToolCall],
    tools: &Toolset,
    out: &mut String,
) -> Result<(), Unwritable> {
    let Some(first) = calls.first() else { return Ok(()) };
    let description = dialect.description();
    let Some((open, body, close)) = region_of_calls(description) else {
        return Err(refuse(first, None, "the dialect has no form to write calls in"));
    };
    let mut text = String::new();
    let mut writer = Writer { out: &mut text, index: 0 };
    for (at, call) in calls.iter().enumerate() {
        writer.index = at as u32;
        match &body.wrap {
            _ if at == 0 => writer.edge(open),
            Wrap::Together => writer.edge(&body.between),
            Wrap::Apart(between) => {
                writer.edge(close);
                writer.out.push_str(between);
                writer.edge(without_space(open));
            }
        }
        writer.call(&body.forms[0], call)?;
    }
    writer.edge(close);

    let separator = separator(open);
    let Some(written) = text.strip_prefix(separator) else { return Ok(()) };
    check(dialect, calls, tools, written)?;
    if !out.is_empty() {
        out.push_str(separator);
    }
    out.push_str(written);
    Ok(())
}

/// The region that calls are written in.
fn region_of_calls(description: &Description) -> Option<(&[Part], &Calls, &[Part])> {
    description.regions.iter().find_map(|region| match &region.body {
        Body::Calls(calls) if !calls.forms.is_empty() => {
            Some((region.open.as_slice(), calls, region.close.as_slice()))
        }
        _ => None,
    })
}

/// The white space that separates a region from the text before it.
fn separator(open: &[Part]) -> &str {
    match open {
        [Part::Space(space), ..] => space,
        _ => "",
    }
}

fn without_space(open: &[Part]) -> &[Part] {
    match open {
        [Part::Space(_), rest @ ..] => rest,
        all => all,
    }
}

struct Writer<'o> {
    out: &'o mut String,
    /// The number of the call.
    index: u32,
}

impl Writer<'_> {
    /// Parts without slots.
    fn edge(&mut self, parts: &[Part]) {
        for part in parts {
            match part {
                Part::Literal(text) | Part::Marker(text) | Part::Space(text) => {
                    self.out.push_str(text);
                }
                Part::Maybe { parts, written: true } => self.edge(parts),
                Part::OneOf(all) => self.edge(all.first().map_or(&[], Vec::as_slice)),
                _ => {}
            }
        }
    }

    fn call(&mut self, parts: &[Part], call: &ToolCall) -> Result<(), Unwritable> {
        for part in parts {
            match part {
                Part::Name => self.out.push_str(&call.name),
                // An id of another make gives way to the form's own.
                Part::Id(parts) => match &call.id {
                    Some(id) if fits(id, parts, &call.name) => self.out.push_str(id),
                    _ => self.call(parts, call)?,
                },
                Part::Word => return Err(refuse(call, None, "its form needs an id")),
                Part::Index(first) => {
                    let _ = write!(self.out, "{}", first + self.index);
                }
                Part::Arguments(Container::Json) => self.out.push_str(call.arguments.as_str()),
                Part::Arguments(Container::Each(each)) => {
                    for (at, (key, value)) in call.arguments.entries().enumerate() {
                        if at > 0 {
                            self.out.push_str(&each.between);
                        }
                        self.item(&each.item, &key, value)
                            .map_err(|reason| refuse(call, Some(key.clone()), reason))?;
                    }
                }
                Part::Arguments(container) => self
                    .values(container, call.arguments.as_str())
                    .map_err(|reason| refuse(call, None, reason))?,
                Part::Object(object) => {
                    self.out.push_str("{\"");
                    self.out.push_str(&object.name[0]);
                    self.out.push_str("\": ");
                    json::quote_into(&call.name, self.out);
                    self.out.push_str(", \"");
                    self.out.push_str(&object.arguments[0]);
                    self.out.push_str("\": ");
                    self.out.push_str(call.arguments.as_str());
                    if let (Some(key), Some(id)) = (&object.id, &call.id) {
                        let _ = write!(self.out, ", \"{key}\": ");
                        json::quote_into(id, self.out);
                    }
                    self.out.push('}');
                }
                Part::Maybe { parts, written: true } => self.call(parts, call)?,
                Part::OneOf(all) => {
                    self.call(all.first().map_or(&[], Vec::as_slice), call)?;
                }
                fixed => self.edge(std::slice::from_ref(fixed)),
            }
        }
        Ok(())
    }

    /// Arguments that are nested values of the container's own.
    fn values(&mut self, container: &Container, arguments: &str) -> Result<(), &'static str> {
        match container {
            Container::Python => {
                for (at, (key, value)) in json::entries(arguments).enumerate() {
                    self.out.push_str(if at > 0 { ", " } else { "" });
                    self.out.push_str(&key);
                    self.out.push('=');
                    crate::spell::python(value, self.out)?;
                }
                Ok(())
            }
            Container::Braces(braces) => crate::spell::braces(arguments, &braces.quote, self.out),
            Container::Elements(elements) => crate::spell::elements(arguments, elements, self.out),
            Container::Rest { key, .. } => {
                let mut entries = json::entries(arguments);
                match (entries.next(), entries.next()) {
                    (Some((only, value)), None) if only == *key => {
                        self.out.push_str(&crate::spell::text(value)?);
                        Ok(())
                    }
                    _ => Err("it takes one argument"),
                }
            }
            Container::Json | Container::Each(_) => Err("it is written elsewhere"),
        }
    }

    /// One argument between tags.
    fn item(&mut self, parts: &[Part], key: &str, value: &str) -> Result<(), &'static str> {
        let text = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        for part in parts {
            match part {
                Part::Key => self.out.push_str(key),
                Part::Type(words) => self.out.push_str(type_word(words, json::kind(value))),
                Part::Value(spec) => {
                    let frame = match spec.frame {
                        crate::description::Frame::None => "",
                        crate::description::Frame::Newline => "\n",
                    };
                    self.out.push_str(frame);
                    let section =
                        |text: &str| spec.codec == Codec::Cdata && text.contains(['<', '&', '\n']);
                    match text.map(json::unescape) {
                        None => self.out.push_str(value),
                        Some(Some(text)) if section(&text) => {
                            let _ = write!(self.out, "<![CDATA[{text}]]>");
                        }
                        Some(Some(text)) => self.out.push_str(&text),
                        Some(None) => return Err("it holds half of a surrogate pair"),
                    }
                    self.out.push_str(frame);
                }
                fixed => self.edge(std::slice::from_ref(fixed)),
            }
        }
        Ok(())
    }
}

/// Whether an id is what these parts say, for a tool of this name.
fn fits(id: &str, parts: &[Part], name: &str) -> bool {
    let mut rest = id;
    for part in parts {
        let after = match part {
            Part::Literal(text) | Part::Marker(text) => rest.strip_prefix(text.as_str()),
            Part::Name => rest.strip_prefix(name),
            Part::Index(_) => {
                let after = rest.trim_start_matches(|char: char| char.is_ascii_digit());
                (after.len() < rest.len()).then_some(after)
            }
            Part::Word => {
                let after = rest.trim_start_matches(|char: char| char.is_ascii_alphanumeric());
                (after.len() < rest.len()).then_some(after)
            }
            // Optional parts are those that templates write.
            Part::Maybe { parts, .. } => match parts.as_slice() {
                [Part::Literal(text)] => Some(rest.strip_prefix(text.as_str()).unwrap_or(rest)),
                _ => Some(rest),
            },
            _ => Some(rest),
        };
        match after {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// The word that states a value of this kind.
pub(crate) fn type_word(words: &TypeWords, kind: Option<json::Kind>) -> &str {
    match (words, kind) {
        (TypeWords::Flag { text, .. }, Some(json::Kind::String)) => text,
        (TypeWords::Flag { json, .. }, _) => json,
        (TypeWords::Names, Some(json::Kind::String)) => "string",
        (TypeWords::Names, Some(json::Kind::Number)) => "number",
        (TypeWords::Names, Some(json::Kind::Boolean)) => "boolean",
        (TypeWords::Names, Some(json::Kind::Array)) => "array",
        (TypeWords::Names, Some(json::Kind::Object)) => "object",
        (TypeWords::Names, Some(json::Kind::Null) | None) => "null",
    }
}

/// Reads `written` back and compares.
fn check(
    dialect: &Compiled,
    calls: &[ToolCall],
    tools: &Toolset,
    written: &str,
) -> Result<(), Unwritable> {
    let mut turn = Turn::default();
    let mut stray = false;
    let mut sink = |event: Event<'_>| {
        stray |= matches!(event, Event::Text { .. } | Event::Reasoning { .. });
        turn.add(event);
    };
    let mut reader = Reader::new(dialect, &Offer::new(tools));
    reader.push(written, &mut sink);
    reader.finish(End::Stop, &mut sink);

    for (at, call) in calls.iter().enumerate() {
        let Some(read) = turn.calls.get(at).filter(|read| read.name == call.name) else {
            return Err(refuse(call, None, "it is not read back as a call of this tool"));
        };
        if read.arguments.compact() != call.arguments.compact() {
            let argument = first_difference(&call.arguments, &read.arguments);
            return Err(refuse(call, argument, "it is read back as another value"));
        }
    }
    match calls.last() {
        Some(last) if stray || turn.ambiguous || turn.calls.len() != calls.len() => {
            Err(refuse(last, None, "what follows from it is read as something else"))
        }
        _ => Ok(()),
    }
}

fn first_difference(written: &Arguments, read: &Arguments) -> Option<String> {
    let mut read = read.entries();
    written.entries().find_map(|(key, value)| {
        let same = read.next().is_some_and(|(read_key, read_value)| {
            read_key == key && json::compact(read_value) == json::compact(value)
        });
        (!same).then_some(key)
    })
}

fn refuse(call: &ToolCall, argument: Option<String>, reason: &str) -> Unwritable {
    Unwritable { tool: call.name.clone(), argument, reason: reason.to_owned() }
}
