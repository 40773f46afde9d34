//! What stands in a call that is no tag: names, keys, JSON, Python.

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{Recovered, Refusal, Repair};

use super::{Draft, Failed, Found, Role, Walk};
use crate::balance::bracketed;
use crate::names;
use crate::python;
use crate::region::FENCE;
use crate::relaxed::{self, Ending, Fault, Relaxed};
use crate::repairs::Repairs;
use crate::shapes::{self, declares, needs_arguments};
use crate::tag::{self, Look};

/// What a stretch of text was.
pub(super) enum Body {
    /// The arguments, up to here.
    Read(usize),
    /// A name, a key or a value, up to here.
    Named(usize),
    /// Whole calls, up to here.
    Calls(Vec<Found>, usize),
    /// Nothing of the call.
    Ends,
}

impl<'a> Walk<'a> {
    /// Text at `at`, with the tag `next` behind it.
    pub(super) fn body(
        &self,
        draft: &mut Draft<'a>,
        at: usize,
        next: usize,
    ) -> Result<Body, Failed> {
        let gap_end = self.seen.get(next).map_or(self.text.len(), |seen| seen.tag.span.start);
        let blank = self.text[at..].len() - self.text[at..].trim_start().len();
        let start = at + blank;
        let gap = &self.text[start..gap_end];
        if draft.body.is_some() {
            // Brackets too many are the body's.
            let surplus = relaxed::surplus(gap);
            if surplus > 0 {
                draft.repairs.add(Repair::SurplusBrackets);
                return Ok(Body::Named(start + surplus));
            }
            return Ok(Body::Ends);
        }
        let role = self.seen.get(next).and_then(|seen| seen.role());
        if draft.tool.is_some() || draft.unknown.is_some() {
            return self.behind_name(draft, start, gap_end, role);
        }
        if !draft.marked {
            // A name whose opener is missing.
            if matches!(role, Some(Role::Key | Role::Item))
                && self.guide.tools.get(gap.trim()).is_some()
            {
                self.name(draft, gap.trim());
                draft.marked = true;
                draft.repairs.add(Repair::Opener);
                return Ok(Body::Named(gap_end));
            }
            return Ok(Body::Ends);
        }
        if let Some(fence) = fence(gap) {
            draft.repairs.add(Repair::Fence);
            return self.body(draft, start + fence, next);
        }
        if gap.starts_with(['{', '[']) {
            return self.whole_calls(draft, start, gap_end);
        }
        self.name_in(draft, start, gap_end, role)
    }

