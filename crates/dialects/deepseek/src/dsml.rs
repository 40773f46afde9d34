//! DSML: tags that hold the token `｜DSML｜`, and an attribute that says whether
//! a value is text.
//!
//! ```text
//! TEXT
//!
//! <｜DSML｜tool_calls>
//! <｜DSML｜invoke name="get_weather">
//! <｜DSML｜parameter name="city" string="true">Oslo</｜DSML｜parameter>
//! <｜DSML｜parameter name="days" string="false">3</｜DSML｜parameter>
//! </｜DSML｜invoke>
//! </｜DSML｜tool_calls>
//! ```
//!
//! The grammar is that of the encoders these models ship (`encoding/`) and of
//! the templates made after them. The variants differ in names:
//!
//! | name | models | block | tags |
//! |---|---|---|---|
//! | `deepseek-dsml@v3.2` | V3.2, V3.2-Speciale | `function_calls` | `invoke`, `parameter` |
//! | `deepseek-dsml`, `deepseek-dsml@v4` | V4, V4-Flash | `tool_calls` | `invoke`, `parameter` |
//! | `deepseek-dsml@v4.1` | V4.1-Flash | `⎵calls` | `⎵invoke`, `⎵parameter`, each with a leading blank |
//!
//! A value with `string="true"` stands as it is: nothing is escaped, trimmed or
//! framed. Any other is JSON. A call without arguments has an empty line. Of a
//! tag, `｜DSML｜` alone is a token. Reasoning has no white space around it; the
//! prompt opens or closes it, after a tool's result, too.
//!
//! Models mix the names of their generations, so one reader takes all of them,
//! and more than the encoders write: a tag that closes itself
//! (`<｜DSML｜invoke name="f"/>`), a JSON object in place of the parameters, and
//! either quote.
//!
//! Decided where servers disagree:
//!
//! - The block is needed: a call outside of one is text. Its end may be
//!   missing.
//! - The attribute beats the schema: `string="true"` around `3` is the text
//!   `3`. Text under `string="false"` that is no JSON stays text.
//! - A lone parameter called `arguments` or `input` is a parameter.
//! - Text after the block is text.

use callsign_core::Nulls;
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Each, Frame, Outside, Part, Region, TypeWords, Value,
};

use crate::{END_OF_SENTENCE, fingerprint, reasoning};

/// `deepseek-dsml` and its variants.
pub fn descriptions() -> Vec<Description> {
    let (v32, v4, v41) = ("function_calls>", "tool_calls>", " calls>");
    let dsml = "｜DSML｜";
    let variant = |name: &str, block: &str, gap: &str, all: &[&str], none: &[&str]| {
        let calls = Calls::of(call(gap)).between([Part::space("\n")]);
        let open = tag("<", block);
        let close = tag("</", block);
        Description {
            fingerprint: fingerprint(&[&[dsml], all].concat(), none),
            ..describe(name, vec![region(open, calls, close)])
        }
    };
    vec![
        variant("deepseek-dsml", v4, "", &[], &[v32, v4, v41]),
        variant("deepseek-dsml@v3.2", v32, "", &[v32], &[]),
        variant("deepseek-dsml@v4", v4, "", &[v4], &[v32, v41]),
        variant("deepseek-dsml@v4.1", v41, " ", &[v41], &[v32]),
    ]
}

/// What all of them are read by.
pub fn reader() -> Description {
    let block = |name: &str, gap: &str| {
        let [parameters, json, empty] = read_calls(gap);
        let calls = Calls::of(parameters).or(json).or(empty).between([Part::space("\n")]);
        region(tag("<", name), calls, tag("</", name))
    };
    let blocks = [block("tool_calls>", ""), block("function_calls>", ""), block(" calls>", " ")];
    describe("deepseek-dsml", blocks.into())
}

fn describe(name: &str, calls: Vec<Region>) -> Description {
    Description {
        name: name.to_owned(),
        models: models(name).to_owned(),
        outside: Outside::Text,
        regions: [vec![reasoning("", "")], calls].concat(),
        stops: vec![END_OF_SENTENCE.to_owned()],
        ..Description::default()
    }
}

fn region(open: Vec<Part>, calls: Calls, close: Vec<Part>) -> Region {
    Region::calls(
        [vec![Part::space("\n\n")], open, vec![Part::space("\n")]].concat(),
        calls,
        [vec![Part::space("\n")], close].concat(),
    )
}

fn tag(open: &str, name: &str) -> Vec<Part> {
    vec![Part::literal(open), Part::marker("｜DSML｜"), Part::literal(name)]
}

/// A call as it is written. What the names of its tags begin with is `gap`.
fn call(gap: &str) -> Vec<Part> {
    let tag = |open, name: &str| tag(open, &format!("{gap}{name}"));
    let item = [
        tag("<", "parameter name=\""),
        vec![
            Part::Key,
            Part::literal("\" string=\""),
            Part::Type(words()),
            Part::literal("\">"),
            Part::Value(value()),
        ],
        tag("</", "parameter>"),
    ]
    .concat();
    [
        tag("<", "invoke name=\""),
        vec![
            Part::Name,
            Part::literal("\">"),
            Part::space("\n"),
            Part::Arguments(Container::Each(Each { item, between: "\n".to_owned() })),
            Part::space("\n"),
        ],
        tag("</", "invoke>"),
    ]
    .concat()
}

/// Calls as they are read: with parameters, with a JSON object, with nothing.
fn read_calls(gap: &str) -> [Vec<Part>; 3] {
    let tag = |open, name: &str| tag(open, &format!("{gap}{name}"));
    let either = || Part::one_of([vec![Part::literal("\"")], vec![Part::literal("'")]]);
    let quoted = |part: Part| {
        Part::one_of([
            vec![Part::literal("\""), part.clone(), Part::literal("\"")],
            vec![Part::literal("'"), part, Part::literal("'")],
        ])
    };
    let item = [
        tag("<", "parameter name="),
        vec![
            quoted(Part::Key),
            Part::space(" "),
            Part::literal("string="),
            either(),
            Part::Type(words()),
            either(),
            Part::space(""),
            Part::literal(">"),
            Part::Value(value()),
        ],
        tag("</", "parameter>"),
    ]
    .concat();
    let head = [tag("<", "invoke name="), vec![quoted(Part::Name), Part::space("")]].concat();
    let open = [head.clone(), vec![Part::literal(">"), Part::space("\n")]].concat();
    let close = [vec![Part::space("\n")], tag("</", "invoke>")].concat();
    let each = Container::Each(Each { item, between: "\n".to_owned() });
    [
        [open.clone(), vec![Part::Arguments(each)], close.clone()].concat(),
        [open, vec![Part::Arguments(Container::Json)], close].concat(),
        [head, vec![Part::literal("/>")]].concat(),
    ]
}

fn words() -> TypeWords {
    TypeWords::Flag { text: "true".to_owned(), json: "false".to_owned() }
}

fn value() -> Value {
    Value { codec: Codec::Typed, frame: Frame::None, nulls: Nulls::Json }
}

/// The models that speak it.
fn models(name: &str) -> &'static str {
    match name {
        "deepseek-dsml@v3.2" => "DeepSeek V3.2",
        "deepseek-dsml@v4" => "DeepSeek V4",
        "deepseek-dsml@v4.1" => "DeepSeek V4.1",
        _ => "DeepSeek V3.2, V4, V4.1",
    }
}
