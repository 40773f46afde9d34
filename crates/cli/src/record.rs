//! A turn as the JSON object that `--json` and `--batch` print.

use callsign::{Attempt, Provenance, Reason, Turn};
use serde::Serialize;
use serde_json::value::RawValue;

/// One turn. Also what is printed for one line of a batch.
#[derive(Serialize)]
pub(crate) struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    dialect: Option<&'a str>,
    calls: Vec<Call<'a>>,
    /// Calls that must not run. Empty until calls are checked by their schema.
    invalid: [(); 0],
    content: &'a str,
    reasoning: &'a str,
    rejected: Vec<Rejected<'a>>,
    /// What looked like a call and was not made one.
    attempts: &'a [Attempt],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    ambiguous: bool,
    /// The prompt that was rendered for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<&'a str>,
}

#[derive(Serialize)]
struct Call<'a> {
    id: Option<&'a str>,
    name: &'a str,
    arguments: Box<RawValue>,
    provenance: &'a Provenance,
}

#[derive(Serialize)]
struct Rejected<'a> {
    text: &'a str,
    reason: &'a Reason,
}

impl<'a> Record<'a> {
    /// The record of a turn that was read in `dialect`.
    pub(crate) fn new(
        id: Option<&'a RawValue>,
        dialect: Option<&'a str>,
        turn: &'a Turn,
    ) -> Result<Self, serde_json::Error> {
        let mut calls = Vec::with_capacity(turn.calls.len());
        for call in &turn.calls {
            calls.push(Call {
                id: call.id.as_deref(),
                name: &call.name,
                // Compact, because a model may write its JSON over many lines
                // and a record is one. Values, order and duplicates stay.
                arguments: RawValue::from_string(call.arguments.compact())?,
                provenance: &call.provenance,
            });
        }
        Ok(Record {
            id,
            dialect,
            calls,
            invalid: [],
            content: &turn.content,
            reasoning: &turn.reasoning,
            rejected: turn
                .rejected
                .iter()
                .map(|region| Rejected { text: &region.text, reason: &region.reason })
                .collect(),
            attempts: &turn.attempts,
            ambiguous: turn.ambiguous,
            prompt: None,
        })
    }

    /// The same with the prompt that was rendered for it.
    pub(crate) fn with_prompt(self, prompt: Option<&'a str>) -> Self {
        Record { prompt, ..self }
    }

    /// The record as one line of JSON, without its end.
    pub(crate) fn to_line(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self)
    }
}
