//! The corpus: cases as data. `tools.toml` holds the tools, and
//! `<dialect>/<topic>.toml` the cases of one dialect on one topic. Those that
//! belong to no dialect are in `text`.

mod check;
mod written;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callsign_core::{Arguments, Dialect, End, Offer, Policy, Repair, Rule, Start, Tool, Toolset};
use callsign_recovery::{Net, Recovery};

pub use check::Difference;
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
    /// What is read by the dialect alone.
    pub expect: Expect,
    /// What is read with the net under the dialect; none where the net changes
    /// nothing.
    pub recovered: Option<Expect>,
    /// What others said in the conversation before.
    pub heard: Vec<String>,
    /// Whether the net may guess.
    pub guesses: bool,
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
    /// Why what looks like a call is none, by the names of the reasons; none
    /// where it does not matter.
    pub attempts: Option<Vec<String>>,
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
    /// The form in which it was recovered; none where it does not matter.
    pub rule: Option<Rule>,
    /// Whether it was recovered by its markup; none where it does not matter.
    pub marked: Option<bool>,
    /// What was changed; none where it does not matter.
    pub repairs: Option<Vec<Repair>>,
}

/// The two ways in which every case is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By the dialect alone.
    Strict,
    /// By the dialect with the net under it.
    Recovering,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Mode::Strict => "strict",
            Mode::Recovering => "under the net",
        })
    }
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

    /// The net that the case is read under: around `dialect`, which is the one
    /// of its name, or around none for a case that belongs to none. Without a
    /// dialect there is no net for the others.
    ///
    /// The dialect to read by in strict mode is the net's [`Net::inner`].
    pub fn net(&self, recovery: &Recovery, dialect: Option<Arc<dyn Dialect>>) -> Option<Net> {
        // Asking for guesses costs a copy of all that recovery knows.
        let guessing = self.guesses.then(|| recovery.clone().guesses(true));
        let recovery = guessing.as_ref().unwrap_or(recovery);
        let alone = recovery.alone();
        let net = if self.dialect == alone.name() { alone } else { recovery.over(dialect?) };
        Some(net.heard(&self.heard))
    }

    /// What is to be read in this mode.
    pub fn expected(&self, mode: Mode) -> &Expect {
        match (mode, &self.recovered) {
            (Mode::Recovering, Some(recovered)) => recovered,
            _ => &self.expect,
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
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}: {}", self.dialect, self.topic, self.name)
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
