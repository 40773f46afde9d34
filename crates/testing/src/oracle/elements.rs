//! Arguments as elements that are named after them.

use callsign_core::{Kinds, Nulls, Type, type_text};
use callsign_syntax::description;

use super::Oracle;
use super::call::LONGEST_SLOT;
use super::json::Stop;
use super::literals::{Found, quoted};

/// Elements in the text of an output.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    pub(super) oracle: &'a Oracle<'a>,
    pub(super) spec: &'a description::Elements,
}

/// What stands at a place where a tag may.
enum Tag<'t> {
    /// An opening tag of this name, which ends there.
    Opens(&'t str, usize),
    /// A closing tag.
    Closes,
    /// No tag.
    None,
}

impl<'a> Elements<'a> {
    /// Reads arguments of this type up to a tag that closes something else.
    pub(super) fn arguments(self, at: usize, kind: Type<'_>) -> Found {
        self.children(at, kind, None, 1)
    }

    fn tag(self, at: usize) -> Result<Tag<'a>, Stop> {
        let name = match self.oracle.literal(&format!("{}<", self.spec.prefix), at) {
            Ok(name) => name,
            Err(Stop::Cut) => return Err(Stop::Cut),
            Err(_) => return Ok(Tag::None),
        };
        let rest = &self.oracle.text[name..];
        if rest.is_empty() {
            return Err(Stop::Cut);
        }
        if rest.starts_with('/') {
            return Ok(Tag::Closes);
        }
        let end = rest.find(|char: char| char < ' ' || char == '<' || char == '>');
        match end {
            None if rest.len() <= LONGEST_SLOT => Err(Stop::Cut),
            Some(end @ 1..=LONGEST_SLOT) if rest[end..].starts_with('>') => {
                Ok(Tag::Opens(&rest[..end], name + end + 1))
            }
            _ => Ok(Tag::None),
        }
    }

    /// The children of the element of this name, or the arguments themselves:
    /// as members or, for a list, as items.
    fn children(self, at: usize, kind: Type<'_>, of: Option<(&str, Holds)>, depth: usize) -> Found {
        let list = of.is_some_and(|(_, holds)| holds == Holds::Items);
        let mut children = Vec::new();
        let mut at = at;
        loop {
            at = self.oracle.space(at);
            match self.tag(at)? {
                Tag::Closes => {
                    let end = match of {
                        None => at,
                        Some((name, _)) => self.oracle.literal(&self.closing(name), at)?,
                    };
                    let all = children.join(",");
                    return Ok((end, if list { format!("[{all}]") } else { format!("{{{all}}}") }));
                }
                Tag::Opens(name, _) if list && name != self.spec.item => {
                    return Err(Stop::Fails(at));
                }
                Tag::Opens(..) if depth > self.oracle.offer.limits.depth => {
                    return Err(Stop::TooDeep(at));
                }
                Tag::Opens(name, inside) => {
                    let kind = if list { kind.items() } else { kind.property(name) };
                    let (end, value) = self.element(inside, name, kind, depth + 1)?;
                    children.push(match list {
                        true => value,
                        false => format!("{}:{value}", quoted(name)),
                    });
                    at = end;
                }
                Tag::None => return Err(Stop::Fails(at)),
            }
        }
    }

    /// The element of this name behind its opening tag.
    fn element(self, at: usize, name: &str, kind: Type<'_>, depth: usize) -> Found {
        let admits = |kinds| kind.kinds().contains(kinds);
        let first = self.oracle.space(at);
        if !kind.only_string() {
            match self.tag(first)? {
                Tag::Opens(child, _) => {
                    // The tag of an item may also be the name of a member.
                    let list = child == self.spec.item
                        && (kind.is_unspecified()
                            || !admits(Kinds::OBJECT)
                            || admits(Kinds::ARRAY) && kind.property(child).is_unspecified());
                    let holds = if list { Holds::Items } else { Holds::Members };
                    return self.children(first, kind, Some((name, holds)), depth);
                }
                Tag::Closes | Tag::None => {}
            }
        }
        // Text is everything up to the element's own closing tag.
        let close = self.closing(name);
        let len = self.oracle.text[at..].find(&close).ok_or(Stop::Cut)?;
        let text = &self.oracle.text[at..at + len];
        let mut json = String::new();
        let empty = first == at + len && !kind.is_unspecified() && !admits(Kinds::STRING);
        let nothing = [(Kinds::OBJECT, "{}"), (Kinds::ARRAY, "[]"), (Kinds::NULL, "null")];
        match nothing.into_iter().find(|(kinds, _)| empty && admits(*kinds)) {
            Some((_, nothing)) => json.push_str(nothing),
            None => type_text(text, kind, Nulls::Json, &mut json),
        }
        Ok((at + len + close.len(), json))
    }

    fn closing(self, name: &str) -> String {
        format!("{}</{name}>", self.spec.prefix)
    }
}

/// What an element holds that holds others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Members,
    Items,
}
