//! MiniCPM5: `<function name="NAME"><param name="KEY">` with raw values, or with
//! CDATA around them.
//!
//! Models: MiniCPM5-1B and -2B.
//!
//! ```text
//! TEXT
//! <function name="save_note"><param name="title">to do</param><param name="text"><![CDATA[milk & bread
//! salt]]></param></function>
//! ```
//!
//! The grammar is that of the chat template these models ship
//! (`chat_template.jinja`). A string that holds `<`, `&` or a newline stands in
//! CDATA, any other as it is; the template escapes nothing. All else is printed
//! by the template engine: Python's engine writes `True`, `None` and single
//! quotes, others write JSON, so both are read. Calls stand on lines of their
//! own, with nothing between the tags of one; models break lines and indent
//! there, too. `<function`, `</function>`, `<param` and `</param>` are special
//! tokens of the vocabulary: a decoder that skips those leaves nothing to read.
//! There are no ids.
//!
//! Reasoning stands in `<think>`; the prompt opens it, closes it or leaves it to
//! the model.
//!
//! Decided where servers disagree:
//!
//! - In CDATA a value is read to its end as it is, with `</param>` in it, too.
//!   Outside, entities are decoded, as in XML. No other dialect does that.
//! - White space of a value is the value's.
//! - A bare `<` or `&` in a value is text.
//! - Unknown, missing and repeated parameters, and unknown tools, are for the
//!   tool to refuse: the call is read.
//! - No name is replaced by another, and no parameter unwrapped.
//! - Either quote is read around a name.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint, Nulls};
use callsign_syntax::Compiled;
use callsign_syntax::description::{
    Calls, Codec, Container, Description, Frame, Outside, Part, Region, Value,
};

/// The dialect `minicpm5`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECT: LazyLock<Arc<Compiled>> = LazyLock::new(|| {
        let family = Compiled::builtin(reader());
        Arc::new(Compiled::builtin(describe(written)).reading_like(&family))
    });
    vec![DIALECT.clone()]
}

/// What `minicpm5` writes and is constrained to.
pub fn descriptions() -> Vec<Description> {
    vec![describe(written)]
}

/// What it is read by: either quote, and blanks behind it.
pub fn reader() -> Description {
    describe(|part| {
        let quoted = Part::one_of([
            vec![Part::literal("\""), part.clone(), Part::literal("\"")],
            vec![Part::literal("'"), part, Part::literal("'")],
        ]);
        vec![quoted, Part::space(""), Part::literal(">")]
    })
}

fn written(part: Part) -> Vec<Part> {
    vec![Part::literal("\""), part, Part::literal("\">")]
}

/// The description, with names between what `quoted` puts around them.
fn describe(quoted: fn(Part) -> Vec<Part>) -> Description {
    let value = Value { codec: Codec::Cdata, frame: Frame::None, nulls: Nulls::Python };
    let item = [
        vec![Part::marker("<param"), Part::literal(" name=")],
        quoted(Part::Key),
        vec![Part::Value(value), Part::marker("</param>"), Part::space("")],
    ]
    .concat();
    let call = [
        vec![Part::marker("<function"), Part::literal(" name=")],
        quoted(Part::Name),
        vec![Part::space(""), Part::Arguments(Container::each(item)), Part::marker("</function>")],
    ]
    .concat();
    Description {
        name: "minicpm5".to_owned(),
        models: "MiniCPM5".to_owned(),
        fingerprint: Fingerprint {
            all: ["<function name=\"", "<param name=\""].map(String::from).into(),
            none: ["<tool_call>", "<function="].map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<think>"), Part::space("\n")],
                [Part::space("\n"), Part::marker("</think>"), Part::space("\n\n")],
            ),
            Region::calls([Part::space("\n")], Calls::of(call).between([Part::space("\n")]), []),
        ],
        stops: ["<|im_end|>", "</s>"].map(String::from).into(),
    }
}
