//! What cannot be used is named, and nothing is printed.

mod common;

use common::{Ran, callsign, callsign_with};

fn refused(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
    &ran.err
}

fn parse(more: &[&str]) -> Ran {
    callsign(&[&["parse", "--dialect", "qwen-xml"], more].concat())
}

#[test]
fn broken_tools_name_file_line_and_column() {
    insta::assert_snapshot!(
        refused(&parse(&["--tools", "broken-tools.json", "several.txt"])),
        @"callsign: broken-tools.json, line 4, column 37: not a list of tools: key must be a string"
    );
}

#[test]
fn unsound_tools_name_the_tool() {
    insta::assert_snapshot!(refused(&parse(&["--tools", "twin-tools.json", "several.txt"])), @"callsign: twin-tools.json: two tools are called `search`");
}

#[test]
fn tools_that_are_no_text_name_the_offset() {
    insta::assert_snapshot!(refused(&parse(&["--tools", "not-utf8.txt", "several.txt"])), @"callsign: not-utf8.txt: the bytes from offset 8 on are not UTF-8");
}

#[test]
fn an_output_that_is_no_text_names_the_offset() {
    insta::assert_snapshot!(refused(&parse(&["not-utf8.txt"])), @"callsign: not-utf8.txt: the bytes from offset 8 on are not UTF-8");
    let ran = callsign_with(&["parse", "--dialect", "hermes"], b"ab\xe2\x82");
    insta::assert_snapshot!(refused(&ran), @"callsign: standard input: the bytes from offset 2 on are not UTF-8");
}

#[test]
fn a_stream_that_is_no_text_names_the_offset() {
    for size in ["1", "3", "100"] {
        let ran = parse(&["not-utf8.txt", "--stream", size]);
        assert_eq!(ran.code, 2);
        assert_eq!(ran.err, "callsign: not-utf8.txt: the bytes from offset 8 on are not UTF-8\n");
        let cut = callsign_with(
            &["parse", "--dialect", "hermes", "--stream", size],
            "Tromsø".as_bytes().split_last().expect("bytes").1,
        );
        assert_eq!(cut.err, "callsign: standard input: the bytes from offset 5 on are not UTF-8\n");
    }
}

#[test]
fn a_piece_may_end_inside_a_code_point() {
    let ran =
        callsign_with(&["parse", "--dialect", "hermes", "--stream", "1"], "smørbrød 👩‍💻".as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
}

#[test]
fn an_unknown_dialect_lists_the_known_ones() {
    let refusals = [
        callsign(&["parse", "--dialect", "esperanto", "several.txt"]),
        callsign(&["grammar", "--dialect", "esperanto"]),
        callsign(&["parse", "--strict", "several.txt"]),
        callsign(&["grammar"]),
    ]
    .map(|ran| refused(&ran).to_owned());
    let known = refusals[0].split_once("built in are: ").unwrap().1.to_owned();
    assert!(known.contains("qwen-xml") && known.contains("mistral@v11"), "{known}");
    let same = refusals.map(|refusal| refusal.replace(&known, "(the list)"));
    insta::assert_snapshot!(same.join("\n"), @r"
    callsign: unknown dialect `esperanto`; built in are: (the list)
    callsign: unknown dialect `esperanto`; built in are: (the list)
    callsign: name the dialect with `--dialect`; built in are: (the list)
    callsign: name the dialect with `--dialect`; built in are: (the list)
    ");
}

#[test]
fn a_missing_file_is_named() {
    assert!(
        refused(&parse(&["no-such-file.txt"]))
            .starts_with("callsign: cannot read no-such-file.txt: ")
    );
    let ran = parse(&["--tools", "no-such-file.json"]);
    assert!(refused(&ran).starts_with("callsign: cannot read no-such-file.json: "));
    let ran = callsign(&["parse", "--batch", "no-such-file.jsonl"]);
    assert!(refused(&ran).starts_with("callsign: cannot read no-such-file.jsonl: "));
}

#[test]
fn a_choice_that_cannot_be_met_is_named() {
    let ran =
        callsign(&["grammar", "--dialect", "hermes", "--tools", "tools.json", "--choice", "fly"]);
    insta::assert_snapshot!(refused(&ran), @"callsign: the tool choice names `fly`, which is not among the tools");
    let ran = callsign(&["grammar", "--dialect", "hermes", "--choice", "required"]);
    insta::assert_snapshot!(refused(&ran), @"callsign: the tool choice demands a call, and there are no tools");
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_is_no_error() {
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_callsign"))
        .args(["parse", "--dialect", "hermes", "--stream", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let mut input = child.stdin.take().expect("a pipe");
    let _ = std::io::Write::write_all(&mut input, "word ".repeat(50_000).as_bytes());
    drop(input);
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}
