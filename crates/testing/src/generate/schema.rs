//! JSON values that a schema admits, as text: their spelling is part of what
//! is tested.

use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::strings::{json_string, spelling};

/// Objects and arrays nest no deeper.
const DEEPEST: u32 = 3;

/// How often a reference is followed within one value.
const LONGEST_CHAIN: u32 = 8;

const INTEGERS: &[&str] = &[
    "0",
    "-0",
    "7",
    "-1",
    "42",
    "5.0",
    "9007199254740993",
    "-9223372036854775808",
    "18446744073709551616",
    "123456789012345678901234567890",
    "1e3",
    "2E+2",
    "100e-2",
];

const NUMBERS: &[&str] = &[
    "0.1",
    "-0.0",
    "1.50",
    "3.141592653589793238462643383279",
    "1e-7",
    "6.02e+23",
    "1E400",
    "-2.5e-10",
    "0.30000000000000004",
    "1e0",
];

/// Generates values for schemas of one document.
pub struct Values<'s> {
    root: &'s Value,
    strings: BoxedStrategy<String>,
}

impl<'s> Values<'s> {
    /// Values whose strings come from `strings`. References point into `root`.
    pub fn new(root: &'s Value, strings: BoxedStrategy<String>) -> Self {
        Values { root, strings }
    }

    /// An object for the root itself: arguments.
    pub fn arguments(&self) -> BoxedStrategy<String> {
        self.object(self.root, DEEPEST)
    }

    /// A value that `schema` admits.
    pub fn value(&self, schema: &Value) -> BoxedStrategy<String> {
        self.of(schema, DEEPEST, LONGEST_CHAIN)
    }

    fn of(&self, schema: &Value, depth: u32, chain: u32) -> BoxedStrategy<String> {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let target = target.strip_prefix('#').and_then(|path| self.root.pointer(path));
            return match target {
                Some(target) if chain > 0 => self.of(target, depth, chain - 1),
                _ => Just("null".to_owned()).boxed(),
            };
        }
        if let Some(only) = schema.get("const") {
            return Just(only.to_string()).boxed();
        }
        if let Some(Value::Array(choices)) = schema.get("enum") {
            return select(choices.iter().map(Value::to_string).collect::<Vec<_>>()).boxed();
        }
        for union in ["anyOf", "oneOf"] {
            if let Some(Value::Array(branches)) = schema.get(union) {
                return one_of(branches.iter().map(|branch| self.of(branch, depth, chain)));
            }
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            let typed = all.iter().find(|part| {
                ["type", "$ref", "enum", "const", "anyOf"].iter().any(|key| part.get(key).is_some())
            });
            return typed.map_or_else(|| self.any(depth), |part| self.of(part, depth, chain));
        }
        let nullable = schema.get("nullable") == Some(&Value::Bool(true));
        let null = nullable.then(|| Just("null".to_owned()).boxed());
        match schema.get("type") {
            Some(Value::String(kind)) => {
                one_of(std::iter::once(self.kind(kind, schema, depth)).chain(null))
            }
            Some(Value::Array(kinds)) => one_of(
                kinds.iter().filter_map(Value::as_str).map(|kind| self.kind(kind, schema, depth)),
            ),
            _ if schema.get("properties").is_some() => self.object(schema, depth),
            _ => self.any(depth),
        }
    }

    fn kind(&self, kind: &str, schema: &Value, depth: u32) -> BoxedStrategy<String> {
        match kind {
            "null" => Just("null".to_owned()).boxed(),
            "boolean" => select(vec!["true".to_owned(), "false".to_owned()]).boxed(),
            "integer" => integer(),
            "number" => number(),
            "string" => self.string(),
            "array" => {
                let any = Value::Bool(true);
                let item = schema.get("items").unwrap_or(&any);
                self.array(self.of(item, depth.saturating_sub(1), LONGEST_CHAIN), depth)
            }
            _ => self.object(schema, depth),
        }
    }

    fn string(&self) -> BoxedStrategy<String> {
        (self.strings.clone(), spelling()).prop_map(|(raw, how)| json_string(&raw, how)).boxed()
    }

    fn any(&self, depth: u32) -> BoxedStrategy<String> {
        let scalar = prop_oneof![
            3 => self.string(),
            1 => integer(),
            1 => number(),
            1 => select(vec!["true".to_owned(), "false".to_owned(), "null".to_owned()]),
        ]
        .boxed();
        if depth == 0 {
            return scalar;
        }
        let inner = self.any(depth - 1);
        let open = Value::Bool(true);
        prop_oneof![
            3 => scalar,
            1 => self.array(inner, depth),
            1 => self.object(&open, depth - 1),
        ]
        .boxed()
    }

    fn array(&self, item: BoxedStrategy<String>, depth: u32) -> BoxedStrategy<String> {
        let most = if depth == 0 { 1 } else { 4 };
        (proptest::collection::vec(item, 0..most), layout())
            .prop_map(|(items, layout)| layout.join('[', &items, ']'))
            .boxed()
    }

    fn object(&self, schema: &Value, depth: u32) -> BoxedStrategy<String> {
        let required = |key: &str| {
            schema
                .get("required")
                .and_then(Value::as_array)
                .is_some_and(|keys| keys.iter().any(|known| known == key))
        };
        let mut members: Vec<BoxedStrategy<Option<String>>> = Vec::new();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (key, property) in properties.into_iter().flatten() {
            let member = member(
                Just(key.clone()).boxed(),
                self.of(property, depth.saturating_sub(1), LONGEST_CHAIN),
            );
            members.push(if required(key) {
                member.prop_map(Some).boxed()
            } else {
                proptest::option::weighted(0.4, member).boxed()
            });
        }
        // What no property declares may be there as well, unless it may not.
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) && depth > 0 {
            let known: Vec<String> =
                properties.into_iter().flatten().map(|(key, _)| key.clone()).collect();
            let key =
                prop_oneof![self.strings.clone(), select(vec!["extra".to_owned(), "0".into()])]
                    .prop_map(
                        move |key| if known.contains(&key) { format!("{key}+") } else { key },
                    );
            let odds = if properties.is_some() { 0.08 } else { 0.5 };
            let any = self.any(depth - 1);
            members.push(proptest::option::weighted(odds, member(key.boxed(), any)).boxed());
        }
        (members.prop_shuffle(), layout())
            .prop_map(|(members, layout)| {
                let members: Vec<String> =
                    members.into_iter().flatten().map(|member| layout.member(&member)).collect();
                layout.join('{', &members, '}')
            })
            .boxed()
    }
}

