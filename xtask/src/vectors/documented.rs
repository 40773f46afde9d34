//! Differences from the recorded vectors that are meant, and why.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::tally::Difference;

/// They are told by what they are, so that the same template may still fail in
/// another way.
const TABLE: &str = include_str!("documented.toml");

static DOCUMENTED: LazyLock<Documented> =
    LazyLock::new(|| toml::from_str(TABLE).unwrap_or_default());

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Documented {
    prompt: Vec<Prompt>,
    reading: Vec<Reading>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    template: String,
    /// What the error says.
    error: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    template: String,
    /// How the output begins.
    output: String,
    /// What differs, and nothing else.
    differs: String,
    reason: String,
}

/// Why this error instead of a prompt is as it should be, if it is.
pub(super) fn prompt(template: &str, error: &str) -> Option<&'static str> {
    let mut known = DOCUMENTED.prompt.iter();
    let found = known.find(|known| known.template == template && error.contains(&known.error));
    found.map(|known| known.reason.as_str())
}

/// Why an output is rightly read in another way, if it is.
pub(super) fn reading(
    template: &str,
    output: &str,
    differences: &[Difference],
) -> Option<&'static str> {
    let found = DOCUMENTED.reading.iter().find(|known| {
        known.template == template
            && output.starts_with(&known.output)
            && differences.iter().all(|difference| difference.what == known.differs)
    });
    found.map(|known| known.reason.as_str())
}

#[cfg(test)]
mod tests {
    use super::{Documented, TABLE, prompt, reading};
    use crate::tally::Difference;

    #[test]
    fn the_table_gives_reasons() {
        let table: Documented = toml::from_str(TABLE).expect("a table");
        let prompts = table.prompt.iter().map(|known| &known.reason);
        let reasons = prompts.chain(table.reading.iter().map(|known| &known.reason));
        assert!(reasons.into_iter().all(|reason| !reason.is_empty()));
        assert!(table.reading.iter().all(|known| !known.output.is_empty()));
    }

    #[test]
    fn only_what_is_described_is_documented() {
        let template = "Qwen3-Coder.jinja";
        let differing = |what| Difference { what, expected: "a".into(), found: "b".into() };
        let calls = [differing("calls")];
        assert!(reading(template, "<function=f></function>", &calls).is_some());
        assert_eq!(reading(template, "<tool_call><function=f>", &calls), None);
        assert_eq!(reading("other.jinja", "<function=f></function>", &calls), None);
        let more = [differing("calls"), differing("content")];
        assert_eq!(reading(template, "<function=f></function>", &more), None);
        assert_eq!(prompt("other.jinja", "`functions` is undefined"), None);
    }
}
