//! `callsign parse` on one output: readable, as JSON, as a stream.

mod common;

use common::{callsign, callsign_with};

const QWEN: [&str; 5] = ["parse", "--dialect", "qwen-xml", "--tools", "tools.json"];

fn qwen(more: &[&str]) -> common::Ran {
    callsign(&[&QWEN, more].concat())
}

#[test]
fn a_turn_for_a_reader() {
    insta::assert_snapshot!(qwen(&["several.txt"]).all());
}

#[test]
fn a_turn_of_json_calls_for_a_reader() {
    let args = ["parse", "--dialect", "hermes", "--tools", "tools.json", "hermes.txt"];
    insta::assert_snapshot!(callsign(&args).all());
}

#[test]
fn doubt_is_shown() {
    insta::assert_snapshot!(qwen(&["ambiguous.txt"]).all());
}

#[test]
fn nothing_steers_the_terminal() {
    let ran = qwen(&["steering.txt"]);
    assert!(!ran.out.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']));
    insta::assert_snapshot!(ran.all());
    let streamed = qwen(&["steering.txt", "--stream", "7"]);
    assert!(!streamed.out.contains(['\u{1b}', '\u{7}', '\u{202e}', '\r']));
}

#[test]
fn json_is_one_line_with_exact_values() {
    let args = ["parse", "--dialect", "hermes", "--json", "hermes.txt"];
    insta::assert_snapshot!(callsign(&args).all());
    insta::assert_snapshot!(qwen(&["ambiguous.txt", "--json"]).all());
}

#[test]
fn a_stream_for_a_reader() {
    insta::assert_snapshot!(qwen(&["several.txt", "--stream", "60"]).all());
}

#[test]
fn a_stream_as_json_is_one_event_a_line() {
    let ran = callsign(&["parse", "--dialect", "hermes", "--json", "--stream", "16", "hermes.txt"]);
    assert!(ran.out.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    insta::assert_snapshot!(ran.all());
}

#[test]
fn the_size_of_the_pieces_does_not_matter() {
    let calls = |size: &str| {
        let ran = qwen(&["several.txt", "--json", "--stream", size]);
        assert_eq!(ran.code, 0);
        let calls: Vec<String> = ran
            .out
            .lines()
            .filter(|line| line.starts_with(r#"{"call":"#))
            .map(String::from)
            .collect();
        calls
    };
    assert_eq!(calls("1").len(), 3);
    assert_eq!(calls("1"), calls("7"));
    assert_eq!(calls("1"), calls("100000"));
}

#[test]
fn standard_input_and_open_reasoning() {
    let input = "Thinking.\n</think>\n\nDone.".as_bytes();
    for args in [&["--in-reasoning"][..], &["--in-reasoning", "-"]] {
        let ran = callsign_with(&[&QWEN, args].concat(), input);
        assert_eq!(ran.out, "reasoning\n  Thinking.\n\ntext\n  Done.\n");
    }
}

#[test]
fn an_empty_output_is_an_empty_turn() {
    assert_eq!(qwen(&[]).out, "an empty turn\n");
    assert_eq!(qwen(&["--stream", "4"]).out, "");
    assert_eq!(qwen(&["--finish", "length"]).code, 0);
}

#[test]
fn tools_are_optional() {
    let ran = callsign(&["parse", "--dialect", "qwen-xml", "several.txt"]);
    assert!(ran.out.contains("call get_weather\n"), "{}", ran.out);
    assert!(!ran.out.contains("not among the tools"), "{}", ran.out);
}
