//! Calls as a Python program has them: `f(city="Oslo", days=3)`.
//!
//! Three dialects share the call and differ in what stands around it.
//!
//! `pythonic` is a list and nothing else, for models that are told so by their
//! prompt: ToolACE, the Llama 3.2 recipe for zero-shot calls, and others whose
//! system prompt gives `[func_name1(params_name1=params_value1), …]` as the
//! format.
//!
//! ```text
//! [get_weather(city="Oslo", days=3), server_time()]
//! ```
//!
//! `lfm2` is the same list between two tokens of the vocabulary, anywhere in a
//! turn, with reasoning before it in the thinking models. Models: Liquid AI's
//! LFM2 and LFM2.5.
//!
//! ```text
//! TEXT<|tool_call_start|>[get_weather(city="Oslo"), server_time()]<|tool_call_end|>
//! ```
//!
//! Told to write JSON, they put a list of objects between the tokens
//! (`[{"name": "get_weather", "arguments": {…}}]`): the dialect reads both, and
//! `lfm2@json` writes the second.
//!
//! `olmo3` has one call a line between plain tags. Models: OLMo 3 Instruct and
//! Think; the prompt of the latter opens the reasoning.
//!
//! ```text
//! TEXT<function_calls>get_weather(city="Oslo", days=3)
//! server_time()</function_calls>
//! ```
//!
//! The grammars are those of the chat templates that come with the models, of
//! Meta's prompt for Llama 3.2, and of Liquid AI's model cards. Nothing has an
//! id, and a call without arguments is `f()`.
//!
//! Decided where servers disagree:
//!
//! - A bare list counts only if it is the whole turn and calls declared tools;
//!   else it is text, as the classes in "[O(n), O(log n)]" are.
//! - Values are Python's literals, negative numbers, tuples and nested lists
//!   included; `true`, `false` and `null` are read beside `True`, `False` and
//!   `None`.
//! - All arguments have a keyword. A positional one, an expression or `**` make
//!   the call no call.
//! - Dotted names and names with a leading underscore are names, as are
//!   Python's reserved words where they are keywords.
//! - Text after `<|tool_call_end|>` stays, and another block is more calls.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Object, Outside, Part, Region};

/// Every dialect of this crate.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let lfm2 = Compiled::builtin(lfm2());
        let json = Compiled::builtin(lfm2_json()).reading_like(&lfm2);
        vec![
            Arc::new(Compiled::builtin(pythonic())),
            Arc::new(lfm2),
            Arc::new(json),
            Arc::new(Compiled::builtin(olmo3())),
        ]
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in the same order.
pub fn descriptions() -> Vec<Description> {
    vec![pythonic(), lfm2(), lfm2_json(), olmo3()]
}

fn pythonic() -> Description {
    let list = Region::calls(
        [Part::literal("["), Part::space("")],
        listed(call()).whole_turn(),
        [Part::space(""), Part::literal("]")],
    );
    Description {
        name: "pythonic".to_owned(),
        models: "ToolACE and models prompted for Python calls".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["func_name1(".to_owned()],
            // The recipe in the template of a family with more to it.
            none: ["<|header_start|>", "<start_of_turn>", "<tool_call>", "<|tool_call_start|>"]
                .map(String::from)
                .into(),
        },
        outside: Outside::Text,
        regions: vec![list],
        stops: ["<|eot_id|>", "<|eom_id|>", "<|im_end|>", "<|end_of_text|>"]
            .map(String::from)
            .into(),
    }
}

fn lfm2() -> Description {
    let calls = listed(call()).or([object()]);
    Description {
        name: "lfm2".to_owned(),
        models: "LFM2, LFM2.5".to_owned(),
        fingerprint: Fingerprint {
            // LFM2 has a token after it and LFM2.5 has none.
            all: vec!["List of tools: ".to_owned()],
            none: [
                "<tool_call>",
                "<function_calls>",
                "[TOOL_CALLS]",
                "<|tool_calls_section_begin|>",
            ]
            .map(String::from)
            .into(),
        },
        outside: Outside::Text,
        regions: vec![thinking(), between_tokens(calls)],
        stops: ["<|im_end|>", "<|endoftext|>"].map(String::from).into(),
    }
}

fn lfm2_json() -> Description {
    Description {
        name: "lfm2@json".to_owned(),
        models: "LFM2 prompted for JSON".to_owned(),
        fingerprint: Fingerprint {
            all: ["List of tools: ", "\"arguments\": "].map(String::from).into(),
            ..lfm2().fingerprint
        },
        regions: vec![thinking(), between_tokens(listed([object()]).or(call()))],
        ..lfm2()
    }
}

fn olmo3() -> Description {
    let lines = Region::calls(
        [Part::space(""), Part::literal("<function_calls>"), Part::space("")],
        Calls::of(call()).between([Part::space("\n")]),
        [Part::space(""), Part::literal("</function_calls>")],
    );
    Description {
        name: "olmo3".to_owned(),
        models: "OLMo 3".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["<function_calls>".to_owned()],
            none: ["<invoke", "<atem:function_calls>", "｜DSML｜", "<tool_call>"]
                .map(String::from)
                .into(),
        },
        outside: Outside::Text,
        regions: vec![thinking(), lines],
        stops: ["<|im_end|>", "<|endoftext|>"].map(String::from).into(),
    }
}

/// `f(k=v)`.
fn call() -> [Part; 4] {
    [Part::Name, Part::literal("("), Part::Arguments(Container::Python), Part::literal(")")]
}

/// `{"name": "f", "arguments": {…}}`.
fn object() -> Part {
    Part::Object(Object::new("name", "arguments"))
}

/// Calls as the members of a list.
fn listed(form: impl Into<Vec<Part>>) -> Calls {
    Calls::of(form).between([Part::space(""), Part::literal(","), Part::space(" ")])
}

fn between_tokens(calls: Calls) -> Region {
    let open = [
        Part::space(""),
        Part::marker("<|tool_call_start|>"),
        Part::space(""),
        Part::literal("["),
        Part::space(""),
    ];
    // The bracket is the list's end, with or without the token behind it.
    let end = Part::one_of([vec![Part::space(""), Part::marker("<|tool_call_end|>")], Vec::new()]);
    let close = [Part::space(""), Part::literal("]"), end];
    Region::calls(open, calls, close)
}

fn thinking() -> Region {
    Region::reasoning(
        [Part::marker("<think>"), Part::space("")],
        [Part::space(""), Part::marker("</think>"), Part::space("")],
    )
}
