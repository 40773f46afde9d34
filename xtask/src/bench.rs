//! How fast reading is: instructions by callgrind, which repeat, and throughput
//! by the clock, which does not.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, root};

/// Measure reading, and write or check the table in the documentation.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Compare with the table instead of writing it: instructions may grow by
    /// 3 %.
    #[arg(long)]
    check: bool,
    /// Measure only what has this in its name.
    filter: Option<String>,
}

/// Where the table stands.
const TABLE: &str = "docs/benchmarks.md";

/// By how much instructions may grow.
const TOLERANCE: f64 = 1.03;

const CHUNKS: [&str; 3] = ["whole", "16", "4"];

/// What is read, its targets with the counting sink, whole and in chunks of 16
/// and 4 bytes, in instructions a byte.
const WORKS: [(&str, Option<[f64; 3]>); 33] = [
    ("prose 100 KB", Some([2.0, 15.0, 45.0])),
    ("qwen-xml call 10 KB", None),
    ("qwen-xml call 100 KB", Some([14.0, 25.0, 60.0])),
    ("qwen-xml call 1 MB", None),
    ("hermes call 10 KB", None),
    ("hermes call 100 KB", Some([14.0, 25.0, 60.0])),
    ("hermes call 1 MB", None),
    ("50 small calls", None),
    ("deepseek-dsml call 100 KB", STRING),
    ("gemma4 call 100 KB", STRING),
    ("glm call 100 KB", STRING),
    ("harmony call 100 KB", STRING),
    ("kimi-k3 call 100 KB", STRING),
    ("llama3 call 100 KB", STRING),
    ("minicpm5 call 100 KB", STRING),
    ("minimax-m3 call 100 KB", ESCAPED),
    ("mistral call 100 KB", STRING),
    ("pythonic call 100 KB", ESCAPED),
    ("net: prose 100 KB", Some([30.0, 60.0, f64::INFINITY])),
    ("net: call 100 KB", None),
    ("net: 50 leaked calls", None),
    ("net: flood of openers 100 KB", None),
    ("net: flood of openers 1 MB", None),
    ("net: flood of names 100 KB", None),
    ("net: flood of names 1 MB", None),
    ("net: flood of braces 100 KB", None),
    ("net: flood of braces 1 MB", None),
    ("net: flood of quotes 100 KB", None),
    ("net: flood of quotes 1 MB", None),
    ("net: flood of brackets 100 KB", None),
    ("net: flood of brackets 1 MB", None),
    ("net: flood of blanks 100 KB", None),
    ("net: flood of blanks 1 MB", None),
];

/// The targets of the first dialects, one and a half times.
const STRING: Option<[f64; 3]> = Some([21.0, 37.5, 90.0]);

/// Twice the targets of the first dialects, where both ways need escapes.
const ESCAPED: Option<[f64; 3]> = Some([28.0, 50.0, 120.0]);

/// What is done once, and its target in instructions.
const ONCE: [(&str, &[&str], f64); 4] = [
    ("a reader", &["reader", "qwen-xml call 10 KB"], 2_000.0),
    ("a toolset of ten tools", &["toolset"], 300_000.0),
    ("every dialect", &["dialects"], f64::INFINITY),
    ("the net of every dialect", &["recovery"], f64::INFINITY),
];

/// One line of the table.
struct Row {
    name: String,
    /// Instructions: a byte where bytes are read, in all elsewhere.
    count: f64,
    turn: Option<f64>,
    megabytes: Option<f64>,
    allocations: Option<u64>,
    target: Option<f64>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let worker = build()?;
    let wanted = |name: &str| args.filter.as_ref().is_none_or(|filter| name.contains(filter));
    let mut rows = Vec::new();
    for (work, targets) in WORKS.iter().filter(|(work, _)| wanted(work)) {
        for (at, chunks) in CHUNKS.iter().enumerate() {
            let bytes = number(&tell(&worker, &[work, chunks, "count"])?, "bytes")? as f64;
            let timed = tell(&worker, &[work, chunks, "count", "time"])?;
            let row = Row {
                name: format!("{work}, {}", describe(chunks)),
                count: instructions(&worker, &[work, chunks, "count"])? / bytes,
                turn: Some(instructions(&worker, &[work, chunks, "turn"])? / bytes),
                megabytes: Some(bytes * 1000.0 / number(&timed, "nanoseconds")? as f64),
                allocations: Some(number(&timed, "allocations")?),
                target: targets.map(|targets| targets[at]).filter(|target| target.is_finite()),
            };
            writeln!(out, "{}", row.line())?;
            rows.push(row);
        }
    }
    for (name, command, target) in ONCE.iter().filter(|(name, ..)| wanted(name)) {
        let row = Row {
            name: (*name).to_owned(),
            count: instructions(&worker, command)?,
            turn: None,
            megabytes: None,
            allocations: None,
            target: Some(*target).filter(|target| target.is_finite()),
        };
        writeln!(out, "{}", row.line())?;
        rows.push(row);
    }
    let compiling = compiling(&worker)?;
    writeln!(out, "{compiling}")?;
    let path = root().join(TABLE);
    if args.check {
        return check(&rows, &path, out);
    }
    if args.filter.is_none() {
        std::fs::create_dir_all(root().join("docs"))?;
        std::fs::write(&path, page(&rows, &compiling))?;
        writeln!(out, "wrote {TABLE}")?;
    }
    Ok(())
}

