//! The corpus: cases as data. `tools.toml` holds the tools, and
//! `<dialect>/<topic>.toml` the cases of one dialect on one topic.

mod written;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use callsign_core::{Arguments, End, Offer, Policy, Start, Tool, Toolset, Turn};

use written::{WrittenFile, WrittenTool};

/// All cases below one folder.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// The cases, ordered by dialect and topic, then as they stand in the file.
    pub cases: Vec<Case>,
}

/// One case: an output and what is to be read from it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Case {
    /// The dialect it is written in: the name of its folder.
    pub dialect: String,
    /// What it is about: the name of its file.
    pub topic: String,
    /// Its name, which is unique in its file.
    pub name: String,
    /// Where it comes from: a public issue, or `own`.
    pub source: String,
    /// What kind of output it is, such as `native` or `truncated`.
    pub kind: String,
    /// How the turn ended.
    pub end: End,
    /// Why it is to be skipped, if it is.
    pub skip: Option<String>,
    /// What is expected.
    pub expect: Expect,
    tools: Toolset,
    output: Output,
    start: CaseStart,
    policy: Policy,
}

#[derive(Debug, Clone)]
enum Output {
    Whole(String),
    Deltas(Vec<String>),
}

#[derive(Debug, Clone)]
enum CaseStart {
    Fresh,
    Reasoning,
    PromptTail(String),
}

/// What is to be read from a case.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Expect {
    /// The text for the user.
    pub content: String,
    /// The reasoning.
    pub reasoning: String,
    /// Whether the turn is ambiguous.
    pub ambiguous: bool,
    /// The texts of the rejected regions.
    pub rejected: Vec<String>,
    /// The calls.
    pub calls: Vec<ExpectedCall>,
}

/// A call that is to be read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ExpectedCall {
    /// Its id, where the dialect has ids.
    pub id: Option<String>,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
}

impl Corpus {
    /// Reads the corpus in `folder`.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or is no corpus file. The error names the
    /// file, and the case where it is one.
    pub fn load(folder: &Path) -> Result<Self, CorpusError> {
        let tools = read_tools(&folder.join("tools.toml"))?;
        let mut corpus = Corpus::default();
        for dialect in entries(folder)? {
            if dialect.is_dir() {
                for file in entries(&dialect)? {
                    if file.extension().is_some_and(|extension| extension == "toml") {
                        corpus.cases.extend(read_cases(&file, &tools)?);
                    }
                }
            }
        }
        Ok(corpus)
    }

    /// The cases of one dialect.
    pub fn of<'c>(&'c self, dialect: &'c str) -> impl Iterator<Item = &'c Case> {
        self.cases.iter().filter(move |case| case.dialect == dialect)
    }
}

impl Case {
    /// The tools that are offered.
    pub fn toolset(&self) -> &Toolset {
        &self.tools
    }

    /// The whole output.
    pub fn text(&self) -> String {
        match &self.output {
            Output::Whole(text) => text.clone(),
            Output::Deltas(deltas) => deltas.concat(),
        }
    }

    /// The pieces of the output, in the order in which they came.
    pub fn deltas(&self) -> Vec<&str> {
        match &self.output {
            Output::Whole(text) => vec![text],
            Output::Deltas(deltas) => deltas.iter().map(String::as_str).collect(),
        }
    }

