//! Tags in what a model wrote, however they are spelled: with other bars, blanks,
//! underscores or cases, with a namespace, with the slot as an attribute or
//! behind an equals sign.

use std::ops::Range;

/// The longest tag, in bytes.
const LONGEST: usize = 256;

/// The longest word of a tag with what decorates it, in bytes. So much of a text
/// waits until it is told from a tag.
const LONGEST_HEAD: usize = 40;

/// The beginning of a text, as far as a tag may go.
pub(crate) fn within(text: &str) -> &str {
    let mut far = text.len().min(LONGEST);
    while !text.is_char_boundary(far) {
        far -= 1;
    }
    &text[..far]
}

/// A tag. Places are offsets in the text it was found in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) span: Range<usize>,
    pub(crate) closing: bool,
    pub(crate) shape: Shape,
    /// Whether blanks stand in it where none belong: what is no known tag is then
    /// none at all.
    pub(crate) spaced: bool,
    /// Whether its own bracket closes it.
    pub(crate) terminated: bool,
    /// Its words without decoration: small letters and digits.
    pub(crate) fold: Fold,
    /// Its first word as written, behind any namespace.
    pub(crate) word: Range<usize>,
    /// What follows its words: an equals sign, attributes.
    pub(crate) tail: Range<usize>,
}

/// What a tag stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    /// `<…>`
    Angle,
    /// `[…]`
    Square,
    /// Brackets of a dialect's own.
    Own,
}

/// What stands at a place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// No tag.
    Nothing,
    /// The text ends before it is clear.
    More,
    /// A tag.
    Tag(Tag),
}

/// The words of a tag without decoration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fold {
    bytes: [u8; LONGEST_HEAD],
    len: usize,
    /// Where the second word begins.
    second: usize,
}

impl Fold {
    const EMPTY: Fold = Fold { bytes: [0; LONGEST_HEAD], len: 0, second: 0 };

    fn push(&mut self, byte: u8) {
        if self.len < LONGEST_HEAD {
            self.bytes[self.len] = byte.to_ascii_lowercase();
            self.len += 1;
        }
    }

    fn next_word(&mut self) {
        if self.second == 0 {
            self.second = self.len;
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        // Only ASCII is pushed.
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }

    /// The same without its first word.
    pub(crate) fn behind_first(&self) -> &str {
        &self.as_str()[self.second..]
    }
}

/// What brackets tags in place of `<`, `</` and `>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Brackets {
    pub(crate) open: Box<str>,
    pub(crate) close: Box<str>,
    pub(crate) end: Box<str>,
}

impl Brackets {
    /// The tag that begins at `at` between these brackets.
    pub(crate) fn look(&self, text: &str, at: usize, last: bool) -> Look {
        let rest = &text[at..];
        let begins = |bracket: &str| !last && bracket.starts_with(rest);
        let (closing, inside) =
            match (rest.strip_prefix(&*self.open), rest.strip_prefix(&*self.close)) {
                (Some(inside), _) => (false, inside),
                (_, Some(inside)) => (true, inside),
                _ if begins(&self.open) || begins(&self.close) => return Look::More,
                _ => return Look::Nothing,
            };
        let start = at + rest.len() - inside.len();
        let near = within(inside);
        let Some(length) = near.find(&*self.end) else {
            return if last || near.len() < inside.len() { Look::Nothing } else { Look::More };
        };
        let mut fold = Fold::EMPTY;
        let head = inside[..length].find(['=', '"']).unwrap_or(length);
        let mut word_end = start;
        for (place, byte) in inside[..head].bytes().enumerate() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                    fold.push(byte);
                    if start + place == word_end {
                        word_end += 1;
                    }
                }
                b'_' | b'-' => {}
                b' ' => fold.next_word(),
                _ => return Look::Nothing,
            }
        }
        Look::Tag(Tag {
            span: at..start + length + self.end.len(),
            closing,
            shape: Shape::Own,
            spaced: false,
            terminated: true,
            fold,
            word: start..word_end,
            tail: start + head..start + length,
        })
    }
}

/// The tag that begins at `at`, where a bracket stands. `last` says that nothing
/// follows the text.
pub(crate) fn look(text: &str, at: usize, last: bool) -> Look {
    match text.as_bytes().get(at) {
        Some(b'<') => angle(text, at, last),
        Some(b'[') => square(text, at, last),
        _ => Look::Nothing,
    }
}

