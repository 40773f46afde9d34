//! What needs the whole schema: where references lead, which properties
//! several branches declare, and which kinds all of it admits. Cycles end
//! where they meet themselves.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::compile::{Compiler, Cursor};
use super::kinds::{Claim, Strength};
use super::{Key, Keyword, Kinds, Link, Merged, Node, Run, Schema, Through};
use crate::json::unescape;

impl Compiler<'_> {
    /// Finds the target of every `$ref`. Targets outside all keywords that
    /// count are compiled here, and may hold references of their own.
    pub(super) fn resolve_references(&mut self) {
        // Where schemas begin, for targets that no keyword leads to.
        let mut begins: Option<BTreeMap<u32, u32>> = None;
        while let Some((id, reference)) = self.references.pop() {
            let reference = self.schema.key(reference);
            let target = match self.schema.follow(reference) {
                Target::Node(target) => Some(target),
                Target::Text(start) => {
                    let known = begins.get_or_insert_with(|| {
                        let nodes = self.schema.nodes.iter().zip(0..);
                        nodes.map(|(node, id)| (node.text.start, id)).collect()
                    });
                    match known.get(&start) {
                        Some(target) => Some(*target),
                        None => {
                            let compiled = self.schema.nodes.len();
                            self.cursor.at = start as usize;
                            let target = self.walk();
                            let nodes = self.schema.nodes.iter().zip(0..).skip(compiled);
                            known.extend(nodes.map(|(node, id)| (node.text.start, id)));
                            target
                        }
                    }
                }
                Target::Nowhere => None,
            };
            self.schema.nodes[id as usize].target = target;
        }
    }
}

enum Target {
    Node(u32),
    /// A schema that begins there.
    Text(u32),
    Nowhere,
}

impl Schema {
    /// Where a `$ref` leads: `#`, or a JSON pointer after it.
    fn follow(&self, reference: &str) -> Target {
        let Some(pointer) = reference.strip_prefix('#') else { return Target::Nowhere };
        let Some(pointer) = percent_decoded(pointer) else { return Target::Nowhere };
        let mut rest = match pointer.strip_prefix('/') {
            Some(rest) => Some(rest),
            None if pointer.is_empty() => None,
            None => return Target::Nowhere,
        };
        let mut id = 0;
        while let Some(tokens) = rest {
            match self.step(id, tokens) {
                Some((next, tokens)) => (id, rest) = (next, tokens),
                None => {
                    let start = self.node(id).text.start as usize;
                    return match find_in_text(&self.raw, start, tokens) {
                        Some(start) => Target::Text(start as u32),
                        None => Target::Nowhere,
                    };
                }
            }
        }
        Target::Node(id)
    }

