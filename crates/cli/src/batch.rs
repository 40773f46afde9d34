//! `callsign parse --batch`: one case a line in, one answer a line out.

mod templates;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use callsign::{End, Message, Offer, Reader, Role, Start, Toolset, Turn};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::failure::Failure;
use crate::input::{Known, Net, Source};
use crate::record::Record;
use templates::{Rendered, Templates};

/// One line of a batch. Fields that are not named here are the user's own.
#[derive(Deserialize)]
#[serde(expecting = "a case, which is a JSON object")]
struct Case<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(default)]
    deltas: Option<Vec<Delta>>,
    /// The output as bytes in hexadecimal, cut anywhere.
    #[serde(default)]
    byte_chunks_hex: Option<Vec<String>>,
    #[serde(default)]
    input: Option<String>,
    #[serde(default)]
    dialect: Option<String>,
    /// The name of a file in the folder of templates.
    #[serde(default)]
    template: Option<String>,
    /// The conversation before the output.
    #[serde(default)]
    messages: Option<Vec<Message>>,
    /// What else others said before it.
    #[serde(default)]
    heard: Vec<String>,
    #[serde(default)]
    recovery: Option<bool>,
    #[serde(default)]
    guesses: Option<bool>,
    /// Variables for the template.
    #[serde(borrow, default)]
    kwargs: Option<&'a RawValue>,
    /// When the prompt is made.
    #[serde(default)]
    now: Option<String>,
    #[serde(default)]
    prompt_tail: Option<String>,
    #[serde(default)]
    in_reasoning: Option<bool>,
    #[serde(default)]
    finish_reason: Option<String>,
}

/// What holds for cases that say nothing about it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Usual {
    pub(crate) recovery: bool,
    pub(crate) guesses: bool,
}

/// A piece of output: text, or a delta as servers send it.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a delta is a text or an object with `content`")]
enum Delta {
    Text(String),
    Object {
        #[serde(default)]
        content: Option<String>,
        #[serde(default)]
        reasoning_content: Option<String>,
        #[serde(default)]
        tool_calls: Option<serde::de::IgnoredAny>,
    },
}

/// What is left of a line that is no case.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
}

/// The answer to a line that cannot be used.
#[derive(Serialize)]
struct Unusable<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    line: usize,
    error: &'a str,
}

/// Answers every line of `source`, in order, each as soon as it is read.
pub(crate) fn run(
    known: &Known,
    usual: Usual,
    templates: Option<&Path>,
    source: &Source<'_>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut templates = Templates::new(known, templates);
    let mut input = BufReader::new(source.open()?);
    let (mut number, mut all, mut bad) = (0, 0, 0);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = input.read_until(b'\n', &mut line).map_err(|error| source.unreadable(&error))?;
        if read == 0 {
            break;
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        all += 1;
        let (answer, good) = answer(&mut templates, usual, &line, number)?;
        bad += usize::from(!good);
        writeln!(out, "{answer}")?;
        // Whoever writes a case and waits for its answer gets it.
        if input.buffer().is_empty() {
            out.flush()?;
        }
    }
    if bad > 0 { Err(Failure::BadLines { bad, all }) } else { Ok(()) }
}

/// The answer to a line, and whether the line could be used.
fn answer(
    templates: &mut Templates<'_>,
    usual: Usual,
    line: &[u8],
    number: usize,
) -> Result<(String, bool), Failure> {
    let mut id = None;
    let answered = std::str::from_utf8(line.trim_ascii_end())
        .map_err(|error| not_utf8(error.valid_up_to()))
        .and_then(|line| match serde_json::from_str::<Case<'_>>(line) {
            // A list of the values of the fields would do for serde.
            Ok(_) if !line.trim_start().starts_with('{') => {
                Err("a case is a JSON object".to_owned())
            }
            Ok(case) => {
                id = case.id;
                read(templates, usual, &case)
            }
            Err(error) => {
                id = serde_json::from_str(line).map_or(None, |named: Named<'_>| named.id);
                Err(not_a_case(&error))
            }
        });
    match answered {
        Ok(answer) => Ok((answer, true)),
        Err(error) => {
            let unusable = Unusable { id, line: number, error: &error };
            let text = serde_json::to_string(&unusable).map_err(std::io::Error::from)?;
            Ok((text, false))
        }
    }
}

/// Why a line is no case. Its place in the line is the column alone.
fn not_a_case(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    format!("column {}: {}", error.column(), message.strip_suffix(&place).unwrap_or(&message))
}

