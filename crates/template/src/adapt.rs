//! The source as the engine can read it: with a known tag for `{% generation %}`,
//! and no longer than the engine can stand.
//!
//! Templates mark with that tag what the model wrote. It stands for a block of
//! its own, which `{% with %}` is too; the new tag is as long as the old one, so
//! that places in errors stay.

use std::ops::Range;

use crate::TemplateError;
use crate::error::Fault;
use crate::source::Text;

/// The longest template, and the most code in one of its tags, strings not
/// counted; in bytes, and ten times what templates have. How deep the engine
/// nests goes by the one, and how long it compiles by both.
const LONGEST: usize = 256 << 10;
const MOST_CODE: usize = 8 << 10;

/// The template source as the engine reads it.
///
/// # Errors
///
/// When it is too long, or there is too much code in one of its tags.
pub(crate) fn adapted(template: &Text) -> Result<String, TemplateError> {
    let mut out = with_one_line_end(&template.text);
    let fault = |line: Option<usize>, what: &str, most: usize| {
        let reason = format!("{what} more than {most} bytes");
        TemplateError::Syntax(Box::new(Fault::at(&template.origin, line, reason)))
    };
    if out.len() > LONGEST {
        return Err(fault(None, "the template has", LONGEST));
    }
    let mut at = 0;
    while let Some(tag) = next_tag(&out, at) {
        if tag.code > MOST_CODE {
            let line = out[..tag.whole.start].matches('\n').count() + 1;
            return Err(fault(Some(line), "the code here has", MOST_CODE));
        }
        at = tag.whole.end;
        let known = match &out[tag.name.clone()] {
            "raw" => {
                at = after(&out, at, "endraw").unwrap_or(out.len());
                continue;
            }
            "generation" => "with      ",
            "endgeneration" => "endwith      ",
            _ => continue,
        };
        out.replace_range(tag.name, known);
    }
    Ok(out)
}

/// The text with the one line end that Jinja2 knows. Places in it are those in
/// the adapted source.
pub(crate) fn with_one_line_end(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// A tag, a printed expression or a comment.
struct Tag {
    whole: Range<usize>,
    /// How many bytes of it are code.
    code: usize,
    /// The name of a tag; nothing for the others.
    name: Range<usize>,
}

/// The next one at or after `at`.
fn next_tag(source: &str, mut at: usize) -> Option<Tag> {
    loop {
        let open = at + source.get(at..)?.find('{')?;
        let body = open + 2;
        let (end, code, name) = match source.as_bytes().get(open + 1) {
            Some(b'#') => (after(source, body, "#}").unwrap_or(source.len()), 0, open..open),
            Some(b'{') => {
                let (end, code) = end_of_code(source, body, "}}");
                (end, code, open..open)
            }
            Some(b'%') => {
                let rest = source[body..].trim_start_matches(['-', '+']).trim_start();
                let start = source.len() - rest.len();
                let length = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
                let (end, code) = end_of_code(source, body, "%}");
                (end, code, start..start + length)
            }
            _ => {
                at = open + 1;
                continue;
            }
        };
        return Some(Tag { whole: open..end, code, name });
    }
}

fn after(source: &str, from: usize, what: &str) -> Option<usize> {
    source.get(from..)?.find(what).map(|at| from + at + what.len())
}

/// Where the code that begins at `from` ends, and how much of it there is
/// outside of strings.
fn end_of_code(source: &str, from: usize, close: &str) -> (usize, usize) {
    let mut quote = None;
    let mut code = 0;
    let mut chars = source[from..].char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, _) if source[from + at..].starts_with(close) => {
                return (from + at + close.len(), code);
            }
            (None, _) => {
                code += char.len_utf8();
                quote = Some(char).filter(|char| matches!(char, '\'' | '"'));
            }
        }
    }
    (source.len(), code)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, MOST_CODE};
    use crate::source::Text;

    fn adapted(source: &str) -> String {
        super::adapted(&Text { text: source.into(), origin: "a".into() }).expect("short enough")
    }

    #[test]
    fn the_tag_becomes_a_block_of_the_same_length() {
        assert_eq!(
            adapted("{%- generation -%}a{% endgeneration +%}"),
            "{%- with       -%}a{% endwith       +%}"
        );
        assert_eq!(adapted("{%generation%}"), "{%with      %}");
    }

    #[test]
    fn only_tags_are_touched() {
        for source in [
            "{# {% generation %} #}",
            "{{ '{% generation %}' }}",
            "{% set x = \"\\\"{% generation %}\" %}",
            "{% raw %}{% generation %}{% endraw %}",
            "generation { {",
            "{%",
            "{{ '",
        ] {
            assert_eq!(adapted(source), source);
        }
    }

    #[test]
    fn line_ends_are_one_kind() {
        assert_eq!(adapted("a\r\nb\rc\n"), "a\nb\nc\n");
    }

    #[test]
    fn what_is_too_long_is_refused() {
        let long = [
            (" ".repeat(LONGEST + 1), "a: the template has more than 262144 bytes"),
            (
                format!("\n{{{{{}}}}}", "-".repeat(MOST_CODE + 1)),
                "a:2: the code here has more than 8192 bytes",
            ),
        ];
        for (source, error) in long {
            let refused = super::adapted(&Text { text: source, origin: "a".into() });
            assert_eq!(refused.expect_err("too long").to_string(), error);
        }
    }

    #[test]
    fn strings_and_comments_may_be_long() {
        let long = "x".repeat(MOST_CODE);
        let source = format!("{{{{ '{long}' }}}}{{# {long} #}}{long}");
        assert_eq!(adapted(&source), source);
    }
}
