//! What the subcommands are given: files, tools, names.

use std::cell::OnceCell;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callsign::description::Description;
use callsign::{Compiled, Dialect, Dialects, Recovery, Toolset};

use crate::failure::Failure;

/// A file, or standard input.
pub(crate) enum Source<'a> {
    File(&'a Path),
    Stdin,
}

impl<'a> Source<'a> {
    /// What a file argument stands for: none and `-` are standard input.
    pub(crate) fn of(path: Option<&'a PathBuf>) -> Self {
        match path {
            Some(path) if path.as_os_str() != "-" => Source::File(path),
            _ => Source::Stdin,
        }
    }

    /// Opens it.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>, Failure> {
        match self {
            Source::Stdin => Ok(Box::new(io::stdin().lock())),
            Source::File(path) => match File::open(path) {
                Ok(file) => Ok(Box::new(file)),
                Err(error) => Err(self.unreadable(&error)),
            },
        }
    }

    /// Reads all of it.
    pub(crate) fn read_text(&self) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        self.open()?.read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        String::from_utf8(bytes).map_err(|error| self.not_utf8(error.utf8_error().valid_up_to()))
    }

    /// The failure to read it.
    pub(crate) fn unreadable(&self, error: &io::Error) -> Failure {
        Failure::Bad(format!("cannot read {self}: {error}"))
    }

    /// The failure that its bytes are no text.
    pub(crate) fn not_utf8(&self, offset: usize) -> Failure {
        Failure::Bad(format!("{self}: the bytes from offset {offset} on are not UTF-8"))
    }
}

impl std::fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Source::File(path) => write!(f, "{}", path.display()),
            Source::Stdin => f.write_str("standard input"),
        }
    }
}

/// The tools of a file; without one, no tools.
pub(crate) fn tools(path: Option<&PathBuf>) -> Result<Toolset, Failure> {
    let Some(path) = path else { return Ok(Toolset::default()) };
    let source = Source::File(path);
    let text = source.read_text()?;
    Toolset::from_openai(&text).map_err(|error| {
        let message = error.to_string();
        Failure::Bad(match error.place() {
            // The place comes first, as compilers print it, and only once.
            Some((line, column)) => {
                let end = format!(" at line {line} column {column}");
                let message = message.strip_suffix(&end).unwrap_or(&message);
                format!("{source}, line {line}, column {column}: {message}")
            }
            None => format!("{source}: {message}"),
        })
    })
}

/// The dialects that are known: those that are built in and those of files.
pub(crate) struct Known {
    pub(crate) dialects: Dialects,
    /// The one to take where none is named.
    usual: Option<String>,
    /// Compiled when it is needed first.
    recovery: OnceCell<Recovery>,
}

/// What the recovery net does under a dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Net<'a> {
    /// There is none.
    Off,
    On {
        /// Whether it may guess.
        guesses: bool,
        /// What others said before.
        heard: &'a [&'a str],
    },
}

impl Known {
    /// The built-in dialects and those of these files.
    pub(crate) fn with(files: &[PathBuf]) -> Result<Self, Failure> {
        let mut known =
            Known { dialects: Dialects::builtin(), usual: None, recovery: OnceCell::new() };
        for path in files {
            let source = Source::File(path);
            let bad = |error: &dyn std::fmt::Display| Failure::Bad(format!("{source}: {error}"));
            let description: Description =
                serde_json::from_str(&source.read_text()?).map_err(|error| bad(&error))?;
            let dialect = Compiled::new(description).map_err(|error| bad(&error))?;
            known.usual = Some(dialect.name().to_owned());
            known.dialects.register(Arc::new(dialect));
        }
        Ok(known)
    }

    /// The dialect of this name.
    pub(crate) fn dialect(&self, name: &str) -> Result<Arc<dyn Dialect>, Failure> {
        self.dialects.get(name).ok_or_else(|| {
            Failure::Bad(format!("unknown dialect `{name}`; built in are: {}", self.list()))
        })
    }

    /// The dialect to take where none is named: the last that came in a file.
    pub(crate) fn usual(&self) -> Option<Arc<dyn Dialect>> {
        self.dialects.get(self.usual.as_deref()?)
    }

    /// The failure that no dialect is named where there must be one.
    pub(crate) fn unnamed(&self) -> Failure {
        Failure::Bad(format!("name the dialect with `--dialect`; built in are: {}", self.list()))
    }

    fn list(&self) -> String {
        let known: Vec<&str> = self.dialects.iter().map(|dialect| dialect.name()).collect();
        known.join(", ")
    }

    /// What reads an output in this dialect with this net under it. Without a
    /// dialect all is text, but for reasoning and for what the net finds.
    pub(crate) fn reading(
        &self,
        dialect: Option<Arc<dyn Dialect>>,
        net: Net<'_>,
    ) -> Arc<dyn Dialect> {
        let recovery = || self.recovery.get_or_init(|| self.dialects.recovery());
        match (net, dialect) {
            (Net::Off, Some(dialect)) => dialect,
            (Net::Off, None) => Arc::clone(recovery().alone().inner()),
            (Net::On { guesses, heard }, dialect) => {
                // Asking for guesses costs a copy of all that recovery knows.
                let guessing = guesses.then(|| recovery().clone().guesses(true));
                let recovery = guessing.as_ref().unwrap_or_else(recovery);
                let net = match dialect {
                    Some(dialect) => recovery.over(dialect),
                    None => recovery.alone(),
                };
                Arc::new(net.heard(heard))
            }
        }
    }
}
