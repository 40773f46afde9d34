//! Kimi K2: a section of calls, each with an id that holds the name.
//!
//! Models: Kimi K2 Instruct, 0905, Thinking, K2.5, K2.6, and fine-tunes of
//! Moonlight.
//!
//! ```text
//! TEXT<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>
//! ```
//!
//! The grammar is that of the chat templates these models ship and of the
//! guide to tool calls in their repositories. There is no white space anywhere.
//! The vocabulary holds every marker as one token. The name of the tool stands
//! in the id alone, `functions.NAME:INDEX`. The index counts calls over the
//! whole conversation, and the model goes by the ids that it has seen: they
//! must come back in the history as the model wrote them. The turn ends with
//! `<|im_end|>`.
//!
//! Reasoning is `<think>…</think>`. K2.5 prompts open it.
//!
//! Decided where servers disagree:
//!
//! - The section's markers may be missing: those of a call are tokens, too, and
//!   as good a sign.
//! - Its opening and closing are read in the singular as well, which models
//!   write by mistake.
//! - `functions.` or `:INDEX` may be missing from an id, but not both: a bare
//!   word may be an id of any kind, and the name is never guessed from the
//!   arguments.
//! - A call ends with its JSON object. `<|tool_call_end|>` may be missing.
//! - Names may hold dots and dashes.
//! - What follows the section is text.

use callsign_core::Fingerprint;
use callsign_syntax::description::{Calls, Container, Description, Outside, Part, Region};

/// The description of `kimi-k2`.
pub fn description() -> Description {
    let section = |edge: &str| [Part::marker(&format!("<|tool_call{edge}|>"))];
    let begin = Part::maybe(true, section("s_section_begin"));
    Description {
        name: "kimi-k2".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>"].map(String::from).into(),
            none: Vec::new(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning([Part::marker("<think>")], [Part::marker("</think>")]),
            Region::calls(
                [begin, Part::space("")],
                calls(),
                [vec![Part::space("")], section("s_section_end").into()].concat(),
            ),
            Region::calls(
                [section("_section_begin").into(), vec![Part::space("")]].concat(),
                calls(),
                [vec![Part::space("")], section("_section_end").into()].concat(),
            ),
        ],
        stops: vec!["<|im_end|>".to_owned()],
    }
}

fn calls() -> Calls {
    let index = || [Part::literal(":"), Part::Index(0)];
    let id = Part::one_of([
        vec![Part::literal("functions."), Part::Name, Part::maybe(true, index())],
        [vec![Part::Name], index().into()].concat(),
    ]);
    Calls::of([
        Part::marker("<|tool_call_begin|>"),
        Part::space(""),
        Part::Id(vec![id]),
        Part::space(""),
        Part::marker("<|tool_call_argument_begin|>"),
        Part::space(""),
        Part::Arguments(Container::Json),
        Part::maybe(true, [Part::space(""), Part::marker("<|tool_call_end|>")]),
    ])
    .between([Part::space("")])
}
