//! `cargo xtask ci`: everything a change must pass, step by step.

use std::io::Write;
use std::time::Instant;

use crate::tools::{Metadata, cargo_command};
use crate::{Failure, corpus, licences, tidy};

/// Do all that a change must pass; stop at the first failure
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Leave a step out: format, clippy, docs, tests, features, corpus, tidy or deny
    #[arg(long, value_name = "STEP", value_parser = NAMES)]
    skip: Vec<String>,
}

const NAMES: [&str; 8] =
    ["format", "clippy", "docs", "tests", "features", "corpus", "tidy", "deny"];

/// One thing to do.
struct Step {
    name: &'static str,
    /// The command that does it alone.
    command: Vec<String>,
    /// What the command finds in its environment.
    environment: Option<(&'static str, &'static str)>,
}

impl Step {
    fn cargo(name: &'static str, command: &str) -> Self {
        let words = command.split(' ').map(String::from).collect();
        Step { name, command: words, environment: None }
    }

    /// As a person would type it.
    fn shown(&self) -> String {
        let command = self.command.join(" ");
        match self.environment {
            Some((variable, value)) => format!("{variable}=\"{value}\" cargo {command}"),
            None => format!("cargo {command}"),
        }
    }

    /// Chores are called, commands are run.
    fn run(&self, out: &mut dyn Write) -> Result<(), Failure> {
        match self.name {
            "corpus" => return corpus::run(&corpus::Args::default(), out),
            "tidy" => return tidy::run(&tidy::Args::default(), out),
            "deny" => return licences::run(&licences::Args::default(), out),
            _ => {}
        }
        let mut cargo = cargo_command();
        cargo.args(&self.command);
        if let Some((variable, value)) = self.environment {
            cargo.env(variable, value);
        }
        if cargo.status()?.success() { Ok(()) } else { Err(Failure::Found) }
    }
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let begun = Instant::now();
    for step in steps()? {
        if args.skip.iter().any(|skipped| skipped == step.name) {
            writeln!(out, "== {}: left out", step.name)?;
            continue;
        }
        writeln!(out, "== {}: {}", step.name, step.shown())?;
        out.flush()?;
        let start = Instant::now();
        if let Err(failure) = step.run(out) {
            if let Failure::Because(reason) = &failure {
                writeln!(out, "{reason}")?;
            }
            writeln!(out, "== {}: FAILED. Repeat it with: {}", step.name, step.shown())?;
            return Err(Failure::Found);
        }
        writeln!(out, "== {}: done in {:.1} s", step.name, start.elapsed().as_secs_f64())?;
    }
    writeln!(out, "== all done in {:.1} s", begun.elapsed().as_secs_f64())?;
    Ok(())
}

fn steps() -> Result<Vec<Step>, Failure> {
    let mut docs = Step::cargo("docs", "doc --workspace --no-deps");
    docs.environment = Some(("RUSTDOCFLAGS", "-D warnings"));
    let mut steps = vec![
        Step::cargo("format", "fmt --all --check"),
        Step::cargo("clippy", "clippy --workspace --all-targets -- -D warnings"),
        docs,
        Step::cargo("tests", "test --workspace"),
    ];
    // The façade has to build with no dialect and with each alone.
    steps.push(Step::cargo("features", "clippy -p callsign --no-default-features -- -D warnings"));
    for feature in facade_features()? {
        let command =
            format!("clippy -p callsign --no-default-features --features {feature} -- -D warnings");
        steps.push(Step::cargo("features", &command));
    }
    steps.push(Step::cargo("corpus", "xtask corpus"));
    steps.push(Step::cargo("tidy", "xtask tidy"));
    steps.push(Step::cargo("deny", "xtask deny"));
    Ok(steps)
}

/// The features of the façade that stand for one thing.
fn facade_features() -> Result<Vec<String>, Failure> {
    let metadata = Metadata::load()?;
    let facade = metadata.own().find(|package| package.name == "callsign");
    Ok(facade
        .into_iter()
        .flat_map(|facade| facade.features.keys())
        .filter(|feature| !matches!(feature.as_str(), "default" | "full"))
        .cloned()
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{NAMES, steps};

    #[test]
    fn every_step_can_be_left_out() {
        let mut names: Vec<_> =
            steps().expect("cargo metadata").iter().map(|step| step.name).collect();
        names.dedup();
        assert_eq!(names, NAMES);
    }
}
