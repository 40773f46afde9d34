//! A reader of whole outputs: slow, and as simple as the description allows. It
//! looks at every place for everything, as often as it likes, and decides with
//! the whole output in view. What it makes of an output is what the streaming
//! reader has to make of it.

mod call;
mod json;

use callsign_core::{
    End, Event, Framing, Limit, Offer, Reason, ReasoningCalls, Span, Start, ToolCall, Turn,
};
use callsign_syntax::description::{
    Body, Calls, Codec, Container, Description, Outside, Part, Place, Region,
};

use call::{Attempt, reason};
use json::Stop;

use crate::markers::first_texts;

/// What a description asks for and this reader does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported(pub String);

impl std::fmt::Display for Unsupported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the oracle does not read {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

/// Reads a whole output by a description.
///
/// # Errors
///
/// When the description has a container, a codec or a place of calls that this
/// reader does not know.
pub fn read(
    description: &Description,
    offer: &Offer<'_>,
    output: &str,
    end: End,
) -> Result<Turn, Unsupported> {
    supported(description)?;
    let (text, prompt) = match offer.start {
        Start::PromptTail(tail) => (format!("{tail}{output}"), tail.len()),
        _ => (output.to_owned(), 0),
    };
    let mut oracle = Oracle {
        description,
        offer: *offer,
        end,
        text: &text,
        accounts: Vec::new(),
        trial: None,
        searched: false,
    };
    oracle.turn();
    Ok(sum(&text, prompt, oracle.accounts))
}

fn supported(description: &Description) -> Result<(), Unsupported> {
    for (_, calls) in regions_of_calls(description) {
        if calls.place != Place::Anywhere {
            return Err(Unsupported("calls that are the whole turn".to_owned()));
        }
        for part in calls.forms.iter().flatten() {
            match part {
                Part::Arguments(Container::Json) => {}
                Part::Arguments(Container::Each(each)) => {
                    let cdata = |part: &Part| matches!(part, Part::Value(value) if value.codec == Codec::Cdata);
                    if each.item.iter().any(cdata) {
                        return Err(Unsupported("CDATA".to_owned()));
                    }
                }
                Part::Arguments(other) => return Err(Unsupported(format!("{other:?}"))),
                _ => {}
            }
        }
    }
    Ok(())
}

fn regions_of_calls(description: &Description) -> impl Iterator<Item = (&Region, &Calls)> {
    description.regions.iter().filter_map(|region| match &region.body {
        Body::Calls(calls) => Some((region, calls)),
        _ => None,
    })
}

struct Oracle<'a> {
    description: &'a Description,
    offer: Offer<'a>,
    end: End,
    /// The tail of the prompt and the output.
    text: &'a str,
    accounts: Vec<(Span, Account)>,
    /// How many accounts there were when a call began in open reasoning: those
    /// that follow may turn out to be reasoning.
    trial: Option<usize>,
    /// Whether a broken call in open reasoning has been searched for the end
    /// of the reasoning: only the first one is.
    searched: bool,
}

#[derive(Debug, Clone)]
enum Account {
    Text,
    Reasoning,
    Framing(Framing),
    Call(Box<ToolCall>, bool),
    Rejected(Reason),
}

/// What text is that flows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prose {
    Outside,
    Content,
    Reasoning,
}

/// Where the reader is: in prose that begins here.
#[derive(Debug, Clone, Copy)]
struct Here {
    prose: Prose,
    begin: usize,
    /// Whether a call ended here: white space is framing then.
    quiet: bool,
}

/// What prose ends with.
enum Edge {
    /// A region of prose, or the end of one.
    Prose(Prose, usize),
    /// A stop token: the output ends.
    Stop,
    /// A closer that closes nothing.
    Orphan(usize),
    /// A call, complete or broken.
    Call(Attempt),
}

