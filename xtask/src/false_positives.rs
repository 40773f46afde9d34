//! `cargo xtask false-positives`: what people write, read under the net. None of
//! it is a call, however much it looks like one.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use callsign::{Dialect, Dialects, End, Event, Net, Offer, Reader, Span, Tool, Toolset};

use crate::{Failure, root};

/// Read text and source files under the net: no call may be found in them
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder to read; without it, the sources that cargo has fetched
    folder: Option<PathBuf>,
}

/// The files that are read, by what their names end in.
const EXTENSIONS: [&str; 48] = [
    "adoc", "asm", "bat", "c", "cc", "cfg", "cmake", "conf", "cpp", "cs", "css", "csv", "cxx",
    "go", "h", "hh", "hpp", "htm", "html", "ini", "java", "js", "json", "jsonl", "jsx", "kt",
    "lua", "markdown", "md", "mjs", "org", "php", "pl", "proto", "ps1", "py", "rb", "rs", "rst",
    "sh", "sql", "toml", "ts", "tsx", "txt", "xml", "yaml", "yml",
];

/// The longest file that is read, in bytes: longer ones are data.
const LONGEST: u64 = 4 << 20;

/// How much is shown of what was taken, in characters.
const SHOWN: usize = 120;

/// How many threads read.
const THREADS: usize = 2;

/// Crates that are about tool calling, so that calls stand in their sources, and
/// what is hit there. Of the crates read so far none had to be left out.
const ABOUT_TOOL_CALLS: [(&str, &str); 0] = [];

/// The dialects under the net, beside the net alone.
const DIALECTS: [&str; 2] = ["qwen-xml", "hermes"];

/// Tools by names that are words of every program, with the words of every
/// program for their parameters.
const TOOLS: [(&str, &str); 8] = [
    (
        "search",
        r#"{"type": "object", "required": ["query"], "properties": {
            "query": {"type": "string"}, "limit": {"type": "integer"}}}"#,
    ),
    (
        "run",
        r#"{"type": "object", "required": ["command"], "properties": {
            "command": {"type": "string"}, "args": {"type": "array"}, "cwd": {"type": "string"}}}"#,
    ),
    (
        "read_file",
        r#"{"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "offset": {"type": "integer"},
            "limit": {"type": "integer"}}}"#,
    ),
    (
        "write_file",
        r#"{"type": "object", "required": ["path", "content"], "properties": {
            "path": {"type": "string"}, "content": {"type": "string"}}}"#,
    ),
    (
        "get",
        r#"{"type": "object", "properties": {
            "url": {"type": "string"}, "key": {"type": "string"}, "headers": {"type": "object"}}}"#,
    ),
    (
        "query",
        r#"{"type": "object", "properties": {
            "query": {"type": "string"}, "name": {"type": "string"}, "limit": {"type": "integer"}}}"#,
    ),
    ("list_files", r#"{"type": "object", "properties": {}}"#),
    (
        "shell",
        r#"{"type": "object", "required": ["command"], "properties": {
            "command": {"type": "string"}, "timeout": {"type": "number"}}}"#,
    ),
];

/// What was read, and what was found.
#[derive(Default)]
struct Report {
    files: usize,
    bytes: u64,
    hits: Vec<Hit>,
}

/// What one reader took out of the text of a file.
struct Hit {
    file: PathBuf,
    line: usize,
    reader: String,
    taken: Taken,
}

enum Taken {
    Call(String),
    Text(String),
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = match &args.folder {
        Some(folder) => folder.clone(),
        None => fetched_sources()?,
    };
    let report = read(&folder)?;
    for hit in &report.hits {
        writeln!(out, "{hit}")?;
    }
    let calls = report.hits.iter().filter(|hit| matches!(hit.taken, Taken::Call(_))).count();
    let changed: BTreeSet<&Path> = report.hits.iter().map(|hit| hit.file.as_path()).collect();
    writeln!(
        out,
        "{} files, {} bytes, {calls} calls, {} changed",
        report.files,
        report.bytes,
        changed.len()
    )?;
    if report.files == 0 {
        return Err(Failure::Because(format!("no text below {}", folder.display())));
    }
    if report.hits.is_empty() { Ok(()) } else { Err(Failure::Found) }
}

/// Where cargo keeps the sources of the packages it has fetched.
fn fetched_sources() -> Result<PathBuf, Failure> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .ok_or_else(|| Failure::Because("cargo has no home: name a folder".to_owned()))?;
    Ok(root().join(home).join("registry").join("src"))
}

