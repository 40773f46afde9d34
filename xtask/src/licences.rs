//! `cargo xtask deny`: licences, banned packages and sources, by `deny.toml`.
//!
//! `cargo-deny` does it where it is installed. Elsewhere the same lists are
//! checked here, so that a fresh machine needs nothing but Rust.

use std::collections::BTreeSet;
use std::io::Write;

use serde::Deserialize;

use crate::tools::{self, Metadata};
use crate::{Failure, root};

/// Check licences, banned packages and sources by deny.toml
#[derive(Default, clap::Args)]
pub(crate) struct Args {
    /// Do without cargo-deny, even where it is installed
    #[arg(long)]
    built_in: bool,
}

/// What is read of `deny.toml`.
#[derive(Deserialize)]
struct Rules {
    licenses: Licences,
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let installed = !args.built_in && tools::cargo(&["deny", "--version"]).is_ok();
    if !installed {
        return built_in(out);
    }
    let status = tools::cargo_command()
        .args(["deny", "--all-features", "check", "licenses", "bans", "sources"])
        .status()?;
    if status.success() { Ok(()) } else { Err(Failure::Found) }
}

fn built_in(out: &mut dyn Write) -> Result<(), Failure> {
    let text = std::fs::read_to_string(root().join("deny.toml"))
        .map_err(|error| format!("deny.toml: {error}"))?;
    let rules: Rules = toml::from_str(&text).map_err(|error| format!("deny.toml: {error}"))?;
    let metadata = Metadata::load()?;
    let mut faults = Vec::new();
    let mut sources = BTreeSet::new();
    let mut foreign = 0;
    for package in &metadata.packages {
        let Some(source) = &package.source else { continue };
        foreign += 1;
        let named = format!("{} {}", package.name, package.version);
        match (&package.license, &package.license_file) {
            (Some(licence), _) if allowed(licence, &rules.licenses.allow) => {}
            (Some(licence), _) => faults.push(format!(
                "{named}: licence `{licence}` is not among `licenses.allow` of deny.toml"
            )),
            (None, Some(file)) => faults.push(format!(
                "{named}: its licence is told by the file {file} alone: read it, then decide"
            )),
            (None, None) => faults.push(format!("{named}: no licence")),
        }
        if let Some(ban) = rules.bans.deny.iter().find(|ban| ban.name == package.name) {
            faults.push(format!("{named}: banned: {}", ban.reason));
        }
        if source.starts_with("registry+") {
            sources.insert(source);
        } else {
            faults.push(format!("{named}: not from a registry but from {source}"));
        }
    }
    // The default registry is the only one if there is only one, because the
    // packages of this workspace name none.
    if sources.len() > 1 {
        faults.push(format!("packages come from several registries: {sources:?}"));
    }
    for fault in &faults {
        writeln!(out, "{fault}")?;
    }
    writeln!(out, "{foreign} foreign packages, {} faults", faults.len())?;
    if faults.is_empty() { Ok(()) } else { Err(Failure::Found) }
}

/// Whether an SPDX expression can be met by allowed licences.
fn allowed(expression: &str, allow: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let met = either(&mut words, allow);
    met && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn either(words: &mut Words<'_>, allow: &BTreeSet<String>) -> bool {
    let mut met = both(words, allow);
    while words.next_if_eq(&"OR").is_some() {
        met |= both(words, allow);
    }
    met
}

fn both(words: &mut Words<'_>, allow: &BTreeSet<String>) -> bool {
    let mut met = one(words, allow);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words, allow);
    }
    met
}

fn one(words: &mut Words<'_>, allow: &BTreeSet<String>) -> bool {
    match words.next() {
        Some("(") => {
            let met = either(words, allow);
            met & words.next_if_eq(&")").is_some()
        }
        Some(licence) if words.next_if_eq(&"WITH").is_some() => {
            let exception = words.next().unwrap_or_default();
            allow.contains(&format!("{licence} WITH {exception}")) || allow.contains(licence)
        }
        Some(licence) => allow.contains(licence),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::allowed;

    #[test]
    fn an_expression_is_met_by_what_is_allowed() {
        let allow = ["MIT", "Unicode-3.0"].map(String::from).into();
        for met in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(GPL-3.0 OR MIT) AND Unicode-3.0",
            "MIT AND Unicode-3.0",
            "MIT WITH some-exception",
        ] {
            assert!(allowed(met, &allow), "{met}");
        }
        for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "", "MIT GPL-3.0", "(MIT"] {
            assert!(!allowed(unmet, &allow), "{unmet}");
        }
    }
}
