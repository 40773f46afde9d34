//! Why a template cannot be read, compiled or rendered.

use std::fmt;
use std::path::PathBuf;

use minijinja::{Error, ErrorKind};

use crate::adapt::with_one_line_end;
use crate::python::Raised;
use crate::source::Text;

/// Why a template cannot be read, compiled or rendered.
#[derive(Debug)]
#[non_exhaustive]
pub enum TemplateError {
    /// A file cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A tokenizer configuration is not what it should be.
    Config {
        /// The file.
        path: PathBuf,
        /// Line and column, both from 1, where one is at fault.
        place: Option<(usize, usize)>,
        /// What is wrong.
        reason: String,
    },
    /// Of several templates none is the default, or none has the name that was
    /// asked for.
    NoSuchTemplate {
        /// The name that was asked for.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// The source is no template.
    Syntax(Box<Fault>),
    /// The template refuses the conversation.
    Refused {
        /// The template's own words.
        message: String,
        /// Which message of the conversation it had at hand, from 0.
        at: Option<usize>,
        /// Where in the template it does so.
        fault: Box<Fault>,
    },
    /// The template did not come to an end.
    Endless(Limit),
    /// The template fails in another way.
    Failed(Box<Fault>),
}

/// What stopped a template that did not come to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// It did more work than any conversation needs.
    Fuel,
    /// It printed more than any model reads.
    Output,
}

/// A place in a template and what is wrong there.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The file, or the template's name.
    pub template: String,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The column, from 1, in characters.
    pub column: Option<usize>,
    /// The text of that line.
    pub source_line: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.template)?;
        let Some(line) = self.line else { return write!(f, ": {}", self.reason) };
        write!(f, ":{line}")?;
        if let Some(column) = self.column {
            write!(f, ":{column}")?;
        }
        write!(f, ": {}", self.reason)?;
        if self.source_line.is_empty() {
            return Ok(());
        }
        let (shown, before) = excerpt(&self.source_line, self.column);
        write!(f, "\n  {line} | {shown}")?;
        if let Some(before) = before {
            let indent = line.to_string().len() + before;
            write!(f, "\n    {:indent$}^", "")?;
        }
        Ok(())
    }
}

/// The longest part of a line that an error shows: some templates are one line.
const EXCERPT: usize = 100;

/// What is shown of a line, and how many characters of it stand before the
/// column.
fn excerpt(line: &str, column: Option<usize>) -> (String, Option<usize>) {
    let before = column.map(|column| column.saturating_sub(1));
    let from = before.unwrap_or(0).saturating_sub(EXCERPT / 2);
    let total = line.chars().count();
    let from = if total <= EXCERPT { 0 } else { from };
    let mut shown: String = line.chars().skip(from).take(EXCERPT).collect();
    if from + EXCERPT < total {
        shown.push('…');
    }
    if from > 0 {
        shown.insert(0, '…');
    }
    (shown, before.map(|before| before - from + usize::from(from > 0)))
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Io { path, error } => {
                write!(f, "cannot read {}: {error}", path.display())
            }
            TemplateError::Config { path, place, reason } => {
                write!(f, "{}", path.display())?;
                if let Some((line, column)) = place {
                    write!(f, ":{line}:{column}")?;
                }
                write!(f, ": {reason}")
            }
            TemplateError::NoSuchTemplate { name, known } => {
                write!(f, "there is no template `{name}`; the model has {}", known.join(", "))
            }
            TemplateError::Syntax(fault) | TemplateError::Failed(fault) => fault.fmt(f),
            TemplateError::Refused { message, at, fault } => {
                f.write_str("the template refuses ")?;
                match at {
                    Some(at) => write!(f, "message {} of the conversation", at + 1)?,
                    None => f.write_str("the conversation")?,
                }
                write!(f, ": {message}\nraised at {fault}")
            }
            TemplateError::Endless(Limit::Fuel) => f.write_str(
                "the template did not come to an end: it ran out of fuel, which lasts for any \
                 conversation that a model can read",
            ),
            TemplateError::Endless(Limit::Output) => f.write_str(
                "the template did not come to an end: it printed more than any model can read",
            ),
        }
    }
}

impl std::error::Error for TemplateError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            TemplateError::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// What an error of the engine about a template is in our words.
pub(crate) fn explained(error: &Error, template: &Text) -> TemplateError {
    let mut raised = None;
    let mut limit = None;
    let mut chain: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(link) = chain {
        raised = raised.or_else(|| link.downcast_ref::<Raised>());
        match link.downcast_ref::<Error>().map(Error::kind) {
            Some(ErrorKind::OutOfFuel) => limit = Some(Limit::Fuel),
            Some(ErrorKind::WriteFailure) => limit = limit.or(Some(Limit::Output)),
            _ => {}
        }
        chain = link.source();
    }
    let mut fault = Box::new(Fault::of(error, template));
    if let Some(limit) = limit {
        TemplateError::Endless(limit)
    } else if let Some(Raised { message, at }) = raised {
        fault.reason = "raise_exception".to_owned();
        TemplateError::Refused { message: message.clone(), at: *at, fault }
    } else if error.kind() == ErrorKind::SyntaxError {
        TemplateError::Syntax(fault)
    } else {
        TemplateError::Failed(fault)
    }
}

impl Fault {
    /// A place of which there is no more to show.
    pub(crate) fn at(template: &str, line: Option<usize>, reason: String) -> Self {
        let template = template.to_owned();
        Fault { template, line, column: None, source_line: String::new(), reason }
    }

    fn of(error: &Error, template: &Text) -> Self {
        // As it was written, not as the engine reads it.
        let source = with_one_line_end(&template.text);
        let line = error.line();
        let text = line.and_then(|line| source.lines().nth(line.checked_sub(1)?));
        let column = error.range().and_then(|range| {
            let before = source.get(..range.start)?;
            let begins = before.rfind('\n').map_or(0, |at| at + 1);
            Some(before[begins..].chars().count() + 1)
        });
        let kind = error.kind();
        let reason = match error.detail() {
            Some(detail) if kind == ErrorKind::SyntaxError => detail.to_owned(),
            Some(detail) => format!("{kind}: {detail}"),
            None => kind.to_string(),
        };
        Fault {
            template: template.origin.clone(),
            line,
            column,
            source_line: text.unwrap_or_default().to_owned(),
            reason,
        }
    }
}
