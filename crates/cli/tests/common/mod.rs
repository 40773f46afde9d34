//! Running the command as its users do.

#![allow(clippy::expect_used, reason = "a test that cannot run the command fails")]

use std::io::Write;
use std::process::{Command, Stdio};

/// What a run of the command left behind.
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Ran {
    /// Everything in one text, for a snapshot.
    #[allow(dead_code, reason = "one test file takes no snapshots of whole runs")]
    pub(crate) fn all(&self) -> String {
        format!("exit code: {}\n--- out\n{}--- err\n{}", self.code, self.out, self.err)
    }
}

/// Runs `callsign` in the folder of the fixtures; `input` is what it finds on
/// standard input.
pub(crate) fn callsign_with(args: &[&str], input: &[u8]) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_callsign"))
        .args(args)
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures"))
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A run that stops early does not take its input; that is no error here.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let output = child.wait_with_output().expect("the command ends");
    Ran {
        code: output.status.code().expect("no signal ended the command"),
        out: String::from_utf8(output.stdout).expect("the answer is text"),
        err: String::from_utf8(output.stderr).expect("the remarks are text"),
    }
}

/// Runs `callsign` without input.
pub(crate) fn callsign(args: &[&str]) -> Ran {
    callsign_with(args, b"")
}
