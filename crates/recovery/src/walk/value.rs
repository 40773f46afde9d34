//! Arguments between tags: where a value ends, and what it says.

use callsign_core::{Repair, Tool, json, type_text};
use callsign_syntax::description::{Codec, Frame, Value};

use super::{Draft, Failed, Role, Seen, Sign, Step, Walk};
use crate::shapes::{declares, names_a_tool, quoted};
use crate::tag::Tag;
use crate::vocabulary::Vocabulary;

/// What says of which type a value is.
#[derive(Clone, Copy)]
pub(super) enum Typing<'a> {
    /// The schema of the tool, by the rules of a dialect.
    Schema(&'a Value),
    /// Its tag: it is text.
    Text,
    /// Its tag: it is JSON.
    Json,
}

impl<'a> Walk<'a> {
    /// An argument whose tag names it, or should.
    pub(super) fn item(
        &self,
        draft: &mut Draft<'a>,
        seen: &Seen<'a>,
        sign: &'a Sign,
        next: usize,
    ) -> Result<Step, Failed> {
        draft.payload = draft.payload.or(Some(seen.tag.span.start));
        self.spelled(draft, sign, seen.tag);
        let key = seen.tag.slot(self.text);
        let end = seen.tag.span.end;
        if key.is_empty() {
            // The key stands where the value should, and the value behind it.
            let closes = self.seen.get(next + 1);
            let inside = closes.map_or("", |closes| self.text[end..closes.tag.span.start].trim());
            let closed = closes.is_some_and(|closes| closes.role() == Some(Role::ValueEnd));
            if !closed || !draft.tool.is_some_and(|tool| declares(tool, inside)) {
                return Err(draft.fail(end, "the key of an argument"));
            }
            draft.repairs.add(Repair::Tags);
            draft.key = Some(inside.to_owned());
            draft.value = Some(&sign.value);
            let behind = self.seen[next + 1].tag.span.end;
            return self.value(draft, Typing::Schema(&sign.value), behind, next + 2);
        }
        draft.key = Some(key.to_owned());
        let fused = !seen.tag.terminated && self.text[end..].starts_with(['=', '>', '"', '\'']);
        if !seen.tag.terminated && !draft.tool.is_some_and(|tool| declares(tool, key)) {
            return Err(draft.fail(end, "the key of an argument"));
        }
        if fused || !seen.tag.terminated {
            draft.repairs.add(Repair::Fused(key.to_owned()));
        }
        if let Some((_, flag)) =
            seen.tag.attributes(self.text).find(|(name, _)| matches!(*name, "string" | "type"))
            && sign.value.codec == Codec::Typed
        {
            let text = matches!(flag, "true" | "string");
            let typing = if text { Typing::Text } else { Typing::Json };
            return self.value(draft, typing, end, next + 1);
        }
        self.value(draft, Typing::Schema(&sign.value), if fused { end + 1 } else { end }, next + 1)
    }

    /// An argument of a call that has not begun: perhaps it holds the name.
    pub(super) fn item_without_call(
        &self,
        draft: &mut Draft<'a>,
        seen: &Seen<'a>,
        sign: &'a Sign,
        next: usize,
    ) -> Result<Step, Failed> {
        let key = seen.tag.slot(self.text);
        let end = seen.tag.span.end;
        if sign.role != Role::Item || !names_a_tool(key) {
            return Err(draft.fail(seen.tag.span.start, "the name of a tool"));
        }
        let Some((close, tag)) = self.value_end(draft, key, end, next + 1) else {
            return Err(draft.cut());
        };
        self.name(draft, self.text[end..close].trim());
        draft.marked = true;
        draft.sign = draft.sign.or(Some(sign));
        draft.repairs.add(Repair::Opener);
        Ok(Step::On(self.seen[tag].tag.span.end, tag + 1))
    }

