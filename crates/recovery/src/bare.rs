//! Calls without tags: JSON, Python, lines that name an action, a name with its
//! arguments behind it. A region is calls from its beginning to its end, or none.

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{Refusal, Repair, Rule, Tool};

use crate::judge::Place;
use crate::names;
use crate::python;
use crate::region::{FENCE, INPUT};
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;
use crate::scan::Bare;
use crate::shapes::{self, compose, has_arguments};
use crate::tag::Look;
use crate::walk::{Failed, Found, Guide, Piece, PieceKind, is_name};

/// What a region without tags is made of. The pieces tile it.
pub(crate) fn pieces(text: &str, form: Bare, place: Place, guide: Guide<'_>) -> Vec<Piece> {
    let (start, end) = inside_fence(text);
    let inside = &text[start..end];
    let read = match form {
        Bare::Json => objects(inside, guide),
        Bare::Python => match python::all(inside, place.first, guide) {
            Ok(found) => Calls { found, failed: None },
            Err(failed) => Calls { found: Vec::new(), failed: Some((0, failed)) },
        },
        Bare::Bracketed => bracketed(inside, guide).into(),
        Bare::React => react(inside, guide).into(),
        Bare::Addressed => addressed(inside, guide).into(),
    };
    // What breaks where text follows, or in an example, was no call.
    let failed = read
        .failed
        .filter(|(_, failed)| failed.tool.is_some() && !place.followed && !place.example);
    let whole = failed.as_ref().map_or(text.len(), |(at, _)| start + at);
    let mut pieces: Vec<Piece> = Vec::new();
    let count = read.found.len();
    for (index, mut found) in read.found.into_iter().enumerate() {
        found.payload = found.payload.start + start..found.payload.end + start;
        if start > 0 {
            found.recovered.repairs.push(Repair::Fence);
        }
        let from = pieces.last().map_or(0, |piece| piece.span.end);
        let to = if index + 1 == count { whole } else { found.payload.end.max(from) };
        pieces.push(Piece { span: from..to, kind: PieceKind::Call(Box::new(found)) });
    }
    match failed {
        Some((_, failed)) => {
            let span = if count == 0 { 0..text.len() } else { whole..text.len() };
            pieces.push(Piece { span, kind: PieceKind::Failed(failed) });
        }
        None if count == 0 => pieces.push(Piece { span: 0..text.len(), kind: PieceKind::Text }),
        None => {}
    }
    pieces
}

/// The calls at the beginning of a region, and what stands behind them and is
/// none.
struct Calls {
    found: Vec<Found>,
    /// Where it begins.
    failed: Option<(usize, Failed)>,
}

impl From<Read> for Calls {
    fn from(read: Read) -> Self {
        match read {
            Ok(found) => Calls { found: vec![found], failed: None },
            Err(failed) => Calls { found: Vec::new(), failed: Some((0, failed)) },
        }
    }
}

/// Where the inside of a fence begins and ends, or the whole text.
fn inside_fence(text: &str) -> (usize, usize) {
    match relaxed::unfence(text) {
        Some(inside) => {
            // It is a part of the text.
            let start = inside.as_ptr() as usize - text.as_ptr() as usize;
            (start, start + inside.len())
        }
        None => (0, text.len()),
    }
}

type Read = Result<Found, Failed>;

/// JSON objects, one after the other. Those before one that is broken stand.
fn objects(text: &str, guide: Guide<'_>) -> Calls {
    let mut found = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let behind = rest.trim_start_matches([' ', '\n', '\r', '\t', ',', ';', '}', ']']);
        let start = at + rest.len() - behind.len();
        if let Some(call) = found.last_mut() {
            note(
                call,
                rest[..rest.len() - behind.len()].contains(['}', ']']),
                Repair::SurplusBrackets,
            );
            note(call, tag_follows(text, start, guide), Repair::StrayTokens);
        }
        // Behind the objects stand closers alone.
        let closes = !found.is_empty() && tag_follows(text, start, guide);
        if closes || !behind.starts_with(['{', '[']) {
            return Calls { found, failed: None };
        }
        match object_calls(text, start, guide) {
            Ok((more, end)) => {
                found.extend(more);
                at = end;
            }
            Err(failed) if failed.refusal == Refusal::Cut => {
                return Calls { found, failed: Some((start, failed)) };
            }
            Err(failed) => return Calls { found: Vec::new(), failed: Some((0, failed)) },
        }
    }
}

