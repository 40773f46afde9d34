//! What a dialect is to its users: a name, a fingerprint, a parser, a writer
//! and a constraint.

use crate::{Constraint, Out, ToolCall, Toolset};

/// The tool-call protocol of a model family.
///
/// Most dialects are a description compiled by `callsign-syntax`; any type that
/// implements this trait is as good as those. The reader keeps the contract
/// whatever the parser does: see [`Reader`](crate::Reader).
pub trait Dialect: std::any::Any + Send + Sync {
    /// The name a user selects it by, in kebab case: `qwen-xml`.
    fn name(&self) -> &str;

    /// The models that speak it, for people.
    fn models(&self) -> &str {
        ""
    }

    /// What to look for in a chat template.
    fn fingerprint(&self) -> &Fingerprint;

    /// A parser for one turn.
    fn parser(&self, offer: &Offer<'_>) -> Box<dyn Parser>;

    /// Appends `calls` to `out` as the model itself writes them.
    ///
    /// # Errors
    ///
    /// When the markup cannot express a call so that it is read back as it is.
    /// `out` is then unchanged.
    fn write(
        &self,
        calls: &[ToolCall],
        tools: &Toolset,
        out: &mut String,
    ) -> Result<(), Unwritable>;

    /// The grammar of the whole turn, from the first generated token on.
    ///
    /// # Errors
    ///
    /// When the choice cannot be met, such as a named tool that is not offered.
    fn constraint(&self, offer: &Offer<'_>) -> Result<Constraint, Unconstrained>;
}

/// A state machine over the text of one turn.
///
/// It owns no text. It looks at the bytes that wait for their account
/// ([`Out::pending`]) and moves them, from the front, to exactly one account.
/// Model text is data: there is no error to return and nothing may panic.
pub trait Parser: Send {
    /// More bytes have been appended to [`Out::pending`].
    fn push(&mut self, out: &mut Out<'_>);

    /// The output is over. What stays pending becomes text, or a rejected
    /// region if a call is open.
    fn finish(&mut self, end: End, out: &mut Out<'_>);
}

/// What a turn is read or constrained for.
#[derive(Debug, Clone, Copy)]
pub struct Offer<'a> {
    /// The tools the model was offered.
    pub tools: &'a Toolset,
    /// Which of them it may or must call.
    pub choice: &'a ToolChoice,
    /// Where the output begins.
    pub start: Start<'a>,
    /// Decisions that users take differently.
    pub policy: Policy,
    /// Bounds on what one turn may hold.
    pub limits: Limits,
}

impl<'a> Offer<'a> {
    /// An offer of `tools`, to be called as the model sees fit.
    pub fn new(tools: &'a Toolset) -> Self {
        Offer {
            tools,
            choice: &ToolChoice::Auto,
            start: Start::Fresh,
            policy: Policy::default(),
            limits: Limits::default(),
        }
    }

    /// The same offer with another tool choice.
    #[must_use]
    pub fn choice(mut self, choice: &'a ToolChoice) -> Self {
        self.choice = choice;
        self
    }

    /// The same offer with another start.
    #[must_use]
    pub fn start(mut self, start: Start<'a>) -> Self {
        self.start = start;
        self
    }

    /// The same offer with another policy.
    #[must_use]
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// The same offer with other limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// Which tools a model may or must call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice {
    /// Any number of calls, none included.
    #[default]
    Auto,
    /// No call.
    None,
    /// At least one call.
    Required,
    /// Exactly one call, of this tool.
    Named(String),
}

/// Where the model's output begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Start<'a> {
    /// At the start of a turn.
    #[default]
    Fresh,
    /// Inside reasoning that the prompt opened.
    Reasoning,
    /// After this tail of the rendered prompt, which the parser replays: the
    /// text from the assistant's header on.
    PromptTail(&'a str),
}

/// Decisions that users take differently.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// What a call inside open reasoning means.
    pub reasoning_calls: ReasoningCalls,
}

impl Policy {
    /// The same policy with another reading of calls inside reasoning.
    #[must_use]
    pub fn reasoning_calls(mut self, reading: ReasoningCalls) -> Self {
        self.reasoning_calls = reading;
        self
    }
}

/// What a call inside open reasoning means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReasoningCalls {
    /// Wait for the end of the reasoning: if it is closed later, the call was
    /// rehearsed and is reasoning; if the turn ends first, the call counts.
    #[default]
    Wait,
    /// The call ends the reasoning at once and streams.
    End,
    /// Nothing inside reasoning is a call.
    Ignore,
}

/// Bounds on what one turn may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Nesting of JSON inside arguments; at most 128.
    pub depth: usize,
    /// Bytes that may wait for their account at once.
    pub length: usize,
    /// Calls in one turn.
    pub calls: usize,
}

