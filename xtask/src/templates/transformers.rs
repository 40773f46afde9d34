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
use super::vectors::difference;

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

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Prompt(String),
    Error(String),
}

/// Puts transformers into a cache folder, if it is not there, and says which
/// Python has it.
pub(super) fn install() -> Result<PathBuf, String> {
    let home = std::env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let folder = home.ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("callsign/python");
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

/// Renders every conversation through every template, here and there.
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
    let nothing: &RawValue = serde_json::from_str("{}").map_err(|error| error.to_string())?;
    let mut questions = String::new();
    let mut rendered = Vec::new();
    for (file, template) in templates {
        let source = template.source(false).map_err(|error| error.to_string())?;
        for case in &cases {
            let offered = case.tools.as_ref().and_then(|name| tools.get(name)).copied();
            let question = Question {
                template: source,
                messages: case.messages,
                tools: offered,
                kwargs: case.kwargs.unwrap_or(nothing),
                tokens: TOKENS.into(),
                add_generation_prompt: case.add_generation_prompt,
                arguments: match template.probes().arguments {
                    ArgumentsForm::Mapping => "mapping",
                    ArgumentsForm::Text => "text",
                },
                content: match template.probes().content {
                    ContentForm::Text => "text",
                    ContentForm::Parts => "parts",
                },
                now: NOW,
            };
            questions
                .push_str(&serde_json::to_string(&question).map_err(|error| error.to_string())?);
            questions.push('\n');
            let name = format!("{file}, {}", case.name);
            rendered.push((name, case.render(template, offered)?));
        }
    }
    let answers = ask(python, questions)?;
    if answers.len() != rendered.len() {
        return Err(format!("{} answers to {} questions", answers.len(), rendered.len()));
    }
    let (mut equal, mut refused, mut alone, mut differ) = (0, 0, 0, 0);
    for ((name, rendered), answer) in rendered.iter().zip(answers) {
        let difference = match (rendered, answer) {
            (Ok(prompt), Answer::Prompt(expected)) if *prompt == expected => {
                equal += 1;
                continue;
            }
            (Err(TemplateError::Refused { message, .. }), Answer::Error(error))
                if error.strip_prefix("TemplateError: ") != Some(message) =>
            {
                format!("    expected  {error}\n    refused   {message}")
            }
            (Err(_), Answer::Error(_)) => {
                refused += 1;
                continue;
            }
            // Python fails for a reason of its own, such as iterating over None.
            (Ok(_), Answer::Error(error)) if !error.starts_with("TemplateError: ") => {
                alone += 1;
                continue;
            }
            (Ok(prompt), Answer::Prompt(expected)) => difference(&expected, prompt),
            (Ok(_), Answer::Error(error)) => {
                format!("    expected  {error}\n    rendered  a prompt")
            }
            (Err(error), Answer::Prompt(_)) => {
                format!("    expected  a prompt\n    rendered  {error}")
            }
        };
        differ += 1;
        let _ = writeln!(out, "DIFFERS {name}\n{difference}");
    }
    let _ = writeln!(
        out,
        "{equal} prompts as those of transformers, {refused} refused by both, {alone} that \
         transformers fails to render, {differ} differ"
    );
    Ok(differ == 0)
}

impl Case<'_> {
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
    let mut input = child.stdin.take().ok_or("the script takes no input")?;
    // It answers while it is asked: neither side may wait for the other.
    let asking = std::thread::spawn(move || input.write_all(questions.as_bytes()));
    let output = child.wait_with_output().map_err(failed)?;
    asking.join().map_err(|_| "the questions were not asked")?.map_err(failed)?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect()
}