/// `[WORD]`, `[/WORD]`: letters alone.
fn square(text: &str, at: usize, last: bool) -> Look {
    let bytes = text.as_bytes();
    let closing = bytes.get(at + 1) == Some(&b'/');
    let start = at + 1 + usize::from(closing);
    let mut fold = Fold::EMPTY;
    for (offset, byte) in bytes[start.min(bytes.len())..].iter().enumerate() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' => fold.push(*byte),
            b'_' => {}
            b']' if fold.len > 1 => {
                let end = start + offset;
                return Look::Tag(Tag {
                    span: at..end + 1,
                    closing,
                    shape: Shape::Square,
                    spaced: false,
                    terminated: true,
                    fold,
                    word: start..end,
                    tail: end..end,
                });
            }
            _ => return Look::Nothing,
        }
        if offset > LONGEST_HEAD {
            return Look::Nothing;
        }
    }
    if last { Look::Nothing } else { Look::More }
}

fn angle(text: &str, at: usize, last: bool) -> Look {
    let ends = |look| if last { look } else { Look::More };
    let mut closing = false;
    let mut bars = 0;
    let mut blank = false;
    let mut fold = Fold::EMPTY;
    // The first word of the last part: bars and colons part a namespace off.
    let mut word: Option<Range<usize>> = None;
    let mut chars = text[at + 1..].char_indices().map(|(offset, char)| (at + 1 + offset, char));
    let (head_end, stop) = loop {
        let Some((place, char)) = chars.next() else { return ends(Look::Nothing) };
        if place - at > LONGEST_HEAD {
            return Look::Nothing;
        }
        match char {
            bar if is_bar(bar) => {
                bars += usize::from(fold.len == 0);
                // A closing bar, or the one behind a namespace.
                if word.as_ref().is_some_and(|word| text[word.end..place].trim().is_empty())
                    && text[place + char.len_utf8()..]
                        .trim_start_matches(' ')
                        .starts_with(|next: char| next.is_ascii_alphanumeric())
                {
                    (fold, word) = (Fold::EMPTY, None);
                }
            }
            ':' if fold.len > 0 => (fold, word) = (Fold::EMPTY, None),
            '/' if fold.len == 0 => closing = true,
            ' ' if fold.len == 0 => blank = true,
            ' ' => fold.next_word(),
            '_' | '▁' | '-' | '.' => {
                if let Some(word) = &mut word
                    && word.end == place
                {
                    word.end = place + char.len_utf8();
                }
            }
            'a'..='z' | 'A'..='Z' | '0'..='9' => {
                // In prose, words follow.
                if blank && bars == 0 && fold.second > 0 {
                    return Look::Nothing;
                }
                if let Ok(byte) = u8::try_from(char) {
                    fold.push(byte);
                }
                match &mut word {
                    Some(word) if word.end == place => word.end = place + 1,
                    Some(_) => {}
                    None => word = Some(place..place + 1),
                }
            }
            '>' | '=' | '"' | '\'' | '<' | '\n' | '/' => break (place, char),
            _ => return Look::Nothing,
        }
    };
    let Some(word) = word else { return Look::Nothing };
    // A bar at the end alone closes, as one at the beginning alone opens.
    let trailing = text[at..head_end].ends_with(is_bar);
    let closing = closing || trailing && bars == 0;
    let tag = |end: usize, tail: Range<usize>, terminated| {
        let word = word.clone();
        let spaced = blank && bars == 0;
        let shape = Shape::Angle;
        Look::Tag(Tag { span: at..end, closing, shape, spaced, terminated, fold, word, tail })
    };
    match stop {
        '>' => return tag(head_end + 1, head_end..head_end, true),
        '<' | '\n' => return tag(head_end, head_end..head_end, false),
        _ => {}
    }
    for (offset, byte) in text.as_bytes()[head_end..].iter().enumerate() {
        let place = head_end + offset;
        match byte {
            b'>' => return tag(place + 1, head_end..place, true),
            b'<' | b'\n' | b'{' => return unterminated(text, head_end..place, &tag),
            _ if offset > LONGEST && text.is_char_boundary(place) => {
                return unterminated(text, head_end..place, &tag);
            }
            _ => {}
        }
    }
    ends(unterminated(text, head_end..text.len(), &tag))
}

