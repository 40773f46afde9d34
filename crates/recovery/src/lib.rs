//! The net under a dialect's parser: it recovers calls that leaked as text or
//! came malformed, says what it changed, and never runs what is only quoted.
//!
//! [`Recovery`] is compiled once from the descriptions of all dialects a program
//! knows. [`Recovery::over`] puts it around one of them; the result is a
//! [`Dialect`](callsign_core::Dialect) like any other, whose parser wraps the
//! other's. [`Recovery::alone`] is for output whose dialect nobody knows.
//!
//! ```
//! use callsign_core::{Event, End, Offer, Provenance, Reader, Toolset, Turn};
//! use callsign_recovery::{Recovery, Report};
//!
//! let tools = Toolset::from_openai(r#"[{"name": "get_weather", "parameters":
//!     {"type": "object", "properties": {"city": {"type": "string"}}}}]"#)?;
//! // Forms without markup belong to no dialect: no description is needed.
//! let net = Recovery::new([]).alone().heard(["get_weather(city='Rome')"]);
//!
//! let read = |output: &str| {
//!     let (mut turn, mut report) = (Turn::default(), Report::default());
//!     let mut reader = Reader::new(&net, &Offer::new(&tools));
//!     let mut add = |event: Event<'_>| {
//!         report.add(&event);
//!         turn.add(event);
//!     };
//!     reader.push(output, &mut add);
//!     reader.finish(End::Stop, &mut add);
//!     (turn, report)
//! };
//!
//! let (turn, report) = read("I look.\nget_weather(city='Oslo')");
//! assert_eq!(turn.content, "I look.");
//! assert_eq!(turn.calls[0].arguments.as_str(), r#"{"city":"Oslo"}"#);
//! assert!(matches!(&turn.calls[0].provenance, Provenance::Recovered(how) if !how.marked));
//! assert_eq!(report.recovered.len(), 1);
//!
//! // What others have said is no call, and stays text.
//! let (turn, report) = read("You mean:\nget_weather(city='Rome')");
//! assert!(turn.calls.is_empty());
//! assert_eq!(report.refused["echo"], 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod advice;
mod arguments;
mod balance;
mod bare;
mod braces;
mod judge;
mod names;
mod net;
mod parser;
mod python;
mod region;
mod relaxed;
mod repairs;
mod report;
mod scan;
mod setting;
mod shapes;
mod tag;
mod vocabulary;
mod walk;

pub use net::{Net, Recovery};
pub use report::{Entry, Report};
