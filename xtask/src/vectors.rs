//! Recorded vectors: a conversation, the prompt that another program rendered
//! from it with a real chat template, an output, and what is to be read from it.

mod documented;
mod reading;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use callsign::{Message, Toolset};
use callsign_template::{ChatTemplate, Clock, Conversation};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Failure;
use crate::tally::{Difference, Named, Tally, Verdict};

pub(crate) use reading::{Outcome, Spoken};

/// Templates by their file names.
pub(crate) type Templates = BTreeMap<String, ChatTemplate>;

/// A vector as its line has it.
#[derive(Deserialize)]
pub(crate) struct Vector<'a> {
    template: String,
    messages: Vec<Message>,
    #[serde(borrow)]
    tools: &'a RawValue,
    enable_thinking: bool,
    add_generation_prompt: bool,
    prompt: String,
    /// The tail of the prompt behind which the output begins.
    generation_prompt: String,
    now: String,
    input: String,
    reasoning_format: ReasoningFormat,
    #[serde(borrow)]
    expect_calls: Vec<Expected<'a>>,
    expect_content: String,
    expect_reasoning: String,
    is_partial: bool,
    continue_final_message: u8,
    json_schema: String,
}

/// Where the recording program was told to put reasoning.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum ReasoningFormat {
    /// Into the content, as written: only the calls can be compared.
    None,
    #[serde(other)]
    Apart,
}

/// A call that is to be read.
#[derive(Deserialize)]
struct Expected<'a> {
    name: String,
    /// JSON text.
    arguments: String,
    /// Empty where none is expected.
    #[serde(borrow)]
    id: Cow<'a, str>,
}

/// What of a vector is compared.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    Prompt,
    Reading,
}

impl Part {
    /// As a kind of case.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Part::Prompt => "prompt",
            Part::Reading => "reading",
        }
    }
}

impl Vector<'_> {
    /// Renders the conversation and compares the prompt.
    pub(crate) fn render(&self, templates: &Templates) -> Verdict {
        if let Some(reason) = self.left_out() {
            return Verdict::Skipped(reason.to_owned());
        }
        let (expected, found) = match self.prompt(templates) {
            Ok(prompt) if prompt == self.prompt => return Verdict::Passed,
            Ok(prompt) => parting(&self.prompt, &prompt),
            Err(error) => match documented::prompt(&self.template, &error) {
                Some(reason) => return Verdict::Documented(reason.to_owned()),
                None => ("a prompt".to_owned(), error),
            },
        };
        Verdict::Failed(vec![Difference { what: "prompt", expected, found }])
    }

    /// Why the vector is not for a reader of whole turns.
    fn left_out(&self) -> Option<&'static str> {
        match self {
            Vector { is_partial: true, .. } => Some("its output is not finished"),
            Vector { continue_final_message: 1.., .. } => Some("it continues a message"),
            Vector { json_schema, .. } if !json_schema.is_empty() => {
                Some("it asks for a response format")
            }
            _ => None,
        }
    }

    fn prompt(&self, templates: &Templates) -> Result<String, String> {
        let template = self.template(templates)?;
        let tools = self.toolset()?;
        let now: Clock = self.now.parse().map_err(|error| format!("{error}"))?;
        let conversation = Conversation::new(&self.messages)
            .tools(&tools)
            .generation_prompt(self.add_generation_prompt)
            .kwarg("enable_thinking", &self.enable_thinking)
            .and_then(|same| same.kwarg("date_string", &now.strftime("%d %b %Y")))
            .map_err(|error| error.to_string())?
            .clock(now);
        template.render(&conversation).map_err(|error| error.to_string())
    }

    fn template<'t>(&self, templates: &'t Templates) -> Result<&'t ChatTemplate, String> {
        let found = templates.get(&self.template);
        found.ok_or_else(|| format!("there is no template {}", self.template))
    }

    fn toolset(&self) -> Result<Toolset, String> {
        Toolset::from_openai(self.tools.get()).map_err(|error| error.to_string())
    }

    /// How it is named where it fails.
    pub(crate) fn named(&self, part: Part, dialect: &str, (file, line): (&str, usize)) -> Named {
        Named {
            file: file.to_owned(),
            line,
            id: self.template.clone(),
            kind: part.name().to_owned(),
            confidence: String::new(),
            dialect: dialect.to_owned(),
            input: self.input.clone(),
        }
    }
}

/// Compares the prompts of a file of vectors.
pub(crate) fn check_prompts(
    templates: &Templates,
    path: &Path,
    out: &mut dyn Write,
) -> Result<bool, Failure> {
    let name = path.display().to_string();
    let lines = std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let mut tally = Tally::default();
    for (index, line) in lines.lines().enumerate() {
        let vector: Vector<'_> = serde_json::from_str(line)
            .map_err(|error| format!("{name}, line {}: {error}", index + 1))?;
        tally.add(Part::Prompt.name(), vector.render(templates), || {
            vector.named(Part::Prompt, "", (&name, index + 1))
        });
    }
    tally.report("prompts: ", out)?;
    Ok(tally.sound())
}

/// Two texts around the place where they part.
pub(crate) fn parting(expected: &str, found: &str) -> (String, String) {
    let mut pairs = expected.char_indices().zip(found.chars());
    let shorter = expected.len().min(found.len());
    let at = pairs.find(|((_, one), other)| one != other).map_or(shorter, |((at, _), _)| at);
    let around = |text: &str| -> String {
        let before = text[..at].char_indices().rev().nth(29).map_or(0, |(at, _)| at);
        let shown: String = text[before..].chars().take(100).collect();
        format!("{shown:?}")
    };
    (around(expected), around(found))
}
