//! A compiled description as a dialect.

use std::sync::{Arc, OnceLock};

use callsign_core::{
    Constraint, Dialect, Fingerprint, Offer, Parser, ToolCall, Toolset, Unconstrained, Unwritable,
};

use crate::compile::{CompileError, compile, require_calls};
use crate::description::Description;
use crate::machine::Machine;
use crate::program::Program;

/// A description that has been compiled: it reads, writes and constrains.
#[derive(Clone)]
pub struct Compiled {
    description: Arc<Description>,
    reader: Arc<Reading>,
}

/// What output is read by. A description that is part of a program is compiled
/// when it is first needed: a program that knows many uses few.
struct Reading {
    description: Arc<Description>,
    program: OnceLock<Arc<Program>>,
}

impl Reading {
    #[expect(clippy::panic, reason = "no input leads here, only a fault in the program")]
    fn program(&self) -> &Arc<Program> {
        self.program.get_or_init(|| match compile(&self.description) {
            Ok(program) => Arc::new(program),
            Err(error) => panic!("{error}"),
        })
    }
}

impl Compiled {
    /// Compiles a description.
    ///
    /// # Errors
    ///
    /// When it is incomplete, or has alternatives that nothing tells apart. The
    /// error names the part.
    pub fn new(description: Description) -> Result<Self, CompileError> {
        require_calls(&description)?;
        let program = OnceLock::from(Arc::new(compile(&description)?));
        let description = Arc::new(description);
        let reader = Arc::new(Reading { description: Arc::clone(&description), program });
        Ok(Compiled { description, reader })
    }

    /// Takes a description that is part of a program. It is compiled when it is
    /// first read by.
    ///
    /// # Panics
    ///
    /// Then, when it does not compile: a test of the crate that holds it shows
    /// that first.
    pub fn builtin(description: Description) -> Self {
        let description = Arc::new(description);
        let program = OnceLock::new();
        let reader = Arc::new(Reading { description: Arc::clone(&description), program });
        Compiled { description, reader }
    }

    /// The same dialect, but read like another of its family, which takes this
    /// one's output and more. It writes and constrains as it did.
    #[must_use]
    pub fn reading_like(self, family: &Compiled) -> Self {
        Compiled { description: self.description, reader: Arc::clone(&family.reader) }
    }

    /// The same dialect under another name.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        let mut description = (*self.description).clone();
        name.clone_into(&mut description.name);
        Compiled { description: Arc::new(description), reader: self.reader }
    }

    /// What it was compiled from.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What it is read by: its own description, or that of its family.
    pub fn read_by(&self) -> &Description {
        &self.reader.description
    }
}

impl std::fmt::Debug for Compiled {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Compiled").field(&self.description.name).finish()
    }
}

impl Dialect for Compiled {
    fn name(&self) -> &str {
        &self.description.name
    }

    fn models(&self) -> &str {
        &self.description.models
    }

    fn fingerprint(&self) -> &Fingerprint {
        &self.description.fingerprint
    }

    fn parser(&self, offer: &Offer<'_>) -> Box<dyn Parser> {
        Box::new(Machine::new(Arc::clone(self.reader.program()), offer))
    }

    fn write(
        &self,
        calls: &[ToolCall],
        tools: &Toolset,
        out: &mut String,
    ) -> Result<(), Unwritable> {
        crate::write::write(self, calls, tools, out)
    }

    fn constraint(&self, offer: &Offer<'_>) -> Result<Constraint, Unconstrained> {
        crate::constrain::constrain(&self.description, offer)
    }
}
