//! What the scanners of nested values share.

use callsign_core::{Tool, Type, TypeId};

use crate::machine::Scan;
use crate::program::StateId;

/// What came of one step through nested values.
pub(crate) enum Step {
    /// There is more to do.
    Go,
    /// More input is needed.
    More,
    /// All of them are complete.
    Done,
    /// A byte that does not fit, and what would.
    Unexpected(&'static str),
    /// Nested deeper than allowed.
    TooDeep,
}

impl Step {
    /// What it means for the call, at the byte `at`.
    pub(crate) fn scan(self, at: usize, next: StateId) -> Scan {
        match self {
            Step::Go | Step::More => Scan::More,
            Step::Done => Scan::Done(next),
            Step::Unexpected(expected) => Scan::Unexpected { at, expected },
            Step::TooDeep => Scan::TooDeep,
        }
    }
}

/// The type that a tool's schema gives; without a tool there is none.
pub(crate) fn type_of(tool: Option<&Tool>, kind: TypeId) -> Type<'_> {
    match tool {
        Some(tool) => tool.parameters.get(kind),
        None => Type::unspecified(),
    }
}
