//! The work that is measured: what a model writes, and who reads it.

use std::hint::black_box;
use std::sync::Arc;

use callsign::{Arguments, Dialect, Dialects, End, Event, Offer, Reader, ToolCall, Toolset, Turn};

/// How the output reaches the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Chunks {
    Whole,
    Of(usize),
}

/// Who receives the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sink {
    /// Counts their bytes.
    Count,
    /// Adds them up to a turn.
    Turn,
}

/// Something to measure.
pub(crate) struct Work {
    pub(crate) name: String,
    pub(crate) dialect: &'static str,
    pub(crate) output: String,
    pub(crate) reads: Reads,
}

/// Who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The dialect alone.
    Strict,
    /// The dialect under the net.
    Net,
}

/// Code in which every special byte of the markup and of JSON occurs.
const CODE: &str = r##"/// Finds the first free slot, or grows the table.
pub fn insert<K: Hash + Eq>(table: &mut Table<K>, key: K) -> Result<usize, Full> {
    let hash = table.hasher.hash_one(&key);
    for probe in 0..table.slots.len() {
        let at = (hash as usize + probe * probe) % table.slots.len();
        if table.slots[at].is_none() && probe < MAX_PROBES {
            table.slots[at] = Some(Slot { key, label: format!("slot \"{at}\"\t") });
            return Ok(at);
        }
    }
    // The table is full: say so, with the number of entries <n>.
    Err(Full { entries: table.slots.len(), hint: 'a'..'z' })
}

"##;

const PROSE: &str = "The reader keeps one buffer, and every byte of the output waits in it \
until it has an account. When x < y the left branch is taken, and when a <tag> turns up in the \
text it is looked at more closely. Most of the time nothing comes of it, as in List<u8>.\n\n\
Then the next paragraph begins, and it goes on in the same way for a while: short words, some \
longer ones, a comma here and there, and a full stop at the end.\n";

/// Floods of what might begin something.
const FLOODS: [(&str, &str); 6] = [
    ("openers", "<tool_call><function=read_file><parameter=path>"),
    ("names", "<tool_call>read_file "),
    ("braces", "{\"name\": {"),
    ("quotes", "{\"name\": \"read_file\", \"\"\"'"),
    ("brackets", "[[read_file("),
    ("blanks", "<tool_call>        \n\n        "),
];

fn repeat(text: &str, bytes: usize) -> String {
    let mut out = text.repeat(bytes / text.len() + 1);
    out.truncate(bytes);
    out
}

/// Tools like those that a coding agent offers.
pub(crate) const TOOLS: &str = include_str!("tools.json");

pub(crate) fn tools() -> Toolset {
    Toolset::from_openai(TOOLS).unwrap_or_default()
}

/// One call that writes `code` into a file, as the dialect itself writes it.
fn call(dialect: &str, code: &str) -> String {
    let mut arguments = String::from("{\"path\": \"src/table.rs\", \"content\": ");
    callsign::json::quote_into(code, &mut arguments);
    arguments.push('}');
    let mut out = String::new();
    if let (Some(dialect), Ok(arguments)) =
        (Dialects::builtin().get(dialect), Arguments::from_json(arguments))
    {
        let call = ToolCall::new("write_file", arguments);
        // What cannot be written is not measured: its output stays empty.
        let _ = dialect.write(&[call], &tools(), &mut out);
    }
    out
}

/// Everything that is read, by name.
pub(crate) fn all() -> Vec<Work> {
    let small = "<tool_call>\n<function=read_file>\n<parameter=path>\nsrc/main.rs\n</parameter>\n\
                 <parameter=offset>\n120\n</parameter>\n</function>\n</tool_call>\n";
    let writes = |dialect, (size, bytes)| Work {
        name: format!("{dialect} call {size}"),
        dialect,
        output: call(dialect, &repeat(CODE, bytes)),
        reads: Reads::Strict,
    };
    let reads = |name: &str, output| Work {
        name: name.to_owned(),
        dialect: "qwen-xml",
        output,
        reads: Reads::Strict,
    };
    let caught = |name: &str, output| Work { reads: Reads::Net, ..reads(name, output) };
    let sizes = [("10 KB", 10_000), ("100 KB", 100_000), ("1 MB", 1_000_000)];
    let mut all = vec![
        reads("prose 100 KB", repeat(PROSE, 100_000)),
        reads("50 small calls", small.repeat(50)),
    ];
    for dialect in ["qwen-xml", "hermes"] {
        all.extend(sizes.map(|size| writes(dialect, size)));
    }
    let others = [
        "deepseek-dsml",
        "gemma4",
        "glm",
        "harmony",
        "kimi-k3",
        "llama3",
        "minicpm5",
        "minimax-m3",
        "mistral",
        "pythonic",
    ];
    all.extend(others.map(|dialect| writes(dialect, sizes[1])));
    all.push(caught("net: prose 100 KB", repeat(PROSE, 100_000)));
    all.push(caught("net: call 100 KB", call("qwen-xml", &repeat(CODE, 100_000))));
    all.push(caught("net: 50 leaked calls", small.replace("<tool_call>\n", "").repeat(50)));
    for (name, unit) in FLOODS {
        for (size, bytes) in [("100 KB", 100_000), ("1 MB", 1_000_000)] {
            all.push(caught(&format!("net: flood of {name} {size}"), repeat(unit, bytes)));
        }
    }
    all
}

