//! JSON values in the spelling of the containers that have one of their own.
//! All of it goes over the tokens of the JSON text; nothing recurses.

use callsign_core::json;

use crate::description::Elements;
use crate::literals::is_key_byte;

/// Half a surrogate pair has no spelling but JSON's.
const HALF_A_PAIR: &str = "it holds half of a surrogate pair";

/// The text of a JSON string.
pub(crate) fn text(value: &str) -> Result<String, &'static str> {
    let inside = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let inside = inside.ok_or("it is no string")?;
    json::unescape(inside).map(Into::into).ok_or(HALF_A_PAIR)
}

/// As a Python literal.
pub(crate) fn python(value: &str, out: &mut String) -> Result<(), &'static str> {
    for token in json::tokens(value) {
        match token {
            "true" => out.push_str("True"),
            "false" => out.push_str("False"),
            "null" => out.push_str("None"),
            "," => out.push_str(", "),
            ":" => out.push_str(": "),
            string if string.starts_with('"') => {
                // What JSON escapes, Python reads the same way; but JSON's
                // escaped slash is none of Python's escapes.
                json::quote_into(&text(string)?, out);
            }
            other => out.push_str(other),
        }
    }
    Ok(())
}

/// A key in braces: bare where it can be.
pub(crate) fn brace_key(key: &str, quote: &str) -> String {
    match !key.is_empty() && key.bytes().all(is_key_byte) {
        true => key.to_owned(),
        false => format!("{quote}{key}{quote}"),
    }
}

/// With bare keys, and strings between delimiters.
pub(crate) fn braces(value: &str, quote: &str, out: &mut String) -> Result<(), &'static str> {
    let mut tokens = json::tokens(value).peekable();
    while let Some(token) = tokens.next() {
        if !token.starts_with('"') {
            out.push_str(token);
        } else if tokens.peek() == Some(&":") {
            out.push_str(&brace_key(&text(token)?, quote));
        } else {
            out.push_str(quote);
            out.push_str(&text(token)?);
            out.push_str(quote);
        }
    }
    Ok(())
}

/// As elements.
pub(crate) fn elements(
    value: &str,
    elements: &Elements,
    out: &mut String,
) -> Result<(), &'static str> {
    let Elements { prefix, item } = elements;
    // The tags that are open, and for every container whether it is a list.
    let mut open: Vec<String> = Vec::new();
    let mut lists: Vec<bool> = Vec::new();
    let mut tokens = json::tokens(value).peekable();
    while let Some(token) = tokens.next() {
        let in_list = lists.last() == Some(&true);
        if token.starts_with('"') && tokens.peek() == Some(&":") {
            let key = text(token)?;
            tokens.next();
            out.push_str(&format!("{prefix}<{key}>"));
            open.push(key);
            continue;
        }
        match token {
            "," => continue,
            "}" | "]" => {
                lists.pop();
            }
            _ => {
                if in_list {
                    out.push_str(&format!("{prefix}<{item}>"));
                    open.push(item.clone());
                }
                match token {
                    "{" | "[" => {
                        lists.push(token == "[");
                        continue;
                    }
                    string if string.starts_with('"') => out.push_str(&text(string)?),
                    other => out.push_str(other),
                }
            }
        }
        // A value is complete: so is the element it stands in.
        if let Some(tag) = open.pop() {
            out.push_str(&format!("{prefix}</{tag}>"));
        }
    }
    Ok(())
}