    /// What the turn is read for.
    pub fn offer(&self) -> Offer<'_> {
        let start = match &self.start {
            CaseStart::Fresh => Start::Fresh,
            CaseStart::Reasoning => Start::Reasoning,
            CaseStart::PromptTail(tail) => Start::PromptTail(tail),
        };
        Offer::new(&self.tools).start(start).policy(self.policy)
    }

    /// Compares what was read with what is expected.
    ///
    /// # Errors
    ///
    /// All differences.
    pub fn check(&self, turn: &Turn) -> Result<(), Vec<Difference>> {
        let mut found = Differences::default();
        let expect = &self.expect;
        found.compare("content", &expect.content, &turn.content);
        found.compare("reasoning", &expect.reasoning, &turn.reasoning);
        found.compare("ambiguous", &expect.ambiguous, &turn.ambiguous);
        let rejected = turn.rejected.iter().map(|region| region.text.clone()).collect();
        found.compare("rejected", &expect.rejected, &rejected);
        found.compare("number of calls", &expect.calls.len(), &turn.calls.len());
        for (at, (expected, read)) in expect.calls.iter().zip(&turn.calls).enumerate() {
            found.compare(&format!("calls[{at}].name"), &expected.name, &read.name);
            found.compare(
                &format!("calls[{at}].arguments"),
                &expected.arguments.compact(),
                &read.arguments.compact(),
            );
            found.compare(&format!("calls[{at}].id"), &expected.id, &read.id);
        }
        if found.0.is_empty() { Ok(()) } else { Err(found.0) }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}: {}", self.dialect, self.topic, self.name)
    }
}

/// One difference between what is expected and what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What differs, such as `content` or `calls[1].arguments`.
    pub what: String,
    /// As expected.
    pub expected: String,
    /// As read.
    pub read: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, read {}", self.what, self.expected, self.read)
    }
}

#[derive(Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn compare<T: PartialEq + fmt::Debug>(&mut self, what: &str, expected: &T, read: &T) {
        if expected != read {
            self.0.push(Difference {
                what: what.to_owned(),
                expected: format!("{expected:?}"),
                read: format!("{read:?}"),
            });
        }
    }
}

/// Why a corpus cannot be read.
#[derive(Debug)]
pub struct CorpusError {
    file: PathBuf,
    case: Option<String>,
    problem: String,
}

impl CorpusError {
    /// The file or folder at fault.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The case at fault, if it is one.
    pub fn case(&self) -> Option<&str> {
        self.case.as_deref()
    }
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(case) = &self.case {
            write!(f, ", `{case}`")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for CorpusError {}

/// What a folder holds, in the order of names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let failed = |error: std::io::Error| CorpusError {
        file: folder.to_owned(),
        case: None,
        problem: error.to_string(),
    };
    let mut found = std::fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    found.sort();
    Ok(found)
}

fn read_toml<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, CorpusError> {
    let failed = |problem: String| CorpusError { file: file.to_owned(), case: None, problem };
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    toml::from_str(&text).map_err(|error| failed(error.to_string()))
}

fn read_tools(file: &Path) -> Result<BTreeMap<String, Tool>, CorpusError> {
    let written: BTreeMap<String, WrittenTool> = read_toml(file)?;
    let tool = |(name, written): (String, WrittenTool)| {
        let tool = Tool::new(&name, &written.parameters).map_err(|error| CorpusError {
            file: file.to_owned(),
            case: None,
            problem: error.to_string(),
        })?;
        Ok((name, tool.description(written.description).effect(written.effect)))
    };
    written.into_iter().map(tool).collect()
}

fn read_cases(file: &Path, tools: &BTreeMap<String, Tool>) -> Result<Vec<Case>, CorpusError> {
    let text = |name: Option<&OsStr>| name.unwrap_or_default().to_string_lossy().into_owned();
    // A dialect's name may have a dot in it.
    let dialect = text(file.parent().and_then(Path::file_name));
    let topic = text(file.file_stem());
    let written: WrittenFile = read_toml(file)?;
    let mut cases: Vec<Case> = Vec::new();
    for written in written.case {
        let name = written.name.clone();
        let taken = cases.iter().any(|case| case.name == name);
        let case = if taken {
            Err("another case of this file has this name".to_owned())
        } else {
            written.into_case(&dialect, &topic, tools)
        };
        cases.push(case.map_err(|problem| CorpusError {
            file: file.to_owned(),
            case: Some(name),
            problem,
        })?);
    }
    Ok(cases)
}
