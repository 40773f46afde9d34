//! The sum of a turn's events.

use serde::Serialize;

use crate::{Attempt, Event, Framing, Reason, Span, ToolCall};

/// One turn of a model, read whole.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Turn {
    /// The text for the user.
    pub content: String,
    /// The model's reasoning.
    pub reasoning: String,
    /// The complete calls, in order.
    pub calls: Vec<ToolCall>,
    /// What began as a call and is none.
    pub rejected: Vec<Rejected>,
    /// What looked like a call and was not made one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<Attempt>,
    /// Whether a value may have closed its own wrapper, so that what follows a
    /// call may be that value's text. Treat the calls of such a turn as you
    /// treat recovered ones.
    pub ambiguous: bool,
}

/// A region that began as a call and is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Rejected {
    /// Where it stands in the output.
    pub span: Span,
    /// The text as written.
    pub text: String,
    /// Why it is no call.
    pub reason: Reason,
    /// The offset in [`Turn::content`] at which it stood.
    pub content_at: usize,
}

impl Turn {
    /// Adds what an event says.
    pub fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text { text, .. } => self.content.push_str(&text),
            Event::Reasoning { text, .. } => self.reasoning.push_str(&text),
            Event::Framing { kind: Framing::Orphan, .. } => self.ambiguous = true,
            Event::Call { call, doubtful, .. } => {
                self.ambiguous |= doubtful;
                self.calls.push(call);
            }
            Event::Rejected { span, text, reason } => self.rejected.push(Rejected {
                span,
                text: text.into_owned(),
                reason,
                content_at: self.content.len(),
            }),
            Event::Attempt(attempt) => self.attempts.push(attempt),
            Event::Framing { .. }
            | Event::CallStarted { .. }
            | Event::Arguments { .. }
            | Event::CallDropped { .. } => {}
        }
    }

    /// The content with every rejected region put back where it stood.
    pub fn content_with_rejected(&self) -> String {
        let rejected: usize = self.rejected.iter().map(|region| region.text.len()).sum();
        let mut whole = String::with_capacity(self.content.len() + rejected);
        let mut at = 0;
        for region in &self.rejected {
            whole.push_str(&self.content[at..region.content_at]);
            whole.push_str(&region.text);
            at = region.content_at;
        }
        whole.push_str(&self.content[at..]);
        whole
    }
}
