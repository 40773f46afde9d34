//! What a dialect is: one piece of data that is read, written, constrained and
//! recognised by.
//!
//! A turn is *regions* with something outside them. A region of calls holds
//! calls, and a call is a list of *parts*: fixed text, white space and slots.
//! Reading walks the list, writing prints it, constraining translates it. What
//! may follow a value is computed from the list.

use callsign_core::{Fingerprint, Nulls};
use serde::{Deserialize, Serialize};

/// A dialect as data. [`Compiled::new`](crate::Compiled::new) makes it usable.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// The name a user selects it by, in kebab case.
    pub name: String,
    /// The models that speak it, for people.
    #[serde(default)]
    pub models: String,
    /// What to look for in a chat template.
    #[serde(default)]
    pub fingerprint: Fingerprint,
    /// What stands outside the regions.
    #[serde(default)]
    pub outside: Outside,
    /// The regions of a turn, in the order in which they are written.
    pub regions: Vec<Region>,
    /// Tokens that end a turn. At the end of the output they are framing.
    #[serde(default)]
    pub stops: Vec<String>,
}

/// What stands outside the regions of a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outside {
    /// Text for the user.
    #[default]
    Text,
    /// Markup: everything a user sees has a region of its own.
    Framing,
}

/// A region of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Region {
    /// What it holds.
    pub body: Body,
    /// What opens it. A [`Part::Space`] in front is what separates it from the
    /// text before. Calls may do without: then the form itself opens them.
    #[serde(default)]
    pub open: Vec<Part>,
    /// What closes it. For calls, it may be missing in the output.
    #[serde(default)]
    pub close: Vec<Part>,
}

/// What a region holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// The model's reasoning.
    Reasoning,
    /// Text for the user.
    Content,
    /// Calls.
    Calls(Calls),
}

/// The calls of a region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calls {
    /// The shapes one call may have. The first is written.
    pub forms: Vec<Vec<Part>>,
    /// What stands between two calls of one region.
    #[serde(default)]
    pub between: Vec<Part>,
    /// How several calls are written.
    #[serde(default)]
    pub wrap: Wrap,
    /// Where the calls may stand.
    #[serde(default)]
    pub place: Place,
}

/// How several calls are written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrap {
    /// All in one region.
    #[default]
    Together,
    /// Each in a region of its own, with this between two regions.
    Apart(String),
}

/// Where calls may stand in a turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Anywhere.
    #[default]
    Anywhere,
    /// A turn is calls of declared tools from its first byte to its last, or it
    /// holds none: for forms that no marker tells from text.
    WholeTurn,
}

/// A part of a region's edge, of a call or of an argument.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// This text.
    Literal(String),
    /// This text, which the family's vocabulary holds as one token.
    Marker(String),
    /// Any white space, none included; written like this.
    Space(String),
    /// The name of the tool.
    Name,
    /// What these parts cover is the id of the call.
    Id(Vec<Part>),
    /// A word without a meaning of its own, such as the text of an id.
    Word,
    /// The number of the call; written counted from this.
    Index(u32),
    /// The arguments.
    Arguments(Container),
    /// The whole call as one JSON object.
    Object(Object),
    /// The key of an argument.
    Key,
    /// The type of an argument, as a word.
    Type(TypeWords),
    /// The value of an argument.
    Value(Value),
    /// What may be missing. Written if so marked.
    Maybe {
        /// The parts.
        parts: Vec<Part>,
        /// Whether they are written.
        written: bool,
    },
    /// One of these; the first is written.
    OneOf(Vec<Vec<Part>>),
}

impl Part {
    /// This text.
    pub fn literal(text: &str) -> Part {
        Part::Literal(text.to_owned())
    }

    /// This token of the vocabulary.
    pub fn marker(text: &str) -> Part {
        Part::Marker(text.to_owned())
    }

    /// White space, written like this.
    pub fn space(text: &str) -> Part {
        Part::Space(text.to_owned())
    }

    /// These parts or none; written if `written`.
    pub fn maybe(written: bool, parts: impl Into<Vec<Part>>) -> Part {
        Part::Maybe { parts: parts.into(), written }
    }

    /// One of these; the first is written.
    pub fn one_of<const N: usize>(alternatives: [Vec<Part>; N]) -> Part {
        Part::OneOf(alternatives.into())
    }
}

impl Region {
    /// A region of reasoning.
    pub fn reasoning(open: impl Into<Vec<Part>>, close: impl Into<Vec<Part>>) -> Region {
        Region { body: Body::Reasoning, open: open.into(), close: close.into() }
    }

