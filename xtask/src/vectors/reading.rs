//! Reading the output of a vector in the dialect that its template speaks.

use std::collections::BTreeMap;
use std::sync::Arc;

use callsign::{Dialect, Dialects, End, Offer, Start, Toolset, Turn};
use callsign_template::{Undetected, detect};
use callsign_testing::reading::Reading;

use super::{ReasoningFormat, Templates, Vector, documented};
use crate::tally::{Difference, Verdict, calls, compare, read_calls};

/// Templates, and the dialect that each speaks, found when it is first asked
/// for.
pub(crate) struct Spoken {
    templates: Templates,
    builtin: Dialects,
    found: BTreeMap<String, Result<Arc<dyn Dialect>, Undetected>>,
}

impl Spoken {
    pub(crate) fn new(templates: Templates) -> Self {
        Spoken { templates, builtin: Dialects::builtin(), found: BTreeMap::new() }
    }

    pub(crate) fn templates(&self) -> &Templates {
        &self.templates
    }
}

/// What came of a vector, and in which dialect it was read.
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    /// Its name; empty where there is none.
    pub(crate) dialect: String,
}

/// Without a dialect.
impl From<Verdict> for Outcome {
    fn from(verdict: Verdict) -> Self {
        Outcome { verdict, dialect: String::new() }
    }
}

impl Vector<'_> {
    /// Reads the output, whole and byte by byte, in the dialect that its
    /// template speaks, and compares.
    pub(crate) fn read(&self, spoken: &mut Spoken) -> Outcome {
        let skipped = |reason: String| Outcome::from(Verdict::Skipped(reason));
        let unread = |found: String| {
            let expected = "a dialect to read in".to_owned();
            let difference = Difference { what: "dialect", expected, found };
            Outcome::from(Verdict::Failed(vec![difference]))
        };
        if let Some(reason) = self.left_out() {
            return skipped(reason.to_owned());
        }
        let (template, tools) = match (self.template(&spoken.templates), self.toolset()) {
            (Ok(template), Ok(tools)) => (template, tools),
            (Err(error), _) | (_, Err(error)) => return unread(error),
        };
        let builtin = &spoken.builtin;
        let found = spoken.found.entry(self.template.clone()).or_insert_with(|| {
            detect(template, builtin.iter()).map(|detection| detection.chosen.dialect)
        });
        match found {
            Ok(dialect) => Outcome {
                verdict: self.judged(self.read_in(&**dialect, &tools)),
                dialect: dialect.name().to_owned(),
            },
            Err(Undetected::NotBuiltIn { family, .. }) => {
                skipped(format!("{family} is not built in"))
            }
            Err(Undetected::Unknown { prints_tools: false }) => {
                skipped("its template has no tools".to_owned())
            }
            Err(error) => unread(error.to_string()),
        }
    }

    fn judged(&self, differences: Vec<Difference>) -> Verdict {
        if differences.is_empty() {
            return Verdict::Passed;
        }
        match documented::reading(&self.template, &self.input, &differences) {
            Some(reason) => Verdict::Documented(reason.to_owned()),
            None => Verdict::Failed(differences),
        }
    }

    /// What differs when the output is read in a dialect.
    fn read_in(&self, dialect: &dyn Dialect, tools: &Toolset) -> Vec<Difference> {
        let start = match self.generation_prompt.as_str() {
            "" => Start::Fresh,
            tail => Start::PromptTail(tail),
        };
        let offer = Offer::new(tools).start(start);
        let whole = Reading::of(dialect, &offer, End::Stop, [self.input.as_str()]);
        let bytes = Reading::of_bytes(dialect, &offer, End::Stop, self.input.as_bytes(), 1);
        self.differences(&whole.turn, &bytes.turn)
    }

    /// What differs from what is expected, and from one way of reading to the
    /// other.
    pub(super) fn differences(&self, whole: &Turn, bytes: &Turn) -> Vec<Difference> {
        let expected = self.expect_calls.iter();
        let expected = expected.map(|call| (call.name.as_str(), call.arguments.as_str()));
        let mut found = Vec::from_iter(compare("calls", calls(expected), read_calls(whole)));
        let ids = self.expect_calls.iter().zip(&whole.calls);
        for (expected, read) in ids.filter(|(expected, _)| !expected.id.is_empty()) {
            let read = read.id.clone().unwrap_or_default();
            found.extend(compare("id", expected.id.clone().into_owned(), read));
        }
        if self.reasoning_format == ReasoningFormat::Apart {
            let trimmed = |text: &str| format!("{:?}", text.trim());
            let (expected, read) = (&self.expect_content, &whole.content);
            found.extend(compare("content", trimmed(expected), trimmed(read)));
            let (expected, read) = (&self.expect_reasoning, &whole.reasoning);
            found.extend(compare("reasoning", trimmed(expected), trimmed(read)));
        }
        let alike = compare("byte by byte", format!("{whole:?}"), format!("{bytes:?}"));
        found.extend(alike);
        found
    }
}
