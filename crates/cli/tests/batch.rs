//! `callsign parse --batch`: one case a line in, one answer a line out.

mod common;

use common::{callsign, callsign_with};

#[test]
fn each_line_is_answered() {
    insta::assert_snapshot!(callsign(&["parse", "--batch", "batch.jsonl"]).all());
}

#[test]
fn a_bad_line_says_why_and_the_others_are_answered() {
    insta::assert_snapshot!(callsign(&["parse", "--batch", "bad-lines.jsonl"]).all());
}

#[test]
fn standard_input_is_a_batch_too() {
    let ran = callsign_with(
        &["parse", "--batch", "-"],
        b"{\"id\":1,\"input\":\"a\"}\r\n\r\n{\"id\":2,\"input\":\"b\"}",
    );
    assert_eq!(ran.code, 0);
    assert_eq!(ran.out.lines().count(), 2);
    assert_eq!(
        callsign_with(&["parse", "--batch", "-"], b"").all(),
        "exit code: 0\n--- out\n--- err\n"
    );
}

/// An answer comes before the next case is written, so a program can talk to
/// the command over two pipes.
#[test]
fn an_answer_does_not_wait_for_the_next_line() {
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    let mut child = Command::new(env!("CARGO_BIN_EXE_callsign"))
        .args(["parse", "--batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for id in 0..3 {
        writeln!(input, r#"{{"id":{id},"input":"hello"}}"#).expect("it listens");
        let mut answer = String::new();
        output.read_line(&mut answer).expect("it answers");
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"#)), "{answer}");
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}
