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

/// The longest template, and the longest tag in it, in bytes. The longest in use
/// are a tenth of these; how deep a template nests goes by its length.
const LONGEST: usize = 1 << 20;
const LONGEST_TAG: usize = 64 << 10;

/// The template source as the engine reads it.
///
/// # Errors
///
/// When it is too long, or one of its tags is.
pub(crate) fn adapted(template: &Text) -> Result<String, TemplateError> {
    // Of line ends Jinja2 knows one kind.
    let mut out = template.text.replace("\r\n", "\n").replace('\r', "\n");
    let fault = |line: Option<usize>, what: &str, most: usize| {
        let reason = format!("{what} is longer than {most} bytes");
        TemplateError::Syntax(Fault::at(&template.origin, line, reason))
    };
    if out.len() > LONGEST {
        return Err(fault(None, "the template", LONGEST));
    }
    let mut at = 0;
    while let Some(tag) = next_tag(&out, at) {
        if tag.whole.len() > LONGEST_TAG {
            let line = out[..tag.whole.start].matches('\n').count() + 1;
            return Err(fault(Some(line), "the tag", LONGEST_TAG));
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

/// A tag, a printed expression or a comment.
struct Tag {
    whole: Range<usize>,
    /// The name of a tag; nothing for the others.
    name: Range<usize>,
}

/// The next one at or after `at`.
fn next_tag(source: &str, mut at: usize) -> Option<Tag> {
    loop {
        let open = at + source.get(at..)?.find('{')?;
        let body = open + 2;
        let end = match source.as_bytes().get(open + 1) {
            Some(b'#') => after(source, body, "#}"),
            Some(b'{') => Some(end_of_code(source, body, "}}")),
            Some(b'%') => {
                let rest = source[body..].trim_start_matches(['-', '+']).trim_start();
                let start = source.len() - rest.len();
                let length = rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len());
                let name = start..start + length;
                return Some(Tag { whole: open..end_of_code(source, name.end, "%}"), name });
            }
            _ => {
                at = open + 1;
                continue;
            }
        };
        return Some(Tag { whole: open..end.unwrap_or(source.len()), name: open..open });
    }
}

fn after(source: &str, from: usize, what: &str) -> Option<usize> {
    source.get(from..)?.find(what).map(|at| from + at + what.len())
}

/// Where the code that begins at `from` ends, strings skipped.
fn end_of_code(source: &str, from: usize, close: &str) -> usize {
    let mut quote = None;
    let mut chars = source[from..].char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), _) if open == char => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(char),
            (None, _) if source[from + at..].starts_with(close) => return from + at + close.len(),
            (None, _) => {}
        }
    }
    source.len()
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, LONGEST_TAG};
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
            "{% generation",
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
        for (source, error) in [
            (" ".repeat(LONGEST + 1), "a: the template is longer than 1048576 bytes"),
            (
                format!("\n{{{{{}}}}}", "-".repeat(LONGEST_TAG)),
                "a:2: the tag is longer than 65536 bytes",
            ),
        ] {
            let refused = super::adapted(&Text { text: source, origin: "a".into() });
            assert_eq!(refused.expect_err("too long").to_string(), error);
        }
    }
}
