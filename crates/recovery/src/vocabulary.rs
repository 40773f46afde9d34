//! What the tags of all known dialects mean, taken from their descriptions.
//!
//! A description is printed with its slots marked and read by the same eye that
//! reads what models write ([`tag`](crate::tag)), so a tag means what it means
//! by its place between the slots, in any spelling.

use std::borrow::Cow;

use callsign_core::{ByteSet, Nulls};
use callsign_syntax::description::{
    Body, Calls, Codec, Container, Description, Frame, Part, Region, Value,
};

use crate::tag::{Brackets, Look, Shape, Tag, look};

/// What the tags of all known dialects mean.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    signs: Vec<Sign>,
    /// The bytes that signs begin with.
    firsts: ByteSet,
    dialects: Vec<Box<str>>,
    /// Texts that stand before every tag of a dialect.
    pub(crate) prefixes: Vec<Box<str>>,
    /// What dialects write in place of angle brackets.
    brackets: Vec<Brackets>,
    /// What dialects write around strings, other than quotes.
    pub(crate) quotes: Vec<Box<str>>,
    /// Words that stand around names.
    words: Vec<Box<str>>,
}

/// A tag with its meaning.
#[derive(Debug, Clone)]
pub(crate) struct Sign {
    fold: Box<str>,
    closing: bool,
    shape: Shape,
    /// How its dialect spells it, up to its slot.
    spelled: Box<str>,
    pub(crate) role: Role,
    /// The place of its dialect; none for a tag that belongs to none.
    dialect: Option<u16>,
    /// How the value behind it is spelled.
    pub(crate) value: Value,
}

/// What a tag means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Opens calls, or a call whose name follows.
    Wrap,
    /// Opens a call and holds its name.
    Call,
    /// Stands between the name and the arguments.
    Separator,
    /// Opens an argument and holds its key.
    Item,
    /// Opens a key.
    Key,
    /// Closes a key.
    KeyEnd,
    /// Opens a value.
    Value,
    /// Closes a value.
    ValueEnd,
    /// Closes a call or calls.
    End,
    /// Ends a turn.
    Stop,
    /// Belongs to text or reasoning.
    Frame,
}

impl Role {
    /// Whether it opens a call.
    pub(crate) fn opens(self) -> bool {
        matches!(self, Role::Wrap | Role::Call)
    }
}

/// Slots, as they are printed.
const NAME: char = '\u{e000}';
const KEY: char = '\u{e001}';
const VALUE: char = '\u{e002}';
const ARGUMENTS: char = '\u{e003}';

/// Tags that belong to no dialect in particular: their words, and what they mean
/// where they open, or that they only close.
const COMMON: [(&str, Role); 17] = [
    ("toolcall", Role::Wrap),
    ("toolcode", Role::Wrap),
    ("tooluse", Role::Wrap),
    ("functioncall", Role::Wrap),
    ("tool", Role::End),
    ("invoke", Role::Call),
    ("invokename", Role::Call),
    ("function", Role::Call),
    ("functionname", Role::Call),
    ("functioninvocation", Role::Call),
    ("parameter", Role::Item),
    ("parametername", Role::Item),
    ("param", Role::Item),
    ("paramname", Role::Item),
    ("argument", Role::Item),
    ("argumentname", Role::Item),
    ("arg", Role::Item),
];

/// Words of tags that open the result of a tool.
const RESULTS: [&str; 8] = [
    "toolresponse",
    "toolresult",
    "toolresults",
    "tooloutput",
    "functionresponse",
    "functionresult",
    "functionresults",
    "observation",
];

