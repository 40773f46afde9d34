//! What the scanners of nested values share.

use callsign_core::{ByteSet, Tool, Type, TypeId};

use crate::audit::look;
use crate::machine::{Machine, Scan, Scanning};
use crate::program::StateId;

/// What came of one step through nested values.
#[derive(Debug, Clone, Copy)]
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
    /// The first step after which there is no more to do at once.
    pub(crate) fn last(mut step: impl FnMut() -> Step) -> Step {
        loop {
            match step() {
                Step::Go => {}
                step => return step,
            }
        }
    }
}

impl Machine {
    /// What a last step means for the call. The steps went from the byte `from`
    /// to `at`.
    pub(crate) fn stopped(&mut self, step: Step, from: usize, at: usize, next: StateId) -> Scan {
        look(at.saturating_sub(from));
        match step {
            Step::Go | Step::More => Scan::More,
            Step::Unexpected(expected) => Scan::Unexpected { at, expected },
            Step::Done => {
                self.scanning = Scanning::Nothing;
                self.walk.at = at;
                Scan::Done(next)
            }
            Step::TooDeep => {
                self.walk.at = at;
                Scan::TooDeep
            }
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

/// The byte that follows the first one of `text`.
pub(crate) fn second_of(text: &[u8]) -> ByteSet {
    text.get(1).map_or(ByteSet::ALL, |second| ByteSet::from_iter([*second]))
}
