//! The chat template that a subcommand is given.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use callsign::template::{ChatTemplate, Clock, Conversation, Detection};

use crate::failure::Failure;
use crate::input::Known;

/// Where a chat template is.
#[derive(clap::Args)]
pub(crate) struct Place {
    /// The model's chat template: a GGUF file, a template file, a
    /// tokenizer_config.json or the folder of one
    #[arg(long = "template", id = "template", visible_alias = "gguf", value_name = "PATH")]
    pub(crate) path: Option<PathBuf>,
}

/// What a template is rendered with, beside messages and tools.
#[derive(clap::Args)]
pub(crate) struct Variables {
    /// Variables for the template, as a JSON object: {"enable_thinking": false}
    #[arg(long, value_name = "JSON", default_value = "{}", hide_default_value = true)]
    pub(crate) kwargs: String,

    /// The time at which the prompt is made: 2025-01-31 or 2025-01-31T12:30:00;
    /// now, without one
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<Clock>,
}

impl Variables {
    /// The conversation with these variables.
    pub(crate) fn of<'a>(
        &self,
        conversation: Conversation<'a>,
    ) -> Result<Conversation<'a>, Failure> {
        let bad = |error| Failure::Bad(format!("--kwargs: {error}"));
        Ok(conversation.kwargs(&self.kwargs).map_err(bad)?.clock(self.now.unwrap_or_else(now)))
    }
}

/// The time of this machine.
pub(crate) fn now() -> Clock {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Clock::from_unix(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Reads a template.
pub(crate) fn open(path: &Path) -> Result<ChatTemplate, Failure> {
    callsign::template::open(path).map_err(|error| Failure::Bad(error.to_string()))
}

/// Which of the known dialects a template speaks.
pub(crate) fn detect(
    known: &Known,
    path: &Path,
    template: &ChatTemplate,
) -> Result<Detection, Failure> {
    let detected = known.dialects.detect(template);
    detected.map_err(|error| Failure::Bad(format!("{}: {error}", path.display())))
}
