//! The net as a dialect around a dialect.

use std::sync::Arc;

use callsign_core::{
    Constraint, Dialect, End, Fingerprint, Offer, Parser, Reader, ToolCall, Toolset, Turn,
    Unconstrained, Unwritable,
};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Body, Description, Outside, Part, Region};

use crate::judge::Heard;
use crate::parser::{Calls, Netted};
use crate::python;
use crate::vocabulary::Vocabulary;

/// What recovery knows and may do. Cloning shares it.
#[derive(Clone)]
pub struct Recovery(Arc<Known>);

/// What recovery knows: compiled once.
#[derive(Clone)]
pub(crate) struct Known {
    pub(crate) vocabulary: Vocabulary,
    /// The dialect of Python calls.
    pub(crate) python: Arc<dyn Dialect>,
    plain: Arc<dyn Dialect>,
    pub(crate) guesses: bool,
}

impl Recovery {
    /// Recovery that knows the markup of these dialects.
    pub fn new<'d>(descriptions: impl IntoIterator<Item = &'d Description>) -> Self {
        let descriptions: Vec<&Description> = descriptions.into_iter().collect();
        Recovery(Arc::new(Known {
            vocabulary: Vocabulary::new(descriptions.iter().copied()),
            python: Arc::new(python::dialect()),
            plain: Arc::new(Compiled::builtin(plain(descriptions.into_iter()))),
            guesses: false,
        }))
    }

    /// The same, with guesses made or not: repairs that may put into a call what
    /// the model did not write. They are not made unless asked for.
    #[must_use]
    pub fn guesses(mut self, made: bool) -> Self {
        Arc::make_mut(&mut self.0).guesses = made;
        self
    }

    /// A net around the parser of `dialect`.
    pub fn over(&self, dialect: Arc<dyn Dialect>) -> Net {
        Net {
            inner: dialect,
            known: Arc::clone(&self.0),
            heard: Arc::new(Heard::default()),
            beside: false,
        }
    }

    /// A net around no dialect: all output is text, but for reasoning as any
    /// known dialect marks it.
    pub fn alone(&self) -> Net {
        self.over(Arc::clone(&self.0.plain))
    }

    /// What can be recovered from the text and the rejected regions of a turn
    /// that a provider has read. `end` is how its output ended: a finish reason of
    /// `length` is [`End::Cut`], and a call that is cut there is none. Beside the provider's calls none is recovered;
    /// their markup leaves the text all the same.
    pub fn recover(&self, turn: &Turn, end: End, offer: &Offer<'_>) -> Turn {
        let net = Net { beside: !turn.calls.is_empty(), ..self.alone() };
        let read = Reader::new(&net, offer).read(&turn.content_with_rejected(), end);
        let mut recovered = turn.clone();
        recovered.content = read.content;
        recovered.reasoning.push_str(&read.reasoning);
        recovered.calls.extend(read.calls);
        recovered.rejected = read.rejected;
        recovered.attempts.extend(read.attempts);
        recovered.ambiguous |= read.ambiguous;
        recovered
    }
}

/// A dialect with a net under its parser. It writes and constrains as the
/// dialect does.
#[derive(Clone)]
pub struct Net {
    inner: Arc<dyn Dialect>,
    known: Arc<Known>,
    heard: Arc<Heard>,
    /// Whether a provider has read calls, beside which none is recovered.
    beside: bool,
}

impl Net {
    /// The dialect that the net is put around.
    pub fn inner(&self) -> &Arc<dyn Dialect> {
        &self.inner
    }

    /// The same with what others said in the conversation: results of tools and
    /// messages of the user. A recovered call that repeats any of it is an echo
    /// and is refused.
    #[must_use]
    pub fn heard(mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.heard = Arc::new(Heard::new(texts));
        self
    }
}

impl Dialect for Net {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn models(&self) -> &str {
        self.inner.models()
    }

    fn fingerprint(&self) -> &Fingerprint {
        self.inner.fingerprint()
    }

    fn parser(&self, offer: &Offer<'_>) -> Box<dyn Parser> {
        let (known, dialect) = (Arc::clone(&self.known), Arc::clone(&self.inner));
        let heard = Arc::clone(&self.heard);
        let calls = match self.beside {
            true => Calls::Beside,
            false => Calls::Chosen(offer.choice.clone()),
        };
        Box::new(Netted::new(known, dialect, heard, calls, offer))
    }

    fn write(
        &self,
        calls: &[ToolCall],
        tools: &Toolset,
        out: &mut String,
    ) -> Result<(), Unwritable> {
        self.inner.write(calls, tools, out)
    }

    fn constraint(&self, offer: &Offer<'_>) -> Result<Constraint, Unconstrained> {
        self.inner.constraint(offer)
    }
}

/// The dialect of a model that nobody knows: text, and reasoning as any of these
/// dialects marks it.
fn plain<'d>(descriptions: impl Iterator<Item = &'d Description>) -> Description {
    let mut regions: Vec<Region> = Vec::new();
    let texts = descriptions.filter(|description| description.outside == Outside::Text);
    for region in texts.flat_map(|description| &description.regions) {
        let known = regions.iter().any(|known| markers(known).eq(markers(region)));
        if region.body == Body::Reasoning && !known {
            regions.push(region.clone());
        }
    }
    Description { name: "text".to_owned(), regions, ..Description::default() }
}

/// What opens a region, white space left out.
fn markers(region: &Region) -> impl Iterator<Item = &Part> {
    region.open.iter().filter(|part| !matches!(part, Part::Space(_)))
}
