//! The chores of this workspace: `cargo xtask <chore>`.
//!
//! One module a chore. What a chore finds wrong it prints itself; a
//! [`Failure`] then only ends the run.

mod bench;
mod ci;
mod conformance;
mod corpus;
mod false_positives;
mod families;
mod licences;
mod seeded;
mod tally;
mod templates;
mod tidy;
mod tools;
mod vectors;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The chores of this workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    Corpus(corpus::Args),
    Conformance(conformance::Args),
    Tidy(tidy::Args),
    Deny(licences::Args),
    Ci(ci::Args),
    Bench(bench::Args),
    FalsePositives(false_positives::Args),
    Families(families::Args),
    Seeded(seeded::Args),
    Templates(templates::Args),
}

/// Why a chore failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It found faults and has printed them.
    Found,
    /// It could not be done.
    Because(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Because(error.to_string())
    }
}

impl From<String> for Failure {
    fn from(reason: String) -> Self {
        Failure::Because(reason)
    }
}

fn main() -> ExitCode {
    let mut out = io::stdout();
    let done = match &Cli::parse().chore {
        Chore::Corpus(args) => corpus::run(args, &mut out),
        Chore::Conformance(args) => conformance::run(args, &mut out),
        Chore::Tidy(args) => tidy::run(args, &mut out),
        Chore::Deny(args) => licences::run(args, &mut out),
        Chore::Ci(args) => ci::run(args, &mut out),
        Chore::Bench(args) => bench::run(args, &mut out),
        Chore::FalsePositives(args) => false_positives::run(args, &mut out),
        Chore::Families(args) => families::run(args, &mut out),
        Chore::Seeded(args) => seeded::run(args, &mut out),
        Chore::Templates(args) => templates::run(args, &mut out),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Found) => ExitCode::FAILURE,
        Err(Failure::Because(reason)) => {
            // If standard error is gone too, nobody is left to tell.
            let _ = writeln!(io::stderr(), "xtask: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The top folder of the workspace.
pub(crate) fn root() -> PathBuf {
    // Cargo says at run time where the package is now; the folder it was built
    // in may have moved since.
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    package.parent().map(PathBuf::from).unwrap_or(package)
}
