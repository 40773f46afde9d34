//! What is made of something that may be a call, once its end is known: calls,
//! text, or an attempt that is told.

use std::ops::Range;

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{Provenance, Recovered, Refusal, Repair, Rule, Tool};

use crate::arguments;
use crate::names;
use crate::python;
use crate::region::{INPUT, Region};
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;
use crate::scan::{Bare, Form};
use crate::shapes::{self, compose, declares};
use crate::walk::{Failed, Found, Guide, Piece, PieceKind, is_name, walk};

/// Where a region stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    /// The words before it announce an example.
    pub(crate) announced: bool,
    /// The words before it talk of an example.
    pub(crate) example: bool,
    /// Text stands before it in its line.
    pub(crate) in_line: bool,
    /// Text follows it: in its line if it has tags, anywhere if it has none.
    pub(crate) followed: bool,
}

/// What others said in the conversation, without white space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard(Vec<String>);

impl Heard {
    pub(crate) fn new(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Heard(texts.into_iter().map(|text| squeeze(text.as_ref())).collect())
    }

    /// Whether any of it holds this.
    fn holds(&self, text: &str) -> bool {
        /// Shorter texts say nothing.
        const SHORTEST: usize = 4;
        if self.0.is_empty() {
            return false;
        }
        let text = squeeze(text);
        let finder = memchr::memmem::Finder::new(&text);
        text.len() >= SHORTEST && self.0.iter().any(|heard| finder.find(heard.as_bytes()).is_some())
    }
}

