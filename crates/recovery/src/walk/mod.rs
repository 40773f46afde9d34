//! The lenient walk: calls in tags, read by what the tags mean and not by the
//! order in which one dialect writes them. Openers may be missing, closers may be
//! missing or others, tags may stand twice or belong to another dialect: what
//! counts is a declared tool, arguments that are closed, and an end.

mod body;
mod draft;
mod tags;
mod value;

use std::ops::Range;

use callsign_core::{Recovered, Refusal, Repair, Rule, Tool, Toolset};

use crate::region::FENCE;
use crate::relaxed;
use crate::repairs::Repairs;
use crate::shapes::compose;
use crate::tag::{Look, Tag};
use crate::vocabulary::{Role, Sign, Vocabulary};

use body::Body;
pub(crate) use body::is_name;
use draft::Draft;

/// So many calls of one region are read and found wrong; the rest is not read, since
/// each may go to the region's end.
const MOST_FAILURES: usize = 64;

/// What a stretch of a region is. The stretches tile it.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) span: Range<usize>,
    pub(crate) kind: PieceKind,
}

#[derive(Debug)]
pub(crate) enum PieceKind {
    Call(Box<Found>),
    /// Text that is no markup.
    Text,
    /// Markup of no call.
    Framing,
    /// What began as a call and is none.
    Failed(Failed),
}

/// A call that was found.
#[derive(Debug)]
pub(crate) struct Found {
    /// A declared tool.
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) id: Option<String>,
    pub(crate) recovered: Recovered,
    /// Where its arguments stand.
    pub(crate) payload: Range<usize>,
}

impl Found {
    /// A call without markup.
    pub(crate) fn bare(
        tool: &Tool,
        arguments: String,
        rule: Rule,
        repairs: Repairs,
        payload: Range<usize>,
    ) -> Self {
        let mut recovered = Recovered::new(rule, false);
        recovered.repairs = repairs.into_vec();
        Found { name: tool.name.clone(), arguments, id: None, recovered, payload }
    }
}

/// Why there is no call.
#[derive(Debug)]
pub(crate) struct Failed {
    pub(crate) tool: Option<String>,
    pub(crate) refusal: Refusal,
}

/// Whether a stretch of a region holds more of a call than its name: arguments,
/// or an end.
pub(crate) fn has_substance(
    text: &str,
    tags: &[Tag],
    span: &Range<usize>,
    guide: Guide<'_>,
) -> bool {
    let first = tags.partition_point(|tag| tag.span.start < span.start);
    let mut inside = tags[first..].iter().take_while(|tag| tag.span.end <= span.end);
    text[span.clone()].contains('{')
        || inside.any(|tag| {
            let sign = guide.vocabulary.sign(tag, guide.dialect);
            sign.is_some_and(|sign| !matches!(sign.role, Role::Wrap | Role::Call | Role::Frame))
        })
}

impl Failed {
    /// Nothing in it is like a call.
    pub(crate) fn none() -> Self {
        let refusal = Refusal::Malformed { at: 0, expected: "a call".to_owned() };
        Failed { tool: None, refusal }
    }
}

/// What the walk goes by.
#[derive(Clone, Copy)]
pub(crate) struct Guide<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) tools: &'a Toolset,
    /// The dialect whose tags count first.
    pub(crate) dialect: Option<&'a str>,
    /// Reads calls as Python writes them.
    pub(crate) python: &'a dyn callsign_core::Dialect,
    /// Whether guesses are made.
    pub(crate) guesses: bool,
    /// Whether the output was cut at the end of the region, so that what is not
    /// closed by its own closer may go on.
    pub(crate) cut: bool,
    /// Whether a call follows that the dialect reads, so that the region is over.
    pub(crate) proved: bool,
}

/// A tag that has been seen, with what it means.
struct Seen<'a> {
    tag: &'a Tag,
    sign: Option<&'a Sign>,
}

impl Seen<'_> {
    fn role(&self) -> Option<Role> {
        self.sign.map(|sign| sign.role)
    }
}

