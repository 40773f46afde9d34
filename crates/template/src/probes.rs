//! What a template does, found by rendering conversations of marked words and
//! looking for them in the prompt. No text of any template is known here.

use std::cell::Cell;
use std::sync::LazyLock;

use callsign_core::{Arguments, Message, Role, Tool, ToolCall, Toolset};

use crate::conversation::Forms;
use crate::{ArgumentsForm, ChatTemplate, Clock, ContentForm, Conversation, TemplateError};

/// What a template does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Probes {
    /// Whether it prints the tools.
    pub tools: bool,
    /// Which of an earlier turn's calls it prints.
    pub calls: Calls,
    /// Whether it prints what the model said beside its calls.
    pub content_beside_calls: bool,
    /// Whether it prints the results of tools.
    pub results: bool,
    /// Whether it takes a system message, and prints it.
    pub system: bool,
    /// Whether it prints the reasoning of the turn that goes on.
    pub reasoning: bool,
    /// How it takes the arguments of earlier calls.
    pub arguments: ArgumentsForm,
    /// How it takes what messages say.
    pub content: ContentForm,
    /// How it begins the model's turn, in each situation that it renders.
    pub generation: Vec<Generation>,
}

/// Which of an earlier turn's calls a template prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Calls {
    /// None: it drops or refuses them.
    None,
    /// One: it drops a second, or refuses it.
    One,
    /// All.
    All,
}

/// How a template begins the model's turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Generation {
    /// What came before.
    pub after: After,
    /// What was asked for.
    pub thinking: Thinking,
    /// What the generation prompt adds to the prompt.
    pub text: String,
    /// Where the model goes on from there.
    pub prefill: Prefill,
}

/// What comes before the model's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum After {
    /// The user's words.
    User,
    /// The result of a tool.
    Result,
}

/// What is asked for of the model's reasoning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Thinking {
    /// Nothing: the template decides.
    Default,
    /// To reason.
    On,
    /// Not to reason.
    Off,
}

/// Where the model goes on after a generation prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Prefill {
    /// At the start of its turn.
    Turn,
    /// Inside reasoning that the prompt opened.
    Reasoning,
    /// After reasoning that the prompt closed.
    Answer,
    /// The prompt begins more than a turn, and the template, which prints no
    /// reasoning, does not show what.
    Unknown,
}

impl Probes {
    /// How the template begins the model's turn in one situation; `None` if it
    /// does not render it.
    pub fn generation(&self, after: After, thinking: Thinking) -> Option<&Generation> {
        self.generation.iter().find(|found| found.after == after && found.thinking == thinking)
    }
}

/// The names by which templates know whether to reason.
const THINKING: [&str; 2] = ["enable_thinking", "thinking"];

// Words that no template holds, and that survive trimming and changes of case
// as far as those go.
const USER: &str = "qxuserxq";
const SYSTEM: &str = "qxsystemxq";
const SAID: &str = "qxsaidxq";
const THOUGHT: &str = "qxthoughtxq";
const TOOL: &str = "qxtoolxq";
const KEY: &str = "qxkeyxq";
const VALUES: [&str; 2] = ["qxonexq", "qxtwoxq"];
const RESULTS: [&str; 2] = ["qxresultxq", "qxsecondxq"];

static TOOLS: LazyLock<Toolset> = LazyLock::new(|| {
    let parameters = format!(
        r#"{{"type":"object","properties":{{"{KEY}":{{"type":"string","description":"A text."}}}},"required":["{KEY}"]}}"#
    );
    let tool = Tool::new(TOOL, &parameters).map(|tool| tool.description("A tool."));
    tool.and_then(|tool| Toolset::new([tool])).unwrap_or_default()
});

fn arguments(value: &str) -> String {
    format!(r#"{{"{KEY}": "{value}"}}"#)
}

fn user() -> Message {
    Message::new(Role::User, USER)
}

/// The model's turn: its words, and so many calls.
fn turn(said: &str, thought: Option<&str>, calls: usize) -> Message {
    let mut message = Message::new(Role::Assistant, said);
    message.reasoning_content = thought.map(str::to_owned);
    message.calls = VALUES
        .iter()
        .take(calls)
        .enumerate()
        .map(|(at, value)| {
            let arguments = Arguments::from_json(arguments(value)).unwrap_or_default();
            let mut call = ToolCall::new(TOOL, arguments);
            call.id = Some(id(at));
            call
        })
        .collect();
    message
}

fn result(at: usize) -> Message {
    let mut message = Message::new(Role::Tool, RESULTS[at]);
    message.call_id = Some(id(at));
    message.name = Some(TOOL.to_owned());
    message
}

/// An id of the one form that templates insist on: nine letters and digits.
fn id(at: usize) -> String {
    format!("call0000{at}")
}

/// A template that is being probed.
struct Probe<'t> {
    template: &'t ChatTemplate,
    forms: Forms,
    /// Whether it has been seen not to come to an end, which takes time.
    endless: Cell<bool>,
}