impl<'a> Oracle<'a> {
    fn turn(&mut self) {
        let mut here = Here { prose: Prose::Outside, begin: 0, quiet: false };
        let reasons = self.description.regions.iter().any(|region| region.body == Body::Reasoning);
        if self.offer.start == Start::Reasoning && reasons {
            here = Here { prose: Prose::Reasoning, begin: self.newlines(0), quiet: false };
            self.book(0, here.begin, Account::Framing(Framing::Markup));
        }
        let mut next = Some(here);
        while let Some(here) = next {
            next = self.prose(here);
        }
    }

    /// Reads prose up to an edge and the edge. Says where reading goes on.
    fn prose(&mut self, here: Here) -> Option<Here> {
        let mut at = here.begin;
        while at < self.text.len() {
            match self.edge(here, at) {
                Ok(edge) => return self.take(here, at, edge),
                // A marker that nothing fits yet: all of it is text.
                Err(Stop::Cut) => break,
                Err(Stop::Fails(upto) | Stop::TooDeep(upto)) => at = upto.max(at + 1),
            }
            while !self.text.is_char_boundary(at) {
                at += 1;
            }
        }
        let blank = self.space(here.begin) == self.text.len();
        let account = match here.prose {
            _ if here.quiet && blank => Account::Framing(Framing::Markup),
            prose => self.flowing(prose),
        };
        self.book(here.begin, self.text.len(), account);
        None
    }

    fn flowing(&self, prose: Prose) -> Account {
        match (prose, self.description.outside) {
            (Prose::Reasoning, _) => Account::Reasoning,
            (Prose::Outside, Outside::Framing) => Account::Framing(Framing::Markup),
            _ => Account::Text,
        }
    }

    /// Whether a call that begins here may turn out to be a rehearsal.
    fn on_trial(&self, here: Here) -> bool {
        self.rehearsing()
            || here.prose == Prose::Reasoning
                && self.offer.policy.reasoning_calls == ReasoningCalls::Wait
    }

    /// Whether calls have been made in reasoning that is still open.
    fn rehearsing(&self) -> bool {
        self.trial.is_some()
    }

    /// What stands at a place of prose.
    fn edge(&self, here: Here, at: usize) -> Result<Edge, Stop> {
        let mut furthest = Stop::Fails(at + 1);
        let mut note = |stop: Stop| match (stop, furthest) {
            (Stop::Cut, _) => furthest = Stop::Cut,
            (Stop::Fails(upto) | Stop::TooDeep(upto), Stop::Fails(known)) if upto > known => {
                furthest = Stop::Fails(upto);
            }
            _ => {}
        };
        let plain = here.prose == Prose::Reasoning
            && self.offer.policy.reasoning_calls == ReasoningCalls::Ignore;
        if !plain {
            for (region, calls) in self.regions_of_calls() {
                if !self
                    .openers(region, calls)
                    .iter()
                    .any(|text| self.text[at..].starts_with(text.as_str()))
                {
                    continue;
                }
                match self.opened_call(region, calls, at, self.on_trial(here)) {
                    Attempt::NoHead(stop) => note(stop),
                    attempt => return Ok(Edge::Call(attempt)),
                }
            }
        }
        for region in &self.description.regions {
            let (inside, closes) = match region.body {
                // A repeated opener of reasoning is dropped; a closer closes
                // nothing as often as it likes.
                Body::Reasoning => (Prose::Reasoning, here.prose != Prose::Content),
                Body::Content => (Prose::Content, here.prose == Prose::Content),
                Body::Calls(_) => continue,
            };
            let opens = !(self.rehearsing() && inside == Prose::Reasoning);
            if opens && let Ok(end) = self.prose_edge(&region.open, at) {
                return Ok(Edge::Prose(inside, end));
            }
            if closes && let Ok(end) = self.prose_edge(&region.close, at) {
                return Ok(Edge::Prose(Prose::Outside, end));
            }
        }
        if here.prose != Prose::Content {
            match self.stops(at) {
                Ok(()) => return Ok(Edge::Stop),
                Err(stop) => note(stop),
            }
        }
        if here.prose == Prose::Outside && self.calls() > 0 && !self.rehearsing() {
            let orphan = self.orphans().into_iter().find(|text| self.text[at..].starts_with(text));
            if let Some(orphan) = orphan {
                return Ok(Edge::Orphan(at + orphan.len()));
            }
        }
        Err(furthest)
    }

