//! The reader of corpus files: what it refuses, and how it says so.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use callsign_core::{
    Arguments, Attempt, Dialect, Event, Provenance, Recovered, Refusal, Repair, Rule, Span,
    ToolCall, Turn,
};
use callsign_recovery::Recovery;
use callsign_testing::corpus::{Corpus, CorpusError, Mode};

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
    let differences = case.check(Mode::Strict, &Turn::default()).expect_err("the text is missing");
    assert_eq!(differences[0].to_string(), r#"content: expected "text", read """#);
}

const RECOVERED: &str = r#"
[[case.expect.calls]]
name = "look"
arguments = "{}"
[case.recovered]
attempts = ["unknown_tool"]
[[case.recovered.calls]]
name = "look"
arguments = '{"at": "5"}'
rule = "json"
marked = false
repairs = ["quotes", { retyped = "at" }]
"#;

/// A turn with this call, and with an attempt.
fn turn(arguments: &str, provenance: Provenance) -> Turn {
    let arguments = Arguments::from_json(arguments).expect("they are JSON");
    let mut call = ToolCall::new("look", arguments);
    call.provenance = provenance;
    let span = Span { start: 0, end: 4 };
    let mut turn = Turn::default();
    turn.add(Event::Call { index: 0, span, call, doubtful: false });
    let refusal = Refusal::UnknownTool("leap".to_owned());
    turn.add(Event::Attempt(Attempt::new(span, Rule::Json, refusal)));
    turn
}

/// What differs, by name.
fn differs(cases: &Corpus, mode: Mode, turn: &Turn) -> Vec<String> {
    let found = cases.cases[0].check(mode, turn).err().unwrap_or_default();
    found.into_iter().map(|difference| difference.what).collect()
}

#[test]
fn each_mode_has_its_own_expectation() {
    let case = CASE.replace("content = \"text\"", "");
    let corpus = Folder::new("modes", &format!("{case}{RECOVERED}")).load().expect("it is sound");
    let mut recovered = Recovered::new(Rule::Json, false);
    recovered.repairs = vec![Repair::Quotes, Repair::Retyped("at".to_owned())];
    let of = |recovered: &Recovered| Provenance::Recovered(Box::new(recovered.clone()));

    let read = turn(r#"{"at":"5"}"#, of(&recovered));
    assert_eq!(differs(&corpus, Mode::Recovering, &read), [""; 0]);
    assert_eq!(
        differs(&corpus, Mode::Strict, &read),
        ["calls[0].arguments", "calls[0].provenance"]
    );
    assert_eq!(differs(&corpus, Mode::Strict, &turn("{}", Provenance::Native)), [""; 0]);

    recovered.repairs.pop();
    recovered.marked = true;
    let mut read = turn(r#"{"at":"5"}"#, of(&recovered));
    read.attempts.clear();
    assert_eq!(
        differs(&corpus, Mode::Recovering, &read),
        ["calls[0].marked", "calls[0].repairs", "attempts"]
    );
    let mended = turn(r#"{"at":"5"}"#, Provenance::Mended(recovered.repairs));
    assert_eq!(
        differs(&corpus, Mode::Recovering, &mended),
        ["calls[0].rule", "calls[0].marked", "calls[0].repairs"]
    );
}

/// Where nothing is said about the net, it must change nothing.
#[test]
fn a_case_without_recovery_is_read_as_it_stands() {
    let case = CASE.replace("content = \"text\"", "");
    let call = "[[case.expect.calls]]\nname = \"look\"\narguments = '{}'\n";
    let corpus = Folder::new("native", &format!("{case}{call}")).load().expect("it is sound");
    let mended = Provenance::Mended(vec![Repair::Quotes]);
    let read = turn("{}", mended);
    assert_eq!(differs(&corpus, Mode::Recovering, &read), ["calls[0].provenance"]);
    assert_eq!(differs(&corpus, Mode::Recovering, &turn("{}", Provenance::Native)), [""; 0]);
}

#[test]
fn only_recovery_speaks_of_repairs() {
    for field in ["rule = \"json\"", "marked = true", "repairs = []"] {
        let call = "[[case.expect.calls]]\nname = \"look\"\narguments = '{}'\n";
        let error = refused("strict", &format!("{CASE}{call}{field}\n"));
        assert!(error.to_string().ends_with("are for `recovered`"), "{error}");
    }
    refused("strict", &format!("{CASE}attempts = []\n"));
    let error = refused("rule", &format!("{CASE}{}", RECOVERED.replace("json", "yaml")));
    assert!(error.to_string().contains("yaml"), "{error}");
}

#[test]
fn a_case_of_no_dialect_is_read_by_the_net_alone() {
    let recovery = Recovery::new([]);
    let mut corpus = Folder::new("alone", CASE).load().expect("it is sound");
    let case = &mut corpus.cases[0];
    assert!(case.net(&recovery, None).is_none(), "there is no dialect `plain`");
    case.dialect = "text".to_owned();
    let net = case.net(&recovery, None).expect("it needs no dialect");
    assert_eq!((net.name(), net.inner().name()), ("text", "text"));
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
