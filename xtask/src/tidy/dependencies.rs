//! Invariants that the dependency tree shows.

use std::collections::BTreeSet;

use crate::tools::{self, Metadata, Package};

use super::Violation;

/// How many third-party packages reading one dialect may need.
const PACKAGES: usize = 15;

/// What the small crates never depend on, at any depth.
const ABSENT: [&str; 15] = [
    "tokio",
    "clap",
    "minijinja",
    "llguidance",
    "llama-cpp-2",
    "async-openai",
    "jsonschema",
    "thiserror",
    "anyhow",
    "regex",
    "rand",
    "chrono",
    "time",
    "reqwest",
    "tracing",
];

/// Features that would change, for every user in the same build, what JSON
/// values are.
const CONTAGIOUS: [&str; 2] = ["preserve_order", "arbitrary_precision"];

/// What no crate that is part of the façade may show or need directly.
const BEHIND: [&str; 5] = ["minijinja", "llguidance", "llama-cpp-2", "async-openai", "jsonschema"];

/// Checks all of them.
pub(crate) fn check() -> Result<Vec<Violation>, String> {
    let metadata = Metadata::load()?;
    let mut found = Vec::new();
    for package in metadata.own() {
        let manifest = manifest(package);
        if package.is_dialect() {
            dialect(package, &manifest, &mut found)?;
        }
        if matches!(&*package.name, "callsign-core" | "callsign-syntax") {
            small(package, &manifest, &mut found)?;
        }
        if matches!(&*package.name, "callsign-core" | "callsign-syntax" | "callsign")
            || package.is_dialect()
        {
            for name in package.normal().filter(|name| BEHIND.contains(name)) {
                let advice = format!("depends on `{name}`: keep it in the crate it serves");
                found.push(Violation::of(&manifest, advice));
            }
        }
    }
    if let Some(facade) = metadata.own().find(|package| package.name == "callsign") {
        for name in metadata.own().filter(|package| package.is_dialect()) {
            let feature = name.name.trim_start_matches("callsign-");
            if !facade.features.contains_key(feature) {
                let advice = format!("has no feature `{feature}`: one feature a dialect");
                found.push(Violation::of(&manifest(facade), advice));
                continue;
            }
            let args = ["-p", "callsign", "--no-default-features", "--features", feature];
            count(&tree(&args)?, &manifest(facade), &format!("with `{feature}` alone"), &mut found);
        }
    }
    Ok(found)
}

/// A dialect is data over `core` and `syntax`, and small with them.
fn dialect(package: &Package, manifest: &str, found: &mut Vec<Violation>) -> Result<(), String> {
    let allowed = ["callsign-core", "callsign-syntax"];
    for name in package.normal().filter(|name| !allowed.contains(name)) {
        let advice =
            format!("depends on `{name}`: a dialect needs nothing but `core` and `syntax`");
        found.push(Violation::of(manifest, advice));
    }
    count(&tree(&["-p", &package.name])?, manifest, "with `core` and `syntax`", found);
    Ok(())
}

/// What `core` and `syntax` need is needed by everyone.
fn small(package: &Package, manifest: &str, found: &mut Vec<Violation>) -> Result<(), String> {
    for name in tree(&["-p", &package.name])?.iter().filter(|name| ABSENT.contains(&&***name)) {
        let advice = format!("needs `{name}`, which everyone would have to build: do without");
        found.push(Violation::of(manifest, advice));
    }
    let args = ["tree", "-p", &package.name, "-e", "features,normal", "--prefix", "none"];
    let features = tools::cargo(&args)?;
    for feature in CONTAGIOUS {
        if features.contains(&format!("serde_json feature \"{feature}\"")) {
            let advice = format!(
                "turns on `serde_json/{feature}` in every build it is part of: keep order and \
                 spelling in text"
            );
            found.push(Violation::of(manifest, advice));
        }
    }
    Ok(())
}

fn count(names: &BTreeSet<String>, manifest: &str, what: &str, found: &mut Vec<Violation>) {
    if names.len() > PACKAGES {
        let listed: Vec<&str> = names.iter().map(String::as_str).collect();
        let advice = format!(
            "{what}, {} third-party packages, at most {PACKAGES}: {}",
            names.len(),
            listed.join(", ")
        );
        found.push(Violation::of(manifest, advice));
    }
}

/// The names of the third-party packages that are built for these arguments.
fn tree(args: &[&str]) -> Result<BTreeSet<String>, String> {
    let fixed = ["tree", "-e", "normal", "--prefix", "none", "--format", "{p}"];
    let printed = tools::cargo(&[&fixed[..], args].concat())?;
    // A package of this workspace has its folder behind its version.
    let foreign = printed.lines().filter(|line| !line.contains(" (/") && !line.contains(":\\"));
    Ok(foreign.filter_map(|line| line.split(' ').next()).map(String::from).collect())
}

/// A package's manifest, from the top of the workspace.
fn manifest(package: &Package) -> String {
    let path = &package.manifest_path;
    path.strip_prefix(crate::root()).unwrap_or(path).display().to_string()
}