    /// A call with what opens its region.
    fn opened_call(&self, region: &Region, calls: &Calls, at: usize, trial: bool) -> Attempt {
        match self.fixed(without_space(&region.open), at) {
            Ok(at) => self.one_of_forms(calls, at, trial),
            Err(stop) => Attempt::NoHead(stop),
        }
    }

    /// A call of the form that gets furthest.
    fn one_of_forms(&self, calls: &Calls, at: usize, trial: bool) -> Attempt {
        let mut best = Attempt::NoHead(Stop::Fails(at));
        for form in &calls.forms {
            best = match (best, self.call(form, at, trial)) {
                (_, found @ (Attempt::Call { .. } | Attempt::Broken(_))) => return found,
                (Attempt::NoHead(Stop::Fails(known)), Attempt::NoHead(stop)) => match stop {
                    Stop::Fails(upto) | Stop::TooDeep(upto) if upto <= known => {
                        Attempt::NoHead(Stop::Fails(known))
                    }
                    stop => Attempt::NoHead(stop),
                },
                (best, _) => best,
            };
        }
        best
    }

    /// Takes what ends prose. Says where reading goes on.
    fn take(&mut self, here: Here, at: usize, edge: Edge) -> Option<Here> {
        let start = self.edge_start(here, at);
        let flowing = self.flowing(here.prose);
        self.book(here.begin, start, flowing);
        let framing = Account::Framing(Framing::Markup);
        match edge {
            Edge::Stop => {
                self.book(start, self.text.len(), framing);
                None
            }
            Edge::Orphan(end) => {
                self.book(start, at, framing);
                self.book(at, end, Account::Framing(Framing::Orphan));
                Some(Here { begin: end, quiet: true, ..here })
            }
            Edge::Prose(prose, end) => {
                if self.rehearsing() && here.prose == Prose::Outside && prose == Prose::Outside {
                    self.retract(start);
                }
                self.book(start, end, framing);
                Some(Here { prose, begin: end, quiet: false })
            }
            Edge::Call(attempt) => {
                if self.on_trial(here) && self.trial.is_none() {
                    self.trial = Some(self.accounts.len());
                }
                self.region_of_calls(start, at, attempt)
            }
        }
    }

    /// The calls of one region, the first of which has been read; its opener
    /// begins at `at`, and white space before it at `start`.
    fn region_of_calls(&mut self, start: usize, at: usize, attempt: Attempt) -> Option<Here> {
        let (mut start, mut at, mut attempt) = (start, at, attempt);
        loop {
            let (end, call, doubtful) = match attempt {
                Attempt::Call { end, call, doubtful } => (end, call, doubtful),
                Attempt::Broken(stop) | Attempt::NoHead(stop) => {
                    return self.broken(start, at, stop);
                }
            };
            self.book(start, at, Account::Framing(Framing::Markup));
            let account = if self.calls() < self.offer.limits.calls {
                Account::Call(Box::new(call), doubtful)
            } else {
                Account::Rejected(Reason::Limit { limit: Limit::Calls })
            };
            self.book(at, end, account);

            let after = Here { prose: Prose::Outside, begin: end, quiet: true };
            let next = self.another(end);
            match next {
                Some((next_at, next)) => (start, at, attempt) = (end, next_at, next),
                None => {
                    let close = self
                        .regions_of_calls()
                        .find_map(|(region, _)| self.fixed(&region.close, end).ok());
                    let close = close.filter(|close| *close > end);
                    let Some(close) = close else { return Some(after) };
                    self.book(end, close, Account::Framing(Framing::Markup));
                    return Some(Here { begin: close, ..after });
                }
            }
        }
    }

