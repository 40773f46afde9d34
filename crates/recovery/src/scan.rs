//! Where in a text something begins that may be a call.

use callsign_core::Toolset;

use crate::names;
use crate::setting::Setting;
use crate::shapes::{declares, may_be_key, needs_arguments};
use crate::tag::{Look, Tag};
use crate::vocabulary::{Role, Vocabulary};
use crate::walk::is_name;

/// The longest word at the beginning of a line that is waited for, in bytes.
const LONGEST_WORD: usize = 64;

/// How far behind an opening tag the name of a tool is looked for, in bytes.
const LONGEST_HEAD: usize = 256;

/// How far into JSON its first key is looked for, in bytes.
const LONGEST_INDENT: usize = 32;

/// What opens a call in brackets. In small letters.
const ANNOUNCED: [&str; 9] = [
    "calling ",
    "called ",
    "call ",
    "tool call",
    "tool_call",
    "function call",
    "tool:",
    "using tool",
    "invoking ",
];

/// What a scan of text found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    /// So much is text, so much has been passed; what follows waits for more.
    /// Between the two stands white space that may separate markup from text.
    Text { len: usize, passed: usize },
    /// Behind so much text, something begins, with so much white space before it.
    Open { len: usize, separator: usize, form: Form },
}

/// The form in which a call may have been written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// With tags.
    Marked,
    /// Without: only its place and its shape say that it is a call.
    Bare(Bare),
}

/// The forms without tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bare {
    Json,
    Python,
    Bracketed,
    React,
    Addressed,
}

/// What a place may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Maybe {
    No,
    More,
    Yes(Form),
}

/// What a scan goes by.
#[derive(Clone, Copy)]
pub(crate) struct Scanner<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) tools: &'a Toolset,
    pub(crate) dialect: Option<&'a str>,
}

/// Bytes at which something may begin, or that change what a place is in.
const SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = b"\n`<{[]";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Where the first byte stands at which something may begin.
fn special(bytes: &[u8]) -> usize {
    /// Below this length a plain loop is cheaper than setting up a search.
    const SHORT: usize = 32;
    let plain = |bytes: &[u8]| bytes.iter().position(|byte| SPECIAL[usize::from(*byte)]);
    let short = &bytes[..bytes.len().min(SHORT)];
    if let Some(at) = plain(short) {
        return at;
    }
    if bytes.len() <= SHORT {
        return bytes.len();
    }
    let rest = &bytes[SHORT..];
    let line = memchr::memchr3(b'\n', b'`', b']', rest).unwrap_or(rest.len());
    SHORT + memchr::memchr3(b'<', b'{', b'[', &rest[..line]).unwrap_or(line)
}