struct Walk<'a> {
    guide: Guide<'a>,
    text: &'a str,
    seen: Vec<Seen<'a>>,
    ahead: Vec<Ahead>,
}

/// What stands from a tag on.
#[derive(Clone, Copy, Default)]
struct Ahead {
    /// Whether a closer of a value comes before a call begins.
    closer: bool,
    /// How many more values are closed than opened up to the end of the call.
    surplus: isize,
}

/// The calls of a region, whose tags have been found.
pub(crate) fn walk(text: &str, tags: &[Tag], guide: Guide<'_>) -> Vec<Piece> {
    let seen: Vec<Seen<'_>> = tags
        .iter()
        .take_while(|tag| tag.span.end <= text.len())
        .map(|tag| Seen { tag, sign: guide.vocabulary.sign(tag, guide.dialect) })
        .collect();
    let mut ahead = vec![Ahead::default(); seen.len() + 1];
    for (index, seen) in seen.iter().enumerate().rev() {
        let Ahead { closer, surplus } = ahead[index + 1];
        ahead[index] = match seen.role() {
            Some(Role::ValueEnd) => Ahead { closer: true, surplus: surplus + 1 },
            Some(Role::Item | Role::Value) => Ahead { closer, surplus: surplus - 1 },
            Some(Role::Call) => Ahead { closer: false, surplus },
            Some(Role::End) => Ahead { closer, surplus: 0 },
            _ => Ahead { closer, surplus },
        };
    }
    Walk { guide, text, seen, ahead }.pieces()
}

/// How a step of the walk ends.
enum Step {
    /// The walk goes on at this place and this tag.
    On(usize, usize),
    /// The call ends before this place and this tag.
    End(usize, usize),
    /// Several calls have been found; the walk goes on behind them.
    Calls(Vec<Found>, usize, usize),
}

