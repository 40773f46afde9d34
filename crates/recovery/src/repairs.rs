//! The repairs of one call, each once, in the order in which they were made.

use std::collections::HashSet;

use callsign_core::Repair;

/// Repairs without repetition.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repairs {
    made: Vec<Repair>,
    /// The same, to be found: there may be one for every item of a long list.
    known: HashSet<Repair>,
}

impl Repairs {
    pub(crate) fn add(&mut self, repair: Repair) {
        if self.known.insert(repair.clone()) {
            self.made.push(repair);
        }
    }

    pub(crate) fn extend(&mut self, repairs: impl IntoIterator<Item = Repair>) {
        for repair in repairs {
            self.add(repair);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// The first that is a guess.
    pub(crate) fn guess(&self) -> Option<&Repair> {
        self.made.iter().find(|repair| repair.is_guess())
    }

    pub(crate) fn into_vec(self) -> Vec<Repair> {
        self.made
    }
}

impl IntoIterator for Repairs {
    type Item = Repair;
    type IntoIter = std::vec::IntoIter<Repair>;

    fn into_iter(self) -> Self::IntoIter {
        self.made.into_iter()
    }
}
