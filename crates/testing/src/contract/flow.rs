//! What is held and what streams.

use callsign_core::{Arguments, End, Event, Offer, Reader, ToolCall};
use callsign_syntax::description::{Body, Container, Description, Frame, Part};
use proptest::prelude::*;
use proptest::sample::select;

use super::accounts::places;
use super::{Contract, Verdict, same};
use crate::generate::{Spelling, json_string, nasty_text_without, piece, plain_text};
use crate::markers::{first_texts, openers};
use crate::reading::{Reading, cut};

/// How far arguments may lag behind, beside the closing sequence.
const LAG: usize = 8;

impl Contract {
    /// In text without markers nothing is held but what may still become one,
    /// and the white space before it.
    pub fn nothing_too_early_nothing_held_too_long(&self) -> Verdict {
        let openers = openers(&self.description);
        let text = nasty_text_without(self.turns.markers(), openers.clone());
        let sizes = select(vec![1, 2, 5, 30]);
        self.for_all(&(text, sizes), |(text, size)| {
            let offer = Offer::new(&self.tools);
            let mut reader = Reader::new(&*self.dialect, &offer);
            let (mut pushed, mut out) = (0, 0);
            for piece in cut(&text, &places(text.len(), size, 5)) {
                pushed += piece.len();
                reader.push(piece, &mut |event| out += event.span().map_or(0, |span| span.len()));
                if self.may_be_calls(&text[..pushed], &openers) {
                    continue;
                }
                let most = may_be_held(&text[..pushed], &openers);
                if pushed - out > most {
                    return Err(format!(
                        "after {:?}: {} bytes are held, no more than {most} have to be",
                        &text[..pushed],
                        pushed - out
                    ));
                }
            }
            reader.finish(End::Stop, &mut |_| {});
            same(
                "the text",
                &text,
                &Reading::of(&*self.dialect, &offer, End::Stop, [&*text]).turn.content,
            )
        })
    }

    /// Whether a turn that begins so may be calls as a whole.
    fn may_be_calls(&self, text: &str, openers: &[String]) -> bool {
        let text = text.trim_start();
        let begins =
            |opener: &String| text.starts_with(opener.as_str()) || opener.starts_with(text);
        self.calls_are_the_turn() && (text.is_empty() || openers.iter().any(begins))
    }

    /// The fragments of a call are its arguments, and while a string is
    /// written, they come without delay.
    pub fn arguments_stream(&self) -> Verdict {
        self.for_outputs(|text, offer, end| {
            fragments(&Reading::of(&*self.dialect, offer, end, [text]))?;
            fragments(&Reading::of_bytes(&*self.dialect, offer, end, text.as_bytes(), 1))?;
            let pieces = cut(text, &places(text.len(), 9, 6));
            fragments(&Reading::of(&*self.dialect, offer, end, pieces))
        })?;
        let pairs: Vec<(String, String)> = self
            .tools
            .iter()
            .flat_map(|tool| {
                let properties = tool.parameters.root().properties();
                let strings = properties
                    .filter(|(_, schema)| schema.only_string() && schema.choices().is_none());
                strings.map(|(key, _)| (tool.name.clone(), key.to_owned())).collect::<Vec<_>>()
            })
            .collect();
        let long = (select(pairs), self.long_value(), select(vec![1, 3, 8, 60]));
        self.for_all(&long, |((tool, key), value, size)| self.streams(&tool, &key, &value, size))
    }

    /// 2,000 bytes and more in which no text stands that ends a value.
    fn long_value(&self) -> BoxedStrategy<String> {
        let closers = closers(&self.description);
        let pieces = prop_oneof![3 => piece(self.turns.markers()), 2 => plain_text()];
        proptest::collection::vec(pieces, 1..60)
            .prop_map(move |pieces| {
                let mut text = pieces.concat();
                while let Some(found) = closers.iter().find(|closer| text.contains(*closer)) {
                    text = text.replacen(found, "", 1);
                }
                text.push('.');
                let times = 2000 / text.len() + 1;
                text.repeat(times)
            })
            .boxed()
    }

