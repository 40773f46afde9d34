//! Harmony: messages with a channel, and a recipient where one is a call.
//!
//! Models: gpt-oss 20B and 120B, gpt-oss-safeguard and their fine-tunes.
//!
//! ```text
//! <|channel|>analysis<|message|>They want the weather.<|end|>
//! <|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>
//! ```
//!
//! (On one line: there is no white space between messages.) The grammar is that
//! of OpenAI's `openai-harmony` renderer and of the chat template that gpt-oss
//! ships. The prompt ends with `<|start|>assistant`, so the first message lacks
//! it. A message is a header, `<|message|>`, a body and a token that ends it.
//! Everything outside of bodies is markup. What a body is, the header says:
//!
//! - channel `analysis`: reasoning;
//! - channels `final` and `commentary` without a recipient: text for the user;
//! - any channel with a recipient: a call, its arguments one JSON object. The
//!   recipient stands behind the channel or, as the template prints calls of
//!   earlier turns, behind the role:
//!   ` to=functions.get_weather<|channel|>commentary json<|message|>{…}<|call|>`.
//!
//! `<|constrain|>` and the type of the content (`json`) come and go. Messages
//! end with `<|end|>`, the last one with `<|return|>`, a call with `<|call|>`.
//! The last two end the turn, so that a server that stops there sees one call a
//! turn. The vocabulary holds everything between `<|` and `|>` as one token.
//! There are no ids: results are matched by the name of the tool.
//!
//! Decided where servers disagree:
//!
//! - Both header orders are calls, in either channel.
//! - A recipient needs no `functions.` behind a channel or the model's own role:
//!   nothing else takes JSON, and a name that is not declared is for dispatch to
//!   refuse. Code for a built-in tool is no JSON and so no call, and nothing
//!   for the user either.
//! - A dotted name stays whole but for the namespace.
//! - Several calls in one output are all read.
//! - An empty body that `<|call|>` ends is a call without arguments.
//! - A repeated `<|start|>` and a header that was begun and given up are markup. A
//!   message of another role, which the model makes up, is read by its channel,
//!   as its own would be; it is never a call. An output without any header is
//!   text.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Outside, Part, Region};

/// The dialect `harmony`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECT: LazyLock<Arc<Compiled>> =
        LazyLock::new(|| Arc::new(Compiled::builtin(description())));
    vec![DIALECT.clone()]
}

/// What the dialect is compiled from.
pub fn descriptions() -> Vec<Description> {
    vec![description()]
}

fn description() -> Description {
    let end = || [Part::one_of([vec![Part::marker("<|end|>")], vec![Part::marker("<|return|>")]])];
    let call = |header: fn() -> Vec<Part>| {
        [header(), body(), vec![Part::Arguments(Container::Json)]].concat()
    };
    let empty =
        |header: fn() -> Vec<Part>| [header(), body(), vec![Part::marker("<|call|>")]].concat();
    let calls = Calls::of(call(behind_channel))
        .or(call(behind_role))
        .or(empty(behind_channel))
        .or(empty(behind_role))
        .apart("<|start|>assistant");
    Description {
        name: "harmony".to_owned(),
        models: "gpt-oss".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|channel|>", "<|message|>"].map(String::from).into(),
            // The same tokens with blanks around them, another wire.
            none: vec!["chat_format=llm-jp-harmony-v1".to_owned()],
        },
        outside: Outside::Framing,
        regions: vec![
            Region::reasoning(text_of(&["analysis"]), end()),
            Region::content(text_of(&["final", "commentary"]), end()),
            Region::calls([], calls, [Part::space(""), Part::marker("<|call|>")]),
        ],
        stops: vec![],
    }
}

/// The header of a message that is text in one of these channels.
fn text_of(channels: &[&str]) -> Vec<Part> {
    [start(vec![]), channel(channels), content_type(false), vec![message()]].concat()
}

/// `<|channel|>commentary to=functions.NAME`
fn behind_channel() -> Vec<Part> {
    let recipient =
        [Part::literal(" to="), Part::maybe(true, [Part::literal("functions.")]), Part::Name];
    [start(vec![]), channel(&["commentary", "analysis"]), recipient.into()].concat()
}

/// ` to=functions.NAME<|channel|>commentary`; the blank is the role's. Without
/// the namespace the role must be there: what a tool answers is ` to=assistant`.
fn behind_role() -> Vec<Part> {
    let function = [start(vec![Part::literal(" ")]), vec![Part::literal("to=functions.")]].concat();
    let any = vec![Part::marker("<|start|>"), Part::literal("assistant to=")];
    let recipient = vec![Part::one_of([function, any]), Part::Name];
    [recipient, channel(&["commentary", "analysis"])].concat()
}

/// The start of a message, which the prompt may hold.
fn start(gap: Vec<Part>) -> Vec<Part> {
    let start = vec![Part::marker("<|start|>"), Part::literal("assistant")];
    vec![Part::maybe(false, [start, gap].concat())]
}

fn channel(names: &[&str]) -> Vec<Part> {
    let names = names.iter().map(|name| vec![Part::literal(name)]).collect();
    vec![Part::marker("<|channel|>"), Part::OneOf(names)]
}

/// ` <|constrain|>json`, or less. The blank may be missing before a token, but
/// not between a name and a word.
fn content_type(written: bool) -> Vec<Part> {
    let constrain = || Part::marker("<|constrain|>");
    let word = || {
        let words = ["json", "JSON", "code"].map(|word| vec![Part::literal(word)]);
        Part::maybe(true, [Part::one_of(words)])
    };
    let blank = || Part::literal(" ");
    let apart = vec![blank(), Part::maybe(true, [constrain()]), word()];
    let some = Part::one_of([apart, vec![constrain(), word()]]);
    vec![Part::maybe(written, [some]), Part::maybe(false, [blank()])]
}

/// What stands between the header of a call and its arguments.
fn body() -> Vec<Part> {
    [content_type(true), vec![message(), Part::space("")]].concat()
}

fn message() -> Part {
    Part::marker("<|message|>")
}
