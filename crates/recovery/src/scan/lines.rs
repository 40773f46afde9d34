//! What may begin a line and be a call without any tag.

use callsign_core::Toolset;

use super::{ANNOUNCED, Bare, Form, LONGEST_INDENT, LONGEST_WORD, Maybe, Scanner};
use crate::names;
use crate::region::OBSERVATION;
use crate::setting::Setting;
use crate::shapes::may_be_key;
use crate::tag::Look;
use crate::walk::is_name;

impl Scanner<'_> {
    /// What may begin a line, besides tags.
    pub(super) fn line(&self, setting: &mut Setting, text: &str, at: usize, last: bool) -> Maybe {
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b'`' => self.fence(setting, text, at, last),
            // What is indented is code.
            _ if setting.is_indented() && !setting.is_first() => Maybe::No,
            b'{' => json(text, at, last, self.tools),
            b'[' => self.bracket(text, at, last),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(setting, text, at, last),
            _ => Maybe::No,
        }
    }

    fn bracket(&self, text: &str, at: usize, last: bool) -> Maybe {
        let rest = &text[at + 1..];
        let blank = rest.len() - rest.trim_start().len();
        let inside = &rest[blank..];
        match inside.as_bytes().first() {
            _ if blank > LONGEST_INDENT => Maybe::No,
            None => {
                if last {
                    Maybe::No
                } else {
                    Maybe::More
                }
            }
            Some(b'{') => json(text, at, last, self.tools),
            Some(_) => {
                // A tag in square brackets is told elsewhere.
                match self.vocabulary.look(text, at, last) {
                    Look::More => return Maybe::More,
                    Look::Tag(tag) if self.vocabulary.sign(&tag, self.dialect).is_some() => {
                        return Maybe::No;
                    }
                    _ => {}
                }
                let start: String = inside.chars().take(16).flat_map(char::to_lowercase).collect();
                if ANNOUNCED.iter().any(|words| start.starts_with(words)) {
                    return Maybe::Yes(Form::Bare(Bare::Bracketed));
                }
                if !last
                    && ANNOUNCED
                        .iter()
                        .any(|words| words.starts_with(&start) && inside.len() < words.len())
                {
                    return Maybe::More;
                }
                let run = inside.find(|char: char| !is_name(char)).unwrap_or(inside.len());
                if run == inside.len() && !last {
                    let starts = |name: &str| name.starts_with(&inside[..run]);
                    return if self.tools.iter().any(|tool| starts(&tool.name)) {
                        Maybe::More
                    } else {
                        Maybe::No
                    };
                }
                let called =
                    inside[run..].starts_with('(') && self.tools.get(&inside[..run]).is_some();
                if called { Maybe::Yes(Form::Bare(Bare::Python)) } else { Maybe::No }
            }
        }
    }

    /// A fence: of calls by its word, or the whole message.
    fn fence(&self, setting: &Setting, text: &str, at: usize, last: bool) -> Maybe {
        let rest = &text[at..];
        let ticks = rest.len() - rest.trim_start_matches('`').len();
        let more = if last { Maybe::No } else { Maybe::More };
        let Some(line) = rest.find('\n') else {
            return if rest.len() < LONGEST_INDENT && ticks <= 3 { more } else { Maybe::No };
        };
        if ticks != 3 || line >= LONGEST_INDENT {
            return Maybe::No;
        }
        let word = rest[3..line].trim();
        let inside = at + line + 1;
        let calls = self.vocabulary.is_wrapper(word);
        let whole = setting.is_first() && matches!(word, "" | "json" | "JSON" | "xml" | "python");
        if !calls && !whole {
            return Maybe::No;
        }
        let body = &text[inside..];
        let start = inside + body.len() - body.trim_start().len();
        if start - inside > LONGEST_INDENT {
            return Maybe::No;
        }
        match text.as_bytes().get(start) {
            None => more,
            Some(b'{') => json(text, start, last, self.tools),
            Some(b'[') => self.bracket(text, start, last),
            Some(b'<') => self.head(text, start, true, last),
            Some(_) if calls || word == "python" => {
                let body = &text[start..];
                let run = body.find(|char: char| !is_name(char)).unwrap_or(body.len());
                if run >= LONGEST_WORD {
                    return Maybe::No;
                }
                if run == body.len() {
                    return more;
                }
                let called = body[run..].starts_with('(')
                    && (self.names(&body[..run]) || &body[..run] == "print");
                if called { Maybe::Yes(Form::Bare(Bare::Python)) } else { Maybe::No }
            }
            Some(_) => Maybe::No,
        }
    }

    /// A word that may name a tool, or announce one.
    fn word(&self, setting: &mut Setting, text: &str, at: usize, last: bool) -> Maybe {
        let rest = &text[at..];
        let run = rest.find(|char: char| !is_name(char)).unwrap_or(rest.len());
        if run > LONGEST_WORD {
            return Maybe::No;
        }
        if run == rest.len() && !last {
            return Maybe::More;
        }
        let (word, behind) = rest.split_at(run);
        let bare = |form| Maybe::Yes(Form::Bare(form));
        if word == OBSERVATION {
            setting.end_turn();
            return Maybe::No;
        }
        if word == "Action:" {
            let line = behind.split('\n').next().unwrap_or_default();
            let name = line.trim().trim_matches(['`', '"', '\'', '*']);
            if line.len() >= LONGEST_WORD {
                return Maybe::No;
            }
            if line.len() == behind.len() && !last {
                return Maybe::More;
            }
            return if !name.contains(' ') && names::resolve(name, self.tools).is_some() {
                bare(Bare::React)
            } else {
                Maybe::No
            };
        }
        let named = self.named(word);
        let addressed = if word == "to" { behind.strip_prefix('=') } else { None };
        if let Some(name) = addressed {
            return self.address(name, last);
        }
        if !named && word != "print" {
            // A word of a header, and the address behind it.
            const TO: &str = " to=";
            let address = behind.strip_prefix(TO);
            let begins = address.is_some() || !last && TO.starts_with(behind);
            if !begins || !self.vocabulary.is_word(word) {
                return Maybe::No;
            }
            return address.map_or(Maybe::More, |name| self.address(name, last));
        }
        let mut next = behind.chars();
        match next.next() {
            Some('\n') if named => self.keyed(text, at + run, last),
            Some('(') => bare(Bare::Python),
            Some('{') if named => bare(Bare::Addressed),
            Some('[') if named => match self.vocabulary.look(text, at + run, last) {
                Look::More => Maybe::More,
                Look::Tag(tag) if self.vocabulary.sign(&tag, self.dialect).is_some() => {
                    bare(Bare::Addressed)
                }
                _ => Maybe::No,
            },
            Some(' ') if named => match next.next() {
                None if !last => Maybe::More,
                Some('{') => bare(Bare::Addressed),
                _ => Maybe::No,
            },
            _ => Maybe::No,
        }
    }

    /// The name behind an address.
    fn address(&self, text: &str, last: bool) -> Maybe {
        let run = text.find(|char: char| !is_name(char)).unwrap_or(text.len());
        if run >= LONGEST_WORD {
            return Maybe::No;
        }
        if run == text.len() && !last {
            return Maybe::More;
        }
        if self.named(&text[..run]) { Maybe::Yes(Form::Bare(Bare::Addressed)) } else { Maybe::No }
    }

    /// Whether a word is a tool's name in its own spelling, perhaps in a
    /// namespace.
    fn named(&self, word: &str) -> bool {
        if !word.contains(['.', ':']) {
            return self.tools.get(word).is_some();
        }
        names::resolve(word, self.tools).is_some_and(|(tool, _)| word.contains(&tool.name))
            || word
                .rsplit(':')
                .next()
                .is_some_and(|name| name.len() < word.len() && self.tools.get(name).is_some())
    }
}

