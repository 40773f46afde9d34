//! Calls that the dialect has read and the model has only said. A dialect reads
//! what has its form; whether it was meant is told by what stands around it.

use std::ops::Range;

use callsign_core::{Out, Refusal};

use super::accounts::Kind;
use super::settle::{Refused, rule};
use super::{Came, Net};
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
    /// Whether a fence has been closed behind it.
    closed: bool,
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
    /// The result of a tool, or the end of the line of code that was not closed.
    Meant,
    /// The model goes on talking, or closes the code.
    Said,
}

impl Net {
    /// Whether the call was meant that stands at the front, or behind markup there.
    /// `last` says that nothing follows what waits.
    pub(super) fn meant(&mut self, pending: &str, last: bool) -> Meant {
        let saying = self.saying(pending);
        let refusal = match &saying {
            Saying::No => return Meant::Yes,
            Saying::Yes | Saying::IfCodeCloses(_) => Refusal::Quoted,
            Saying::IfWordsFollow { refusal, .. } => refusal.clone(),
        };
        let sure = saying == Saying::Yes;
        let mut behind = self.behind.take().unwrap_or_default();
        while let Some(account) = self.accounts.get(behind.accounts) {
            let text = &pending[behind.at..behind.at + account.len];
            let over = last || behind.accounts + 1 < self.accounts.len();
            match account.kind {
                Kind::Framing(_) => {}
                Kind::Call { .. } if sure => return Meant::No(refusal, behind.accounts + 1),
                Kind::Call { .. } => behind.call = true,
                // What is malformed in a quotation is text, too.
                Kind::Rejected(_) if !behind.call && saying.quotes() => {
                    return Meant::No(refusal, behind.accounts + 1);
                }
                _ if !behind.call => return Meant::Yes,
                Kind::Reasoning | Kind::Rejected(_) => {}
                Kind::Text => {
                    match self.follows(&saying, &text[behind.within..], over, &mut behind.closed) {
                        Follows::Nothing(_) if over => {}
                        Follows::Nothing(len) | Follows::More(len) => {
                            behind.within += len;
                            self.behind = Some(behind);
                            return Meant::Unknown;
                        }
                        Follows::Meant => return Meant::Yes,
                        Follows::Said => return Meant::No(refusal, behind.accounts),
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
                self.tell_said(&name, refusal.clone(), place, out);
            } else if let Kind::Framing(_) | Kind::Rejected(_) = account.kind {
                account.kind = Kind::Text;
            }
        }
        self.setting.pass(&out.pending()[..len]);
        self.give(len, out);
        self.came = Came::Said;
    }

    /// Tells of a call that the dialect has read and that is not run, at this place of
    /// what waits.
    pub(super) fn tell_said(
        &self,
        name: &str,
        refusal: Refusal,
        place: Range<usize>,
        out: &mut Out<'_>,
    ) {
        let rule = rule(self.scanner().form(&out.pending()[place.clone()]));
        let tool = self.tools.get(name).map(|tool| tool.name.clone());
        self.tell(Refused { rule, tool, refusal }, out.offset(place.start), place.len(), out);
    }

    /// What the white space and what else stands before the call say of it.
    fn saying(&mut self, pending: &str) -> Saying {
        let front =
            self.accounts.front().filter(|account| matches!(account.kind, Kind::Framing(_)));
        let markup = &pending[..front.map_or(0, |account| account.len)];
        if markup.trim().is_empty() {
            return self.said_behind(markup);
        }
        // A quotation does not go on in the next message.
        let apart = !self.setting.is_over() && self.parts_messages(markup);
        if apart { Saying::No } else { self.said_behind("") }
    }

    /// Whether a call is only said that stands behind this white space.
    pub(super) fn said_behind(&mut self, blank: &str) -> Saying {
        let vocabulary = &self.known.vocabulary;
        self.setting.saying(blank, |word| vocabulary.is_wrapper(word))
    }

    fn follows(&self, saying: &Saying, text: &str, over: bool, closed: &mut bool) -> Follows {
        match saying {
            Saying::IfCodeCloses(length) => code_closes(text, *length, over),
            Saying::IfWordsFollow { fenced, .. } => self.words_follow(text, over, *fenced, closed),
            Saying::No | Saying::Yes => Follows::Nothing(text.len()),
        }
    }

    /// Whether words follow, and not only the end of a fence, brackets and tags.
    fn words_follow(&self, text: &str, over: bool, fenced: bool, closed: &mut bool) -> Follows {
        let vocabulary = &self.known.vocabulary;
        let mut at = 0;
        loop {
            // A bracket too many is the call's, and a line of marks says nothing.
            let skips = |char: char| char.is_whitespace() || matches!(char, '}' | ']' | '-' | '*');
            let rest = text[at..].trim_start_matches(skips);
            at = text.len() - rest.len();
            let Some(first) = rest.chars().next() else { return Follows::Nothing(at) };
            if matches!(first, '`' | '~') {
                let run = rest.find(|char| char != first).unwrap_or(rest.len());
                if run == rest.len() && !over {
                    return Follows::More(at);
                }
                if run < 3 || !fenced || std::mem::replace(closed, true) {
                    return Follows::Said;
                }
                at += run;
                continue;
            }
            match vocabulary.look(rest, 0, over) {
                Look::More => return Follows::More(at),
                // The model makes up the call's result: it was meant.
                Look::Tag(tag) if Vocabulary::is_result(&tag) && (!fenced || *closed) => {
                    return Follows::Meant;
                }
                Look::Tag(tag)
                    if Vocabulary::is_result(&tag)
                        || vocabulary.sign(&tag, Some(&self.name)).is_some() =>
                {
                    at += tag.span.end;
                }
                _ => return Follows::Said,
            }
        }
    }
}

/// Whether so many backticks stand in the rest of the line.
fn code_closes(text: &str, length: usize, over: bool) -> Follows {
    let mut at = 0;
    while let Some(place) = memchr::memchr2(b'\n', b'`', &text.as_bytes()[at..]) {
        at += place;
        let run = text.len() - at - text[at..].trim_start_matches('`').len();
        match run {
            0 => return Follows::Meant,
            _ if at + run == text.len() && !over => return Follows::More(at),
            _ if run == length => return Follows::Said,
            _ => at += run,
        }
    }
    Follows::Nothing(text.len())
}
