//! JSON values laid out for a reader, with numbers, order and duplicates as
//! they were written.

/// The widest value that stays on one line.
const LINE: usize = 72;

/// The lines of a JSON value: one if it is short, indented otherwise.
pub(crate) fn lines(value: &str) -> Vec<String> {
    let compact = spaced(&callsign::json::compact(value));
    if compact.chars().count() <= LINE || !compact.starts_with(['{', '[']) {
        return vec![compact];
    }
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut depth = 0;
    let mut after_opener = false;
    for token in Tokens(&compact) {
        match token {
            "{" | "[" => {
                if after_opener {
                    next_line(&mut lines, &mut line, depth);
                }
                line.push_str(token);
                depth += 1;
                after_opener = true;
                continue;
            }
            "}" | "]" => {
                depth -= 1;
                if !after_opener {
                    next_line(&mut lines, &mut line, depth);
                }
                line.push_str(token);
            }
            "," => {
                line.push(',');
                next_line(&mut lines, &mut line, depth);
            }
            " " if line.trim_end().ends_with(',') || line.trim().is_empty() => {}
            _ => {
                if after_opener {
                    next_line(&mut lines, &mut line, depth);
                }
                line.push_str(token);
            }
        }
        after_opener = false;
    }
    lines.push(line);
    lines
}

fn next_line(lines: &mut Vec<String>, line: &mut String, depth: usize) {
    let next = "  ".repeat(depth);
    lines.push(std::mem::replace(line, next));
}

/// Compact JSON with a blank after every colon and comma.
fn spaced(compact: &str) -> String {
    let mut out = String::with_capacity(compact.len() + compact.len() / 8);
    for token in Tokens(compact) {
        out.push_str(token);
        if matches!(token, "," | ":") {
            out.push(' ');
        }
    }
    out
}

/// Strings, punctuation, blanks and what stands between them.
struct Tokens<'a>(&'a str);

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.0.as_bytes();
        let len = match bytes.first()? {
            b'"' => string_len(bytes),
            b'{' | b'}' | b'[' | b']' | b',' | b':' | b' ' => 1,
            _ => bytes
                .iter()
                .position(|byte| matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':' | b' '))
                .unwrap_or(bytes.len()),
        };
        let (token, rest) = self.0.split_at(len);
        self.0 = rest;
        Some(token)
    }
}

/// The length of the string that `bytes` begin with, quotes included.
fn string_len(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_short_value_stays_on_one_line() {
        assert_eq!(lines(r#"{"a":[1,2.50,"x, y: z"]}"#), [r#"{"a": [1, 2.50, "x, y: z"]}"#]);
    }

    #[test]
    fn a_long_value_is_indented_and_keeps_its_spelling() {
        let long = "word ".repeat(12);
        let value =
            format!(r#"{{"big":12345678901234567890,"none":{{}},"list":[[1],["{long}"]]}}"#);
        assert_eq!(
            lines(&value).join("\n"),
            format!(
                "{{\n  \"big\": 12345678901234567890,\n  \"none\": {{}},\n  \"list\": [\n    [\n      \
                 1\n    ],\n    [\n      \"{long}\"\n    ]\n  ]\n}}"
            ),
        );
    }
}
