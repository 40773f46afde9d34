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
//! - `functions.` may be missing from an id, `:INDEX` may not: a bare word may be
//!   an id of any kind, and the name is never guessed from the arguments.
//! - A call ends with its JSON object. `<|tool_call_end|>` may be missing.
//! - Names may hold dots and dashes.
//! - What follows the section is text.

use callsign_core::Fingerprint;
use callsign_syntax::description::{Calls, Container, Description, Outside, Part, Region};

/// The description of `kimi-k2`.
pub fn description() -> Description {
    let begin = Part::maybe(true, [Part::marker("<|tool_calls_section_begin|>")]);
    Description {
        name: "kimi-k2".to_owned(),
        models: "Kimi K2 to K2.6".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|tool_calls_section_begin|>", "<|tool_call_begin|>"].map(String::from).into(),
            none: Vec::new(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning([Part::marker("<think>")], [Part::marker("</think>")]),
            section(begin, "<|tool_calls_section_end|>"),
            section(Part::marker("<|tool_call_section_begin|>"), "<|tool_call_section_end|>"),
        ],
        stops: vec!["<|im_end|>".to_owned()],
    }
}

fn section(begin: Part, end: &str) -> Region {
    // The marker behind a call is the call's, but it may stand apart.
    let late = || Part::maybe(false, [end_of_call(), Part::space("")]);
    Region::calls(
        [begin, Part::space("")],
        Calls::of(call()).between([Part::space(""), late()]),
        [Part::space(""), late(), Part::marker(end)],
    )
}

fn call() -> Vec<Part> {
    let id = [
        Part::maybe(true, [Part::literal("functions.")]),
        Part::Name,
        Part::literal(":"),
        Part::Index(0),
    ];
    vec![
        Part::marker("<|tool_call_begin|>"),
        Part::space(""),
        Part::Id(id.into()),
        Part::space(""),
        Part::marker("<|tool_call_argument_begin|>"),
        Part::space(""),
        Part::Arguments(Container::Json),
        Part::maybe(true, [end_of_call()]),
    ]
}

fn end_of_call() -> Part {
    Part::marker("<|tool_call_end|>")
}
