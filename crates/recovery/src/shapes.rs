//! Calls as JSON objects, under the keys that models use for names and
//! arguments.

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{Repair, Tool, Toolset};

use crate::names;
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;

/// Keys that hold the name of a tool.
const NAMES: [&str; 8] = [
    "name",
    "tool",
    "tool_name",
    "function_name",
    "function",
    "action",
    "toolName",
    "recipient_name",
];

/// Keys that hold its arguments.
const ARGUMENTS: [&str; 9] = [
    "arguments",
    "parameters",
    "args",
    "input",
    "params",
    "action_input",
    "tool_input",
    "kwargs",
    "arguments_json",
];

/// Keys that hold a whole call, or a list of them.
const CALLS: [&str; 6] =
    ["function", "tool_call", "function_call", "tool_calls", "tool_uses", "function_calls"];

/// Keys that mean nothing for a call.
const BESIDE: [&str; 8] =
    ["type", "id", "call_id", "index", "thought", "tool_call_id", "recipient", "role"];

/// How deep calls are looked for in objects that hold others.
const DEPTH: usize = 4;

/// A call as it was found in JSON.
#[derive(Debug)]
pub(crate) struct Shape {
    /// The name as written.
    pub(crate) name: String,
    /// JSON text of one object.
    pub(crate) arguments: String,
    pub(crate) id: Option<String>,
    pub(crate) repairs: Repairs,
}

/// Whether an argument of this name holds the name of a tool.
pub(crate) fn names_a_tool(key: &str) -> bool {
    matches!(key, "function" | "name" | "tool" | "tool_name")
}

/// Whether JSON that cannot be read holds the arguments of a call, near its beginning.
pub(crate) fn has_arguments(text: &str) -> bool {
    /// How far they are looked for, in bytes.
    const WITHIN: usize = 1024;
    let start = &text.as_bytes()[..text.len().min(WITHIN)];
    let has = |key: &str| memchr::memmem::find(start, key.as_bytes()).is_some();
    has("\"arguments\"") || has("\"parameters\"")
}

/// A text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote_into(text, &mut out);
    out
}

/// Whether a key may be the first of a call, so far as it has been read.
pub(crate) fn may_be_key(start: &str, whole: bool) -> bool {
    let fits = |key: &str| if whole { key == start } else { key.starts_with(start) };
    NAMES.iter().chain(&ARGUMENTS).chain(&CALLS).chain(&BESIDE).any(|key| fits(key))
}

/// The calls that a JSON value is: an object, or a list of objects. None if any
/// of it is something else.
pub(crate) fn calls(value: &str, tools: &Toolset) -> Option<Vec<Shape>> {
    let mut shapes = Vec::new();
    let mut waiting = vec![(value, 0)];
    while let Some((value, depth)) = waiting.pop() {
        match json::kind(value)? {
            _ if depth > DEPTH => return None,
            Kind::Array => {
                let items: Vec<&str> = json::items(value).collect();
                waiting.extend(items.into_iter().rev().map(|item| (item, depth + 1)));
            }
            Kind::Object => match object(value, tools)? {
                Object::Call(shape) => shapes.push(*shape),
                Object::Holds(inner) => waiting.push((inner, depth + 1)),
            },
            _ => return None,
        }
    }
    (!shapes.is_empty()).then_some(shapes)
}

/// The tool that an object names, even if it is no call otherwise.
pub(crate) fn name(value: &str, tools: &Toolset) -> Option<String> {
    let named = json::entries(value).find(|(key, _)| NAMES.contains(&key.as_str()));
    let (tool, _) = names::resolve(&string(named?.1)?, tools)?;
    Some(tool.name.clone())
}

enum Object<'v> {
    Call(Box<Shape>),
    /// The calls stand in this.
    Holds(&'v str),
}

