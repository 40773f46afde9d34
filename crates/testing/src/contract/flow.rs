//! What is held and what streams.

use callsign_core::{Arguments, End, Event, Offer, Reader, ToolCall, json};
use callsign_syntax::description::{Body, Container, Description, Each, Frame, Part};
use proptest::prelude::*;
use proptest::sample::select;

use super::accounts::places;
use super::{Contract, Verdict, same};
use crate::generate::{Spelling, json_string, nasty_text_without, piece, plain_text};
use crate::markers::{first_texts, markers};
use crate::reading::{Reading, cut};

/// How far arguments may lag behind, beside the closing sequence.
const LAG: usize = 8;

impl Contract {
    /// In text without markers nothing is held but what may still become one,
    /// and the white space before it.
    pub fn nothing_too_early_nothing_held_too_long(&self) -> Verdict {
        let openers = self.openers_anywhere();
        let text = nasty_text_without(self.turns.markers(), openers.clone());
        let sizes = select(vec![1, 2, 5, 30]);
        // Where everything outside of regions is markup, text has a region.
        let (open, _) = self.turns.around_text();
        self.for_all(&(text, sizes), |(text, size)| {
            let offer = Offer::new(&self.tools);
            let mut reader = Reader::new(&*self.dialect, &offer);
            let (mut pushed, mut out) = (0, 0);
            reader.push(&open, &mut |_| {});
            for piece in cut(&text, &places(text.len(), size, 5)) {
                pushed += piece.len();
                reader.push(piece, &mut |event| out += event.span().map_or(0, |span| span.len()));
                if out == 0 && self.may_be_calls(&text[..pushed], &openers) {
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
            let turn = Reading::of(&*self.dialect, &offer, End::Stop, [&*open, &*text]).turn;
            same("the text", &text, &turn.content)
        })
    }

    /// Whether a turn that begins so may be calls as a whole: calls that no
    /// marker tells from text are held until something tells. White space in
    /// front of them is held as well, and so is what may yet be another opener
    /// behind it.
    fn may_be_calls(&self, text: &str, openers: &[String]) -> bool {
        let whole = self.whole_turn_openers();
        let text = text.trim_start();
        let begun = |opener: &String| opener.starts_with(text);
        !whole.is_empty()
            && (whole.iter().any(|opener| text.starts_with(opener.as_str()))
                || whole.iter().chain(openers).any(begun))
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
        let closers: Vec<String> =
            eaches(&self.description).iter().flat_map(|each| after_value(each)).collect();
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
        let plain = |text: &str| json_string(text, Spelling::Plain);
        let json = format!("{{{}: {}}}", plain(key), plain(value));
        let Ok(arguments) = Arguments::from_json(json) else { return Ok(()) };
        let mut text = String::new();
        let mut call = ToolCall::new(tool, arguments);
        call.id = self.turns.needs_id().then(|| "a1b2c3d4e".to_owned());
        if self.dialect.write(&[call], &self.tools, &mut text).is_err() {
            return Ok(());
        }
        // How the value is spelled in the output, and where. Containers that
        // escape strings themselves need not do it as the arguments did.
        let mut quoted = String::new();
        json::quote_into(value, &mut quoted);
        let escaped = [plain(value), quoted];
        let escaped = escaped.iter().map(|text| &text[1..text.len() - 1]);
        let mut spellings = std::iter::once(value).chain(escaped);
        let found = spellings.find_map(|spelled| text.find(spelled).map(|at| (at, spelled)));
        let Some((start, spelled)) = found else {
            return Err("the value is not found in what was written".to_owned());
        };
        let escapes = spelled != value;

        let most = closing_sequence(&self.description, key) + LAG;
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

/// The texts right after a value between tags.
fn after_value(each: &Each) -> Vec<String> {
    let value = each.item.iter().position(|part| matches!(part, Part::Value(_)));
    first_texts(&each.item[value.map_or(0, |at| at + 1)..])
}

/// The arguments between tags of a description.
fn eaches(description: &Description) -> Vec<&Each> {
    let forms = description.regions.iter().flat_map(|region| match &region.body {
        Body::Calls(calls) => calls.forms.iter().flatten().collect(),
        _ => Vec::new(),
    });
    let mut parts: Vec<&Part> = forms.collect();
    let mut found = Vec::new();
    while let Some(part) = parts.pop() {
        match part {
            Part::Arguments(Container::Each(each)) => found.push(each),
            Part::Maybe { parts: inside, .. } => parts.extend(inside),
            Part::OneOf(all) => parts.extend(all.iter().flatten()),
            _ => {}
        }
    }
    found
}

/// The length of what has to be seen to know that the value of `key` has ended:
/// its frame, what closes it, white space as it is written, and the longest
/// text that may follow. A JSON string ends with its quote.
fn closing_sequence(description: &Description, key: &str) -> usize {
    let longest = |texts: &[String]| texts.iter().map(String::len).max().unwrap_or(0);
    let any = longest(&markers(description));
    let values = eaches(description).into_iter().map(|each| {
        let framed = each
            .item
            .iter()
            .any(|part| matches!(part, Part::Value(value) if value.frame == Frame::Newline));
        let spaces = each.item.iter().map(|part| match part {
            Part::Space(space) => space.len(),
            _ => 0,
        });
        let spaces = spaces.sum::<usize>() + each.between.len();
        usize::from(framed) + longest(&after_value(each)) + spaces + any
    });
    // An element is closed by its own name.
    let element = any + key.len() + "</>".len();
    values.max().unwrap_or(element)
}
