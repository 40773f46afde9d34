//! `callsign detect`, `callsign render`, and `callsign parse` by a template.

#![allow(clippy::expect_used, reason = "a test that cannot write its files fails")]

mod common;

use std::path::PathBuf;

use common::{callsign, callsign_with};

const TEMPLATE: &str = "../../../../corpus/samples/hermes.jinja";
const TOOLS: &str = "../../../../corpus/samples/tools.json";
const CONVERSATION: &str = "../../../../corpus/samples/conversation.json";
const OUTPUT: &[u8] = b"I look.\n<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\": \"ls\"}}\n</tool_call>";

/// A file of a test of its own.
fn file(name: &str, bytes: &[u8]) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("template");
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the file can be written");
    path.display().to_string()
}

/// The bytes of a GGUF file with these texts.
fn gguf(texts: &[(&str, &str)]) -> Vec<u8> {
    let counted = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend((texts.len() as u64).to_le_bytes());
    for (key, text) in texts {
        // 8 is the type of strings.
        bytes.extend([counted(key), 8_u32.to_le_bytes().to_vec(), counted(text)].concat());
    }
    bytes
}

#[test]
fn the_dialect_of_a_template_and_why() {
    let ran = callsign(&["detect", TEMPLATE]);
    insta::assert_snapshot!(ran.all());
    let json = callsign(&["detect", "--json", TEMPLATE]);
    let answer: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(answer["dialect"], "hermes");
}

#[test]
fn a_gguf_file_and_a_folder_say_the_same_as_their_template() {
    let template = std::fs::read_to_string("../../corpus/samples/hermes.jinja").expect("there");
    let of_template = callsign(&["detect", TEMPLATE]).out;

    let model = file("model.bin", &gguf(&[("tokenizer.chat_template", &template)]));
    assert_eq!(callsign(&["detect", &model]).out, of_template);

    let config = serde_json::json!({ "chat_template": template }).to_string();
    let config = file("tokenizer_config.json", config.as_bytes());
    assert_eq!(callsign(&["detect", &config]).out, of_template);
    let folder = PathBuf::from(&config).parent().expect("a folder").display().to_string();
    assert_eq!(callsign(&["detect", &folder]).out, of_template);
}

#[test]
fn what_has_no_dialect_says_why() {
    let without = gguf(&[("general.architecture", "llama")]);
    let mut all = String::new();
    for (name, bytes) in [
        ("no-tools.jinja", &b"{% for m in messages %}{{ m.content }}{% endfor %}"[..]),
        (
            "not-built-in.jinja",
            b"{# <seed:tool_call> #}{% for m in messages %}{{ m.content }}{% endfor %}",
        ),
        ("broken.jinja", b"{% for m in messages %}\n{{ m }\n"),
        ("without.gguf", &without),
        ("cut.gguf", &without[..40]),
        ("other.gguf", b"PK\x03\x04 an archive, it seems"),
        ("empty.gguf", b""),
    ] {
        let path = file(name, bytes);
        let ran = callsign(&["detect", &path]);
        all.push_str(&ran.all().replace(&path, name));
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

#[test]
fn a_conversation_becomes_a_prompt() {
    let args = ["render", "--template", TEMPLATE, "--tools", TOOLS];
    let ran = callsign(&[&args[..], &[CONVERSATION]].concat());
    insta::assert_snapshot!(ran.all());
    let without = callsign(&[&args[..], &["--no-generation-prompt", CONVERSATION]].concat());
    assert_eq!(ran.out, without.out + "<|im_start|>assistant\n");
}

#[test]
fn what_cannot_be_rendered_says_why() {
    let refuses = file("refuses.jinja", b"{% for m in messages %}{% if m.role == 'tool' %}{{ raise_exception('no tools here') }}{% endif %}{% endfor %}");
    let endless = file(
        "endless.jinja",
        b"{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    );
    let mut all = String::new();
    for args in [
        &["render", "--template", &refuses, CONVERSATION][..],
        &["render", "--template", &endless, CONVERSATION],
        &["render", "--template", TEMPLATE, "--kwargs", "[1]", CONVERSATION],
        &["render", "--template", TEMPLATE, "tools.json"],
        &["render", CONVERSATION],
    ] {
        let ran = callsign(args);
        all.push_str(
            &ran.all().replace(&refuses, "refuses.jinja").replace(&endless, "endless.jinja"),
        );
        all.push('\n');
    }
    insta::assert_snapshot!(all);
}

/// The template tells the dialect, and whether the prompt has opened the
/// model's reasoning.
#[test]
fn an_output_is_read_by_a_template() {
    let by_name =
        callsign_with(&["parse", "--json", "--dialect", "hermes", "--tools", TOOLS], OUTPUT);
    let by_template =
        callsign_with(&["parse", "--json", "--template", TEMPLATE, "--tools", TOOLS], OUTPUT);
    assert_eq!(by_template.out, by_name.out);

    let template = std::fs::read_to_string("../../corpus/samples/hermes.jinja").expect("there");
    let opens = template
        .replace("assistant\\n' }}\n{%- endif %}", "assistant\\n<think>\\n' }}\n{%- endif %}");
    let opens = file("opens.jinja", opens.as_bytes());
    let ran = callsign_with(
        &["parse", "--template", &opens, "--tools", TOOLS],
        b"Hm.\n</think>\n\nHello.",
    );
    insta::assert_snapshot!(ran.all());
}

#[test]
fn cases_of_a_batch_name_their_templates() {
    let cases = r#"{"id": 1, "template": "hermes.jinja", "input": "Hi.", "messages": [{"role": "user", "content": "Hello!"}]}
{"id": 2, "template": "../hermes.jinja", "input": "Hi."}
{"id": 3, "template": "nothing.jinja", "input": "Hi."}
{"id": 4, "template": "hermes.jinja", "input": "Hi.", "messages": [], "now": "soon"}
{"id": 5, "template": "hermes.jinja", "input": "Hi.", "dialect": "qwen-xml"}
"#;
    let folder = "../../../../corpus/samples";
    let ran = callsign_with(&["parse", "--batch", "-", "--templates", folder], cases.as_bytes());
    insta::assert_snapshot!(ran.all());
}
