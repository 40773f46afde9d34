//! Where a call comes from: what its dialect read, or what recovery made of
//! text that it did not.

use serde::{Deserialize, Serialize};

use crate::Span;

/// Where a call comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Provenance {
    /// The dialect of the model read it as it stands.
    #[default]
    Native,
    /// The dialect read it, and something in it was mended.
    Mended(Vec<Repair>),
    /// No dialect read it: recovery found it in text or in a rejected region.
    Recovered(Box<Recovered>),
}

impl Provenance {
    /// Whether the call stands as the dialect read it.
    pub fn is_native(&self) -> bool {
        *self == Provenance::Native
    }

    /// What was changed to make a call of what the model wrote.
    pub fn repairs(&self) -> &[Repair] {
        match self {
            Provenance::Native => &[],
            Provenance::Mended(repairs) => repairs,
            Provenance::Recovered(recovered) => &recovered.repairs,
        }
    }
}

/// How a call was recovered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Recovered {
    /// The form in which it was written.
    pub rule: Rule,
    /// The dialect whose markup it bears; none for a form that belongs to no
    /// dialect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dialect: Option<String>,
    /// Whether markup says that it is a call. Without it, only its place and
    /// its shape say so.
    pub marked: bool,
    /// What was changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
}

impl Recovered {
    /// A call of this form, nothing changed.
    pub fn new(rule: Rule, marked: bool) -> Self {
        Recovered { rule, dialect: None, marked, repairs: Vec::new() }
    }
}

/// The form in which a call was recovered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Rule {
    /// Tags as dialects write them, walked leniently.
    Tags,
    /// A JSON object with a name and arguments.
    Json,
    /// A tag named after the tool.
    ToolTag,
    /// A call as Python writes it.
    Python,
    /// A sentence in brackets that announces a call.
    Bracketed,
    /// Lines that name an action and its input.
    React,
    /// A tool's name with its arguments behind it.
    Addressed,
}

impl std::fmt::Display for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Rule::Tags => "tags",
            Rule::Json => "a JSON object",
            Rule::ToolTag => "a tag named after the tool",
            Rule::Python => "a Python call",
            Rule::Bracketed => "a call in brackets",
            Rule::React => "an action and its input",
            Rule::Addressed => "a name and its arguments",
        })
    }
}

/// One thing that was changed to make a call of what a model wrote.
///
/// A repair is lossless if every byte of names and values is the model's own;
/// otherwise it is a guess, and guesses are made only on request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Repair {
    /// An opening tag was missing.
    Opener,
    /// A closing tag was missing, or another stood in its place.
    Closer,
    /// Tags were spelled, doubled or laid out in another way.
    Tags,
    /// Tokens stood where they mean nothing.
    StrayTokens,
    /// The wrapper of one dialect held a call of another form.
    ForeignBody,
    /// The key and the value of this argument had run together.
    Fused(String),
    /// The name of the tool was written like this.
    Name(String),
    /// Strings stood in other quotes.
    Quotes,
    /// Literals were Python's.
    Literals,
    /// Strings held raw control characters.
    ControlCharacters,
    /// Strings held escapes that JSON has not.
    Escapes,
    /// Commas were missing or too many.
    Commas,
    /// Keys stood without quotes.
    BareKeys,
    /// Brackets were missing that the end of the call proves.
    MissingBrackets,
    /// There were more closing brackets than opening ones.
    SurplusBrackets,
    /// A fence stood around it.
    Fence,
    /// Words stood before it.
    Prefix,
    /// JSON stood in a string.
    DoubleEncoding,
    /// The name or the arguments stood under other keys.
    Aliases,
    /// The arguments stood beside the name.
    Flattened,
    /// The value of this argument, by its path, was of another type than the
    /// schema's.
    Retyped(String),
    /// The value of this argument stood in markup.
    Unwrapped(String),
    /// A guess: a string was closed that was not.
    ClosedString,
    /// A guess: the syntax was rewritten by rules of thumb.
    Rewritten,
}

impl Repair {
    /// Whether the result may hold what the model did not write.
    pub fn is_guess(&self) -> bool {
        matches!(self, Repair::ClosedString | Repair::Rewritten)
    }
}