    /// The value that begins at `at`, of the pending key.
    pub(super) fn value(
        &self,
        draft: &mut Draft<'a>,
        typing: Typing<'a>,
        at: usize,
        next: usize,
    ) -> Result<Step, Failed> {
        let Some(key) = draft.key.take() else {
            return Err(draft.fail(at, "the key of an argument"));
        };
        let Some((end, tag)) = self.value_end(draft, &key, at, next) else {
            return Err(draft.cut());
        };
        let mut text = &self.text[at..end];
        if self.seen[tag].role() != Some(Role::ValueEnd) {
            // The line's end is the missing closer's.
            text = text.strip_suffix('\n').unwrap_or(text);
        }
        let value = match (typing, draft.tool) {
            (Typing::Schema(value), Some(tool)) => {
                self.typed(tool, &key, text, Some(value)).ok_or_else(|| draft.cut())?
            }
            (Typing::Json, _) if json::kind(text).is_some() => text.trim().to_owned(),
            _ => quoted(text),
        };
        draft.entries.push((key, value));
        Ok(self.behind_value(draft, tag))
    }

    /// Behind the closer of a value. What is none of that closes the call.
    fn behind_value(&self, draft: &mut Draft<'a>, tag: usize) -> Step {
        let seen = &self.seen[tag];
        match seen.role() {
            Some(Role::ValueEnd) => Step::On(seen.tag.span.end, tag + 1),
            _ => {
                draft.repairs.add(Repair::Closer);
                Step::On(seen.tag.span.start, tag)
            }
        }
    }

    /// Where the value from `at` on ends, and the tag there: its closer if
    /// structure follows it and none of its kind is open inside, or the end of
    /// the call. If nothing else ends it, the last such closer does.
    pub(super) fn value_end(
        &self,
        draft: &Draft<'a>,
        key: &str,
        at: usize,
        next: usize,
    ) -> Option<(usize, usize)> {
        let mut open = 0_usize;
        let mut calls = 0_usize;
        let mut last = None;
        let mut ended = None;
        // Calls that are open in it at the last closer, and ends of calls behind.
        let (mut held, mut behind) = (0, 0);
        // Whether its closer stands in it, with other text behind.
        let mut loose = false;
        for (index, seen) in self.seen.iter().enumerate().skip(next) {
            let place = seen.tag.span.start.max(at);
            match seen.role() {
                Some(Role::Item | Role::Value) => {
                    // Where the closer is missing, the next argument ends this one.
                    if open == 0
                        && calls == 0
                        && ended.is_none()
                        && !loose
                        && self.next_argument(draft, key, index)
                    {
                        return Some((place, index));
                    }
                    open += 1;
                }
                Some(Role::Wrap | Role::Call) => calls += 1,
                Some(Role::ValueEnd) if self.structure_follows(index) => {
                    last = Some((place, index));
                    (held, behind) = (calls, 0);
                    if open == 0 {
                        return last;
                    }
                    open -= 1;
                }
                Some(Role::ValueEnd) => {
                    loose |= open == 0;
                    open = open.saturating_sub(1);
                }
                Some(Role::End) if calls > 0 => {
                    calls -= 1;
                    behind += 1;
                }
                // What closes nothing of the call, or has text behind, is the value's.
                Some(Role::End) if !self.ends(draft, index) => {}
                Some(Role::End) => {
                    behind += 1;
                    ended = ended.or(Some((place, index)));
                    if !self.closer_before_end(index + 1) {
                        break;
                    }
                }
                _ => {}
            }
        }
        // Where the output was cut, it may have gone on behind such a tag; and where
        // calls are open in it, the ends may be theirs.
        let last = last.filter(|_| behind > held);
        last.or(ended).filter(|_| !loose && !self.guide.cut)
    }

    /// Whether, from a tag on, a closer of a value comes before a call begins.
    fn closer_before_end(&self, next: usize) -> bool {
        self.ahead.get(next).is_some_and(|ahead| ahead.closer)
    }

