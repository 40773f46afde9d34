//! JSON Schemas, compiled once: what argument typing and constraints ask of
//! them. The text stays as it was given. Nothing here validates a value.

mod compile;
mod error;
mod kinds;
mod resolve;

use std::fmt;

use kinds::{Claim, Strength};

use crate::json;

pub use error::SchemaError;
pub use kinds::Kinds;

/// A JSON Schema: its text, byte for byte, and an index of what is in it.
#[derive(Debug, Clone)]
pub struct Schema {
    raw: Box<str>,
    /// The root first, a schema before the schemas inside it.
    nodes: Vec<Node>,
    /// The links of a node lie together.
    links: Vec<Link>,
    /// The names in `required`; those of a node lie together.
    required: Vec<Key>,
    /// The values of `enum` and `const`; those of a node lie together.
    choices: Vec<Box<str>>,
    /// Keys that are written with escapes.
    decoded: Vec<Box<str>>,
    /// Properties that only branches of a union declare, and several of them.
    merged: Vec<Merged>,
}

/// A handle on one part of a schema, to be kept where a borrow cannot: see
/// [`Schema::get`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeId(u32);

/// One schema: a whole one or a part such as that of a property.
///
/// Questions are answered through local `$ref`, `allOf`, `anyOf` and `oneOf`.
/// A reference that leads nowhere or out of the text says nothing.
#[derive(Clone, Copy)]
pub struct Type<'s> {
    schema: Option<&'s Schema>,
    id: TypeId,
}

/// A stretch of the text, or of one of the tables.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    start: u32,
    end: u32,
}

impl Run {
    #[inline]
    fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A string of the schema.
#[derive(Debug, Clone, Copy, Default)]
enum Key {
    /// There is none.
    #[default]
    None,
    /// It stands in the text as it is.
    Text(Run),
    /// It had to be decoded.
    Decoded(u32),
}

#[derive(Debug, Clone)]
struct Node {
    text: Run,
    links: Run,
    required: Run,
    choices: Run,
    /// Where its `$ref` leads, if anywhere.
    target: Option<u32>,
    /// What its own keywords say, before `nullable`.
    own: Claim,
    /// What it says all in all.
    claim: Claim,
    nullable: bool,
}

/// From a schema to one inside it.
#[derive(Debug, Clone, Copy)]
struct Link {
    keyword: Keyword,
    key: Key,
    node: u32,
}

/// A property of the root.
#[derive(Debug, Clone, Copy)]
struct Merged {
    key: Key,
    node: u32,
}

/// The keywords that count here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keyword {
    Type,
    Enum,
    Const,
    Nullable,
    Ref,
    Required,
    Properties,
    PatternProperties,
    AdditionalProperties,
    Items,
    PrefixItems,
    Defs,
    Definitions,
    AllOf,
    AnyOf,
    OneOf,
}

impl Keyword {
    fn of(word: &[u8]) -> Option<Keyword> {
        Some(match word {
            b"type" => Keyword::Type,
            b"enum" => Keyword::Enum,
            b"const" => Keyword::Const,
            b"nullable" => Keyword::Nullable,
            b"$ref" => Keyword::Ref,
            b"required" => Keyword::Required,
            b"properties" => Keyword::Properties,
            b"patternProperties" => Keyword::PatternProperties,
            b"additionalProperties" => Keyword::AdditionalProperties,
            b"items" => Keyword::Items,
            b"prefixItems" => Keyword::PrefixItems,
            b"$defs" => Keyword::Defs,
            b"definitions" => Keyword::Definitions,
            b"allOf" => Keyword::AllOf,
            b"anyOf" => Keyword::AnyOf,
            b"oneOf" => Keyword::OneOf,
            _ => return None,
        })
    }

    fn is_union(self) -> bool {
        matches!(self, Keyword::AnyOf | Keyword::OneOf)
    }
}

