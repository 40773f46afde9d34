//! Mistral: `[TOOL_CALLS]`, in three wire versions.
//!
//! Models: Mistral 7B v0.3, Mixtral 8x22B, Nemo, Large, Small 3.1 and Pixtral
//! write an array (`mistral@v3`); Small 3.2 writes a name, an id and arguments
//! (`mistral@v11`); Devstral from 2507 on, Magistral from 2507 on, Ministral 3
//! and Large 3 write a name and arguments (`mistral@v13`). The name `mistral`
//! stands for the newest.
//!
//! ```text
//! v3   TEXT[TOOL_CALLS][{"name": "get_weather", "arguments": {"city": "Oslo"}, "id": "a1b2c3d4e"}]
//! v11  [TOOL_CALLS]get_weather[CALL_ID]a1b2c3d4e[ARGS]{"city": "Oslo"}
//! v13  TEXT[TOOL_CALLS]get_weather[ARGS]{"city": "Oslo"}[TOOL_CALLS]list_files[ARGS]{}
//! ```
//!
//! The grammar is that of the tokenizers in `mistral-common`, which the chat
//! templates of these models follow. The vocabulary holds every marker in
//! brackets as one token. Several calls are one array, or each has a marker of
//! its own. Ids are nine letters and digits; only v3 and v11 write them, and a
//! model leaves them out of an array as often as not. The turn ends with `</s>`.
//!
//! Reasoning models (Magistral, Ministral 3 Reasoning) write
//! `[THINK]…[/THINK]` before anything else. No prompt opens it for them.
//!
//! Every version is read under every name: what follows the marker, a bracket
//! or a name, tells them apart. Written and constrained is what the name says.
//!
//! Decided where servers disagree:
//!
//! - White space after a marker and between the parts of the array is free:
//!   some templates print a blank before the array, some do not.
//! - Ids that the model writes are kept.
//! - An array may lack its bracket, and several arrays in one turn are read.
//! - `[ARGS]` may be missing: some servers strip it from the text.
//! - A marker inside a string of the arguments is part of the string.
//! - What follows the last call is text. `[/TOOL_CALLS]`, which no vocabulary
//!   holds and some fine-tunes write, is markup.
//! - Broken arguments make no call.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Object, Outside, Part, Region};

/// The dialects `mistral`, `mistral@v3`, `mistral@v11` and `mistral@v13`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let compiled = |description| Arc::new(Compiled::builtin(description)) as Arc<dyn Dialect>;
        descriptions().into_iter().map(compiled).collect()
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in their order.
pub fn descriptions() -> Vec<Description> {
    vec![
        described("mistral", Version::V13),
        described("mistral@v3", Version::V3),
        described("mistral@v11", Version::V11),
        described("mistral@v13", Version::V13),
    ]
}

/// The version that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V3,
    V11,
    V13,
}

fn described(name: &str, version: Version) -> Description {
    let reasoning = Region::reasoning([Part::marker("[THINK]")], [Part::marker("[/THINK]")]);
    let regions = match version {
        Version::V3 => vec![reasoning, array(), named(without_id(), with_id())],
        Version::V11 => vec![reasoning, named(with_id(), without_id()), array()],
        Version::V13 => vec![reasoning, named(without_id(), with_id()), array()],
    };
    let (all, none): (&[&str], &[&str]) = match version {
        Version::V3 => (&["[TOOL_CALLS]"], &["[ARGS]", "[CALL_ID]"]),
        Version::V11 => (&["[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"], &[]),
        Version::V13 => (&["[TOOL_CALLS]", "[ARGS]"], &["[CALL_ID]"]),
    };
    let owned = |texts: &[&str]| texts.iter().copied().map(String::from).collect();
    Description {
        name: name.to_owned(),
        models: models(name).to_owned(),
        fingerprint: Fingerprint { all: owned(all), none: owned(none) },
        outside: Outside::Text,
        regions,
        stops: vec!["</s>".to_owned()],
    }
}

/// All calls in one array.
fn array() -> Region {
    let call = Object { id: Some("id".to_owned()), ..Object::new("name", "arguments") };
    let open = [Part::marker("[TOOL_CALLS]"), Part::space(""), Part::literal("["), Part::space("")];
    let between = [Part::space(""), Part::literal(","), Part::space(" ")];
    let close = [Part::space(""), Part::literal("]"), stray_closer()];
    Region::calls(open, Calls::of([Part::Object(call)]).between(between), close)
}

/// Each call behind a marker of its own: a name, perhaps an id, and arguments.
fn named(written: Vec<Part>, read: Vec<Part>) -> Region {
    Region::calls(
        [Part::marker("[TOOL_CALLS]"), Part::space("")],
        Calls::of(written).or(read).apart(""),
        [],
    )
}

fn without_id() -> Vec<Part> {
    [vec![Part::Name, Part::space("")], arguments()].concat()
}

fn with_id() -> Vec<Part> {
    let id =
        [Part::marker("[CALL_ID]"), Part::space(""), Part::Id(vec![Part::Word]), Part::space("")];
    [vec![Part::Name, Part::space("")], id.into(), arguments()].concat()
}

fn arguments() -> Vec<Part> {
    let marker = Part::maybe(true, [Part::marker("[ARGS]")]);
    vec![marker, Part::space(""), Part::Arguments(Container::Json), stray_closer()]
}

/// No vocabulary holds it, but some fine-tunes write it.
fn stray_closer() -> Part {
    Part::maybe(false, [Part::literal("[/TOOL_CALLS]")])
}

/// The models that speak it.
fn models(name: &str) -> &'static str {
    match name {
        "mistral@v3" => "Mistral 7B v0.3, Nemo, Large 2, Small 3.1",
        "mistral@v11" => "Mistral Small 3.2",
        "mistral@v13" => "Devstral, Magistral, Ministral 3, Large 3",
        _ => "Mistral 7B v0.3 to Large 3, Devstral, Magistral",
    }
}