/// A text without white space, so that how it is laid out makes no difference.
fn squeeze(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// What is made of a region. The pieces tile it.
pub(crate) fn judge(
    text: &str,
    region: &Region,
    place: Place,
    heard: &Heard,
    guide: Guide<'_>,
) -> Vec<Piece> {
    let mut pieces = match region.form {
        Form::Marked => walk(text, &region.tags, guide),
        Form::Bare(form) => bare(text, form, place, guide),
    };
    for piece in &mut pieces {
        if let PieceKind::Call(found) = &mut piece.kind {
            if let Err(failed) =
                allowed(text, region.form, piece.span.clone(), found, place, heard, guide)
            {
                piece.kind = PieceKind::Failed(failed);
            } else if let Some(tool) = guide.tools.get(&found.name) {
                mend(found, tool, guide);
            }
        }
    }
    pieces
}

/// Whether a call may be run that has been found.
fn allowed(
    text: &str,
    form: Form,
    span: Range<usize>,
    found: &Found,
    place: Place,
    heard: &Heard,
    guide: Guide<'_>,
) -> Result<(), Failed> {
    let refuse = |refusal| Err(Failed { tool: Some(found.name.clone()), refusal });
    let marked = form == Form::Marked;
    if place.announced || !marked && place.example {
        return refuse(Refusal::Example);
    }
    if marked && place.in_line && place.followed {
        return refuse(Refusal::Quoted);
    }
    if !marked && place.followed {
        return refuse(Refusal::TextFollows);
    }
    if heard.holds(&text[span]) || heard.holds(&text[found.payload.clone()]) {
        return refuse(Refusal::Echo);
    }
    if let (false, Some(tool)) = (marked, guide.tools.get(&found.name)) {
        let undeclared: Vec<String> = json::entries(&found.arguments)
            .map(|(key, _)| key)
            .filter(|key| !declares(tool, key))
            .collect();
        let wraps = undeclared.len() == 1 && json::entries(&found.arguments).count() == 1;
        if !undeclared.is_empty()
            && !(wraps && arguments::mend(&found.arguments, tool, &guide).is_some())
        {
            return refuse(Refusal::UnknownKeys(undeclared));
        }
    }
    Ok(())
}

/// Mends the arguments of a call by the schema of its tool.
fn mend(found: &mut Found, tool: &Tool, guide: Guide<'_>) {
    if let Some((arguments, repairs)) = arguments::mend(&found.arguments, tool, &guide) {
        found.arguments = arguments;
        for repair in repairs {
            if !found.recovered.repairs.contains(&repair) {
                found.recovered.repairs.push(repair);
            }
        }
    }
}

/// What a call that its dialect has read is mended to: its name, its arguments,
/// and where they come from.
pub(crate) fn mend_native(
    name: &str,
    given: &str,
    guide: Guide<'_>,
) -> Option<(String, String, Provenance)> {
    let (tool, renamed) = names::resolve(name, guide.tools)?;
    let mut repairs: Vec<Repair> = renamed.into_iter().collect();
    let mended = arguments::mend(given, tool, &guide);
    if repairs.is_empty() && mended.is_none() {
        return None;
    }
    let (arguments, more) = mended.unwrap_or_else(|| (given.to_owned(), Vec::new()));
    repairs.extend(more);
    Some((tool.name.clone(), arguments, Provenance::Mended(repairs)))
}

/// A region without tags: it is calls as a whole, or none.
fn bare(text: &str, form: Bare, place: Place, guide: Guide<'_>) -> Vec<Piece> {
    let (start, end) = inside_fence(text);
    let inside = &text[start..end];
    let read = match form {
        Bare::Json => objects(inside, guide),
        Bare::Python => calls(inside, guide),
        Bare::Bracketed => bracketed(inside, guide),
        Bare::React => react(inside, guide),
        Bare::Addressed => addressed(inside, guide),
    };
    let whole = 0..text.len();
    match read {
        Ok(found) if !found.is_empty() => {
            let count = found.len();
            let mut pieces: Vec<Piece> = Vec::with_capacity(count);
            for (index, mut found) in found.into_iter().enumerate() {
                found.payload = found.payload.start + start..found.payload.end + start;
                if start > 0 {
                    found.recovered.repairs.push(Repair::Fence);
                }
                let from = pieces.last().map_or(0, |piece| piece.span.end);
                let to = if index + 1 == count { text.len() } else { found.payload.end.max(from) };
                pieces.push(Piece { span: from..to, kind: PieceKind::Call(Box::new(found)) });
            }
            pieces
        }
        // What breaks where text follows was no call.
        Err(failed) if failed.tool.is_some() && !place.followed && !place.example => {
            vec![Piece { span: whole, kind: PieceKind::Failed(failed) }]
        }
        Ok(_) | Err(_) => vec![Piece { span: whole, kind: PieceKind::Text }],
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

type Read = Result<Vec<Found>, Failed>;

fn none() -> Failed {
    Failed { tool: None, refusal: Refusal::Cut }
}

fn found(
    tool: &Tool,
    arguments: String,
    rule: Rule,
    repairs: Repairs,
    payload: Range<usize>,
) -> Found {
    let mut recovered = Recovered::new(rule, false);
    recovered.repairs = repairs.into_vec();
    Found { name: tool.name.clone(), arguments, id: None, recovered, payload }
}

/// JSON objects, one after the other.
fn objects(text: &str, guide: Guide<'_>) -> Read {
    let mut all = Vec::new();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let start = at + rest.len()
            - rest.trim_start_matches([' ', '\n', '\r', '\t', ',', ';', '}', ']']).len();
        // Behind the objects stand closers alone.
        if !text[start..].starts_with(['{', '[']) || (!all.is_empty() && tag_follows(text, start)) {
            return Ok(all);
        }
        let read = relaxed::read(&text[start..], Ending::Open, MAX_DEPTH).map_err(|fault| {
            let tool = named(&text[start..], guide);
            let refusal = if fault.cut {
                Refusal::Cut
            } else {
                Refusal::Malformed { at: start + fault.at, expected: fault.expected.to_owned() }
            };
            Failed { tool, refusal }
        })?;
        let payload = start..start + read.len;
        let shapes = shapes::calls(&read.json, guide.tools).ok_or_else(none)?;
        for shape in shapes {
            let Some((tool, renamed)) = names::resolve(&shape.name, guide.tools) else {
                return Err(none());
            };
            let mut repairs = Repairs::default();
            repairs.extend(read.repairs.iter().cloned());
            repairs.extend(renamed);
            repairs.extend(shape.repairs);
            let mut call = found(tool, shape.arguments, Rule::Json, repairs, payload.clone());
            call.id = shape.id;
            all.push(call);
        }
        at = payload.end;
    }
}

fn tag_follows(text: &str, at: usize) -> bool {
    matches!(crate::tag::look(text, at, true), crate::tag::Look::Tag(_))
}

/// The tool that broken JSON names as a call does.
fn named(text: &str, guide: Guide<'_>) -> Option<String> {
    /// How far the name is looked for, in bytes.
    const WITHIN: usize = 1024;
    let start = &text.as_bytes()[..text.len().min(WITHIN)];
    let has = |needle: &str| memchr::memmem::find(start, needle.as_bytes()).is_some();
    let arguments = ["\"arguments\"", "\"parameters\""].iter().any(|key| has(key));
    let tool = guide.tools.iter().find(|tool| has(&format!("\"{}\"", tool.name)));
    tool.filter(|_| arguments).map(|tool| tool.name.clone())
}

/// Python calls, perhaps printed, perhaps in a namespace.
fn calls(text: &str, guide: Guide<'_>) -> Read {
    let text_end = text.trim_end().trim_end_matches(';').len();
    let listed = text[..text_end].trim_start().starts_with('[');
    if listed {
        return listed_calls(&text[..text_end], guide);
    }
    let mut all = Vec::new();
    let mut at = 0;
    while at < text_end {
        let rest = &text[at..text_end];
        let start =
            at + rest.len() - rest.trim_start_matches([' ', '\n', '\r', '\t', ',', ';']).len();
        if start >= text_end || tag_follows(text, start) || text[start..].starts_with("```") {
            break;
        }
        let printed = text[start..].strip_prefix("print(").map(|_| "print(".len());
        let name_at = start + printed.unwrap_or(0);
        let run = text[name_at..].find(|char: char| !is_name(char)).ok_or_else(none)?;
        let written = &text[name_at..name_at + run];
        let (tool, renamed) = resolve_last(written, guide).ok_or_else(none)?;
        let open = name_at + run;
        if !text[open..].starts_with('(') {
            return Err(none());
        }
        let Some((arguments, length, repairs)) = python::arguments(&text[open..], tool, &guide)
        else {
            let cut = crate::balance::bracketed(&text[open..]).is_none();
            // What is no call in Python is prose with parentheses.
            let tool = (cut && text[open..].contains('=')).then(|| tool.name.clone());
            return Err(Failed { tool, refusal: Refusal::Cut });
        };
        let mut all_repairs = Repairs::default();
        all_repairs.extend(renamed);
        all_repairs.extend(repairs);
        // Without arguments, the same may stand in prose.
        if json::entries(&arguments).next().is_none()
            && written == tool.name
            && text[..text_end].contains('\n')
        {
            return Err(none());
        }
        at = open + length;
        all.push(found(tool, arguments, Rule::Python, all_repairs, open..at));
        if printed.is_some() {
            let rest = &text[at..text_end];
            let behind = rest.trim_start();
            if !behind.starts_with(')') {
                return Err(none());
            }
            at += rest.len() - behind.len() + 1;
        }
    }
    Ok(all)
}

fn listed_calls(text: &str, guide: Guide<'_>) -> Read {
    let calls = python::calls(text, guide.tools, &guide).ok_or_else(none)?;
    let mut all = Vec::new();
    for call in calls {
        let (tool, renamed) = names::resolve(&call.name, guide.tools).ok_or_else(none)?;
        let mut repairs = Repairs::default();
        repairs.extend(renamed);
        all.push(found(tool, call.arguments.into_string(), Rule::Python, repairs, 0..text.len()));
    }
    Ok(all)
}

/// A sentence in brackets: a name, and arguments behind it.
fn bracketed(text: &str, guide: Guide<'_>) -> Read {
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
                python::arguments(&text[behind..], tool, &guide).ok_or_else(none)?;
            return Ok(vec![found(
                tool,
                arguments,
                Rule::Bracketed,
                repairs,
                behind..behind + length,
            )]);
        }
        let mut repairs = Repairs::default();
        let Some(brace) = text[behind..].find('{') else {
            return match shapes::arguments("null", &mut repairs) {
                Some(none)
                    if text[behind..]
                        .trim_matches(['"', '\'', ' ', ')', '(', ']', '\n'])
                        .is_empty() =>
                {
                    Ok(vec![found(tool, none, Rule::Bracketed, repairs, at..text.len())])
                }
                _ => Err(Failed { tool: None, refusal: Refusal::Cut }),
            };
        };
        let start = behind + brace;
        let read = object(text, start, Some(tool))?;
        repairs.extend(read.repairs);
        return Ok(vec![found(tool, read.json, Rule::Bracketed, repairs, start..start + read.len)]);
    }
    Err(none())
}

