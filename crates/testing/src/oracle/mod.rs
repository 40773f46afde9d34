//! A reader of whole outputs: slow, and as simple as the description allows. It
//! looks at every place for everything, as often as it likes, and decides with
//! the whole output in view. What it makes of an output is what the streaming
//! reader has to make of it.

mod accounts;
mod call;
mod cdata;
mod edges;
mod elements;
mod json;
mod literals;
mod object;
mod python;
mod regions;
mod rest;
mod value;

use callsign_core::{End, Offer, ReasoningCalls, Start, Turn};
use callsign_syntax::description::{Body, Calls, Description, Outside, Place, Region};

use accounts::{Account, Accounts, MARKUP, Trial};
use edges::Edge;
use json::Stop;

/// Reads a whole output by a description.
pub fn read(description: &Description, offer: &Offer<'_>, output: &str, end: End) -> Turn {
    let (text, prompt) = match offer.start {
        // A turn that may be calls from its first byte on begins after the prompt.
        Start::PromptTail(tail) if !may_be_calls(description) => {
            (format!("{tail}{output}"), tail.len())
        }
        _ => (output.to_owned(), 0),
    };
    let mut oracle = Oracle {
        description,
        offer: *offer,
        end,
        text: &text,
        accounts: Accounts::default(),
        searched: false,
        frame: Frame::Unseen,
        first: None,
    };
    oracle.turn();
    oracle.accounts.sum(&text, prompt)
}

/// Whether a whole turn may be calls, from its first byte to its last.
fn may_be_calls(description: &Description) -> bool {
    description.regions.iter().any(|region| match &region.body {
        Body::Calls(calls) => calls.place == Place::WholeTurn,
        Body::Reasoning | Body::Content => false,
    })
}

struct Oracle<'a> {
    description: &'a Description,
    offer: Offer<'a>,
    end: End,
    /// The tail of the prompt and the output.
    text: &'a str,
    accounts: Accounts,
    /// Whether a broken call in open reasoning has been searched for the end
    /// of the reasoning: only the first one is.
    searched: bool,
    frame: Frame,
    /// Where calls may begin that are the whole turn.
    first: Option<usize>,
}

/// Whether an output stands in the frame that its dialect gives everything. One
/// that has none is text: a server may have taken the frame away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Unseen,
    Seen,
    Missing,
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

/// A region of calls.
#[derive(Clone, Copy)]
struct Block<'a> {
    region: &'a Region,
    calls: &'a Calls,
}

impl<'a> Oracle<'a> {
    fn turn(&mut self) {
        let mut here = Here { prose: Prose::Outside, begin: 0, quiet: false };
        let reasons = self.description.regions.iter().any(|region| region.body == Body::Reasoning);
        if self.offer.start == Start::Reasoning && reasons {
            here = Here { prose: Prose::Reasoning, begin: self.newlines(0), quiet: false };
            self.accounts.book(0, here.begin, MARKUP);
            self.frame = Frame::Seen;
        } else if may_be_calls(self.description) {
            self.first = Some(self.space(0));
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
                Err(Stop::Fails(upto) | Stop::TooDeep(upto)) => {
                    if self.frame == Frame::Unseen && self.marker_stands(here, at) {
                        // A whole marker is frame enough.
                        self.flow(here.prose, here.begin, at);
                        if self.frame == Frame::Unseen {
                            self.frame = Frame::Seen;
                        }
                        return Some(Here { begin: at, quiet: false, ..here });
                    }
                    if !self.text.as_bytes()[at].is_ascii_whitespace() {
                        self.accounts.text_follows(here.begin);
                    }
                    at = upto.max(at + 1);
                }
            }
            while !self.text.is_char_boundary(at) {
                at += 1;
            }
        }
        if here.quiet && self.space(here.begin) == self.text.len() {
            self.accounts.book(here.begin, self.text.len(), MARKUP);
        } else {
            self.flow(here.prose, here.begin, self.text.len());
        }
        None
    }

    /// Books text that flows.
    fn flow(&mut self, prose: Prose, start: usize, end: usize) {
        let account = match prose {
            Prose::Reasoning => Account::Reasoning,
            Prose::Outside if self.description.outside == Outside::Framing => {
                let text = &self.text[start..end];
                let blanks = text.len() - text.trim_start().len();
                if self.frame == Frame::Unseen && blanks < text.len() {
                    self.accounts.book(start, start + blanks, MARKUP);
                    self.frame = Frame::Missing;
                    return self.accounts.book(start + blanks, end, Account::Text);
                }
                if self.frame == Frame::Missing { Account::Text } else { MARKUP }
            }
            _ => Account::Text,
        };
        self.accounts.book(start, end, account);
    }

    /// Whether a call that begins here may turn out to be a rehearsal.
    fn may_rehearse(&self, here: Here) -> bool {
        self.accounts.rehearsing()
            || here.prose == Prose::Reasoning
                && self.offer.policy.reasoning_calls == ReasoningCalls::Wait
    }

    /// Takes what ends prose. Says where reading goes on.
    fn take(&mut self, here: Here, at: usize, edge: Edge<'a>) -> Option<Here> {
        let start = self.edge_start(here, at);
        self.flow(here.prose, here.begin, start);
        match edge {
            Edge::Stop => {
                self.accounts.book(start, self.text.len(), MARKUP);
                None
            }
            Edge::Orphan(end) => {
                self.accounts.book(start, at, MARKUP);
                let orphan = Account::Framing(callsign_core::Framing::Orphan);
                self.accounts.book(at, end, orphan);
                Some(Here { begin: end, quiet: true, ..here })
            }
            Edge::Prose(prose, end) => {
                if here.prose == Prose::Outside && prose == Prose::Outside {
                    // Where calls are on trial, the reasoning ends only here.
                    self.accounts.retract(start);
                }
                self.accounts.book(start, end, MARKUP);
                self.frame = Frame::Seen;
                Some(Here { prose, begin: end, quiet: false })
            }
            Edge::Call(block, attempt) => {
                self.frame = Frame::Seen;
                if block.calls.place == Place::WholeTurn {
                    self.accounts.hold(Trial::WholeTurn);
                } else if self.may_rehearse(here) {
                    self.accounts.hold(Trial::Rehearsal);
                }
                self.block(block, start, at, attempt)
            }
        }
    }

    /// Where the white space begins that belongs to an edge at `at`.
    fn edge_start(&self, here: Here, at: usize) -> usize {
        let before = &self.text[here.begin..at];
        let kept = before.trim_end_matches([' ', '\t', '\r', '\n']).len();
        if kept == 0 && (here.quiet || self.first == Some(at)) {
            return here.begin;
        }
        before[kept..].find('\n').map_or(at, |newline| here.begin + kept + newline)
    }

    /// The regions of calls that may stand there.
    fn blocks_at(&self, place: Place) -> impl Iterator<Item = Block<'a>> {
        self.blocks().filter(move |block| block.calls.place == place)
    }

    fn blocks(&self) -> impl Iterator<Item = Block<'a>> {
        self.description.regions.iter().filter_map(|region| match &region.body {
            Body::Calls(calls) => Some(Block { region, calls }),
            _ => None,
        })
    }
}