impl<'t> Probe<'t> {
    fn new(template: &'t ChatTemplate, forms: Forms) -> Self {
        Probe { template, forms, endless: Cell::new(false) }
    }

    fn render(
        &self,
        messages: &[Message],
        tools: bool,
        thinking: Thinking,
        add: bool,
    ) -> Option<String> {
        let mut conversation =
            Conversation::new(messages).generation_prompt(add).clock(Clock::from_unix(0));
        if tools {
            conversation = conversation.tools(&TOOLS);
        }
        if thinking != Thinking::Default {
            for name in THINKING {
                conversation = conversation.kwarg(name, &(thinking == Thinking::On)).ok()?;
            }
        }
        if self.endless.get() {
            return None;
        }
        let rendered = self.template.render_probe_as(&conversation, self.forms);
        self.endless.set(matches!(rendered, Err(TemplateError::Endless(_))));
        rendered.ok()
    }

    /// The prompt of a conversation with tools.
    fn prompt(&self, messages: &[Message]) -> Option<String> {
        self.render(messages, true, Thinking::Default, true)
    }

    /// Whether a conversation is rendered, and all of these words in it.
    fn prints(&self, messages: &[Message], words: &[&str]) -> bool {
        self.prompt(messages).is_some_and(|prompt| words.iter().all(|word| prompt.contains(word)))
    }

    fn calls(&self) -> Calls {
        let [one, two] = VALUES;
        if self.prints(&[user(), turn("", None, 2), result(0), result(1)], &[one, two]) {
            Calls::All
        } else if self.prints(&[user(), turn("", None, 1), result(0)], &[one]) {
            Calls::One
        } else {
            Calls::None
        }
    }

    /// What stands between a word and the next in the prompt of a conversation
    /// that the model has ended; `None` if one of them is not printed.
    fn between(&self, messages: &[Message], from: &str, to: &str) -> Option<String> {
        let prompt = self.render(messages, true, Thinking::On, false)?;
        between(&prompt, from, to).map(str::to_owned)
    }

    /// How the template begins the model's turn after some messages, the last
    /// of which says `last`.
    fn generation(&self, after: After, messages: &[Message], last: &str) -> Vec<Generation> {
        // Some print reasoning beside calls alone.
        let thoughts = [0, 1].map(|calls| {
            let mut thought = messages.to_vec();
            thought.push(turn(SAID, Some(THOUGHT), calls));
            thought
        });
        let in_either =
            |from, to| thoughts.iter().find_map(|thought| self.between(thought, from, to));
        let opening = in_either(last, THOUGHT);
        let closing = in_either(THOUGHT, SAID);
        let mut answered = messages.to_vec();
        answered.extend([turn(SAID, None, 0), user()]);
        let header = self.between(&answered, last, SAID);
        let prompts = [Thinking::Default, Thinking::On, Thinking::Off].map(|thinking| {
            let prompt = self.render(messages, true, thinking, true)?;
            let tail = prompt[prompt.rfind(last)? + last.len()..].to_owned();
            let without = self.render(messages, true, thinking, false);
            let text = without.and_then(|without| prompt.strip_prefix(&without).map(str::to_owned));
            Some((thinking, text.unwrap_or_else(|| tail.clone()), tail))
        });
        let [_, on, off] =
            prompts.each_ref().map(|prompt| prompt.as_ref().map(|(.., tail)| &**tail));
        let clues = Clues {
            opening: opening.as_deref().map(str::trim_end),
            closing: closing.as_deref().map(str::trim).filter(|closing| !closing.is_empty()),
            header: header.as_deref().map(str::trim_end),
            on: on.map(str::trim_end),
            off: off.map(str::trim_end),
        };
        let prefills = prompts.each_ref().map(|prompt| {
            prompt.as_ref().map_or(Prefill::Unknown, |(.., tail)| clues.prefill(tail.trim_end()))
        });
        let found = prompts.into_iter().zip(prefills);
        found
            .filter_map(|(prompt, prefill)| {
                let (thinking, text, _) = prompt?;
                Some(Generation { after, thinking, text, prefill })
            })
            .collect()
    }
}

