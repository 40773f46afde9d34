//! What came of foreign cases, counted and told.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use callsign::{Turn, json};
use serde::Serialize;

/// What came of a case.
#[derive(Debug, PartialEq)]
pub(crate) enum Verdict {
    Passed,
    Failed(Vec<Difference>),
    /// It differs as it should, and why.
    Documented(String),
    /// It was not run, and why.
    Skipped(String),
}

/// One difference between what is expected and what came out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Difference {
    pub(crate) what: &'static str,
    pub(crate) expected: String,
    #[serde(rename = "read")]
    pub(crate) found: String,
}

/// A case, as it is named where it fails.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Named {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) id: String,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) confidence: String,
    pub(crate) dialect: String,
    pub(crate) input: String,
}

/// A case that did not come out as it should.
#[derive(Serialize)]
struct Failed {
    #[serde(flatten)]
    case: Named,
    differences: Vec<Difference>,
}

/// How many cases went which way.
#[derive(Default)]
pub(crate) struct Tally {
    passed: usize,
    failed: Vec<Failed>,
    documented: Vec<(Named, String)>,
    /// How many were skipped, by the reason.
    skipped: BTreeMap<String, usize>,
    /// Passed and run, by kind.
    kinds: BTreeMap<String, (usize, usize)>,
}

impl Tally {
    /// Counts a case; `named` is asked only if it must be named.
    pub(crate) fn add(&mut self, kind: &str, verdict: Verdict, named: impl FnOnce() -> Named) {
        let passed = match verdict {
            Verdict::Skipped(reason) => return self.skip(&reason),
            Verdict::Passed => {
                self.passed += 1;
                1
            }
            Verdict::Failed(differences) => {
                self.failed.push(Failed { case: named(), differences });
                0
            }
            Verdict::Documented(reason) => {
                self.documented.push((named(), reason));
                0
            }
        };
        let (of_kind, run) = self.kinds.entry(kind.to_owned()).or_default();
        *of_kind += passed;
        *run += 1;
    }

    /// Counts a case that was not run.
    pub(crate) fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
    }

    /// Whether there was no case at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.skipped.is_empty()
    }

    /// Whether nothing failed.
    pub(crate) fn sound(&self) -> bool {
        self.failed.is_empty()
    }

    /// Prints each failure, each documented difference and the numbers, which
    /// come last, behind `heading`.
    pub(crate) fn report(&self, heading: &str, out: &mut dyn Write) -> io::Result<()> {
        for Failed { case, differences } in &self.failed {
            writeln!(out, "FAILED {case}")?;
            for difference in differences {
                writeln!(out, "  {}", difference.what)?;
                writeln!(out, "    expected  {}", difference.expected)?;
                writeln!(out, "    read      {}", difference.found)?;
            }
        }
        for (case, reason) in &self.documented {
            writeln!(out, "documented {case}: {reason}")?;
        }
        if !(self.failed.is_empty() && self.documented.is_empty()) {
            writeln!(out)?;
        }
        for (kind, (passed, run)) in &self.kinds {
            writeln!(out, "{kind:<16} {passed:>4} of {run:>4}")?;
        }
        for (reason, count) in &self.skipped {
            writeln!(out, "skipped {count:>4}: {reason}")?;
        }
        write!(out, "{heading}{} passed, {} failed", self.passed, self.failed.len())?;
        let skipped: usize = self.skipped.values().sum();
        for (count, what) in [(self.documented.len(), "documented"), (skipped, "skipped")] {
            if count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        writeln!(out)
    }
}

impl std::fmt::Display for Named {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} (line {}, {}", self.id, self.line, self.kind)?;
        if !self.dialect.is_empty() {
            write!(f, ", {}", self.dialect)?;
        }
        f.write_str(")")
    }
}

/// What differs, if anything does.
pub(crate) fn compare(what: &'static str, expected: String, found: String) -> Option<Difference> {
    (expected != found).then_some(Difference { what, expected, found })
}

/// Calls, by name and JSON arguments, in one text. In canonical form equal
/// values are equal texts: 5 is 5.0, the order of keys does not matter, and no
/// integer is too big.
pub(crate) fn calls<'c>(calls: impl IntoIterator<Item = (&'c str, &'c str)>) -> String {
    let calls = calls.into_iter();
    let calls = calls.map(|(name, arguments)| format!("{name}{}", json::canonical(arguments)));
    match calls.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "none".to_owned(),
        calls => calls,
    }
}

/// The calls of a turn, in the same form.
pub(crate) fn read_calls(turn: &Turn) -> String {
    calls(turn.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())))
}

/// Writes each failure of all tallies to a file, one JSON object a line.
pub(crate) fn write_failures(path: &Path, tallies: &[&Tally]) -> Result<(), String> {
    let failed = |error: io::Error| format!("cannot write {}: {error}", path.display());
    let mut lines = String::new();
    for failure in tallies.iter().flat_map(|tally| &tally.failed) {
        lines.push_str(&serde_json::to_string(failure).map_err(|error| failed(error.into()))?);
        lines.push('\n');
    }
    std::fs::write(path, lines).map_err(failed)
}
