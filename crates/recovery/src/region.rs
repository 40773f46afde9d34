//! How far something goes that may be a call. It is followed as it comes, in one
//! pass, and read when its end is known.

mod bare;

pub(crate) use bare::{INPUT, OBSERVATION};

use callsign_core::Toolset;

use crate::balance::Balance;
use crate::names;
use crate::scan::{Bare, Form};
use crate::shapes::{declares, has_arguments};
use crate::tag::{Look, Tag};
use crate::vocabulary::{Role, Vocabulary};
use crate::walk::is_name;

/// The longest way from the beginning of a form without tags to its arguments,
/// in bytes.
const LONGEST_LEAD: usize = 256;

/// The most text behind a tag that opens a call, in characters, if no other tag comes:
/// then it was prose that named the tag.
const LONGEST_STRAY: usize = 1024;

/// What opens and closes code.
pub(crate) const FENCE: &str = "```";

/// Something that may be a call, from its beginning on.
#[derive(Debug)]
pub(crate) struct Region {
    pub(crate) form: Form,
    /// The tags in it that are not data.
    pub(crate) tags: Vec<Tag>,
    /// How much of it has been followed.
    at: usize,
    balance: Option<Balance>,
    /// Whether a body may begin: behind an opener or a name.
    body: bool,
    /// Arguments that are open.
    items: usize,
    /// Calls that are open in an argument.
    nested: usize,
    /// Whether a tag named after a tool has opened.
    named: bool,
    turn: Turn,
    /// Where it is closed, if it is.
    closed: Option<usize>,
    /// How much text has come behind the opener, while nothing else has.
    strays: usize,
    /// What a form without tags has come to.
    phase: Phase,
    fence: Fence,
}

/// Whether the model's turn goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    Goes,
    /// It is over, if the value does not end that is open.
    Doubtful,
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Before the arguments.
    Lead,
    /// In them, or behind them.
    Body,
    /// In a line of text that is the argument.
    Line,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fence {
    None,
    Open,
    Closed,
}

/// What came of following.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// It goes on.
    More,
    /// It ends here. What text it is followed by: in its line, if it has tags;
    /// anywhere, if it has none.
    Ends { at: usize, followed: Option<char> },
}

/// What following goes by.
#[derive(Clone, Copy)]
pub(crate) struct Signs<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) tools: &'a Toolset,
    pub(crate) dialect: Option<&'a str>,
}

impl Signs<'_> {
    /// Whether a text begins with a tag that means something, or with half of one.
    pub(crate) fn begins(&self, text: &str) -> bool {
        match self.vocabulary.look(text, 0, false) {
            Look::Nothing => text.starts_with('`') || text.starts_with(OBSERVATION),
            Look::More => true,
            Look::Tag(tag) => {
                self.vocabulary.sign(&tag, self.dialect).is_some()
                    || self.tools.get(&text[tag.word]).is_some()
            }
        }
    }
}

impl Region {
    pub(crate) fn new(form: Form) -> Self {
        Region {
            form,
            tags: Vec::new(),
            at: 0,
            balance: None,
            body: false,
            items: 0,
            nested: 0,
            named: false,
            turn: Turn::Goes,
            closed: None,
            strays: 0,
            phase: Phase::Lead,
            fence: Fence::None,
        }
    }

    /// Whether what comes behind this text stands in a value that is open. In a body,
    /// that is a string, once a tool or arguments have come.
    pub(crate) fn is_inside(&self, text: &str, tools: &Toolset) -> bool {
        let in_string = self.balance.as_ref().is_some_and(Balance::in_string);
        let json = !matches!(self.form, Form::Bare(Bare::Python));
        let named = || names::mentioned(text, tools).is_some() || json && has_arguments(text);
        self.items > 0 || in_string && named()
    }

    /// Whether the model's turn ends in it: by a token that no value holds, unless the
    /// value does not end, or by a result that the model made up.
    pub(crate) fn is_ended(&self) -> bool {
        self.turn != Turn::Goes
    }

    /// Follows the text from the region's beginning on as far as it goes. `last`
    /// says that nothing follows it.
    pub(crate) fn follow(&mut self, text: &str, last: bool, signs: Signs<'_>) -> Followed {
        let followed = match self.form {
            Form::Marked => self.marked(text, last, signs),
            Form::Bare(form) => self.bare(form, text, last, signs),
        };
        match followed {
            Followed::More if last => Followed::Ends { at: text.len(), followed: None },
            followed => followed,
        }
    }