/// What tells where the model goes on: pieces of prompts without white space at
/// the end.
struct Clues<'p> {
    /// What stands before reasoning, and between it and the answer.
    opening: Option<&'p str>,
    closing: Option<&'p str>,
    /// What stands before an answer without reasoning.
    header: Option<&'p str>,
    /// What the prompt ends in if reasoning is asked for, and if it is not.
    on: Option<&'p str>,
    off: Option<&'p str>,
}

impl Clues<'_> {
    fn prefill(&self, tail: &str) -> Prefill {
        let goes_beyond = |other: Option<&str>| {
            other.is_some_and(|other| tail != other && tail.starts_with(other))
        };
        let begins = |other: Option<&str>| other.is_none_or(|other| other.starts_with(tail));
        if self.opening == Some(tail) {
            Prefill::Reasoning
        } else if self.closing.is_some_and(|closing| tail.ends_with(closing)) {
            Prefill::Answer
        } else if self.opening.is_some() && begins(self.header) {
            Prefill::Turn
        } else if self.on == Some(tail) && goes_beyond(self.off) {
            Prefill::Reasoning
        } else if self.off == Some(tail) && goes_beyond(self.on) {
            Prefill::Answer
        } else if self.header.is_some() && [self.header, self.on, self.off].into_iter().all(begins)
        {
            Prefill::Turn
        } else {
            Prefill::Unknown
        }
    }
}

fn between<'p>(prompt: &'p str, from: &str, to: &str) -> Option<&'p str> {
    let start = prompt.find(from)? + from.len();
    let length = prompt[start..].find(to)?;
    Some(&prompt[start..start + length])
}

/// In which shape the template takes contents and arguments.
pub(crate) fn forms(template: &ChatTemplate) -> Forms {
    let with = |content, arguments| Probe::new(template, Forms { arguments, content });
    let says = |content| {
        let probe = with(content, ArgumentsForm::Mapping);
        let plain = probe.render(&[user()], false, Thinking::Default, true);
        plain.is_some_and(|prompt| prompt.contains(USER)) || probe.prints(&[user()], &[USER])
    };
    let content = match says(ContentForm::Text) || !says(ContentForm::Parts) {
        true => ContentForm::Text,
        false => ContentForm::Parts,
    };
    let [value, _] = VALUES;
    let calling = [user(), turn("", None, 1), result(0)];
    let calls = |content| {
        let mut forms = [ArgumentsForm::Mapping, ArgumentsForm::Text].into_iter();
        forms.any(|form| with(content, form).prints(&calling, &[value]))
    };
    let content = match content {
        ContentForm::Text if !calls(content) && calls(ContentForm::TextOrNull) => {
            ContentForm::TextOrNull
        }
        content => content,
    };
    let called = |form| with(content, form).prompt(&calling);
    let as_text =
        called(ArgumentsForm::Text).is_some_and(|prompt| prompt.contains(&arguments(value)));
    let as_mapping = match called(ArgumentsForm::Mapping) {
        // A mapping that is printed as it is comes out as Python has it, which
        // no model reads.
        Some(prompt) => !prompt.contains(&format!("{{'{KEY}': '{value}'}}")),
        None => false,
    };
    let arguments = match as_mapping || !as_text {
        true => ArgumentsForm::Mapping,
        false => ArgumentsForm::Text,
    };
    Forms { arguments, content }
}

/// What the template does with contents and arguments in these shapes.
pub(crate) fn probe(template: &ChatTemplate, forms: Forms) -> Probes {
    let probe = Probe::new(template, forms);
    let system = [Message::new(Role::System, SYSTEM), user()];
    let called = [user(), turn("", None, 1), result(0)];
    let [one, _] = VALUES;
    let mut generation = probe.generation(After::User, &[user()], USER);
    for mut after in probe.generation(After::Result, &called, RESULTS[0]) {
        // The same prompt means the same, wherever it is clearer.
        if after.prefill == Prefill::Unknown
            && let Some(same) = generation.iter().find(|same| same.text == after.text)
        {
            after.prefill = same.prefill;
        }
        generation.push(after);
    }
    let thought = |message| probe.prints(&[user(), message, result(0)], &[THOUGHT]);
    Probes {
        tools: probe.prints(&[user()], &[TOOL]) || probe.prints(&system, &[TOOL]),
        calls: probe.calls(),
        content_beside_calls: probe.prints(&[user(), turn(SAID, None, 1), result(0)], &[SAID, one]),
        results: probe.prints(&called, &[RESULTS[0]]),
        system: probe.prints(&system, &[SYSTEM]),
        reasoning: thought(turn("", Some(THOUGHT), 1)),
        arguments: forms.arguments,
        content: forms.content,
        generation,
    }
}