    fn streams(&self, tool: &str, key: &str, value: &str, size: usize) -> Verdict {
        let quoted = |text: &str| json_string(text, Spelling::Plain);
        let written = |value: &str| {
            let json = format!("{{{}: {}}}", quoted(key), quoted(value));
            let arguments = Arguments::from_json(json).ok()?;
            let mut text = String::new();
            let calls = [ToolCall::new(tool, arguments)];
            self.dialect.write(&calls, &self.tools, &mut text).ok()?;
            // How the value is spelled in the output, and where.
            let escaped = quoted(value);
            let escaped = &escaped[1..escaped.len() - 1];
            let raw = text.find(value).map(|at| (at, value.to_owned(), false));
            let (start, spelled, escapes) = raw.or_else(|| {
                text.find(escaped).map(|at| (at, escaped.to_owned(), escaped != value))
            })?;
            Some((text, start, spelled, escapes))
        };
        // Where strings are escaped in another way, in which nothing need be.
        let plain = |char: &char| char.is_alphanumeric() || " .,;:-_/<>|=&".contains(*char);
        let plain: String = value.chars().filter(plain).collect();
        let found = written(value).or_else(|| written(&plain));
        let Some((text, start, spelled, escapes)) = found else { return Ok(()) };

        let most = closing_sequence(&self.description) + LAG;
        let mut came = Decoded { escapes, ..Decoded::default() };
        let mut shown = Shown::default();
        let offer = Offer::new(&self.tools);
        let mut reader = Reader::new(&*self.dialect, &offer);
        let mut pushed = 0;
        for piece in cut(&text, &places(text.len(), size, 8)) {
            reader.push(piece, &mut |event| shown.add(&event));
            let inside = start..start + spelled.len();
            let (from, to) = (pushed.max(inside.start), (pushed + piece.len()).min(inside.end));
            pushed += piece.len();
            if from < to {
                came.add(&text[from..to]);
            }
            if pushed <= inside.end && came.bytes > shown.value.bytes + most {
                return Err(format!(
                    "of {} bytes of the value {} were shown, {most} may lag behind: {:?}",
                    came.bytes,
                    shown.value.bytes,
                    &text[..pushed]
                ));
            }
        }
        Ok(())
    }
}

/// What has been shown of arguments that are one string.
#[derive(Default)]
struct Shown {
    /// The beginning, until the value has begun.
    head: String,
    begun: bool,
    value: Decoded,
}

impl Shown {
    fn add(&mut self, event: &Event<'_>) {
        let Event::Arguments { fragment, .. } = event else { return };
        self.value.escapes = true;
        if self.begun {
            return self.value.add(fragment);
        }
        self.head.push_str(fragment);
        // The arguments open with the key; then the value begins.
        let value = self.head.split_once(':').map(|(_, value)| value.trim_start());
        if let Some(value) = value.and_then(|value| value.strip_prefix('"')) {
            self.begun = true;
            self.value.add(value);
        }
    }
}

/// How many bytes a JSON string stands for, as far as it has come; an escape
/// that is cut counts for nothing.
#[derive(Default)]
struct Decoded {
    /// Whether there are escapes at all.
    escapes: bool,
    bytes: usize,
    /// What of an escape has come.
    escape: String,
    closed: bool,
}

impl Decoded {
    fn add(&mut self, inside: &str) {
        for char in inside.chars() {
            if !self.escapes {
                self.bytes += char.len_utf8();
            } else if self.closed || self.escape.is_empty() && char == '"' {
                self.closed = true;
            } else if self.escape.is_empty() && char != '\\' {
                self.bytes += char.len_utf8();
            } else {
                self.escape.push(char);
                let unit = self.escape.strip_prefix("\\u");
                if self.escape.len() == 2 && unit.is_none() {
                    self.bytes += 1;
                    self.escape.clear();
                } else if let Some(unit) = unit.filter(|unit| unit.len() == 4) {
                    self.bytes += match u32::from_str_radix(unit, 16).unwrap_or(0) {
                        0..0x80 => 1,
                        // Half a surrogate pair: a character has two of them.
                        0x80..0x800 | 0xD800..0xE000 => 2,
                        _ => 3,
                    };
                    self.escape.clear();
                }
            }
        }
    }
}

