//! The tools that turns are generated for: every kind of schema, and names and
//! keys that are odd but legal.

use callsign_core::{Tool, Toolset, ToolsetError};
use callsign_syntax::description::{Body, Container, Description, Part};
use serde_json::Value;

/// The tools with a schema each.
const TOOLS: &[(&str, &str)] = &[
    ("stop", "{}"),
    ("list_files", r#"{"type":"object","properties":{}}"#),
    (
        "save_note",
        r#"{"type":"object","properties":{"title":{"type":"string"},"text":{"type":"string"}},
            "required":["text"],"additionalProperties":false}"#,
    ),
    (
        "measure",
        r#"{"type":"object","properties":{
            "count":{"type":"integer"},"ratio":{"type":"number"},"exact":{"type":"boolean"},
            "unit":{"enum":["mm","in"]},"level":{"enum":[1,2,"high",null]},"fixed":{"const":"7"}}}"#,
    ),
    (
        "maybe.some-thing:v2",
        r##"{"type":"object","$defs":{"name":{"type":"string"},"size":{"type":["integer","null"]}},
            "properties":{
            "text":{"type":["string","null"]},"number":{"type":["number","null"]},
            "either":{"anyOf":[{"type":"integer"},{"type":"string"}]},
            "nested":{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"null"}]},
            "name":{"$ref":"#/$defs/name"},"size":{"$ref":"#/$defs/size"},
            "port":{"allOf":[{"type":"integer"},{"minimum":0}]},
            "old":{"type":"string","nullable":true}}}"##,
    ),
    (
        "store",
        r#"{"type":"object","properties":{"key":{"type":"string"},"value":{},
            "free":{"type":"object"},"list":{"type":"array"}},"required":["key"]}"#,
    ),
    (
        "plan",
        r#"{"type":"object","properties":{
            "steps":{"type":"array","items":{"type":"object","properties":{
              "what":{"type":"string"},"hours":{"type":"number"},
              "tags":{"type":"array","items":{"type":"string"}}},"required":["what"]}},
            "owner":{"type":"object","properties":{"id":{"type":"integer"},
              "address":{"type":"object","properties":{"city":{"type":"string"}}}}}},
            "required":["steps"]}"#,
    ),
    (
        "odd_keys",
        r#"{"type":"object","properties":{"-n":{"type":"integer"},"a b":{"type":"string"},
            "größe":{"type":"string"},"日本":{"type":"boolean"},"x.y/z":{"type":"string"},
            "name":{"type":"string"},"arguments":{"type":"object"},"\"q\"":{"type":"string"},
            "a=b":{"type":"string"},"a>b":{"type":"string"}}}"#,
    ),
];

/// The tools that turns of a description are generated for, with those that it
/// names itself.
///
/// # Errors
///
/// Only if the description names a tool twice, or one of these.
pub fn tools(description: &Description) -> Result<Toolset, ToolsetError> {
    let all = TOOLS.iter().map(|(name, schema)| Tool::new(*name, schema));
    let named = rests(description).map(|(tool, key)| {
        let key = Value::String(key.to_owned());
        let schema = format!(
            r#"{{"type":"object","properties":{{{key}:{{"type":"string"}}}},"required":[{key}]}}"#
        );
        Tool::new(tool, &schema)
    });
    Toolset::new(all.chain(named).collect::<Result<Vec<_>, _>>()?)
}

/// The tools whose arguments are the rest of a turn, and their keys.
fn rests(description: &Description) -> impl Iterator<Item = (&str, &str)> {
    let forms = description.regions.iter().flat_map(|region| match &region.body {
        Body::Calls(calls) => calls.forms.as_slice(),
        Body::Reasoning | Body::Content => &[],
    });
    forms.flatten().filter_map(|part| match part {
        Part::Arguments(Container::Rest { tool, key }) => Some((tool.as_str(), key.as_str())),
        _ => None,
    })
}
