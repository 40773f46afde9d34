//! Qwen XML: `<tool_call><function=NAME><parameter=KEY>` with raw values.
//!
//! Models: Qwen3-Coder, Qwen3.5 and later, Nemotron 3, Step 3.5 and their
//! fine-tunes.
//!
//! ```text
//! TEXT
//!
//! <tool_call>
//! <function=get_weather>
//! <parameter=city>
//! Oslo
//! </parameter>
//! </function>
//! </tool_call>
//! ```
//!
//! The grammar is that of the chat templates these models ship
//! (`tokenizer_config.json`). One newline on each side of a value is framing;
//! everything else between the tags is the value's, and nothing is escaped. The
//! type of a value is known from the schema alone. Templates print booleans and
//! null by Python's or by JSON's spelling, depending on their age, so both are
//! read. The vocabulary holds the outer tags as tokens; `<function=` and
//! `<parameter=` are ordinary text.
//!
//! Decided where servers disagree:
//!
//! - The opening `<tool_call>` is needed: prose that mentions `<function=…>` is
//!   prose.
//! - A value ends at its closing tag only where structure follows, and an
//!   example of a call inside a value stays in the value.
//! - Leading blanks of a value are the value's.
//! - Several functions in one `<tool_call>` are several calls.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint, Nulls};
use callsign_syntax::Compiled;
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Frame, Outside, Part, Region, Value,
};

/// The dialects of this family: `qwen-xml`.
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
    let value = Value { codec: Codec::Raw, frame: Frame::Newline, nulls: Nulls::Python };
    let item = [
        Part::literal("<parameter="),
        Part::Key,
        Part::literal(">"),
        Part::Value(value),
        Part::literal("</parameter>"),
        Part::space("\n"),
    ];
    let call = [
        Part::literal("<function="),
        Part::space(""),
        Part::Name,
        Part::space(""),
        Part::literal(">"),
        Part::space("\n"),
        Part::Arguments(Container::each(item)),
        Part::literal("</function>"),
    ];
    Description {
        name: "qwen-xml".to_owned(),
        models: "Qwen3-Coder, Qwen3.5 and later, Nemotron 3, Step 3.5".to_owned(),
        fingerprint: Fingerprint {
            all: ["<tool_call>", "<function=", "<parameter="].map(String::from).into(),
            none: ["<seed:tool_call>"].map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<think>"), Part::space("\n")],
                [Part::space("\n"), Part::marker("</think>"), Part::space("\n\n")],
            ),
            Region::calls(
                [Part::space("\n\n"), Part::marker("<tool_call>"), Part::space("\n")],
                Calls::of(call).between([Part::space("\n")]).apart("\n"),
                [Part::space("\n"), Part::marker("</tool_call>")],
            ),
        ],
        stops: ["<|im_end|>", "<|endoftext|>"].map(String::from).into(),
    }
}
