//! The graph of a program while it is built: states, and how two of them are
//! made one so that no byte needs to be looked at twice to tell them apart.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use callsign_core::ByteSet;

use crate::program::{Branch, Choice, Mark, Slot, Space, State, StateId};
use crate::walk::is_name_byte;

/// The states of a program under construction.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) states: Vec<State>,
    /// Where a state stands that is there already.
    known: HashMap<State, StateId, BuildHasherDefault<Fnv>>,
    /// What has been made of two states.
    merged: HashMap<(StateId, StateId), StateId, BuildHasherDefault<Fnv>>,
}

/// A hash for a few short states, which nobody attacks.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u16(&mut self, number: u16) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x0100_0000_01b3);
    }

    fn write_usize(&mut self, number: usize) {
        self.0 = (self.0 ^ number as u64).wrapping_mul(0x0100_0000_01b3);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_usize(number.unsigned_abs());
    }
}

/// Two alternatives that no bounded prefix tells apart.
#[derive(Debug)]
pub(crate) struct Conflict(pub(crate) String);

impl Graph {
    pub(crate) fn add(&mut self, state: State) -> StateId {
        if let Some(id) = self.known.get(&state) {
            return *id;
        }
        let id = self.states.len() as StateId;
        self.states.push(state.clone());
        self.known.insert(state, id);
        id
    }

    /// A state that is filled in later, so that others can lead to it already.
    pub(crate) fn reserve(&mut self) -> StateId {
        // Never equal to another state: its target is itself.
        let id = self.states.len() as StateId;
        self.states.push(State::Mark(Mark::Leave, id));
        id
    }

    pub(crate) fn fill(&mut self, id: StateId, with: StateId) {
        self.states[usize::from(id)] = self.get(with).clone();
        self.merged.clear();
    }

    pub(crate) fn get(&self, id: StateId) -> &State {
        &self.states[usize::from(id)]
    }

    /// `text`, then `next`.
    pub(crate) fn literal(&mut self, text: &str, token: bool, next: StateId) -> StateId {
        // Text after text is one text.
        if let State::Choice(Choice { space: Space::None, branches, otherwise: None, .. }) =
            self.get(next)
            && let [only] = branches.as_slice()
        {
            let text = [text.as_bytes(), &only.text].concat().into();
            let next = only.next;
            return self.branch(Branch { text, token, next });
        }
        self.branch(Branch { text: text.as_bytes().into(), token, next })
    }

    fn branch(&mut self, branch: Branch) -> StateId {
        let branches = vec![branch];
        self.add(State::Choice(Choice { branches, ..Choice::default() }))
    }

    /// White space, then `next`.
    pub(crate) fn space(&mut self, space: Space, next: StateId) -> StateId {
        let choice = match self.get(next) {
            State::Choice(choice) => Choice { space: choice.space.max(space), ..choice.clone() },
            _ => Choice { space, otherwise: Some(next), ..Choice::default() },
        };
        self.add(State::Choice(choice))
    }

    pub(crate) fn mark(&mut self, mark: Mark, next: StateId) -> StateId {
        self.add(State::Mark(mark, next))
    }

    /// A mark after which the machine does not walk on.
    pub(crate) fn end(&mut self, mark: Mark) -> StateId {
        self.add(State::Mark(mark, 0))
    }

    /// Either of two states.
    pub(crate) fn merge(&mut self, a: StateId, b: StateId) -> Result<StateId, Conflict> {
        if a == b {
            return Ok(a);
        }
        if let Some(merged) = self.merged.get(&(a, b)) {
            return Ok(*merged);
        }
        let merged = match (self.get(a).clone(), self.get(b).clone()) {
            (State::Choice(a), State::Choice(b)) => {
                let mut branches = a.branches;
                for branch in b.branches {
                    self.add_branch(&mut branches, branch)?;
                }
                let otherwise = match (a.otherwise, b.otherwise) {
                    (Some(a), Some(b)) => Some(self.merge(a, b)?),
                    (a, b) => a.or(b),
                };
                let (space, inner) = (a.space.max(b.space), a.inner && b.inner);
                State::Choice(Choice { space, branches, otherwise, inner })
            }
            (State::Choice(choice), _) => self.with_otherwise(choice, b)?,
            (_, State::Choice(choice)) => self.with_otherwise(choice, a)?,
            (State::Slot(a), State::Slot(b)) if a.kind == b.kind => {
                let mut stops = a.stops;
                stops.extend(b.stops);
                stops.sort_unstable();
                stops.dedup();
                let next = self.merge(a.next, b.next)?;
                let otherwise = match (a.otherwise, b.otherwise) {
                    (Some(a), Some(b)) => Some(self.merge(a, b)?),
                    (a, b) => a.or(b),
                };
                State::Slot(Slot { kind: a.kind, stops, next, otherwise })
            }
            (State::Slot(slot), _) if slot.otherwise.is_none() => {
                State::Slot(Slot { otherwise: Some(b), ..slot })
            }
            (_, State::Slot(slot)) if slot.otherwise.is_none() => {
                State::Slot(Slot { otherwise: Some(a), ..slot })
            }
            (State::Mark(a, after_a), State::Mark(b, after_b)) if a == b => {
                State::Mark(a, self.merge(after_a, after_b)?)
            }
            (a, b) => return Err(Conflict(format!("{a:?} and {b:?}"))),
        };
        let merged = self.add(merged);
        self.merged.insert((a, b), merged);
        Ok(merged)
    }

    fn with_otherwise(&mut self, choice: Choice, other: StateId) -> Result<State, Conflict> {
        let otherwise = match choice.otherwise {
            Some(known) => self.merge(known, other)?,
            None => other,
        };
        Ok(State::Choice(Choice { otherwise: Some(otherwise), ..choice }))
    }