    /// Whether a tag closes the call or what it stands in, and structure follows.
    fn ends(&self, draft: &Draft<'a>, index: usize) -> bool {
        let tag = self.seen[index].tag;
        let opener = [draft.sign, draft.call, draft.wrap].into_iter().flatten();
        // In the midst of a line, it may be what the value says.
        let blank = |char: char| char != '\n' && char.is_whitespace();
        let before = self.text[..tag.span.start].trim_end_matches(blank);
        self.structure_follows(index)
            && (before.is_empty() || before.ends_with('\n'))
            && opener.into_iter().any(|opener| Vocabulary::closes(opener, tag))
    }

    /// Whether a tag opens another argument of the tool, and not one that the
    /// value holds: then a closer for the value itself would come behind it.
    fn next_argument(&self, draft: &Draft<'a>, key: &str, index: usize) -> bool {
        let (Some(tool), seen) = (draft.tool, &self.seen[index]) else { return false };
        let slot = seen.tag.slot(self.text);
        // One that has come is none of the call's, but the value's.
        if slot == key || draft.entries.iter().any(|(known, _)| known == slot) {
            return false;
        }
        if seen.role() == Some(Role::Item) && slot.is_empty() {
            let Some(closer) = self.seen.get(index + 1) else { return false };
            let key = self.text[seen.tag.span.end..closer.tag.span.start].trim();
            return closer.role() == Some(Role::ValueEnd) && declares(tool, key);
        }
        self.ahead[index].surplus <= 0 && (slot.is_empty() || declares(tool, slot))
    }

    /// Whether a tag is followed by another that means something, or by nothing.
    fn structure_follows(&self, tag: usize) -> bool {
        let end = self.seen[tag].tag.span.end;
        let (text, role) = match self.seen.get(tag + 1) {
            Some(seen) => (&self.text[end..seen.tag.span.start], seen.role()),
            None => (&self.text[end..], Some(Role::End)),
        };
        text.trim().is_empty() && role.is_some_and(|role| role != Role::Frame)
    }

    /// The closer that fits, behind as many of its kind as have been opened.
    pub(super) fn closing(
        &self,
        draft: &Draft<'a>,
        next: usize,
        same: &dyn Fn(&Tag) -> bool,
    ) -> Option<(usize, usize)> {
        let mut open = 0_usize;
        for (index, seen) in self.seen.iter().enumerate().skip(next) {
            if !same(seen.tag) {
                continue;
            }
            match (seen.tag.closing, open) {
                (false, _) => open += 1,
                (true, 0) if !self.argument_follows(draft, index) => {}
                (true, 0) => return Some((seen.tag.span.start, index)),
                (true, _) => open -= 1,
            }
        }
        None
    }

    /// Whether behind a tag another argument of the call follows, or its end.
    fn argument_follows(&self, draft: &Draft<'a>, index: usize) -> bool {
        let end = self.seen[index].tag.span.end;
        let Some(seen) = self.seen.get(index + 1) else {
            return self.text[end..].trim().is_empty();
        };
        let word = &self.text[seen.tag.word.clone()];
        let argument = draft.tool.is_some_and(|tool| {
            seen.tag.closing && word == tool.name || !seen.tag.closing && declares(tool, word)
        });
        self.text[end..seen.tag.span.start].trim().is_empty() && (argument || seen.sign.is_some())
    }

    /// The JSON of a value as it stands between its tags; None if it is a section
    /// that is not closed.
    pub(super) fn typed(
        &self,
        tool: &Tool,
        key: &str,
        text: &str,
        value: Option<&Value>,
    ) -> Option<String> {
        let frame = value.map_or(Frame::Newline, |value| value.frame);
        let mut text = text;
        if frame == Frame::Newline {
            text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
            text = text
                .strip_suffix('\n')
                .map_or(text, |text| text.strip_suffix('\r').unwrap_or(text));
        }
        let text = value.map_or(Codec::Raw, |value| value.codec).decode(text)?;
        let nulls = value.map(|value| value.nulls).unwrap_or_default();
        let mut out = String::new();
        type_text(&text, tool.parameters.root().property(key), nulls, &mut out);
        Some(out)
    }
}