impl Limits {
    /// The same limits with another bound on nesting.
    #[must_use]
    pub fn depth(mut self, depth: usize) -> Self {
        self.depth = depth;
        self
    }

    /// The same limits with another bound on waiting bytes.
    #[must_use]
    pub fn length(mut self, length: usize) -> Self {
        self.length = length;
        self
    }

    /// The same limits with another bound on calls.
    #[must_use]
    pub fn calls(mut self, calls: usize) -> Self {
        self.calls = calls;
        self
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { depth: 128, length: 64 << 20, calls: 1024 }
    }
}

/// A piece of output with what is known of its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The text.
    pub text: &'a str,
    /// Where it came from.
    pub origin: Origin,
}

/// Whether a piece was one control token of the vocabulary.
///
/// A backend that knows tells a marker from a quoted spelling of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Nobody knows: a spelled marker counts.
    #[default]
    Unknown,
    /// Ordinary text: it spells no control token.
    Text,
    /// One control token.
    Control,
}

/// How a turn ended, as the backend reports it. It never decides what a call
/// is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum End {
    /// The model stopped.
    #[default]
    Stop,
    /// It was cut: a token limit, a cancellation, a lost connection.
    Cut,
}

/// Literals by which a dialect is recognised in a chat template.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fingerprint {
    /// All of these occur.
    pub all: Vec<String>,
    /// None of these occurs.
    pub none: Vec<String>,
}

impl Fingerprint {
    /// Whether a chat template carries this fingerprint.
    ///
    /// Templates hold newlines either as such or as the two characters of a
    /// string escape; both count.
    pub fn matches(&self, template: &str) -> bool {
        let occurs = |literal: &String| {
            template.contains(literal.as_str())
                || literal.contains('\n') && template.contains(&literal.replace('\n', "\\n"))
        };
        !self.all.is_empty() && self.all.iter().all(occurs) && !self.none.iter().any(occurs)
    }
}

/// Why calls cannot be written in a dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unwritable {
    /// The tool whose call it is.
    pub tool: String,
    /// The argument at fault, if it is one.
    pub argument: Option<String>,
    /// What is wrong.
    pub reason: String,
}

impl std::fmt::Display for Unwritable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot write the call of `{}`", self.tool)?;
        if let Some(argument) = &self.argument {
            write!(f, ", argument `{argument}`")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for Unwritable {}

/// Why no constraint can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unconstrained {
    /// The choice names a tool that is not offered.
    UnknownTool {
        /// The name.
        name: String,
    },
    /// The choice demands a call and no tool is offered.
    NoTools,
    /// The dialect has no grammar for what is asked.
    Unsupported {
        /// What it cannot express.
        what: String,
    },
}

impl std::fmt::Display for Unconstrained {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unconstrained::UnknownTool { name } => {
                write!(f, "the tool choice names `{name}`, which is not among the tools")
            }
            Unconstrained::NoTools => {
                f.write_str("the tool choice demands a call, and there are no tools")
            }
            Unconstrained::Unsupported { what } => write!(f, "the dialect cannot constrain {what}"),
        }
    }
}

impl std::error::Error for Unconstrained {}