impl<'a> Walk<'a> {
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        // A fence may stand around all of it.
        let fenced = self.text.starts_with(FENCE).then(|| self.text.find('\n')).flatten();
        let mut at = fenced.map_or(0, |line| line + 1);
        let mut next = self.seen.partition_point(|seen| seen.tag.span.start < at);
        let mut begun = fenced.is_some();
        let mut failures = 0;
        while at < self.text.len() {
            let (from, before) = (if std::mem::take(&mut begun) { 0 } else { at }, next);
            match self.call(at, next) {
                Ok((found, end, tag)) => {
                    (at, next) = self.closers(end, tag);
                    // Of several in one body, the last owns what follows.
                    let count = found.len();
                    for (index, mut found) in found.into_iter().enumerate() {
                        if fenced.is_some() {
                            found.recovered.repairs.push(Repair::Fence);
                        }
                        let last = index + 1 == count;
                        let start =
                            pieces.last().map_or(0, |piece: &Piece| piece.span.end).max(from);
                        let end = if last { at } else { found.payload.end.max(start) };
                        pieces.push(Piece {
                            span: start..end,
                            kind: PieceKind::Call(Box::new(found)),
                        });
                    }
                    if count == 0 {
                        self.rest(from, at, &mut pieces);
                    }
                }
                Err(mut failed) => {
                    failures += 1;
                    if failures > MOST_FAILURES {
                        failed.refusal = Refusal::Limit;
                    }
                    // What is cut has swallowed the rest.
                    (at, next) = match failed.refusal {
                        Refusal::Cut | Refusal::Limit => (self.text.len(), self.seen.len()),
                        _ => self.resync(before),
                    };
                    pieces.push(Piece { span: from..at, kind: PieceKind::Failed(failed) });
                }
            }
            if at <= from {
                break;
            }
        }
        let end = pieces.last().map_or(0, |piece| piece.span.end);
        if end < self.text.len() {
            pieces.push(Piece { span: end..self.text.len(), kind: PieceKind::Text });
        }
        pieces
    }

    /// What holds no call: tags are framing, anything else is text.
    fn rest(&self, from: usize, to: usize, pieces: &mut Vec<Piece>) {
        let mut at = from;
        let mut push = |span: Range<usize>, kind| {
            if !span.is_empty() {
                pieces.push(Piece { span, kind });
            }
        };
        for seen in
            self.seen.iter().filter(|seen| from <= seen.tag.span.start && seen.tag.span.end <= to)
        {
            let gap = at..seen.tag.span.start;
            let blank = self.text[gap.clone()].trim().is_empty();
            push(gap, if blank { PieceKind::Framing } else { PieceKind::Text });
            let known = seen.role().is_some_and(|role| role != Role::Frame);
            push(seen.tag.span.clone(), if known { PieceKind::Framing } else { PieceKind::Text });
            at = seen.tag.span.end;
        }
        let blank = self.text[at..to].trim().is_empty();
        push(at..to, if blank { PieceKind::Framing } else { PieceKind::Text });
    }

    /// Goes on with the next tag that opens a call, behind the one given.
    fn resync(&self, tag: usize) -> (usize, usize) {
        let next = self.seen.iter().enumerate().skip(tag + 1).find(|(index, seen)| {
            // One that follows another opener at once belongs to it.
            let behind = &self.seen[index - 1];
            let apart = !self.text[behind.tag.span.end..seen.tag.span.start].trim().is_empty();
            seen.role().is_some_and(Role::opens)
                && (apart || !behind.role().is_some_and(Role::opens))
        });
        match next {
            Some((index, seen)) => (seen.tag.span.start, index),
            None => (self.text.len(), self.seen.len()),
        }
    }

    /// Past the tags that close what is closed already.
    fn closers(&self, mut at: usize, mut next: usize) -> (usize, usize) {
        while let Some(seen) = self.seen.get(next) {
            let closes =
                matches!(seen.role(), Some(Role::End | Role::ValueEnd | Role::KeyEnd | Role::Stop));
            if !closes || !self.text[at..seen.tag.span.start].trim().is_empty() {
                break;
            }
            at = seen.tag.span.end;
            next += 1;
        }
        if matches!(self.text[at..].trim(), "" | FENCE) {
            at = self.text.len();
        }
        (at, next)
    }

    /// One call, or several in one body, from `at` and the tag `next` on.
    fn call(&self, mut at: usize, mut next: usize) -> Result<(Vec<Found>, usize, usize), Failed> {
        let mut draft = Draft {
            tool: None,
            unknown: None,
            key: None,
            entries: Vec::new(),
            body: None,
            id: None,
            rule: Rule::Tags,
            sign: None,
            wrap: None,
            call: None,
            marked: false,
            value: None,
            repairs: Repairs::default(),
            payload: None,
        };
        loop {
            let gap_end = self.seen.get(next).map_or(self.text.len(), |seen| seen.tag.span.start);
            let gap = &self.text[at..gap_end];
            let step = if !gap.trim().is_empty() {
                self.gap(&mut draft, at, next)?
            } else if let Some(seen) = self.seen.get(next) {
                self.tag(&mut draft, seen, next)?
            } else {
                // Nothing follows.
                return match draft.body {
                    Some(_) => self.done(draft, self.text.len(), next),
                    None if self.guide.proved && !draft.entries.is_empty() => {
                        draft.repairs.add(Repair::Closer);
                        self.done(draft, self.text.len(), next)
                    }
                    None if draft.is_empty() => Ok((Vec::new(), self.text.len(), next)),
                    None => Err(draft.cut()),
                };
            };
            match step {
                Step::On(place, tag) => (at, next) = (place, tag),
                Step::End(place, tag) => return self.done(draft, place, tag),
                Step::Calls(found, place, tag) => return Ok((found, place, tag)),
            }
        }
    }

    /// The call is over: is it one?
    fn done(
        &self,
        draft: Draft<'a>,
        at: usize,
        next: usize,
    ) -> Result<(Vec<Found>, usize, usize), Failed> {
        if draft.is_empty() {
            return Ok((Vec::new(), at, next));
        }
        let Some(tool) = draft.tool else { return Err(draft.fail(at, "the name of a tool")) };
        if let Some(key) = &draft.key {
            return Err(draft.fail(at, &format!("the value of `{key}`")));
        }
        let arguments = match &draft.body {
            Some(body) => body.clone(),
            None => {
                compose(draft.entries.iter().map(|(key, value)| (key.as_str(), value.as_str())))
            }
        };
        let root = tool.parameters.root();
        let needs = root.properties().find(|(key, _)| root.required(key));
        if !draft.has_arguments()
            && let Some((key, _)) = needs
        {
            // A tool is never run with nothing because nothing could be read.
            return Err(draft.fail(at, &format!("the argument `{key}`")));
        }
        if let Some(guess) = draft.repairs.guess()
            && !self.guide.guesses
        {
            let refusal = Refusal::Guess(guess.clone());
            return Err(Failed { tool: Some(tool.name.clone()), refusal });
        }
        let mut recovered = Recovered::new(draft.rule, draft.marked && draft.rule != Rule::ToolTag);
        recovered.dialect = self.dialect(&draft);
        recovered.repairs = draft.repairs.into_vec();
        // Where the output was cut, the closer that is missing may have stood elsewhere.
        if self.guide.cut && recovered.repairs.contains(&Repair::Closer) {
            return Err(Failed { tool: Some(tool.name.clone()), refusal: Refusal::Cut });
        }
        let found = Found {
            name: tool.name.clone(),
            arguments,
            id: draft.id,
            recovered,
            payload: draft.payload.unwrap_or(at)..at,
        };
        Ok((vec![found], at, next))
    }

    /// Text where a name, a key or a body may stand.
    fn gap(&self, draft: &mut Draft<'a>, at: usize, next: usize) -> Result<Step, Failed> {
        match self.body(draft, at, next)? {
            Body::Read(end) => {
                let tag = self.tag_behind(end, next);
                let gap_end =
                    self.seen.get(tag).map_or(self.text.len(), |seen| seen.tag.span.start);
                let behind = &self.text[end..gap_end.max(end)];
                let fence = behind.trim_start();
                if fence.starts_with(FENCE) {
                    let at = end + behind.len() - fence.len() + FENCE.len();
                    return Ok(Step::On(at, tag));
                }
                let surplus = relaxed::surplus(behind);
                if surplus > 0 {
                    draft.repairs.add(Repair::SurplusBrackets);
                    return Ok(Step::On(end + surplus, tag));
                }
                // A body that is complete, and words behind it.
                if !self.text[end..gap_end.max(end)].trim().is_empty() {
                    return Ok(Step::End(end, tag));
                }
                Ok(Step::On(end, tag))
            }
            Body::Named(end) => Ok(Step::On(end, self.tag_behind(end, next))),
            Body::Calls(found, end) => Ok(Step::Calls(found, end, self.tag_behind(end, next))),
            Body::Ends => Ok(Step::End(at, next)),
        }
    }

    /// The first tag that begins at `at` or later.
    fn tag_behind(&self, at: usize, next: usize) -> usize {
        let behind =
            self.seen[next.min(self.seen.len())..].partition_point(|seen| seen.tag.span.start < at);
        next + behind
    }
}

impl crate::arguments::Unwrap for Guide<'_> {
    fn unwrap<'t>(&self, text: &'t str, key: &str) -> Option<&'t str> {
        let inside = text.trim();
        let Look::Tag(tag) = self.vocabulary.look(inside, 0, true) else { return None };
        let sign = self.vocabulary.sign(&tag, self.dialect)?;
        let slot = tag.slot(inside);
        let fits = match sign.role {
            Role::Item => slot == key,
            Role::Value => slot.is_empty(),
            _ => false,
        };
        if !fits {
            return None;
        }
        let close = inside.rfind('<')?;
        let Look::Tag(closer) = self.vocabulary.look(inside, close, true) else { return None };
        let closes = self.vocabulary.sign(&closer, self.dialect)?.role == Role::ValueEnd;
        (closes && closer.span.end == inside.len() && close >= tag.span.end)
            .then(|| &inside[tag.span.end..close])
    }
}