    /// Adds a branch so that the first bytes stay distinct: what two texts
    /// share becomes one branch.
    fn add_branch(&mut self, branches: &mut Vec<Branch>, new: Branch) -> Result<(), Conflict> {
        let Some(old) = branches.iter_mut().find(|old| old.text[0] == new.text[0]) else {
            branches.push(new);
            return Ok(());
        };
        let shared = old.text.iter().zip(new.text.iter()).take_while(|(a, b)| a == b).count();
        let rest_of_old = self.rest(old, shared);
        let rest_of_new = self.rest(&new, shared);
        *old = Branch {
            text: new.text[..shared].into(),
            token: old.token && new.token,
            next: self.merge(rest_of_old, rest_of_new)?,
        };
        Ok(())
    }

    /// What follows the first `shared` bytes of a branch.
    fn rest(&mut self, branch: &Branch, shared: usize) -> StateId {
        if shared == branch.text.len() {
            return branch.next;
        }
        let text = branch.text[shared..].into();
        let branches = vec![Branch { text, token: false, next: branch.next }];
        self.add(State::Choice(Choice { branches, inner: true, ..Choice::default() }))
    }

    /// The texts with which a state begins, each followed by what `then` makes
    /// of what followed it. Nothing but texts is kept.
    pub(crate) fn after_texts(
        &mut self,
        id: StateId,
        then: &dyn Fn(&mut Graph, StateId) -> StateId,
    ) -> Option<StateId> {
        let State::Choice(choice) = self.get(id).clone() else { return None };
        let mut branches = Vec::new();
        for branch in choice.branches {
            let shared = matches!(self.get(branch.next), State::Choice(Choice { inner: true, .. }));
            let next = match shared.then(|| self.after_texts(branch.next, then)).flatten() {
                Some(next) => next,
                None => then(self, branch.next),
            };
            branches.push(Branch { next, ..branch });
        }
        let own = (!branches.is_empty()).then(|| {
            let inner = choice.inner;
            self.add(State::Choice(Choice {
                space: choice.space,
                branches,
                otherwise: None,
                inner,
            }))
        });
        let other = choice.otherwise.and_then(|other| match choice.inner {
            // The first half of the texts is a text of its own.
            true => Some(then(self, other)),
            false => self.after_texts(other, then),
        });
        match (own, other) {
            (Some(own), Some(other)) => self.merge(own, other).ok().or(Some(own)),
            (own, other) => own.or(other).map(|id| self.space(choice.space, id)),
        }
    }

    /// `id` with the head of a call complete behind the first text that cannot be
    /// part of its name.
    pub(crate) fn mark_head(&mut self, id: StateId) -> Option<StateId> {
        let changed = match self.get(id).clone() {
            State::Choice(mut choice) => match choice.branches.as_mut_slice() {
                [only] if only.text.iter().all(|byte| is_name_byte(*byte)) => {
                    only.next = self.mark_head(only.next)?;
                    State::Choice(choice)
                }
                _ => {
                    return self.after_texts(id, &|graph, next| graph.mark(Mark::Head, next));
                }
            },
            State::Slot(slot) => {
                let next = self.mark_head(slot.next)?;
                State::Slot(Slot { next, ..slot })
            }
            State::Mark(mark, next) => State::Mark(mark, self.mark_head(next)?),
            _ => return None,
        };
        Some(self.add(changed))
    }

    /// The bytes with which a state can begin.
    pub(crate) fn firsts(&self, id: StateId) -> Vec<u8> {
        let mut firsts = Vec::new();
        let mut next = Some(id);
        // A chain of fallbacks is no longer than the graph.
        for _ in 0..=self.states.len() {
            let Some(id) = next else { break };
            next = match self.get(id) {
                State::Choice(choice) => {
                    firsts.extend(choice.branches.iter().map(|branch| branch.text[0]));
                    match choice.space {
                        Space::None => {}
                        Space::Newlines => firsts.extend(*b"\n\r"),
                        Space::Any => firsts.extend(*b" \n\r\t"),
                    }
                    choice.otherwise
                }
                State::Mark(_, next) => Some(*next),
                _ => None,
            };
        }
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }

    /// The whole texts with which a state can begin.
    pub(crate) fn texts(&self, id: StateId) -> Vec<Box<[u8]>> {
        let mut texts = Vec::new();
        let mut halves = vec![(id, Vec::new())];
        while let Some((id, half)) = halves.pop() {
            let State::Choice(choice) = self.get(id) else { continue };
            if choice.inner && choice.otherwise.is_some() {
                // The first half is a text of its own.
                texts.push(half.as_slice().into());
            }
            for branch in &choice.branches {
                let text = [half.as_slice(), &branch.text].concat();
                match self.get(branch.next) {
                    State::Choice(Choice { inner: true, .. }) => halves.push((branch.next, text)),
                    _ => texts.push(text.into()),
                }
            }
        }
        texts
    }

    /// The second bytes of what may stand at a choice.
    pub(crate) fn seconds(&self, id: StateId) -> ByteSet {
        let State::Choice(Choice { space: Space::None, branches, otherwise: None, .. }) =
            self.get(id)
        else {
            return ByteSet::ALL;
        };
        let mut seconds = Vec::new();
        for branch in branches {
            match (branch.text.get(1), self.get(branch.next)) {
                (Some(second), _) => seconds.push(*second),
                (None, State::Choice(Choice { otherwise: None, .. })) => {
                    seconds.extend(self.firsts(branch.next));
                }
                _ => return ByteSet::ALL,
            }
        }
        seconds.into_iter().collect()
    }
}
