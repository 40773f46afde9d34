//! What was read from a case against what is expected of it.

use std::fmt;

use callsign_core::{Provenance, Recovered, ToolCall, Turn};

use super::{Case, ExpectedCall, Mode};

impl Case {
    /// Compares what was read in one of the two modes with what is expected.
    ///
    /// # Errors
    ///
    /// All differences.
    pub fn check(&self, mode: Mode, turn: &Turn) -> Result<(), Vec<Difference>> {
        let mut found = Differences::default();
        let expect = self.expected(mode);
        found.compare("content", &expect.content, &turn.content);
        found.compare("reasoning", &expect.reasoning, &turn.reasoning);
        found.compare("ambiguous", &expect.ambiguous, &turn.ambiguous);
        let rejected = turn.rejected.iter().map(|region| region.text.clone()).collect();
        found.compare("rejected", &expect.rejected, &rejected);
        found.compare("number of calls", &expect.calls.len(), &turn.calls.len());
        for (at, (expected, read)) in expect.calls.iter().zip(&turn.calls).enumerate() {
            found.call(&format!("calls[{at}]"), expected, read);
            // What the net changes, a case says.
            if mode == Mode::Strict || self.recovered.is_none() {
                let what = format!("calls[{at}].provenance");
                found.compare(&what, &Provenance::Native, &read.provenance);
            }
        }
        if let Some(expected) = &expect.attempts {
            let words = turn.attempts.iter().map(|attempt| attempt.refusal.word().to_owned());
            let read = words.collect();
            found.compare("attempts", expected, &read);
        }
        if found.0.is_empty() { Ok(()) } else { Err(found.0) }
    }
}

/// One difference between what is expected and what was read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// What differs, such as `content` or `calls[1].arguments`.
    pub what: String,
    /// As expected.
    pub expected: String,
    /// As read.
    pub read: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: expected {}, read {}", self.what, self.expected, self.read)
    }
}

#[derive(Default)]
struct Differences(Vec<Difference>);

impl Differences {
    fn compare<T: PartialEq + fmt::Debug + ?Sized>(&mut self, what: &str, expected: &T, read: &T) {
        if expected != read {
            self.0.push(Difference {
                what: what.to_owned(),
                expected: format!("{expected:?}"),
                read: format!("{read:?}"),
            });
        }
    }

    fn call(&mut self, what: &str, expected: &ExpectedCall, read: &ToolCall) {
        self.compare(&format!("{what}.name"), &expected.name, &read.name);
        self.compare(
            &format!("{what}.arguments"),
            &expected.arguments.compact(),
            &read.arguments.compact(),
        );
        self.compare(&format!("{what}.id"), &expected.id, &read.id);
        let recovered: Option<&Recovered> = match &read.provenance {
            Provenance::Recovered(recovered) => Some(recovered),
            _ => None,
        };
        if let Some(rule) = expected.rule {
            let read = recovered.map(|recovered| recovered.rule);
            self.compare(&format!("{what}.rule"), &Some(rule), &read);
        }
        if let Some(marked) = expected.marked {
            let read = recovered.map(|recovered| recovered.marked);
            self.compare(&format!("{what}.marked"), &Some(marked), &read);
        }
        if let Some(repairs) = &expected.repairs {
            self.compare(&format!("{what}.repairs"), &repairs[..], read.provenance.repairs());
        }
    }
}
