//! The vocabulary of callsign.
//!
//! A [`Toolset`] is the schema registry of the tools a model is offered. A
//! [`Dialect`] is the tool-call protocol a model was trained on. A [`Reader`]
//! turns the text such a model writes into [`Event`]s, and a [`Turn`] is their
//! sum. What lives here knows no dialect, no IO, no clock and no randomness.

mod buffer;
mod call;
mod constraint;
mod dialect;
mod event;
pub mod json;
mod ledger;
pub mod literal;
mod message;
mod piece;
mod provenance;
mod reader;
mod schema;
mod tool;
mod turn;
mod typing;

pub use buffer::{ArgumentsBuffer, ByteSet, Flow};
pub use call::{Arguments, ArgumentsError, ToolCall};
pub use constraint::{
    Constraint, Node, Unenforced, Vocabulary, arguments_schema, json_schema_unenforced,
    property_schema,
};
pub use dialect::{
    Dialect, End, Fingerprint, Limits, Offer, Origin, Parser, Piece, Policy, ReasoningCalls, Start,
    ToolChoice, Unconstrained, Unwritable,
};
pub use event::{Event, Framing, Limit, Reason, Span};
pub use ledger::{Out, Previews, Retract};
pub use message::{Message, Role};
pub use provenance::{Attempt, Provenance, Recovered, Refusal, Repair, Rule};
pub use reader::{InvalidUtf8, Reader};
pub use schema::{Kinds, Schema, SchemaError, Type, TypeId};
pub use tool::{Effect, Tool, Toolset, ToolsetError};
pub use turn::{Rejected, Turn};
pub use typing::{Nulls, type_text};