    /// A name in text, and what comes with it.
    fn name_in(
        &self,
        draft: &mut Draft<'a>,
        start: usize,
        gap_end: usize,
        role: Option<Role>,
    ) -> Result<Body, Failed> {
        let mut at = start;
        loop {
            let rest = &self.text[at..gap_end];
            let lead = rest.len()
                - rest.trim_start_matches([' ', '\n', '\t', '\r', '"', '\'', '=', ':']).len();
            at += lead;
            let rest = &self.text[at..gap_end];
            let run = rest.find(|char: char| !is_name(char)).unwrap_or(rest.len());
            let written = &rest[..run];
            if written.is_empty() && rest.is_empty() {
                // Words alone; the name may come behind a tag.
                return Ok(Body::Named(gap_end));
            }
            if written.is_empty() {
                // Words before the whole call.
                if at > start && rest.starts_with(['{', '[']) {
                    draft.repairs.add(Repair::Prefix);
                    return self.whole_calls(draft, at, gap_end);
                }
                return Err(draft.fail(at, "the name of a tool"));
            }
            let printed = written == "print" && rest[run..].starts_with('(');
            if printed || rest[run..].starts_with('(') && self.called(written) {
                return self.python_calls(draft, at, gap_end);
            }
            // The namespace that a dialect writes itself.
            let word = written.split(['.', ':']).next().unwrap_or(written);
            let behind = written.get(word.len() + 1..).unwrap_or_default();
            if let Some((name, number)) = behind.rsplit_once(':')
                && self.guide.vocabulary.is_word(word)
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && let Some(tool) = self.guide.tools.get(name)
            {
                draft.id = Some(written.to_owned());
                draft.tool = Some(tool);
                at += run;
                break;
            }
            if self.guide.vocabulary.is_word(word) && self.guide.tools.get(behind).is_some() {
                at += word.len() + 1;
                continue;
            }
            if names::in_word(written, self.guide.tools).is_some() {
                self.name(draft, written);
                at += run;
                break;
            }
            // A word that some dialect writes around names, such as one before a
            // colon.
            if self.guide.vocabulary.is_word(word)
                && (word.len() < written.len() || role.is_some() || run < rest.len())
            {
                at += if word.len() < written.len() { word.len() + 1 } else { run };
                continue;
            }
            // Name and key run together.
            if role == Some(Role::KeyEnd)
                && let Some((tool, key)) = self.fused(written)
            {
                draft.tool = Some(tool);
                draft.key = Some(key.to_owned());
                draft.repairs.add(Repair::Opener);
                return Ok(Body::Named(gap_end));
            }
            draft.unknown = Some(written.to_owned());
            if role == Some(Role::Separator) {
                return Ok(Body::Named(at + run));
            }
            return Err(draft.fail(at, "the name of a tool"));
        }
        draft.payload = Some(at);
        let rest = self.text[at..gap_end].trim_start_matches(['"', '\'', ' ']);
        let quotes = self.text[at..gap_end].len() - rest.len();
        Ok(Body::Named(if rest.is_empty() || quotes > 0 && rest.starts_with('\n') {
            at + quotes
        } else {
            at
        }))
    }

