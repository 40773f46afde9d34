//! `cargo xtask conformance`: foreign cases, by what they expect.
//!
//! Two formats are told apart line by line: raw outputs with what is to be read
//! from them, and vectors recorded with a chat template.

mod case;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use callsign::Dialects;
use serde::{Deserialize, Serialize};

use crate::Failure;

use case::{Case, Difference, Verdict};

/// Run foreign cases
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files with one case a line
    #[arg(required = true, value_name = "FILE.jsonl")]
    files: Vec<PathBuf>,

    /// Write each failure to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,

    /// Run only these kinds, such as `native,stream,truncated`
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,

    /// Run only cases of this confidence, such as `certain`
    #[arg(long, value_name = "WORD")]
    confidence: Option<String>,
}

/// What tells the formats apart.
#[derive(Deserialize)]
struct Probe {
    template: Option<serde::de::IgnoredAny>,
    expect_calls: Option<serde::de::IgnoredAny>,
}

/// A case that was not read as it should be.
#[derive(Serialize)]
struct Failed {
    file: String,
    line: usize,
    id: String,
    kind: String,
    confidence: String,
    dialect: String,
    input: String,
    differences: Vec<Difference>,
}

#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<Failed>,
    /// How many were skipped, by the reason.
    skipped: BTreeMap<String, usize>,
    /// Passed and run, by kind.
    kinds: BTreeMap<String, (usize, usize)>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let dialects = Dialects::builtin();
    let mut tally = Tally::default();
    for path in &args.files {
        let name = path.display().to_string();
        let file =
            std::fs::File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        for (index, line) in BufReader::new(file).lines().enumerate() {
            let line = line.map_err(|error| format!("{name}, line {}: {error}", index + 1))?;
            if line.trim().is_empty() {
                continue;
            }
            one(args, &dialects, (&name, index + 1), &line, &mut tally)
                .map_err(|error| format!("{name}, line {}: {error}", index + 1))?;
        }
    }
    report(&tally, out)?;
    if let Some(path) = &args.failures {
        let mut lines = String::new();
        for failed in &tally.failed {
            lines.push_str(&serde_json::to_string(failed).map_err(std::io::Error::from)?);
            lines.push('\n');
        }
        std::fs::write(path, lines)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    }
    if tally.failed.is_empty() { Ok(()) } else { Err(Failure::Found) }
}

fn one(
    args: &Args,
    dialects: &Dialects,
    (file, line): (&str, usize),
    text: &str,
    tally: &mut Tally,
) -> Result<(), serde_json::Error> {
    let probe: Probe = serde_json::from_str(text)?;
    if probe.template.is_some() && probe.expect_calls.is_some() {
        tally.skip("needs its chat template");
        return Ok(());
    }
    let case: Case<'_> = serde_json::from_str(text)?;
    if !args.kinds.is_empty() && !args.kinds.contains(&case.kind) {
        tally.skip("of another kind than asked for");
        return Ok(());
    }
    if args.confidence.as_ref().is_some_and(|asked| *asked != case.confidence) {
        tally.skip("of another confidence than asked for");
        return Ok(());
    }
    let differences = match case.run(dialects) {
        Verdict::Skipped(reason) => {
            tally.skip(&reason);
            return Ok(());
        }
        Verdict::Passed => {
            tally.passed += 1;
            let kind = tally.kinds.entry(case.kind).or_default();
            kind.0 += 1;
            kind.1 += 1;
            return Ok(());
        }
        Verdict::Failed(differences) => differences,
    };
    tally.kinds.entry(case.kind.clone()).or_default().1 += 1;
    tally.failed.push(Failed {
        file: file.to_owned(),
        line,
        input: case.text(),
        id: case.id,
        kind: case.kind,
        confidence: case.confidence,
        dialect: case.dialect.unwrap_or_default(),
        differences,
    });
    Ok(())
}

impl Tally {
    fn skip(&mut self, reason: &str) {
        *self.skipped.entry(reason.to_owned()).or_default() += 1;
    }
}

fn report(tally: &Tally, out: &mut dyn Write) -> std::io::Result<()> {
    for failed in &tally.failed {
        writeln!(out, "FAILED {} ({}, {})", failed.id, failed.kind, failed.dialect)?;
        for difference in &failed.differences {
            writeln!(out, "  {}", difference.what)?;
            writeln!(out, "    expected  {}", difference.expected)?;
            writeln!(out, "    read      {}", difference.read)?;
        }
    }
    if !tally.failed.is_empty() {
        writeln!(out)?;
    }
    for (kind, (passed, run)) in &tally.kinds {
        writeln!(out, "{kind:<16} {passed:>4} of {run:>4}")?;
    }
    for (reason, count) in &tally.skipped {
        writeln!(out, "skipped {count:>4}: {reason}")?;
    }
    let skipped: usize = tally.skipped.values().sum();
    write!(out, "{} passed, {} failed", tally.passed, tally.failed.len())?;
    match skipped {
        0 => writeln!(out),
        skipped => writeln!(out, ", {skipped} skipped"),
    }
}
