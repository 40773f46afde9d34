//! Where in a text something begins that may be a call.

mod head;
mod lines;

use callsign_core::Toolset;

use crate::setting::Setting;
use crate::tag::Look;
use crate::vocabulary::{Role, Vocabulary};

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
                let blanks = bytes[at..]
                    .iter()
                    .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
                    .count();
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
            if !matches!(byte, b'\n' | b'`' | b'{') && !setting.is_quoted() {
                match self.tag(setting, text, at, last, &mut length) {
                    Maybe::No => {}
                    Maybe::More => return waits(setting, at),
                    Maybe::Yes(form) => return opens(setting, at, form),
                }
            }
            setting.pass(&text[at..at + length]);
            at += length;
        }
    }

    /// Whether a tag that has not come to its end may mean anything: not, if its word
    /// has come and means nothing.
    fn may_mean(&self, text: &str, at: usize) -> bool {
        let Look::Tag(tag) = self.vocabulary.look(text, at, true) else { return true };
        // What is closed already goes on as one of several words.
        tag.terminated
            || Vocabulary::is_result(&tag)
            || self.vocabulary.sign(&tag, self.dialect).is_some()
            || self.tools.get(&text[tag.word]).is_some()
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
            Look::More => return if self.may_mean(text, at) { Maybe::More } else { Maybe::No },
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
        // One whose opener stands in the text belongs to it.
        let strays = matches!(sign.role, Role::End | Role::ValueEnd | Role::KeyEnd)
            && leads
            && !setting.mentions(&text[tag.word.clone()]);
        let opens =
            matches!(sign.role, Role::Wrap | Role::Call | Role::Item | Role::Stop | Role::Frame);
        if !strays && !opens {
            return Maybe::No;
        }
        let alone = leads || sign.role == Role::Stop;
        let head = self.head(text, at, alone, last);
        if head == Maybe::No && sign.role == Role::Stop && tag.terminated {
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
}
