//! One call: its parts, one after the other.

use callsign_core::{Arguments, Limit, Reason, ToolCall, Type};
use callsign_syntax::description::{Container, Part};

use super::Oracle;
use super::elements::Elements;
use super::json::{Json, Stop};
use super::literals::{Literals, Style};
use crate::markers::{begins_with_brace, first_texts, joined};

/// No name, key, type or number is longer.
pub(super) const LONGEST_SLOT: usize = 512;

/// What stands at a place where a call may.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Attempt {
    /// A call.
    Call { end: usize, call: ToolCall, doubtful: bool },
    /// No call: its head is not there.
    NoHead(Stop),
    /// The head of a call, and then something else.
    Broken { stop: Stop, doubtful: bool },
}

impl Attempt {
    /// The one of two that says what stands there: the one that gets further.
    /// What it is not is text up to where the first of them failed.
    pub(super) fn better(self, other: Attempt) -> Attempt {
        match (self, other) {
            (
                Attempt::NoHead(Stop::Fails(a) | Stop::TooDeep(a)),
                Attempt::NoHead(Stop::Fails(b) | Stop::TooDeep(b)),
            ) => Attempt::NoHead(Stop::Fails(a.min(b))),
            (this, other) if this.reaches(&other) => this,
            (_, other) => other,
        }
    }

    /// Whether this is nearer to a call than `other`, or as near.
    pub(super) fn reaches(&self, other: &Attempt) -> bool {
        let reach = |attempt: &Attempt| match attempt {
            Attempt::Call { .. } => (usize::MAX, true),
            Attempt::NoHead(stop) => (stop.reach(), false),
            Attempt::Broken { stop, .. } => (stop.reach(), true),
        };
        reach(self) >= reach(other)
    }
}

/// What is left to read of a call.
#[derive(Debug, Clone)]
enum Left {
    Part(Part),
    /// The end of an id that began here.
    Id(usize),
}

/// What has been read of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    pub(super) at: usize,
    pub(super) name: Option<String>,
    /// Whether the head is complete: the name and the text that ends it.
    pub(super) head: bool,
    pub(super) id: Option<String>,
    pub(super) key: String,
    pub(super) kind: String,
    pub(super) members: Vec<String>,
    pub(super) arguments: Option<String>,
    /// The parts of an argument between tags, in the midst of such.
    pub(super) item: Vec<Part>,
    /// Whether the end of a value is in doubt.
    pub(super) doubtful: bool,
}

/// Where the call stands that is being read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Where it began.
    pub(super) start: usize,
    /// Whether it may be a rehearsal.
    pub(super) trial: bool,
    /// Whether it counts only for a declared tool.
    pub(super) declared: bool,
}