impl std::fmt::Display for Repair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Repair::Opener => f.write_str("an opening tag was missing"),
            Repair::Closer => f.write_str("a closing tag was missing or another"),
            Repair::Tags => f.write_str("tags were spelled in another way"),
            Repair::StrayTokens => f.write_str("stray tokens were dropped"),
            Repair::ForeignBody => f.write_str("the body was of another form than its wrapper"),
            Repair::Fused(key) => write!(f, "key and value of `{key}` had run together"),
            Repair::Name(written) => write!(f, "the name was written `{written}`"),
            Repair::Quotes => f.write_str("strings stood in other quotes"),
            Repair::Literals => f.write_str("literals were Python's"),
            Repair::ControlCharacters => f.write_str("strings held raw control characters"),
            Repair::Escapes => f.write_str("strings held invalid escapes"),
            Repair::Commas => f.write_str("commas were missing or too many"),
            Repair::BareKeys => f.write_str("keys stood without quotes"),
            Repair::MissingBrackets => f.write_str("closing brackets were missing"),
            Repair::SurplusBrackets => f.write_str("there were too many closing brackets"),
            Repair::Fence => f.write_str("a fence stood around it"),
            Repair::Prefix => f.write_str("words stood before it"),
            Repair::DoubleEncoding => f.write_str("JSON stood in a string"),
            Repair::Aliases => f.write_str("name or arguments stood under other keys"),
            Repair::Flattened => f.write_str("the arguments stood beside the name"),
            Repair::Retyped(path) => write!(f, "`{path}` was of another type"),
            Repair::Unwrapped(path) => write!(f, "`{path}` stood in markup"),
            Repair::ClosedString => f.write_str("a guess: an open string was closed"),
            Repair::Rewritten => f.write_str("a guess: the syntax was rewritten"),
        }
    }
}

/// What looked like a call and is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Attempt {
    /// Where it stands in the output.
    pub span: Span,
    /// The form in which it was written.
    pub rule: Rule,
    /// The declared tool it names, if it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// Why it is none.
    pub refusal: Refusal,
    /// What to tell the model, so that its next try is a call: empty where there
    /// is nothing to mend, as for a quotation.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
}

impl Attempt {
    /// An attempt without a tool and a message.
    pub fn new(span: Span, rule: Rule, refusal: Refusal) -> Self {
        Attempt { span, rule, tool: None, refusal, message: String::new() }
    }
}

/// Why what looks like a call is none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// It stands in a sentence that talks about it. Of what stands in code or in a
    /// quotation nothing is said at all.
    Quoted,
    /// It is preceded by words that say it is an example, or is not to be run.
    Example,
    /// Text follows that is no part of it.
    TextFollows,
    /// Its bytes stand in a tool's result or in what the user said.
    Echo,
    /// It stands beside the calls that a provider has read.
    BesideCalls,
    /// The tool choice allows no call, or none but of this tool.
    NotChosen(Option<String>),
    /// The tool is not declared.
    UnknownTool(String),
    /// The output ends inside of it.
    Cut,
    /// It holds keys that the tool does not declare.
    UnknownKeys(Vec<String>),
    /// Its arguments cannot be read: what was expected, and the offset in the
    /// output.
    Malformed {
        /// Where.
        at: usize,
        /// What would have fit.
        expected: String,
    },
    /// It could be read only by a guess.
    Guess(Repair),
    /// A limit was passed.
    Limit,
}

impl Refusal {
    /// The word for it, as it is serialised: one of few, to count by.
    pub fn word(&self) -> &'static str {
        match self {
            Refusal::Quoted => "quoted",
            Refusal::Example => "example",
            Refusal::TextFollows => "text_follows",
            Refusal::Echo => "echo",
            Refusal::BesideCalls => "beside_calls",
            Refusal::NotChosen(_) => "not_chosen",
            Refusal::UnknownTool(_) => "unknown_tool",
            Refusal::Cut => "cut",
            Refusal::UnknownKeys(_) => "unknown_keys",
            Refusal::Malformed { .. } => "malformed",
            Refusal::Guess(_) => "guess",
            Refusal::Limit => "limit",
        }
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refusal::Quoted => f.write_str("it is quoted"),
            Refusal::Example => f.write_str("the words before it say that it is an example"),
            Refusal::TextFollows => f.write_str("text follows it"),
            Refusal::Echo => f.write_str("it repeats a tool's result or the user"),
            Refusal::BesideCalls => f.write_str("the provider has read calls beside it"),
            Refusal::NotChosen(None) => f.write_str("the tool choice allows no call"),
            Refusal::NotChosen(Some(name)) => write!(f, "the tool choice allows only `{name}`"),
            Refusal::UnknownTool(name) => write!(f, "there is no tool `{name}`"),
            Refusal::Cut => f.write_str("the output ends inside of it"),
            Refusal::UnknownKeys(keys) => {
                write!(f, "the tool has no `{}`", keys.join("`, `"))
            }
            Refusal::Malformed { at, expected } => write!(f, "at byte {at}: expected {expected}"),
            Refusal::Guess(repair) => write!(f, "only a guess would read it: {repair}"),
            Refusal::Limit => f.write_str("it is larger than allowed"),
        }
    }
}
