//! A reader of whole outputs: slow, and as simple as the description allows. It
//! looks at every place for everything, as often as it likes, and decides with
//! the whole output in view. What it makes of an output is what the streaming
//! reader has to make of it.

mod accounts;
mod call;
mod edges;
mod json;
mod object;
mod regions;
mod value;

use callsign_core::{End, Offer, ReasoningCalls, Start, Turn};
use callsign_syntax::description::{
    Body, Calls, Codec, Container, Description, Outside, Part, Place, Region,
};

use accounts::{Account, Accounts, MARKUP};
use edges::Edge;
use json::Stop;

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
        accounts: Accounts::default(),
        searched: false,
        frame: Frame::Unseen,
    };
    oracle.turn();
    Ok(oracle.accounts.sum(&text, prompt))
}

/// Whether this reader reads by a description.
///
/// # Errors
///
/// What it does not know.
pub fn supported(description: &Description) -> Result<(), Unsupported> {
    for region in &description.regions {
        let Body::Calls(calls) = &region.body else { continue };
        if calls.place != Place::Anywhere {
            return Err(Unsupported("calls that are the whole turn".to_owned()));
        }
        calls.forms.iter().try_for_each(|form| supported_parts(form))?;
    }
    Ok(())
}

fn supported_parts(parts: &[Part]) -> Result<(), Unsupported> {
    parts.iter().try_for_each(|part| match part {
        Part::Arguments(Container::Json) => Ok(()),
        Part::Arguments(Container::Each(each)) => supported_parts(&each.item),
        Part::Arguments(other) => Err(Unsupported(format!("{other:?}"))),
        Part::Value(value) if value.codec == Codec::Cdata => Err(Unsupported("CDATA".to_owned())),
        Part::Maybe { parts, .. } | Part::Id(parts) => supported_parts(parts),
        Part::OneOf(all) => all.iter().try_for_each(|parts| supported_parts(parts)),
        _ => Ok(()),
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
                    if upto > at + 1 && self.frame == Frame::Unseen {
                        // A whole marker is frame enough.
                        self.flow(here.prose, here.begin, at);
                        if self.frame == Frame::Unseen {
                            self.frame = Frame::Seen;
                        }
                        return Some(Here { begin: at, quiet: false, ..here });
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
        self.accounts.on_trial()
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
                if self.may_rehearse(here) {
                    self.accounts.hold();
                }
                self.block(block, start, at, attempt)
            }
        }
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

    fn blocks(&self) -> impl Iterator<Item = Block<'a>> {
        self.description.regions.iter().filter_map(|region| match &region.body {
            Body::Calls(calls) => Some(Block { region, calls }),
            _ => None,
        })
    }
}
