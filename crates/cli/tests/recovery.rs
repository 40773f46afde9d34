//! `callsign parse` with the recovery net under the dialect, or alone.

#![allow(clippy::expect_used, reason = "an answer that is no JSON fails the test")]

mod common;

use common::{callsign, callsign_with};
use serde_json::Value;

const LEAKED: [&str; 4] = ["parse", "--tools", "tools.json", "leaked.txt"];

fn leaked(more: &[&str]) -> common::Ran {
    callsign(&[&LEAKED, more].concat())
}

/// The answers to these cases of one tool, `search`, each a list of fields.
fn answers(args: &[&str], cases: &[&str]) -> Vec<Value> {
    let tools = r#""tools": [{"name": "search", "parameters": {"type": "object",
        "properties": {"query": {"type": "string"}}}}]"#
        .replace('\n', "");
    let lines: Vec<String> = cases.iter().map(|case| format!("{{{tools}, {case}}}")).collect();
    let ran =
        callsign_with(&[&["parse", "--batch", "-"], args].concat(), lines.join("\n").as_bytes());
    assert_eq!(ran.code, 0, "{}", ran.all());
    let answer = |line| serde_json::from_str(line).expect("an answer is JSON");
    ran.out.lines().map(answer).collect()
}

/// How many calls each answer has.
fn calls(answers: &[Value]) -> Vec<usize> {
    answers.iter().map(|answer| answer["calls"].as_array().map_or(0, Vec::len)).collect()
}

/// A call that bears no dialect's markup.
const BARE: &str = r#""input": "{\"name\": \"search\", \"arguments\": {\"query\": \"moss\"}}""#;

#[test]
fn what_was_recovered_is_marked() {
    insta::assert_snapshot!(leaked(&["--dialect", "hermes"]).all());
}

#[test]
fn what_was_recovered_is_explained() {
    insta::assert_snapshot!(leaked(&["--explain"]).all());
}

#[test]
fn a_stream_says_what_was_recovered() {
    insta::assert_snapshot!(leaked(&["--stream", "64"]).all());
}

#[test]
fn json_has_provenance_and_attempts() {
    let ran = leaked(&["--json"]);
    let turn: Value = serde_json::from_str(&ran.out).expect("it is JSON");
    assert_eq!(turn["dialect"], Value::Null);
    let recovered = &turn["calls"][0]["provenance"]["recovered"];
    assert_eq!((&recovered["rule"], &recovered["dialect"]), (&"tags".into(), &"qwen-xml".into()));
    let attempt = &turn["attempts"][0];
    assert_eq!((&attempt["tool"], &attempt["refusal"]), (&"save_note".into(), &"cut".into()));
    assert!(attempt["message"].as_str().is_some_and(|message| !message.is_empty()), "{attempt}");
    let streamed = leaked(&["--json", "--stream", "64"]);
    let events = streamed.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let events: Vec<Value> = events.collect();
    assert!(events.iter().any(|event| event["attempt"] == *attempt), "{}", streamed.out);
}

#[test]
fn strict_recovers_nothing() {
    let ran = leaked(&["--dialect", "hermes", "--strict"]);
    let text = include_str!("fixtures/leaked.txt").lines().map(|line| format!("  {line}"));
    let text = text.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join("\n");
    assert_eq!(ran.out, format!("text\n{text}\n"));
}

#[test]
fn each_case_says_whether_the_net_is_there() {
    let cases = [
        BARE,
        &format!(r#"{BARE}, "dialect": "qwen-xml""#),
        &format!(r#"{BARE}, "recovery": false"#),
        &format!(r#"{BARE}, "dialect": "qwen-xml", "recovery": false"#),
        &format!(r#"{BARE}, "recovery": true"#),
    ];
    assert_eq!(calls(&answers(&[], &cases)), [1, 1, 0, 0, 1]);
    assert_eq!(calls(&answers(&["--strict"], &cases)), [0, 0, 0, 0, 1]);
}

#[test]
fn what_others_said_is_not_recovered() {
    let said = r#"It says {\"name\": \"search\", \"arguments\": {\"query\": \"moss\"}} there."#;
    let message =
        |role: &str| format!(r#"{BARE}, "messages": [{{"role": "{role}", "content": "{said}"}}]"#);
    let cases = [
        message("user"),
        message("tool"),
        message("assistant"),
        format!(r#"{BARE}, "heard": ["{said}"]"#),
    ];
    let answers = answers(&[], &cases.each_ref().map(String::as_str));
    assert_eq!(calls(&answers), [0, 0, 1, 0]);
    assert_eq!(answers[3]["attempts"][0]["refusal"], "echo");
}

#[test]
fn guesses_are_made_on_request_only() {
    let cut = r#""input": "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"mo"#;
    let cut = format!(r#"{cut}\n</tool_call>", "dialect": "hermes""#);
    let cases =
        [cut.clone(), format!(r#"{cut}, "guesses": true"#), format!(r#"{cut}, "guesses": false"#)];
    let cases = cases.each_ref().map(String::as_str);
    assert_eq!(calls(&answers(&[], &cases)), [0, 1, 0]);
    assert_eq!(calls(&answers(&["--guesses"], &cases)), [1, 1, 0]);
}