/// Reads all files below `folder`, in the order of their names.
fn read(folder: &Path) -> Result<Report, Failure> {
    let readers = readers()?;
    let tools = tools()?;
    let files = files(folder)?;
    let next = AtomicUsize::new(0);
    let work = || {
        let mut report = Report::default();
        while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
            // What is no UTF-8 is no output of a model.
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            report.files += 1;
            report.bytes += text.len() as u64;
            let shown = file.strip_prefix(folder).unwrap_or(file);
            for reader in &readers {
                report.hits.extend(taken(reader, &tools, &text).map(|(line, taken)| Hit {
                    file: shown.to_owned(),
                    line,
                    reader: reader.name().to_owned(),
                    taken,
                }));
            }
        }
        report
    };
    let mut whole = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_fold(Report::default(), |mut whole, worker| {
            let part = worker.join().map_err(|_| "a file made the reader panic".to_owned())?;
            whole.files += part.files;
            whole.bytes += part.bytes;
            whole.hits.extend(part.hits);
            Ok::<_, String>(whole)
        })
    })?;
    whole.hits.sort_by(|one, other| (&one.file, one.line).cmp(&(&other.file, other.line)));
    Ok(whole)
}

/// The net alone and over some dialects.
fn readers() -> Result<Vec<Net>, Failure> {
    let dialects = Dialects::builtin();
    let recovery = dialects.recovery();
    let mut readers = vec![recovery.alone()];
    for name in DIALECTS {
        let dialect = dialects.get(name).ok_or_else(|| format!("no dialect `{name}`"))?;
        readers.push(recovery.over(dialect));
    }
    Ok(readers)
}

fn tools() -> Result<Toolset, Failure> {
    let tools = TOOLS.iter().map(|(name, parameters)| {
        Tool::new(*name, parameters).map_err(|error| format!("`{name}`: {error}"))
    });
    let tools = tools.collect::<Result<Vec<_>, _>>()?;
    Ok(Toolset::new(tools).map_err(|error| error.to_string())?)
}

/// What `reader` takes out of `text`, and in which line it stands: all that is
/// not text to it.
fn taken(reader: &Net, tools: &Toolset, text: &str) -> impl Iterator<Item = (usize, Taken)> {
    let offer = Offer::new(tools);
    let mut found: Vec<(Span, Taken)> = Vec::new();
    let mut sink = |event: Event<'_>| match event {
        Event::Call { span, call, .. } => {
            found.push((span, Taken::Call(format!("{}{}", call.name, call.arguments.as_str()))));
        }
        Event::Reasoning { span, text }
        | Event::Framing { span, text, .. }
        | Event::Rejected { span, text, .. } => {
            found.push((span, Taken::Text(text.into_owned())));
        }
        _ => {}
    };
    let mut turn = Reader::new(reader, &offer);
    turn.push(text, &mut sink);
    turn.finish(End::Stop, &mut sink);
    found.into_iter().map(|(span, taken)| {
        let before = text.as_bytes().get(..span.start).unwrap_or_default();
        (before.iter().filter(|byte| **byte == b'\n').count() + 1, taken)
    })
}

/// The files to read below `folder`, hidden ones among them.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error| format!("cannot read {}: {error}", folder.display());
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            let kind = entry.metadata().map_err(failed)?;
            if kind.is_dir() {
                if !is_about_tool_calls(&entry.file_name().to_string_lossy()) {
                    folders.push(path);
                }
            } else if kind.is_file() && kind.len() <= LONGEST && is_text(&path) {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

fn is_text(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    EXTENSIONS.contains(&&*extension)
}

/// Whether a folder holds the sources of a crate that is about tool calling.
fn is_about_tool_calls(folder: &str) -> bool {
    ABOUT_TOOL_CALLS.iter().any(|(name, _)| is_version_of(folder, name))
}

/// Whether a folder is named after this crate, as cargo does: with its version.
fn is_version_of(folder: &str, name: &str) -> bool {
    let version = folder.strip_prefix(name).and_then(|rest| rest.strip_prefix('-'));
    version.is_some_and(|version| version.starts_with(|char: char| char.is_ascii_digit()))
}

impl fmt::Display for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: ", self.file.display(), self.line, self.reader)?;
        match &self.taken {
            Taken::Call(call) => write!(f, "call {call}"),
            Taken::Text(text) => {
                let shown: String = text.chars().take(SHOWN).collect();
                write!(f, "no text: {shown:?}")
            }
        }
    }
}

#[cfg(test)]
mod tests;
