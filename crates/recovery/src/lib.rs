//! The net under a dialect's parser: it recovers calls that leaked as text or
//! came malformed, says what it changed, and never runs what is only quoted.
//!
//! [`Recovery`] is compiled once from the descriptions of all dialects a program
//! knows. [`Recovery::over`] puts it around one of them; the result is a
//! [`Dialect`](callsign_core::Dialect) like any other, whose parser wraps the
//! other's. [`Recovery::alone`] is for output whose dialect nobody knows.

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