impl Schema {
    /// The schema that `raw` spells. It may nest at most 128 deep.
    ///
    /// # Errors
    ///
    /// When the text is no JSON, with line and column, or no schema: neither an
    /// object nor a boolean.
    pub fn parse(raw: &str) -> Result<Schema, SchemaError> {
        compile::compile(raw).map_err(SchemaError::from)
    }

    /// The text it was made from.
    pub fn as_str(&self) -> &str {
        &self.raw
    }

    /// The whole schema.
    pub fn root(&self) -> Type<'_> {
        self.get(TypeId(0))
    }

    /// The part that `id` is a handle on. A handle of another schema leads to
    /// an arbitrary part.
    pub fn get(&self, id: TypeId) -> Type<'_> {
        if (id.0 as usize) < self.nodes.len() {
            Type { schema: Some(self), id }
        } else {
            Type::unspecified()
        }
    }

    fn node(&self, id: u32) -> &Node {
        &self.nodes[id as usize]
    }

    fn links(&self, id: u32) -> &[Link] {
        &self.links[self.node(id).links.range()]
    }

    fn key(&self, key: Key) -> &str {
        match key {
            Key::None => "",
            Key::Text(run) => &self.raw[run.range()],
            Key::Decoded(at) => &self.decoded[at as usize],
        }
    }

    /// The schema that `id` itself declares for `key`. JSON readers let the
    /// last of duplicate keys win.
    fn own_property(&self, id: u32, key: &str) -> Option<u32> {
        let declares =
            |link: &&Link| link.keyword == Keyword::Properties && self.key(link.key) == key;
        self.links(id).iter().rev().find(declares).map(|link| link.node)
    }

    /// The union of what branches say of the property `key` of the root.
    fn merged_property(&self, id: u32, key: &str) -> Option<u32> {
        let mut merged = self.merged.iter().filter(|_| id == 0);
        merged.find(|property| self.key(property.key) == key).map(|property| property.node)
    }

    fn declaration(&self, id: u32, key: &str) -> Option<u32> {
        self.merged_property(id, key).or_else(|| {
            let mut parts = self.parts(id, Through::Everything);
            parts.find_map(|part| self.own_property(part, key))
        })
    }

    /// The schemas that `id` is made of: itself, then what it refers to, then
    /// the members of its combinations as they are written; each once.
    fn parts(&self, id: u32, through: Through) -> Parts<'_> {
        Parts { schema: self, first: Some(id), next: Vec::new(), seen: Vec::new(), through }
    }
}

/// Which combinations to look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Through {
    /// `$ref` and `allOf`: what holds for every value.
    Conjunctions,
    /// `anyOf` and `oneOf` too.
    Everything,
}

struct Parts<'s> {
    schema: &'s Schema,
    first: Option<u32>,
    /// A stack, the next on top.
    next: Vec<u32>,
    /// A bit a schema.
    seen: Vec<u64>,
    through: Through,
}

/// The word and the bit of a schema in a set.
fn place(id: u32) -> (usize, u64) {
    (id as usize / 64, 1 << (id % 64))
}

impl Iterator for Parts<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let id = match self.first.take() {
            Some(id) => id,
            None => loop {
                let id = self.next.pop()?;
                if self.seen.get(place(id).0).is_none_or(|seen| seen & place(id).1 == 0) {
                    break id;
                }
            },
        };
        for link in self.schema.links(id).iter().rev() {
            if link.keyword == Keyword::AllOf
                || link.keyword.is_union() && self.through == Through::Everything
            {
                self.next.push(link.node);
            }
        }
        self.next.extend(self.schema.node(id).target);
        // An ordinary schema has one part and needs no memory for it.
        if !self.next.is_empty() {
            let (word, bit) = place(id);
            self.seen.resize(self.schema.nodes.len() / 64 + 1, 0);
            self.seen[word] |= bit;
        }
        Some(id)
    }
}

