//! Speak the tool-calling protocol each language model was trained on.
//!
//! ```
//! use callsign::{Dialects, End, Offer, Reader, Toolset};
//!
//! let tools = Toolset::from_openai(r#"[{"name": "get_weather", "parameters":
//!     {"type": "object", "properties": {"days": {"type": "integer"}}}}]"#)?;
//! let dialects = Dialects::builtin();
//! let dialect = dialects.get("qwen-xml").ok_or("not built in")?;
//!
//! let output = "<tool_call>\n<function=get_weather>\n<parameter=days>\n3\n\
//!     </parameter>\n</function>\n</tool_call>";
//! let turn = Reader::new(&*dialect, &Offer::new(&tools)).read(output, End::Stop);
//!
//! assert_eq!(turn.calls[0].name, "get_weather");
//! assert_eq!(turn.calls[0].arguments.as_str(), r#"{"days":3}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With the feature `recovery`, [`Dialects::recovery`] puts a net under a dialect,
//! or under none. It recovers calls that leaked as text or came malformed, and
//! says where each call comes from:
//!
//! ```
//! # #[cfg(all(feature = "hermes", feature = "qwen-xml", feature = "recovery"))] {
//! use callsign::{Dialects, End, Offer, Provenance, Reader, Toolset};
//!
//! let tools = Toolset::from_openai(r#"[{"name": "get_weather", "parameters":
//!     {"type": "object", "properties": {"days": {"type": "integer"}}}}]"#)?;
//! let dialects = Dialects::builtin();
//! let hermes = dialects.get("hermes").ok_or("not built in")?;
//! let net = dialects.recovery().over(hermes);
//!
//! let output = "<function=get_weather>\n<parameter=days>3</parameter>\n</function>";
//! let turn = Reader::new(&net, &Offer::new(&tools)).read(output, End::Stop);
//!
//! assert_eq!(turn.calls[0].arguments.as_str(), r#"{"days": 3}"#);
//! assert!(matches!(&turn.calls[0].provenance, Provenance::Recovered(how) if how.marked));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dialects;
#[cfg(feature = "template")]
pub mod template;

pub use callsign_core::*;
#[cfg(feature = "recovery")]
pub use callsign_recovery::{Entry as ReportEntry, Net, Recovery, Report};
pub use callsign_syntax::{CompileError, Compiled, description};
pub use dialects::Dialects;
#[cfg(feature = "template")]
pub use template::detect;

/// The README's examples, so that they keep working.
#[cfg(all(doctest, feature = "recovery"))]
#[doc = include_str!("../../../README.md")]
struct Readme;