fn describe(chunks: &str) -> String {
    match chunks {
        "whole" => "whole".to_owned(),
        size => format!("{size}-byte chunks"),
    }
}

/// Builds the program that does the work.
fn build() -> Result<PathBuf, Failure> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--profile", "bench", "--package", "bench-work"])
        .args(["--message-format", "json"])
        .current_dir(root())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let messages = String::from_utf8_lossy(&output.stdout);
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
        .next_back();
    executable.ok_or_else(|| Failure::Because("cargo built no bench-work".to_owned()))
}

/// What the worker prints.
fn tell(worker: &Path, args: &[&str]) -> Result<String, Failure> {
    let output = Command::new(worker).args(args).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The number after a word.
fn number(text: &str, word: &str) -> Result<u64, Failure> {
    text.lines()
        .find_map(|line| line.strip_prefix(word)?.trim().parse().ok())
        .ok_or_else(|| Failure::Because(format!("the worker printed no {word}")))
}

/// The instructions of the measured part of a run.
fn instructions(worker: &Path, args: &[&str]) -> Result<f64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg("--toggle-collect=*measured_*")
        .arg(worker)
        .args(args)
        .output()
        .map_err(|error| format!("valgrind cannot be run ({error}): install it to count"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report.lines().find_map(|line| line.split_once("Collected :"));
    collected
        .and_then(|(_, count)| count.trim().parse().ok())
        .ok_or_else(|| Failure::Because(format!("callgrind counted nothing:\n{report}")))
}

impl Row {
    fn line(&self) -> String {
        let cell = |value: Option<f64>| value.map_or_else(String::new, format_number);
        let allocations = self.allocations.map_or_else(String::new, |count| count.to_string());
        format!(
            "| {} | {} | {} | {} | {} | {} |",
            self.name,
            format_number(self.count),
            cell(self.turn),
            cell(self.target),
            self.megabytes.map_or_else(String::new, |speed| format!("{speed:.0}")),
            allocations,
        )
    }
}

fn format_number(number: f64) -> String {
    if number >= 1000.0 { format!("{number:.0}") } else { format!("{number:.2}") }
}

/// How long it takes to compile all descriptions, which a process does once.
fn compiling(worker: &Path) -> Result<String, Failure> {
    let mut fastest = u64::MAX;
    for _ in 0..15 {
        fastest = fastest.min(number(&tell(worker, &["dialects", "time"])?, "nanoseconds")?);
    }
    let milliseconds = fastest as f64 / 1e6;
    Ok(format!(
        "Compiling every dialect took {milliseconds:.2} ms in the fastest of fifteen processes; \
         the target is 2 ms."
    ))
}

fn page(rows: &[Row], compiling: &str) -> String {
    let mut page = String::from(
        "# Benchmarks\n\n\
         Made by `cargo xtask bench`; `cargo xtask bench --check` compares instructions with\n\
         this table and allows 3 % more. It needs valgrind.\n\n\
         Instructions are callgrind's, for the reading alone: a byte of output in the rows that\n\
         read, in all in the last rows. *Count* is a sink that adds up lengths, *turn* one that\n\
         builds a `Turn`. Throughput and allocations are the counting sink's; throughput is the\n\
         fastest of fifteen runs and depends on the machine.\n\n\
         | what | count | turn | target | MB/s | allocations |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for row in rows {
        let _ = writeln!(page, "{}", row.line());
    }
    let _ = write!(page, "\n{compiling}\n");
    page
}

/// Compares with the committed table.
fn check(rows: &[Row], path: &Path, out: &mut dyn Write) -> Result<(), Failure> {
    let page = std::fs::read_to_string(path)
        .map_err(|error| format!("{TABLE}: {error}; `cargo xtask bench` writes it"))?;
    let known: BTreeMap<&str, (f64, Option<f64>)> = page
        .lines()
        .filter_map(|line| {
            let mut cells = line.trim_matches('|').split('|').map(str::trim);
            let (name, count, turn) = (cells.next()?, cells.next()?, cells.next()?);
            Some((name, (count.parse().ok()?, turn.parse().ok())))
        })
        .collect();
    let mut slower = 0;
    for row in rows {
        let Some((count, turn)) = known.get(row.name.as_str()) else {
            writeln!(out, "new: {}", row.name)?;
            slower += 1;
            continue;
        };
        let pairs = [("count", Some(row.count), Some(*count)), ("turn", row.turn, *turn)];
        for (sink, now, then) in pairs {
            if let (Some(now), Some(then)) = (now, then)
                && now > then * TOLERANCE
            {
                let (now, then) = (format_number(now), format_number(then));
                writeln!(out, "slower: {}, {sink}: {now}, was {then}", row.name)?;
                slower += 1;
            }
        }
    }
    writeln!(out, "{} measured, {slower} slower than {TABLE}", rows.len())?;
    if slower == 0 { Ok(()) } else { Err(Failure::Found) }
}