impl Scanner<'_> {
    /// Goes through text, of which `passed` bytes have been passed before. What is
    /// passed is told to the setting. `last` says that nothing follows the text.
    pub(crate) fn scan(
        &self,
        setting: &mut Setting,
        text: &str,
        passed: usize,
        last: bool,
    ) -> Scan {
        let mut at = passed;
        let waits = |setting: &Setting, at: usize| match last && at == text.len() {
            true => Scan::Text { len: at, passed: at },
            false => Scan::Text { len: at - setting.separator().min(at), passed: at },
        };
        let opens = |setting: &Setting, at: usize, form| {
            let separator = setting.separator().min(at);
            Scan::Open { len: at - separator, separator, form }
        };
        loop {
            if setting.is_over() {
                return Scan::Text { len: text.len(), passed: text.len() };
            }
            let bytes = text.as_bytes();
            if setting.leads() {
                let blanks =
                    bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                setting.pass(&text[at..at + blanks]);
                at += blanks;
                // What follows a fence, even one that closes, is decided by it.
                if at < bytes.len() && !setting.is_quoted() {
                    match self.line(setting, text, at, last) {
                        Maybe::No => {}
                        Maybe::More => return waits(setting, at),
                        Maybe::Yes(form) => return opens(setting, at, form),
                    }
                }
            }
            let next = at + special(&bytes[at..]);
            setting.pass_plain(&text[at..next]);
            at = next;
            let Some(byte) = bytes.get(at) else { return waits(setting, at) };
            let mut length = 1;
            if !matches!(byte, b'\n' | b'`') && !setting.is_quoted() {
                match self.place(setting, text, at, last, &mut length) {
                    Maybe::No => {}
                    Maybe::More => return waits(setting, at),
                    Maybe::Yes(form) => return opens(setting, at, form),
                }
            }
            setting.pass(&text[at..at + length]);
            at += length;
        }
    }

    /// The form of what a dialect has rejected.
    pub(crate) fn form(&self, text: &str) -> Form {
        match text.as_bytes().first() {
            Some(b'<') | None => Form::Marked,
            Some(_) => match self.line(&mut Setting::default(), text, 0, true) {
                Maybe::Yes(form) => form,
                _ => Form::Marked,
            },
        }
    }

    /// A bracket. `length` is how much of the text is passed if it is nothing.
    fn place(
        &self,
        setting: &mut Setting,
        text: &str,
        at: usize,
        last: bool,
        length: &mut usize,
    ) -> Maybe {
        match text.as_bytes()[at] {
            b'{' => Maybe::No,
            _ => self.tag(setting, text, at, last, length),
        }
    }

    fn tag(
        &self,
        setting: &mut Setting,
        text: &str,
        at: usize,
        last: bool,
        length: &mut usize,
    ) -> Maybe {
        let tag = match self.vocabulary.look(text, at, last) {
            Look::Nothing => return Maybe::No,
            Look::More => return Maybe::More,
            Look::Tag(tag) => tag,
        };
        if Vocabulary::is_result(&tag) {
            setting.end_turn();
            return Maybe::No;
        }
        let Some(sign) = self.vocabulary.sign(&tag, self.dialect) else {
            let word = &text[tag.word.clone()];
            if tag.closing || !tag.terminated || !setting.leads() || self.tools.get(word).is_none()
            {
                return Maybe::No;
            }
            return self.behind_tool(text, &tag, last);
        };
        // The arguments of a generic type.
        if setting.is_in_word() && self.vocabulary.is_respelled(sign, &tag, text) {
            return Maybe::No;
        }
        let leads = setting.leads();
        let strays = matches!(sign.role, Role::End | Role::ValueEnd | Role::KeyEnd) && leads;
        let opens =
            matches!(sign.role, Role::Wrap | Role::Call | Role::Item | Role::Stop | Role::Frame);
        if !strays && !opens {
            return Maybe::No;
        }
        let alone = leads || sign.role == Role::Stop;
        let head = self.head(text, at, alone, last);
        if head == Maybe::No && sign.role == Role::Stop {
            setting.end_turn();
        }
        if head == Maybe::No {
            *length = (*length).max(tag.span.end - at).min(text.len() - at);
            // A line that ends within is a line.
            if let Some(line) = text[at..at + *length].find('\n') {
                *length = line.max(1);
            }
        }
        head
    }

    /// Whether what begins with a tag at `at` goes on as a call does: with the
    /// name of a tool, with JSON in a wrapper; or is nothing but tags up to the
    /// end, where these may stand `alone`.
    fn head(&self, text: &str, at: usize, alone: bool, last: bool) -> Maybe {
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
                            let name = matches!(slot, "function" | "name" | "tool" | "tool_name");
                            if !name {
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
                '`' if rest.starts_with("```") || "```".starts_with(rest) => {
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
    fn names(&self, written: &str) -> bool {
        names::resolve(written, self.tools).is_some()
            || written.rsplit(['=', ':']).any(|part| names::resolve(part, self.tools).is_some())
            || self.tools.iter().any(|tool| {
                written.strip_prefix(&*tool.name).is_some_and(|key| declares(tool, key))
            })
    }

    /// Whether a tag named after a tool is a call: arguments follow, or stand in
    /// it.
    fn behind_tool(&self, text: &str, tag: &Tag, last: bool) -> Maybe {
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

    /// What may begin a line, besides tags.
    fn line(&self, setting: &mut Setting, text: &str, at: usize, last: bool) -> Maybe {
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
                if run == inside.len() && !last && run < LONGEST_WORD {
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

    /// Whether a list of calls begins here.
    fn list(&self, text: &str, at: usize, last: bool) -> Maybe {
        let inside = text[at + 1..].trim_start();
        let run = inside.find(|char: char| !is_name(char)).unwrap_or(inside.len());
        match inside.as_bytes().get(run) {
            None if last || run > LONGEST_WORD => Maybe::No,
            None => Maybe::More,
            Some(b'{') if run == 0 => Maybe::Yes(Form::Marked),
            Some(b'(') if self.names(&inside[..run]) => Maybe::Yes(Form::Marked),
            Some(_) => Maybe::No,
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
        if ticks != 3 || line > LONGEST_INDENT {
            return Maybe::No;
        }
        let word = rest[3..line].trim();
        let inside = at + line + 1;
        let calls = self.vocabulary.is_wrapper(word);
        if !calls
            && !(setting.is_first() && matches!(word, "" | "json" | "JSON" | "xml" | "python"))
        {
            return Maybe::No;
        }
        let body = &text[inside..];
        let start = inside + body.len() - body.trim_start().len();
        match text.as_bytes().get(start) {
            None => more,
            Some(b'{') => json(text, start, last, self.tools),
            Some(b'[') => self.bracket(text, start, last),
            Some(b'<') => self.head(text, start, true, last),
            Some(_) if calls || word == "python" => {
                let body = &text[start..];
                let run = body.find(|char: char| !is_name(char)).unwrap_or(body.len());
                if run == body.len() {
                    return if run < LONGEST_WORD { more } else { Maybe::No };
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
        if word == "Observation:" {
            setting.end_turn();
            return Maybe::No;
        }
        if word == "Action:" {
            let line = behind.split('\n').next().unwrap_or_default();
            let name = line.trim().trim_matches(['`', '"', '\'', '*']);
            if line.len() == behind.len() && !last {
                return if line.len() < LONGEST_WORD { Maybe::More } else { Maybe::No };
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
            let run = name.find(|char: char| !is_name(char)).unwrap_or(name.len());
            if run == name.len() && !last && run < LONGEST_WORD {
                return Maybe::More;
            }
            return if self.named(&name[..run]) { bare(Bare::Addressed) } else { Maybe::No };
        }
        if !named && word != "print" {
            // A word of a header, and the address behind it.
            const TO: &str = " to=";
            if self.vocabulary.is_word(word) {
                if behind.starts_with(TO) {
                    return bare(Bare::Addressed);
                }
                if !last && TO.starts_with(behind) {
                    return Maybe::More;
                }
            }
            return Maybe::No;
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

    /// Whether an argument follows a name on the next line.
    fn keyed(&self, text: &str, at: usize, last: bool) -> Maybe {
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

    /// Whether a word is a tool's name in its own spelling, perhaps in a
    /// namespace.
    fn named(&self, word: &str) -> bool {
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
    let start = rest.trim_start_matches(['{', '[', ' ', '\n', '\r', '\t']);
    let skipped = rest.len() - start.len();
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
