//! Hermes: `<tool_call>` around one JSON object with `name` and `arguments`.
//!
//! Models: Hermes 2 and 3, Qwen2.5, QwQ, Qwen3 (all but Coder), Granite 4,
//! Bielik 3, MiMo-VL, Reka Edge.
//!
//! ```text
//! TEXT
//! <tool_call>
//! {"name": "get_weather", "arguments": {"city": "Oslo"}}
//! </tool_call>
//! ```
//!
//! The grammar is that of the chat templates these models ship
//! (`tokenizer_config.json`) and of the Hermes function-calling prompt.
//!
//! Decided where servers disagree:
//!
//! - White space inside the tags is free, and so is the order of the keys.
//! - `</tool_call>` inside a JSON string is part of the string.
//! - Arguments that are absent, `null` or `""` are `{}`, and arguments given as
//!   a JSON string are unwrapped.
//! - The closing tag may be missing; the closing brace may not.
//! - An unknown name is a call all the same: to refuse it is for the one who
//!   runs it.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Description, Object, Outside, Part, Region};

/// The dialects of this family: `hermes`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECT: LazyLock<Arc<Compiled>> =
        LazyLock::new(|| Arc::new(Compiled::builtin(description())));
    vec![DIALECT.clone()]
}

/// Their descriptions.
pub fn descriptions() -> Vec<Description> {
    vec![description()]
}

fn description() -> Description {
    // What other families that share the opening tag print, too.
    let others = [
        "<function=",
        "<arg_key>",
        "]<]minimax[>[",
        "<|tool_call>call:",
        "<tool_calls>",
        "<|START_ACTION|>",
        "<minimax:tool_call>",
    ];
    Description {
        name: "hermes".to_owned(),
        models: "Hermes 2 and 3, Qwen2.5, QwQ, Qwen3, Granite 4".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["<tool_call>".to_owned()],
            none: others.map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<think>"), Part::space("\n")],
                [Part::space("\n"), Part::marker("</think>"), Part::space("\n\n")],
            ),
            Region::calls(
                [Part::space("\n"), Part::marker("<tool_call>"), Part::space("\n")],
                Calls::of([Part::Object(Object::new("name", "arguments"))])
                    .between([Part::space("\n")])
                    .apart("\n"),
                [Part::space("\n"), Part::marker("</tool_call>")],
            ),
        ],
        stops: ["<|im_end|>", "<|endoftext|>"].map(String::from).into(),
    }
}
