//! What Jinja2 templates take from Python and the engine does not have, or has
//! otherwise: values, printing, methods, filters, tests and functions.

#[allow(clippy::needless_pass_by_value, reason = "arguments of a template's call come by value")]
mod builtins;
mod methods;
mod print;
pub(crate) mod value;

pub(crate) use builtins::{Raised, function, install};
