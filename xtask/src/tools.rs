//! What several chores do: running other programs, asking cargo about the
//! workspace, listing a folder.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::root;

/// What `cargo metadata` says, as far as chores need it.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
}

#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) license_file: Option<String>,
    /// Where it comes from; nothing for a package of this workspace.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Nothing for a normal dependency, else `dev` or `build`.
    pub(crate) kind: Option<String>,
}

impl Package {
    /// The dependencies that its users get.
    pub(crate) fn normal(&self) -> impl Iterator<Item = &str> {
        self.dependencies.iter().filter(|other| other.kind.is_none()).map(|other| &*other.name)
    }

    /// The name of its folder's parent: `dialects` for a dialect.
    pub(crate) fn is_dialect(&self) -> bool {
        let mut folders = self.manifest_path.ancestors().skip(2);
        folders.next().is_some_and(|folder| folder.ends_with("crates/dialects"))
    }
}

impl Metadata {
    /// Of the packages of this workspace and all they may ever depend on.
    pub(crate) fn load() -> Result<Self, String> {
        let json = cargo(&["metadata", "--format-version=1", "--all-features"])?;
        serde_json::from_str(&json).map_err(|error| format!("cargo metadata: {error}"))
    }

    /// The packages of this workspace.
    pub(crate) fn own(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.source.is_none())
    }
}

/// The cargo that runs this.
pub(crate) fn cargo_command() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// What cargo prints.
pub(crate) fn cargo(args: &[&str]) -> Result<String, String> {
    let mut command = cargo_command();
    command.args(args);
    output(command, &format!("cargo {}", args.join(" ")))
}

/// What git prints.
pub(crate) fn git(args: &[&str]) -> Result<String, String> {
    let mut command = Command::new("git");
    command.args(args).current_dir(root());
    output(command, &format!("git {}", args.join(" ")))
}

/// What a command prints; `shown` is how it is named where it fails.
pub(crate) fn output(mut command: Command, shown: &str) -> Result<String, String> {
    let output = command.output().map_err(|error| format!("`{shown}`: {error}"))?;
    if !output.status.success() {
        return Err(format!("`{shown}` failed:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{shown}`: {error}"))
}

/// The files of a folder that end in `.extension`, by name.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension() == Some(OsStr::new(extension)) {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