    /// Another call of the same region.
    fn another(&self, end: usize) -> Option<(usize, Attempt)> {
        self.regions_of_calls().find_map(|(_, calls)| {
            let at = self.fixed(&calls.between, end).ok()?;
            match self.one_of_forms(calls, at, self.rehearsing()) {
                Attempt::NoHead(_) => None,
                attempt => Some((self.space(end), attempt)),
            }
        })
    }

    /// A call that does not come off.
    fn broken(&mut self, start: usize, at: usize, stop: Stop) -> Option<Here> {
        let end = self.text.len();
        let from = match stop {
            Stop::Fails(upto) | Stop::TooDeep(upto) => upto,
            Stop::Cut => end,
        };
        let closers: Vec<String> = self.closers_of_reasoning();
        if self.rehearsing() && !std::mem::replace(&mut self.searched, true) {
            let found = closers.iter().filter_map(|closer| self.text[start..from].find(closer));
            if let Some(found) = found.min() {
                return self.was_rehearsal(start, start + found);
            }
        }
        let regions: Vec<(&Region, &Calls)> = regions_of_calls(self.description).collect();
        let whole = |region: &Region| region.close.last().and_then(text_of).map(str::to_owned);
        let ends: Vec<String> = regions.iter().filter_map(|(region, _)| whole(region)).collect();
        let opens: Vec<String> =
            regions.iter().flat_map(|(region, calls)| self.openers(region, calls)).collect();
        let stands = |texts: &[String], place: usize| {
            texts
                .iter()
                .find(|text| self.text.as_bytes()[place..].starts_with(text.as_bytes()))
                .map(String::len)
        };
        for place in from..end {
            if self.rehearsing() && stands(&closers, place).is_some() {
                return self.was_rehearsal(start, place);
            }
            let upto = match stands(&ends, place) {
                Some(len) => place + len,
                None if stands(&opens, place).is_some() => place,
                None => continue,
            };
            self.reject(start, at, upto, stop);
            return Some(Here { prose: Prose::Outside, begin: upto, quiet: true });
        }
        self.reject(start, at, end, stop);
        None
    }

    fn reject(&mut self, start: usize, at: usize, end: usize, stop: Stop) {
        self.book(start, at, Account::Framing(Framing::Markup));
        self.book(at, end, Account::Rejected(reason(stop)));
    }

    /// The reasoning is closed at `at`, inside of a broken call: all up to
    /// there was reasoning.
    fn was_rehearsal(&mut self, start: usize, at: usize) -> Option<Here> {
        let here = Here { prose: Prose::Reasoning, begin: start, quiet: false };
        let begin = self.edge_start(here, at);
        self.retract(begin);
        Some(Here { begin, ..here })
    }

    /// All accounts on trial and the bytes up to `end` are reasoning.
    fn retract(&mut self, end: usize) {
        let Some(trial) = self.trial.take() else { return };
        let start = self.accounts.get(trial).map(|(span, _)| span.start);
        let start = start.unwrap_or_else(|| self.accounted());
        self.accounts.truncate(trial);
        self.book(start, end, Account::Reasoning);
    }

    /// Where the white space begins that belongs to an edge at `at`.
    fn edge_start(&self, here: Here, at: usize) -> usize {
        let before = &self.text[here.begin..at];
        let kept = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
        if here.quiet && kept == 0 {
            return here.begin;
        }
        before[kept..].find('\n').map_or(at, |newline| here.begin + kept + newline)
    }

    /// Parts without slots; white space of any kind between them.
    fn fixed(&self, parts: &[Part], at: usize) -> Result<usize, Stop> {
        let mut at = at;
        for part in parts {
            at = match part {
                Part::Literal(text) | Part::Marker(text) => self.literal(text, at)?,
                Part::Space(_) => self.space(at),
                Part::Maybe { parts, .. } => self.fixed(parts, at).unwrap_or(at),
                Part::OneOf(all) => {
                    let ends = all.iter().map(|parts| self.fixed(parts, at));
                    ends.reduce(|best, end| best.or(end)).unwrap_or(Ok(at))?
                }
                _ => return Err(Stop::Fails(at)),
            };
        }
        Ok(at)
    }

