//! What stands around a value and is no part of it.

/// The length of the closing brackets that `rest`, the text behind a value,
/// begins with, white space before and between them counted; 0 if there are
/// none.
pub(crate) fn surplus(rest: &str) -> usize {
    let brackets = rest.trim_start_matches([' ', '\n', '\t', '\r', '}', ']']);
    rest[..rest.len() - brackets.len()].trim_end().len()
}

/// The inside of the Markdown fence that `text` is, white space around it
/// allowed; `None` if it is something else.
pub(crate) fn unfence(text: &str) -> Option<&str> {
    let text = text.trim();
    let char = text.chars().next().filter(|char| matches!(char, '`' | '~'))?;
    let inside = text.trim_start_matches(char);
    let fence = &text[..text.len() - inside.len()];
    if fence.len() < 3 {
        return None;
    }
    let inside = inside.strip_suffix(fence).filter(|inside| !inside.ends_with(char))?;
    let inside = without_info(inside).trim();
    let closes = |line: &str| line.trim_start().starts_with(fence);
    (!inside.lines().any(closes)).then_some(inside)
}

/// The inside of a fence without the word that says what it holds.
fn without_info(inside: &str) -> &str {
    let ends = |char: char| !(char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '+'));
    let after = inside.trim_start_matches([' ', '\t']);
    match after.find(ends) {
        Some(end) if after[end..].starts_with([' ', '\t', '\r', '\n']) => &after[end..],
        _ => inside,
    }
}

#[cfg(test)]
mod tests {
    use super::{surplus, unfence};

    #[test]
    fn surplus_is_closing_brackets() {
        for (rest, length) in [("", 0), (" \n", 0), ("}", 1), (" } ]\n", 4), ("}}x", 2), ("x}", 0)]
        {
            assert_eq!(surplus(rest), length, "{rest:?}");
        }
    }

    #[test]
    fn a_fence_is_the_whole_text() {
        for (text, inside) in [
            ("```json\n{\"a\": 1}\n```", Some("{\"a\": 1}")),
            ("\n```\n[1]\n```\n", Some("[1]")),
            ("~~~tool_call\n[1]\n~~~", Some("[1]")),
            ("```json {\"a\": 1}```", Some("{\"a\": 1}")),
            ("```{\"a\": 1}```", Some("{\"a\": 1}")),
            ("````\n```\n[1]\n```\n````", Some("```\n[1]\n```")),
            ("```\nsearch\n```", Some("search")),
            ("```\n[1]\n```\nDone.", None),
            ("Here: ```\n[1]\n```", None),
            ("```\n[1]\n```\n\n```\n[2]\n```", None),
            ("```json\n[1]", None),
            ("```", None),
            ("``[1]``", None),
            ("[1]", None),
        ] {
            assert_eq!(unfence(text), inside, "{text:?}");
        }
    }
}
