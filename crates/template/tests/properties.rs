//! Whatever the template and the conversation: an answer, never a panic.

#![allow(clippy::expect_used)]

use std::collections::BTreeMap;

use callsign_core::{Arguments, Message, Role, ToolCall, Toolset};
use callsign_template::{ChatTemplate, Clock, Conversation, TemplateSource};
use proptest::prelude::*;
use serde_json::value::RawValue;

/// Pieces that templates are made of, some of them broken.
const PIECES: [&str; 60] = [
    "{{",
    "}}",
    "{%",
    "%}",
    "{%-",
    "-%}",
    "{#",
    "#}",
    "{{-",
    "-}}",
    " ",
    "\n",
    "\r\n",
    "é",
    "'",
    "\"",
    "messages",
    "tools",
    "m",
    "m.content",
    "m['role']",
    "m.tool_calls",
    "loop.index",
    "loop.previtem",
    "for m in messages",
    "endfor",
    "if m",
    "elif",
    "else",
    "endif",
    "set x = ",
    "set x",
    "endset",
    "macro f(a)",
    "endmacro",
    "f(m)",
    "generation",
    "endgeneration",
    "raw",
    "endraw",
    "break",
    "continue",
    "| tojson",
    "| tojson(indent=2)",
    "| trim",
    "| items",
    "| length",
    "| join(', ')",
    "| string",
    "| default('')",
    ".items()",
    ".split('a')",
    "[::-1]",
    "[1:]",
    "+",
    "~",
    "==",
    "is mapping",
    "raise_exception('no')",
    "strftime_now('%Y')",
];

fn template() -> impl Strategy<Value = String> {
    let sound = prop_oneof![
        prop::sample::select(&PIECES[..]).prop_map(|piece| format!("{{{{ {piece} }}}}")),
        prop::sample::select(&PIECES[..]).prop_map(|piece| format!(
            "{{% for m in messages %}}{{{{ m {piece} }}}}{{% endfor %}}"
        )),
    ];
    let piece = prop_oneof![
        4 => prop::sample::select(&PIECES[..]).prop_map(str::to_owned),
        2 => sound,
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop::sample::select(vec![Role::System, Role::User, Role::Assistant, Role::Tool]);
    let arguments =
        r#"\{"a": ("[a-z]{0,9}"|-?[1-9][0-9]{0,40}|[1-9]e-?[0-9]{1,3}|null|\[\[\], \{\}\])\}"#;
    (
        role,
        any::<String>(),
        prop::option::of(any::<String>()),
        prop::collection::vec(arguments, 0..3),
    )
        .prop_map(|(role, content, reasoning, calls)| {
            let mut message = Message::new(role, content);
            message.reasoning_content = reasoning;
            let calls =
                calls.into_iter().map(|text| Arguments::from_json(text).expect("arguments"));
            message.calls = calls.map(|arguments| ToolCall::new("f", arguments)).collect();
            message
        })
}

proptest! {
    #[test]
    fn any_template_and_any_conversation_have_an_answer(
        source in template(),
        messages in prop::collection::vec(message(), 0..4),
        seconds in any::<i64>(),
    ) {
        let tools = Toolset::from_openai(r#"[{"name": "f", "parameters": {"type": "object"}}]"#).expect("tools");
        let conversation = Conversation::new(&messages).tools(&tools).clock(Clock::from_unix(seconds));
        match ChatTemplate::compile(&TemplateSource::new(&*source).token("bos_token", "<s>")) {
            Ok(template) => {
                let rendered = template.render(&conversation).map_err(|error| error.to_string());
                let again = template.render(&conversation).map_err(|error| error.to_string());
                prop_assert_eq!(rendered, again);
                let _ = template.probes();
            }
            Err(error) => prop_assert!(error.to_string().starts_with("chat template:")),
        }
    }

    #[test]
    fn json_is_printed_as_it_is_read(value in "[ -~é漢😀\u{0}-\u{1f}]{0,40}", number in any::<f64>()) {
        prop_assume!(number.is_finite());
        let json = serde_json::json!({ "text": value, "number": number, "list": [value, true, null, []] });
        let conversation = Conversation::new(&[]).kwarg("x", &json).expect("JSON");
        let template = ChatTemplate::new("{{ x | tojson }}").expect("a template");
        let prompt = template.render(&conversation).expect("a prompt");
        // Floats are compared as the standard library reads them, which is exact.
        let mut printed: BTreeMap<String, Box<RawValue>> = serde_json::from_str(&prompt).expect("JSON");
        let printed_number = printed.remove("number").expect("a number");
        prop_assert_eq!(printed_number.get().parse(), Ok(number));
        for (name, printed) in printed {
            let printed: serde_json::Value = serde_json::from_str(printed.get()).expect("JSON");
            prop_assert_eq!(&printed, &json[&name]);
        }
    }
}
