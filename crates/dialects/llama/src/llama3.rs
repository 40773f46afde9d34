//! Llama 3.1 to 3.3: a JSON object, or what follows `<|python_tag|>`.

use callsign_core::Fingerprint;
use callsign_syntax::description::{Calls, Container, Description, Outside, Part, Region};

use crate::{objects, python_call};

/// `llama3`: writes objects.
pub(crate) fn json() -> Description {
    // Other families that keep the header of a turn, and what they print.
    let others = [
        "<tool_call>",
        "<function=",
        ">>>all",
        "functools[",
        "func_name1(",
        "<TOOLCALL>",
        "[TOOL_CALLS]",
        "<｜tool▁calls▁begin｜>",
    ];
    Description {
        name: "llama3".to_owned(),
        models: "Llama 3.1, 3.2, 3.3".to_owned(),
        fingerprint: Fingerprint {
            all: ["<|start_header_id|>", "\"parameters\": "].map(String::from).into(),
            none: others.map(String::from).into(),
        },
        outside: Outside::Text,
        regions: vec![bare_objects(), tagged_objects(), builtin_calls(), code()],
        stops: ["<|eot_id|>", "<|eom_id|>", "<|end_of_text|>"].map(String::from).into(),
    }
}

/// `llama3@builtin`: writes calls of built-in tools.
pub(crate) fn builtin() -> Description {
    Description {
        name: "llama3@builtin".to_owned(),
        models: "Llama 3.1 and 3.3 with builtin tools".to_owned(),
        fingerprint: Fingerprint::default(),
        regions: vec![builtin_calls(), bare_objects(), tagged_objects(), code()],
        ..json()
    }
}

fn bare_objects() -> Region {
    Region::calls([], between_objects().whole_turn(), [])
}

fn tagged_objects() -> Region {
    Region::calls([tag()], between_objects(), [])
}

fn between_objects() -> Calls {
    let semicolon = Part::maybe(true, [Part::literal(";")]);
    objects([Part::space(""), semicolon, Part::space(" ")])
}

/// The call of a built-in tool: a method of it.
fn builtin_calls() -> Region {
    let [name, parenthesis, arguments, end] = python_call();
    let call = [name, Part::literal(".call"), parenthesis, arguments, end];
    Region::calls([tag()], Calls::of(call).apart(""), [])
}

/// Raw code: all of the turn, for prose that mentions the tag must not be run.
fn code() -> Region {
    let rest = Container::Rest { tool: "code_interpreter".to_owned(), key: "code".to_owned() };
    Region::calls([tag()], Calls::of([Part::Arguments(rest)]).whole_turn(), [])
}

fn tag() -> Part {
    Part::marker("<|python_tag|>")
}
