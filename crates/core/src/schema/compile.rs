//! One pass over the text of a schema. It notes where things are and keeps its
//! own stack, so that the depth of the text is bounded by a check.

use serde::de::IgnoredAny;

use super::error::Problem;
use super::kinds::Claim;
use super::{Key, Keyword, Kinds, Link, Node, Run, Schema};
use crate::json::{self, Scanner, Step};

/// The deepest nesting.
const MAX_DEPTH: usize = 128;

pub(super) fn compile(raw: &str) -> Result<Schema, Problem> {
    if u32::try_from(raw.len()).is_err() {
        return Err(Problem::TooLong);
    }
    let mut compiler = Compiler {
        cursor: Cursor { text: raw, at: 0 },
        schema: Schema {
            raw: raw.into(),
            nodes: Vec::with_capacity(raw.len() / 64 + 1),
            links: Vec::with_capacity(raw.len() / 64 + 1),
            required: Vec::new(),
            choices: Vec::new(),
            decoded: Vec::new(),
            merged: Vec::new(),
        },
        references: Vec::new(),
        open: Vec::with_capacity(8),
        links: Vec::with_capacity(16),
    };
    let whole = compiler.walk().filter(|_| compiler.cursor.peek().is_none());
    if whole.is_none() {
        return Err(match serde_json::from_str::<IgnoredAny>(raw) {
            Err(error) => Problem::Json(error),
            Ok(_) => Problem::TooDeep,
        });
    }
    let text = &raw[compiler.schema.node(0).text.range()];
    if !matches!(text.as_bytes().first(), Some(b'{' | b't' | b'f')) {
        return Err(Problem::NoSchema);
    }
    compiler.resolve_references();
    let mut schema = compiler.schema;
    schema.merge_properties();
    schema.resolve_kinds();
    Ok(schema)
}

pub(super) struct Compiler<'t> {
    pub(super) cursor: Cursor<'t>,
    pub(super) schema: Schema,
    /// Schemas with a `$ref` that has not been followed yet.
    pub(super) references: Vec<(u32, Key)>,
    open: Vec<Open>,
    /// The links of open schemas, the outermost first: a schema takes its own
    /// away when it closes, so that they end up side by side.
    links: Vec<Link>,
}

/// A container that is being walked.
struct Open {
    what: What,
    /// Whether nothing of it has been read.
    fresh: bool,
}

#[derive(Clone, Copy)]
enum What {
    /// A schema, and where its links begin.
    Schema { id: u32, links: usize },
    /// An object of schemas under a keyword of the schema around it.
    Map(Keyword),
    /// An array of such.
    List(Keyword),
}

