//! Invariants that the files themselves show.

use crate::{root, tools};

use super::Violation;

/// A file of the workspace, by its path from the top with `/` between.
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

/// The longest module that is still read in one sitting.
const LINES: usize = 600;

/// Crates that must not spell the markers of any family: what they know of one
/// comes from its description.
const WITHOUT_MARKERS: [&str; 10] = [
    "core",
    "syntax",
    "template",
    "callsign",
    "cli",
    "recovery",
    "backend",
    "agent",
    "llama-cpp",
    "openai",
];

/// Markers that no crate but a dialect's spells.
const MARKERS: [&str; 28] = [
    "<tool_call",
    "</tool_call",
    "<|tool_call",
    "<tool_response",
    "<function=",
    "</function",
    "<parameter=",
    "</parameter",
    "<think>",
    "</think>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "[THINK]",
    "<|channel|>",
    "<|message|>",
    "<|start|>",
    "<|python_tag|>",
    "<|START_ACTION|>",
    "<|tool_calls_section",
    "<minimax:",
    "<seed:",
    "<start_function_call>",
    "<arg_key>",
    "<arg_value>",
    "<|im_end|>",
    "<|eom_id|>",
    "｜DSML｜",
    "<｜tool",
];

/// Crates whose types stay out of every signature that users see.
const PRIVATE: [&str; 6] =
    ["minijinja", "llguidance", "llama_cpp_2", "async_openai", "jsonschema", "nom"];

/// The files that are, or are about to be, under version control; in a copy
/// without it, all files but what is built.
pub(crate) fn files() -> Result<Vec<SourceFile>, String> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let paths = match tools::git(&args) {
        Ok(listed) => listed.split('\0').map(String::from).collect(),
        Err(_) => walk()?,
    };
    let mut files = Vec::new();
    for path in paths.into_iter().filter(|path| !path.is_empty()) {
        // A file that is gone but not yet so for git is no file; one that is no
        // text says nothing here.
        if let Ok(text) = std::fs::read_to_string(root().join(&path)) {
            files.push(SourceFile { path, text });
        }
    }
    Ok(files)
}

fn walk() -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let failed = |error: std::io::Error| format!("cannot read {folder}: {error}");
        for entry in std::fs::read_dir(root().join(&folder)).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            if !entry.file_type().map_err(failed)?.is_dir() {
                files.push(path);
            } else if name != "target" && name != ".git" {
                folders.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Checks all of them.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files {
        paths(file, &mut found);
        if file.path.ends_with(".rs") {
            first_line(file, &mut found);
            length(file, &mut found);
            markers(file, &mut found);
            signatures(file, &mut found);
        }
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        if !files.iter().any(|file| file.path == name) {
            found.push(Violation::of(
                name,
                "missing: the licence is MIT OR Apache-2.0; add its text",
            ));
        }
    }
    found
}

fn first_line(file: &SourceFile, found: &mut Vec<Violation>) {
    if !file.text.starts_with("//!") {
        let advice = "say in a first line `//! …` what lives here";
        found.push(Violation::at(&file.path, 1, advice));
    }
}

fn length(file: &SourceFile, found: &mut Vec<Violation>) {
    let lines = file.text.lines().count();
    if lines > LINES && !is_test(&file.path) {
        let advice = format!("{lines} lines, at most {LINES}: look for the seam");
        found.push(Violation::at(&file.path, LINES, advice));
    }
}

fn is_test(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/benches/") || path.ends_with("/tests.rs")
}

fn markers(file: &SourceFile, found: &mut Vec<Violation>) {
    let checked =
        WITHOUT_MARKERS.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
    if !checked || is_test(&file.path) {
        return;
    }
    for (index, code) in code(&file.text) {
        for marker in MARKERS.iter().filter(|marker| code.contains(**marker)) {
            let advice = format!("spells the marker `{marker}`: take it from the description");
            found.push(Violation::at(&file.path, index + 1, advice));
        }
    }
}

