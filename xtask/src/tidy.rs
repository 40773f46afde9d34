//! `cargo xtask tidy`: the invariants of the workspace, checked over its files
//! and its dependency tree. `ARCHITECTURE.md` has their reasons.

mod dependencies;
mod sources;

use std::io::Write;

use crate::{Failure, root, tools};

/// Check the invariants of the workspace
#[derive(Default, clap::Args)]
pub(crate) struct Args {}

/// Where an invariant does not hold, and what to do about it.
#[derive(Debug)]
pub(crate) struct Violation {
    /// A file, with a line where one is at fault.
    place: String,
    /// What is wrong and what to do.
    advice: String,
}

impl Violation {
    fn at(file: &str, line: usize, advice: impl Into<String>) -> Self {
        Violation { place: format!("{file}:{line}"), advice: advice.into() }
    }

    fn of(file: &str, advice: impl Into<String>) -> Self {
        Violation { place: file.to_owned(), advice: advice.into() }
    }
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.place, self.advice)
    }
}

pub(crate) fn run(_args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut violations = sources::check(&sources::files()?);
    violations.extend(dependencies::check()?);
    let without_system = wasm(out)?;
    for violation in &violations {
        writeln!(out, "{violation}")?;
    }
    writeln!(out, "{} violations", violations.len())?;
    if violations.is_empty() && without_system { Ok(()) } else { Err(Failure::Found) }
}

/// Whether the small crates build for a target without an operating system.
fn wasm(out: &mut dyn Write) -> Result<bool, Failure> {
    const TARGET: &str = "wasm32-unknown-unknown";
    let sysroot = std::process::Command::new("rustc")
        .args(["--print", "target-libdir", "--target", TARGET])
        .current_dir(root())
        .output()?;
    let folder = String::from_utf8_lossy(&sysroot.stdout).trim().to_owned();
    if folder.is_empty() || !std::path::Path::new(&folder).is_dir() {
        writeln!(out, "skipped: the build for {TARGET} (`rustup target add {TARGET}`)")?;
        return Ok(true);
    }
    let built = tools::cargo_command()
        .args(["check", "--quiet", "-p", "callsign", "--target", TARGET])
        .status()?;
    Ok(built.success())
}

#[cfg(test)]
mod tests {
    use super::sources;

    #[test]
    fn the_sources_are_tidy() {
        let violations = sources::check(&sources::files().expect("the files are listed"));
        let listed: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert!(listed.is_empty(), "\n{}", listed.join("\n"));
    }
}
