//! placeholder

pub mod walk;
