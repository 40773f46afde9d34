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
use callsign_syntax::description::{
    Body, Calls, Description, Object, Outside, Part, Place, Region, Wrap,
};

/// The dialect `hermes`.
pub fn dialect() -> Arc<dyn Dialect> {
    static DIALECT: LazyLock<Arc<Compiled>> = LazyLock::new(|| {
        #[expect(clippy::expect_used, reason = "a test compiles this very description")]
        Arc::new(Compiled::new(description()).expect("the description compiles"))
    });
    DIALECT.clone()
}

/// The description of `hermes`.
pub fn description() -> Description {
    let marker = |text: &str| Part::Marker(text.to_owned());
    let space = |text: &str| Part::Space(text.to_owned());
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
        fingerprint: Fingerprint {
            all: vec!["<tool_call>".to_owned()],
            none: others.map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![
            Region {
                body: Body::Reasoning,
                open: vec![marker("<think>"), space("\n")],
                close: vec![space("\n"), marker("</think>"), space("\n\n")],
            },
            Region {
                body: Body::Calls(Calls {
                    forms: vec![vec![Part::Object(Object {
                        name: vec!["name".to_owned()],
                        arguments: vec!["arguments".to_owned()],
                        id: None,
                    })]],
                    between: vec![space("\n")],
                    wrap: Wrap::Apart("\n".to_owned()),
                    place: Place::Anywhere,
                }),
                open: vec![space("\n"), marker("<tool_call>"), space("\n")],
                close: vec![space("\n"), marker("</tool_call>")],
            },
        ],
        stops: ["<|im_end|>", "<|endoftext|>"].map(String::from).into(),
    }
}
