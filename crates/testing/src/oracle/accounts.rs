//! Where the bytes of an output go, and what they come to.

use std::borrow::Cow;

use callsign_core::{Event, Framing, Reason, Span, ToolCall, Turn};

#[derive(Debug, Clone)]
pub(super) enum Account {
    Text,
    Reasoning,
    Framing(Framing),
    Call(Box<ToolCall>, bool),
    Rejected(Reason),
}

pub(super) const MARKUP: Account = Account::Framing(Framing::Markup);

/// Why accounts may still turn out to be others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trial {
    /// A call began in open reasoning: it may be reasoning.
    Rehearsal,
    /// The calls count only if there is nothing else: they may be text.
    WholeTurn,
}

/// The accounts so far.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    all: Vec<(Span, Account)>,
    /// How many there were when what follows came to be on trial.
    trial: Option<(Trial, usize)>,
}

impl Accounts {
    pub(super) fn book(&mut self, start: usize, end: usize, account: Account) {
        if end == start {
            return;
        }
        if matches!(account, Account::Text) {
            self.text_follows(start);
        }
        self.all.push((Span { start, end }, account));
    }

    /// How many calls there are.
    pub(super) fn calls(&self) -> usize {
        self.all.iter().filter(|(_, account)| matches!(account, Account::Call(..))).count()
    }

    /// What follows is on trial.
    pub(super) fn hold(&mut self, trial: Trial) {
        self.trial.get_or_insert((trial, self.all.len()));
    }

    /// Whether what stands here may be a rehearsal.
    pub(super) fn rehearsing(&self) -> bool {
        matches!(self.trial, Some((Trial::Rehearsal, _)))
    }

    /// Whether the calls so far count only if the whole turn is calls.
    pub(super) fn may_be_whole_turn(&self) -> bool {
        matches!(self.trial, Some((Trial::WholeTurn, _)))
    }

    /// It was a rehearsal, if anything was: it and the bytes up to `end` are
    /// reasoning.
    pub(super) fn retract(&mut self, end: usize) {
        if self.rehearsing() {
            self.fall(end, Account::Reasoning);
        }
    }

    /// Text begins at `end`: calls that would have to be the whole turn are text
    /// too.
    pub(super) fn text_follows(&mut self, end: usize) {
        if self.may_be_whole_turn() {
            self.fall(end, Account::Text);
        }
    }

    /// All that is on trial and the bytes up to `end` are something else.
    fn fall(&mut self, end: usize, account: Account) {
        let Some((_, trial)) = self.trial.take() else { return };
        let start = match self.all.get(trial) {
            Some((span, _)) => span.start,
            None => self.all.last().map_or(0, |(span, _)| span.end),
        };
        self.all.truncate(trial);
        self.book(start, end, account);
    }

    /// The turn they come to; the first `prompt` bytes are the prompt's.
    pub(super) fn sum(self, text: &str, prompt: usize) -> Turn {
        let mut turn = Turn::default();
        for (span, account) in self.all {
            let (start, end) = (span.start.max(prompt), span.end.max(prompt));
            if start == end {
                continue;
            }
            let text = Cow::Borrowed(&text[start..end]);
            let span = Span { start: start - prompt, end: end - prompt };
            turn.add(match account {
                Account::Text => Event::Text { span, text },
                Account::Reasoning => Event::Reasoning { span, text },
                Account::Framing(kind) => Event::Framing { span, text, kind },
                Account::Call(call, doubtful) => {
                    Event::Call { index: 0, span, call: *call, doubtful }
                }
                Account::Rejected(reason) => Event::Rejected { span, text, reason },
            });
        }
        turn
    }
}