    fn marked(&mut self, text: &str, last: bool, signs: Signs<'_>) -> Followed {
        while let Some(byte) = text.as_bytes().get(self.at).copied() {
            if let Some(followed) = self.marked_byte(byte, text, last, signs) {
                return followed;
            }
        }
        Followed::More
    }

    /// Goes past the next byte or more. Says what came of it, if that is known.
    fn marked_byte(
        &mut self,
        byte: u8,
        text: &str,
        last: bool,
        signs: Signs<'_>,
    ) -> Option<Followed> {
        if byte == b'<'
            && let Some(balance) = &mut self.balance
        {
            match mark(&text[self.at..], last, signs.vocabulary) {
                Mark::None => {}
                Mark::More => return Some(Followed::More),
                Mark::Of(length) => {
                    balance.mark();
                    self.at += length;
                    return None;
                }
            }
        }
        let in_string = self.balance.as_ref().is_some_and(Balance::in_string);
        if matches!(byte, b'<' | b'[' | b']') && !in_string {
            match signs.vocabulary.look(text, self.at, last) {
                Look::More => return Some(Followed::More),
                Look::Nothing => {}
                Look::Tag(tag) => {
                    if Vocabulary::is_result(&tag) && self.items == 0 {
                        self.turn = Turn::Over;
                        let at = self.closed.unwrap_or(self.at).max(1);
                        return Some(Followed::Ends { at, followed: None });
                    }
                    let role = signs.vocabulary.sign(&tag, signs.dialect).map(|sign| sign.role);
                    let means = |role: Role| {
                        role.opens() || matches!(role, Role::End | Role::ValueEnd | Role::Stop)
                    };
                    // In a body, only what means something is a tag.
                    if self.balance.is_none() || role.is_some_and(means) {
                        let end = self.tag(text, tag, role, signs.tools);
                        return end.map(|at| Followed::Ends { at, followed: None });
                    }
                }
            }
        }
        if let Some(balance) = &mut self.balance {
            self.at += 1;
            if balance.step(byte) {
                self.balance = None;
                self.body = false;
                if self.items == 0 {
                    self.closed = Some(self.at);
                }
            }
            return None;
        }
        if byte.is_ascii_whitespace() {
            self.at += 1;
            return None;
        }
        match self.closed {
            Some(end) if self.items == 0 => self.behind_call(end, byte, text, last, signs),
            _ => self.in_call(byte, text, last),
        }
    }

    /// What stands behind a call that is closed at `end`, and is no tag.
    fn behind_call(
        &mut self,
        end: usize,
        byte: u8,
        text: &str,
        last: bool,
        signs: Signs<'_>,
    ) -> Option<Followed> {
        // Brackets too many belong to the body that they close.
        if matches!(byte, b'}' | b']') {
            self.at += 1;
            self.closed = Some(self.at);
            return None;
        }
        // A fence that was opened in it is closed behind it.
        if byte == b'`' && self.fence == Fence::Open {
            if !last && FENCE.starts_with(&text[self.at..]) {
                return Some(Followed::More);
            }
            if text[self.at..].starts_with(FENCE) {
                self.fence = Fence::Closed;
                self.at += FENCE.len();
                self.closed = Some(self.at);
                return None;
            }
        }
        if text[..end].ends_with(')')
            && let Some(call) = self.python(text, last, signs)
        {
            return match call {
                Python::More => Some(Followed::More),
                Python::Call => None,
            };
        }
        let same_line = !text[end..self.at].contains('\n');
        let followed = text[self.at..].chars().next().filter(|_| same_line);
        Some(Followed::Ends { at: end, followed })
    }

    /// What stands in a call, and is no tag: a name, a body, a value.
    fn in_call(&mut self, byte: u8, text: &str, last: bool) -> Option<Followed> {
        if self.body && matches!(byte, b'{' | b'[' | b'(') {
            let mut balance = Balance::default();
            balance.step(byte);
            self.balance = Some(balance);
            self.at += 1;
            return None;
        }
        if byte == b'`' && self.items == 0 {
            if !last && FENCE.starts_with(&text[self.at..]) {
                return Some(Followed::More);
            }
            if text[self.at..].starts_with(FENCE) {
                let open = self.fence == Fence::Open;
                self.fence = if open { Fence::Closed } else { Fence::Open };
                self.at += FENCE.len();
                return None;
            }
        }
        self.strays += usize::from(self.tags.len() <= 1);
        if self.strays > LONGEST_STRAY {
            return Some(Followed::Ends { at: self.at, followed: None });
        }
        let char = text[self.at..].chars().next().unwrap_or(' ');
        self.body &= is_name(char) || matches!(char, '"' | '\'' | '`' | '=');
        self.at += char.len_utf8();
        None
    }

