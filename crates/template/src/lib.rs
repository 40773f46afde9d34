//! Chat templates: a conversation and its tools become the prompt that a model
//! was trained on.
//!
//! A [`ChatTemplate`] renders a [`Conversation`] to the byte as
//! `transformers.apply_chat_template` does. [`TemplateSource`] is where it comes
//! from; [`Probes`] say what it does. What lives here knows no backend; of the
//! engine underneath nothing shows.

mod adapt;
mod clock;
mod conversation;
mod error;
mod probes;
mod python;
mod source;
mod stack;
mod template;

pub use clock::{Clock, ClockError};
pub use conversation::{ArgumentsForm, ContentForm, Conversation};
pub use error::{Fault, Limit, TemplateError};
pub use probes::{After, Calls, Generation, Probes, Start, Thinking};
pub use source::TemplateSource;
pub use template::ChatTemplate;
