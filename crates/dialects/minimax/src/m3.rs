//! MiniMax M3: calls as nested elements, each tag behind a token of its own.
//!
//! Models: MiniMax M3.
//!
//! ```text
//! ]<]minimax[>[<tool_call>
//! ]<]minimax[>[<invoke name="plot">]<]minimax[>[<title>Tide]<]minimax[>[</title>]<]minimax[>[<days>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[</days>]<]minimax[>[</invoke>
//! ]<]minimax[>[</tool_call>[e~[
//! ```
//!
//! The grammar is that of the chat template the model ships. `]<]minimax[>[` is
//! one token of the vocabulary and stands before every tag, so that values need
//! no escaping. The tag of an argument is its name. Objects nest under the names
//! of their members, arrays under `item`; there is no JSON at all, and the type
//! of what stands in an element is known from the schema alone. The template
//! leaves out arguments that are null. The turn ends with `[e~[`. There are no
//! ids.
//!
//! Reasoning is `<mm:think>…</mm:think>`. A turn without any begins with a bare
//! `</mm:think>`, which the prompt holds where thinking is off.
//!
//! Decided where servers disagree:
//!
//! - A union with string follows the rule for all dialects: another type is
//!   taken where the text is exactly one of it.
//! - An array whose items the schema does not describe holds texts.
//! - Arguments that the schema does not know are kept.
//! - An empty element is the empty string where the schema admits one.
//! - Tags without the token are text.

use callsign_core::Fingerprint;
use callsign_syntax::description::{
    Calls, Container, Description, Elements, Outside, Part, Region,
};

/// The token before every tag.
const NS: &str = "]<]minimax[>[";

/// The description of `minimax-m3`.
pub fn description() -> Description {
    let tag = |text: &str| [Part::marker(NS), Part::literal(text)];
    let elements = Elements { prefix: NS.to_owned(), item: "item".to_owned() };
    let head = [Part::Name, Part::literal("\">"), Part::Arguments(Container::Elements(elements))];
    let call = [&tag("<invoke name=\"")[..], &head, &tag("</invoke>")].concat();
    Description {
        name: "minimax-m3".to_owned(),
        models: "MiniMax M3".to_owned(),
        fingerprint: Fingerprint {
            all: [NS, "<tool_call>", "<invoke name="].map(String::from).into(),
            none: Vec::new(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::reasoning(
                [Part::marker("<mm:think>")],
                [Part::marker("</mm:think>"), Part::space("")],
            ),
            Region::calls(
                [&[Part::space("\n")], &tag("<tool_call>")[..], &[Part::space("\n")]].concat(),
                Calls::of(call).between([Part::space("\n")]),
                [&[Part::space("\n")], &tag("</tool_call>")[..]].concat(),
            ),
        ],
        stops: vec!["[e~[".to_owned()],
    }
}
