//! The walker: it follows fixed text and slots through the graph, byte by byte
//! where it must, and can stop after any byte.

use callsign_core::Origin;

use crate::audit::look;
use crate::program::{Choice, Mark, Program, Slot, SlotKind, Space, State, StateId};

/// Longer runs are no name, key, type or number.
const LONGEST_SLOT: usize = 512;

/// Where the walker stands. Positions are relative to the pending bytes.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) state: StateId,
    /// The next byte to look at.
    pub(crate) at: usize,
    /// Where the text or slot began that is being matched, the first half of a
    /// text included.
    pub(crate) token: usize,
    /// The branch being matched and how much of it is.
    branch: Option<(usize, usize)>,
    /// Where the white space began that may stand before a text.
    blank: Option<usize>,
    /// Whether the slot has been begun.
    begun: bool,
    /// Where to go on if the text being matched does not fit.
    fallback: Option<(StateId, usize)>,
    /// The same for a slot, which needs what follows it.
    slot_fallback: Option<(StateId, usize)>,
    /// A slot that may go on: its state, where it began and where it stopped, at
    /// a byte that it may hold.
    retry: Option<(StateId, usize, usize)>,
    /// Where a region of prose opens, or the rest of the turn is read, if the call
    /// with which it may begin does not come.
    region: Option<(StateId, usize)>,
    pub(crate) name: (usize, usize),
    pub(crate) key: (usize, usize),
    pub(crate) kind: (usize, usize),
}

/// What came of walking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    /// The input is used up.
    More,
    /// A state that is not the walker's.
    There,
    /// Nothing fits at `token`.
    Fail,
}

impl Walk {
    /// Goes to a state, to be begun at `at`.
    pub(crate) fn go(&mut self, state: StateId, at: usize) {
        self.slot_fallback = None;
        self.retry = None;
        self.region = None;
        self.enter(state, at);
    }

    /// Goes where a region opens instead of a call that did not come. Says whether
    /// there is such a place. If that comes to nothing too, it is still the call
    /// that failed, at its token.
    pub(crate) fn open_region(&mut self) -> bool {
        let Some((state, at)) = self.region.take() else { return false };
        let token = self.token;
        self.go(state, at);
        self.token = token;
        true
    }

    /// What is about to be read may be a call. If it is none, and neither is what
    /// stands there otherwise, a region may open.
    fn may_open_region(&mut self, program: &Program, otherwise: Option<StateId>) {
        let mut last = otherwise;
        while let Some(state) = last {
            match program.state(state) {
                State::Slot(slot) => last = slot.otherwise,
                State::Mark(Mark::Enter(_) | Mark::Whole, _) => {
                    self.region = Some((state, self.at));
                    return;
                }
                _ => return,
            }
        }
    }

    /// Goes past a state that reads nothing.
    pub(crate) fn pass(&mut self, next: StateId) {
        self.enter(next, self.at);
    }

    fn enter(&mut self, state: StateId, at: usize) {
        self.state = state;
        self.at = at;
        self.token = at;
        self.branch = None;
        self.blank = None;
        self.begun = false;
        self.fallback = None;
    }

    /// Whether a text has been matched in part.
    pub(crate) fn inside_text(&self, program: &Program) -> bool {
        let between_halves = matches!(
            program.state(self.state),
            State::Choice(Choice { inner: true, otherwise: None, .. })
        );
        self.branch.is_some() || between_halves
    }

    /// How much of the text that did not fit may be the beginning of the same
    /// text once more.
    pub(crate) fn overlap(&self, program: &Program) -> usize {
        let (State::Choice(choice), Some((branch, matched))) =
            (program.state(self.state), self.branch)
        else {
            return 0;
        };
        // The second half of a text repeats its own beginning, not the text's.
        if choice.inner {
            return 0;
        }
        let there = &choice.branches[branch].text[..matched];
        (1..matched).rev().find(|len| there.ends_with(&there[..*len])).unwrap_or(0)
    }

    /// Goes on with the overlap as the beginning of the text.
    pub(crate) fn shift_to_overlap(&mut self, overlap: usize, start: usize) {
        if let Some((_, matched)) = &mut self.branch {
            *matched = overlap;
        }
        self.token = start;
        self.at = start + overlap;
    }

    /// At the end of the output: goes where a text leads that did not come.
    /// Says whether there is such a place.
    pub(crate) fn settle(&mut self, program: &Program) -> bool {
        let (state, at) = match (program.state(self.state), self.fallback) {
            (State::Choice(_), Some(fallback)) if self.branch.is_some() => fallback,
            (State::Choice(Choice { otherwise: Some(otherwise), .. }), _)
                if self.branch.is_none() =>
            {
                (*otherwise, self.at)
            }
            // Nothing came behind the text.
            (State::Slot(_), Some(fallback)) if self.at == self.token => fallback,
            _ => return false,
        };
        let region = self.region;
        self.go(state, at);
        self.region = region;
        true
    }

