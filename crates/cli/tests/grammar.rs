//! `callsign grammar` and `callsign dialects`.

mod common;

use common::callsign;

#[test]
fn the_built_in_dialects() {
    let lines = callsign(&["dialects"]).out;
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let shown: Vec<String> = lines.lines().map(first).collect();
    let ran = callsign(&["dialects", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let name = |one: &serde_json::Value| one["name"].as_str().unwrap_or_default().to_owned();
    let names: Vec<String> = listed.as_array().expect("a list").iter().map(name).collect();
    assert_eq!(names, shown, "both lists name the same");
    assert!(shown.iter().any(|name| name == "qwen-xml") && lines.contains("<tool_call>"));
}

/// What the grammar says is the library's; here only that it is printed.
#[test]
fn a_grammar_and_what_it_leaves_out() {
    let args = ["grammar", "--dialect", "qwen-xml", "--tools", "tools.json"];
    let ran = callsign(&args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.contains("start:") && ran.out.contains("get_weather"), "{}", ran.out);
    insta::assert_snapshot!(ran.err, @"// not enforced: tool `get_weather`, `not` at /properties/days");

    let one = callsign(&[&args[..], &["--choice", "save_note", "--in-reasoning"]].concat());
    assert_eq!(one.code, 0, "{}", one.err);
    assert!(!one.out.contains("get_weather"), "{}", one.out);
}

#[test]
fn a_structural_tag_is_json() {
    let ran = callsign(&[
        "grammar",
        "--dialect",
        "hermes",
        "--tools",
        "tools.json",
        "--choice",
        "required",
        "--structural-tag",
    ]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let tag: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(tag["type"], "structural_tag");
}