/// `Action: name`, `Action Input: …`.
fn react(text: &str, guide: Guide<'_>) -> Read {
    let line = text.find('\n').ok_or_else(none)?;
    let written = text[..line].split_once(':').map_or("", |(_, name)| name);
    let written = written.trim().trim_matches(['`', '"', '\'', '*']);
    let (tool, renamed) = names::resolve(written, guide.tools).ok_or_else(none)?;
    let input = text.find(INPUT).ok_or_else(none)? + INPUT.len();
    let start = input + text[input..].len() - text[input..].trim_start().len();
    let mut repairs = Repairs::default();
    repairs.extend(renamed);
    if text[start..].starts_with('{') {
        let read = object(text, start, Some(tool))?;
        repairs.extend(read.repairs);
        let payload = start..start + read.len;
        return Ok(vec![found(tool, read.json, Rule::React, repairs, payload)]);
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
        return Err(none());
    }
    let mut quoted = String::new();
    json::quote_into(value.trim_matches('"'), &mut quoted);
    let arguments = compose([(key, quoted.as_str())].into_iter());
    repairs.add(Repair::Aliases);
    Ok(vec![found(tool, arguments, Rule::React, repairs, start..text.len())])
}

/// A name with words around it, and an object behind it.
fn addressed(text: &str, guide: Guide<'_>) -> Read {
    let brace = text.find('{').ok_or_else(none)?;
    let words = text[..brace].split(|char: char| !is_name(char)).filter(|word| !word.is_empty());
    let named = words.filter_map(|word| resolve_last(word, guide)).next();
    let (tool, renamed) = named.ok_or_else(none)?;
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
    Ok(vec![found(tool, json, Rule::Addressed, repairs, brace..brace + length)])
}

/// The object at `at`.
fn object(text: &str, at: usize, tool: Option<&Tool>) -> Result<relaxed::Relaxed, Failed> {
    let tool = tool.map(|tool| tool.name.clone());
    match relaxed::read(&text[at..], Ending::Open, MAX_DEPTH) {
        Ok(read) if json::kind(&read.json) == Some(Kind::Object) => Ok(read),
        Ok(_) => Err(none()),
        Err(fault) if fault.cut => Err(Failed { tool, refusal: Refusal::Cut }),
        Err(fault) => {
            let expected = fault.expected.to_owned();
            Err(Failed { tool, refusal: Refusal::Malformed { at: at + fault.at, expected } })
        }
    }
}

/// A tool by its name, perhaps behind a word and a colon.
fn resolve_last<'t>(written: &str, guide: Guide<'t>) -> Option<(&'t Tool, Option<Repair>)> {
    names::resolve(written, guide.tools).or_else(|| {
        let name = written.rsplit(':').next()?;
        guide.tools.get(name).map(|tool| (tool, Some(Repair::Name(written.to_owned()))))
    })
}