impl Compiler<'_> {
    /// Compiles the schema at the cursor; `None` if the text is no JSON there
    /// or nests too deep.
    pub(super) fn walk(&mut self) -> Option<u32> {
        let root = self.value()?;
        while let Some(open) = self.open.last_mut() {
            let first = std::mem::replace(&mut open.fresh, false);
            match open.what {
                What::Schema { id, links } => match self.cursor.member(first)? {
                    Some(key) => self.keyword(id, key)?,
                    None => self.close(id, links),
                },
                What::Map(keyword) => match self.cursor.member(first)? {
                    Some(key) => {
                        let key = self.key(key);
                        self.link(keyword, key)?;
                    }
                    None => {
                        self.open.pop();
                    }
                },
                What::List(keyword) => {
                    if self.cursor.item(first)? {
                        self.link(keyword, Key::None)?;
                    } else {
                        self.open.pop();
                    }
                }
            }
        }
        Some(root)
    }

    /// Takes a value that should be a schema; an object is left open.
    fn value(&mut self) -> Option<u32> {
        let byte = self.cursor.peek()?;
        let id = self.schema.nodes.len() as u32;
        let start = self.cursor.at as u32;
        self.schema.nodes.push(Node {
            text: Run { start, end: start },
            links: Run::default(),
            required: Run::default(),
            choices: Run::default(),
            target: None,
            own: Claim::SILENT,
            claim: Claim::SILENT,
            nullable: false,
        });
        if byte == b'{' {
            self.open(What::Schema { id, links: self.links.len() })?;
        } else {
            self.skip()?;
            let node = self.schema.nodes.last_mut()?;
            node.text.end = self.cursor.at as u32;
            if byte == b'f' {
                node.own = Claim::stated(Kinds::NONE);
            }
        }
        Some(id)
    }

    fn link(&mut self, keyword: Keyword, key: Key) -> Option<()> {
        let node = self.value()?;
        // An object has been opened: what it will link to comes after this
        // link, which is its parent's.
        self.links.push(Link { keyword, key, node });
        if let Some(Open { what: What::Schema { id, links }, .. }) = self.open.last_mut()
            && *id == node
        {
            *links += 1;
        }
        Some(())
    }

    fn close(&mut self, id: u32, links: usize) {
        self.open.pop();
        let start = self.schema.links.len() as u32;
        self.schema.links.extend(self.links.drain(links..));
        let node = &mut self.schema.nodes[id as usize];
        node.links = Run { start, end: self.schema.links.len() as u32 };
        node.text.end = self.cursor.at as u32;
    }

    /// Takes the value of a keyword of the schema `id`.
    fn keyword(&mut self, id: u32, key: Quoted) -> Option<()> {
        let word = match self.key(key) {
            Key::Text(run) => Keyword::of(&self.cursor.text.as_bytes()[run.range()]),
            key => Keyword::of(self.schema.key(key).as_bytes()),
        };
        let Some(keyword) = word else { return self.skip() };
        let byte = self.cursor.peek()?;
        match (keyword, byte) {
            (Keyword::Properties | Keyword::PatternProperties, b'{') => {
                self.state(id, Claim::implied(Kinds::OBJECT));
                self.open(What::Map(keyword))
            }
            (Keyword::Defs | Keyword::Definitions, b'{') => self.open(What::Map(keyword)),
            (Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf, b'[') => {
                self.open(What::List(keyword))
            }
            // A list of schemas says nothing about the items after them.
            (Keyword::Items | Keyword::PrefixItems, b'[') => {
                self.state(id, Claim::implied(Kinds::ARRAY));
                self.open(What::List(Keyword::PrefixItems))
            }
            (Keyword::Items, b'{' | b't' | b'f') => {
                self.state(id, Claim::implied(Kinds::ARRAY));
                self.link(keyword, Key::None)
            }
            (Keyword::AdditionalProperties, b'{' | b't' | b'f') => {
                self.state(id, Claim::implied(Kinds::OBJECT));
                self.link(keyword, Key::None)
            }
            (Keyword::Required, b'[') => {
                self.state(id, Claim::implied(Kinds::OBJECT));
                self.required(id)
            }
            (Keyword::Type, b'"' | b'[') => {
                let kinds = self.type_words(byte)?;
                if !kinds.is_empty() {
                    self.state(id, Claim::stated(kinds));
                }
                Some(())
            }
            (Keyword::Enum, b'[') => self.choices(id),
            (Keyword::Const, _) => {
                let start = self.schema.choices.len() as u32;
                let kinds = self.choice()?;
                self.state(id, Claim::stated(kinds));
                self.schema.nodes[id as usize].choices = Run { start, end: start + 1 };
                Some(())
            }
            (Keyword::Nullable, b't') => {
                self.schema.nodes[id as usize].nullable = true;
                self.skip()
            }
            (Keyword::Ref, b'"') => {
                let reference = self.cursor.string()?;
                let reference = self.key(reference);
                self.references.push((id, reference));
                Some(())
            }
            _ => self.skip(),
        }
    }

    fn state(&mut self, id: u32, claim: Claim) {
        let node = &mut self.schema.nodes[id as usize];
        node.own = node.own.and(claim);
    }

    fn open(&mut self, what: What) -> Option<()> {
        if self.open.len() == MAX_DEPTH {
            return None;
        }
        self.cursor.at += 1;
        self.open.push(Open { what, fresh: true });
        Some(())
    }

    fn skip(&mut self) -> Option<()> {
        self.cursor.skip(MAX_DEPTH - self.open.len())
    }

    fn key(&mut self, quoted: Quoted) -> Key {
        if !quoted.escaped {
            return Key::Text(quoted.inside);
        }
        let inside = &self.cursor.text[quoted.inside.range()];
        match json::unescape(inside) {
            Some(decoded) => {
                self.schema.decoded.push(decoded.into());
                Key::Decoded(self.schema.decoded.len() as u32 - 1)
            }
            None => Key::Text(quoted.inside),
        }
    }

    fn required(&mut self, id: u32) -> Option<()> {
        self.cursor.at += 1;
        let start = self.schema.required.len() as u32;
        let mut first = true;
        while self.cursor.item(first)? {
            first = false;
            if self.cursor.peek()? == b'"' {
                let name = self.cursor.string()?;
                let name = self.key(name);
                self.schema.required.push(name);
            } else {
                self.skip()?;
            }
        }
        let end = self.schema.required.len() as u32;
        self.schema.nodes[id as usize].required = Run { start, end };
        Some(())
    }

    /// The kinds that the value of `type` names; unknown words name none.
    fn type_words(&mut self, byte: u8) -> Option<Kinds> {
        let mut kinds = Kinds::NONE;
        let list = byte == b'[';
        if list {
            self.cursor.at += 1;
        }
        let mut first = true;
        while !list || self.cursor.item(first)? {
            first = false;
            if self.cursor.peek()? == b'"' {
                let word = self.cursor.string()?;
                let word = &self.cursor.text.as_bytes()[word.inside.range()];
                kinds |= Kinds::of_type(word).unwrap_or(Kinds::NONE);
            } else {
                self.skip()?;
            }
            if !list {
                break;
            }
        }
        Some(kinds)
    }

    fn choices(&mut self, id: u32) -> Option<()> {
        self.cursor.at += 1;
        let start = self.schema.choices.len() as u32;
        let mut kinds = Kinds::NONE;
        let mut first = true;
        while self.cursor.item(first)? {
            first = false;
            kinds |= self.choice()?;
        }
        let end = self.schema.choices.len() as u32;
        // An empty list is a mistake rather than a ban.
        if start < end {
            self.state(id, Claim::stated(kinds));
            let node = &mut self.schema.nodes[id as usize];
            // Beside `const` the list chooses nothing.
            if node.choices.start == node.choices.end {
                node.choices = Run { start, end };
            }
        }
        Some(())
    }

    fn choice(&mut self) -> Option<Kinds> {
        self.cursor.peek()?;
        let start = self.cursor.at;
        self.skip()?;
        let text = &self.cursor.text[start..self.cursor.at];
        self.schema.choices.push(text.into());
        Some(Kinds::of(text))
    }
}