/// A tag that nothing closes ends behind its slot, which is in this range.
fn unterminated(
    text: &str,
    range: Range<usize>,
    tag: &dyn Fn(usize, Range<usize>, bool) -> Look,
) -> Look {
    let head_end = range.start;
    let tail = &text[range];
    let before = tail.len() - tail.trim_start_matches(['=', '"', '\'', ' ']).len();
    let slot = tail[before..].find(|char: char| !is_slot(char)).unwrap_or(tail.len() - before);
    let end = head_end + before + slot;
    tag(end, head_end..end, false)
}

/// The bars that special tokens are written with, and those that look like them.
fn is_bar(char: char) -> bool {
    matches!(char, '|' | '｜' | '‖' | '│' | '┃' | '∣' | '∥' | '¦')
}

/// Characters of names and keys.
fn is_slot(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | ':')
}

impl Tag {
    /// What its slot holds: the name of a tool, the key of an argument. Empty if
    /// it has none.
    pub(crate) fn slot<'t>(&self, text: &'t str) -> &'t str {
        let tail = text[self.tail.clone()].trim();
        let tail = tail.strip_prefix('=').unwrap_or(tail).trim_start();
        match tail.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let inside = &tail[1..];
                &inside[..inside.find(quote).unwrap_or(inside.len())]
            }
            _ => tail.split([' ', '\t', '/']).next().unwrap_or_default(),
        }
    }

    /// The attributes: words and values.
    pub(crate) fn attributes<'t>(
        &self,
        text: &'t str,
    ) -> impl Iterator<Item = (&'t str, &'t str)> + use<'t> {
        let start = self.word.end.min(self.tail.end);
        let mut rest = &text[start..self.tail.end];
        std::iter::from_fn(move || {
            let equals = rest.find('=')?;
            let key = rest[..equals].trim();
            let key = key.rsplit([' ', '\t']).next().unwrap_or(key);
            let value = rest[equals + 1..].trim_start();
            let (value, behind) = match value.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let end = value[1..].find(quote)? + 1;
                    (&value[1..end], &value[end + 1..])
                }
                _ => {
                    let end = value.find([' ', '\t', '/']).unwrap_or(value.len());
                    (&value[..end], &value[end..])
                }
            };
            rest = behind;
            Some((key, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, Shape, Tag, look};

    fn tag(text: &str) -> Tag {
        match look(text, 0, true) {
            Look::Tag(tag) => tag,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn however_a_tag_is_spelled_its_words_are_the_same() {
        for text in ["<a_b>", "<|a_b|>", "<｜a▁b｜>", "< | a b | >", "<A_B>", "<ns:a_b>", "<|a-b|>"]
        {
            assert_eq!(tag(text).fold.as_str(), "ab", "{text}");
            assert!(!tag(text).closing, "{text}");
            assert_eq!(tag(text).span.end, text.len());
        }
        for text in ["</a_b>", "</｜X｜a_b>", "</ | X | a_b>", "<a_b|>", "</ns:a_b>"] {
            assert_eq!(tag(text).fold.as_str(), "ab", "{text}");
            assert!(tag(text).closing, "{text}");
        }
        assert_eq!(tag("[A_B]").fold.as_str(), "ab");
        assert!(tag("[/A_B]").closing && tag("[/A_B]").shape == Shape::Square);
    }

    #[test]
    fn a_slot_is_found_in_every_style() {
        for text in
            ["<f=x>", "<f=\"x\">", "<f name=\"x\">", "<f name='x' y=\"z\">", "<fname=\"x\">"]
        {
            assert_eq!(tag(text).slot(text), "x", "{text}");
        }
        let text = "<f name=\"x\" y='z' n=1>";
        let attributes: Vec<_> = tag(text).attributes(text).collect();
        assert_eq!(attributes, [("name", "x"), ("y", "z"), ("n", "1")]);
        let text = "<f=x=y</f>";
        assert_eq!((tag(text).slot(text), tag(text).span.end), ("x", 4));
        assert!(!tag(text).terminated);
    }

    #[test]
    fn prose_is_no_tag() {
        for text in ["<>", "<3", "a", "<é>", "[no te]", "[A]", "[", "<a b, c", "<-"] {
            let found = look(text, 0, true);
            assert!(
                !matches!(&found, Look::Tag(tag) if tag.fold.as_str() != "3"),
                "{text}: {found:?}"
            );
        }
        assert_eq!(look("<tool", 0, false), Look::More);
    }
}
