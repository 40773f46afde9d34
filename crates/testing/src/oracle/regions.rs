//! A region of calls, from its opener to where reading goes on.

use callsign_core::{Limit, Reason};
use callsign_syntax::description::{self, Body, Outside};

use super::accounts::{Account, MARKUP};
use super::call::{Attempt, Place, reason};
use super::edges::without_space;
use super::json::Stop;
use super::{Block, Here, Oracle, Prose};
use crate::markers::first_texts;

impl<'a> Oracle<'a> {
    /// A call with what opens its region.
    pub(super) fn opened_call(&self, block: Block<'_>, at: usize, trial: bool) -> Attempt {
        match self.fixed(without_space(&block.region.open), at) {
            Ok(at) => self.one_of_forms(block, at, trial),
            Err(stop) => Attempt::NoHead(stop),
        }
    }

    /// Whether the text of a form stands behind the opener at a place: it goes
    /// before forms that begin with a name, of this region and of others.
    pub(super) fn form_stands_in(&self, block: Block<'_>, at: usize) -> bool {
        let opened = self.fixed(without_space(&block.region.open), at);
        opened.is_ok_and(|at| self.form_stands(block, at))
    }

    fn form_stands(&self, block: Block<'_>, at: usize) -> bool {
        let mut forms = block.calls.forms.iter();
        forms.any(|form| self.stands(&first_texts(form), at).is_some())
    }

    /// A call. If it has none of the forms, the one that gets furthest says
    /// what it was.
    fn one_of_forms(&self, block: Block<'_>, at: usize, trial: bool) -> Attempt {
        // Nothing but calls of declared tools makes up a whole turn, whatever
        // else may stand in one.
        let declared =
            block.calls.place == description::Place::WholeTurn || self.accounts.may_be_whole_turn();
        let place = Place { start: at, trial, declared };
        let forms = block.calls.forms.iter();
        let some = self.form_stands(block, at);
        let forms = forms.filter(|form| !some || self.stands(&first_texts(form), at).is_some());
        let attempts = forms.map(|form| self.call(form, place));
        let best = attempts.reduce(Attempt::better);
        best.unwrap_or(Attempt::NoHead(Stop::Fails(at)))
    }

    /// The calls of one region, the first of which has been read; its opener
    /// begins at `at`, and white space before it at `start`.
    pub(super) fn block(
        &mut self,
        block: Block<'a>,
        start: usize,
        at: usize,
        attempt: Attempt,
    ) -> Option<Here> {
        let (mut start, mut at, mut attempt) = (start, at, attempt);
        loop {
            let (end, call, doubtful) = match attempt {
                Attempt::Call { end, call, doubtful } => (end, call, doubtful),
                Attempt::NoHead(stop) => return self.broken(start, at, stop, false),
                Attempt::Broken { stop, doubtful } => {
                    return self.broken(start, at, stop, doubtful);
                }
            };
            self.accounts.book(start, at, MARKUP);
            let account = if self.accounts.calls() < self.offer.limits.calls {
                Account::Call(Box::new(call), doubtful)
            } else {
                Account::Rejected(Reason::Limit { limit: Limit::Calls })
            };
            self.accounts.book(at, end, account);

            let after = Here { prose: Prose::Outside, begin: end, quiet: true };
            match self.another(block, end) {
                Some(next) => (start, at, attempt) = (end, self.space(end), next),
                None => {
                    let close = self.fixed(&block.region.close, end).ok();
                    let Some(close) = close.filter(|_| !block.region.close.is_empty()) else {
                        return Some(after);
                    };
                    self.accounts.book(end, close, MARKUP);
                    return Some(Here { begin: close, ..after });
                }
            }
        }
    }

    /// Another call of the same region.
    fn another(&self, block: Block<'_>, end: usize) -> Option<Attempt> {
        let at = self.fixed(&block.calls.between, end).ok()?;
        let mut forms = block.calls.forms.iter();
        if block.calls.between.is_empty() && forms.all(|form| first_texts(form).is_empty()) {
            // Nothing tells it from text.
            return None;
        }
        match self.one_of_forms(block, at, self.accounts.rehearsing()) {
            Attempt::NoHead(_) => None,
            attempt => Some(attempt),
        }
    }

    /// A call that does not come off. If the end of a value in it is in doubt,
    /// all the rest is that value's.
    fn broken(&mut self, start: usize, at: usize, stop: Stop, doubtful: bool) -> Option<Here> {
        let end = self.text.len();
        let from = match stop {
            Stop::Fails(upto) | Stop::TooDeep(upto) => upto,
            Stop::Cut => end,
        };
        let of_reasoning = self.closers_of_reasoning();
        if self.accounts.rehearsing() && !std::mem::replace(&mut self.searched, true) {
            let places = of_reasoning.iter().filter_map(|text| self.text[start..from].find(text));
            if let Some(found) = places.min() {
                return self.was_rehearsal(start, start + found);
            }
        }
        if doubtful {
            self.reject(start, at, end, Stop::Cut);
            return None;
        }
        let closers = self.closers_of_blocks();
        let anywhere = self.blocks_at(description::Place::Anywhere);
        let mut openers: Vec<String> = anywhere.flat_map(|block| self.openers(block)).collect();
        if self.description.outside == Outside::Framing {
            // Where everything has a region of its own, any of them may open.
            let others = self.description.regions.iter();
            let others = others.filter(|region| !matches!(region.body, Body::Calls(_)));
            openers.extend(others.flat_map(|region| first_texts(&region.open)));
        }
        for place in from..end {
            if self.accounts.rehearsing() && self.stands(&of_reasoning, place).is_some() {
                return self.was_rehearsal(start, place);
            }
            // A longer text that opens something is no closer.
            let opener = self.longest(&openers, place);
            let upto = match self.longest(&closers, place) {
                0 if opener == 0 => continue,
                closer if closer < opener => place,
                closer => place + closer,
            };
            self.reject(start, at, upto, stop);
            return Some(Here { prose: Prose::Outside, begin: upto, quiet: true });
        }
        self.reject(start, at, end, stop);
        None
    }

    fn reject(&mut self, start: usize, at: usize, end: usize, stop: Stop) {
        self.accounts.book(start, at, MARKUP);
        self.accounts.book(at, end, Account::Rejected(reason(stop)));
    }

    /// The reasoning is closed at `at`, inside of a broken call: all up to
    /// there was reasoning.
    fn was_rehearsal(&mut self, start: usize, at: usize) -> Option<Here> {
        let here = Here { prose: Prose::Reasoning, begin: start, quiet: false };
        let begin = self.edge_start(here, at);
        self.accounts.retract(begin);
        Some(Here { begin, ..here })
    }
}