/// Whether the fragments of every call are its arguments.
fn fragments(reading: &Reading) -> Verdict {
    let mut open: Vec<(usize, String, String)> = Vec::new();
    let mut used: Vec<usize> = Vec::new();
    for event in &reading.events {
        match event {
            Event::CallStarted { index, name } => {
                if used.contains(index) {
                    return Err(format!("the index {index} is used twice"));
                }
                used.push(*index);
                open.push((*index, name.clone().into_owned(), String::new()));
            }
            Event::Arguments { index, fragment } => {
                let Some(call) = open.iter_mut().find(|call| call.0 == *index) else {
                    return Err(format!("arguments of call {index}, which is not open"));
                };
                call.2.push_str(fragment);
            }
            Event::CallDropped { index } => {
                let Some(at) = open.iter().position(|call| call.0 == *index) else {
                    return Err(format!("call {index} is dropped and not open"));
                };
                open.remove(at);
            }
            Event::Call { index, call, .. } => {
                let Some(at) = open.iter().position(|call| call.0 == *index) else {
                    return Err(format!("call {index} was never started"));
                };
                let (_, name, shown) = open.remove(at);
                same("the name", &call.name, &name)?;
                same("the fragments", &call.arguments.as_str(), &shown.as_str())?;
            }
            _ => {}
        }
    }
    if open.is_empty() {
        Ok(())
    } else {
        Err(format!("started and neither made nor dropped: {open:?}"))
    }
}

/// How much of the end of `text` may wait: white space from a newline on, and
/// the beginning of an opener.
fn may_be_held(text: &str, openers: &[String]) -> usize {
    let halves = openers.iter().flat_map(|opener| {
        (1..opener.len()).filter(|at| opener.is_char_boundary(*at)).map(|at| &opener[..at])
    });
    let half = halves.filter(|half| text.ends_with(half)).map(str::len).max().unwrap_or(0);
    // Every half that fits, and none at all, has white space of its own.
    let ends = (0..=half).filter(|held| {
        *held == 0
            || openers.iter().any(|opener| {
                opener.len() > *held && text.as_bytes().ends_with(&opener.as_bytes()[..*held])
            })
    });
    let run = |held: usize| {
        let before = &text[..text.len() - held];
        let kept = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
        before[kept..].find('\n').map_or(held, |at| text.len() - kept - at)
    };
    ends.map(run).max().unwrap_or(0)
}

/// The texts right after a value.
fn closers(description: &Description) -> Vec<String> {
    let mut found = Vec::new();
    for each in eaches(description) {
        let after = each.item.iter().skip_while(|part| !matches!(part, Part::Value(_))).skip(1);
        let after: Vec<Part> = after.cloned().collect();
        found.extend(first_texts(&after));
    }
    found
}

fn eaches(description: &Description) -> impl Iterator<Item = &callsign_syntax::description::Each> {
    description
        .regions
        .iter()
        .filter_map(|region| match &region.body {
            Body::Calls(calls) => Some(calls),
            _ => None,
        })
        .flat_map(|calls| calls.forms.iter().flatten())
        .filter_map(|part| match part {
            Part::Arguments(Container::Each(each)) => Some(each),
            _ => None,
        })
}

/// The length of what has to be seen to know that a value has ended: its frame,
/// what closes it, white space as it is written, and the longest text that may
/// follow. A JSON string ends with its quote.
fn closing_sequence(description: &Description) -> usize {
    let longest = |texts: Vec<String>| texts.iter().map(String::len).max().unwrap_or(0);
    let values = eaches(description).map(|each| {
        let value = each.item.iter().position(|part| matches!(part, Part::Value(_)));
        let after = &each.item[value.map_or(0, |at| at + 1)..];
        let frame = each
            .item
            .iter()
            .any(|part| matches!(part, Part::Value(value) if value.frame == Frame::Newline));
        let fixed: usize = after
            .iter()
            .map(|part| match part {
                Part::Literal(text) | Part::Marker(text) | Part::Space(text) => text.len(),
                _ => 0,
            })
            .sum();
        let follow = longest(crate::markers::markers(description));
        usize::from(frame) + fixed + each.between.len() + follow
    });
    values.max().unwrap_or(1)
}