/// Notes a repair, if there was need for it.
fn note(call: &mut Found, needed: bool, repair: Repair) {
    if needed && !call.recovered.repairs.contains(&repair) {
        call.recovered.repairs.push(repair);
    }
}

/// The calls that the JSON at `start` is, and where it ends.
fn object_calls(text: &str, start: usize, guide: Guide<'_>) -> Result<(Vec<Found>, usize), Failed> {
    let rest = &text[start..];
    let read = relaxed::read(rest, Ending::Open, MAX_DEPTH).map_err(|fault| {
        let refusal = if fault.cut {
            Refusal::Cut
        } else {
            Refusal::Malformed { at: start + fault.at, expected: fault.expected.to_owned() }
        };
        Failed { tool: named(rest, guide), refusal }
    })?;
    let payload = start..start + read.len;
    let mut all = Vec::new();
    for shape in shapes::calls(&read.json, guide.tools).ok_or_else(Failed::none)? {
        let Some((tool, renamed)) = names::resolve(&shape.name, guide.tools) else {
            return Err(Failed { tool: None, refusal: Refusal::UnknownTool(shape.name) });
        };
        let mut repairs = Repairs::default();
        repairs.extend(read.repairs.iter().cloned());
        repairs.extend(renamed);
        repairs.extend(shape.repairs);
        let mut call = Found::bare(tool, shape.arguments, Rule::Json, repairs, payload.clone());
        call.id = shape.id;
        all.push(call);
    }
    Ok((all, payload.end))
}

fn tag_follows(text: &str, at: usize, guide: Guide<'_>) -> bool {
    matches!(guide.vocabulary.look(text, at, true), Look::Tag(_))
}

/// The tool that broken JSON names, if it has arguments as a call has.
fn named(text: &str, guide: Guide<'_>) -> Option<String> {
    names::mentioned(text, guide.tools)
        .filter(|_| has_arguments(text))
        .map(|tool| tool.name.clone())
}

/// A sentence in brackets: a name, and arguments behind it.
fn bracketed(text: &str, guide: Guide<'_>) -> Read {
    if !text.trim_end().ends_with(']') {
        return Err(Failed { tool: None, refusal: Refusal::Cut });
    }
    let words = text.char_indices().filter(|(at, char)| {
        is_name(*char) && !text[..*at].chars().next_back().is_some_and(is_name)
    });
    for (at, _) in words.take(12) {
        let run = text[at..].find(|char: char| !is_name(char)).unwrap_or(text.len() - at);
        let written = text[at..at + run].trim_end_matches(':');
        let Some(tool) = guide.tools.get(written) else { continue };
        let behind = at + run;
        if text[behind..].starts_with('(') {
            let (arguments, length, repairs) =
                python::arguments(&text[behind..], tool, &guide).ok_or_else(Failed::none)?;
            return Ok(Found::bare(
                tool,
                arguments,
                Rule::Bracketed,
                repairs,
                behind..behind + length,
            ));
        }
        let mut repairs = Repairs::default();
        let Some(brace) = text[behind..].find('{') else {
            return match shapes::arguments("null", &mut repairs) {
                Some(none)
                    if text[behind..]
                        .trim_matches(['"', '\'', ' ', ')', '(', ']', '\n'])
                        .is_empty() =>
                {
                    Ok(Found::bare(tool, none, Rule::Bracketed, repairs, at..text.len()))
                }
                _ => Err(Failed { tool: None, refusal: Refusal::Cut }),
            };
        };
        let start = behind + brace;
        let read = object(text, start, Some(tool))?;
        repairs.extend(read.repairs);
        return Ok(Found::bare(tool, read.json, Rule::Bracketed, repairs, start..start + read.len));
    }
    Err(Failed::none())
}