/// Whether JSON that begins at `at` begins as a call does.
fn json(text: &str, at: usize, last: bool, tools: &Toolset) -> Maybe {
    let rest = &text[at..];
    let opens = |byte: &u8| matches!(byte, b'{' | b'[' | b' ' | b'\n' | b'\r' | b'\t');
    let skipped = rest.bytes().take(LONGEST_INDENT + 1).take_while(opens).count();
    let start = &rest[skipped..];
    if skipped > LONGEST_INDENT || !rest[..skipped].contains('{') {
        return if start.is_empty() && skipped <= LONGEST_INDENT && !last {
            Maybe::More
        } else {
            Maybe::No
        };
    }
    let (quote, inside) = match start.chars().next() {
        None => return if last { Maybe::No } else { Maybe::More },
        Some(quote @ ('"' | '\'')) => (Some(quote), &start[1..]),
        Some(_) => (None, start),
    };
    let end = match quote {
        Some(quote) => inside.find(quote),
        None => inside.find(|char: char| !is_name(char) || char == ':'),
    };
    let key = &inside[..end.unwrap_or(inside.len())];
    if key.len() > LONGEST_WORD {
        return Maybe::No;
    }
    let tool = |name: &str| quote.is_some() && name == key;
    match end {
        None if last => Maybe::No,
        None => {
            let starts =
                may_be_key(key, false) || tools.iter().any(|tool| tool.name.starts_with(key));
            if starts { Maybe::More } else { Maybe::No }
        }
        Some(_) if may_be_key(key, true) || tools.iter().any(|declared| tool(&declared.name)) => {
            Maybe::Yes(Form::Bare(Bare::Json))
        }
        Some(_) => Maybe::No,
    }
}
