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

/// The README's example, so that it keeps working.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
