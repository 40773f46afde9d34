//! The accounts that the inner parser gave to what waits in the net.

use callsign_core::{Framing, Out, Reason, Refusal, ToolCall};

use super::{Came, Net};
use crate::scan::Form;
use crate::tag::Look;
use crate::vocabulary::Role;

/// Bytes with what the inner parser made of them.
pub(super) struct Account {
    pub(super) len: usize,
    pub(super) kind: Kind,
    /// Whether it is text, and white space at that. Of the account at the front,
    /// part of which may have gone on, this says nothing.
    pub(super) blank: bool,
}

pub(super) enum Kind {
    Text,
    Reasoning,
    Framing(Framing),
    Rejected(Reason),
    Call { index: usize, call: Box<ToolCall>, doubtful: bool },
}

/// How far something may go that has begun.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    pub(super) length: usize,
    /// Whether other things follow it, so that it goes no further.
    pub(super) over: bool,
    /// Whether text follows it behind markup.
    pub(super) text_behind: bool,
    /// Whether a call follows it that the dialect has read.
    pub(super) call_behind: bool,
    /// How many accounts have been looked at, and their bytes.
    accounts: usize,
    at: usize,
    /// Whether markup was among them.
    markup: bool,
    /// Whether text stands behind the markup, be it blank: it goes no further.
    apart: bool,
    /// Whether nothing that comes changes it.
    done: bool,
}

/// Whether calls that the dialect has read may be part of something larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    /// They end it.
    Nothing,
    /// They may stand in a value that is open.
    Calls,
}

impl Scope {
    /// Takes the next account.
    fn take(&mut self, account: &Account, form: Form, through: Through) {
        self.accounts += 1;
        self.at += account.len;
        let inside = through == Through::Calls && !self.over;
        match account.kind {
            Kind::Call { .. } | Kind::Text | Kind::Framing(_) | Kind::Rejected(_) if inside => {
                self.length = self.at;
            }
            // Behind markup, text belongs to it no more.
            Kind::Text if self.markup => {
                self.apart = true;
                self.text_behind |= !account.blank;
                self.over |= self.text_behind;
                self.done = self.text_behind;
            }
            Kind::Text => self.length = self.at,
            Kind::Rejected(_) if form == Form::Marked && !self.apart || !self.markup => {
                self.length = self.at;
            }
            Kind::Framing(_) => {
                self.markup = true;
                if form == Form::Marked && !self.apart {
                    self.length = self.at;
                }
            }
            _ => {
                self.call_behind = !self.apart && matches!(account.kind, Kind::Call { .. });
                self.over = true;
                self.done = true;
            }
        }
    }
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
    /// markup between them. What is known so far is `known`; the last account may
    /// still grow, so it is looked at again.
    pub(super) fn scope(&self, form: Form, through: Through, known: &mut Scope) -> Scope {
        let last = self.accounts.len().saturating_sub(1);
        while known.accounts < last && !known.done {
            known.take(&self.accounts[known.accounts], form, through);
        }
        let mut scope = known.clone();
        if let Some(account) = self.accounts.get(scope.accounts)
            && !scope.done
        {
            scope.take(account, form, through);
        }
        scope
    }

    /// Whether the inner parser has rejected any of so many bytes at the front.
    pub(super) fn rejects(&self, len: usize) -> bool {
        self.within(len).any(|account| matches!(account.kind, Kind::Rejected(_)))
    }

    /// So many bytes, and what follows them of something rejected, which is not
    /// divided.
    pub(super) fn extent(&self, len: usize) -> usize {
        let last = self.within(len).last();
        let whole = last.is_some_and(|account| matches!(account.kind, Kind::Rejected(_)));
        if whole { self.within(len).map(|account| account.len).sum() } else { len }
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
                Kind::Text => out.text(part),
                Kind::Call { call, .. } => {
                    // The dialect has read it, and it is part of something else.
                    let name = call.name.clone();
                    self.tell_said(&name, Refusal::Quoted, 0..part, out);
                    out.text(part);
                }
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

    /// Whether markup stands between two messages.
    pub(super) fn parts_messages(&self, markup: &str) -> bool {
        let vocabulary = &self.known.vocabulary;
        let Look::Tag(tag) = vocabulary.look(markup.trim_start(), 0, true) else { return false };
        let role = vocabulary.sign(&tag, Some(&self.name)).map(|sign| sign.role);
        matches!(role, Some(Role::Frame | Role::Stop))
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
        self.came = Came::Else;
        match account.kind {
            Kind::Text => out.text(account.len),
            Kind::Reasoning => {
                self.setting.interrupt();
                out.reasoning(account.len);
            }
            Kind::Framing(kind) => {
                let markup = &out.pending()[..account.len];
                if markup.trim().is_empty() {
                    self.setting.pass(markup);
                } else if self.parts_messages(markup) {
                    self.setting.interrupt();
                }
                out.framing(account.len, kind);
            }
            Kind::Rejected(_) if self.setting.is_quoted() => {
                // What is quoted is text, and what closes it, too.
                self.setting.pass(&out.pending()[..account.len]);
                self.came = Came::Said;
                out.text(account.len);
            }
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