    /// Walks on through `bytes`.
    pub(crate) fn walk(&mut self, program: &Program, bytes: &[u8], origin: Origin) -> Walked {
        loop {
            let walked = match program.state(self.state) {
                State::Choice(choice) => self.choice(program, choice, bytes, origin),
                State::Slot(slot) => self.slot(program, slot, bytes),
                _ => return Walked::There,
            };
            match walked {
                Walked::There => {}
                Walked::More => return Walked::More,
                Walked::Fail if self.fallback.is_none() && self.retry.is_some() => {
                    self.resume_slot();
                }
                Walked::Fail => match self.fallback.take().or(self.slot_fallback.take()) {
                    Some((state, at)) => self.go(state, at),
                    None if self.open_region() => {}
                    None => return Walked::Fail,
                },
            }
        }
    }

    /// What follows a slot did not come: the byte at which the slot stopped was
    /// one of its own.
    fn resume_slot(&mut self) {
        if let Some((state, token, stop)) = self.retry.take() {
            self.enter(state, stop + 1);
            self.token = token;
            self.begun = true;
        }
    }

    fn choice(
        &mut self,
        program: &Program,
        choice: &Choice,
        bytes: &[u8],
        origin: Origin,
    ) -> Walked {
        if self.branch.is_none() {
            let before = self.blank.unwrap_or(self.at);
            if choice.space != Space::None {
                let start = self.at;
                while bytes.get(self.at).is_some_and(|byte| match choice.space {
                    Space::Newlines => matches!(byte, b'\n' | b'\r'),
                    _ => is_space(*byte),
                }) {
                    self.at += 1;
                }
                look(self.at - start);
            }
            if !choice.inner {
                self.token = self.at;
            }
            let Some(first) = bytes.get(self.at) else {
                self.blank = Some(before);
                return Walked::More;
            };
            self.blank = None;
            look(1);
            let fits = |branch: &crate::program::Branch| {
                branch.text[0] == *first && !(branch.token && origin == Origin::Text)
            };
            let branch = choice.branches.iter().position(fits);
            // Where a region of prose opens or closes if none of the texts comes.
            // White space in front of them is then the prose's.
            let edge = choice.otherwise.filter(|otherwise| {
                !choice.branches.is_empty()
                    && matches!(program.state(*otherwise), State::Mark(Mark::Enter(_), _))
            });
            match branch {
                Some(branch) => {
                    self.may_open_region(program, choice.otherwise);
                    self.branch = Some((branch, 1));
                    // The second half of a text is missing behind the first.
                    let from = if edge.is_some() || choice.inner { before } else { self.token };
                    self.at += 1;
                    // The second half of a text falls back where the first does.
                    if !choice.inner || choice.otherwise.is_some() {
                        self.fallback = choice.otherwise.map(|state| (state, from));
                    }
                }
                None => match choice.otherwise {
                    Some(otherwise) => {
                        self.enter(otherwise, if edge.is_some() { before } else { self.at });
                        return Walked::There;
                    }
                    None => return Walked::Fail,
                },
            }
        }
        let Some((branch, matched)) = &mut self.branch else { return Walked::Fail };
        let branch = &choice.branches[*branch];
        let missing = &branch.text[*matched..];
        let there = &bytes[self.at..];
        let length = missing.len().min(there.len());
        let same = missing.iter().zip(there).take_while(|(a, b)| a == b).count();
        look(length.min(same + 1));
        self.at += same;
        *matched += same;
        if same < length {
            return Walked::Fail;
        }
        if same < missing.len() {
            return Walked::More;
        }
        self.branch = None;
        self.state = branch.next;
        Walked::There
    }

    fn slot(&mut self, program: &Program, slot: &Slot, bytes: &[u8]) -> Walked {
        if !self.begun {
            self.begun = true;
            self.token = self.at;
            self.slot_fallback = slot.otherwise.map(|state| (state, self.at));
            self.may_open_region(program, slot.otherwise);
        }
        let start = self.at;
        let ends = |byte: &u8| match slot.kind {
            SlotKind::Name | SlotKind::Word => !is_name_byte(*byte) || slot.stops.contains(byte),
            SlotKind::Key | SlotKind::Type => *byte < 0x20 || slot.stops.contains(byte),
            SlotKind::Index => !byte.is_ascii_digit(),
        };
        let end = bytes[start..].iter().position(ends);
        self.at = end.map_or(bytes.len(), |end| start + end);
        look(self.at - start + usize::from(end.is_some()));
        if self.at - self.token > LONGEST_SLOT {
            return Walked::Fail;
        }
        if end.is_none() {
            return Walked::More;
        }
        if self.at == self.token && slot.kind != SlotKind::Key {
            return Walked::Fail;
        }
        let named = matches!(slot.kind, SlotKind::Name | SlotKind::Word);
        self.retry = (named && bytes.get(self.at).is_some_and(|byte| is_name_byte(*byte)))
            .then_some((self.state, self.token, self.at));
        let range = (self.token, self.at);
        match slot.kind {
            SlotKind::Name => self.name = range,
            SlotKind::Key => self.key = range,
            SlotKind::Type => self.kind = range,
            SlotKind::Word | SlotKind::Index => {}
        }
        self.enter(slot.next, self.at);
        Walked::There
    }
}

pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

/// Bytes of a tool's name: no white space, no brackets, no quotes, nothing that
/// separates. Whatever is not ASCII may stand in one.
pub(crate) fn is_name_byte(byte: u8) -> bool {
    !matches!(
        byte,
        0..=b' '
            | 0x7f
            | b'<'
            | b'>'
            | b'"'
            | b'\''
            | b'`'
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b','
            | b';'
            | b'='
            | b'|'
            | b'\\'
    )
}