/// A place in JSON text. Its methods return `None` where the text is no JSON.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

/// A string as it is written.
#[derive(Clone, Copy)]
pub(super) struct Quoted {
    /// What is between the quotes.
    pub(super) inside: Run,
    /// Whether that holds an escape.
    pub(super) escaped: bool,
}

impl Cursor<'_> {
    /// The next byte that is no white space, which the cursor moves to.
    #[inline]
    pub(super) fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.text.as_bytes().get(self.at)?;
            if !matches!(byte, b' ' | b'\n' | b'\t' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    /// Passes the string at the cursor.
    #[inline]
    pub(super) fn string(&mut self) -> Option<Quoted> {
        let start = self.at + 1;
        let plain = start + json::plain_run(&self.text.as_bytes()[start..], b'"');
        let escaped = self.text.as_bytes().get(plain) != Some(&b'"');
        if escaped {
            self.scan(0)?;
        } else {
            self.at = plain + 1;
        }
        let inside = Run { start: start as u32, end: self.at as u32 - 1 };
        Some(Quoted { inside, escaped })
    }

    /// Passes one value that nests at most `depth` deep.
    #[inline]
    pub(super) fn skip(&mut self, depth: usize) -> Option<()> {
        if self.peek()? == b'"' { self.string().map(drop) } else { self.scan(depth) }
    }

    fn scan(&mut self, depth: usize) -> Option<()> {
        let mut scanner = Scanner::new(depth);
        loop {
            match scanner.step(self.text.as_bytes(), &mut self.at) {
                Step::Key | Step::KeyEnd | Step::Value | Step::ValueEnd => {}
                Step::Done => return Some(()),
                Step::More => return scanner.finish().map(drop),
                Step::Unexpected | Step::TooDeep => return None,
            }
        }
    }

    /// Passes the next key of an object and its colon, or the end.
    #[inline]
    pub(super) fn member(&mut self, first: bool) -> Option<Option<Quoted>> {
        let mut byte = self.peek()?;
        if byte == b'}' {
            self.at += 1;
            return Some(None);
        }
        if !first {
            byte = self.comma(byte)?;
        }
        if byte != b'"' {
            return None;
        }
        let key = self.string()?;
        if self.peek()? != b':' {
            return None;
        }
        self.at += 1;
        Some(Some(key))
    }

    /// Moves to the next item of an array, or past its end.
    #[inline]
    pub(super) fn item(&mut self, first: bool) -> Option<bool> {
        let byte = self.peek()?;
        if byte == b']' {
            self.at += 1;
            return Some(false);
        }
        if !first {
            self.comma(byte)?;
        }
        Some(true)
    }

    fn comma(&mut self, byte: u8) -> Option<u8> {
        if byte != b',' {
            return None;
        }
        self.at += 1;
        self.peek()
    }
}