/// The lines without comments, up to the tests.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.take_while(|(_, line)| !line.starts_with("#[cfg(test)]")).map(|(index, line)| match line
        .trim_start()
    {
        comment if comment.starts_with("//") => (index, ""),
        _ => (index, line.split(" // ").next().unwrap_or(line)),
    })
}

fn signatures(file: &SourceFile, found: &mut Vec<Violation>) {
    if !file.path.starts_with("crates/") || is_test(&file.path) {
        return;
    }
    for (index, line) in code(&file.text) {
        let line = line.trim_start();
        let public = line.starts_with("pub ") || line.starts_with("impl ");
        for name in PRIVATE.iter().filter(|name| line.contains(&format!("{name}::"))) {
            if public {
                let advice =
                    format!("shows a type of `{name}` to users: wrap it in one of our own");
                found.push(Violation::at(&file.path, index + 1, advice));
            }
        }
    }
}

/// Nothing points out of the repository or at the machine it was written on.
fn paths(file: &SourceFile, found: &mut Vec<Violation>) {
    let own = root().display().to_string();
    // Put together, so that this file does not hold what it looks for.
    let mut outside = vec![concat!("../", "shared").to_owned(), concat!("/", "work/").to_owned()];
    if own.matches(['/', '\\']).count() > 1 {
        outside.push(own);
    }
    for (index, line) in file.text.lines().enumerate() {
        for path in &outside {
            let begins = |(at, _)| !line[..at].ends_with(|char: char| char.is_alphanumeric());
            if line.match_indices(path.as_str()).any(begins) {
                let advice = format!("points at `{path}`, outside of the repository: remove it");
                found.push(Violation::at(&file.path, index + 1, advice));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SourceFile, check};

    fn violations(path: &str, text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| SourceFile { path: path.into(), text: text.into() };
        let files = [file(path, text), file("LICENSE-MIT", ""), file("LICENSE-APACHE", "")];
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_says_what_it_is() {
        assert_eq!(violations("crates/x/src/a.rs", "//! A.\n"), [""; 0]);
        assert!(
            violations("crates/x/src/a.rs", "use a;\n")[0].starts_with("crates/x/src/a.rs:1: ")
        );
    }

    #[test]
    fn a_module_is_read_in_one_sitting() {
        let long = format!("//! A.\n{}", "\n".repeat(600));
        assert_eq!(violations("crates/x/src/a.rs", &long).len(), 1);
        assert_eq!(violations("crates/x/src/tests.rs", &long), [""; 0]);
        assert_eq!(violations("crates/x/tests/a.rs", &long), [""; 0]);
    }

    #[test]
    fn a_marker_belongs_to_its_description() {
        let spelled = "//! A `<tool_call>`.\n// <think>\nlet a = \"<think>\";\n";
        let found = violations("crates/core/src/a.rs", spelled);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/core/src/a.rs:3: "), "{found:?}");
        assert_eq!(violations("crates/dialects/a/src/lib.rs", spelled), [""; 0]);
        let tested = "//! A.\n#[cfg(test)]\nmod tests { const A: &str = \"<think>\"; }\n";
        assert_eq!(violations("crates/core/src/a.rs", tested), [""; 0]);
    }

    #[test]
    fn a_foreign_type_stays_inside() {
        let shown = "//! A.\npub fn a() -> nom::Err {}\nfn b() -> nom::Err {}\n";
        let found = violations("crates/syntax/src/a.rs", shown);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn nothing_points_outside() {
        let sibling = format!("see ..{}", "/shared/x");
        assert_eq!(violations("README.md", &sibling).len(), 1);
        let machine = format!("see {0}x and net{0}x", concat!("/", "work/"));
        assert_eq!(violations("README.md", &machine).len(), 1);
    }

    #[test]
    fn the_licences_are_there() {
        assert_eq!(check(&[]).len(), 2);
    }
}
