//! The constraint against the reader and the writer.

use callsign_core::{
    Arguments, Constraint, End, Offer, Start, Tool, ToolCall, ToolChoice, Unconstrained,
    Vocabulary, json,
};
use callsign_syntax::description::{Body, Container, Part};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use super::{Contract, Verdict, same};
use crate::generate::nasty_text_without;
use crate::reading::Reading;
use crate::walk::Walker;

/// A walk is given up beyond this length.
const LONGEST_WALK: usize = 1500;

impl Contract {
    /// A random walk through the masks of the constraint is read as calls that
    /// their schemas admit; what is written is accepted by the constraint.
    pub fn what_is_constrained_is_read(&self) -> Verdict {
        let named = self.tools.first().map(|tool| ToolChoice::Named(tool.name.clone()));
        let choices = [Some(ToolChoice::Auto), Some(ToolChoice::Required), named];
        let mut walkers = Vec::new();
        for choice in choices.into_iter().flatten() {
            for start in [Start::Fresh, Start::Reasoning] {
                let offer = Offer::new(&self.tools).choice(&choice).start(start);
                let constraint = match self.dialect.constraint(&offer) {
                    Ok(constraint) => constraint,
                    Err(Unconstrained::Unsupported { what }) if self.cannot_hold(&what) => continue,
                    Err(error) => return Err(format!("{choice:?}: {error}")),
                };
                let lark = constraint.to_lark(&Vocabulary::text());
                let walker =
                    Walker::new(&lark).map_err(|error| format!("{choice:?}: {error}\n{lark}"))?;
                walkers.push((choice.clone(), start, constraint, walker));
            }
        }
        if walkers.is_empty() {
            return Ok(());
        }
        let which = any::<prop::sample::Index>();
        self.for_all(&(which, any::<u64>()), |(which, seed)| {
            let (choice, start, constraint, walker) = &walkers[which.index(walkers.len())];
            let mut random = random(seed);
            let Some(text) = walker.walk(&mut random, LONGEST_WALK) else { return Ok(()) };
            let offer = Offer::new(&self.tools).choice(choice).start(*start);
            self.is_read_as_valid(&text, &offer, constraint).map_err(|problem| {
                format!("{choice:?}, {start:?}: {problem}\nof the walk {text:?}")
            })
        })?;
        let (_, _, _, walker) = &walkers[0];
        let calls = proptest::collection::vec(self.constrained_call(), 1..4);
        // Around calls that are the whole turn no text fits.
        let texts: &[&str] = match self.turns.calls_are_the_turn() {
            true => &[""],
            false => &["", "Two calls.", "a < b\n\n- c"],
        };
        let (open, close) = self.turns.around_text();
        self.for_all(&(select(texts), calls), |(text, calls)| {
            let mut written = match text {
                "" => String::new(),
                text => format!("{open}{text}{close}"),
            };
            if self.dialect.write(&calls, &self.tools, &mut written).is_err()
                || walker.accepts(&written)
                || calls.iter().any(|call| self.needs_unknown_tags(call))
            {
                return Ok(());
            }
            let accepted = String::from_utf8_lossy(walker.accepted(&written)).into_owned();
            Err(format!("of {written:?} the constraint accepts only {accepted:?}"))
        })
    }

    /// Whether what a dialect has no grammar for is a key that a tool requires
    /// and that no slot of the dialect holds for certain.
    fn cannot_hold(&self, what: &str) -> bool {
        let odd = |char: char| !char.is_alphanumeric() && char != '_';
        self.tools.iter().filter(|tool| what.contains(&format!("`{}`", tool.name))).any(|tool| {
            let root = tool.parameters.root();
            let odd_key = |key: &str| root.required(key) && (key.is_empty() || key.contains(odd));
            root.properties().any(|(key, _)| odd_key(key) && what.contains(&format!("`{key}`")))
        })
    }

    /// Whether a call nests elements whose names no schema gives: a context-free
    /// grammar cannot repeat a name that it does not know.
    fn needs_unknown_tags(&self, call: &ToolCall) -> bool {
        let elements = |part: &Part| matches!(part, Part::Arguments(Container::Elements(_)));
        let in_elements = self.description.regions.iter().any(|region| match &region.body {
            Body::Calls(calls) => calls.forms.iter().flatten().any(elements),
            _ => false,
        });
        let Some(tool) = self.tools.get(&call.name).filter(|_| in_elements) else { return false };
        call.arguments.entries().any(|(key, value)| {
            let kind = tool.parameters.root().property(&key);
            match value.as_bytes().first() {
                Some(b'{') => kind.properties().next().is_none(),
                Some(b'[') => kind.items().is_unspecified(),
                _ => false,
            }
        })
    }

