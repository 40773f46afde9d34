//! Llama 3.1 to 4: a call is the whole turn, as JSON or as a Python list.
//!
//! Models: Llama 3.1, 3.2 and 3.3 Instruct (`llama3`), Llama 4 Scout and
//! Maverick (`llama4-json` as their own template has it, `llama4-pythonic` as
//! Meta's system prompt asks for it), and fine-tunes that keep the template.
//! Fine-tunes with markers of their own (Hermes 3, Functionary, R1 distills) are
//! other dialects.
//!
//! ```text
//! {"name": "get_weather", "parameters": {"city": "Oslo"}}
//! {"name": "a", "parameters": {}}; {"name": "b", "parameters": {}}
//! <|python_tag|>web_search.call(query="weather Oslo")
//! <|python_tag|>print(6 * 7)
//! [get_weather(city="Oslo", days=3), server_time()]
//! ```
//!
//! The grammar is that of the chat templates these models ship
//! (`tokenizer_config.json`; for Llama 4 also the conversion script of the
//! transformers library) and of Meta's prompt format pages. There are no ids, no
//! reasoning, and `<|eom_id|>` or `<|eom|>` ends a turn of calls as well as
//! `<|eot_id|>` or `<|eot|>` does.
//!
//! Decided where servers disagree:
//!
//! - Bare JSON or a bare list is a call only if the whole turn is calls of
//!   declared tools: prose with a JSON object in it, or a record with a `name`,
//!   is text. After a token of the vocabulary (`<|python_tag|>`,
//!   `<|python_start|>`) a call is a call, wherever it stands and whatever its
//!   name.
//! - `parameters` and `arguments` are the same, in any order of the keys, and
//!   other keys such as `type` do not matter.
//! - Between two objects stand `; `, white space or nothing.
//! - A built-in tool is called like any other (`name.call(k="v")`); such calls
//!   are what `llama3@builtin` writes. A turn that goes on otherwise after
//!   `<|python_tag|>` is the `code` of `code_interpreter`, if such a tool is
//!   offered.
//! - The two dialects of Llama 4 read each other's calls: the model mixes them up.

mod llama3;
mod llama4;

use std::sync::{Arc, LazyLock};

use callsign_core::Dialect;
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Object, Part};

/// Every dialect of this crate.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let llama3 = Compiled::builtin(llama3::json());
        let builtin = Compiled::builtin(llama3::builtin()).reading_like(&llama3);
        let llama4 = Compiled::builtin(llama4::json());
        let pythonic = Compiled::builtin(llama4::pythonic()).reading_like(&llama4);
        vec![Arc::new(llama3), Arc::new(builtin), Arc::new(llama4), Arc::new(pythonic)]
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in the same order.
pub fn descriptions() -> Vec<Description> {
    vec![llama3::json(), llama3::builtin(), llama4::json(), llama4::pythonic()]
}

/// `{"name": "f", "parameters": {…}}`, with this written between two of them.
fn objects(between: [Part; 3]) -> Calls {
    let object = Object {
        name: vec!["name".to_owned()],
        arguments: ["parameters", "arguments"].map(String::from).into(),
        id: None,
    };
    Calls::of([Part::Object(object)]).between(between)
}

/// `f(k=v)`.
fn python_call() -> [Part; 4] {
    [Part::Name, Part::literal("("), Part::Arguments(Container::Python), Part::literal(")")]
}
