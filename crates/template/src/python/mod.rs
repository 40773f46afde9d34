//! What Jinja2 templates take from Python and the engine does not have, or has
//! otherwise: values, printing, methods, filters, tests and functions.

mod builtins;
mod methods;
mod print;
pub(crate) mod value;

pub(crate) use builtins::{Raised, function, install};
