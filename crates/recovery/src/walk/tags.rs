//! What a tag does to the call that is put together.

use callsign_core::{Refusal, Repair, Rule, json};

use super::value::Typing;
use super::{Draft, Failed, Seen, Step, Walk};
use crate::names;
use crate::shapes::declares;
use crate::tag::Tag;
use crate::vocabulary::{Role, Sign, Vocabulary};

impl<'a> Walk<'a> {
    /// A tag.
    pub(super) fn tag(
        &self,
        draft: &mut Draft<'a>,
        seen: &Seen<'a>,
        next: usize,
    ) -> Result<Step, Failed> {
        let end = seen.tag.span.end;
        let on = Ok(Step::On(end, next + 1));
        let here = Ok(Step::End(seen.tag.span.start, next));
        let Some(sign) = seen.sign else { return self.other(draft, seen, next) };
        // In a tag named after the tool, the names of its arguments come first.
        let word = &self.text[seen.tag.word.clone()];
        if draft.rule == Rule::ToolTag
            && !seen.tag.closing
            && draft.tool.is_some_and(|tool| declares(tool, word))
        {
            return self.other(draft, seen, next);
        }
        match sign.role {
            Role::Wrap | Role::Call => {
                let slot = seen.tag.slot(self.text);
                if draft.has_arguments() {
                    if draft.body.is_none() {
                        draft.repairs.add(Repair::Closer);
                    }
                    return here;
                }
                if draft.tool.is_some() {
                    if self.next_closes_key(next + 1) {
                        // It stands for the opener of the key.
                        draft.repairs.add(Repair::Opener);
                        return on;
                    }
                    if !slot.is_empty() || draft.sign.is_some_and(|known| known.role == Role::Call)
                    {
                        return Err(draft.fail(seen.tag.span.start, "the end of the call"));
                    }
                }
                self.spelled(draft, sign, seen.tag);
                draft.marked = true;
                self.bears(draft, sign);
                draft.payload = draft.payload.or(Some(end));
                match sign.role {
                    Role::Call => draft.call = Some(sign),
                    _ => draft.wrap = Some(sign),
                }
                if !slot.is_empty() && draft.tool.is_none() {
                    self.name(draft, slot);
                    if !seen.tag.terminated {
                        draft.repairs.add(Repair::Tags);
                    }
                }
                on
            }
            Role::Separator | Role::Frame => {
                draft.marked = true;
                draft.payload = draft.payload.or(Some(end));
                on
            }
            Role::Item | Role::Key | Role::Value
                if draft.tool.is_none() && draft.unknown.is_none() =>
            {
                self.item_without_call(draft, seen, sign, next)
            }
            Role::Item | Role::Key | Role::Value if draft.body.is_some() => {
                // Arguments of both kinds.
                let body = draft.body.take().unwrap_or_default();
                let entries = json::entries(&body).map(|(key, value)| (key, value.to_owned()));
                draft.entries.extend(entries);
                draft.repairs.add(Repair::ForeignBody);
                Ok(Step::On(seen.tag.span.start, next))
            }
            Role::Item => self.item(draft, seen, sign, next),
            Role::Key => {
                draft.payload = draft.payload.or(Some(seen.tag.span.start));
                on
            }
            Role::KeyEnd => on,
            Role::Value => self.value(draft, Typing::Schema(&sign.value), end, next + 1),
            Role::Stop | Role::ValueEnd => {
                if draft.is_empty() && !draft.marked {
                    return Ok(Step::End(end, next + 1));
                }
                draft.repairs.add(Repair::StrayTokens);
                on
            }
            Role::End => {
                if draft.is_empty() && !draft.marked {
                    return Ok(Step::End(end, next + 1));
                }
                if let Some(opener) = draft.call
                    && !Vocabulary::closes(opener, seen.tag)
                {
                    draft.repairs.add(Repair::Closer);
                }
                // `<call>name</call>` closes the name alone if arguments follow.
                if draft.tool.is_some() && !draft.has_arguments() && self.item_follows(next + 1) {
                    draft.repairs.add(Repair::Tags);
                    return on;
                }
                Ok(Step::End(end, next + 1))
            }
        }
    }

    /// Takes note of a tag that is spelled in another way than its dialect's.
    pub(super) fn spelled(&self, draft: &mut Draft<'a>, sign: &Sign, tag: &Tag) {
        if self.guide.vocabulary.is_respelled(sign, tag, self.text) {
            draft.repairs.add(Repair::Tags);
        }
    }

