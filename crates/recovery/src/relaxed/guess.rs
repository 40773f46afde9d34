//! The last tier: syntax rewritten by rules of thumb. Whatever the rules make
//! up or leave out, their result is refused.

use callsign_core::Repair;
use callsign_core::json::{self, Kind, tokens, unescape};

use super::{Ending, Relaxed, read};

/// The object or array that all of `text` was probably meant to be. The result
/// always carries [`Repair::ClosedString`], if the text ends inside a string,
/// or [`Repair::Rewritten`].
///
/// It is one only if every string, number and literal of it stands in the text,
/// in the same order, with nothing but JSON's punctuation between them.
pub(crate) fn guess(text: &str) -> Option<Relaxed> {
    let text = text.trim_end();
    let json = jsonrepair_rs::jsonrepair(text).ok()?;
    let json = json.trim();
    let container = matches!(json::kind(json), Some(Kind::Object | Kind::Array));
    if !container || !says_the_same(json, text) {
        return None;
    }
    let cut = read(text, Ending::Proved, usize::MAX).err().filter(|fault| fault.cut);
    let repair = match cut {
        Some(fault) if fault.expected == super::strings::OPEN => Repair::ClosedString,
        _ => Repair::Rewritten,
    };
    Some(Relaxed { json: json.to_owned(), repairs: vec![repair], len: text.len() })
}

/// Whether `json` holds what `text` holds, but for syntax.
fn says_the_same(json: &str, text: &str) -> bool {
    let mut rest = text;
    for token in tokens(json) {
        if matches!(token, "{" | "}" | "[" | "]" | "," | ":") {
            continue;
        }
        match passed(token, rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.chars().all(is_syntax)
}

/// What follows the first place in `text` where `token` stands, as JSON spells
/// it or as it reads, with only punctuation before it.
fn passed<'t>(token: &str, text: &'t str) -> Option<&'t str> {
    let written = token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let read = written.and_then(unescape);
    let mut spellings = vec![written.unwrap_or(token)];
    spellings.extend(read.as_deref());
    match token {
        "true" => spellings.push("True"),
        "false" => spellings.push("False"),
        "null" => spellings.push("None"),
        _ => {}
    }
    let mut rest = text;
    loop {
        for spelling in &spellings {
            // A part of a word is another word.
            if let Some(after) = rest.strip_prefix(*spelling)
                && !(ends_in_word(spelling) && after.starts_with(char::is_alphanumeric))
            {
                return Some(after);
            }
        }
        let next = rest.chars().next().filter(|char| is_syntax(*char))?;
        rest = &rest[next.len_utf8()..];
    }
}

fn ends_in_word(text: &str) -> bool {
    text.chars().next_back().is_some_and(char::is_alphanumeric)
}

fn is_syntax(char: char) -> bool {
    char.is_whitespace()
        || matches!(char, '{' | '}' | '[' | ']' | ',' | ':' | '"' | '\'' | '`')
        || matches!(char, '\u{2018}'..='\u{201f}')
}

#[cfg(test)]
mod tests {
    use callsign_core::Repair::{self, ClosedString, Rewritten};
    use callsign_core::json::{entries, is_object, unescape};
    use proptest::prelude::*;

    use super::super::tests::scraps;
    use super::{Relaxed, guess};

    #[test]
    fn a_guess_says_nothing_new() {
        for (text, json, repair) in [
            (r#"{"city": Oslo}"#, r#"{"city": "Oslo"}"#, Rewritten),
            (r#"{"city" "Oslo"}"#, r#"{"city": "Oslo"}"#, Rewritten),
            (r#"{"city": "Oslo", "on": True"#, r#"{"city": "Oslo", "on": true}"#, Rewritten),
            (r#"{"city": "Os"#, r#"{"city": "Os"}"#, ClosedString),
            (r#"{"a": 012}"#, r#"{"a": "012"}"#, Rewritten),
            (r#"{"p": "C:\\new", "q": a}"#, r#"{"p": "C:\\new", "q": "a"}"#, Rewritten),
        ] {
            let guess = guess(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                guess,
                Relaxed { json: json.into(), repairs: vec![repair], len: text.len() }
            );
            assert!(guess.repairs[0].is_guess());
        }
        for text in [
            r#"{"p":"C:\Users\new", q: a}"#,
            r#"{"p":"a\_b", "q": a}"#,
            r#"{"a":1,"b"#,
            r#"{"a":1,"b":"#,
            r#"{"c": #fff}"#,
            r#"{"a": "x" + "y"}"#,
            "{\"a\": 1 // one\n}",
            r#"{"a": 1.}"#,
            r#"{"a": 1} {"b": 2}"#,
            "Sure!",
            "12",
            "",
        ] {
            assert_eq!(guess(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_guess_is_marked_and_json(text in scraps()) {
            if let Some(guess) = guess(&text) {
                prop_assert!(is_object(&guess.json) || guess.json.starts_with('['));
                prop_assert!(guess.repairs.iter().all(Repair::is_guess) && guess.repairs.len() == 1);
                for (key, _) in entries(&guess.json) {
                    prop_assert!(text.contains(&key) || unescape(&text).is_none_or(|text| text.contains(&key)));
                }
            }
        }
    }
}
