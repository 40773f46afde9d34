//! The same conversations rendered by transformers itself.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use callsign::{Message, Toolset, json};
use callsign_template::{
    ArgumentsForm, ChatTemplate, Clock, ContentForm, Conversation, TemplateError,
};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Templates;
use crate::vectors::parting;

/// Renders with transformers what it reads, line by line.
const SCRIPT: &str = include_str!("render.py");
const CONVERSATIONS: &str = include_str!("conversations.jsonl");
const TOOLS: &str = include_str!("tools.json");
/// When all of it happens.
const NOW: &str = "2025-03-09T07:05:09";

/// The special tokens of every model.
const TOKENS: [(&str, &str); 2] = [("bos_token", "<s>"), ("eos_token", "</s>")];

/// A conversation as its line has it.
#[derive(Deserialize)]
struct Case<'a> {
    name: String,
    #[serde(borrow)]
    messages: &'a RawValue,
    tools: Option<String>,
    #[serde(borrow)]
    kwargs: Option<&'a RawValue>,
    #[serde(default = "yes")]
    add_generation_prompt: bool,
}

fn yes() -> bool {
    true
}

/// What the script is asked.
#[derive(Serialize)]
struct Question<'a> {
    template: &'a str,
    messages: &'a RawValue,
    tools: Option<&'a RawValue>,
    kwargs: &'a RawValue,
    tokens: BTreeMap<&'static str, &'static str>,
    add_generation_prompt: bool,
    arguments: &'static str,
    content: &'static str,
    now: &'static str,
}

/// How an answer begins if the template raised an exception itself.
const RAISED: &str = "TemplateError: ";

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Prompt(String),
    Error(String),
}

/// Puts transformers into a cache folder, if it is not there, and says which
/// Python has it.
pub(super) fn install(cache: &Path) -> Result<PathBuf, String> {
    let folder = cache.join("python");
    let python = folder.join("bin/python");
    if !python.is_file() {
        let folder = folder.display().to_string();
        done("python3", &["-m", "venv", &folder])?;
    }
    let python_name = python.display().to_string();
    if done(&python_name, &["-c", "import jinja2, transformers"]).is_err() {
        done(&python_name, &["-m", "pip", "install", "--quiet", "jinja2", "transformers"])?;
    }
    Ok(python)
}

fn done(program: &str, args: &[&str]) -> Result<(), String> {
    let shown = format!("{program} {}", args.join(" "));
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| format!("`{shown}`: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("`{shown}` failed:\n{}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// What came of the comparisons.
#[derive(Default)]
struct Tally {
    equal: usize,
    refused: usize,
    alone: usize,
    /// Prompts that differ in nothing but what Python escapes for HTML, by
    /// template. Python does so with what is added to a text marked `safe`;
    /// the engine does not.
    escaped: BTreeMap<String, usize>,
    differ: usize,
}

/// Renders every conversation through every template, here and there; asks
/// again what Python prints for the small templates of the crate's own tests.
pub(super) fn check(
    templates: &Templates,
    python: &Path,
    out: &mut dyn Write,
) -> Result<bool, String> {
    // One line, for the question is one.
    let tools = json::compact(TOOLS);
    let tools: BTreeMap<String, &RawValue> =
        serde_json::from_str(&tools).map_err(|error| format!("tools.json: {error}"))?;
    let cases: Vec<Case<'_>> = CONVERSATIONS
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| format!("conversations.jsonl: {error}"))?;
    let mut questions = String::new();
    let mut rendered = Vec::new();
    for (file, template) in templates {
        for case in &cases {
            let offered = case.tools.as_ref().and_then(|name| tools.get(name)).copied();
            questions.push_str(&case.question(template, offered)?);
            questions.push('\n');
            rendered.push((file, &case.name, case.render(template, offered)?));
        }
    }
    let mut tally = Tally::default();
    for ((file, name, rendered), answer) in rendered.iter().zip(ask(python, questions)?) {
        let Some(difference) = tally.compare(file, rendered, answer) else { continue };
        tally.differ += 1;
        let _ = writeln!(out, "DIFFERS {file}, {name}\n{difference}");
    }
    tally.report(out);
    Ok(small(python, out)? && tally.differ == 0)
}

impl Tally {
    /// Counts a pair that is as it should be; says how another differs.
    fn compare(
        &mut self,
        file: &str,
        rendered: &Result<String, TemplateError>,
        answer: Answer,
    ) -> Option<String> {
        match (rendered, answer) {
            (Ok(prompt), Answer::Prompt(expected)) if *prompt == expected => self.equal += 1,
            (Ok(prompt), Answer::Prompt(expected)) if unescaped(prompt) == unescaped(&expected) => {
                *self.escaped.entry(file.to_owned()).or_default() += 1;
            }
            (Ok(prompt), Answer::Prompt(expected)) => {
                let (expected, rendered) = parting(&expected, prompt);
                return Some(format!("    expected  {expected}\n    rendered  {rendered}"));
            }
            (Err(error), Answer::Prompt(_)) => {
                return Some(format!("    expected  a prompt\n    rendered  {error}"));
            }
            (Ok(_), Answer::Error(error)) => match error.strip_prefix(RAISED) {
                Some(message) => {
                    return Some(format!(
                        "    expected  refusal: {message}\n    rendered  a prompt"
                    ));
                }
                // Python fails for a reason of its own, such as a loop over None.
                None => self.alone += 1,
            },
            (Err(TemplateError::Refused { message, .. }), Answer::Error(error))
                if error.strip_prefix(RAISED) != Some(message) =>
            {
                return Some(format!("    expected  {error}\n    refused   {message}"));
            }
            (Err(_), Answer::Error(_)) => self.refused += 1,
        }
        None
    }

    fn report(&self, out: &mut dyn Write) {
        for (file, count) in &self.escaped {
            let _ = writeln!(out, "known {count:>4}: {file}: escaped for HTML by Python alone");
        }
        let _ = writeln!(
            out,
            "{} prompts as those of transformers, {} refused by both, {} that it fails to render, \
             {} but for HTML, {} differ",
            self.equal,
            self.refused,
            self.alone,
            self.escaped.values().sum::<usize>(),
            self.differ
        );
    }
}

/// A text as it was before Python escaped parts of it for HTML.
fn unescaped(text: &str) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, char)| text.replace(entity, char))
}

