//! Values survive to the byte.

use callsign_core::{Arguments, End, Offer, ToolCall};
use proptest::prelude::*;

use super::{Contract, Verdict, same};
use crate::reading::Reading;

impl Contract {
    /// Number spelling, order of keys, duplicate keys and string bytes survive
    /// writing and reading.
    pub fn exact_values(&self) -> Verdict {
        let twice = self.turns.call().prop_flat_map(|call| {
            let again = call.clone();
            (Just(call), Just(again), any::<bool>())
        });
        self.for_all(&twice, |(call, again, twice)| {
            let call = if twice { join(&call, &again) } else { call };
            let mut text = String::new();
            let calls = std::slice::from_ref(&call);
            if self.dialect.write(calls, &self.tools, &mut text).is_err() {
                return Ok(());
            }
            let read =
                Reading::of(&*self.dialect, &Offer::new(&self.tools), End::Stop, [&*text]).turn;
            let [read] = read.calls.as_slice() else {
                return Err(format!("{text:?} is read as {} calls", read.calls.len()));
            };
            same("the tokens", &tokens(call.arguments.as_str()), &tokens(read.arguments.as_str()))
        })
    }
}

/// A call with the arguments of both: every key twice.
fn join(one: &ToolCall, other: &ToolCall) -> ToolCall {
    let inside = |call: &ToolCall| {
        let text = call.arguments.as_str().trim();
        text[1..text.len() - 1].trim().to_owned()
    };
    let members: Vec<String> =
        [inside(one), inside(other)].into_iter().filter(|text| !text.is_empty()).collect();
    match Arguments::from_json(format!("{{{}}}", members.join(", "))) {
        Ok(arguments) => ToolCall::new(one.name.clone(), arguments),
        Err(_) => one.clone(),
    }
}

/// The tokens of JSON text: strings decoded where a string can hold them, all
/// else as it is written.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => {
                let mut escaped = false;
                let end = rest[1..].find(|char| {
                    let ends = char == '"' && !escaped;
                    escaped = char == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '{' | '}' | '[' | ']' | ',' | ':' => 1,
            _ => rest.find([',', ']', '}', ':', ' ', '\n', '\r', '\t']).unwrap_or(rest.len()),
        };
        let (token, after) = rest.split_at(len);
        let decoded = serde_json::from_str::<String>(token);
        tokens.push(decoded.map_or_else(|_| token.to_owned(), |text| format!("string {text}")));
        rest = after.trim_start();
    }
    tokens
}