    /// The call bears the markup of a dialect: that of the tag with the name, but
    /// for the one that is read.
    fn bears(&self, draft: &mut Draft<'a>, sign: &'a Sign) {
        let dialect = |sign| self.guide.vocabulary.dialect_of(sign, self.guide.dialect);
        match draft.sign.map(dialect) {
            Some(_) if sign.role != Role::Call => {}
            Some(own) if own == self.guide.dialect => {
                if dialect(sign) != own {
                    draft.repairs.add(Repair::ForeignBody);
                    draft.sign = Some(sign);
                }
            }
            Some(_) | None => draft.sign = Some(sign),
        }
    }

    /// A tag that no dialect knows: the name of a tool, or of an argument.
    fn other(&self, draft: &mut Draft<'a>, seen: &Seen<'a>, next: usize) -> Result<Step, Failed> {
        let word = &self.text[seen.tag.word.clone()];
        let end = seen.tag.span.end;
        match draft.tool {
            None if !seen.tag.closing && seen.tag.terminated => {
                let Some(tool) = self.guide.tools.get(word) else {
                    return Err(draft.fail(seen.tag.span.start, "the name of a tool"));
                };
                draft.tool = Some(tool);
                draft.marked = true;
                draft.rule = Rule::ToolTag;
                draft.payload = Some(end);
                let tail = self.text[seen.tag.tail.clone()].trim_end();
                for (key, value) in seen.tag.attributes(self.text) {
                    if !declares(tool, key) {
                        let keys = vec![key.to_owned()];
                        let tool = Some(tool.name.clone());
                        return Err(Failed { tool, refusal: Refusal::UnknownKeys(keys) });
                    }
                    draft.payload = Some(seen.tag.span.start);
                    let value = self.typed(tool, key, value, None).ok_or_else(|| draft.cut())?;
                    draft.entries.push((key.to_owned(), value));
                }
                if tail.ends_with('/') {
                    return Ok(Step::End(end, next + 1));
                }
                Ok(Step::On(end, next + 1))
            }
            Some(tool) if seen.tag.closing && word == tool.name => Ok(Step::End(end, next + 1)),
            Some(tool) if !seen.tag.closing && declares(tool, word) => {
                let same = |other: &Tag| &self.text[other.word.clone()] == word;
                let Some((close, tag)) = self.closing(draft, next + 1, &same) else {
                    return Err(draft.cut());
                };
                draft.payload = draft.payload.or(Some(seen.tag.span.start));
                draft.repairs.add(Repair::Tags);
                let text = &self.text[end..close];
                if self.guide.vocabulary.prefixes.iter().any(|prefix| text.contains(&**prefix)) {
                    return Err(draft.fail(end, "a value without markup"));
                }
                let value = self.typed(tool, word, text, None).ok_or_else(|| draft.cut())?;
                draft.entries.push((word.to_owned(), value));
                Ok(Step::On(self.seen[tag].tag.span.end, tag + 1))
            }
            // A tag named after the tool is closed by its own.
            _ if draft.rule == Rule::ToolTag => Err(draft.cut()),
            _ if draft.has_arguments() => Ok(Step::End(seen.tag.span.start, next)),
            _ => Err(draft.fail(seen.tag.span.start, "an argument")),
        }
    }

    /// Resolves a name as it was written.
    pub(super) fn name(&self, draft: &mut Draft<'a>, written: &str) {
        match names::in_word(written, self.guide.tools) {
            Some((tool, repair)) => {
                // An id that is made of the name and a number.
                let numbered = written.rsplit_once(':').is_some_and(|(_, number)| {
                    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                });
                if numbered {
                    draft.id = Some(written.to_owned());
                }
                draft.tool = Some(tool);
                draft.repairs.extend(repair);
            }
            None => draft.unknown = Some(written.to_owned()),
        }
    }

    /// Whether the text behind the tag before `next` is a key that `next` closes.
    fn next_closes_key(&self, next: usize) -> bool {
        self.seen.get(next).is_some_and(|seen| seen.role() == Some(Role::KeyEnd))
    }

    /// Whether an argument begins right here.
    fn item_follows(&self, next: usize) -> bool {
        self.seen.get(next).is_some_and(|seen| {
            let before = next.checked_sub(1).map_or(0, |before| self.seen[before].tag.span.end);
            matches!(seen.role(), Some(Role::Item | Role::Key | Role::Value))
                && self.text[before..seen.tag.span.start].trim().is_empty()
        })
    }
}