/// A work with all it needs, so that running it measures nothing else.
pub(crate) struct Ready {
    dialect: Arc<dyn Dialect>,
    tools: Toolset,
    output: String,
}

impl Work {
    pub(crate) fn ready(self) -> Option<Ready> {
        let dialects = Dialects::builtin();
        let strict = dialects.get(self.dialect)?;
        let dialect: Arc<dyn Dialect> = match self.reads {
            Reads::Strict => strict,
            Reads::Net => Arc::new(dialects.recovery().over(strict)),
        };
        Some(Ready { dialect, tools: tools(), output: self.output })
    }
}

impl Ready {
    /// The output in pieces.
    pub(crate) fn pieces(&self, chunks: Chunks) -> Vec<&str> {
        let size = match chunks {
            Chunks::Whole => self.output.len(),
            Chunks::Of(size) => size,
        };
        let mut rest = self.output.as_str();
        let mut pieces = Vec::with_capacity(rest.len() / size + 1);
        while !rest.is_empty() {
            let mut end = size.min(rest.len());
            while !rest.is_char_boundary(end) {
                end += 1;
            }
            let (piece, after) = rest.split_at(end);
            pieces.push(piece);
            rest = after;
        }
        pieces
    }

    /// Reads the output. The name is what callgrind looks for.
    #[inline(never)]
    pub(crate) fn measured_reading(&self, pieces: &[&str], sink: Sink) -> usize {
        let reader = Reader::new(&*self.dialect, &Offer::new(&self.tools));
        match sink {
            Sink::Count => {
                let mut bytes = 0;
                feed(reader, pieces, &mut |event| {
                    bytes += match &event {
                        Event::Arguments { fragment, .. } => fragment.len(),
                        event => event.span().map_or(0, callsign::Span::len),
                    };
                });
                bytes
            }
            Sink::Turn => {
                let mut turn = Turn::default();
                feed(reader, pieces, &mut |event| turn.add(event));
                black_box(&turn).content.len()
            }
        }
    }

    /// Makes a reader and drops it.
    #[inline(never)]
    pub(crate) fn measured_creation(&self) {
        drop(black_box(Reader::new(&*self.dialect, &Offer::new(&self.tools))));
    }
}

/// Compiles the tools.
#[inline(never)]
pub(crate) fn measured_toolset(json: &str) {
    drop(black_box(Toolset::from_openai(json)));
}

#[inline]
fn feed(mut reader: Reader, pieces: &[&str], sink: &mut dyn FnMut(Event<'_>)) {
    for piece in pieces {
        reader.push(piece, sink);
    }
    reader.finish(End::Stop, sink);
}

/// Compiles every description that is built in.
pub(crate) fn compile_dialects() {
    measured_dialects();
}

/// Compiles what recovery knows of them.
pub(crate) fn compile_recovery() {
    let dialects = Dialects::builtin();
    let descriptions: Vec<_> = dialects.descriptions().collect();
    measured_recovery(&descriptions);
}

#[inline(never)]
fn measured_recovery(descriptions: &[&callsign::description::Description]) {
    black_box(callsign::Recovery::new(descriptions.iter().copied()));
}

#[inline(never)]
fn measured_dialects() {
    let tools = Toolset::default();
    for dialect in Dialects::builtin().iter() {
        // A reader needs the compiled description.
        black_box(Reader::new(&**dialect, &Offer::new(&tools)));
    }
}
