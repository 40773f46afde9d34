//! What a template is given, and which template it is.

#![allow(clippy::expect_used)]

use callsign_core::{Message, Toolset};
use callsign_template::{ChatTemplate, Clock, Conversation, TemplateError, TemplateSource};

fn messages(json: &str) -> Vec<Message> {
    serde_json::from_str(json).expect("messages")
}

fn render(template: &str, conversation: &Conversation<'_>) -> String {
    let template = ChatTemplate::new(template).expect("a template");
    template.render(conversation).expect("a prompt")
}

#[test]
fn messages_come_as_transformers_hands_them_over() {
    let messages = messages(
        r#"[{"role": "developer", "content": "S"}, {"role": "user", "content": "U"},
            {"role": "assistant", "content": null, "reasoning_content": "R", "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{\"b\": 1.50, \"a\": null}"}}]},
            {"role": "tool", "tool_call_id": "1", "name": "f", "content": "T"}]"#,
    );
    let prompt = render(
        "{% for m in messages %}{{ m | tojson }}\n{% endfor %}",
        &Conversation::new(&messages),
    );
    insta::assert_snapshot!(prompt, @r#"
    {"role": "system", "content": "S"}
    {"role": "user", "content": "U"}
    {"thinking": "R", "role": "assistant", "content": "", "reasoning_content": "R", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": {"b": 1.5, "a": null}}}]}
    {"role": "tool", "content": "T", "tool_call_id": "1", "name": "f"}
    "#);
}

#[test]
fn tools_come_as_they_were_given() {
    let given = r#"[{"type": "function", "function": {"name": "z", "description": "é<", "parameters": {"type": "object", "properties": {"b": {"type": "integer"}, "a": {"default": 1e-7}}}}}, {"type": "function", "function": {"name": "none", "parameters": {}}}, {"type": "function", "function": {"name": "bare"}}]"#;
    let tools = Toolset::from_openai(given).expect("tools");
    assert_eq!(
        render("{{ tools | tojson }}", &Conversation::new(&[]).tools(&tools)),
        given.replace("1e-7", "1e-07")
    );
}

#[test]
fn no_tools_are_none() {
    let source = "{{ tools }} {{ tools is defined }} {{ documents }} {{ add_generation_prompt }}";
    assert_eq!(render(source, &Conversation::new(&[])), "None True None True");
    let none = Toolset::default();
    let conversation = Conversation::new(&[]).tools(&none).generation_prompt(false);
    assert_eq!(render(source, &conversation), "None True None False");
}

#[test]
fn kwargs_keep_their_order_and_replace_no_part_of_the_conversation() {
    let kwargs = r#"{"documents": [{"z": 1, "a": 2}], "messages": 5, "bos_token": "<k>"}"#;
    let conversation = Conversation::new(&[]).kwargs(kwargs).expect("kwargs");
    let source = TemplateSource::new("{{ bos_token }}{{ documents }}{{ messages }}")
        .token("bos_token", "<s>");
    let template = ChatTemplate::compile(&source).expect("a template");
    assert_eq!(template.render(&conversation).expect("a prompt"), "<k>[{'z': 1, 'a': 2}][]");
    assert_eq!(template.render(&Conversation::new(&[])).expect("a prompt"), "<s>None[]");
    assert!(Conversation::new(&[]).kwargs("[1]").is_err());
}

#[test]
fn unknown_tokens_of_a_template_alone_are_empty() {
    assert_eq!(render("{{ bos_token + 'a' + eos_token }}", &Conversation::new(&[])), "a");
    let source = TemplateSource::new("{{ bos_token is defined }}").token("eos_token", "</s>");
    let template = ChatTemplate::compile(&source).expect("a template");
    assert_eq!(template.render(&Conversation::new(&[])).expect("a prompt"), "False");
}

#[test]
fn tools_choose_the_template() {
    let source = TemplateSource::new("plain").named("tool_use", "tools").named("rag", "rag");
    let template = ChatTemplate::compile(&source).expect("templates");
    let tools = Toolset::from_openai(r#"[{"name": "f"}]"#).expect("tools");
    let conversation = Conversation::new(&[]);
    let rendered = |conversation: &Conversation<'_>| {
        template.render(conversation).map_err(|error| error.to_string())
    };
    assert_eq!(rendered(&conversation), Ok("plain".to_owned()));
    assert_eq!(rendered(&conversation.clone().tools(&tools)), Ok("tools".to_owned()));
    assert_eq!(rendered(&conversation.clone().template("rag").tools(&tools)), Ok("rag".to_owned()));
    assert_eq!(
        rendered(&conversation.clone().template("raq")),
        Err("there is no template `raq`; the model has default, rag, tool_use".to_owned())
    );
    assert_eq!(
        (template.source(false).ok(), template.source(true).ok()),
        (Some("plain"), Some("tools"))
    );
    let without_default =
        ChatTemplate::compile(&TemplateSource::default().named("rag", "")).expect("one");
    assert!(matches!(
        without_default.render(&conversation),
        Err(TemplateError::NoSuchTemplate { .. })
    ));
}

#[test]
fn the_clock_is_given() {
    let source = "{% if strftime_now is defined %}{{ strftime_now('%d %b %Y, %H:%M') }}{% else %}no clock{% endif %}";
    let at = |now: Clock| render(source, &Conversation::new(&[]).clock(now));
    assert_eq!(render(source, &Conversation::new(&[])), "no clock");
    assert_eq!(at("2026-11-30".parse().expect("a date")), "30 Nov 2026, 00:00");
    assert_eq!(at("2024-02-29T23:59:58".parse().expect("a time")), "29 Feb 2024, 23:59");
    assert_eq!(at(Clock::from_unix(1_700_000_000)), "14 Nov 2023, 22:13");
    assert_eq!(at(Clock::from_unix(-1)), "31 Dec 1969, 23:59");
    // Not a panic, whatever it says.
    assert!(
        !at(Clock::from_unix(i64::MAX)).is_empty() && !at(Clock::from_unix(i64::MIN)).is_empty()
    );
    assert_eq!(Clock::from_unix(0).strftime("%Q % %5"), "%Q % %5");
    let wrong = "yesterday".parse::<Clock>().expect_err("no time");
    assert_eq!(
        wrong.to_string(),
        "`yesterday` is no time: give a date, such as 2025-01-31 or 2025-01-31T12:30:00"
    );
}

#[test]
fn arguments_and_contents_come_in_the_shape_that_the_template_takes() {
    let messages = messages(
        r#"[{"role": "user", "content": "U"}, {"role": "assistant", "content": "", "tool_calls": [
            {"type": "function", "function": {"name": "f", "arguments": {"a": [true]}}}]}]"#,
    );
    let text = "{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{{ 'A: ' + c.function.arguments }}{% endfor %}{% endfor %}";
    assert_eq!(render(text, &Conversation::new(&messages)), r#"UA: {"a": [true]}"#);
    let printed = text.replace("'A: ' + ", "");
    assert_eq!(render(&printed, &Conversation::new(&messages)), r#"U{"a": [true]}"#);
    let json = text.replace("'A: ' + c.function.arguments", "c.function.arguments | tojson");
    assert_eq!(render(&json, &Conversation::new(&messages)), r#"U{"a": [true]}"#);
    let parts = "{% for m in messages %}{% for part in m.content %}{% if part.type == 'text' %}{{ part.text }};{% endif %}{% endfor %}{% endfor %}";
    assert_eq!(render(parts, &Conversation::new(&messages)), "U;;");
}