impl TypeId {
    /// The handle on [`Type::unspecified`], in every schema.
    pub const UNSPECIFIED: TypeId = TypeId(u32::MAX);
}

impl<'s> Type<'s> {
    /// What holds where there is no schema: everything goes, nothing is known.
    pub fn unspecified() -> Type<'static> {
        Type { schema: None, id: TypeId::UNSPECIFIED }
    }

    /// The handle on this part.
    pub fn id(self) -> TypeId {
        self.id
    }

    /// Whether nothing is said about the kind of the value: there is no schema,
    /// or it is `{}` or `true`, or a union with such a branch. A schema that
    /// lists all kinds by name does say something.
    pub fn is_unspecified(self) -> bool {
        self.claim().strength == Strength::Silent
    }

    /// The kinds that are admitted. Keywords that only make sense for objects
    /// or arrays imply them where nothing states a kind.
    pub fn kinds(self) -> Kinds {
        self.claim().kinds
    }

    /// Whether strings are admitted and nothing else.
    pub fn only_string(self) -> bool {
        self.kinds() == Kinds::STRING
    }

    /// Whether it can describe the arguments of a tool: objects are admitted,
    /// and something says so.
    pub fn is_object(self) -> bool {
        !self.is_unspecified() && self.kinds().contains(Kinds::OBJECT)
    }

    /// The schema of the property `key`: as declared, else that of additional
    /// properties, else unspecified. Where several branches of a union declare
    /// it, it is the first one's; at the root, where arguments are, it is the
    /// union of theirs.
    pub fn property(self, key: &str) -> Type<'s> {
        self.find(|schema, id| {
            schema.declaration(id, key).or_else(|| {
                let id = schema.linked(id, Keyword::AdditionalProperties)?;
                // `false` forbids the property. It does not make its value
                // something else: the value is for the tool to refuse.
                Some(id).filter(|id| !schema.node(*id).claim.kinds.is_empty())
            })
        })
    }

    /// The schema of the property `key` if the whole schema leaves no doubt about
    /// it: unspecified where several branches of a union declare it and not
    /// alike, or where its name may fit a pattern. Of a branch that says nothing
    /// of a property that another declares, no doubt comes.
    pub fn sure_property(self, key: &str) -> Type<'s> {
        self.find(|schema, id| {
            if let Some(merged) = schema.merged_property(id, key) {
                return Some(merged);
            }
            let parts = || schema.parts(id, Through::Everything);
            let mut declared = parts().filter_map(|part| schema.own_property(part, key)).peekable();
            if declared.peek().is_some() {
                return schema.agreed(declared);
            }
            if parts().any(|part| schema.own_link(part, Keyword::PatternProperties).is_some()) {
                return None;
            }
            let additional = Keyword::AdditionalProperties;
            let additional = parts().filter_map(|part| schema.own_link(part, additional));
            schema.agreed(additional).filter(|id| !schema.node(*id).claim.kinds.is_empty())
        })
    }

    /// The schema of all items of an array if the whole schema leaves no doubt
    /// about it: unspecified where several branches of a union speak of them and
    /// not alike, or where the first items have schemas of their own.
    pub fn sure_items(self) -> Type<'s> {
        self.find(|schema, id| {
            let parts = || schema.parts(id, Through::Everything);
            if parts().any(|part| schema.own_link(part, Keyword::PrefixItems).is_some()) {
                return None;
            }
            schema.agreed(parts().filter_map(|part| schema.own_link(part, Keyword::Items)))
        })
    }

    /// The schema of the items of an array.
    pub fn items(self) -> Type<'s> {
        self.find(|schema, id| schema.linked(id, Keyword::Items))
    }

    /// The declared properties, in written order, each once.
    pub fn properties(self) -> impl Iterator<Item = (&'s str, Type<'s>)> {
        let parts = self.schema.map(|schema| schema.parts(self.id.0, Through::Everything));
        parts.into_iter().flatten().flat_map(move |part| {
            let links = self.schema.map_or(&[][..], |schema| schema.links(part));
            links.iter().enumerate().filter_map(move |(at, link)| {
                let schema = self.schema.filter(|_| link.keyword == Keyword::Properties)?;
                let key = schema.key(link.key);
                let same = |link: &Link| {
                    link.keyword == Keyword::Properties && schema.key(link.key) == key
                };
                let declared_before = links[..at].iter().any(same)
                    || schema
                        .parts(self.id.0, Through::Everything)
                        .take_while(|earlier| *earlier != part)
                        .any(|earlier| schema.own_property(earlier, key).is_some());
                (!declared_before).then(|| (key, self.property(key)))
            })
        })
    }

    /// Whether every object must have `key`. Branches of a union are not asked.
    pub fn required(self, key: &str) -> bool {
        self.schema.is_some_and(|schema| {
            schema.parts(self.id.0, Through::Conjunctions).any(|part| {
                let names = &schema.required[schema.node(part).required.range()];
                names.iter().any(|name| schema.key(*name) == key)
            })
        })
    }

    /// Its text, a slice of [`Schema::as_str`]; `{}` where there is no schema.
    /// Of a property that several branches declare, it is the first one's.
    pub fn raw(self) -> &'s str {
        match self.schema {
            Some(schema) => &schema.raw[schema.node(self.id.0).text.range()],
            None => "{}",
        }
    }

    /// The values of `enum` or `const`, as JSON, if the kind is limited to such.
    /// Branches of a union are not asked.
    pub fn choices(self) -> Option<&'s [Box<str>]> {
        let schema = self.schema?;
        let mut parts = schema.parts(self.id.0, Through::Conjunctions);
        parts.find_map(|part| schema.node_choices(part))
    }

    /// Whether `text` is one of the strings that an `enum` or `const` lists, in
    /// a branch of a union too.
    pub(crate) fn lists_string(self, text: &str) -> bool {
        self.schema.is_some_and(|schema| {
            let parts = schema.parts(self.id.0, Through::Everything);
            parts.filter_map(|part| schema.node_choices(part)).flatten().any(|choice| {
                let inside = choice.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                inside.and_then(json::unescape).is_some_and(|string| string == text)
            })
        })
    }

    fn claim(self) -> Claim {
        self.schema.map_or(Claim::SILENT, |schema| schema.node(self.id.0).claim)
    }

    fn find(self, find: impl Fn(&'s Schema, u32) -> Option<u32>) -> Type<'s> {
        match self.schema.and_then(|schema| find(schema, self.id.0)) {
            Some(id) => Type { schema: self.schema, id: TypeId(id) },
            None => Type::unspecified(),
        }
    }
}

impl Schema {
    /// The schema that the first part to have `keyword` has there.
    fn linked(&self, id: u32, keyword: Keyword) -> Option<u32> {
        self.parts(id, Through::Everything).find_map(|part| self.own_link(part, keyword))
    }

    /// The schema that `id` itself has under `keyword`.
    fn own_link(&self, id: u32, keyword: Keyword) -> Option<u32> {
        let mut links = self.links(id).iter().rev();
        links.find(|link| link.keyword == keyword).map(|link| link.node)
    }

    /// The first of `ids` if all are the same, or scalars of the same kinds.
    fn agreed(&self, mut ids: impl Iterator<Item = u32>) -> Option<u32> {
        let first = ids.next()?;
        let claim = self.node(first).claim;
        let scalar = !claim.kinds.intersects(Kinds::ARRAY | Kinds::OBJECT);
        let agrees = |id| id == first || scalar && self.node(id).claim == claim;
        ids.all(agrees).then_some(first)
    }

    fn node_choices(&self, id: u32) -> Option<&[Box<str>]> {
        let choices = &self.choices[self.node(id).choices.range()];
        (!choices.is_empty()).then_some(choices)
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Type").field(&self.raw()).finish()
    }
}
