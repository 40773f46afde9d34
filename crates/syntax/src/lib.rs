//! One description per dialect, and what is made of it.
//!
//! A [`Description`](description::Description) says how a model family writes
//! its tool calls. [`Compiled`] reads, writes and constrains by it. No marker of
//! any family stands in this crate.

mod audit;
mod compile;
mod constrain;
pub mod description;
mod dialect;
mod elements;
mod entities;
mod graph;
mod literals;
mod machine;
mod nested;
mod object;
mod program;
mod rest;
mod spell;
mod value;
mod walk;
mod write;

#[cfg(feature = "audit")]
pub use audit::take_looked;
pub use compile::CompileError;
pub use dialect::Compiled;
