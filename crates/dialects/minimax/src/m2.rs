//! MiniMax M2: `<minimax:tool_call>` around calls, a tag for each argument.
//!
//! Models: MiniMax M2, M2.1, M2.5 and M2.7.
//!
//! ```text
//! TEXT
//! <minimax:tool_call>
//! <invoke name="get_weather">
//! <parameter name="city">Oslo</parameter>
//! </invoke>
//! <invoke name="list_files">
//! </invoke>
//! </minimax:tool_call>[e~[
//! ```
//!
//! The grammar is that of the chat template these models ship and of the guide
//! to tool calls in their repositories. The vocabulary holds the outer tags as
//! tokens; the inner ones are ordinary text. A value stands between its tags as
//! it is: nothing frames it and nothing is escaped. Strings are raw, everything
//! else is JSON; only the schema tells which. The turn ends with `[e~[`. There
//! are no ids.
//!
//! Reasoning is `<think>…</think>`. Every prompt opens it.
//!
//! Decided where servers disagree:
//!
//! - Names stand in double or in single quotes.
//! - White space in a string is the string's.
//! - Without a schema, objects and arrays are JSON and everything else is text.
//! - A value ends at its closing tag only where structure follows.
//! - The outer closing tag may be missing, the outer opening tag may not.

use callsign_core::{Fingerprint, Nulls};
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Frame, Outside, Part, Region, Value,
};

/// The description of `minimax-m2`.
pub fn description() -> Description {
    let quote = || Part::one_of([vec![Part::literal("\"")], vec![Part::literal("'")]]);
    let item = [
        Part::literal("<parameter name="),
        quote(),
        Part::Key,
        quote(),
        Part::literal(">"),
        Part::Value(Value { codec: Codec::Raw, frame: Frame::None, nulls: Nulls::Json }),
        Part::literal("</parameter>"),
        Part::space("\n"),
    ];
    let call = [
        Part::literal("<invoke name="),
        quote(),
        Part::Name,
        quote(),
        Part::literal(">"),
        Part::space("\n"),
        Part::Arguments(Container::each(item)),
        Part::literal("</invoke>"),
    ];
    Description {
        name: "minimax-m2".to_owned(),
        models: "MiniMax M2 to M2.7".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["<minimax:tool_call>".to_owned()],
            none: vec!["]<]minimax[>[".to_owned()],
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<think>"), Part::space("\n")],
                [Part::space("\n"), Part::marker("</think>"), Part::space("\n\n")],
            ),
            Region::calls(
                [Part::space("\n"), Part::marker("<minimax:tool_call>"), Part::space("\n")],
                Calls::of(call).between([Part::space("\n")]),
                [Part::space("\n"), Part::marker("</minimax:tool_call>")],
            ),
        ],
        stops: vec!["[e~[".to_owned()],
    }
}
