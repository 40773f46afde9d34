//! Llama 4: JSON objects one after the other, or a Python list.
//!
//! The model's own template puts the text that comes with calls between
//! `<|python_start|>` and `<|python_end|>` and the calls behind them. The model
//! itself just as often puts the calls between these two.

use callsign_core::Fingerprint;
use callsign_syntax::description::{Calls, Description, Outside, Part, Region};

use crate::{objects, python_call};

/// `llama4-json`: writes objects.
pub(crate) fn json() -> Description {
    Description {
        name: "llama4-json".to_owned(),
        models: "Llama 4 by its own template".to_owned(),
        fingerprint: Fingerprint {
            all: vec!["<|header_start|>".to_owned()],
            none: ["func_name1(", "<tool_call>"].map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![
            Region::calls([], many_objects().whole_turn(), []),
            bare_list(),
            Region::calls([Part::marker("<|python_end|>")], many_objects(), []),
            Region::calls(
                [Part::marker("<|python_start|>")],
                many_objects(),
                [Part::marker("<|python_end|>")],
            ),
            marked_list(),
            Region::content([Part::marker("<|python_start|>")], [Part::marker("<|python_end|>")]),
        ],
        stops: ["<|eot|>", "<|eom|>", "<|end_of_text|>"].map(String::from).into(),
    }
}

/// `llama4-pythonic`: writes a list.
pub(crate) fn pythonic() -> Description {
    let mut regions = json().regions;
    regions.swap(0, 1);
    Description {
        name: "llama4-pythonic".to_owned(),
        models: "Llama 4 by Meta's prompt".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|header_start|>", "func_name1("].map(String::from).into(),
            none: vec!["<tool_call>".to_owned()],
        },
        regions,
        ..json()
    }
}

fn many_objects() -> Calls {
    let semicolon = Part::maybe(false, [Part::literal(";")]);
    objects([Part::space(""), semicolon, Part::space("")])
}

fn list() -> Calls {
    Calls::of(python_call()).between([Part::space(""), Part::literal(","), Part::space(" ")])
}

fn bare_list() -> Region {
    Region::calls(
        [Part::literal("["), Part::space("")],
        list().whole_turn(),
        [Part::space(""), Part::literal("]")],
    )
}

fn marked_list() -> Region {
    let open = [Part::marker("<|python_start|>"), Part::literal("["), Part::space("")];
    // The bracket is the list's end, with or without the token behind it.
    let end = Part::one_of([vec![Part::marker("<|python_end|>")], Vec::new()]);
    Region::calls(open, list(), [Part::space(""), Part::literal("]"), end])
}