/// A member of an object, a NUL in place of the colon.
fn member(key: BoxedStrategy<String>, value: BoxedStrategy<String>) -> BoxedStrategy<String> {
    (key, spelling(), value)
        .prop_map(|(key, how, value)| format!("{}\0{value}", json_string(&key, how)))
        .boxed()
}

fn one_of(all: impl Iterator<Item = BoxedStrategy<String>>) -> BoxedStrategy<String> {
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return Just("null".to_owned()).boxed();
    }
    proptest::strategy::Union::new(all).boxed()
}

fn integer() -> BoxedStrategy<String> {
    prop_oneof![
        select(INTEGERS).prop_map(str::to_owned),
        any::<i32>().prop_map(|number| number.to_string()),
    ]
    .boxed()
}

fn number() -> BoxedStrategy<String> {
    prop_oneof![select(NUMBERS).prop_map(str::to_owned), integer()].boxed()
}

/// White space between the tokens of JSON.
#[derive(Debug, Clone, Copy)]
struct Layout {
    comma: &'static str,
    colon: &'static str,
    inside: &'static str,
}

fn layout() -> BoxedStrategy<Layout> {
    let layout = |comma, colon, inside| Layout { comma, colon, inside };
    select(vec![
        layout(", ", ": ", ""),
        layout(", ", ": ", ""),
        layout(",", ":", ""),
        layout(",\n  ", ": ", "\n"),
        layout(" ,\t", " :\r\n", " "),
    ])
    .boxed()
}

impl Layout {
    fn member(self, member: &str) -> String {
        // The key holds no NUL: a JSON string has it escaped.
        member.replacen('\0', self.colon, 1)
    }

    fn join(self, open: char, members: &[String], close: char) -> String {
        let inside = if members.is_empty() { "" } else { self.inside };
        format!("{open}{inside}{}{inside}{close}", members.join(self.comma))
    }
}
