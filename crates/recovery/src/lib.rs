//! The net under a dialect's parser: it recovers calls that leaked as text or
//! came malformed, says what it changed, and never runs what is only quoted.
//!
//! [`Recovery`] is compiled once from the descriptions of all dialects a program
//! knows. [`Recovery::over`] puts it around one of them; the result is a
//! [`Dialect`](callsign_core::Dialect) like any other, whose parser wraps the
//! other's. [`Recovery::alone`] is for output whose dialect nobody knows.

#[cfg_attr(not(test), expect(dead_code, reason = "not called yet"))]
mod arguments;
#[cfg_attr(not(test), expect(dead_code, reason = "not called yet"))]
mod names;
mod net;
mod relaxed;

pub use net::{Net, Recovery};