    /// The tool and the key that a run of letters is.
    fn fused<'t>(&self, written: &'t str) -> Option<(&'a callsign_core::Tool, &'t str)> {
        let tools = self.guide.tools.iter().filter(|tool| written.starts_with(&tool.name));
        tools
            .filter_map(|tool| {
                let key = &written[tool.name.len()..];
                declares(tool, key).then_some((tool, key))
            })
            .max_by_key(|(tool, _)| tool.name.len())
    }

    /// Text behind a name: a key, a value, the arguments.
    fn behind_name(
        &self,
        draft: &mut Draft<'a>,
        start: usize,
        gap_end: usize,
        role: Option<Role>,
    ) -> Result<Body, Failed> {
        let gap = &self.text[start..gap_end];
        match role {
            Some(Role::KeyEnd) => {
                let key = gap.trim();
                if key.is_empty() || key.contains(['<', '\n', '{', '"']) {
                    return Err(draft.fail(start, "a key"));
                }
                draft.payload = draft.payload.or(Some(start));
                draft.key = Some(key.to_owned());
                return Ok(Body::Named(gap_end));
            }
            Some(Role::Value) if draft.tool.is_some_and(|tool| declares(tool, gap.trim())) => {
                draft.repairs.add(Repair::Closer);
                draft.key = Some(gap.trim().to_owned());
                return Ok(Body::Named(gap_end));
            }
            Some(Role::ValueEnd) if draft.key.is_some() => {
                // The opener of the value is missing.
                draft.repairs.add(Repair::Opener);
                let Some(key) = draft.key.take() else { return Ok(Body::Ends) };
                let value = match draft.tool {
                    Some(tool) => self
                        .typed(tool, &key, gap.trim(), draft.value)
                        .ok_or_else(|| draft.cut())?,
                    None => return Err(draft.fail(start, "the name of a tool")),
                };
                draft.entries.push((key, value));
                return Ok(Body::Named(gap_end));
            }
            _ => {}
        }
        if !draft.entries.is_empty() {
            // Behind arguments, other text ends the call only if it is closed.
            return Err(draft.fail(start, "an argument or the end of the call"));
        }
        let Some(tool) = draft.tool else {
            // The body may be the whole call.
            if gap.starts_with('{') {
                draft.repairs.add(Repair::ForeignBody);
                return self.whole_calls(draft, start, gap_end);
            }
            return Err(draft.fail(start, "the name of a tool"));
        };
        if gap.split_whitespace().all(|word| self.guide.vocabulary.is_word(word)) {
            // Words of a header, such as the type of what follows.
            return Ok(Body::Named(gap_end));
        }
        if gap_end == self.text.len() && gap.starts_with(['<', '[']) {
            // Half a tag.
            return Err(draft.cut());
        }
        if let Some(fence) = fence(gap) {
            draft.repairs.add(Repair::Fence);
            return self.behind_name(draft, start + fence, gap_end, role);
        }
        if gap.starts_with('(') {
            let text = &self.text[start..];
            let (arguments, len, repairs) = match python::arguments(text, tool, &self.guide) {
                Some(read) => read,
                None if bracketed(text).is_none() => return Err(draft.cut()),
                None => return Err(draft.fail(start, "arguments in parentheses")),
            };
            draft.body = Some(arguments);
            draft.repairs.extend(repairs);
            draft.repairs.add(Repair::ForeignBody);
            return Ok(Body::Read(start + len));
        }
        // What stands before the object is of no use.
        let Some(brace) = gap.find('{') else {
            return Err(draft.fail(start, "arguments"));
        };
        if gap[..brace].chars().any(char::is_alphanumeric) || brace > 0 {
            draft.repairs.add(Repair::Tags);
        }
        draft.payload = Some(start + brace);
        self.arguments(draft, start + brace)
    }

    /// The arguments as one object from `at` on.
    fn arguments(&self, draft: &mut Draft<'a>, at: usize) -> Result<Body, Failed> {
        let read = match self.json(at) {
            Ok(read) => read,
            Err(fault) => {
                if let Some(tool) = draft.tool
                    && let Some((json, len, repairs)) =
                        crate::braces::read(&self.text[at..], tool, &self.guide.vocabulary.quotes)
                {
                    draft.body = Some(json);
                    draft.repairs.extend(repairs);
                    return Ok(Body::Read(at + len));
                }
                return Err(self.faulty(draft, at, &fault));
            }
        };
        if json::kind(&read.json) != Some(Kind::Object) {
            return Err(draft.fail(at, "an object of arguments"));
        }
        if json::entries(&read.json).any(|(key, _)| self.holds_tag(&key)) {
            return Err(draft.fail(at, "keys without markup"));
        }
        draft.repairs.extend(read.repairs);
        let mut json = read.json;
        // The whole call once more.
        if let Some(tool) = draft.tool
            && let Some(mut shapes) = shapes::calls(&json, self.guide.tools)
            && let [shape] = &mut shapes[..]
            && names::resolve(&shape.name, self.guide.tools)
                .is_some_and(|(named, _)| named.name == tool.name)
            && !json::entries(&json).all(|(key, _)| declares(tool, &key))
        {
            json = std::mem::take(&mut shape.arguments);
            draft.repairs.add(Repair::ForeignBody);
        }
        draft.body = Some(json);
        Ok(Body::Read(at + read.len))
    }

    /// Whole calls, in JSON or as a list in Python.
    fn whole_calls(
        &self,
        draft: &mut Draft<'a>,
        at: usize,
        gap_end: usize,
    ) -> Result<Body, Failed> {
        if let Some((tool, len)) = self.lone_name(at, gap_end) {
            draft.tool = Some(tool);
            draft.repairs.add(Repair::ForeignBody);
            if needs_arguments(tool) {
                return Err(draft.fail(at, "arguments"));
            }
            draft.body = Some("{}".to_owned());
            return Ok(Body::Read(at + len));
        }
        let read = match self.json(at) {
            Ok(read) => read,
            Err(fault) => {
                let python = self.python_calls(draft, at, gap_end);
                return python.map_err(|_| self.faulty(draft, at, &fault));
            }
        };
        let end = at + read.len;
        let shapes = shapes::calls(&read.json, self.guide.tools).ok_or_else(|| {
            let expected = "an object with the name of a tool and its arguments";
            let tool = shapes::name(&read.json, self.guide.tools);
            Failed { tool, ..draft.fail(at, expected) }
        })?;
        let gap_end = gap_end.max(end);
        let gap_end = self.seen[self.tag_behind(end, 0)..]
            .first()
            .map_or(self.text.len(), |seen| seen.tag.span.start)
            .max(gap_end.min(end));
        let rest = &self.text[end..gap_end];
        let surplus = relaxed::surplus(rest);
        let fence = rest[surplus..].trim_start();
        let closed = match fence.starts_with(FENCE) {
            true => end + rest.len() - fence.len() + FENCE.len(),
            false => end + surplus,
        };
        let mut found = Vec::with_capacity(shapes.len());
        for shape in shapes {
            found.push(self.shaped(draft, shape, &read.repairs, at..end, surplus > 0)?);
        }
        Ok(Body::Calls(found, closed))
    }

    /// Whether a word is called like a tool.
    fn called(&self, written: &str) -> bool {
        names::in_word(written, self.guide.tools).is_some()
    }

    /// Calls as Python writes them, in tags.
    fn python_calls(
        &self,
        draft: &mut Draft<'a>,
        at: usize,
        gap_end: usize,
    ) -> Result<Body, Failed> {
        let text = &self.text[at..gap_end];
        let (inside, end) = match text.find(FENCE) {
            Some(fence) => (&text[..fence], at + fence + FENCE.len()),
            None => (text, gap_end),
        };
        let mut found = python::all(inside, true, self.guide)?;
        for call in &mut found {
            call.payload = call.payload.start + at..call.payload.end + at;
            call.recovered.marked = true;
            call.recovered.rule = draft.rule;
            call.recovered.dialect = self.dialect(draft);
            let mut repairs = draft.repairs.clone();
            repairs.extend(std::mem::take(&mut call.recovered.repairs));
            call.recovered.repairs = repairs.into_vec();
        }
        Ok(Body::Calls(found, end))
    }

    /// The dialect whose markup a call bears.
    pub(super) fn dialect(&self, draft: &Draft<'a>) -> Option<String> {
        let sign = draft.sign?;
        self.guide.vocabulary.dialect_of(sign, self.guide.dialect).map(String::from)
    }

    /// Whether a text holds a tag that means something.
    fn holds_tag(&self, text: &str) -> bool {
        let vocabulary = self.guide.vocabulary;
        memchr::memchr_iter(b'<', text.as_bytes()).any(|at| {
            // Nothing is missing of a tag but its end.
            let tag = [tag::within(&text[at..]), ">"].concat();
            matches!(vocabulary.look(&tag, 0, true),
                Look::Tag(tag) if vocabulary.sign(&tag, self.guide.dialect).is_some())
        })
    }

    /// `{"name"}`.
    fn lone_name(&self, at: usize, gap_end: usize) -> Option<(&'a callsign_core::Tool, usize)> {
        let gap = self.text[at..gap_end].trim_end();
        let inside = gap.strip_prefix('{')?.strip_suffix('}')?.trim();
        let name = inside.strip_prefix('"')?.strip_suffix('"')?;
        self.guide.tools.get(name).map(|tool| (tool, gap.len()))
    }

    fn shaped(
        &self,
        draft: &Draft<'a>,
        shape: shapes::Shape,
        syntax: &[Repair],
        payload: std::ops::Range<usize>,
        surplus: bool,
    ) -> Result<Found, Failed> {
        let Some((tool, repair)) = names::resolve(&shape.name, self.guide.tools) else {
            return Err(Failed { tool: None, refusal: Refusal::UnknownTool(shape.name) });
        };
        let mut repairs = Repairs::default();
        repairs.extend(draft.repairs.clone());
        repairs.extend(syntax.iter().cloned());
        repairs.extend(repair);
        repairs.extend(shape.repairs);
        if surplus {
            repairs.add(Repair::SurplusBrackets);
        }
        if let Some(guess) = repairs.guess()
            && !self.guide.guesses
        {
            let refusal = Refusal::Guess(guess.clone());
            return Err(Failed { tool: Some(tool.name.clone()), refusal });
        }
        let mut recovered = Recovered::new(draft.rule, draft.marked);
        recovered.dialect = self.dialect(draft);
        recovered.repairs = repairs.into_vec();
        Ok(Found {
            name: tool.name.clone(),
            arguments: shape.arguments,
            id: shape.id,
            recovered,
            payload,
        })
    }

    /// The JSON value at `at`. If it breaks where a tag closes the call, that tag
    /// proves its end.
    fn json(&self, at: usize) -> Result<Relaxed, Fault> {
        let rest = &self.text[at..];
        let fault = match relaxed::read(rest, Ending::Open, MAX_DEPTH) {
            Ok(read) => return Ok(read),
            Err(fault) => fault,
        };
        // A string that swallowed the tag says nothing of where it broke.
        let place = if fault.cut { at } else { at + fault.at };
        let behind = self.seen.partition_point(|seen| seen.tag.span.end <= place);
        let closes = self.seen[behind..].iter().find(|seen| {
            seen.role()
                .is_some_and(|role| role.opens() || matches!(role, Role::End | Role::ValueEnd))
        });
        if let Some(seen) = closes
            && seen.tag.span.start >= at
            // Where the output was cut, the string may be closed behind it.
            && !(fault.cut && self.guide.cut)
            && let Ok(read) =
                relaxed::read(&self.text[at..seen.tag.span.start], Ending::Proved, MAX_DEPTH)
        {
            return Ok(read);
        }
        if self.guide.guesses
            && !self.guide.cut
            && let Some(end) =
                closes.map_or_else(|| self.swallowed(at), |seen| Some(seen.tag.span.start))
            && let Some(mut read) = relaxed::guess(self.text[at..end.max(at)].trim_end())
        {
            if closes.is_none() {
                read.len = self.text.len() - at;
            }
            return Ok(read);
        }
        Err(fault)
    }

    /// Where the closers begin at the end of the text, which an open string has
    /// swallowed.
    fn swallowed(&self, at: usize) -> Option<usize> {
        let vocabulary = self.guide.vocabulary;
        let mut end = self.text.trim_end().len();
        let mut found = None;
        while let Some(place) = self.text[at..end].rfind('<').map(|place| at + place) {
            let Look::Tag(tag) = vocabulary.look(&self.text[..end], place, true) else { break };
            let role = vocabulary.sign(&tag, self.guide.dialect).map(|sign| sign.role);
            if tag.span.end != end || role != Some(Role::End) {
                break;
            }
            found = Some(place);
            end = self.text[..place].trim_end().len().max(at);
        }
        found
    }

    /// What to say of JSON that cannot be read.
    fn faulty(&self, draft: &Draft<'a>, at: usize, fault: &Fault) -> Failed {
        // A tool that is named in what cannot be read is named all the same.
        let tool = draft.tool.map(|tool| tool.name.clone()).or_else(|| {
            let tool = names::mentioned(&self.text[at..], self.guide.tools)?;
            Some(tool.name.clone())
        });
        let refusal = if fault.cut {
            Refusal::Cut
        } else {
            Refusal::Malformed { at: at + fault.at, expected: fault.expected.to_owned() }
        };
        Failed { tool, refusal }
    }
}

/// The length of the line that opens a fence.
fn fence(text: &str) -> Option<usize> {
    let line = text.find('\n')?;
    text.starts_with(FENCE).then_some(line + 1)
}

/// Characters of names, namespaces included.
pub(crate) fn is_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | ':' | '/')
}
