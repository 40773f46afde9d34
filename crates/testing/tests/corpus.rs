//! The reader of corpus files: what it refuses, and how it says so.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use callsign_core::Turn;
use callsign_testing::corpus::{Corpus, CorpusError};

const TOOLS: &str = r#"
[look]
description = "Looks"
effect = "read"
parameters = '{"type": "object", "properties": {"at": {"type": "string"}}}'
"#;

const CASE: &str = r#"
[[case]]
name = "one"
source = "own"
kind = "native"
tools = ["look"]
raw = "text"
[case.expect]
content = "text"
"#;

/// A corpus with one file of cases of the dialect `plain`.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, cases: &str) -> Self {
        let folder =
            std::env::temp_dir().join(format!("callsign-corpus-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("plain")).expect("a folder for the test");
        fs::write(folder.join("tools.toml"), TOOLS).expect("the tools");
        fs::write(folder.join("plain/topic.toml"), cases).expect("the cases");
        Folder(folder)
    }

    fn load(&self) -> Result<Corpus, CorpusError> {
        Corpus::load(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn refused(name: &str, cases: &str) -> CorpusError {
    Folder::new(name, cases).load().expect_err("it is refused")
}

#[test]
fn a_case_is_read() {
    let corpus = Folder::new("read", CASE).load().expect("it is sound");
    let [case] = corpus.cases.as_slice() else { panic!("one case: {corpus:?}") };
    assert_eq!(case.to_string(), "plain/topic: one");
    assert_eq!(case.deltas(), ["text"]);
    assert_eq!(case.toolset().len(), 1);
    let differences = case.check(&Turn::default()).expect_err("the text is missing");
    assert_eq!(differences[0].to_string(), r#"content: expected "text", read """#);
}

#[test]
fn an_unknown_field_is_refused() {
    let error = refused("field", &CASE.replace("kind", "sort"));
    assert!(error.file().ends_with("plain/topic.toml"), "{error}");
    assert!(error.to_string().contains("sort"), "{error}");
}

#[test]
fn an_unknown_tool_is_named_with_its_case() {
    let error = refused("tool", &CASE.replace("[\"look\"]", "[\"leap\"]"));
    assert_eq!(error.case(), Some("one"));
    assert!(error.to_string().ends_with("`one`: there is no tool `leap`"), "{error}");
}

#[test]
fn two_cases_of_one_name_are_refused() {
    let error = refused("names", &CASE.repeat(2));
    assert_eq!(error.case(), Some("one"));
}

#[test]
fn an_output_is_given_once() {
    let error = refused("output", &CASE.replace("raw = ", "deltas = []\nraw = "));
    assert!(error.to_string().ends_with("it needs either `raw` or `deltas`"), "{error}");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let missing = Path::new("no/such/corpus");
    let error = Corpus::load(missing).expect_err("there is none");
    assert!(error.to_string().contains("no/such/corpus"), "{error}");
}
