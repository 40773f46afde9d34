//! Why text is no schema.

use std::fmt;

/// Why text is no schema.
#[derive(Debug)]
pub struct SchemaError(Box<Problem>);

#[derive(Debug)]
pub(super) enum Problem {
    Json(serde_json::Error),
    TooDeep,
    TooLong,
    NoSchema,
}

impl SchemaError {
    /// Line and column, both from 1, where the JSON is at fault.
    pub fn place(&self) -> Option<(usize, usize)> {
        match &*self.0 {
            Problem::Json(error) => Some((error.line(), error.column())),
            _ => None,
        }
    }
}

impl From<Problem> for SchemaError {
    fn from(problem: Problem) -> Self {
        SchemaError(Box::new(problem))
    }
}

impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Problem::Json(error) => write!(f, "not JSON: {error}"),
            Problem::TooDeep => f.write_str("the schema nests more than 128 levels deep"),
            Problem::TooLong => f.write_str("the schema is longer than 4 GiB"),
            Problem::NoSchema => f.write_str("not a JSON Schema: neither an object nor a boolean"),
        }
    }
}

impl std::error::Error for SchemaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Problem::Json(error) => Some(error),
            _ => None,
        }
    }
}
