//! Recorded vectors: the prompt that another program rendered from the same
//! conversation.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use callsign::{Message, Toolset};
use callsign_template::{Clock, Conversation};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Templates;

/// What a vector renders, as its line has it.
#[derive(Deserialize)]
struct Vector<'a> {
    template: String,
    messages: Vec<Message>,
    #[serde(borrow)]
    tools: &'a RawValue,
    enable_thinking: bool,
    add_generation_prompt: bool,
    prompt: String,
    now: String,
    is_partial: bool,
    continue_final_message: u8,
    json_schema: String,
}

impl Vector<'_> {
    fn render(&self, templates: &Templates) -> Result<String, String> {
        let template = templates
            .get(&self.template)
            .ok_or_else(|| format!("there is no template {}", self.template))?;
        let tools = Toolset::from_openai(self.tools.get()).map_err(|error| error.to_string())?;
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
}

/// Templates that cannot be rendered as they were recorded: what their error
/// says, and why.
const KNOWN: [(&str, &str, &str); 1] = [(
    "fireworks-ai-llama-3-firefunction-v2.jinja",
    "`functions` is undefined",
    "demands the variables `functions` and `datetime`, which transformers does not set",
)];

/// Renders every vector that is whole and compares the prompt.
pub(super) fn check(
    templates: &Templates,
    path: &Path,
    out: &mut dyn Write,
) -> Result<bool, String> {
    let failed = |error: String| format!("{}: {error}", path.display());
    let lines = std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))?;
    let (mut equal, mut counted) = (0, 0);
    let mut other: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.lines().enumerate() {
        let vector: Vector<'_> = serde_json::from_str(line)
            .map_err(|error| failed(format!("line {}: {error}", index + 1)))?;
        if vector.is_partial || vector.continue_final_message != 0 || !vector.json_schema.is_empty()
        {
            continue;
        }
        counted += 1;
        let difference = match vector.render(templates) {
            Ok(prompt) if prompt == vector.prompt => {
                equal += 1;
                continue;
            }
            Ok(prompt) => difference(&vector.prompt, &prompt),
            Err(error) => error,
        };
        let known = KNOWN.iter().find(|(template, error, _)| {
            *template == vector.template && difference.contains(error)
        });
        if let Some((template, _, reason)) = known {
            let _ = writeln!(out, "known line {}: {template} {reason}", index + 1);
            continue;
        }
        let difference = format!("{}\n{difference}", vector.template);
        other.entry(difference).or_default().push(index + 1);
    }
    for (difference, lines) in &other {
        let lines: Vec<_> = lines.iter().map(usize::to_string).collect();
        let _ = writeln!(out, "DIFFERS line {}: {difference}", lines.join(", "));
    }
    let _ = writeln!(out, "{equal} of {counted} vectors have the recorded prompt");
    Ok(other.is_empty())
}

/// Where two texts part, with what stands around it.
pub(super) fn difference(expected: &str, rendered: &str) -> String {
    let mut pairs = expected.char_indices().zip(rendered.chars());
    let shorter = expected.len().min(rendered.len());
    let at = pairs.find(|((_, one), other)| one != other).map_or(shorter, |((at, _), _)| at);
    let around = |text: &str| -> String {
        let before = text[..at].char_indices().rev().nth(29).map_or(0, |(at, _)| at);
        let shown: String = text[before..].chars().take(100).collect();
        format!("{shown:?}")
    };
    format!("    expected  {}\n    rendered  {}", around(expected), around(rendered))
}