/// Whether the small templates still print what their cases say.
fn small(python: &Path, out: &mut dyn Write) -> Result<bool, String> {
    let folder = crate::root().join("crates/template/tests/python");
    let text = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let failed = |error: serde_json::Error| format!("{}: {error}", folder.display());
    let variables = json::compact(&text("variables.json")?);
    let variables: &RawValue = serde_json::from_str(&variables).map_err(failed)?;
    let mut questions = String::new();
    let mut expected = Vec::new();
    for line in text("cases.jsonl")?.lines() {
        let case: Small = serde_json::from_str(line).map_err(failed)?;
        let question = SmallQuestion { template: &case.template, variables, now: NOW };
        questions.push_str(&serde_json::to_string(&question).map_err(failed)?);
        questions.push('\n');
        expected.push(case);
    }
    let mut differ = 0;
    for (case, answer) in expected.iter().zip(ask(python, questions)?) {
        if case.answer != answer {
            differ += 1;
            let _ = writeln!(out, "DIFFERS {:?}: Python answers {answer:?}", case.template);
        }
    }
    let _ = writeln!(out, "{} small templates asked again, {differ} differ", expected.len());
    Ok(differ == 0)
}

#[derive(Deserialize)]
struct Small {
    template: String,
    #[serde(flatten)]
    answer: Answer,
}

#[derive(Serialize)]
struct SmallQuestion<'a> {
    template: &'a str,
    variables: &'a RawValue,
    now: &'static str,
}

impl Case<'_> {
    fn question(
        &self,
        template: &ChatTemplate,
        tools: Option<&RawValue>,
    ) -> Result<String, String> {
        let nothing: &RawValue = serde_json::from_str("{}").map_err(|error| error.to_string())?;
        let question = Question {
            template: template.source(tools.is_some()).map_err(|error| error.to_string())?,
            messages: self.messages,
            tools,
            kwargs: self.kwargs.unwrap_or(nothing),
            tokens: TOKENS.into(),
            add_generation_prompt: self.add_generation_prompt,
            arguments: match template.probes().arguments {
                ArgumentsForm::Mapping => "mapping",
                ArgumentsForm::Text => "text",
            },
            content: match template.probes().content {
                ContentForm::Text => "text",
                ContentForm::Parts => "parts",
                ContentForm::TextOrNull => "text_or_null",
            },
            now: NOW,
        };
        serde_json::to_string(&question).map_err(|error| error.to_string())
    }

    fn render(
        &self,
        template: &ChatTemplate,
        tools: Option<&RawValue>,
    ) -> Result<Result<String, TemplateError>, String> {
        let messages: Vec<Message> =
            serde_json::from_str(self.messages.get()).map_err(|error| error.to_string())?;
        let tools = Toolset::from_openai(tools.map_or("[]", RawValue::get));
        let tools = tools.map_err(|error| error.to_string())?;
        let now: Clock = NOW.parse().map_err(|error| format!("{error}"))?;
        let mut conversation = Conversation::new(&messages)
            .tools(&tools)
            .generation_prompt(self.add_generation_prompt)
            .clock(now);
        for (name, token) in TOKENS {
            conversation = conversation.kwarg(name, token).map_err(|error| error.to_string())?;
        }
        let conversation = conversation
            .kwargs(self.kwargs.map_or("{}", RawValue::get))
            .map_err(|error| error.to_string())?;
        Ok(template.render(&conversation))
    }
}

fn ask(python: &Path, questions: String) -> Result<Vec<Answer>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", python.display());
    let mut child = Command::new(python)
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let asked = questions.lines().count();
    let mut input = child.stdin.take().ok_or("the script takes no input")?;
    // It answers while it is asked: neither side may wait for the other.
    let asking = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    asking.join().map_err(|_| "the questions were not asked")?.map_err(failed)?;
    let answers: Vec<Answer> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect::<Result<_, _>>()?;
    match answers.len() {
        all if all == asked => Ok(answers),
        some => Err(format!("{}: {some} answers to {asked} questions", python.display())),
    }
}
