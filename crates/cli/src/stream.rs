//! `callsign parse --stream`: the events of a turn while it comes in.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;

use callsign::{Arguments, End, Event, Framing, Reader, json};

use crate::failure::Failure;
use crate::input::Source;
use crate::show::{one_line, origin, place, word};

/// Feeds `source` to the reader, `size` bytes at a time, and prints each event
/// before the next bytes are read.
pub(crate) fn run(
    mut reader: Reader,
    source: &Source<'_>,
    size: NonZeroUsize,
    end: End,
    print: fn(Event<'_>) -> io::Result<String>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut input = source.open()?;
    let mut chunk = Vec::new();
    loop {
        chunk.clear();
        input
            .by_ref()
            .take(size.get() as u64)
            .read_to_end(&mut chunk)
            .map_err(|error| source.unreadable(&error))?;
        if chunk.is_empty() {
            break;
        }
        let mut printed = Ok(());
        reader
            .push_bytes(&chunk, &mut |event| write_event(event, print, &mut printed, out))
            .map_err(|error| source.not_utf8(error.offset))?;
        printed?;
        out.flush()?;
    }
    if reader.inside_code_point() {
        // No text holds this byte, so the reader says where the last code point
        // began that the input does not end.
        if let Err(error) = reader.push_bytes(&[0xff], &mut |_| {}) {
            return Err(source.not_utf8(error.offset));
        }
    }
    let mut printed = Ok(());
    reader.finish(end, &mut |event| write_event(event, print, &mut printed, out));
    Ok(printed?)
}

/// Prints an event, unless an earlier one could not be printed.
fn write_event(
    event: Event<'_>,
    print: fn(Event<'_>) -> io::Result<String>,
    printed: &mut io::Result<()>,
    out: &mut dyn Write,
) {
    if printed.is_ok() {
        *printed = print(event).and_then(|line| writeln!(out, "{line}"));
    }
}

/// An event as one line of JSON.
pub(crate) fn json_line(event: Event<'_>) -> io::Result<String> {
    let mut event = event.into_owned();
    if let Event::Call { call, .. } = &mut event
        && let Ok(compact) = Arguments::from_json(call.arguments.compact())
    {
        // As the model wrote them, they may go over many lines.
        call.arguments = compact;
    }
    Ok(serde_json::to_string(&event)?)
}

/// An event as a line for a terminal: the bytes it accounts for, what it is,
/// and what it says.
#[expect(clippy::needless_pass_by_value, reason = "the signature of `json_line`")]
pub(crate) fn readable_line(event: Event<'_>) -> io::Result<String> {
    let bytes = match event.span() {
        Some(span) => format!("{}..{}", span.start, span.end),
        None => String::new(),
    };
    let (kind, says) = match &event {
        Event::Text { text, .. } => ("text", quoted(text)),
        Event::Reasoning { text, .. } => ("reasoning", quoted(text)),
        Event::Framing { text, kind: Framing::Orphan, .. } => {
            ("framing", format!("{}  closes nothing: the turn is ambiguous", quoted(text)))
        }
        Event::Framing { text, .. } => ("framing", quoted(text)),
        Event::CallStarted { index, name } => ("started", format!("#{index} {}", one_line(name))),
        Event::Arguments { index, fragment } => {
            ("arguments", format!("#{index} {}", one_line(fragment)))
        }
        Event::Call { index, call, doubtful, .. } => {
            let doubt = if *doubtful { "  its end is in doubt" } else { "" };
            let arguments = call.arguments.compact();
            let name = one_line(&call.name);
            let from = match word(&call.provenance) {
                Some(word) => format!("  {word}: {}", origin(&call.provenance).join("; ")),
                None => String::new(),
            };
            let says = format!("#{index} {name} {arguments}{doubt}{from}");
            ("call", one_line(&says))
        }
        Event::CallDropped { index } => ("dropped", format!("#{index}")),
        Event::Attempt(attempt) => {
            let tool = attempt.tool.as_deref().unwrap_or("no tool");
            let message = match attempt.message.is_empty() {
                true => String::new(),
                false => format!("  {}", quoted(&attempt.message)),
            };
            let says = format!("{tool}, {}: {}", place(attempt), attempt.refusal);
            ("attempt", one_line(&says) + &message)
        }
        Event::Rejected { text, reason, .. } => ("rejected", format!("{}  {reason}", quoted(text))),
        _ => ("other", String::new()),
    };
    Ok(format!("{bytes:>12}  {kind:<9}  {says}"))
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote_into(text, &mut out);
    one_line(&out)
}