impl Vocabulary {
    /// The vocabulary of these dialects.
    pub(crate) fn new<'d>(descriptions: impl IntoIterator<Item = &'d Description>) -> Self {
        let mut vocabulary = Vocabulary::default();
        let descriptions: Vec<&Description> = descriptions.into_iter().collect();
        // What belongs to text in one dialect opens no call by itself.
        for description in &descriptions {
            vocabulary.dialects.push(description.name.as_str().into());
            vocabulary.dialect(description);
        }
        for (word, role) in COMMON {
            vocabulary.common(word, role);
        }
        vocabulary.words.sort();
        vocabulary.words.dedup();
        vocabulary.signs.sort_by(|one, other| one.key().cmp(&other.key()));
        vocabulary.firsts =
            vocabulary.signs.iter().filter_map(|sign| sign.fold.bytes().next()).collect();
        vocabulary
    }

    /// The name of a sign's dialect; none where those of several families have the
    /// sign and none of them is `preferred`.
    pub(crate) fn dialect_of(&self, sign: &Sign, preferred: Option<&str>) -> Option<&str> {
        let own = self.name(sign)?;
        if Some(own) == preferred {
            return Some(own);
        }
        let family = |name: &str| name.split('@').next().map(String::from);
        let shared = self
            .same(sign.key())
            .any(|other| self.name(other).is_none_or(|name| family(name) != family(own)));
        (!shared).then_some(own)
    }

    fn name(&self, sign: &Sign) -> Option<&str> {
        sign.dialect.and_then(|place| self.dialects.get(usize::from(place))).map(|name| &**name)
    }

    /// The signs with this key.
    fn same<'k>(&self, key: (&'k str, bool, Shape)) -> impl Iterator<Item = &Sign> + use<'_, 'k> {
        let start = self.signs.partition_point(|sign| sign.key() < key);
        self.signs[start..].iter().take_while(move |sign| sign.key() == key)
    }

    /// The tag that begins at `at`, in any dialect's brackets, what a dialect writes
    /// before every tag included. `last` says that nothing follows the text.
    pub(crate) fn look(&self, text: &str, at: usize, last: bool) -> Look {
        match text.as_bytes().get(at) {
            Some(b'<') => {
                for brackets in &self.brackets {
                    match brackets.look(text, at, last) {
                        Look::Nothing => {}
                        found => return found,
                    }
                }
                match look(text, at, last) {
                    Look::Tag(tag)
                        if tag.spaced && !(tag.terminated && self.sign(&tag, None).is_some()) =>
                    {
                        Look::Nothing
                    }
                    found => found,
                }
            }
            Some(b'[') => look(text, at, last),
            Some(b']') => self.behind_prefix(text, at, last),
            _ => Look::Nothing,
        }
    }

    /// A tag behind what a dialect writes before every tag.
    fn behind_prefix(&self, text: &str, at: usize, last: bool) -> Look {
        let rest = &text[at..];
        for prefix in &self.prefixes {
            if rest.starts_with(&**prefix) && (last || rest.len() > prefix.len()) {
                return match look(text, at + prefix.len(), last) {
                    Look::Tag(mut tag) => {
                        tag.span.start = at;
                        Look::Tag(tag)
                    }
                    found => found,
                };
            }
            if !last && (prefix.starts_with(rest) || **prefix == *rest) {
                return Look::More;
            }
        }
        Look::Nothing
    }

    /// Whether a tag is spelled as no dialect spells it.
    pub(crate) fn is_respelled(&self, sign: &Sign, tag: &Tag, text: &str) -> bool {
        let written = &text[tag.span.clone()];
        !self.same(sign.key()).any(|other| written.contains(&*other.spelled))
    }

    /// Whether a closing tag is that of an opening one.
    pub(crate) fn closes(opener: &Sign, tag: &Tag) -> bool {
        opener.fold.starts_with(&*singular(tag.fold.as_str()))
    }

    /// What a tag means; if several dialects know it, to `preferred`.
    pub(crate) fn sign(&self, tag: &Tag, preferred: Option<&str>) -> Option<&Sign> {
        let whole = tag.fold.as_str();
        let behind = tag.fold.behind_first();
        let find = |fold: &str| self.exact(fold, tag, preferred);
        find(&singular(whole))
            .or_else(|| find(&singular(whole.strip_suffix("name")?)))
            .or_else(|| find(&singular(Some(behind).filter(|behind| behind.len() < whole.len())?)))
    }

    /// Whether a tag opens the result of a tool.
    pub(crate) fn is_result(tag: &Tag) -> bool {
        /// The length of the shortest of them.
        const SHORTEST: usize = 10;
        !tag.closing && tag.fold.as_str().len() >= SHORTEST && RESULTS.contains(&tag.fold.as_str())
    }

    /// Whether a word is that of a tag which opens calls, as fences have it.
    pub(crate) fn is_wrapper(&self, word: &str) -> bool {
        let fold: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        let fold = fold.to_ascii_lowercase();
        let fold = singular(&fold);
        self.signs.iter().any(|sign| {
            *sign.fold == *fold
                && sign.role == Role::Wrap
                && !sign.closing
                && sign.shape == Shape::Angle
        })
    }

    /// Whether a word stands around names in some dialect, or two do without what
    /// parts them.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        let known = |word: &str| self.words.binary_search_by(|known| (**known).cmp(word)).is_ok();
        known(word) || self.words.iter().any(|first| word.strip_prefix(&**first).is_some_and(known))
    }

    fn exact(&self, fold: &str, tag: &Tag, preferred: Option<&str>) -> Option<&Sign> {
        if !fold.bytes().next().is_some_and(|first| self.firsts.contains(first)) {
            return None;
        }
        let key = (fold, tag.closing, tag.shape);
        let mut first = None;
        for sign in self.same(key) {
            if preferred.is_some() && self.name(sign) == preferred {
                return Some(sign);
            }
            first = first.or(Some(sign));
        }
        first
    }

    fn dialect(&mut self, description: &Description) {
        let dialect = u16::try_from(self.dialects.len() - 1).ok();
        self.brackets.extend(description.regions.iter().filter_map(brackets));
        self.brackets.dedup();
        for stop in &description.stops {
            self.harvest(stop, dialect, &mut |_, _| Role::Stop, &raw());
        }
        for region in &description.regions {
            match &region.body {
                Body::Reasoning | Body::Content => {
                    let text = [spell(&region.open), spell(&region.close)].concat();
                    self.harvest(&text, dialect, &mut |_, _| Role::Frame, &raw());
                }
                Body::Calls(calls) => self.calls(region, calls, dialect),
            }
        }
    }

    fn calls(&mut self, region: &Region, calls: &Calls, dialect: Option<u16>) {
        self.harvest(&spell(&region.open), dialect, &mut |_, _| Role::Wrap, &raw());
        self.harvest(&spell(&region.close), dialect, &mut |_, _| Role::End, &raw());
        for form in &calls.forms {
            let text = spell(form);
            let name = text.find(NAME).unwrap_or_default();
            let arguments = text.find(ARGUMENTS).unwrap_or(text.len());
            let mut role = |tag: &Tag, at: usize| match () {
                () if text[tag.tail.clone()].contains(NAME) => Role::Call,
                () if at > arguments => Role::End,
                () if at < name => Role::Wrap,
                () if tag.closing => Role::End,
                () => Role::Separator,
            };
            self.harvest(&text, dialect, &mut role, &raw());
            self.words(&text[..arguments.min(text.len())]);
            each(form, &mut |part| match part {
                Part::Arguments(Container::Each(each)) => self.item(&each.item, dialect),
                Part::Arguments(Container::Elements(elements)) => {
                    self.prefixes.push(elements.prefix.as_str().into());
                }
                Part::Arguments(Container::Braces(braces)) => {
                    self.quotes.push(braces.quote.as_str().into());
                }
                _ => {}
            });
        }
        self.prefixes.sort();
        self.prefixes.dedup();
        self.quotes.sort();
        self.quotes.dedup();
    }

    fn item(&mut self, item: &[Part], dialect: Option<u16>) {
        let text = spell(item);
        let mut value = raw();
        each(item, &mut |part| {
            if let Part::Value(found) = part {
                value = found.clone();
            }
        });
        let (key, at_value) = (text.find(KEY), text.find(VALUE));
        let mut role = |tag: &Tag, at: usize| match () {
            () if text[tag.tail.clone()].contains(KEY) => Role::Item,
            () if at_value.is_some_and(|value| at > value) => Role::ValueEnd,
            () if key.is_some_and(|key| at < key) => Role::Key,
            () if tag.closing => Role::KeyEnd,
            () => Role::Value,
        };
        self.harvest(&text, dialect, &mut role, &value);
    }

    /// Takes the tags of a printed part.
    fn harvest(
        &mut self,
        text: &str,
        dialect: Option<u16>,
        role: &mut dyn FnMut(&Tag, usize) -> Role,
        value: &Value,
    ) {
        let mut at = 0;
        while at < text.len() {
            let found = match text.as_bytes()[at] {
                b'<' | b'[' => self.look(text, at, true),
                _ => Look::Nothing,
            };
            let Look::Tag(tag) = found else {
                at += 1;
                continue;
            };
            at = tag.span.end;
            let role = role(&tag, tag.span.start);
            let spelled = &text[tag.span.start..tag.tail.start];
            self.add(spelled, &tag, role, dialect, value);
        }
    }

    fn add(&mut self, spelled: &str, tag: &Tag, role: Role, dialect: Option<u16>, value: &Value) {
        let sign = Sign {
            fold: singular(tag.fold.as_str()).into(),
            closing: tag.closing,
            shape: tag.shape,
            spelled: spelled.into(),
            role,
            dialect,
            value: value.clone(),
        };
        // The first meaning within a dialect counts: that of text before that
        // of calls.
        let known = self.signs.iter().any(|known| {
            known.key() == sign.key() && known.dialect == dialect && known.spelled == sign.spelled
        });
        if !known {
            self.signs.push(sign);
        }
    }

    fn common(&mut self, word: &str, role: Role) {
        let close = match role {
            Role::Item => Role::ValueEnd,
            _ => Role::End,
        };
        let opening = (role != Role::End).then_some((false, role));
        for (closing, role) in opening.into_iter().chain([(true, close)]) {
            let known = self.signs.iter().any(|sign| {
                (&*sign.fold, sign.closing, sign.shape) == (word, closing, Shape::Angle)
            });
            if !known {
                let value = Value { frame: Frame::Newline, ..raw() };
                let fold = word.into();
                let spelled = "".into();
                self.signs.push(Sign {
                    fold,
                    closing,
                    shape: Shape::Angle,
                    spelled,
                    role,
                    dialect: None,
                    value,
                });
            }
        }
    }

    /// The words around a name.
    fn words(&mut self, text: &str) {
        let words = text.split(|char: char| !char.is_ascii_alphanumeric());
        self.words.extend(words.filter(|word| !word.is_empty()).map(Box::from));
    }
}