    /// The edge of a region of prose: newlines behind it belong to it.
    fn prose_edge(&self, parts: &[Part], at: usize) -> Result<usize, Stop> {
        match without_space(parts) {
            [rest @ .., Part::Space(_)] => Ok(self.newlines(self.fixed(rest, at)?)),
            all => self.fixed(all, at),
        }
    }

    fn newlines(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        self.text.len() - rest.trim_start_matches(['\n', '\r']).len()
    }

    /// Stop tokens and white space up to the end of the output.
    fn stops(&self, at: usize) -> Result<(), Stop> {
        let stop = |at: usize| {
            let stops = self.description.stops.iter();
            stops.map(|stop| self.literal(stop, at)).find_map(Result::ok)
        };
        let mut at = stop(at).ok_or(Stop::Fails(at + 1))?;
        loop {
            at = self.space(at);
            if at == self.text.len() {
                return Ok(());
            }
            at = stop(at).ok_or(Stop::Fails(at))?;
        }
    }

    /// Closing tags that may be left over behind a call.
    fn orphans(&self) -> Vec<&'a str> {
        let mut found = Vec::new();
        for (region, calls) in regions_of_calls(self.description) {
            found.extend(region.close.last().and_then(text_of));
            for form in &calls.forms {
                found.extend(form.last().and_then(text_of));
                for part in form {
                    if let Part::Arguments(Container::Each(each)) = part {
                        found.extend(each.item.iter().rev().find_map(text_of));
                    }
                }
            }
        }
        // A short one is no sign of anything.
        found.retain(|text| text.len() >= 4 && !text.starts_with(char::is_alphanumeric));
        found
    }

    pub(super) fn closers_of_reasoning(&self) -> Vec<String> {
        let reasoning =
            self.description.regions.iter().filter(|region| region.body == Body::Reasoning);
        reasoning.flat_map(|region| first_texts(&region.close)).collect()
    }

    fn regions_of_calls(&self) -> impl Iterator<Item = (&'a Region, &'a Calls)> {
        regions_of_calls(self.description)
    }

    /// How many calls there are.
    fn calls(&self) -> usize {
        self.accounts.iter().filter(|(_, account)| matches!(account, Account::Call(..))).count()
    }

    fn accounted(&self) -> usize {
        self.accounts.last().map_or(0, |(span, _)| span.end)
    }

    fn book(&mut self, start: usize, end: usize, account: Account) {
        if end > start {
            self.accounts.push((Span { start, end }, account));
        }
    }
}

fn without_space(parts: &[Part]) -> &[Part] {
    match parts {
        [Part::Space(_), rest @ ..] => rest,
        all => all,
    }
}

fn text_of(part: &Part) -> Option<&str> {
    match part {
        Part::Literal(text) | Part::Marker(text) => Some(text),
        _ => None,
    }
}

/// The turn that accounts come to; the first `prompt` bytes are the prompt's.
fn sum(text: &str, prompt: usize, accounts: Vec<(Span, Account)>) -> Turn {
    let mut turn = Turn::default();
    for (span, account) in accounts {
        let (start, end) = (span.start.max(prompt), span.end.max(prompt));
        if start == end {
            continue;
        }
        let held = std::borrow::Cow::Borrowed(&text[start..end]);
        let span = Span { start: start - prompt, end: end - prompt };
        turn.add(match account {
            Account::Text => Event::Text { span, text: held },
            Account::Reasoning => Event::Reasoning { span, text: held },
            Account::Framing(kind) => Event::Framing { span, text: held, kind },
            Account::Call(call, doubtful) => Event::Call { index: 0, span, call: *call, doubtful },
            Account::Rejected(reason) => Event::Rejected { span, text: held, reason },
        });
    }
    turn
}