impl Oracle<'_> {
    /// Tries a call of one form.
    pub(super) fn call(&self, form: &[Part], place: Place) -> Attempt {
        self.parts(left(form), Read { at: place.start, ..Read::default() }, place)
    }

    /// What the arguments of a call have to be.
    pub(super) fn parameters(&self, read: &Read) -> Type<'_> {
        let tool = read.name.as_deref().and_then(|name| self.offer.tools.get(name));
        tool.map_or(Type::unspecified(), |tool| tool.parameters.root())
    }

    /// The head of a call is complete with what stands at `at`, if its tool
    /// counts.
    pub(super) fn head(&self, read: &mut Read, place: Place, at: usize) -> Result<(), Stop> {
        let Some(name) = &read.name else { return Ok(()) };
        if place.declared && self.offer.tools.get(name).is_none() {
            return Err(Stop::Fails(at));
        }
        read.head = true;
        Ok(())
    }

    /// Reads what is left, the next part last. Where there is a choice, each
    /// way is tried.
    fn parts(&self, left: Vec<Left>, read: Read, place: Place) -> Attempt {
        let (mut left, mut read) = (left, read);
        while let Some(next) = left.pop() {
            let part = match next {
                Left::Part(part) => part,
                Left::Id(start) => {
                    read.id = Some(self.text[start..read.at].to_owned());
                    continue;
                }
            };
            let ways = match &part {
                Part::Maybe { parts, .. } => vec![parts.clone(), Vec::new()],
                Part::OneOf(all) => all.clone(),
                Part::Name | Part::Word => {
                    let is_name = part == Part::Name;
                    return self.word(is_name, &left, &read, place);
                }
                Part::Id(inside) => {
                    left.push(Left::Id(read.at));
                    left.extend(self::left(inside));
                    continue;
                }
                Part::Arguments(Container::Each(each)) => {
                    read.at = self.space(read.at);
                    let firsts = first_texts(&each.item);
                    if self.stands(&firsts, read.at).is_some() {
                        // One more argument, and then perhaps others.
                        read.item = joined(&each.item);
                        let item = self::left(&each.item);
                        left.push(Left::Part(part));
                        left.extend(item);
                    } else if firsts.iter().any(|text| text.starts_with(&self.text[read.at..])) {
                        return read.stopped(Stop::Cut);
                    }
                    continue;
                }
                _ => {
                    if let Err(stop) = self.part(&part, &rest(&left), &mut read, place) {
                        return read.stopped(stop);
                    }
                    continue;
                }
            };
            let attempts = ways.into_iter().map(|way| {
                let mut left = left.clone();
                // Texts that follow on each other are one.
                let mut way = way;
                while let Some(Left::Part(next @ (Part::Literal(_) | Part::Marker(_)))) =
                    left.last()
                {
                    way.push(next.clone());
                    left.pop();
                }
                left.extend(self::left(&way));
                self.parts(left, read.clone(), place)
            });
            // A way that does not even begin here tells nothing of the others.
            let nothing = Attempt::NoHead(Stop::Fails(read.at));
            let begun = attempts.filter(|attempt| *attempt != nothing);
            return begun.reduce(Attempt::better).unwrap_or(nothing);
        }
        read.finished()
    }

    fn part(&self, part: &Part, rest: &[Part], read: &mut Read, place: Place) -> Result<(), Stop> {
        match part {
            Part::Literal(text) | Part::Marker(text) => {
                // A brace that follows is of one piece with the text.
                let brace = rest.first().is_some_and(begins_with_brace);
                if brace && !self.text[read.at..].starts_with(&format!("{text}{{")) {
                    self.literal(&format!("{text}{{"), read.at)?;
                }
                let at = read.at;
                read.at = self.literal(text, at)?;
                // What could be part of the name does not end it.
                if !text.bytes().all(is_name_byte) {
                    self.head(read, place, at)?;
                }
            }
            Part::Space(_) => read.at = self.space(read.at),
            Part::Key => {
                read.key = self.run(&first_bytes(rest), |byte| byte >= b' ', read)?;
            }
            Part::Type(_) => {
                read.kind = self.slot(&first_bytes(rest), |byte| byte >= b' ', read)?;
            }
            Part::Index(_) => {
                self.slot(&[], |byte| byte.is_ascii_digit(), read)?;
            }
            Part::Object(object) => self.object(object, read, place)?,
            Part::Arguments(Container::Json) => {
                let json = Json::new(self.text, self.offer.limits.depth);
                json.expect(b'{', read.at)?;
                self.head(read, place, read.at)?;
                let end = json.value(read.at, 0)?;
                read.arguments = Some(self.text[read.at..end].to_owned());
                read.at = end;
            }
            Part::Arguments(Container::Python) => {
                let literals = Literals { oracle: self, style: Style::Python };
                let (end, json) = literals.arguments(read.at, self.parameters(read))?;
                (read.at, read.arguments) = (end, Some(json));
            }
            Part::Arguments(Container::Braces(braces)) => {
                let inside = self.literal("{", read.at)?;
                self.head(read, place, read.at)?;
                let literals = Literals { oracle: self, style: Style::Braces(&braces.quote) };
                let (end, json) = literals.arguments(inside, self.parameters(read))?;
                (read.at, read.arguments) = (end, Some(json));
            }
            Part::Arguments(Container::Elements(spec)) => {
                let elements = Elements { oracle: self, spec };
                let (end, json) = elements.arguments(read.at, self.parameters(read))?;
                (read.at, read.arguments) = (end, Some(json));
            }
            Part::Arguments(Container::Rest { tool, key }) => self.rest(tool, key, read)?,
            Part::Value(value) => self.value(value, rest, read, place)?,
            Part::Arguments(Container::Each(_))
            | Part::Maybe { .. }
            | Part::OneOf(_)
            | Part::Id(_)
            | Part::Name
            | Part::Word => {
                return Err(Stop::Fails(read.at));
            }
        }
        Ok(())
    }

    /// A name, or a word: up to what may follow it, and further where what
    /// follows does not fit and might be part of it.
    fn word(&self, is_name: bool, left: &[Left], read: &Read, place: Place) -> Attempt {
        // A word that may follow does not end a name in its midst.
        let mut stops = first_bytes(&rest(left));
        stops.retain(|byte| !byte.is_ascii_alphanumeric());
        let bytes = &self.text.as_bytes()[read.at..];
        let mut run = bytes.iter().take_while(|byte| is_name_byte(**byte)).count();
        if bytes.first().is_some_and(|first| stops.contains(first)) {
            // Nothing begins with what ends it.
            run = 0;
        }
        let mut ends: Vec<usize> =
            (1..run.max(1)).filter(|at| stops.contains(&bytes[*at])).collect();
        if ends.is_empty() {
            ends.push(run);
        }
        let attempts = ends.into_iter().map(|end| {
            let stop = match end {
                _ if end > LONGEST_SLOT => Stop::Fails(read.at),
                _ if end == bytes.len() => Stop::Cut,
                0 => Stop::Fails(read.at),
                _ => {
                    let mut read = read.clone();
                    let start = read.at;
                    read.at += end;
                    if is_name {
                        read.name = Some(self.text[start..read.at].to_owned());
                    }
                    return self.parts(left.to_vec(), read, place);
                }
            };
            read.clone().stopped(stop)
        });
        let mut best: Option<Attempt> = None;
        for attempt in attempts {
            if !matches!(attempt, Attempt::NoHead(_)) {
                return attempt;
            }
            best = Some(match best {
                Some(best) => best.better(attempt),
                None => attempt,
            });
        }
        best.unwrap_or(Attempt::NoHead(Stop::Fails(read.at)))
    }

    /// A run of bytes that `fits`, one at least, up to what comes next.
    fn slot(&self, stops: &[u8], fits: fn(u8) -> bool, read: &mut Read) -> Result<String, Stop> {
        let start = read.at;
        let run = self.run(stops, fits, read)?;
        if run.is_empty() { Err(Stop::Fails(start)) } else { Ok(run) }
    }

    fn run(&self, stops: &[u8], fits: fn(u8) -> bool, read: &mut Read) -> Result<String, Stop> {
        let bytes = &self.text.as_bytes()[read.at..];
        let run = bytes.iter().take_while(|byte| fits(**byte) && !stops.contains(byte)).count();
        if run > LONGEST_SLOT {
            return Err(Stop::Fails(read.at));
        }
        if run == bytes.len() {
            return Err(Stop::Cut);
        }
        let start = read.at;
        read.at += run;
        Ok(self.text[start..read.at].to_owned())
    }
}