/// Words with calls in the singular: which of the two is written means nothing
/// where another word says whose they are.
fn singular(fold: &str) -> Cow<'_, str> {
    match fold.len() > "calls".len() && fold.contains("calls") {
        true => Cow::Owned(fold.replace("calls", "call")),
        false => Cow::Borrowed(fold),
    }
}

impl Sign {
    fn key(&self) -> (&str, bool, Shape) {
        (&self.fold, self.closing, self.shape)
    }
}

fn raw() -> Value {
    Value { codec: Codec::Raw, frame: Frame::None, nulls: Nulls::Json }
}

/// What brackets the tags around a region, if they are markers around the same
/// word.
fn brackets(region: &Region) -> Option<Brackets> {
    let markers = |parts: &[Part]| match parts {
        [Part::Marker(begin), Part::Literal(word), Part::Marker(end)] => {
            Some((begin.clone(), word.clone(), end.clone()))
        }
        _ => None,
    };
    let (open, word, end) = markers(&region.open)?;
    let (close, same, behind) = markers(&region.close)?;
    let brackets = Brackets { open: open.into(), close: close.into(), end: end.into() };
    (word == same && *brackets.end == *behind).then_some(brackets)
}

/// Parts as text, with slots marked and alternatives one after the other, apart.
fn spell(parts: &[Part]) -> String {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(literal) | Part::Marker(literal) => text.push_str(literal),
            Part::Name => text.push(NAME),
            Part::Key => text.push(KEY),
            Part::Value(_) => text.push(VALUE),
            Part::Arguments(_) | Part::Object(_) => text.push(ARGUMENTS),
            Part::Maybe { parts, .. } | Part::Id(parts) => text.push_str(&spell(parts)),
            Part::OneOf(all) => {
                let spelled: Vec<String> = all.iter().map(|parts| spell(parts)).collect();
                text.push_str(&spelled.join(" "));
            }
            _ => {}
        }
    }
    text
}

/// Every part, those of parts that hold others included.
fn each<'p>(parts: &'p [Part], visit: &mut dyn FnMut(&'p Part)) {
    for part in parts {
        match part {
            Part::Maybe { parts, .. } | Part::Id(parts) => each(parts, visit),
            Part::OneOf(all) => all.iter().for_each(|parts| each(parts, visit)),
            part => visit(part),
        }
    }
}
