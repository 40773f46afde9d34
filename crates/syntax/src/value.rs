//! The value of an argument between tags: where it ends, and its way into JSON.

use std::borrow::Cow;

use callsign_core::json::plain_run;
use callsign_core::{ByteSet, Flow, Nulls, Out, Type, TypeId, json, type_text};

use crate::audit::look;
use crate::description::{Codec, Frame};
use crate::entities;
use crate::machine::{Machine, Scan, Scanning};
use crate::program::{Coding, Mark, Program, State, StateId, ValueSpec};
use crate::walk::{Walk, Walked, is_space};

/// The value being scanned. Positions are relative to the pending bytes.
#[derive(Debug)]
pub(crate) struct ValueScan {
    next: StateId,
    frame: Frame,
    /// The first byte of its closing tag, what may follow it, and what tells such
    /// a tag.
    first: u8,
    second: ByteSet,
    entry: StateId,
    spelling: Spelling,
    /// Whether its tag states that it is JSON.
    states_json: bool,
    nulls: Nulls,
    /// Where the content begins, once its frame is known.
    start: usize,
    framed: bool,
    /// The next byte to look at.
    at: usize,
    /// How far the content has been appended to the arguments.
    flushed: usize,
    /// Whether the content streams: it is text whatever it says.
    streams: bool,
    type_id: TypeId,
    /// Opening tags of its kind that stand open inside of it.
    depth: usize,
    /// What stands at `at` is being looked at more closely.
    probe: Option<Walk>,
    /// Where the last closing tag ended.
    closed: usize,
    /// The last closing tag that would end the value but for an opening tag
    /// inside of it.
    candidate: Option<Candidate>,
}

/// What the text between the tags is to be read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As it is.
    Plain,
    /// A section of character data or text with entities: its first bytes tell.
    Undecided,
    /// With entities.
    Entities,
}

/// What opens a section of character data.
const SECTION: &str = "<![CDATA[";

/// What closes it.
const SECTION_END: &str = "]]>";

#[derive(Debug, Clone, Copy)]
struct Candidate {
    at: usize,
    flushed: usize,
    closed: usize,
    /// The length of the arguments up to it.
    arguments: usize,
}

impl Codec {
    /// The text that is spelled so between its tags. `None` if it is a section of
    /// character data that does not end.
    pub fn decode(self, text: &str) -> Option<Cow<'_, str>> {
        if self != Codec::Cdata {
            return Some(Cow::Borrowed(text));
        }
        match text.trim().strip_prefix(SECTION) {
            Some(section) => section.strip_suffix(SECTION_END).map(Cow::Borrowed),
            None => Some(entities::decode(text)),
        }
    }
}

impl ValueScan {
    /// Whether the value waits to be shown, because its end is in doubt.
    pub(crate) fn waits(&self) -> bool {
        self.candidate.is_some()
    }
}

enum Probed {
    /// More input is needed. Up to `shown` it is part of the value.
    More {
        shown: Option<usize>,
    },
    /// It is part of the value, up to here.
    Data(usize),
    End,
}

impl Machine {
    #[inline]
    pub(crate) fn scan_value(&mut self, spec: u16, next: StateId, out: &mut Out<'_>) -> Scan {
        if !matches!(self.scanning, Scanning::Value(_)) {
            self.scanning = Scanning::Value(self.begin_value(spec, next, out));
        }
        let Scanning::Value(value) = &mut self.scanning else { return Scan::More };
        let spec = &self.program.values[usize::from(spec)];
        if !value.scan(&self.program, spec, out) {
            return Scan::More;
        }
        let (end, closed) = (value.at, value.closed);
        self.end_value(end, closed, out)
    }

    fn begin_value(&mut self, spec: u16, next: StateId, out: &mut Out<'_>) -> ValueScan {
        let spec = &self.program.values[usize::from(spec)];
        let pending = out.pending();
        let key = &pending[self.walk.key.0..self.walk.key.1];
        let stated = &pending[self.walk.kind.0..self.walk.kind.1];
        let kind = match self.tool {
            Some(tool) => self.tools[tool].parameters.root().property(key),
            None => Type::unspecified(),
        };
        let (streams, states_json) = match &spec.coding {
            Coding::Raw | Coding::Cdata(_) => (kind.only_string(), false),
            Coding::Typed(text) => (**text == *stated, **text != *stated),
        };
        let spelling = match &spec.coding {
            Coding::Cdata(_) => Spelling::Undecided,
            _ => Spelling::Plain,
        };
        let first = !std::mem::replace(&mut self.tags_open, true);
        let arguments = out.arguments();
        arguments.push_str(if first { "{\"" } else { ",\"" });
        arguments.push_escaped(key);
        arguments.push_str(if streams { "\":\"" } else { "\":" });
        let at = self.walk.at;
        ValueScan {
            next,
            frame: spec.frame,
            first: spec.first,
            second: spec.second,
            entry: spec.probe,
            spelling,
            states_json,
            nulls: spec.nulls,
            start: at,
            framed: spec.frame == Frame::None,
            at,
            flushed: at,
            streams,
            type_id: kind.id(),
            depth: 0,
            probe: None,
            closed: at,
            candidate: None,
        }
    }

