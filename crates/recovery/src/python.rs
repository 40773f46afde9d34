//! Calls as Python writes them. The calls are read by the same machine that
//! reads the dialects which write them.

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{End, Offer, Reader, Refusal, Repair, Rule, Tool, ToolCall, Toolset};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Part, Region};

use crate::balance::bracketed;
use crate::names;
use crate::region::FENCE;
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;
use crate::tag::Look;
use crate::walk::{Failed, Found, Guide, is_name};

/// The dialect of Python calls: a list of them.
pub(crate) fn dialect() -> Compiled {
    let call =
        [Part::Name, Part::literal("("), Part::Arguments(Container::Python), Part::literal(")")];
    let comma = [Part::space(""), Part::literal(","), Part::space(" ")];
    let list = Region::calls(
        [Part::literal("["), Part::space("")],
        Calls::of(call).between(comma).whole_turn(),
        [Part::space(""), Part::literal("]")],
    );
    let name = "python".to_owned();
    Compiled::builtin(Description { name, regions: vec![list], ..Description::default() })
}

/// All calls that a text is: a list of them, or one after the other, perhaps
/// printed, perhaps in a namespace. Among other text (unless `alone`) a call
/// needs arguments: without, the same may stand in prose.
pub(crate) fn all(text: &str, alone: bool, guide: Guide<'_>) -> Result<Vec<Found>, Failed> {
    let end = text.trim_end().trim_end_matches(';').len();
    let text = &text[..end];
    if text.trim_start().starts_with('[') {
        return listed(text, alone, guide);
    }
    let mut all = Vec::new();
    let mut at = 0;
    while at < end {
        let rest = &text[at..];
        let behind = rest.trim_start_matches([' ', '\n', '\r', '\t', ',', ';']);
        let start = at + rest.len() - behind.len();
        let tag = matches!(guide.vocabulary.look(text, start, true), Look::Tag(_));
        if behind.is_empty() || tag || behind.starts_with(FENCE) {
            break;
        }
        let printed = behind.starts_with("print(");
        let name = start + if printed { "print(".len() } else { 0 };
        let run = text[name..].find(|char: char| !is_name(char)).ok_or_else(Failed::none)?;
        let (tool, renamed) =
            names::in_word(&text[name..name + run], guide.tools).ok_or_else(Failed::none)?;
        let open = name + run;
        if !text[open..].starts_with('(') {
            return Err(Failed::none());
        }
        let Some((arguments, length, more)) = arguments(&text[open..], tool, &guide) else {
            // What is no call in Python is prose with parentheses.
            let cut = bracketed(&text[open..]).is_none() && text[open..].contains('=');
            let tool = cut.then(|| tool.name.clone());
            return Err(Failed { tool, refusal: Refusal::Cut });
        };
        if !alone && json::entries(&arguments).next().is_none() {
            return Err(Failed::none());
        }
        let mut repairs = Repairs::default();
        repairs.extend(renamed);
        repairs.extend(more);
        at = open + length;
        all.push(Found::bare(tool, arguments, Rule::Python, repairs, open..at));
        if printed {
            let rest = &text[at..];
            let behind = rest.trim_start();
            if !behind.starts_with(')') {
                return Err(Failed::none());
            }
            at += rest.len() - behind.len() + 1;
        }
    }
    Ok(all)
}

/// The calls of the list at the start of a text, behind which tags may stand.
fn listed(text: &str, alone: bool, guide: Guide<'_>) -> Result<Vec<Found>, Failed> {
    let length = bracketed(text).ok_or_else(Failed::none)?;
    let (calls, quotes) = calls(&text[..length], guide.tools, &guide).ok_or_else(Failed::none)?;
    let mut all = Vec::new();
    for call in calls {
        let (tool, renamed) = names::resolve(&call.name, guide.tools).ok_or_else(Failed::none)?;
        if !alone && call.arguments.entries().next().is_none() {
            return Err(Failed::none());
        }
        let mut repairs = Repairs::default();
        repairs.extend(renamed);
        repairs.extend(quotes.clone());
        all.push(Found::bare(tool, call.arguments.into_string(), Rule::Python, repairs, 0..length));
    }
    Ok(all)
}

/// The calls of a list that a text is, from its first byte to its last, and
/// whether strings stood in other quotes.
fn calls(
    text: &str,
    tools: &Toolset,
    guide: &Guide<'_>,
) -> Option<(Vec<ToolCall>, Option<Repair>)> {
    let read = |text: &str| {
        let turn = Reader::new(guide.python, &Offer::new(tools)).read(text.trim(), End::Stop);
        let whole = turn.content.trim().is_empty() && turn.rejected.is_empty();
        (whole && !turn.calls.is_empty() && !turn.ambiguous).then_some(turn.calls)
    };
    if let Some(calls) = read(text) {
        return Some((calls, None));
    }
    // Marks that stand for quotes, where nothing in the text is a quote.
    let mut plain = text.to_owned();
    for mark in guide.vocabulary.quotes.iter().map(|quote| &**quote).chain(["“", "”"]) {
        plain = plain.replace(mark, "\u{1a}");
    }
    if plain.contains(['"', '\\']) || !plain.contains('\u{1a}') {
        return None;
    }
    read(&plain.replace('\u{1a}', "\"")).map(|calls| (calls, Some(Repair::Quotes)))
}

/// The arguments in parentheses at the start of `text`, how long they are, and
/// what was changed: keywords, or one object.
pub(crate) fn arguments(
    text: &str,
    tool: &Tool,
    guide: &Guide<'_>,
) -> Option<(String, usize, Repairs)> {
    let length = bracketed(text)?;
    let mut repairs = Repairs::default();
    let inside = text[1..length - 1].trim();
    if inside.starts_with('{') {
        let read = relaxed::read(inside, Ending::Open, MAX_DEPTH).ok()?;
        if read.len != inside.len() || json::kind(&read.json) != Some(Kind::Object) {
            return None;
        }
        repairs.add(Repair::ForeignBody);
        repairs.extend(read.repairs);
        return Some((read.json, length, repairs));
    }
    let call = ["[", &tool.name, &text[..length], "]"].concat();
    let (calls, quotes) = calls(&call, guide.tools, guide)?;
    let [call] = &calls[..] else { return None };
    repairs.extend(quotes);
    Some((call.arguments.as_str().to_owned(), length, repairs))
}
