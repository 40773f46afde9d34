//! Chat templates: a conversation and its tools become the prompt that a model
//! was trained on.
//!
//! A [`ChatTemplate`] renders a [`Conversation`] to the byte as
//! `transformers.apply_chat_template` does. [`TemplateSource`] is where it comes
//! from; [`Probes`] say what it does. What lives here knows no backend and no
//! text of any template; of the engine underneath nothing shows.
//!
//! ```
//! use callsign_core::{Message, Role};
//! use callsign_template::{ChatTemplate, Conversation};
//!
//! let template = ChatTemplate::new(
//!     "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}\n{% endfor %}\
//!      {% if add_generation_prompt %}<assistant>{% if not enable_thinking %}<done>{% endif %}{% endif %}",
//! )?;
//! let messages = [Message::new(Role::User, "Hello! ")];
//! let conversation = Conversation::new(&messages).kwarg("enable_thinking", &false)?;
//! assert_eq!(template.render(&conversation)?, "<user>Hello!\n<assistant><done>");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What differs from Python
//!
//! - Where Python fails of itself, as in a loop over `None`, a prompt may come
//!   out. What a template raises with `raise_exception` it raises here.
//! - Nothing is escaped for HTML, not even what is added to a text marked `safe`.
//! - `'%s' % value`, a unary `+`, string escapes other than `\n \r \t \b \f \x
//!   \u` and octal ones, and the filters `urlencode` and `random` are missing.
//!   `dictsort` and `truncate` take their options by name.
//! - A range prints as a list. Integers beyond 128 bits and floats with an
//!   exponent can be printed and not calculated with; those that a template
//!   makes itself print without an exponent where `~` joins them.
//! - A template has at most 256 KiB, and one of its tags 8 KiB of code.
//!
//! A template that means harm is stopped by fuel, with one gap: `~` and the
//! filters for text print a list before they are paid for, and comparisons go
//! through it unpaid, so lists that hold one another a million million times,
//! or repeat an item as often, can still use up memory and time there.

mod adapt;
mod clock;
mod conversation;
mod detect;
mod error;
mod families;
mod probes;
mod python;
mod source;
mod stack;
mod template;

pub use clock::{Clock, ClockError};
pub use conversation::{ArgumentsForm, ContentForm, Conversation};
pub use detect::{Candidate, Detection, Undetected, Verdict, detect};
pub use error::{Fault, Limit, TemplateError};
pub use probes::{After, Calls, Generation, Prefill, Probes, Thinking};
pub use source::TemplateSource;
pub use template::ChatTemplate;
