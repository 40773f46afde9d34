//! `{% generation %}`, with which templates mark what the model wrote.
//!
//! The engine does not know the tag. It stands for a block of its own, which
//! `{% with %}` is too; the new tag is as long as the old one, so that places
//! in errors stay.

/// The template source as the engine reads it: with `with` for `generation`,
/// and with one kind of line ends.
pub(crate) fn adapted(source: &str) -> String {
    let mut out = source.replace("\r\n", "\n").replace('\r', "\n");
    let mut at = 0;
    while let Some((tag, end)) = next_tag(&out, at) {
        let known = match &out[tag.clone()] {
            "generation" => Some("with      "),
            "endgeneration" => Some("endwith      "),
            _ => None,
        };
        if let Some(known) = known {
            out.replace_range(tag, known);
        }
        at = end;
    }
    out
}

/// The place of the next tag's name at or after `at`, and where to go on.
fn next_tag(source: &str, mut at: usize) -> Option<(std::ops::Range<usize>, usize)> {
    loop {
        let open = at + source.get(at..)?.find('{')?;
        at = match source.as_bytes().get(open + 1) {
            Some(b'#') => after(source, open + 2, "#}")?,
            Some(b'{') => end_of_code(source, open + 2, "}}")?,
            Some(b'%') => {
                let body = open + 2;
                let rest = &source[body..];
                let name = rest.trim_start_matches(['-', '+']).trim_start();
                let start = source.len() - name.len();
                let length = name.find(|char: char| !char.is_alphanumeric()).unwrap_or(name.len());
                let name = start..start + length;
                let end = end_of_code(source, name.end, "%}")?;
                if &source[name.clone()] == "raw" { after(source, end, "endraw")? } else { return Some((name, end)) }
            }
            _ => open + 1,
        };
    }
}

fn after(source: &str, from: usize, what: &str) -> Option<usize> {
    source.get(from..)?.find(what).map(|at| from + at + what.len())
}

/// Where the code that begins at `from` ends, strings skipped.
fn end_of_code(source: &str, from: usize, close: &str) -> Option<usize> {
    let mut quote = None;
    let mut chars = source.get(from..)?.char_indices();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), _) if open == char => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, _) if source[from + at..].starts_with(close) => {
                return Some(from + at + close.len());
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::adapted;

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
}