    fn is_read_as_valid(&self, text: &str, offer: &Offer<'_>, constraint: &Constraint) -> Verdict {
        let turn = Reading::of(&*self.dialect, offer, End::Stop, [text]).turn;
        same("the rejected regions", &Vec::new(), &turn.rejected)?;
        same("ambiguous", &false, &turn.ambiguous)?;
        match offer.choice {
            ToolChoice::Named(name) => {
                let names: Vec<&str> = turn.calls.iter().map(|call| &*call.name).collect();
                same("the calls", &vec![name.as_str()], &names)?;
            }
            ToolChoice::Required if turn.calls.is_empty() => {
                return Err("a call is required and none is read".to_owned());
            }
            _ => {}
        }
        for call in &turn.calls {
            let Some(tool) = self.tools.get(&call.name) else {
                return Err(format!("there is no tool `{}`", call.name));
            };
            if !constraint.unenforced.iter().any(|keyword| keyword.tool == tool.name) {
                valid(tool, &call.arguments)?;
            }
        }
        Ok(())
    }

    /// A call that a constrained model could make: the keys in the order of the
    /// schema and no others, numbers and strings in their plainest spelling.
    fn constrained_call(&self) -> BoxedStrategy<ToolCall> {
        // Engines keep DEL out of strings, and a value that holds a marker out
        // of everything.
        let mut without = self.turns.markers().to_vec();
        without.push("\u{7f}".to_owned());
        let tools = self.tools.clone();
        self.turns
            .call_with(&nasty_text_without(&[], without))
            .prop_filter_map("arguments are an object", move |mut call| {
                let tool = tools.get(&call.name)?;
                let schema: Value = serde_json::from_str(tool.parameters.as_str()).ok()?;
                let plain = plain(call.arguments.as_str(), tool.parameters.as_str(), &schema)?;
                call.arguments = Arguments::from_json(plain).ok()?;
                valid(tool, &call.arguments).is_ok().then_some(call)
            })
            .boxed()
    }
}

/// Whether a tool's schema admits arguments.
fn valid(tool: &Tool, arguments: &Arguments) -> Verdict {
    let mut schema: Value =
        serde_json::from_str(tool.parameters.as_str()).map_err(|error| error.to_string())?;
    allow_null(&mut schema);
    let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
    // A number that is too big for the validator is not what is asked here.
    let Ok(value) = serde_json::from_str::<Value>(arguments.as_str()) else { return Ok(()) };
    validator
        .validate(&value)
        .map_err(|error| format!("{} for `{}`: {error}", arguments.as_str(), tool.name))
}

/// Writes OpenAPI's `nullable` as JSON Schema has it.
fn allow_null(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.values_mut().for_each(allow_null);
            if members.remove("nullable") == Some(Value::Bool(true))
                && let Some(kind) = members.remove("type")
            {
                members.insert("type".to_owned(), serde_json::json!([kind, "null"]));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(allow_null),
        _ => {}
    }
}

/// `value` as a constrained model would spell it, by the text of its schema.
fn plain(value: &str, schema: &str, root: &Value) -> Option<String> {
    let member = |key: &str| json::entries(schema).find(|(known, _)| known == key);
    if let Some((_, target)) = member("$ref") {
        let path: String = serde_json::from_str(target).ok()?;
        let target = root.pointer(path.strip_prefix('#')?)?.to_string();
        return plain(value, &target, root);
    }
    if member("enum").is_some() || member("const").is_some() {
        return Some(json::compact(value));
    }
    if let Some((_, branches)) = member("anyOf").or(member("oneOf")) {
        // One of them admits the value: objects are told by their properties.
        let branches: Vec<&serde_json::value::RawValue> = serde_json::from_str(branches).ok()?;
        let listed = |branch: &&&serde_json::value::RawValue| branch.get().contains("properties");
        return match branches.iter().find(listed) {
            Some(branch) if value.starts_with('{') => plain(value, branch.get(), root),
            _ => plain(value, "{}", root),
        };
    }
    match json::kind(value)? {
        json::Kind::Object => {
            let Some((_, properties)) = member("properties") else {
                return Some(json::compact(value));
            };
            let mut members = Vec::new();
            for (key, schema) in json::entries(properties) {
                let known = json::entries(value).find(|(written, _)| *written == key);
                if let Some((_, value)) = known {
                    let key = Value::String(key).to_string();
                    members.push(format!("{key}: {}", plain(value, schema, root)?));
                }
            }
            Some(format!("{{{}}}", members.join(", ")))
        }
        json::Kind::Array => {
            let items = member("items").map_or("{}", |(_, items)| items).to_owned();
            let values: Vec<Value> = serde_json::from_str(value).ok()?;
            let values = values.iter().map(|value| plain(&value.to_string(), &items, root));
            Some(format!("[{}]", values.collect::<Option<Vec<_>>>()?.join(", ")))
        }
        json::Kind::Number => {
            if value.trim().parse::<i64>().is_ok_and(|number| number != 0) {
                return Some(value.trim().to_owned());
            }
            let number: f64 = value.trim().parse().ok()?;
            Some(if number.fract() == 0.0 { "7".to_owned() } else { "0.5".to_owned() })
        }
        _ => Some(json::compact(value)),
    }
}

/// A source of pseudo-random numbers.
fn random(seed: u64) -> impl FnMut() -> u64 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }
}