    /// Another call in Python, behind one. None if there is none.
    fn python(&mut self, text: &str, last: bool, signs: Signs<'_>) -> Option<Python> {
        let rest = &text[self.at..];
        let run = rest.find(|char: char| !is_name(char)).unwrap_or(rest.len());
        if run >= LONGEST_LEAD {
            return None;
        }
        if run == rest.len() && !last {
            return Some(Python::More);
        }
        names::in_word(&rest[..run], signs.tools).filter(|_| rest[run..].starts_with('('))?;
        self.closed = None;
        self.body = true;
        Some(Python::Call)
    }

    /// Takes a tag. Says where the region ends, if it cannot go on with it.
    fn tag(&mut self, text: &str, tag: Tag, role: Option<Role>, tools: &Toolset) -> Option<usize> {
        let end = tag.span.end;
        let inside = self.items > 0;
        match role {
            Some(Role::Wrap | Role::Call) if inside => self.nested += 1,
            Some(Role::Wrap | Role::Call | Role::Separator) => {
                self.balance = None;
                self.body = true;
                self.closed = None;
            }
            // A tag without its end opens no value, if its key is none.
            Some(Role::Item)
                if !inside && !tag.terminated && !is_declared(tag.slot(text), tools) =>
            {
                self.body = false;
            }
            Some(Role::Item | Role::Value) => {
                self.items += 1;
                self.body = false;
                self.closed = None;
            }
            Some(Role::ValueEnd) => {
                self.items = self.items.saturating_sub(1);
                if self.items == 0 && self.turn == Turn::Doubtful {
                    self.turn = Turn::Goes;
                }
                self.balance = None;
            }
            Some(Role::Key | Role::KeyEnd) => self.body = false,
            Some(Role::End) if self.nested > 0 => self.nested -= 1,
            Some(Role::End) => {
                // In a value that is open, it may be the value's.
                self.closed = (self.items == 0).then_some(end);
                self.balance = None;
            }
            Some(Role::Stop) if !inside => {
                self.closed = Some(end);
                if tag.terminated {
                    self.turn = Turn::Over;
                }
            }
            Some(Role::Frame) if self.closed.is_some() && !inside => return self.closed,
            Some(Role::Stop) if tag.terminated && self.turn == Turn::Goes => {
                self.turn = Turn::Doubtful;
            }
            Some(Role::Stop | Role::Frame) => {}
            None => {
                let tool = tools.get(&text[tag.word.clone()]).is_some() && !inside;
                if tool && !tag.closing {
                    self.named = true;
                }
                if tool && tag.closing {
                    self.closed = Some(end);
                } else if self.closed.is_some() && !inside {
                    return self.closed;
                } else if self.named
                    && let Some(open) = argument(text, &tag, tools)
                {
                    // An element named after an argument.
                    self.items = if open { self.items + 1 } else { self.items.saturating_sub(1) };
                    self.body = false;
                } else if tool {
                    self.body = true;
                    let empty = text[tag.tail.clone()].trim_end().ends_with('/');
                    self.closed = empty.then_some(end);
                } else {
                    self.body = false;
                }
            }
        }
        self.at = end;
        self.tags.push(tag);
        None
    }
}

/// Whether a tag opens an element named after an argument of a tool, or closes
/// it. None if it is something else.
fn argument(text: &str, tag: &Tag, tools: &Toolset) -> Option<bool> {
    let word = &text[tag.word.clone()];
    let whole = tag.terminated && tag.tail.is_empty();
    (whole && is_declared(word, tools)).then_some(!tag.closing)
}

/// Whether any tool declares an argument of this name.
fn is_declared(key: &str, tools: &Toolset) -> bool {
    tools.iter().any(|tool| declares(tool, key))
}

/// What stands behind a call in Python.
enum Python {
    More,
    Call,
}

/// What some dialects write around strings.
enum Mark {
    None,
    More,
    /// So many bytes.
    Of(usize),
}

/// The mark that a text begins with.
fn mark(text: &str, last: bool, vocabulary: &Vocabulary) -> Mark {
    for quote in &vocabulary.quotes {
        if text.starts_with(&**quote) {
            return Mark::Of(quote.len());
        }
        if !last && quote.starts_with(text) {
            return Mark::More;
        }
    }
    Mark::None
}