/// Reads the output of a case.
fn read(templates: &mut Templates<'_>, usual: Usual, case: &Case<'_>) -> Result<String, String> {
    let id = Some(case.id.unwrap_or(RawValue::NULL));
    let tools = match case.tools {
        Some(tools) => Toolset::from_openai(tools.get()).map_err(|error| error.to_string())?,
        None => Toolset::default(),
    };
    let output = Output::of(case)?;
    let rendered = match &case.template {
        Some(name) => templates.render(name, case, &tools)?,
        None => Rendered::default(),
    };
    let dialect = match (&case.dialect, rendered.dialect) {
        (Some(name), _) => Some(templates.known.dialect(name).map_err(|e| e.to_string())?),
        (None, dialect) => dialect,
    };
    let tail = case.prompt_tail.as_deref();
    let start = match (tail, case.in_reasoning, rendered.opening.as_deref()) {
        (Some(tail), ..) => Start::PromptTail(tail),
        (None, Some(true), _) => Start::Reasoning,
        (None, None, Some(opening)) => Start::PromptTail(opening),
        (None, ..) => Start::Fresh,
    };
    let end = match case.finish_reason.as_deref() {
        Some("length" | "max_tokens") => End::Cut,
        _ => End::Stop,
    };
    let heard: Vec<&str> = case.heard().collect();
    let net = match case.recovery.unwrap_or(usual.recovery) {
        false => Net::Off,
        true => Net::On { guesses: case.guesses.unwrap_or(usual.guesses), heard: &heard },
    };
    let reading = templates.known.reading(dialect.clone(), net);
    let reader = Reader::new(&*reading, &Offer::new(&tools).start(start));
    let turn = output.read_by(reader, end)?;
    let dialect = dialect.as_ref().map(|dialect| dialect.name());
    Record::new(id, dialect, &turn)
        .and_then(|record| record.with_prompt(rendered.prompt.as_deref()).to_line())
        .map_err(|error| error.to_string())
}

impl Case<'_> {
    /// What others said before the output.
    fn heard(&self) -> impl Iterator<Item = &str> {
        let messages = self.messages.iter().flatten();
        let others = messages.filter(|message| matches!(message.role, Role::User | Role::Tool));
        let others = others.map(|message| message.content.as_str());
        others.chain(self.heard.iter().map(String::as_str))
    }
}

/// The output of a case, cut as it came.
enum Output<'a> {
    Whole(&'a str),
    Pieces(Vec<&'a str>),
    Chunks(Vec<Vec<u8>>),
}

impl<'a> Output<'a> {
    fn of(case: &'a Case<'_>) -> Result<Self, String> {
        if let Some(deltas) = &case.deltas {
            let pieces = deltas.iter().enumerate().map(|(index, delta)| delta.text(index));
            return Ok(Output::Pieces(pieces.collect::<Result<_, _>>()?));
        }
        if let Some(chunks) = &case.byte_chunks_hex {
            let chunks = chunks.iter().enumerate().map(|(index, chunk)| {
                from_hex(chunk).ok_or_else(|| {
                    format!("`byte_chunks_hex`, number {index}: not bytes in hexadecimal")
                })
            });
            return Ok(Output::Chunks(chunks.collect::<Result<_, _>>()?));
        }
        match &case.input {
            Some(input) => Ok(Output::Whole(input)),
            None => Err("there is neither `input` nor `deltas`".to_owned()),
        }
    }

    fn read_by(&self, mut reader: Reader, end: End) -> Result<Turn, String> {
        let mut turn = Turn::default();
        match self {
            Output::Whole(text) => return Ok(reader.read(text, end)),
            Output::Pieces(pieces) => {
                for piece in pieces {
                    reader.push(piece, &mut |event| turn.add(event));
                }
            }
            Output::Chunks(chunks) => {
                // Of all chunks together, because the last may end too early.
                String::from_utf8(chunks.concat())
                    .map_err(|error| not_utf8(error.utf8_error().valid_up_to()))?;
                for chunk in chunks {
                    reader
                        .push_bytes(chunk, &mut |event| turn.add(event))
                        .map_err(|error| not_utf8(error.offset))?;
                }
            }
        }
        reader.finish(end, &mut |event| turn.add(event));
        Ok(turn)
    }
}

impl Delta {
    fn text(&self, index: usize) -> Result<&str, String> {
        match self {
            Delta::Text(text) => Ok(text),
            Delta::Object { tool_calls: Some(_), .. } => {
                Err(format!("delta {index} holds `tool_calls`: only text is read yet"))
            }
            Delta::Object { reasoning_content: Some(reasoning), .. } if !reasoning.is_empty() => {
                Err(format!("delta {index} holds `reasoning_content`: only text is read yet"))
            }
            Delta::Object { content, .. } => Ok(content.as_deref().unwrap_or_default()),
        }
    }
}

fn not_utf8(offset: usize) -> String {
    format!("the bytes from offset {offset} on are not UTF-8")
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pairs = digits.chunks(2).map(|pair| match pair {
        [_, _] => u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok(),
        _ => None,
    });
    pairs.collect()
}
