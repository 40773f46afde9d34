//! The streaming reader against the oracle.

use callsign_core::{Reason, Turn};

use super::{Contract, Verdict, same};
use crate::oracle;
use crate::reading::Reading;

impl Contract {
    /// The streaming reader reads what the slow reader of whole outputs reads.
    pub fn oracle_agrees(&self) -> Verdict {
        self.for_outputs(|text, offer, end| {
            let expected = oracle::read(&self.description, offer, text, end);
            let read = Reading::of(&*self.dialect, offer, end, [text]).turn;
            same_turn(&expected, &read).map_err(|problem| format!("{problem}\nof {text:?}"))
        })
    }
}

/// Whether two turns are the same, but for the words of a reason.
fn same_turn(expected: &Turn, read: &Turn) -> Verdict {
    same("the content", &expected.content, &read.content)?;
    same("the reasoning", &expected.reasoning, &read.reasoning)?;
    same("the calls", &expected.calls, &read.calls)?;
    same("the rejected regions", &rejected(expected), &rejected(read))?;
    same("ambiguous", &expected.ambiguous, &read.ambiguous)
}

fn rejected(turn: &Turn) -> Vec<(usize, usize, &str, String)> {
    let regions = turn.rejected.iter().map(|region| {
        let reason = match &region.reason {
            Reason::Malformed { .. } => "malformed".to_owned(),
            reason => reason.to_string(),
        };
        (region.span.start, region.content_at, region.text.as_str(), reason)
    });
    regions.collect()
}