    /// One step of a pointer along a link, which saves reading the text.
    fn step<'p>(&self, id: u32, tokens: &'p str) -> Option<(u32, Option<&'p str>)> {
        let (word, rest) = split_token(tokens);
        let keyword = Keyword::of(word.as_bytes())?;
        let mut links = self.links(id).iter().filter(|link| link.keyword == keyword);
        let (link, rest) = match keyword {
            Keyword::Items | Keyword::AdditionalProperties => (links.next_back()?, rest),
            Keyword::Properties | Keyword::Defs | Keyword::Definitions => {
                let (key, rest) = split_token(rest?);
                let key = pointer_decoded(key);
                (links.rfind(|link| self.key(link.key) == key)?, rest)
            }
            Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf => {
                let (index, rest) = split_token(rest?);
                (links.nth(index.parse().ok()?)?, rest)
            }
            _ => return None,
        };
        Some((link.node, rest))
    }

    /// Gives a property that several branches of a union declare the union of
    /// what they say: which branch a value belongs to is not known while its
    /// arguments are read. Only at the root, since deeper values are mostly
    /// read whole, and a web of large unions would grow beyond all bounds.
    pub(super) fn merge_properties(&mut self) {
        if self.parts(0, Through::Everything).nth(1).is_none() {
            return;
        }
        let mut declared: BTreeMap<&str, (Key, Vec<u32>)> = BTreeMap::new();
        for part in self.parts(0, Through::Everything) {
            for link in self.links(part) {
                if link.keyword == Keyword::Properties {
                    let (_, nodes) = declared
                        .entry(self.key(link.key))
                        .or_insert_with(|| (link.key, Vec::new()));
                    nodes.push(link.node);
                }
            }
        }
        declared.retain(|key, (_, nodes)| {
            // What holds for every value needs no branches.
            let mut sure = self.parts(0, Through::Conjunctions);
            nodes.len() > 1 && sure.all(|part| self.own_property(part, key).is_none())
        });
        let several: Vec<_> = declared.into_values().filter(|(_, nodes)| nodes.len() > 1).collect();
        for (key, branches) in several {
            let start = self.links.len() as u32;
            let node = self.nodes.len() as u32;
            self.nodes.push(Node {
                text: self.node(branches[0]).text,
                links: Run { start, end: start + branches.len() as u32 },
                required: Run::default(),
                choices: Run::default(),
                target: None,
                own: Claim::SILENT,
                claim: Claim::SILENT,
                nullable: false,
            });
            let link = |node| Link { keyword: Keyword::AnyOf, key: Key::None, node };
            self.links.extend(branches.into_iter().map(link));
            self.merged.push(Merged { key, node });
        }
    }

    /// Works out what every schema admits, what it is made of first.
    pub(super) fn resolve_kinds(&mut self) {
        let mut progress = vec![Progress::Waiting; self.nodes.len()];
        let mut stack = Vec::new();
        // Backwards, since parts lie behind the whole.
        for root in (0..self.nodes.len() as u32).rev() {
            stack.push(root);
            while let Some(&id) = stack.last() {
                if progress[id as usize] == Progress::Waiting {
                    progress[id as usize] = Progress::Begun;
                    let depth = stack.len();
                    let waiting = |id: &u32| progress[*id as usize] == Progress::Waiting;
                    stack.extend(self.node(id).target.filter(waiting));
                    let links = self.links(id).iter();
                    let combined = links.filter(|link| link.keyword.combines());
                    stack.extend(combined.map(|link| link.node).filter(waiting));
                    if stack.len() > depth {
                        continue;
                    }
                }
                if progress[id as usize] == Progress::Begun {
                    self.nodes[id as usize].claim = self.combined_claim(id, &progress);
                    progress[id as usize] = Progress::Done;
                }
                stack.pop();
            }
        }
    }

    /// What `id` says, from what its parts say. A part that is not done leads
    /// back here and adds nothing.
    fn combined_claim(&self, id: u32, progress: &[Progress]) -> Claim {
        let node = self.node(id);
        let known = |id: u32| {
            let done = progress[id as usize] == Progress::Done;
            done.then(|| self.node(id).claim)
        };
        let mut claim = node.own;
        if let Some(target) = node.target.and_then(known) {
            claim = claim.and(target);
        }
        let mut any_of: Option<Claim> = None;
        let mut one_of: Option<Claim> = None;
        for link in self.links(id) {
            let union = match link.keyword {
                Keyword::AllOf => {
                    claim = claim.and(known(link.node).unwrap_or(Claim::SILENT));
                    continue;
                }
                Keyword::AnyOf => &mut any_of,
                Keyword::OneOf => &mut one_of,
                _ => continue,
            };
            if let Some(branch) = known(link.node) {
                *union = Some(union.map_or(branch, |claim| claim.or(branch)));
            }
        }
        for union in [any_of, one_of].into_iter().flatten() {
            claim = claim.and(union);
        }
        if node.nullable && claim.strength != Strength::Silent {
            claim.kinds |= Kinds::NULL;
        }
        claim
    }
}

impl Keyword {
    fn combines(self) -> bool {
        self == Keyword::AllOf || self.is_union()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Waiting,
    Begun,
    Done,
}

/// Follows the rest of a pointer from the value at `start` on.
fn find_in_text(text: &str, start: usize, tokens: &str) -> Option<usize> {
    let mut cursor = Cursor { text, at: start };
    let mut rest = Some(tokens);
    while let Some(tokens) = rest {
        let (token, after) = split_token(tokens);
        let token = pointer_decoded(token);
        rest = after;
        let opener = cursor.peek()?;
        cursor.at += 1;
        let mut found = None;
        let mut first = true;
        match opener {
            b'{' => {
                while let Some(key) = cursor.member(first)? {
                    first = false;
                    cursor.peek()?;
                    let inside = &text[key.inside.range()];
                    if unescape(inside).is_some_and(|key| key == token) {
                        found = Some(cursor.at);
                    }
                    cursor.skip(usize::MAX)?;
                }
            }
            b'[' => {
                let mut missing: usize = token.parse().ok()?;
                while cursor.item(first)? {
                    first = false;
                    if missing == 0 {
                        found = Some(cursor.at);
                        break;
                    }
                    missing -= 1;
                    cursor.skip(usize::MAX)?;
                }
            }
            _ => return None,
        }
        cursor.at = found?;
    }
    matches!(cursor.peek()?, b'{' | b't' | b'f').then_some(cursor.at)
}

fn split_token(tokens: &str) -> (&str, Option<&str>) {
    match tokens.split_once('/') {
        Some((token, rest)) => (token, Some(rest)),
        None => (tokens, None),
    }
}

fn pointer_decoded(token: &str) -> Cow<'_, str> {
    if token.contains('~') {
        token.replace("~1", "/").replace("~0", "~").into()
    } else {
        token.into()
    }
}

fn percent_decoded(fragment: &str) -> Option<Cow<'_, str>> {
    if !fragment.contains('%') {
        return Some(fragment.into());
    }
    let mut pieces = fragment.split('%');
    let mut bytes = pieces.next()?.as_bytes().to_vec();
    for piece in pieces {
        let digits = piece.get(..2).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(&piece.as_bytes()[2..]);
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
