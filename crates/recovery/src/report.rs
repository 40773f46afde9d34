//! What recovery did in a turn, for a log to count.

use std::collections::BTreeMap;

use callsign_core::{Event, Provenance, Repair, Rule};
use serde::Serialize;

/// What recovery did in one turn or in many: add the events of a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// Calls that their dialect read as they stand.
    pub native: usize,
    /// Calls that were recovered.
    pub recovered: Vec<Entry>,
    /// Calls that their dialect read and that were mended.
    pub mended: Vec<Entry>,
    /// How often what looked like a call was not made one, by the word for why.
    pub refused: BTreeMap<String, usize>,
}

/// A call that was recovered or mended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The form in which it was written; none for one that its dialect read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
    /// The dialect whose markup it bears, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Whether markup says that it is a call.
    pub marked: bool,
    /// What was changed.
    pub repairs: Vec<Repair>,
    /// How many bytes of output it takes.
    pub bytes: usize,
}

impl Report {
    /// Counts an event.
    pub fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Call { span, call, .. } => match &call.provenance {
                Provenance::Recovered(recovered) => self.recovered.push(Entry {
                    rule: Some(recovered.rule),
                    dialect: recovered.dialect.clone(),
                    marked: recovered.marked,
                    repairs: recovered.repairs.clone(),
                    bytes: span.len(),
                }),
                Provenance::Mended(repairs) => self.mended.push(Entry {
                    rule: None,
                    dialect: None,
                    marked: true,
                    repairs: repairs.clone(),
                    bytes: span.len(),
                }),
                _ => self.native += 1,
            },
            Event::Attempt(attempt) => {
                let word = attempt.refusal.word().to_owned();
                *self.refused.entry(word).or_default() += 1;
            }
            _ => {}
        }
    }
}
