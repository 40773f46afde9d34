//! How far a form without tags goes.

use super::{FENCE, Fence, Followed, LONGEST_LEAD, Phase, Region, Signs, Turn};
use crate::balance::Balance;
use crate::scan::Bare;
use crate::tag::Look;
use crate::vocabulary::Role;
use crate::walk::is_name;

/// What stands before the result of an action.
pub(crate) const OBSERVATION: &str = "Observation:";

/// What stands before the input of an action.
pub(crate) const INPUT: &str = "Action Input:";

impl Region {
    pub(super) fn bare(
        &mut self,
        form: Bare,
        text: &str,
        last: bool,
        signs: Signs<'_>,
    ) -> Followed {
        let bytes = text.as_bytes();
        while let Some(byte) = bytes.get(self.at).copied() {
            if let Some(balance) = &mut self.balance {
                self.at += 1;
                if balance.step(byte) {
                    self.balance = None;
                    self.closed = Some(self.at);
                }
                continue;
            }
            match self.phase {
                Phase::Lead => {
                    if byte == b'`' && self.fence == Fence::None && self.at == 0 {
                        self.fence = Fence::Open;
                        let Some(line) = text.find('\n') else { return Followed::More };
                        self.at = line + 1;
                        continue;
                    }
                    let begins = match form {
                        Bare::React => match self.react(text, last) {
                            Some(followed) => return followed,
                            None => continue,
                        },
                        Bare::Json => matches!(byte, b'{' | b'['),
                        Bare::Bracketed => byte == b'[',
                        Bare::Python => matches!(byte, b'(' | b'['),
                        Bare::Addressed => byte == b'{',
                    };
                    if begins {
                        let mut balance = Balance::default();
                        balance.step(byte);
                        self.balance = Some(balance);
                        self.phase = Phase::Body;
                        self.at += 1;
                        continue;
                    }
                    let start = self.closed.unwrap_or(0);
                    if self.at - start > LONGEST_LEAD && text.is_char_boundary(self.at) {
                        return self.followed();
                    }
                    self.at += 1;
                }
                Phase::Line => {
                    if byte == b'\n' {
                        self.closed = Some(self.at);
                        self.phase = Phase::Body;
                    }
                    self.at += 1;
                }
                Phase::Body => match self.behind(form, byte, text, last, signs) {
                    Behind::On(next) => self.at = next,
                    Behind::More => return Followed::More,
                    Behind::Text => return self.followed(),
                    Behind::Over => {
                        let at = self.closed.unwrap_or(self.at);
                        return Followed::Ends { at, followed: None };
                    }
                },
            }
        }
        Followed::More
    }

    fn followed(&self) -> Followed {
        Followed::Ends { at: self.closed.unwrap_or(self.at).max(1), followed: Some(' ') }
    }

    /// What stands behind the arguments of a form without tags.
    fn behind(&mut self, form: Bare, byte: u8, text: &str, last: bool, signs: Signs<'_>) -> Behind {
        let next = self.at + 1;
        let rest = &text[self.at..];
        match byte {
            _ if byte.is_ascii_whitespace() => Behind::On(next),
            _ if self.turn == Turn::Over => Behind::Over,
            b'O' if rest.starts_with(OBSERVATION) => Behind::Over,
            b'O' if !last && OBSERVATION.starts_with(rest) => Behind::More,
            b'`' if self.fence == Fence::Open => {
                if rest.starts_with(FENCE) {
                    self.fence = Fence::Closed;
                    self.closed = Some(self.at + 3);
                    return Behind::On(self.at + 3);
                }
                if !last && FENCE.starts_with(rest) { Behind::More } else { Behind::Text }
            }
            _ if self.fence == Fence::Closed => Behind::Text,
            b'}' | b']' | b')' => {
                self.closed = Some(next);
                Behind::On(next)
            }
            b'{' | b'[' if matches!(form, Bare::Json) => {
                if byte == b'['
                    && let Look::Tag(tag) = signs.vocabulary.look(text, self.at, last)
                    && signs.vocabulary.sign(&tag, signs.dialect).is_some()
                {
                    self.closed = Some(tag.span.end);
                    return Behind::On(tag.span.end);
                }
                self.phase = Phase::Lead;
                Behind::On(self.at)
            }
            b',' | b';' if matches!(form, Bare::Json | Bare::Python) => Behind::On(next),
            b'<' | b'[' => match signs.vocabulary.look(text, self.at, last) {
                Look::More => Behind::More,
                Look::Nothing => Behind::Text,
                Look::Tag(tag) => {
                    let role = signs.vocabulary.sign(&tag, signs.dialect).map(|sign| sign.role);
                    match role {
                        Some(
                            Role::End | Role::ValueEnd | Role::KeyEnd | Role::Stop | Role::Frame,
                        ) => {
                            self.closed = Some(tag.span.end);
                            if role == Some(Role::Stop) && tag.terminated {
                                self.turn = Turn::Over;
                            }
                            Behind::On(tag.span.end)
                        }
                        _ => Behind::Text,
                    }
                }
            },
            _ if form == Bare::Python
                && text[..self.at].trim_end_matches([' ', '\t']).ends_with('\n') =>
            {
                let run = rest.find(|char: char| !is_name(char)).unwrap_or(rest.len());
                if run >= LONGEST_LEAD {
                    return Behind::Text;
                }
                if run == rest.len() && !last {
                    return Behind::More;
                }
                let called = rest[run..].starts_with('(')
                    && rest[..run]
                        .rsplit(['.', ':'])
                        .next()
                        .is_some_and(|name| signs.tools.get(name).is_some());
                if !called {
                    return Behind::Text;
                }
                self.phase = Phase::Lead;
                Behind::On(self.at)
            }
            _ => Behind::Text,
        }
    }

    /// `Action: name` and the line behind it. None if its input begins.
    fn react(&mut self, text: &str, last: bool) -> Option<Followed> {
        let Some(line) = text.find('\n') else { return Some(Followed::More) };
        let ends = Some(Followed::Ends { at: line, followed: Some(' ') });
        let rest = text[line..].trim_start();
        let start = text.len() - rest.len();
        if start - line >= LONGEST_LEAD {
            return ends;
        }
        let wait = Some(Followed::More);
        let Some(behind) = rest.strip_prefix(INPUT) else {
            return if !last && INPUT.starts_with(rest) { wait } else { ends };
        };
        if behind.len() - behind.trim_start().len() >= LONGEST_LEAD {
            return ends;
        }
        let mut behind = behind.trim_start_matches([' ', '\t']);
        if behind.trim_start().is_empty() {
            return wait;
        }
        if !last && FENCE.starts_with(behind.trim_start()) {
            return wait;
        }
        if let Some(fence) = behind.trim_start().strip_prefix(FENCE) {
            let line = fence.find('\n').unwrap_or(fence.len());
            if line >= LONGEST_LEAD {
                return ends;
            }
            if line == fence.len() {
                return wait;
            }
            behind = &fence[line + 1..];
            self.fence = Fence::Open;
        }
        let Some(first) = behind.bytes().next() else { return wait };
        self.at = text.len() - behind.len();
        self.phase = Phase::Line;
        if matches!(first, b'{' | b'[') {
            let mut balance = Balance::default();
            balance.step(first);
            self.balance = Some(balance);
            self.phase = Phase::Body;
            self.at += 1;
        }
        None
    }
}

/// What stands behind a form without tags.
enum Behind {
    On(usize),
    More,
    /// Text follows that it cannot have behind it.
    Text,
    /// The model goes on as somebody else.
    Over,
}