    /// The value ends at `end`; the walk goes on after its closing tag.
    fn end_value(&mut self, end: usize, closed: usize, out: &mut Out<'_>) -> Scan {
        let scanning = std::mem::replace(&mut self.scanning, Scanning::Nothing);
        let Scanning::Value(mut value) = scanning else { return Scan::More };
        let pending = out.pending();
        let content_end = value.content_end(end, pending.as_bytes());
        if value.streams {
            if value.spelling == Spelling::Entities {
                entities::flush(&mut value.flushed, content_end, true, pending, out);
            }
            out.arguments().push_str("\"");
        } else {
            let content = &pending[value.start..content_end];
            let content = match value.spelling {
                Spelling::Entities => entities::decode(content),
                _ => content.into(),
            };
            let json = content.trim();
            if value.states_json && json::kind(json).is_some() {
                out.arguments().push_str(json);
                self.walk.at = closed;
                return Scan::Done(value.next);
            }
            let kind = match self.tool {
                Some(tool) => self.tools[tool].parameters.get(value.type_id),
                None => Type::unspecified(),
            };
            out.arguments().append(|arguments| type_text(&content, kind, value.nulls, arguments));
        }
        self.walk.at = closed;
        Scan::Done(value.next)
    }

    /// At the end of the output: the last closing tag that could end the open
    /// value ends it. Says whether there was one.
    pub(crate) fn settle_value(&mut self, out: &mut Out<'_>) -> bool {
        let Scanning::Value(value) = &mut self.scanning else { return false };
        // A closing tag right at the end is followed by structure too, and it is
        // the last one: the call was cut after it.
        let at_end = value.probe.is_some() && value.closed > value.at;
        let Some(candidate) = value.candidate.filter(|_| !at_end) else { return false };
        out.doubt_call();
        value.flushed = candidate.flushed;
        if value.streams {
            out.arguments().truncate(candidate.arguments);
        }
        let scan = self.end_value(candidate.at, candidate.closed, out);
        if let Scan::Done(next) = scan {
            self.walk.go(next, self.walk.at);
        }
        true
    }
}

impl ValueScan {
    /// The text that may flow past the scanner, if it is in such and has read all
    /// up to `end`.
    pub(crate) fn flow(&self, end: usize) -> Option<Flow> {
        let framed = self.frame == Frame::Newline;
        let flows = self.streams
            && self.framed
            && self.flushed == end
            && self.probe.is_none()
            && self.candidate.is_none()
            && self.spelling == Spelling::Plain;
        flows.then_some(Flow::raw(self.first, self.second, framed))
    }

