//! What tells a tag that opens a call from one that is only mentioned: the name of
//! a tool behind it, or JSON.

use super::{Form, LONGEST_HEAD, LONGEST_INDENT, LONGEST_WORD, Maybe, Scanner};
use crate::names;
use crate::region::FENCE;
use crate::shapes::{declares, names_a_tool, needs_arguments};
use crate::tag::{Look, Tag};
use crate::vocabulary::Role;
use crate::walk::is_name;

impl Scanner<'_> {
    /// Whether what begins with a tag at `at` goes on as a call does: with the
    /// name of a tool, with JSON in a wrapper; or is nothing but tags up to the
    /// end, where these may stand `alone`.
    pub(super) fn head(&self, text: &str, at: usize, alone: bool, last: bool) -> Maybe {
        const YES: Maybe = Maybe::Yes(Form::Marked);
        let mut place = at;
        let mut opened = false;
        let mut wants_name = false;
        loop {
            let rest = &text[place..];
            place += rest.len() - rest.trim_start().len();
            if place - at > LONGEST_HEAD {
                return Maybe::No;
            }
            let rest = &text[place..];
            let Some(char) = rest.chars().next() else {
                return match (last, alone) {
                    (true, true) => YES,
                    (true, false) => Maybe::No,
                    (false, _) => Maybe::More,
                };
            };
            match self.vocabulary.look(text, place, last) {
                Look::More => return Maybe::More,
                Look::Tag(tag) => {
                    let slot = tag.slot(text);
                    let Some(sign) = self.vocabulary.sign(&tag, self.dialect) else {
                        let named = opened && self.tools.get(&text[tag.word.clone()]).is_some();
                        return if named { YES } else { Maybe::No };
                    };
                    match sign.role {
                        Role::Wrap | Role::Call if !slot.is_empty() => {
                            return if slot.chars().all(is_name) { YES } else { Maybe::No };
                        }
                        Role::Wrap | Role::Call => {
                            opened = true;
                            wants_name = true;
                        }
                        Role::Item if !opened => {
                            if !names_a_tool(slot) {
                                return Maybe::No;
                            }
                            opened = true;
                            wants_name = true;
                        }
                        Role::Item | Role::Key | Role::Value => return Maybe::No,
                        Role::Frame => wants_name = true,
                        Role::Separator
                        | Role::Stop
                        | Role::End
                        | Role::ValueEnd
                        | Role::KeyEnd => {}
                    }
                    place = tag.span.end;
                    continue;
                }
                Look::Nothing => {}
            }
            if !wants_name {
                return Maybe::No;
            }
            match char {
                '{' | '[' if !opened => return Maybe::No,
                '{' => return YES,
                '[' => return self.list(text, place, last),
                '`' if rest.starts_with(FENCE) || FENCE.starts_with(rest) => {
                    match rest.find('\n') {
                        Some(line) if line < LONGEST_INDENT => place += line + 1,
                        None if !last && rest.len() < LONGEST_INDENT => return Maybe::More,
                        _ => return Maybe::No,
                    }
                }
                '"' | '\'' => place += 1,
                _ => {
                    let run =
                        rest.find(|char: char| !is_name(char) && char != '=').unwrap_or(rest.len());
                    if run == 0 || run > LONGEST_WORD {
                        return Maybe::No;
                    }
                    if run == rest.len() && !last {
                        return Maybe::More;
                    }
                    let written = &rest[..run];
                    if self.names(written) {
                        return YES;
                    }
                    let word = written.split([':', '.', '=']).next().unwrap_or(written);
                    if self.vocabulary.is_word(word) {
                        place += run;
                        continue;
                    }
                    // An id where the name should be: the body may have it.
                    return match self.vocabulary.look(text, place + run, last) {
                        Look::More => Maybe::More,
                        Look::Tag(tag)
                            if self
                                .vocabulary
                                .sign(&tag, self.dialect)
                                .is_some_and(|sign| sign.role == Role::Separator) =>
                        {
                            YES
                        }
                        _ => Maybe::No,
                    };
                }
            }
        }
    }

    /// Whether a run of letters holds the name of a tool.
    pub(super) fn names(&self, written: &str) -> bool {
        names::resolve(written, self.tools).is_some()
            || written.rsplit(['=', ':']).any(|part| names::resolve(part, self.tools).is_some())
            || self.tools.iter().any(|tool| {
                written.strip_prefix(&*tool.name).is_some_and(|key| declares(tool, key))
            })
    }

    /// Whether a tag named after a tool is a call: arguments follow, or stand in
    /// it.
    pub(super) fn behind_tool(&self, text: &str, tag: &Tag, last: bool) -> Maybe {
        let yes = Maybe::Yes(Form::Marked);
        let Some(tool) = self.tools.get(&text[tag.word.clone()]) else { return Maybe::No };
        let mut attributes = tag.attributes(text).peekable();
        if attributes.peek().is_some() {
            let declared = attributes.all(|(key, _)| declares(tool, key));
            return if declared { yes } else { Maybe::No };
        }
        if text[tag.tail.clone()].trim_end().ends_with('/') {
            return if needs_arguments(tool) { Maybe::No } else { yes };
        }
        let rest = &text[tag.span.end..];
        let place = tag.span.end + rest.len() - rest.trim_start().len();
        if place - tag.span.end > LONGEST_INDENT {
            return Maybe::No;
        }
        match text.as_bytes().get(place) {
            None if last => Maybe::No,
            None => Maybe::More,
            Some(b'{') => yes,
            Some(b'<') => match self.vocabulary.look(text, place, last) {
                Look::More => Maybe::More,
                Look::Nothing => Maybe::No,
                Look::Tag(child) => {
                    let word = &text[child.word.clone()];
                    let closes = child.closing && word == tool.name;
                    let item = self
                        .vocabulary
                        .sign(&child, self.dialect)
                        .is_some_and(|sign| sign.role == Role::Item);
                    let fits = closes || item || !child.closing && declares(tool, word);
                    if fits { yes } else { Maybe::No }
                }
            },
            Some(_) => Maybe::No,
        }
    }

    /// Whether a list of calls begins here.
    fn list(&self, text: &str, at: usize, last: bool) -> Maybe {
        let inside = text[at + 1..].trim_start();
        let run = inside.find(|char: char| !is_name(char)).unwrap_or(inside.len());
        match inside.as_bytes().get(run) {
            _ if run > LONGEST_WORD => Maybe::No,
            None if last => Maybe::No,
            None => Maybe::More,
            Some(b'{') if run == 0 => Maybe::Yes(Form::Marked),
            Some(b'(') if self.names(&inside[..run]) => Maybe::Yes(Form::Marked),
            Some(_) => Maybe::No,
        }
    }

    /// Whether an argument follows a name on the next line.
    pub(super) fn keyed(&self, text: &str, at: usize, last: bool) -> Maybe {
        let rest = &text[at..];
        let place = at + rest.len() - rest.trim_start().len();
        if place - at > LONGEST_INDENT {
            return Maybe::No;
        }
        if place == text.len() {
            return if last { Maybe::No } else { Maybe::More };
        }
        match self.vocabulary.look(text, place, last) {
            Look::More => Maybe::More,
            Look::Tag(tag)
                if self
                    .vocabulary
                    .sign(&tag, self.dialect)
                    .is_some_and(|sign| matches!(sign.role, Role::Key | Role::Item)) =>
            {
                Maybe::Yes(Form::Marked)
            }
            _ => Maybe::No,
        }
    }
}
