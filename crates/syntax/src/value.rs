//! The value of an argument between tags: where it ends, and its way into JSON.

use callsign_core::{Nulls, Out, Type, TypeId, type_text};

use crate::audit::look;
use crate::description::Frame;
use crate::machine::{Machine, Scan};
use crate::program::{Coding, Mark, State, StateId, ValueSpec};
use crate::walk::{Walk, Walked};

/// The value being scanned. Positions are relative to the pending bytes.
#[derive(Debug)]
pub(crate) struct ValueScan {
    next: StateId,
    frame: Frame,
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

#[derive(Debug, Clone, Copy)]
struct Candidate {
    at: usize,
    closed: usize,
    /// The length of the arguments up to it.
    arguments: usize,
}

impl ValueScan {
    /// Whether the value waits to be shown, because its end is in doubt.
    pub(crate) fn waits(&self) -> bool {
        self.candidate.is_some()
    }
}

enum Probed {
    More,
    /// It is part of the value, up to here.
    Data(usize),
    End,
}

impl Machine {
    pub(crate) fn scan_value(&mut self, spec: u16, next: StateId, out: &mut Out<'_>) -> Scan {
        let program = std::sync::Arc::clone(&self.program);
        let spec = &program.values[usize::from(spec)];
        let mut value = match self.value.take() {
            Some(value) => value,
            None => self.begin_value(spec, next, out),
        };
        let scan = self.scan(&mut value, spec, out);
        if matches!(scan, Scan::More) {
            self.value = Some(value);
        }
        scan
    }

    fn begin_value(&mut self, spec: &ValueSpec, next: StateId, out: &mut Out<'_>) -> ValueScan {
        let pending = out.pending();
        let key = &pending[self.walk.key.0..self.walk.key.1];
        let stated = &pending[self.walk.kind.0..self.walk.kind.1];
        let kind = match self.tool {
            Some(tool) => self.tools[tool].parameters.root().property(key),
            None => Type::unspecified(),
        };
        let streams = match &spec.coding {
            Coding::Raw => kind.only_string(),
            Coding::Typed(text) => **text == *stated,
            Coding::Cdata => false,
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

    fn scan(&mut self, value: &mut ValueScan, spec: &ValueSpec, out: &mut Out<'_>) -> Scan {
        let pending = out.pending();
        let bytes = pending.as_bytes();
        if !value.framed {
            let Some(first) = bytes.get(value.at) else { return Scan::More };
            value.framed = true;
            if *first == b'\n' {
                value.start += 1;
                value.at += 1;
                value.flushed += 1;
            }
        }
        loop {
            if value.probe.is_none() {
                if value.streams {
                    stream(value, spec.first, pending, out);
                } else {
                    let rest = &bytes[value.at..];
                    let hit = memchr::memchr(spec.first, rest).unwrap_or(rest.len());
                    look(hit);
                    value.at += hit;
                }
                if value.at == bytes.len() {
                    return Scan::More;
                }
                let mut walk = Walk::default();
                walk.go(spec.probe, value.at);
                value.probe = Some(walk);
            }
            match self.probe(value, bytes, out) {
                Probed::More => return Scan::More,
                Probed::Data(upto) => {
                    value.probe = None;
                    value.at = upto;
                    flush(value, upto, pending, out);
                }
                Probed::End => {
                    let end = value.at;
                    return self.end_value(value, end, value.closed, out);
                }
            }
        }
    }

    /// Looks at what may be a closing tag, or an opening tag of the same kind.
    fn probe(&self, value: &mut ValueScan, bytes: &[u8], out: &mut Out<'_>) -> Probed {
        let Some(walk) = &mut value.probe else { return Probed::More };
        loop {
            match walk.walk(&self.program, bytes, out.origin()) {
                Walked::More => return Probed::More,
                Walked::Fail => {
                    // Not inside of a character: what is walked are whole texts
                    // and the first byte of what did not fit.
                    let mut upto = walk.token.max(value.at + 1);
                    while upto < bytes.len() && bytes[upto] & 0xC0 == 0x80 {
                        upto += 1;
                    }
                    return Probed::Data(upto);
                }
                Walked::There => {}
            }
            let State::Mark(mark, next) = *self.program.state(walk.state) else {
                return Probed::Data(walk.at);
            };
            match mark {
                Mark::Closed => {
                    value.closed = walk.at;
                    walk.go(next, walk.at);
                }
                Mark::Opened => {
                    value.depth += 1;
                    return Probed::Data(walk.at);
                }
                Mark::NoStructure => {
                    value.depth = value.depth.saturating_sub(1);
                    return Probed::Data(value.closed);
                }
                _ if value.depth == 0 => return Probed::End,
                _ => {
                    value.depth -= 1;
                    let arguments = out.arguments().len();
                    value.candidate =
                        Some(Candidate { at: value.at, closed: value.closed, arguments });
                    return Probed::Data(value.closed);
                }
            }
        }
    }

    /// The value ends at `end`; the walk goes on after its closing tag.
    fn end_value(
        &mut self,
        value: &ValueScan,
        end: usize,
        closed: usize,
        out: &mut Out<'_>,
    ) -> Scan {
        let pending = out.pending();
        if value.streams {
            out.arguments().push_str("\"");
        } else {
            let end = value.content_end(end, pending.as_bytes());
            let content = &pending[value.start..end];
            let kind = match self.tool {
                Some(tool) => self.tools[tool].parameters.get(value.type_id),
                None => Type::unspecified(),
            };
            out.arguments().append(|arguments| type_text(content, kind, value.nulls, arguments));
        }
        self.walk.at = closed;
        Scan::Done(value.next)
    }

    /// At the end of the output: the last closing tag that could end the open
    /// value ends it. Says whether there was one.
    pub(crate) fn settle_value(&mut self, out: &mut Out<'_>) -> bool {
        let Some(value) = self.value.take() else { return false };
        // A closing tag right at the end is followed by structure too, and it is
        // the last one: the call was cut after it.
        let at_end = value.probe.is_some() && value.closed > value.at;
        let Some(candidate) = value.candidate.filter(|_| !at_end) else {
            self.value = Some(value);
            return false;
        };
        out.doubt_call();
        if value.streams {
            out.arguments().truncate(candidate.arguments);
        }
        let scan = self.end_value(&value, candidate.at, candidate.closed, out);
        if let Scan::Done(next) = scan {
            self.walk.go(next, self.walk.at);
        }
        true
    }
}

impl ValueScan {
    /// Where the content ends if the closing tag begins at `end`.
    fn content_end(&self, end: usize, bytes: &[u8]) -> usize {
        let framed = self.frame == Frame::Newline && end > self.start && bytes[end - 1] == b'\n';
        end - usize::from(framed)
    }
}

/// Appends content up to the next `first` byte, or to the end. A newline that
/// may belong to the frame stays.
#[inline]
fn stream(value: &mut ValueScan, first: u8, pending: &str, out: &mut Out<'_>) {
    let bytes = pending.as_bytes();
    let hit = memchr::memchr(first, &bytes[value.at..]);
    let upto = hit.map_or(bytes.len(), |hit| value.at + hit);
    look(upto - value.at);
    value.at = upto;
    flush(value, upto, pending, out);
}

/// Appends the content before `upto` that is certain to be content.
#[inline]
fn flush(value: &mut ValueScan, upto: usize, pending: &str, out: &mut Out<'_>) {
    if !value.streams {
        return;
    }
    let upto = value.content_end(upto, pending.as_bytes());
    if upto > value.flushed {
        out.arguments().push_escaped(&pending[value.flushed..upto]);
        value.flushed = upto;
    }
}
