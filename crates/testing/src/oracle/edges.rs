//! What ends prose: the edges of regions, calls, stop tokens.

use callsign_core::ReasoningCalls;
use callsign_syntax::description::{Body, Container, Part, Place};

use super::call::Attempt;
use super::json::{Json, Stop};
use super::{Block, Here, Oracle, Prose};
use crate::markers::{first_texts, joined, last_texts};

/// What prose ends with.
pub(super) enum Edge<'a> {
    /// A region of prose, or the end of one.
    Prose(Prose, usize),
    /// A stop token: the output ends.
    Stop,
    /// A closer that closes nothing.
    Orphan(usize),
    /// A call, complete or broken.
    Call(Block<'a>, Attempt),
}

impl<'a> Oracle<'a> {
    /// What stands at a place of prose; or how far it was more than text.
    pub(super) fn edge(&self, here: Here, at: usize) -> Result<Edge<'a>, Stop> {
        let mut furthest = Stop::Fails(at + 1);
        let plain = here.prose == Prose::Reasoning
            && self.offer.policy.reasoning_calls == ReasoningCalls::Ignore;
        if !plain {
            // What counts anywhere goes before what counts only as the whole turn.
            for place in [Place::Anywhere, Place::WholeTurn] {
                match self.call_at(here, at, place) {
                    Some((_, Attempt::NoHead(stop))) => furthest = furthest.further(stop),
                    Some((block, attempt)) => return Ok(Edge::Call(block, attempt)),
                    None => {}
                }
            }
        }
        let rehearsing = self.accounts.rehearsing();
        for (parts, prose) in self.prose_edges(here) {
            match self.prose_edge(parts, at) {
                Ok(end) => return Ok(Edge::Prose(prose, end)),
                Err(stop) => furthest = furthest.further(stop),
            }
        }
        match self.stops(at) {
            Ok(()) => return Ok(Edge::Stop),
            Err(stop) => furthest = furthest.further(stop),
        }
        if here.prose == Prose::Outside && self.accounts.calls() > 0 && !rehearsing {
            let orphan = self.stands(&self.orphans(), at);
            if let Some(len) = orphan {
                return Ok(Edge::Orphan(at + len));
            }
        }
        Err(furthest)
    }

    /// What there is of a call at a place of prose.
    fn call_at(&self, here: Here, at: usize, place: Place) -> Option<(Block<'a>, Attempt)> {
        if place == Place::WholeTurn && self.first != Some(at) {
            return None;
        }
        // The longest text goes before those that go on with a name.
        let text = |block: &Block<'a>| self.longest(&self.openers(*block), at);
        let longest = self.blocks_at(place).map(|block| text(&block)).max()?;
        let blocks = || self.blocks_at(place).filter(|block| longest > 0 && text(block) == longest);
        let some = blocks().any(|block| self.form_stands_in(block, at));
        let blocks = blocks().filter(|block| !some || self.form_stands_in(*block, at));
        let attempts =
            blocks.map(|block| (block, self.opened_call(block, at, self.may_rehearse(here))));
        attempts.reduce(|(known, best), (block, attempt)| {
            let block = if best.reaches(&attempt) { known } else { block };
            (block, best.better(attempt))
        })
    }

    /// What opens or closes regions of prose here, and what prose follows it.
    fn prose_edges(&self, here: Here) -> Vec<(&'a [Part], Prose)> {
        let mut edges: Vec<(&[Part], Prose)> = Vec::new();
        for region in &self.description.regions {
            let (inside, opens, closes) = match region.body {
                // A repeated opener of reasoning is dropped, and so is a closer
                // that closes nothing. Behind a call in open reasoning, there is
                // nothing to open yet.
                Body::Reasoning => {
                    let opens = here.prose != Prose::Outside || !self.accounts.rehearsing();
                    (Prose::Reasoning, opens, here.prose != Prose::Content)
                }
                Body::Content => (Prose::Content, true, here.prose == Prose::Content),
                Body::Calls(_) => continue,
            };
            edges.extend(opens.then_some((&region.open[..], inside)));
            edges.extend(closes.then_some((&region.close[..], Prose::Outside)));
        }
        edges
    }

    /// Whether a whole text stands at a place with which something may open or
    /// close here.
    pub(super) fn marker_stands(&self, here: Here, at: usize) -> bool {
        let mut texts: Vec<String> = self.blocks().flat_map(|block| self.openers(block)).collect();
        texts.extend(self.prose_edges(here).into_iter().flat_map(|(parts, _)| first_texts(parts)));
        texts.extend(self.description.stops.iter().cloned());
        self.stands(&texts, at).is_some()
    }

    /// The length of the first of these texts that stands at a place.
    pub(super) fn stands(&self, texts: &[String], at: usize) -> Option<usize> {
        let there = &self.text.as_bytes()[at..];
        texts.iter().find(|text| there.starts_with(text.as_bytes())).map(String::len)
    }

    /// The length of the longest of these texts that stands at a place; zero
    /// if none does.
    pub(super) fn longest(&self, texts: &[String], at: usize) -> usize {
        let there = &self.text.as_bytes()[at..];
        let stand = texts.iter().filter(|text| there.starts_with(text.as_bytes()));
        stand.map(String::len).max().unwrap_or_default()
    }

    /// Where this text ends, if it stands here.
    pub(super) fn literal(&self, text: &str, at: usize) -> Result<usize, Stop> {
        let there = &self.text.as_bytes()[at..];
        if there.starts_with(text.as_bytes()) {
            Ok(at + text.len())
        } else if text.as_bytes().starts_with(there) {
            Err(Stop::Cut)
        } else {
            Err(Stop::Fails(at))
        }
    }

    /// Where the white space ends that begins here.
    pub(super) fn space(&self, at: usize) -> usize {
        Json::new(self.text, 0).space(at)
    }

    pub(super) fn newlines(&self, at: usize) -> usize {
        let rest = &self.text[at..];
        self.text.len() - rest.trim_start_matches(['\n', '\r']).len()
    }

    /// Parts without slots; white space of any kind between them.
    pub(super) fn fixed(&self, parts: &[Part], at: usize) -> Result<usize, Stop> {
        let mut at = at;
        for part in joined(parts) {
            at = match part {
                Part::Literal(text) | Part::Marker(text) => self.literal(&text, at)?,
                Part::Space(_) => self.space(at),
                Part::Maybe { parts, .. } => self.fixed(&parts, at).unwrap_or(at),
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

    /// Stop tokens and white space up to the end of the output.
    fn stops(&self, at: usize) -> Result<(), Stop> {
        let stops = &self.description.stops;
        let mut at = at + self.stands(stops, at).ok_or(Stop::Fails(at + 1))?;
        loop {
            at = self.space(at);
            if at == self.text.len() {
                return Ok(());
            }
            at += self.stands(stops, at).ok_or(Stop::Fails(at))?;
        }
    }

    /// Closing tags that may be left over behind a call.
    fn orphans(&self) -> Vec<String> {
        let mut found = self.closers_of_blocks();
        for form in self.blocks().flat_map(|block| &block.calls.forms) {
            found.extend(last_texts(form));
            for part in form {
                if let Part::Arguments(Container::Each(each)) = part {
                    found.extend(last_texts(&each.item));
                }
            }
        }
        // A short one is no sign of anything.
        found.retain(|text| text.len() >= 4 && !text.starts_with(char::is_alphanumeric));
        found
    }

    /// The texts that end a broken call: what closes its region or, where
    /// nothing does, the call.
    pub(super) fn closers_of_blocks(&self) -> Vec<String> {
        let closers = self.blocks().flat_map(|block| {
            if block.region.close.is_empty() {
                block.calls.forms.iter().flat_map(|form| last_texts(form)).collect()
            } else {
                last_texts(&block.region.close)
            }
        });
        closers.collect()
    }

    pub(super) fn closers_of_reasoning(&self) -> Vec<String> {
        let regions = self.description.regions.iter();
        let reasoning = regions.filter(|region| region.body == Body::Reasoning);
        reasoning.flat_map(|region| first_texts(&region.close)).collect()
    }

    /// The texts with which a region of calls can begin.
    pub(super) fn openers(&self, block: Block<'_>) -> Vec<String> {
        let forms = block.calls.forms.iter();
        forms.flat_map(|form| first_texts(&[&block.region.open[..], form].concat())).collect()
    }
}

pub(super) fn without_space(parts: &[Part]) -> &[Part] {
    match parts {
        [Part::Space(_), rest @ ..] => rest,
        all => all,
    }
}
