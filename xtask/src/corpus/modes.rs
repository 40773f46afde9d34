//! The ways in which a case is read.

use callsign::{Dialect, End, Event, Reader, Span, ToolCall, Turn};
use callsign_testing::corpus::{Case, Mode};

use super::Count;

/// The most places at which one case is cut; longer ones are cut at this many,
/// evenly apart.
const CUTS: usize = 2000;

/// How a case went wrong.
pub(super) struct Wrong {
    /// The way in which it was read.
    pub(super) mode: String,
    pub(super) differences: Vec<String>,
}

impl Wrong {
    /// A case that was not even read.
    pub(super) fn unread(why: &str) -> Self {
        Wrong { mode: "not at all".to_owned(), differences: vec![why.to_owned()] }
    }
}

/// Reads a case in every way, up to the first that goes wrong.
pub(super) fn run(case: &Case, dialect: &dyn Dialect) -> (Count, Option<Wrong>) {
    let text = case.text();
    let whole = read(case, dialect, [text.as_bytes()]);
    let count = count(case, &whole);
    let wrong = expected(case, &whole)
        .or_else(|| chunked(case, dialect, &text, &whole))
        .or_else(|| truncated(case, dialect, &text));
    (count, wrong)
}

fn expected(case: &Case, whole: &Turn) -> Option<Wrong> {
    let differences = case.check(Mode::Strict, whole).err()?;
    let differences = differences.iter().map(ToString::to_string).collect();
    Some(Wrong { mode: "whole".to_owned(), differences })
}

/// However the output is cut into pieces, the turn is the same.
fn chunked(case: &Case, dialect: &dyn Dialect, text: &str, whole: &Turn) -> Option<Wrong> {
    let same = |mode: &dyn Fn() -> String, pieces: &mut dyn Iterator<Item = &[u8]>| {
        let turn = read(case, dialect, pieces);
        (turn != *whole).then(|| Wrong { mode: mode(), differences: compare(whole, &turn) })
    };
    let deltas = case.deltas();
    if let wrong @ Some(_) =
        same(&|| "as it came".to_owned(), &mut deltas.iter().map(|delta| delta.as_bytes()))
    {
        return wrong;
    }
    if let wrong @ Some(_) = same(&|| "byte by byte".to_owned(), &mut text.as_bytes().chunks(1)) {
        return wrong;
    }
    places(text.len()).find_map(|place| {
        let (front, back) = text.as_bytes().split_at(place);
        same(&|| format!("split at byte {place}"), &mut [front, back].into_iter())
    })
}

/// A cut call is never a call: what is read from a cut output stands in the
/// whole as well or, where the whole makes something else of it (a rehearsal
/// when the reasoning goes on, a value when it does), was closed before the cut
/// and so stays as it is when prose follows. Calls that count only as the whole
/// turn are told by this: they are text as soon as prose stands before them.
/// Such calls need not stay, for what follows makes text of them as well.
fn truncated(case: &Case, dialect: &dyn Dialect, text: &str) -> Option<Wrong> {
    let whole = calls(case, dialect, text);
    places(text.len()).filter(|place| text.is_char_boundary(*place)).find_map(|place| {
        let mut cut = calls(case, dialect, &text[..place]);
        cut.retain(|call| !whole.contains(call));
        if !cut.is_empty() {
            let longer = calls(case, dialect, &format!("{} and so on", &text[..place]));
            cut.retain(|call| !longer.contains(call));
        }
        if !cut.is_empty() {
            let behind = calls(case, dialect, &format!("and so on {}", &text[..place]));
            let marked = |call: &ToolCall| behind.iter().any(|(_, other)| other == call);
            cut.retain(|(_, call)| marked(call));
        }
        let differences: Vec<String> = cut
            .iter()
            .map(|(_, call)| format!("a cut call: {} {}", call.name, call.arguments.as_str()))
            .collect();
        (!differences.is_empty())
            .then(|| Wrong { mode: format!("truncated at byte {place}"), differences })
    })
}

/// Every place inside of a text, or so many of them.
fn places(len: usize) -> impl Iterator<Item = usize> {
    (1..len).step_by(len.div_ceil(CUTS).max(1))
}

fn read<'p>(
    case: &Case,
    dialect: &dyn Dialect,
    pieces: impl IntoIterator<Item = &'p [u8]>,
) -> Turn {
    let mut turn = Turn::default();
    let mut reader = Reader::new(dialect, &case.offer());
    for piece in pieces {
        // The text of a case is a string, so no piece of it is wrong.
        let _ = reader.push_bytes(piece, &mut |event| turn.add(event));
    }
    reader.finish(case.end, &mut |event| turn.add(event));
    turn
}

/// The calls of a text that is cut at its end, with their places.
fn calls(case: &Case, dialect: &dyn Dialect, text: &str) -> Vec<(Span, ToolCall)> {
    let mut calls = Vec::new();
    let mut sink = |event: Event<'_>| {
        if let Event::Call { span, call, .. } = event {
            calls.push((span, call));
        }
    };
    let mut reader = Reader::new(dialect, &case.offer());
    reader.push(text, &mut sink);
    reader.finish(End::Cut, &mut sink);
    calls
}

fn compare(whole: &Turn, turn: &Turn) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, whole: &dyn std::fmt::Debug, turn: &dyn std::fmt::Debug| {
        let (whole, turn) = (format!("{whole:?}"), format!("{turn:?}"));
        if whole != turn {
            differences.push(format!("{what}: whole {whole}, now {turn}"));
        }
    };
    compare("content", &whole.content, &turn.content);
    compare("reasoning", &whole.reasoning, &turn.reasoning);
    compare("calls", &whole.calls, &turn.calls);
    compare("rejected", &whole.rejected, &turn.rejected);
    compare("ambiguous", &whole.ambiguous, &turn.ambiguous);
    differences
}

/// How the calls that were read relate to those expected, by value.
fn count(case: &Case, turn: &Turn) -> Count {
    let value = |name: &str, arguments: String| (name.to_owned(), arguments);
    let mut expected: Vec<_> = case
        .expect
        .calls
        .iter()
        .map(|call| value(&call.name, call.arguments.canonical()))
        .collect();
    let mut count = Count::default();
    for call in &turn.calls {
        let read = value(&call.name, call.arguments.canonical());
        match expected.iter().position(|call| *call == read) {
            Some(at) => {
                expected.swap_remove(at);
            }
            None => count.false_positives += 1,
        }
    }
    count.missed = expected.len();
    count
}
