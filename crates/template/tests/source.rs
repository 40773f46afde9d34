//! Templates from files and folders.

#![allow(clippy::expect_used)]

use std::fs;
use std::path::{Path, PathBuf};

use callsign_template::{ChatTemplate, Conversation};

/// A folder of its own with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    folder
}

/// The prompt of a template at a path, or the error without the folder's name.
fn prompt(folder: &Path, path: &str) -> String {
    let rendered = ChatTemplate::from_file(folder.join(path))
        .and_then(|template| template.render(&Conversation::new(&[])));
    rendered
        .unwrap_or_else(|error| error.to_string().replace(&folder.display().to_string(), "FOLDER"))
}

const CONFIG: &str = r#"{"chat_template": "{{ bos_token }}|{{ eos_token }}|{{ image_token }}", "bos_token": "<s>",
    "eos_token": {"__type": "AddedToken", "content": "</s>", "lstrip": false}, "image_token": "<i>",
    "pad_token": null, "model_max_length": 1e30, "added_tokens_decoder": {"0": {"content": "x"}},
    "extra_special_tokens": []}"#;

#[test]
fn a_template_is_found_where_transformers_finds_it() {
    let alone = folder("alone", &[("a.jinja", "A"), ("b.txt", "B")]);
    assert_eq!((prompt(&alone, "a.jinja"), prompt(&alone, "b.txt")), ("A".into(), "B".into()));

    let config = folder("config", &[("tokenizer_config.json", CONFIG)]);
    assert_eq!(prompt(&config, ""), "<s>|</s>|<i>");
    assert_eq!(prompt(&config, "tokenizer_config.json"), "<s>|</s>|<i>");

    let beside =
        [("tokenizer_config.json", CONFIG), ("chat_template.jinja", "beside {{ bos_token }}")];
    assert_eq!(prompt(&folder("beside", &beside), ""), "beside <s>");
    assert_eq!(prompt(&folder("only", &beside[1..]), ""), "beside ");

    let several = r#"{"chat_template": [{"name": "default", "template": "D"}, {"name": "tool_use", "template": "T"}]}"#;
    let several = folder("several", &[("tokenizer_config.json", several)]);
    let template = ChatTemplate::from_file(&several).expect("templates");
    assert_eq!(template.names().collect::<Vec<_>>(), ["default", "tool_use"]);
    assert_eq!(prompt(&several, ""), "D");

    let additional = [
        ("chat_template.jinja", "D"),
        ("additional_chat_templates/tool_use.jinja", "T"),
        ("additional_chat_templates/readme.md", "{%"),
    ];
    let template = ChatTemplate::from_file(folder("additional", &additional)).expect("templates");
    assert_eq!(template.names().collect::<Vec<_>>(), ["default", "tool_use"]);
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let broken = [
        ("empty/tokenizer_config.json", "{}"),
        ("cut/tokenizer_config.json", "{\n  \"chat_template\": \"a\","),
        ("kind/tokenizer_config.json", "{\"chat_template\": 5}"),
        ("list/tokenizer_config.json", "[]"),
        ("syntax/tokenizer_config.json", r#"{"chat_template": "a\n{% if %}"}"#),
        ("named/tokenizer_config.json", r#"{"chat_template": [{"name": "rag", "template": "R"}]}"#),
        ("nothing/readme.md", ""),
        ("a.jinja", "{{ }}"),
    ];
    let folder = folder("broken", &broken);
    let mut all = String::new();
    for path in
        ["empty", "cut", "kind", "list", "syntax", "named", "nothing", "a.jinja", "missing.jinja"]
    {
        all += &format!("{path}\n{}\n", prompt(&folder, path));
    }
    // Models that are given by mistake: one is no text, the other too long.
    fs::write(folder.join("model.gguf"), b"GGUF\x03\0\0\0\xff\xfe").expect("a file");
    let long = fs::File::create(folder.join("long")).expect("a file");
    long.set_len((64 << 20) + 1).expect("a long file");
    for path in ["model.gguf", "long"] {
        all += &format!("{path}\n{}\n", prompt(&folder, path));
    }
    insta::assert_snapshot!(all);
}
