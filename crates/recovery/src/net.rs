//! The net as a dialect around a dialect.

use std::sync::Arc;

use callsign_core::{
    Constraint, Dialect, Fingerprint, Offer, Parser, Reader, ToolCall, Toolset, Turn,
    Unconstrained, Unwritable,
};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Body, Description, Region};

/// What recovery knows and may do. Cloning shares it.
#[derive(Clone)]
pub struct Recovery {
    plain: Arc<dyn Dialect>,
    guesses: bool,
}

impl Recovery {
    /// Recovery that knows the markup of these dialects.
    pub fn new<'d>(descriptions: impl IntoIterator<Item = &'d Description>) -> Self {
        let plain = plain(descriptions.into_iter());
        Recovery { plain: Arc::new(Compiled::builtin(plain)), guesses: false }
    }

    /// The same, with guesses made or not: repairs that may put into a call what
    /// the model did not write. They are not made unless asked for.
    #[must_use]
    pub fn guesses(mut self, made: bool) -> Self {
        self.guesses = made;
        self
    }

    /// A net around the parser of `dialect`.
    pub fn over(&self, dialect: Arc<dyn Dialect>) -> Net {
        Net { inner: dialect, recovery: self.clone(), heard: Arc::new([]) }
    }

    /// A net around no dialect: all output is text, but for reasoning as any
    /// known dialect marks it.
    pub fn alone(&self) -> Net {
        self.over(Arc::clone(&self.plain))
    }

    /// What can be recovered from the text and the rejected regions of a turn
    /// that a provider has read. Beside the provider's calls none is recovered;
    /// their markup leaves the text all the same.
    pub fn recover(&self, turn: &Turn, offer: &Offer<'_>) -> Turn {
        let _ = Reader::new(&self.alone(), offer);
        turn.clone()
    }
}

/// A dialect with a net under its parser. It writes and constrains as the
/// dialect does.
#[derive(Clone)]
pub struct Net {
    inner: Arc<dyn Dialect>,
    #[expect(dead_code, reason = "not read yet")]
    recovery: Recovery,
    heard: Arc<[String]>,
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
    pub fn heard(mut self, texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.heard = texts.into_iter().map(Into::into).collect();
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
        self.inner.parser(offer)
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
    for region in descriptions.flat_map(|description| &description.regions) {
        let known = regions.iter().any(|known| known.open == region.open);
        if region.body == Body::Reasoning && !known {
            regions.push(region.clone());
        }
    }
    Description { name: "text".to_owned(), regions, ..Description::default() }
}