    /// So much has flowed past.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.flushed += bytes;
    }

    /// Scans on. Says whether the value has ended.
    #[inline]
    fn scan(&mut self, program: &Program, spec: &ValueSpec, out: &mut Out<'_>) -> bool {
        let pending = out.pending();
        let bytes = pending.as_bytes();
        if !self.framed {
            let Some(first) = bytes.get(self.at) else { return false };
            self.framed = true;
            if *first == b'\n' {
                self.start += 1;
                self.at += 1;
                self.flushed += 1;
            }
        }
        if self.spelling == Spelling::Undecided && !self.decide_spelling(spec, bytes) {
            return false;
        }
        loop {
            if self.probe.is_none() {
                if self.streams && self.spelling == Spelling::Plain {
                    stream(self, program, pending, out);
                } else {
                    let rest = &bytes[self.at..];
                    let hit = memchr::memchr(self.first, rest).unwrap_or(rest.len());
                    look(hit);
                    self.at += hit;
                    flush(self, self.at, pending, out);
                }
                if self.at == bytes.len() {
                    return false;
                }
                let mut walk = Walk::default();
                walk.go(self.entry, self.at);
                self.probe = Some(walk);
            }
            match self.probe(program, bytes, out) {
                Probed::More { shown } => {
                    if let Some(upto) = shown {
                        flush(self, upto, pending, out);
                    }
                    return false;
                }
                Probed::Data(upto) => {
                    self.probe = None;
                    self.at = upto;
                    flush(self, upto, pending, out);
                }
                Probed::End => {
                    return true;
                }
            }
        }
    }

    /// Tells how the value is spelled by its first bytes, once they are there.
    fn decide_spelling(&mut self, spec: &ValueSpec, bytes: &[u8]) -> bool {
        let blanks = bytes[self.at..].iter().take_while(|byte| is_space(**byte)).count();
        let there = &bytes[self.at + blanks..];
        let length = there.len().min(SECTION.len());
        if there[..length] != SECTION.as_bytes()[..length] {
            self.spelling = Spelling::Entities;
        } else if length < SECTION.len() {
            return false;
        } else if let Coding::Cdata(section) = spec.coding {
            // A section ends together with its tag.
            self.spelling = Spelling::Plain;
            self.first = b']';
            self.second = ByteSet::ALL;
            self.entry = section;
            self.at += blanks + length;
            (self.start, self.flushed) = (self.at, self.at);
        }
        true
    }

    /// Looks at what may be a closing tag, or an opening tag of the same kind.
    fn probe(&mut self, program: &Program, bytes: &[u8], out: &mut Out<'_>) -> Probed {
        let Some(walk) = &mut self.probe else { return Probed::More { shown: None } };
        loop {
            match walk.walk(program, bytes, out.origin()) {
                Walked::More => {
                    // The inside of an opening tag ends no value. What follows
                    // its key may be a closing tag after all.
                    let in_slot = matches!(program.state(walk.state), State::Slot(_));
                    let past_slot = walk.key.1 > self.at;
                    let shown = match in_slot {
                        true => Some(walk.at),
                        false => past_slot.then_some(walk.token),
                    };
                    return Probed::More { shown };
                }
                Walked::Fail => {
                    // Not inside of a character: what is walked are whole texts
                    // and the first byte of what did not fit.
                    let mut upto = walk.token.max(self.at + 1);
                    while upto < bytes.len() && bytes[upto] & 0xC0 == 0x80 {
                        upto += 1;
                    }
                    return Probed::Data(upto);
                }
                Walked::There => {}
            }
            let State::Mark(mark, next) = *program.state(walk.state) else {
                return Probed::Data(walk.at);
            };
            match mark {
                Mark::Closed => {
                    self.closed = walk.at;
                    walk.go(next, walk.at);
                }
                Mark::Opened => {
                    self.depth += 1;
                    return Probed::Data(walk.at);
                }
                Mark::NoStructure => {
                    self.depth = self.depth.saturating_sub(1);
                    return Probed::Data(self.closed);
                }
                _ if self.depth == 0 => return Probed::End,
                _ => {
                    self.depth -= 1;
                    let arguments = out.arguments().len();
                    let (at, flushed, closed) = (self.at, self.flushed, self.closed);
                    self.candidate = Some(Candidate { at, flushed, closed, arguments });
                    return Probed::Data(self.closed);
                }
            }
        }
    }

    /// Where the content ends if the closing tag begins at `end`.
    fn content_end(&self, end: usize, bytes: &[u8]) -> usize {
        let framed = self.frame == Frame::Newline && end > self.start && bytes[end - 1] == b'\n';
        end - usize::from(framed)
    }
}

/// Appends content up to the next byte that may begin a tag, or to the end.
/// A newline that may belong to the frame stays.
#[inline]
fn stream(value: &mut ValueScan, program: &Program, pending: &str, out: &mut Out<'_>) {
    let bytes = pending.as_bytes();
    let mut waits = false;
    let mut start = value.flushed;
    let mut at = start;
    let from = value.at;
    let arguments = out.arguments();
    loop {
        at += plain_run(&bytes[at..], value.first);
        let Some(special) = bytes.get(at).copied() else { break };
        if special == value.first {
            let second = bytes.get(at + 1);
            if second.is_none_or(|second| value.second.contains(*second))
                && program.may_begin(value.entry, &bytes[at..])
            {
                break;
            }
            at += 1;
            continue;
        }
        // A newline before a tag, or at the end, waits for what comes next.
        if special == b'\n'
            && value.frame == Frame::Newline
            && bytes.get(at + 1).is_none_or(|next| *next == value.first)
        {
            let tag = &bytes[at + 1..];
            if tag.is_empty() || program.may_begin(value.entry, tag) {
                waits = true;
                break;
            }
        }
        arguments.push_run(&pending[start..at], special);
        at += 1;
        start = at;
    }
    arguments.push_str(&pending[start..at]);
    value.flushed = at;
    value.at = at + usize::from(waits);
    look(value.at.saturating_sub(from));
}

/// Appends the content before `upto` that is certain to be content.
#[inline]
fn flush(value: &mut ValueScan, upto: usize, pending: &str, out: &mut Out<'_>) {
    if !value.streams {
        return;
    }
    let upto = value.content_end(upto, pending.as_bytes());
    if value.spelling == Spelling::Entities {
        entities::flush(&mut value.flushed, upto, false, pending, out);
    } else if upto > value.flushed {
        out.arguments().push_escaped(&pending[value.flushed..upto]);
        value.flushed = upto;
    }
}
