//! GLM: `<tool_call>NAME` and then `<arg_key>`, `<arg_value>` pairs with raw
//! values.
//!
//! Models: GLM-4.5 to GLM-5.2 with their Air, V and Flash siblings, Ling 3
//! (Bailing V3), Spark 2.5, Laguna. Not GLM-4 9B and 0414, which have no tags.
//!
//! ```text
//! TEXT<tool_call>get_weather<arg_key>city</arg_key><arg_value>Oslo</arg_value></tool_call>
//! ```
//!
//! The grammar is that of the chat templates these models ship
//! (`chat_template.jinja`). They differ in white space alone, so one reader
//! takes them all; what is written and constrained is exact:
//!
//! | name | models | white space |
//! |---|---|---|
//! | `glm`, `glm@4.7` | GLM-4.7, 5, 5.1, 5.2, Spark 2.5 | none |
//! | `glm@4.5` | GLM-4.5, 4.6 | each key, each value and `</tool_call>` on a line of its own |
//! | `glm@ling3` | Ling 3 | a newline after the name, in each pair and before `</tool_call>` |
//!
//! A string stands as it is: nothing is escaped, trimmed or framed, so a string
//! and a number look alike and the schema tells them apart. All else is JSON.
//! The vocabulary holds each of the tags as one token. There are no ids.
//!
//! Reasoning stands in `<think>`. From GLM-4.7 on, and for Ling 3, the prompt
//! opens it, or closes it at once where thinking is off. A turn of calls ends
//! where the observation begins: `<|observation|>` is a stop token.
//!
//! Decided where servers disagree:
//!
//! - `</tool_call>` closes the list of arguments: a call without it is cut.
//! - White space around a value is the value's, for every type of string.
//! - A value is typed by the schema. Without one, objects and arrays are JSON
//!   and all else is text.
//! - A name of an undeclared tool is a call all the same.
//! - Text after a call is text.
//! - A pair that lacks one of its tags is a broken call: no server that drops
//!   the pair calls what the model meant.
//! - A blank between `<tool_call>` and a name makes it prose; one newline is
//!   read, as models with a Hermes past write it.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint, Nulls};
use callsign_syntax::Compiled;
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Frame, Outside, Part, Region, Value,
};

/// The dialects `glm`, `glm@4.5`, `glm@4.7` and `glm@ling3`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let family = Compiled::builtin(reader());
        let exact = descriptions().into_iter().map(|description| {
            let dialect: Arc<dyn Dialect> =
                Arc::new(Compiled::builtin(description).reading_like(&family));
            dialect
        });
        exact.collect()
    });
    DIALECTS.clone()
}

/// What each of the dialects writes and is constrained to, in their order.
pub fn descriptions() -> Vec<Description> {
    let compact = Layout { text: "", name: "", pair: "", item: "", end: "" };
    let lines = Layout { text: "\n", name: "\n", pair: "\n", item: "\n", end: "" };
    let ling = Layout { text: "\n", name: "\n", pair: "\n", item: "", end: "\n" };
    let stops = ["<|observation|>", "<|user|>", "<|endoftext|>"];
    vec![
        describe("glm", fingerprint(&[], &[LING, COMPACT, LINES]), &compact, vec![], &stops),
        describe("glm@4.5", fingerprint(&[LINES], &[LING]), &lines, vec![], &stops),
        describe("glm@4.7", fingerprint(&[COMPACT], &[LING, LINES]), &compact, vec![], &stops),
        describe(
            "glm@ling3",
            fingerprint(&[LING], &[]),
            &ling,
            vec![],
            &["<|role_end|>", "<|endoftext|>"],
        ),
    ]
}

/// What all of them are read by.
pub fn reader() -> Description {
    let layout = Layout { text: "", name: "", pair: "", item: "", end: "" };
    // What ends a turn of GLM, of Ling 3, of Spark and of Laguna.
    let stops = [
        "<|observation|>",
        "<|user|>",
        "<|endoftext|>",
        "<|role_end|>",
        "<｜end▁of▁sentence｜>",
        "</assistant>",
    ];
    let newline = Part::maybe(false, [Part::literal("\n")]);
    describe("glm", Fingerprint::default(), &layout, vec![newline], &stops)
}

/// The white space of a variant.
struct Layout {
    /// Between text and a call, and between two calls.
    text: &'static str,
    /// After the name.
    name: &'static str,
    /// Between a key and its value.
    pair: &'static str,
    /// After an argument.
    item: &'static str,
    /// After the arguments.
    end: &'static str,
}

/// How the templates of GLM-4.7 and later show a pair.
const COMPACT: &str = "</arg_key><arg_value>";
/// How those of GLM-4.5 and 4.6 show it.
const LINES: &str = "</arg_key>\n<arg_value>";
/// The assistant's header of Ling 3.
const LING: &str = "<role>ASSISTANT</role>";

fn fingerprint(all: &[&str], none: &[&str]) -> Fingerprint {
    // What other families print around the same tags.
    let others = ["<tool_sep", "<longcat_tool_call>", "<|tool_call:begin|>"];
    let owned = |texts: &[&str]| texts.iter().copied().map(String::from).collect::<Vec<_>>();
    Fingerprint {
        all: [owned(&["<arg_key>", "<arg_value>"]), owned(all)].concat(),
        none: [owned(&others), owned(none)].concat(),
    }
}

/// The description of a variant. What may stand before a name is `lead`.
fn describe(
    name: &str,
    fingerprint: Fingerprint,
    layout: &Layout,
    lead: Vec<Part>,
    stops: &[&str],
) -> Description {
    let value = Value { codec: Codec::Raw, frame: Frame::None, nulls: Nulls::Json };
    let item = [
        Part::marker("<arg_key>"),
        Part::Key,
        Part::marker("</arg_key>"),
        Part::space(layout.pair),
        Part::marker("<arg_value>"),
        Part::Value(value),
        Part::marker("</arg_value>"),
        Part::space(layout.item),
    ];
    let arguments = [
        Part::Name,
        Part::space(layout.name),
        Part::Arguments(Container::each(item)),
        Part::space(layout.end),
        Part::marker("</tool_call>"),
    ];
    let call = [vec![Part::marker("<tool_call>")], lead, arguments.into()].concat();
    Description {
        name: name.to_owned(),
        models: models(name).to_owned(),
        fingerprint,
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<think>"), Part::space("")],
                [Part::marker("</think>"), Part::space(layout.text)],
            ),
            Region::calls(
                [Part::space(layout.text)],
                Calls::of(call).between([Part::space(layout.text)]),
                [],
            ),
        ],
        stops: stops.iter().copied().map(String::from).collect(),
    }
}

/// The models that speak it.
fn models(name: &str) -> &'static str {
    match name {
        "glm@4.5" => "GLM-4.5, 4.6",
        "glm@4.7" => "GLM-4.7, 5",
        "glm@ling3" => "Ling 3",
        _ => "GLM-4.5 to 5.2, Ling 3",
    }
}
