//! Kimi K3: a message of channels, and calls as elements with typed arguments.
//!
//! Models: Kimi K3.
//!
//! ```text
//! <|open|>think<|sep|>PLAN<|close|>think<|sep|>
//! <|open|>response<|sep|>TEXT<|close|>response<|sep|>
//! <|open|>tools<|sep|>
//! <|open|>call tool="get_weather" index="1"<|sep|>
//! <|open|>argument key="city" type="string"<|sep|>Oslo<|close|>argument<|sep|>
//! <|close|>call<|sep|>
//! <|close|>tools<|sep|>
//! <|close|>message<|sep|><|end_of_msg|>
//! ```
//!
//! (On one line: there is no white space between elements.) The grammar is that
//! of the encoder in the model's repository (`encoding_k3.py`); the repository
//! has no chat template, but some servers carry one. The vocabulary holds
//! `<|open|>`, `<|close|>`, `<|sep|>` and `<|end_of_msg|>` as tokens; the words
//! between them are ordinary text. The prompt opens `think` or `response`, so
//! the output begins inside: readers need the tail of the prompt.
//!
//! The type of an argument is stated: `string` is text as it is, anything else
//! is JSON. Arguments that a client gave as a text come back from the encoder as
//! one element `json`. Calls are numbered from 1 in each message; there are no
//! ids.
//!
//! Decided where servers disagree:
//!
//! - The stated type goes before the schema.
//! - The element `json` is read, and so is a call without an index.
//! - Text between channels is markup; an output without any channel is text.
//! - Attributes are taken as they are: `&amp;` and `&quot;` in a name or a key
//!   are not decoded.

use callsign_core::{Fingerprint, Nulls};
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Frame, Outside, Part, Region, TypeWords, Value,
};

/// The description of `kimi-k3`.
pub fn description() -> Description {
    Description {
        name: "kimi-k3".to_owned(),
        models: "Kimi K3".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|open|>", "<|close|>", "<|sep|>"].map(String::from).into(),
            none: Vec::new(),
        },
        outside: Outside::Framing,
        regions: vec![
            Region::reasoning(open("think", &[]), close("think")),
            Region::content(open("response", &[]), close("response")),
            Region::calls(
                [open("tools", &[]), gap()].concat(),
                Calls::of(call()).between(gap()),
                [gap(), close("tools")].concat(),
            ),
        ],
        stops: vec!["<|end_of_msg|>".to_owned()],
    }
}

fn call() -> Vec<Part> {
    let index = [Part::literal(" index=\""), Part::Index(1), Part::literal("\"")];
    let attributes =
        [Part::literal(" tool=\""), Part::Name, Part::literal("\""), Part::maybe(true, index)];
    let json = [
        open("json", &[Part::literal(" type=\"object\"")]),
        [gap(), vec![Part::Arguments(Container::Json)], gap()].concat(),
        close("json"),
        gap(),
    ];
    let arguments =
        Part::one_of([vec![Part::Arguments(Container::each(argument()))], json.concat()]);
    [open("call", &attributes), gap(), vec![arguments], close("call")].concat()
}

fn argument() -> Vec<Part> {
    let attributes = [
        Part::literal(" key=\""),
        Part::Key,
        Part::literal("\" type=\""),
        Part::Type(TypeWords::Names),
        Part::literal("\""),
    ];
    let value = Value { codec: Codec::Typed, frame: Frame::None, nulls: Nulls::Json };
    [open("argument", &attributes), vec![Part::Value(value)], close("argument")].concat()
}

/// The encoder writes no white space between elements.
fn gap() -> Vec<Part> {
    vec![Part::space("")]
}

fn open(name: &str, attributes: &[Part]) -> Vec<Part> {
    let begin = [Part::marker("<|open|>"), Part::literal(name)];
    [&begin[..], attributes, &[Part::marker("<|sep|>")]].concat()
}

fn close(name: &str) -> Vec<Part> {
    vec![Part::marker("<|close|>"), Part::literal(name), Part::marker("<|sep|>")]
}
