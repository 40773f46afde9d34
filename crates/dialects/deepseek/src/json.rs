//! JSON between call markers: DeepSeek V3 and R1 with a fence, V3.1 without.
//!
//! ````text
//! <｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
//! ```json
//! {"city": "Oslo"}
//! ```<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ````
//!
//! ```text
//! TEXT<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Oslo"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>
//! ```
//!
//! The grammar is that of the chat templates of these models
//! (`tokenizer_config.json`). In V3 the word `function` stands where V3.1 has
//! the name, calls stand on lines of their own, and R1 reasons on lines of its
//! own; in V3.1 nothing separates anything. All markers are tokens of the
//! vocabulary. The prompt of R1 opens the reasoning, that of V3.1 opens or
//! closes it, V3 has none.
//!
//! Models keep the habits of their elders, so one reader takes both bodies, and
//! a third one: a call as one JSON object, which the first templates printed.
//! `function` is a type only where a name and a fence follow; else it is a tool
//! of that name.
//!
//! Decided where servers disagree:
//!
//! - `<｜tool▁calls▁begin｜>` is needed: a call without it is text.
//! - A call without arguments is a call with `{}`.
//! - Arguments that are no JSON object are a broken call. Nobody can tell which
//!   key was meant.
//! - Text after the block is text.

use callsign_syntax::description::{Calls, Container, Description, Object, Outside, Part, Region};

use crate::{END_OF_SENTENCE, fingerprint, reasoning};

/// `deepseek-v3` and `deepseek-v31`.
pub fn descriptions() -> Vec<Description> {
    let v3 = describe(
        "deepseek-v3",
        [reasoning("\n", "\n\n"), block(Calls::of(fenced(false)).between([Part::space("\n")]))],
    );
    let v31 = describe(
        "deepseek-v31",
        [reasoning("", ""), block(Calls::of(bare(false)).between([Part::space("")]))],
    );
    let begin = ["<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>"];
    vec![
        Description { fingerprint: fingerprint(&[&begin[..], &[FENCE]].concat(), &[]), ..v3 },
        Description { fingerprint: fingerprint(&begin, &[FENCE]), ..v31 },
    ]
}

/// What both of them are read by.
pub fn reader() -> Description {
    let object = Object {
        name: vec!["name".to_owned()],
        arguments: vec!["parameters".to_owned(), "arguments".to_owned()],
        id: None,
    };
    let object = [
        Part::marker("<｜tool▁call▁begin｜>"),
        Part::space(""),
        Part::Object(object),
        Part::space(""),
        Part::marker("<｜tool▁call▁end｜>"),
    ];
    let calls = Calls::of(fenced(true)).or(bare(true)).or(object).between([Part::space("\n")]);
    describe("deepseek-v3", [reasoning("\n", "\n\n"), block(calls)])
}

const FENCE: &str = "```json";

fn describe(name: &str, regions: [Region; 2]) -> Description {
    Description {
        name: name.to_owned(),
        models: models(name).to_owned(),
        outside: Outside::Text,
        regions: regions.into(),
        stops: vec![END_OF_SENTENCE.to_owned()],
        ..Description::default()
    }
}

fn block(calls: Calls) -> Region {
    Region::calls(
        [Part::marker("<｜tool▁calls▁begin｜>"), Part::space("")],
        calls,
        [Part::space(""), Part::marker("<｜tool▁calls▁end｜>")],
    )
}

/// A call of V3; without its arguments, too, if they are `optional`.
fn fenced(optional: bool) -> Vec<Part> {
    let arguments = vec![
        Part::literal("\n"),
        Part::space(""),
        Part::literal(FENCE),
        Part::space("\n"),
        Part::Arguments(Container::Json),
        Part::space("\n"),
        Part::literal("```"),
        Part::space(""),
    ];
    let head = [
        Part::marker("<｜tool▁call▁begin｜>"),
        Part::literal("function"),
        Part::marker("<｜tool▁sep｜>"),
        Part::Name,
    ];
    let end = vec![Part::marker("<｜tool▁call▁end｜>")];
    [head.into(), perhaps(optional, arguments), end].concat()
}

/// A call of V3.1; without its arguments, too, if they are `optional`.
fn bare(optional: bool) -> Vec<Part> {
    let head = [
        Part::marker("<｜tool▁call▁begin｜>"),
        Part::Name,
        Part::marker("<｜tool▁sep｜>"),
        Part::space(""),
    ];
    let end = [Part::space(""), Part::marker("<｜tool▁call▁end｜>")];
    [head.into(), perhaps(optional, vec![Part::Arguments(Container::Json)]), end.into()].concat()
}

fn perhaps(optional: bool, parts: Vec<Part>) -> Vec<Part> {
    if optional { vec![Part::maybe(true, parts)] } else { parts }
}

/// The models that speak it.
fn models(name: &str) -> &'static str {
    match name {
        "deepseek-v3" => "DeepSeek V3, R1",
        _ => "DeepSeek V3.1, V3.2-Exp",
    }
}