/// `Action: name`, `Action Input: …`.
fn react(text: &str, guide: Guide<'_>) -> Read {
    let line = text.find('\n').ok_or_else(Failed::none)?;
    let written = text[..line].split_once(':').map_or("", |(_, name)| name);
    let written = written.trim().trim_matches(['`', '"', '\'', '*']);
    let (tool, renamed) = names::resolve(written, guide.tools).ok_or_else(Failed::none)?;
    let input = text.find(INPUT).ok_or_else(Failed::none)? + INPUT.len();
    let mut start = input + text[input..].len() - text[input..].trim_start().len();
    let mut repairs = Repairs::default();
    repairs.extend(renamed);
    if text[start..].starts_with(FENCE)
        && let Some(line) = text[start..].find('\n')
    {
        repairs.add(Repair::Fence);
        start += line + 1;
    }
    if text[start..].starts_with('{') {
        let read = object(text, start, Some(tool))?;
        repairs.extend(read.repairs);
        let payload = start..start + read.len;
        return Ok(Found::bare(tool, read.json, Rule::React, repairs, payload));
    }
    // The input is the one argument, as it is.
    let value = text[start..].lines().next().unwrap_or_default().trim();
    let mut properties = tool.parameters.root().properties();
    let (Some((key, ty)), None) = (properties.next(), properties.next()) else {
        let refusal =
            Refusal::Malformed { at: start, expected: "an object of arguments".to_owned() };
        return Err(Failed { tool: Some(tool.name.clone()), refusal });
    };
    if value.is_empty() || !ty.only_string() {
        return Err(Failed::none());
    }
    if guide.cut && !text[start..].trim_start().contains('\n') {
        return Err(Failed { tool: Some(tool.name.clone()), refusal: Refusal::Cut });
    }
    let mut quoted = String::new();
    json::quote_into(value.trim_matches('"'), &mut quoted);
    let arguments = compose([(key, quoted.as_str())].into_iter());
    repairs.add(Repair::Aliases);
    Ok(Found::bare(tool, arguments, Rule::React, repairs, start..text.len()))
}

/// A name with words around it, and an object behind it.
fn addressed(text: &str, guide: Guide<'_>) -> Read {
    let brace = text.find('{').ok_or_else(Failed::none)?;
    let words = text[..brace].split(|char: char| !is_name(char)).filter(|word| !word.is_empty());
    let named = words.filter_map(|word| names::in_word(word, guide.tools)).next();
    let (tool, renamed) = named.ok_or_else(Failed::none)?;
    let mut repairs = Repairs::default();
    repairs.extend(renamed);
    let (json, length) = match object(text, brace, Some(tool)) {
        Ok(read) => {
            repairs.extend(read.repairs);
            (read.json, read.len)
        }
        Err(failed) => {
            let quotes = &guide.vocabulary.quotes;
            let (json, length, more) =
                crate::braces::read(&text[brace..], tool, quotes).ok_or(failed)?;
            repairs.extend(more);
            (json, length)
        }
    };
    Ok(Found::bare(tool, json, Rule::Addressed, repairs, brace..brace + length))
}

/// The object at `at`.
fn object(text: &str, at: usize, tool: Option<&Tool>) -> Result<relaxed::Relaxed, Failed> {
    let tool = tool.map(|tool| tool.name.clone());
    match relaxed::read(&text[at..], Ending::Open, MAX_DEPTH) {
        Ok(read) if json::kind(&read.json) == Some(Kind::Object) => Ok(read),
        Ok(_) => Err(Failed::none()),
        Err(fault) if fault.cut => Err(Failed { tool, refusal: Refusal::Cut }),
        Err(fault) => {
            let expected = fault.expected.to_owned();
            Err(Failed { tool, refusal: Refusal::Malformed { at: at + fault.at, expected } })
        }
    }
}
