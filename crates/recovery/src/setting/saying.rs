//! Whether a call was meant that its dialect has read: what stands before it.

use callsign_core::Refusal;

use super::words::shows;
use super::{Fence, Line, Setting};

/// Whether a call that stands here is only said, though its dialect reads it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saying {
    No,
    Yes,
    /// It is, if so many backticks close the code that is open in its line.
    IfCodeCloses(usize),
    /// It is, for this reason, if the model goes on talking behind it. A fence may be
    /// open around it.
    IfWordsFollow {
        refusal: Refusal,
        fenced: bool,
    },
}

impl Saying {
    /// Whether code or a quotation is open.
    pub(crate) fn quotes(&self) -> bool {
        matches!(self, Saying::Yes | Saying::IfCodeCloses(_))
            || matches!(self, Saying::IfWordsFollow { fenced: true, .. })
    }
}

impl Setting {
    /// Whether a call is only said that stands here, behind this white space. It is in
    /// the line of a quotation, in code that holds other things, and behind the end of
    /// the model's turn. A fence may stand around a call that is meant, unless it is
    /// announced as an example, and words may mean something else: there, it counts
    /// whether the model stops at its call. `wraps` knows the words of fences that
    /// stand around calls.
    pub(crate) fn saying(&mut self, blank: &str, wraps: impl Fn(&str) -> bool) -> Saying {
        if !blank.is_empty() {
            let mut behind = self.clone();
            behind.pass(blank);
            return behind.saying("", wraps);
        }
        self.end_run();
        if self.over {
            return Saying::Yes;
        }
        if self.fence.is_some() {
            let (before, word) = self.before_fence().unzip();
            return match () {
                () if word.is_some_and(wraps) => Saying::No,
                () if self.filled || before.is_some_and(|before| shows(before, true)) => {
                    Saying::Yes
                }
                () => Saying::IfWordsFollow { refusal: Refusal::Quoted, fenced: true },
            };
        }
        match self.code {
            _ if self.line == Line::Quote => Saying::Yes,
            Some(length) if !self.leads() => Saying::IfCodeCloses(length),
            _ if shows(self.recent(), false) => {
                Saying::IfWordsFollow { refusal: Refusal::Example, fenced: false }
            }
            _ => Saying::No,
        }
    }

    /// What is remembered of the text before the fence that is open, and its word.
    fn before_fence(&self) -> Option<(&str, &str)> {
        let Fence { byte, length } = self.fence?;
        let fence = char::from(byte);
        let recent = self.recent();
        let mut end = recent.len();
        for line in recent.split_inclusive('\n').rev() {
            end -= line.len();
            let line = line.trim();
            let word = line.trim_start_matches(fence);
            if line.len() - word.len() >= length {
                return Some((&recent[..end], word.trim()));
            }
        }
        None
    }
}
