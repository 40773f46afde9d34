//! The seeded bugs: with any of them in the code, the contract must fail.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, root, tools};

/// Try the contract on the seeded bugs, each of which it must catch.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Say only whether every patch still applies.
    #[arg(long)]
    check: bool,
    /// Try only the bugs that have this in their name.
    filter: Option<String>,
}

const FOLDER: &str = "crates/testing/seeded";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut missed = 0;
    let wanted = |path: &Path| {
        args.filter.as_ref().is_none_or(|filter| path.to_string_lossy().contains(filter))
    };
    let patches: Vec<PathBuf> = patches()?.into_iter().filter(|path| wanted(path)).collect();
    for path in &patches {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if !applies(&root(), path)? {
            missed += 1;
            writeln!(out, "{name}: it no longer applies: bring it up to date")?;
        } else if !args.check {
            let caught = try_bug(path)?;
            missed += usize::from(caught.is_none());
            let by = caught.as_deref().unwrap_or("nothing: the contract has a gap");
            writeln!(out, "{name}: caught by {by}")?;
        }
    }
    writeln!(out, "{} passed, {missed} failed", patches.len() - missed)?;
    if missed == 0 { Ok(()) } else { Err(Failure::Found) }
}

fn patches() -> Result<Vec<PathBuf>, String> {
    tools::files(&root().join(FOLDER), "patch")
}

/// Whether a patch fits the sources below `folder`.
fn applies(folder: &Path, patch: &Path) -> Result<bool, Failure> {
    let mut check = Command::new("git");
    check.args(["apply", "--check"]).arg(patch).current_dir(folder);
    Ok(check.output()?.status.success())
}

/// Puts the bug into a copy of the workspace and runs the contract there. Gives
/// the properties that fail.
fn try_bug(patch: &Path) -> Result<Option<String>, Failure> {
    let target = root().join("target/seeded");
    let copy = target.join("workspace");
    if copy.exists() {
        std::fs::remove_dir_all(&copy)?;
    }
    copy_sources(&root(), &copy)?;
    // The copy lies below a repository and is none of it.
    let mut apply = Command::new("git");
    apply.arg("apply").arg(patch).current_dir(&copy).env("GIT_CEILING_DIRECTORIES", &target);
    let applied = apply.status()?;
    if !applied.success() {
        return Err(format!("{}: it does not apply", patch.display()).into());
    }
    let tests = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--no-fail-fast", "--test", "contract"])
        .args(["--package", "callsign-qwen-xml", "--package", "callsign-hermes"])
        .current_dir(&copy)
        .env("CARGO_TARGET_DIR", target.join("build"))
        .output()?;
    if tests.status.success() {
        return Ok(None);
    }
    let report = String::from_utf8_lossy(&tests.stdout);
    let mut failed: Vec<&str> =
        report.lines().filter_map(|line| line.strip_suffix(" --- FAILED")).collect();
    failed.sort_unstable();
    failed.dedup();
    if failed.is_empty() {
        let problem = String::from_utf8_lossy(&tests.stderr).into_owned();
        return Err(format!("{}: it does not compile\n{problem}", patch.display()).into());
    }
    Ok(Some(failed.join(", ")))
}

/// Copies what the workspace is built from.
fn copy_sources(from: &Path, to: &Path) -> Result<(), Failure> {
    let mut open = vec![PathBuf::new()];
    while let Some(folder) = open.pop() {
        std::fs::create_dir_all(to.join(&folder))?;
        for entry in std::fs::read_dir(from.join(&folder))? {
            let entry = entry?;
            let name = entry.file_name();
            if name == "target" || name == ".git" {
                continue;
            }
            let path = folder.join(&name);
            if entry.file_type()?.is_dir() {
                open.push(path);
            } else {
                std::fs::copy(from.join(&path), to.join(&path))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seeded_bug_still_applies() {
        for patch in patches().unwrap() {
            assert!(applies(&root(), &patch).unwrap(), "{}", patch.display());
        }
    }
}