    /// A region of text for the user.
    pub fn content(open: impl Into<Vec<Part>>, close: impl Into<Vec<Part>>) -> Region {
        Region { body: Body::Content, open: open.into(), close: close.into() }
    }

    /// A region of calls.
    pub fn calls(open: impl Into<Vec<Part>>, calls: Calls, close: impl Into<Vec<Part>>) -> Region {
        Region { body: Body::Calls(calls), open: open.into(), close: close.into() }
    }
}

impl Calls {
    /// Calls of one form, anywhere in a turn, all in one region.
    pub fn of(form: impl Into<Vec<Part>>) -> Calls {
        Calls {
            forms: vec![form.into()],
            between: Vec::new(),
            wrap: Wrap::Together,
            place: Place::Anywhere,
        }
    }

    /// The same with another form that is read.
    #[must_use]
    pub fn or(mut self, form: impl Into<Vec<Part>>) -> Calls {
        self.forms.push(form.into());
        self
    }

    /// The same with this between two calls of a region.
    #[must_use]
    pub fn between(mut self, between: impl Into<Vec<Part>>) -> Calls {
        self.between = between.into();
        self
    }

    /// The same, each call in a region of its own, with this between two
    /// regions.
    #[must_use]
    pub fn apart(mut self, between: &str) -> Calls {
        self.wrap = Wrap::Apart(between.to_owned());
        self
    }

    /// The same as the whole turn or not at all.
    #[must_use]
    pub fn whole_turn(mut self) -> Calls {
        self.place = Place::WholeTurn;
        self
    }
}

impl Container {
    /// Arguments between tags of their own, written one after the other.
    pub fn each(item: impl Into<Vec<Part>>) -> Container {
        Container::Each(Each { item: item.into(), between: String::new() })
    }
}

impl Object {
    /// A call with its name and its arguments under these keys.
    pub fn new(name: &str, arguments: &str) -> Object {
        Object { name: vec![name.to_owned()], arguments: vec![arguments.to_owned()], id: None }
    }
}

/// A call as one JSON object; the keys may come in any order. Other keys mean
/// nothing, unless the arguments are missing or the tool declares an argument of
/// that name: then it is no call, because what is said would be left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Object {
    /// The keys that hold the name; the first is written.
    pub name: Vec<String>,
    /// The keys that hold the arguments; the first is written.
    pub arguments: Vec<String>,
    /// The key that holds the id, if ids are written.
    #[serde(default)]
    pub id: Option<String>,
}

/// How arguments are laid out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Container {
    /// One JSON object.
    Json,
    /// Each argument between tags of its own.
    Each(Each),
    /// Keyword arguments of a Python call, up to the closing parenthesis.
    Python,
    /// Bare keys and delimited strings in braces.
    Braces(Braces),
    /// Elements named after the arguments, nested as the values are.
    Elements(Elements),
    /// Everything up to the end of the turn, as one argument.
    Rest {
        /// The tool whose call it is.
        tool: String,
        /// The argument.
        key: String,
    },
}

/// Arguments between tags of their own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Each {
    /// One argument: a [`Part::Key`], perhaps a [`Part::Type`], and a
    /// [`Part::Value`] with text before and after it.
    pub item: Vec<Part>,
    /// White space between two arguments, as it is written.
    #[serde(default)]
    pub between: String,
}

/// The value of an argument between tags.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// How it is spelled.
    pub codec: Codec,
    /// What frames it.
    #[serde(default)]
    pub frame: Frame,
    /// The words that stand for null.
    #[serde(default)]
    pub nulls: Nulls,
}

/// How a value is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    /// Strings as they are, everything else by the schema.
    Raw,
    /// The same, but `<![CDATA[…]]>` and entities are decoded.
    Cdata,
    /// What the [`Part::Type`] says: text as it is, or JSON.
    Typed,
}

/// White space around a value that is not the value's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// None.
    #[default]
    None,
    /// One newline on either side, where it is there.
    Newline,
}

/// The words by which a type is stated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeWords {
    /// One word for text, one for everything else.
    Flag {
        /// For text.
        text: String,
        /// For JSON.
        json: String,
    },
    /// The names of JSON's types; `string` is text.
    Names,
}

/// Arguments in braces: `{key:value,…}` with bare keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Braces {
    /// What stands on either side of a string.
    pub quote: String,
}

/// Arguments as nested elements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Elements {
    /// What stands before every tag.
    pub prefix: String,
    /// The tag of an array's member.
    pub item: String,
}
