//! The accounts that the inner parser gave to what waits in the net.

use callsign_core::{Framing, Out, Reason, ToolCall};

use super::Net;
use crate::scan::Form;

/// Bytes with what the inner parser made of them.
pub(super) struct Account {
    pub(super) len: usize,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Text,
    Reasoning,
    Framing(Framing),
    Rejected(Reason),
    Call { index: usize, call: Box<ToolCall>, doubtful: bool },
}

/// How far something may go that has begun.
pub(super) struct Scope {
    pub(super) length: usize,
    /// Whether other things follow it, so that it goes no further.
    pub(super) over: bool,
    /// Whether text follows it behind markup.
    pub(super) text_behind: bool,
    /// Whether a call follows it that the dialect has read.
    pub(super) call_behind: bool,
}

/// Whether calls that the dialect has read may be part of something larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    /// They end it.
    Nothing,
    /// They may stand in a value that is open.
    Calls,
}

impl Net {
    /// How many bytes at the front are of a kind, and whether others follow them.
    pub(super) fn run(&self, of: impl Fn(&Kind) -> bool) -> (usize, bool) {
        let run = self.accounts.iter().take_while(|account| of(&account.kind));
        let (count, length) =
            run.fold((0, 0), |(count, length), account| (count + 1, length + account.len));
        (length, count < self.accounts.len())
    }

    /// How far what has begun may go: over text and what is rejected, and over the
    /// markup between them.
    pub(super) fn scope(&self, form: Form, through: Through, pending: &str) -> Scope {
        /// So many calls are looked at inside of a value; more are the dialect's.
        const MOST: usize = 64;
        let mut calls = 0;
        let mut scope = Scope { length: 0, over: false, text_behind: false, call_behind: false };
        let mut markup = false;
        // Whether text stands behind the markup, be it blank: it goes no further.
        let mut apart = false;
        let mut at = 0;
        for account in &self.accounts {
            let words = &pending[at..at + account.len];
            let behind_markup = markup;
            at += account.len;
            match account.kind {
                Kind::Call { .. } if through == Through::Calls && calls < MOST => {
                    calls += 1;
                    scope.length = at;
                }
                Kind::Text | Kind::Framing(_) | Kind::Rejected(_)
                    if through == Through::Calls && !scope.over =>
                {
                    scope.length = at;
                }
                // Behind markup, text belongs to it no more.
                Kind::Text if behind_markup => {
                    apart = true;
                    scope.text_behind |= !words.trim().is_empty();
                    scope.over |= scope.text_behind;
                }
                Kind::Text => scope.length = at,
                Kind::Rejected(_) if form == Form::Marked && !apart => scope.length = at,
                Kind::Rejected(_) if !behind_markup => scope.length = at,
                Kind::Framing(_) if form == Form::Marked && !apart => {
                    scope.length = at;
                    markup = true;
                }
                Kind::Framing(_) => markup = true,
                Kind::Call { .. } => {
                    scope.call_behind = !apart;
                    scope.over = true;
                    break;
                }
                _ => {
                    scope.over = true;
                    break;
                }
            }
        }
        scope
    }

    /// Whether the inner parser has rejected any of so many bytes at the front.
    pub(super) fn rejects(&self, len: usize) -> bool {
        self.within(len).any(|account| matches!(account.kind, Kind::Rejected(_)))
    }

    /// So many bytes, and the rest of the rejected region in which they end.
    pub(super) fn extent(&self, len: usize) -> usize {
        let length = self.within(len).map(|account| account.len).sum();
        match self.within(len).last() {
            Some(Account { kind: Kind::Rejected(_), .. }) => length,
            _ => len,
        }
    }

    /// The accounts of so many bytes at the front.
    pub(super) fn within(&self, len: usize) -> impl Iterator<Item = &Account> {
        let mut at = 0;
        self.accounts.iter().take_while(move |account| {
            at += account.len;
            at - account.len < len
        })
    }

    /// Gives so many bytes at the front to the accounts of the inner parser.
    pub(super) fn give(&mut self, len: usize, out: &mut Out<'_>) {
        let mut left = len;
        while left > 0 {
            let Some(account) = self.accounts.front() else { return };
            let part = left.min(account.len);
            match &account.kind {
                Kind::Text | Kind::Call { .. } => out.text(part),
                Kind::Reasoning => out.reasoning(part),
                Kind::Framing(kind) => out.framing(part, *kind),
                Kind::Rejected(reason) => {
                    let reason = reason.clone();
                    out.reject(part, reason);
                }
            }
            left -= part;
            self.shorten(part);
        }
    }

    /// Forgets the inner accounts of so many bytes at the front.
    pub(super) fn drop_accounts(&mut self, len: usize) {
        let mut left = len;
        while left > 0 {
            let Some(account) = self.accounts.front() else { return };
            let part = left.min(account.len);
            left -= part;
            self.shorten(part);
        }
    }

    /// Takes so many bytes of the account at the front. What is left of a call is
    /// none.
    fn shorten(&mut self, part: usize) {
        let Some(account) = self.accounts.front_mut() else { return };
        account.len -= part;
        if account.len == 0 {
            self.accounts.pop_front();
        } else if matches!(account.kind, Kind::Call { .. }) {
            account.kind = Kind::Text;
        }
    }

    /// Passes the account at the front on as it is.
    pub(super) fn pass(&mut self, out: &mut Out<'_>) {
        let Some(account) = self.accounts.pop_front() else { return };
        self.behind_call = false;
        match account.kind {
            Kind::Text => out.text(account.len),
            Kind::Reasoning => {
                self.setting.interrupt();
                out.reasoning(account.len);
            }
            Kind::Framing(kind) => out.framing(account.len, kind),
            Kind::Rejected(reason) => {
                self.setting.interrupt();
                out.reject(account.len, reason);
            }
            Kind::Call { index, call, doubtful } => {
                self.native(index, &call, doubtful, account.len, out);
            }
        }
    }
}
