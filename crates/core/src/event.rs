//! What a reader reports while it reads: one enum, in the order of the output.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{Attempt, ToolCall};

/// Where in the model's output something stands: byte offsets, end exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The number of bytes covered.
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether no byte is covered.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// One thing a [`Reader`](crate::Reader) found.
///
/// The events with a span tile the output: every byte of it lands in exactly
/// one of them, in order. The others are previews; they own no bytes and come
/// early so that a caller can show a call while it is being written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// Text for the user.
    Text {
        /// Where it stands.
        span: Span,
        /// The text itself.
        text: Cow<'a, str>,
    },
    /// The model's reasoning.
    Reasoning {
        /// Where it stands.
        span: Span,
        /// The text itself.
        text: Cow<'a, str>,
    },
    /// Markup that belongs to no call and is not for the user: the tags around
    /// reasoning, the white space between calls, stop tokens.
    Framing {
        /// Where it stands.
        span: Span,
        /// The markup as written.
        text: Cow<'a, str>,
        /// What kind of framing it is.
        kind: Framing,
    },
    /// Preview: the head of a call is complete, so its name is known.
    CallStarted {
        /// Which call of the turn, from 0. An index is never used twice.
        index: usize,
        /// The name as written.
        name: Cow<'a, str>,
    },
    /// Preview: the next piece of the arguments of a started call. The pieces
    /// of one call concatenate to exactly the arguments of its
    /// [`Event::Call`].
    Arguments {
        /// The call's index.
        index: usize,
        /// JSON text.
        fragment: Cow<'a, str>,
    },
    /// A complete call.
    Call {
        /// Which call of the turn, from 0.
        index: usize,
        /// Where it stands, opening marker included.
        span: Span,
        /// The call.
        call: ToolCall,
        /// Whether its end is in doubt, because a value in it holds what looks
        /// like the end of a call: see [`Turn::ambiguous`](crate::Turn).
        doubtful: bool,
    },
    /// Preview: a started call came to nothing; what was previewed under this
    /// index is void. The bytes follow under another account.
    CallDropped {
        /// The call's index.
        index: usize,
    },
    /// A remark: what stands at a place that other events account for looked
    /// like a call, and was not made one.
    Attempt(Attempt),
    /// Something that began as a call and is none: broken or cut.
    Rejected {
        /// Where it stands.
        span: Span,
        /// The text as written.
        text: Cow<'a, str>,
        /// Why it is no call.
        reason: Reason,
    },
}

impl Event<'_> {
    /// The bytes this event accounts for; `None` for a preview.
    pub fn span(&self) -> Option<Span> {
        match self {
            Event::Text { span, .. }
            | Event::Reasoning { span, .. }
            | Event::Framing { span, .. }
            | Event::Call { span, .. }
            | Event::Rejected { span, .. } => Some(*span),
            Event::CallStarted { .. }
            | Event::Arguments { .. }
            | Event::CallDropped { .. }
            | Event::Attempt(_) => None,
        }
    }

    /// The same event without borrows.
    pub fn into_owned(self) -> Event<'static> {
        fn own(text: Cow<'_, str>) -> Cow<'static, str> {
            Cow::Owned(text.into_owned())
        }
        match self {
            Event::Text { span, text } => Event::Text { span, text: own(text) },
            Event::Reasoning { span, text } => Event::Reasoning { span, text: own(text) },
            Event::Framing { span, text, kind } => Event::Framing { span, text: own(text), kind },
            Event::CallStarted { index, name } => Event::CallStarted { index, name: own(name) },
            Event::Arguments { index, fragment } => {
                Event::Arguments { index, fragment: own(fragment) }
            }
            Event::Call { index, span, call, doubtful } => {
                Event::Call { index, span, call, doubtful }
            }
            Event::CallDropped { index } => Event::CallDropped { index },
            Event::Attempt(attempt) => Event::Attempt(attempt),
            Event::Rejected { span, text, reason } => {
                Event::Rejected { span, text: own(text), reason }
            }
        }
    }
}

/// The kinds of [`Event::Framing`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Framing {
    /// Markup where the dialect expects it.
    Markup,
    /// A closing tag after a call that closes nothing. A value may have closed
    /// its own wrapper, so the turn's calls are not to be trusted blindly: see
    /// [`Turn::ambiguous`](crate::Turn::ambiguous).
    Orphan,
}

/// Why a region that began as a call is none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// The output ended before the call was closed by its own syntax.
    Incomplete,
    /// The call breaks its dialect's grammar.
    Malformed {
        /// The offset in the output of the first byte that does not fit.
        at: usize,
        /// What the dialect allows there.
        expected: Cow<'static, str>,
    },
    /// It is the markup of a call in a form that is not the dialect's, and no
    /// call could be recovered from it: see [`Turn::attempts`](crate::Turn).
    Leaked,
    /// A limit of [`Limits`](crate::Limits) was passed.
    Limit {
        /// Which one.
        limit: Limit,
    },
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Incomplete => f.write_str("the output ended inside the call"),
            Reason::Malformed { at, expected } => write!(f, "at byte {at}: expected {expected}"),
            Reason::Leaked => f.write_str("a call in another form, which could not be recovered"),
            Reason::Limit { limit } => write!(f, "more {limit} than allowed"),
        }
    }
}

/// The limits a reader enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// Nesting of JSON inside arguments.
    Depth,
    /// Bytes that wait for their account.
    Length,
    /// Calls in one turn.
    Calls,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Limit::Depth => "nesting",
            Limit::Length => "bytes in one region",
            Limit::Calls => "calls in one turn",
        })
    }
}
