//! Vectors of our own: what is compared, and how.

use callsign::Turn;
use callsign_template::ChatTemplate;
use serde_json::{Value, json};

use super::{Outcome, Spoken, Templates, Vector};
use crate::tally::Verdict;

/// A template that writes calls as Hermes does.
const HERMES: &str = "{% if tools %}<tools>{{ tools | tojson }}</tools>{% endif %}\
    {% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}\
    {% for c in m.tool_calls or [] %}<tool_call>\n\
    {\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments | tojson }}}\n\
    </tool_call>{% endfor %}<|im_end|>\n{% endfor %}\
    {% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

/// A vector of one call, with other fields.
fn vector(other: Value) -> String {
    let mut line = json!({
        "template": "hermes", "messages": [{"role": "user", "content": "When is it?"}],
        "tools": [{"type": "function", "function": {"name": "clock", "parameters": {}}}],
        "enable_thinking": true, "add_generation_prompt": true, "now": "2025-01-31",
        "prompt": "", "generation_prompt": "<|im_start|>assistant\n<think>\n",
        "input": "\nHm.\n</think>\n\nI look.\n<tool_call>\n\
            {\"name\": \"clock\", \"arguments\": {\"b\": [1], \"a\": 5}}\n</tool_call>",
        "reasoning_format": "auto", "expect_content": "I look.\n", "expect_reasoning": "Hm.",
        "expect_calls": [{"name": "clock", "arguments": "{\"a\":5.0,\"b\":[1]}", "id": ""}],
        "is_partial": false, "continue_final_message": 0, "json_schema": "",
    });
    if let (Value::Object(line), Value::Object(other)) = (&mut line, other) {
        line.extend(other);
    }
    line.to_string()
}

fn spoken() -> Spoken {
    let texts = [("hermes", HERMES), ("plain", "{{ messages[0].content }}")];
    let templates =
        texts.map(|(name, text)| (name.to_owned(), ChatTemplate::new(text).expect("a template")));
    Spoken::new(Templates::from(templates))
}

fn read(other: Value) -> Outcome {
    let line = vector(other);
    let vector: Vector<'_> = serde_json::from_str(&line).expect("a vector");
    vector.read(&mut spoken())
}

/// What differs in a vector with these fields.
fn differing(other: Value) -> Vec<&'static str> {
    match read(other).verdict {
        Verdict::Passed => vec![],
        Verdict::Failed(differences) => {
            differences.iter().map(|difference| difference.what).collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_compared_and_texts_trimmed() {
    let read = read(json!({}));
    assert_eq!((read.verdict, read.dialect.as_str()), (Verdict::Passed, "hermes"));
    let called = |arguments: &str, id: &str| json!({"expect_calls": [{"name": "clock", "arguments": arguments, "id": id}]});
    assert_eq!(differing(called(r#"{"a":6,"b":[1]}"#, "")), ["calls"]);
    assert_eq!(differing(called(r#"{"a":5,"b":[1]}"#, "one")), ["id"]);
    assert_eq!(differing(json!({"expect_calls": []})), ["calls"]);
    assert_eq!(differing(json!({"expect_content": "I  look."})), ["content"]);
    assert_eq!(differing(json!({"expect_reasoning": ""})), ["reasoning"]);
}

#[test]
fn the_prompt_says_where_the_output_begins() {
    let outside = json!({"generation_prompt": "<|im_start|>assistant\n"});
    assert_eq!(differing(outside), ["content", "reasoning"]);
}

#[test]
fn texts_do_not_count_where_reasoning_is_expected_in_the_content() {
    let other = json!({"reasoning_format": "none", "expect_content": "<think>Hm.</think>I look."});
    assert_eq!(differing(other), [""; 0]);
    let other = json!({"reasoning_format": "none", "expect_calls": []});
    assert_eq!(differing(other), ["calls"]);
}

#[test]
fn both_ways_of_reading_must_agree() {
    let line = vector(json!({"expect_calls": [], "reasoning_format": "none"}));
    let vector: Vector<'_> = serde_json::from_str(&line).expect("a vector");
    let (whole, mut bytes) = (Turn::default(), Turn::default());
    assert_eq!(vector.differences(&whole, &bytes), []);
    bytes.content.push('a');
    let differences = vector.differences(&whole, &bytes);
    assert_eq!(differences.iter().map(|one| one.what).collect::<Vec<_>>(), ["byte by byte"]);
}

#[test]
fn what_cannot_be_read_is_skipped_or_fails() {
    let skipped = |other: Value| match read(other).verdict {
        Verdict::Skipped(reason) => reason,
        other => panic!("{other:?}"),
    };
    assert_eq!(skipped(json!({"is_partial": true})), "its output is not finished");
    assert_eq!(skipped(json!({"continue_final_message": 2})), "it continues a message");
    assert_eq!(skipped(json!({"json_schema": "{}"})), "it asks for a response format");
    assert_eq!(skipped(json!({"template": "plain"})), "its template has no tools");
    assert_eq!(differing(json!({"template": "absent"})), ["dialect"]);
}

#[test]
fn prompts_are_compared_to_the_byte() {
    let spoken = spoken();
    let render = |other: Value| {
        let line = vector(other);
        let vector: Vector<'_> = serde_json::from_str(&line).expect("a vector");
        vector.render(spoken.templates())
    };
    assert_eq!(render(json!({"template": "plain", "prompt": "When is it?"})), Verdict::Passed);
    assert!(matches!(
        render(json!({"template": "plain", "prompt": "When is it? "})),
        Verdict::Failed(_)
    ));
    assert!(matches!(render(json!({"template": "absent"})), Verdict::Failed(_)));
    assert!(matches!(render(json!({"is_partial": true})), Verdict::Skipped(_)));
}
