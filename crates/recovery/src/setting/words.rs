//! Words that say of what stands near them that it is an example, or is not to be
//! run.

/// The longest line without a stop that is taken for a heading, in bytes.
const HEADING: usize = 60;

/// Words that say of what stands near them that it is not to be run. In small
/// letters; the last are other languages' for an example.
const EXAMPLES: [&str; 35] = [
    "use it",
    "for instance",
    "example",
    "e.g.",
    "i.e.",
    "such as",
    "looks like",
    "look like",
    "like this",
    "as follows",
    "the format",
    "the syntax",
    "snippet",
    "would look",
    "would call",
    "you can call",
    "hypothetical",
    "do not run",
    "don't run",
    "did not run",
    "not going to",
    "will not",
    "won't",
    "would not",
    "cannot run",
    "can't run",
    "refuse",
    "not execute",
    "malicious",
    "beispiel",
    "exemple",
    "ejemplo",
    "пример",
    "例",
    "示例",
];

/// The beginnings of words that say so of what a colon announces.
const REPORTS: [&str; 12] = [
    "contain",
    "reads",
    "says",
    "said",
    "wrote",
    "pasted",
    "instruction",
    "asks",
    "inject",
    "copied",
    "would be",
    "permission",
];

/// Words before a colon that say what stands behind it is no call.
const LABELS: [&str; 13] = [
    "sample",
    "template",
    "format",
    "pattern",
    "output",
    "code",
    "log",
    "text",
    "syntax",
    "usage",
    "schema",
    "signature",
    "line",
];

/// Words that talk of calls. In small letters.
const CALLS: [&str; 8] =
    ["call", "tool", "function", "format", "syntax", "json", "markup", "invocation"];

/// Words by which a model says what it does next. In small letters.
const INTENTS: [&str; 9] =
    ["i'll", "i’ll", "i will", "let me", "let's", "going to", "now", "i'm ", "i am "];

/// Words that turn them round.
const DENIALS: [&str; 5] = ["not ", "n't", "n’t", "never", "refuse"];

/// Whether the sentence before a place announces with a colon that what stands there
/// shows what calls are like, or in a fence, what anything is like. What the model
/// says it does is meant.
pub(super) fn shows(before: &str, fenced: bool) -> bool {
    let before = before.trim_end();
    if !before.ends_with([':', '：']) {
        return false;
    }
    let start = [". ", "! ", "? ", "\n"].iter().filter_map(|end| before.rfind(end)).max();
    let sentence = before[start.unwrap_or(0)..].to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    let meant = has(&INTENTS) && !has(&DENIALS);
    !meant && has(&EXAMPLES) && (fenced || has(&CALLS))
}

/// Whether the words before a place say that what stands there is an example.
pub(super) fn is_example(before: &str, leads: bool, announced: bool) -> bool {
    let before = before.trim_end();
    if before.ends_with('?') {
        // Somebody is asked first.
        return true;
    }
    let line = before.rsplit('\n').next().unwrap_or_default();
    // A heading ends with a letter or a mark, a sentence with a stop.
    let heading = line.starts_with(['#', '*', '=', '<']) || {
        let last = line.chars().next_back();
        line.len() <= HEADING && last.is_some_and(char::is_alphanumeric)
    };
    let near = !leads || before.ends_with([':', '：']) || heading;
    if announced && !near {
        return false;
    }
    let paragraph = before.rfind("\n\n").map_or(before, |at| &before[at..]);
    let words = paragraph.to_lowercase();
    let has = |list: &[&str]| list.iter().any(|word| words.contains(word));
    has(&EXAMPLES) || before.ends_with([':', '：']) && is_report(&words)
}

/// Whether words that end with a colon announce what somebody else has written.
fn is_report(words: &str) -> bool {
    let begins = |report: &str| {
        words
            .match_indices(report)
            .any(|(at, _)| !words[..at].chars().next_back().is_some_and(char::is_alphanumeric))
    };
    let label = words.trim_end_matches([':', '：', ' ', '*']);
    let label = label.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    REPORTS.iter().any(|report| begins(report)) || LABELS.contains(&label)
}
