//! Calls that the dialect has read and the model has only said. A dialect reads
//! what has its form; whether it was meant is told by what stands around it.

use callsign_core::{Out, Refusal};

use super::Net;
use super::accounts::Kind;
use super::settle::{Refused, rule};
use crate::setting::Saying;
use crate::tag::Look;
use crate::vocabulary::Vocabulary;

/// How far it is known what follows the call at the front.
#[derive(Debug, Default)]
pub(super) struct Behind {
    /// How many accounts have been gone through, and their bytes.
    accounts: usize,
    at: usize,
    /// How much of the next account has been.
    within: usize,
    /// Whether a call is among them.
    call: bool,
    fenced: bool,
}

/// Whether a call was meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Yes,
    /// Neither it nor what else is among so many accounts.
    No(Refusal, usize),
    /// What follows decides, and has not come.
    Unknown,
}

/// What text behind a call says of it.
enum Follows {
    /// So much of it says nothing.
    Nothing(usize),
    /// So much of it may go on.
    More(usize),
    /// The result of a tool.
    Result,
    /// The model goes on talking.
    Words,
}

impl Net {
    /// Whether the call was meant that stands at the front, or behind markup there.
    /// `last` says that nothing follows what waits.
    pub(super) fn meant(&mut self, pending: &str, last: bool) -> Meant {
        let (refusal, sure) = match self.setting.saying() {
            Saying::No => return Meant::Yes,
            Saying::Yes => (Refusal::Quoted, true),
            Saying::IfWordsFollow(refusal) => (refusal, false),
        };
        let fenced = self.setting.is_fenced();
        let mut behind = self.behind.take().unwrap_or(Behind { fenced, ..Behind::default() });
        while let Some(account) = self.accounts.get(behind.accounts) {
            let text = &pending[behind.at..behind.at + account.len];
            let over = last || behind.accounts + 1 < self.accounts.len();
            match account.kind {
                Kind::Framing(_) => {}
                Kind::Call { .. } if sure => return Meant::No(refusal, behind.accounts + 1),
                Kind::Call { .. } => behind.call = true,
                _ if !behind.call => return Meant::Yes,
                Kind::Reasoning | Kind::Rejected(_) => {}
                Kind::Text => {
                    match self.follows(&text[behind.within..], over, &mut behind.fenced) {
                        Follows::Nothing(_) if over => {}
                        Follows::Nothing(len) | Follows::More(len) => {
                            behind.within += len;
                            self.behind = Some(behind);
                            return Meant::Unknown;
                        }
                        Follows::Result => return Meant::Yes,
                        Follows::Words => return Meant::No(refusal, behind.accounts),
                    }
                }
            }
            behind.accounts += 1;
            behind.at += text.len();
            behind.within = 0;
        }
        if last {
            // Where the output was cut, words may have followed.
            let cut = self.cut && behind.call;
            return if cut { Meant::No(refusal, behind.accounts) } else { Meant::Yes };
        }
        self.behind = Some(behind);
        Meant::Unknown
    }

    /// What is among so many accounts at the front was not meant: it is text.
    pub(super) fn said(&mut self, refusal: &Refusal, accounts: usize, out: &mut Out<'_>) {
        let mut len = 0;
        for at in 0..accounts {
            let Some(account) = self.accounts.get_mut(at) else { break };
            let place = len..len + account.len;
            len = place.end;
            if let Kind::Call { call, .. } = &mut account.kind {
                let name = std::mem::take(&mut call.name);
                account.kind = Kind::Text;
                let rule = rule(self.scanner().form(&out.pending()[place.clone()]));
                let tool = self.tools.get(&name).map(|tool| tool.name.to_string());
                let refused = Refused { rule, tool, refusal: refusal.clone() };
                self.tell(refused, out.offset(place.start), place.len(), out);
            } else if let Kind::Framing(_) = account.kind {
                account.kind = Kind::Text;
            }
        }
        self.setting.pass(&out.pending()[..len]);
        self.behind_call = false;
        self.give(len, out);
        self.behind_said = true;
    }

    fn follows(&self, text: &str, over: bool, fenced: &mut bool) -> Follows {
        let mut at = 0;
        loop {
            // A bracket too many is the call's.
            let skips = |char: char| char.is_whitespace() || matches!(char, '}' | ']');
            let rest = text[at..].trim_start_matches(skips);
            at = text.len() - rest.len();
            let Some(first) = rest.chars().next() else { return Follows::Nothing(at) };
            if *fenced && matches!(first, '`' | '~') {
                let run = rest.find(|char| char != first).unwrap_or(rest.len());
                if run == rest.len() && !over {
                    return Follows::More(at);
                }
                if run < 3 {
                    return Follows::Words;
                }
                *fenced = false;
                at += run;
                continue;
            }
            let vocabulary = &self.known.vocabulary;
            match vocabulary.look(rest, 0, over) {
                Look::More => return Follows::More(at),
                // The model makes up the call's result: it was meant.
                Look::Tag(tag) if Vocabulary::is_result(&tag) && !*fenced => {
                    return Follows::Result;
                }
                Look::Tag(tag)
                    if Vocabulary::is_result(&tag)
                        || vocabulary.sign(&tag, Some(&self.name)).is_some() =>
                {
                    at += tag.span.end;
                }
                _ => return Follows::Words,
            }
        }
    }
}