impl Read {
    fn stopped(self, stop: Stop) -> Attempt {
        if self.head {
            Attempt::Broken { stop, doubtful: self.doubtful }
        } else {
            Attempt::NoHead(stop)
        }
    }

    fn finished(self) -> Attempt {
        let Some(name) = self.name else { return Attempt::NoHead(Stop::Fails(self.at)) };
        let text = self.arguments.unwrap_or_else(|| format!("{{{}}}", self.members.join(",")));
        let Ok(arguments) = Arguments::from_json(text) else {
            return Attempt::Broken { stop: Stop::Fails(self.at), doubtful: self.doubtful };
        };
        let mut call = ToolCall::new(name, arguments);
        call.id = self.id;
        Attempt::Call { end: self.at, call, doubtful: self.doubtful }
    }
}

/// Parts as they are left to read.
fn left(parts: &[Part]) -> Vec<Left> {
    joined(parts).into_iter().rev().map(Left::Part).collect()
}

/// The parts that are left, in their order.
fn rest(left: &[Left]) -> Vec<Part> {
    let parts = left.iter().rev().filter_map(|left| match left {
        Left::Part(part) => Some(part.clone()),
        Left::Id(_) => None,
    });
    parts.collect()
}

/// Which reason a stop is.
pub(super) fn reason(stop: Stop) -> Reason {
    match stop {
        Stop::Fails(at) => Reason::Malformed { at, expected: "".into() },
        Stop::TooDeep(_) => Reason::Limit { limit: Limit::Depth },
        Stop::Cut => Reason::Incomplete,
    }
}

/// The bytes with which parts can begin.
pub(super) fn first_bytes(parts: &[Part]) -> Vec<u8> {
    let mut found: Vec<u8> =
        first_texts(parts).iter().filter_map(|text| text.bytes().next()).collect();
    if matches!(parts.first(), Some(Part::Space(_))) {
        found.extend(*b" \n\r\t");
    }
    found
}

/// Bytes of a tool's name: no white space, no brackets, no quotes, nothing that
/// separates.
fn is_name_byte(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f && !b"<>\"'`(){}[],;=|\\".contains(&byte)
}
