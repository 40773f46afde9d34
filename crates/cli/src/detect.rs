//! `callsign detect`: the dialect that a chat template speaks.

use std::io::Write;
use std::path::PathBuf;

use callsign::template::{
    After, ArgumentsForm, Calls, Candidate, ContentForm, Detection, Generation, Probes, Thinking,
};
use callsign::{Dialect, End, Offer, Reader, Start, Toolset};
use serde::Serialize;

use crate::failure::Failure;
use crate::input::Known;
use crate::template;

/// Tell which dialect a model speaks by its chat template, and why
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A GGUF file, a template file, a tokenizer_config.json or the folder of one
    path: PathBuf,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    dialect: &'a str,
    fingerprint: &'a [String],
    evidence: String,
    runner_up: Option<&'a str>,
    prints_tools: bool,
    prints_calls: &'static str,
    prints_content_beside_calls: bool,
    prints_results: bool,
    prints_reasoning: bool,
    takes_system_message: bool,
    arguments: &'static str,
    content: &'static str,
    openings: Vec<Opening<'a>>,
}

/// How the prompt begins the model's turn.
#[derive(Serialize)]
struct Opening<'a> {
    after: &'static str,
    thinking: &'static str,
    text: &'a str,
    goes_on: &'static str,
}

pub(crate) fn run(args: &Args, known: &Known, out: &mut dyn Write) -> Result<(), Failure> {
    let template = template::open(&args.path)?;
    let detection = template::detect(known, &args.path, &template)?;
    let answer = Answer::new(&detection, template.probes());
    if args.json {
        let json = serde_json::to_string_pretty(&answer).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{json}")?);
    }
    Ok(answer.print(out)?)
}

impl<'a> Answer<'a> {
    fn new(detection: &'a Detection, probes: &'a Probes) -> Self {
        let Candidate { dialect, literals, verdict } = &detection.chosen;
        Answer {
            dialect: dialect.name(),
            fingerprint: literals,
            evidence: verdict.to_string(),
            runner_up: detection.runner_up.as_ref().map(|other| other.dialect.name()),
            prints_tools: detection.prints_tools,
            prints_calls: match probes.calls {
                Calls::None => "none",
                Calls::One => "one",
                _ => "all",
            },
            prints_content_beside_calls: probes.content_beside_calls,
            prints_results: probes.results,
            prints_reasoning: probes.reasoning,
            takes_system_message: probes.system,
            arguments: match probes.arguments {
                ArgumentsForm::Mapping => "mapping",
                ArgumentsForm::Text => "text",
            },
            content: match probes.content {
                ContentForm::Text => "text",
                ContentForm::TextOrNull => "text, null beside calls",
                ContentForm::Parts => "parts",
            },
            openings: probes
                .generation
                .iter()
                .map(|generation| Opening::new(&**dialect, generation))
                .collect(),
        }
    }

    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut line = |name: &str, value: &str| writeln!(out, "{name:<13} {value}");
        let yes = |yes| if yes { "yes" } else { "no" };
        line("dialect", self.dialect)?;
        let literals: Vec<String> =
            self.fingerprint.iter().map(|text| format!("{text:?}")).collect();
        if literals.is_empty() {
            line("fingerprint", "none that is known")?;
        } else {
            line("fingerprint", &literals.join(", "))?;
        }
        line("evidence", &self.evidence)?;
        line("runner-up", self.runner_up.unwrap_or("none"))?;
        line(
            "tools",
            if self.prints_tools { "yes" } else { "no: describe them in the prompt yourself" },
        )?;
        line("calls", self.prints_calls)?;
        line("beside calls", yes(self.prints_content_beside_calls))?;
        line("results", yes(self.prints_results))?;
        line("reasoning", yes(self.prints_reasoning))?;
        line("system", yes(self.takes_system_message))?;
        line("arguments", self.arguments)?;
        line("content", self.content)?;
        let usual = |opening: &Opening<'_>| {
            // What is asked for changes nothing.
            let same = |other: &Opening<'_>| {
                other.thinking.is_empty()
                    && (other.after, other.text, other.goes_on)
                        == (opening.after, opening.text, opening.goes_on)
            };
            opening.thinking.is_empty() || !self.openings.iter().any(same)
        };
        for opening in self.openings.iter().filter(|opening| usual(opening)) {
            let Opening { after, thinking, text, goes_on } = opening;
            line("opening", &format!("after the {after}{thinking}: {text:?}, {goes_on}"))?;
        }
        Ok(())
    }
}

impl<'a> Opening<'a> {
    fn new(dialect: &dyn Dialect, generation: &'a Generation) -> Self {
        Opening {
            after: match generation.after {
                After::User => "user",
                _ => "result of a tool",
            },
            thinking: match generation.thinking {
                Thinking::On => ", thinking on",
                Thinking::Off => ", thinking off",
                _ => "",
            },
            text: &generation.text,
            goes_on: goes_on(dialect, &generation.text),
        }
    }
}

/// Where the model goes on after the end of a prompt: its dialect reads a word
/// there.
fn goes_on(dialect: &dyn Dialect, prompt: &str) -> &'static str {
    let tools = Toolset::default();
    let offer = Offer::new(&tools).start(Start::PromptTail(prompt));
    let turn = Reader::new(dialect, &offer).read("word", End::Stop);
    if turn.reasoning.is_empty() { "outside of reasoning" } else { "in reasoning" }
}
