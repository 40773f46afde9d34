//! Why the command did not do what it was asked.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why the command did not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given cannot be used: a file, a name, a choice.
    Bad(String),
    /// Some lines of a batch could not be used; each has said why.
    BadLines {
        /// How many.
        bad: usize,
        /// Of how many.
        all: usize,
    },
    /// Nobody reads the answer any more.
    NobodyListens,
    /// The answer cannot be written.
    Output(io::Error),
}

impl Failure {
    /// Says what is wrong on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        let code = match self {
            Failure::NobodyListens => return ExitCode::SUCCESS,
            Failure::Bad(_) => 2,
            Failure::BadLines { .. } | Failure::Output(_) => 1,
        };
        // If standard error is gone too, nobody is left to tell.
        let _ = writeln!(io::stderr(), "callsign: {self}");
        ExitCode::from(code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Bad(message) => f.write_str(message),
            Failure::BadLines { bad, all } => {
                write!(f, "{bad} of {all} lines could not be used; each says why in its `error`")
            }
            Failure::NobodyListens => f.write_str("standard output is closed"),
            Failure::Output(error) => write!(f, "cannot write to standard output: {error}"),
        }
    }
}

impl std::error::Error for Failure {}

/// An error of the output. Inputs name their file, in [`Failure::Bad`].
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::NobodyListens,
            _ => Failure::Output(error),
        }
    }
}
