//! Gemma: prompted calls up to Gemma 3, FunctionGemma, and Gemma 4.
//!
//! `gemma3` is for Gemma 2, 3 and 3n, whose template has no tools: whoever
//! offers some says in the prompt how to call them. Three ways are in use, and
//! the dialect reads all of them. It writes the list, `gemma3@json` and
//! `gemma3@tool-code` write the others.
//!
//! ````text
//! [get_weather(city="Oslo", days=3), server_time()]
//!
//! {"name": "get_weather", "parameters": {"city": "Oslo"}}
//!
//! TEXT
//! ```tool_code
//! get_weather(city="Oslo")
//! ```
//! ````
//!
//! `functiongemma` (FunctionGemma 270M) and `gemma4` (Gemma 4) have tokens for
//! it. Keys are bare, strings stand between tokens without any escapes, and
//! everything else is JSON.
//!
//! ```text
//! <start_function_call>call:get_weather{city:<escape>Oslo<escape>,days:3}<end_function_call>
//! <|channel>thought
//! REASONING<channel|>TEXT<|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3}<tool_call|>
//! ```
//!
//! The grammar is that of the chat templates these models ship
//! (`tokenizer_config.json`, `chat_template.jinja`) and of Google's pages on
//! prompt formatting and function calling. Nothing has an id: results name the
//! tool. Where a model begins a result itself, the turn is over.
//!
//! Decided where servers disagree:
//!
//! - The list and the JSON object of `gemma3` count only as the whole turn and
//!   for declared tools; else they are text. The `tool_code` fence is a marker
//!   and may stand after text; other fences are not. In it, `print(…)` around a
//!   call and `default_api.` before its name are read over.
//! - A call is complete at its closing brace; the token behind it may be missing.
//! - Bare values are JSON, whatever the schema says of numbers; between
//!   delimiters, a value is typed by the schema, as some templates put
//!   delimiters around everything. `None` is null, as older templates print it.
//! - Keys between delimiters are keys. Strings between quotes, parentheses
//!   instead of braces and text without delimiters are no call of these
//!   dialects.
//! - A call in the open thought channel ends it, unless it is closed later.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{
    Braces, Calls, Container, Description, Object, Outside, Part, Region,
};

/// Every dialect of this crate.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let gemma3 = Compiled::builtin(gemma3());
        let like_gemma3 =
            |description| Arc::new(Compiled::builtin(description).reading_like(&gemma3));
        vec![
            Arc::new(gemma3.clone()),
            like_gemma3(gemma3_json()),
            like_gemma3(gemma3_tool_code()),
            Arc::new(Compiled::builtin(functiongemma())),
            Arc::new(Compiled::builtin(gemma4())),
        ]
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in the same order.
pub fn descriptions() -> Vec<Description> {
    vec![gemma3(), gemma3_json(), gemma3_tool_code(), functiongemma(), gemma4()]
}

fn gemma3() -> Description {
    Description {
        name: "gemma3".to_owned(),
        models: "Gemma 2, 3, 3n, prompted".to_owned(),
        fingerprint: Fingerprint {
            all: ["<start_of_turn>", "<end_of_turn>"].map(String::from).into(),
            none: ["<start_function_call>", "<tool_call>", "<|tool_call>call:"]
                .map(String::from)
                .into(),
        },
        outside: Outside::Text,
        regions: vec![list(), object(), fence()],
        stops: ["<end_of_turn>", "<eos>"].map(String::from).into(),
    }
}

fn gemma3_json() -> Description {
    Description {
        name: "gemma3@json".to_owned(),
        models: "Gemma 2, 3, 3n, prompted for JSON".to_owned(),
        fingerprint: Fingerprint::default(),
        regions: vec![object(), list(), fence()],
        ..gemma3()
    }
}

fn gemma3_tool_code() -> Description {
    Description {
        name: "gemma3@tool-code".to_owned(),
        models: "Gemma 2, 3, 3n, prompted for a fence".to_owned(),
        fingerprint: Fingerprint::default(),
        regions: vec![fence(), list(), object()],
        ..gemma3()
    }
}

fn functiongemma() -> Description {
    let call = [
        Part::marker("<start_function_call>"),
        Part::literal("call:"),
        Part::marker("<end_function_call>"),
    ];
    Description {
        name: "functiongemma".to_owned(),
        models: "FunctionGemma".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["<start_function_call>".to_owned()],
            none: vec!["<|tool_call>call:".to_owned()],
        },
        outside: Outside::Text,
        regions: vec![in_braces(call, "<escape>")],
        stops: ["<end_of_turn>", "<start_function_response>", "<eos>"].map(String::from).into(),
    }
}

fn gemma4() -> Description {
    let thought = Region::reasoning(
        [Part::marker("<|channel>"), Part::literal("thought"), Part::space("\n")],
        [Part::space(""), Part::marker("<channel|>"), Part::space("")],
    );
    let call = [Part::marker("<|tool_call>"), Part::literal("call:"), Part::marker("<tool_call|>")];
    Description {
        name: "gemma4".to_owned(),
        models: "Gemma 4".to_owned(),
        fingerprint: Fingerprint { all: vec!["<|tool_call>call:".to_owned()], none: Vec::new() },
        outside: Outside::Text,
        regions: vec![thought, in_braces(call, "<|\"|>")],
        stops: ["<turn|>", "<|tool_response>", "<eos>"].map(String::from).into(),
    }
}

/// Calls with bare keys, between tokens.
fn in_braces([open, word, close]: [Part; 3], quote: &str) -> Region {
    let braces = Container::Braces(Braces { quote: quote.to_owned() });
    Region::calls(
        [Part::space(""), open, Part::space(""), word],
        Calls::of([Part::Name, Part::Arguments(braces)]).apart(""),
        [Part::space(""), close],
    )
}

/// `[f(k=v), g()]`.
fn list() -> Region {
    let calls = Calls::of(call())
        .between([Part::space(""), Part::literal(","), Part::space(" ")])
        .whole_turn();
    Region::calls(
        [Part::literal("["), Part::space("")],
        calls,
        [Part::space(""), Part::literal("]")],
    )
}

/// `{"name": "f", "parameters": {…}}`, and another behind it.
fn object() -> Region {
    let object = Object {
        name: vec!["name".to_owned()],
        arguments: ["parameters", "arguments"].map(String::from).into(),
        id: None,
    };
    let calls = Calls::of([Part::Object(object)]).between([Part::space("\n")]).whole_turn();
    Region::calls([], calls, [])
}

/// Calls in a fence, one a line.
fn fence() -> Region {
    let printed = [&[Part::literal("print(")][..], &in_namespace(), &[Part::literal(")")]].concat();
    Region::calls(
        [Part::space("\n"), Part::literal("```tool_code"), Part::space("\n")],
        Calls::of(in_namespace()).or(printed).between([Part::space("\n")]),
        [Part::space("\n"), Part::literal("```")],
    )
}

/// `f(k=v)`, perhaps with the module that Google's samples have the tools in.
fn in_namespace() -> Vec<Part> {
    let module = Part::maybe(false, [Part::literal("default_api.")]);
    [&[module][..], &call()].concat()
}

/// `f(k=v)`.
fn call() -> [Part; 4] {
    [Part::Name, Part::literal("("), Part::Arguments(Container::Python), Part::literal(")")]
}
