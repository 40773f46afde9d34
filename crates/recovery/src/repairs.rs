//! The repairs of one call, each once, in the order in which they were made.

use callsign_core::Repair;

/// Repairs without repetition.
#[derive(Debug, Clone, Default)]
pub(crate) struct Repairs(Vec<Repair>);

impl Repairs {
    pub(crate) fn add(&mut self, repair: Repair) {
        if !self.0.contains(&repair) {
            self.0.push(repair);
        }
    }

    pub(crate) fn extend(&mut self, repairs: impl IntoIterator<Item = Repair>) {
        for repair in repairs {
            self.add(repair);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first that is a guess.
    pub(crate) fn guess(&self) -> Option<&Repair> {
        self.0.iter().find(|repair| repair.is_guess())
    }

    pub(crate) fn into_vec(self) -> Vec<Repair> {
        self.0
    }
}

impl IntoIterator for Repairs {
    type Item = Repair;
    type IntoIter = std::vec::IntoIter<Repair>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