fn object<'v>(value: &'v str, tools: &Toolset) -> Option<Object<'v>> {
    let entries: Vec<(String, &str)> = json::entries(value).collect();
    // Which of two names, or of two lists of arguments, nobody can tell.
    let twice = entries.iter().enumerate().any(|(index, (key, _))| {
        let counts = NAMES.contains(&key.as_str()) || ARGUMENTS.contains(&key.as_str());
        counts && entries[..index].iter().any(|(other, _)| other == key)
    });
    if twice {
        return None;
    }
    let get =
        |keys: &[&str]| keys.iter().find_map(|key| entries.iter().find(|(known, _)| known == key));
    let held = CALLS.iter().find_map(|key| {
        let (_, held) = entries.iter().find(|(known, _)| known == key)?;
        matches!(json::kind(held), Some(Kind::Object | Kind::Array)).then_some(*held)
    });
    if let Some(held) = held {
        let known = |key: &str| CALLS.contains(&key) || BESIDE.contains(&key);
        return entries.iter().all(|(key, _)| known(key)).then_some(Object::Holds(held));
    }
    let text =
        |value: &str| (json::kind(value) == Some(Kind::String)).then(|| string(value)).flatten();
    let named = NAMES.iter().find_map(|key| {
        let (key, value) = entries.iter().find(|(known, _)| known == key)?;
        Some((key.as_str(), text(value)?))
    });
    let Some((name_key, name)) = named else { return keyed(&entries, tools) };
    let mut repairs = Repairs::default();
    if name_key != "name" {
        repairs.add(Repair::Aliases);
    }
    let id = get(&["id", "call_id", "tool_call_id"]).and_then(|(_, id)| text(id));
    if let Some((key, given)) = get(&ARGUMENTS) {
        let beside = |known: &str| {
            known == name_key
                || known == key.as_str()
                || BESIDE.contains(&known)
                || NAMES.contains(&known)
        };
        let strays: Vec<&(String, &str)> =
            entries.iter().filter(|(known, _)| !beside(known)).collect();
        if !matches!(key.as_str(), "arguments" | "parameters") {
            repairs.add(Repair::Aliases);
        }
        let mut arguments = arguments(given, &mut repairs)?;
        if !strays.is_empty() {
            arguments = joined(&arguments, &strays, &name, tools)?;
            repairs.add(Repair::Flattened);
        }
        return Some(Object::Call(Box::new(Shape { name, arguments, id, repairs })));
    }
    // The arguments beside the name: only if the tool declares every one.
    let (tool, _) = names::resolve(&name, tools)?;
    let rest: Vec<&(String, &str)> = entries
        .iter()
        .filter(|(key, _)| {
            *key != name_key && (declares(tool, key) || !BESIDE.contains(&key.as_str()))
        })
        .collect();
    if !rest.iter().all(|(key, _)| declares(tool, key)) {
        return None;
    }
    if !rest.is_empty() {
        repairs.add(Repair::Flattened);
    }
    let arguments = compose(rest.iter().map(|(key, value)| (key.as_str(), *value)));
    Some(Object::Call(Box::new(Shape { name, arguments, id, repairs })))
}

/// Arguments with what stands beside them: only if the tool declares every one, and
/// none of them twice.
fn joined(
    arguments: &str,
    strays: &[&(String, &str)],
    name: &str,
    tools: &Toolset,
) -> Option<String> {
    let (tool, _) = names::resolve(name, tools)?;
    let mut all: Vec<(String, &str)> = json::entries(arguments).collect();
    for (key, value) in strays {
        if !declares(tool, key) || all.iter().any(|(known, _)| known == key) {
            return None;
        }
        all.push((key.clone(), value));
    }
    Some(compose(all.iter().map(|(key, value)| (key.as_str(), *value))))
}

/// `{"tool": {…}}`: the name as the only key.
fn keyed<'v>(entries: &[(String, &str)], tools: &Toolset) -> Option<Object<'v>> {
    let [(name, value)] = entries else { return None };
    tools.get(name)?;
    if json::kind(value) != Some(Kind::Object) {
        return None;
    }
    let mut repairs = Repairs::default();
    repairs.add(Repair::Aliases);
    let (name, arguments) = (name.clone(), (*value).to_owned());
    Some(Object::Call(Box::new(Shape { name, arguments, id: None, repairs })))
}

/// The object that stands for the arguments: absent, empty, in a string.
pub(crate) fn arguments(value: &str, repairs: &mut Repairs) -> Option<String> {
    match json::kind(value)? {
        Kind::Object => Some(value.trim().to_owned()),
        Kind::Null => Some("{}".to_owned()),
        Kind::String => {
            let inside = string(value)?;
            let inside = inside.trim();
            if inside.is_empty() {
                return Some("{}".to_owned());
            }
            let read = relaxed::read(inside, Ending::Open, MAX_DEPTH).ok()?;
            let whole = inside[read.len..].trim().is_empty();
            if !whole || json::kind(&read.json) != Some(Kind::Object) {
                return None;
            }
            repairs.add(Repair::DoubleEncoding);
            repairs.extend(read.repairs);
            Some(read.json)
        }
        _ => None,
    }
}

/// Whether a tool declares a parameter of this name.
pub(crate) fn declares(tool: &Tool, key: &str) -> bool {
    tool.parameters.root().properties().any(|(declared, _)| declared == key)
}

/// Whether a tool cannot be called without arguments.
pub(crate) fn needs_arguments(tool: &Tool) -> bool {
    let root = tool.parameters.root();
    root.properties().any(|(key, _)| root.required(key))
}

/// An object of these keys and values.
pub(crate) fn compose<'v>(entries: impl Iterator<Item = (&'v str, &'v str)>) -> String {
    let mut out = String::from("{");
    for (key, value) in entries {
        if out.len() > 1 {
            out.push_str(", ");
        }
        json::quote_into(key, &mut out);
        out.push_str(": ");
        out.push_str(value.trim());
    }
    out.push('}');
    out
}

/// What a JSON string says.
fn string(value: &str) -> Option<String> {
    let inside = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    json::unescape(inside).map(|text| text.into_owned())
}
