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

/// The accounts so far.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    all: Vec<(Span, Account)>,
    /// How many there were when a call began in open reasoning: those that
    /// follow may turn out to be reasoning.
    trial: Option<usize>,
}

impl Accounts {
    pub(super) fn book(&mut self, start: usize, end: usize, account: Account) {
        if end > start {
            self.all.push((Span { start, end }, account));
        }
    }

    /// How many calls there are.
    pub(super) fn calls(&self) -> usize {
        self.all.iter().filter(|(_, account)| matches!(account, Account::Call(..))).count()
    }

    /// What follows is on trial.
    pub(super) fn hold(&mut self) {
        self.trial.get_or_insert(self.all.len());
    }

    pub(super) fn on_trial(&self) -> bool {
        self.trial.is_some()
    }

    /// All accounts on trial and the bytes up to `end` are reasoning.
    pub(super) fn retract(&mut self, end: usize) {
        let Some(trial) = self.trial.take() else { return };
        let start = match self.all.get(trial) {
            Some((span, _)) => span.start,
            None => self.all.last().map_or(0, |(span, _)| span.end),
        };
        self.all.truncate(trial);
        self.book(start, end, Account::Reasoning);
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
