//! `cargo xtask corpus`: every case of the corpus, read in every way, by its
//! dialect alone and with the recovery net under it.

mod modes;
mod table;

use std::io::Write;

use callsign::{Dialects, Net};
use callsign_testing::corpus::{Case, Corpus, Mode};
use serde::Serialize;

use crate::{Failure, root};

use modes::{Subject, Wrong};

/// Read every case of the corpus in every way
#[derive(Default, clap::Args)]
pub(crate) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,

    /// Only cases whose `dialect/topic: name` holds this text
    filter: Option<String>,
}

/// What came of the corpus.
#[derive(Serialize)]
struct Report {
    rows: Vec<table::Row>,
    failures: Vec<Failed>,
    skipped: Vec<Skipped>,
    passed: usize,
    failed: usize,
}

/// A case that was not read as it should be.
#[derive(Serialize)]
struct Failed {
    case: String,
    source: String,
    /// How it was read.
    way: String,
    differences: Vec<String>,
}

/// A case, or a way of reading it, that was left out.
#[derive(Serialize)]
struct Skipped {
    case: String,
    reason: String,
}

/// How the calls of one case were read under the net.
#[derive(Default)]
struct Count {
    /// Expected calls that the net recovered.
    recovered: usize,
    /// Expected calls that were not read.
    missed: usize,
    /// Calls that were read and are none.
    false_positives: usize,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let corpus = Corpus::load(&root().join("corpus")).map_err(|error| error.to_string())?;
    let report = read(&corpus, args.filter.as_deref().unwrap_or_default());
    if args.json {
        let json = serde_json::to_string_pretty(&report).map_err(std::io::Error::from)?;
        writeln!(out, "{json}")?;
    } else {
        print(&report, out)?;
    }
    if report.passed + report.failed == 0 {
        return Err(Failure::Because("no case was run".to_owned()));
    }
    if report.failed == 0 { Ok(()) } else { Err(Failure::Found) }
}

fn read(corpus: &Corpus, filter: &str) -> Report {
    let dialects = Dialects::builtin();
    let recovery = dialects.recovery();
    let mut table = table::Table::default();
    let mut report = Report {
        rows: Vec::new(),
        failures: Vec::new(),
        skipped: Vec::new(),
        passed: 0,
        failed: 0,
    };
    for case in corpus.cases.iter().filter(|case| case.to_string().contains(filter)) {
        if let Some(reason) = &case.skip {
            report.skipped.push(Skipped { case: case.to_string(), reason: reason.clone() });
            continue;
        }
        let (count, wrong) = match case.net(&recovery, dialects.get(&case.dialect)) {
            Some(net) => read_in_both_modes(case, &net),
            None => (Count::default(), vec![Wrong::unread("no such dialect is built in")]),
        };
        table.add(&case.dialect, &case.kind, &count, wrong.is_empty());
        match wrong.is_empty() {
            true => report.passed += 1,
            false => report.failed += 1,
        }
        report.failures.extend(wrong.into_iter().map(|wrong| Failed {
            case: case.to_string(),
            source: case.source.clone(),
            way: wrong.way,
            differences: wrong.differences,
        }));
    }
    report.rows = table.rows();
    report
}

/// How the calls were read under the net, and what went wrong in each mode.
fn read_in_both_modes(case: &Case, net: &Net) -> (Count, Vec<Wrong>) {
    let strict = Subject { case, mode: Mode::Strict, dialect: &**net.inner() };
    let recovering = Subject { case, mode: Mode::Recovering, dialect: net };
    let (_, alone) = strict.run();
    let (count, under_the_net) = recovering.run();
    (count, alone.into_iter().chain(under_the_net).collect())
}

fn print(report: &Report, out: &mut dyn Write) -> std::io::Result<()> {
    table::print(&report.rows, out)?;
    for failed in &report.failures {
        writeln!(
            out,
            "\nFAILED {}\n  source: {}\n  read: {}",
            failed.case, failed.source, failed.way
        )?;
        for difference in &failed.differences {
            writeln!(out, "  {difference}")?;
        }
    }
    writeln!(out)?;
    for skipped in &report.skipped {
        writeln!(out, "skipped {}: {}", skipped.case, skipped.reason)?;
    }
    write!(out, "{} passed, {} failed", report.passed, report.failed)?;
    match report.skipped.len() {
        0 => writeln!(out),
        skipped => writeln!(out, ", {skipped} skipped"),
    }
}
