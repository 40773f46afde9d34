//! What a template is rendered with.

use std::collections::BTreeMap;

use callsign_core::{Message, Role, ToolCall, Toolset};
use minijinja::value::Value;
use serde::Serialize;

use crate::Clock;
use crate::python;
use crate::python::value::{Dict, from_json, list};

/// Messages, tools and all else that a prompt is made of.
#[derive(Debug, Clone)]
pub struct Conversation<'a> {
    messages: &'a [Message],
    tools: Option<&'a Toolset>,
    generation_prompt: bool,
    /// JSON text by name.
    kwargs: BTreeMap<String, String>,
    clock: Option<Clock>,
    template: Option<&'a str>,
}

/// The special tokens that templates take for granted.
const UNKNOWN: [&str; 2] = ["bos_token", "eos_token"];

impl<'a> Conversation<'a> {
    /// A conversation without tools, to be continued by the model.
    pub fn new(messages: &'a [Message]) -> Self {
        Conversation {
            messages,
            tools: None,
            generation_prompt: true,
            kwargs: BTreeMap::new(),
            clock: None,
            template: None,
        }
    }

    /// The same conversation with tools. An empty set is none.
    #[must_use]
    pub fn tools(mut self, tools: &'a Toolset) -> Self {
        self.tools = Some(tools).filter(|tools| !tools.is_empty());
        self
    }

    /// The same conversation with or without the beginning of the model's turn
    /// at its end.
    #[must_use]
    pub fn generation_prompt(mut self, add: bool) -> Self {
        self.generation_prompt = add;
        self
    }

    /// The same conversation with one more variable for the template, such as
    /// `enable_thinking`. It may replace a special token and nothing else that
    /// the conversation itself brings.
    ///
    /// # Errors
    ///
    /// When the value has no JSON.
    pub fn kwarg(
        mut self,
        name: impl Into<String>,
        value: &(impl Serialize + ?Sized),
    ) -> Result<Self, serde_json::Error> {
        self.kwargs.insert(name.into(), serde_json::to_string(value)?);
        Ok(self)
    }

    /// The same conversation with the members of a JSON object as variables.
    /// Inside them keys stay in their order.
    ///
    /// # Errors
    ///
    /// When the text is not one JSON object.
    pub fn kwargs(mut self, object: &str) -> Result<Self, serde_json::Error> {
        let kwargs: BTreeMap<String, Box<serde_json::value::RawValue>> =
            serde_json::from_str(object)?;
        self.kwargs.extend(kwargs.into_iter().map(|(name, value)| (name, value.get().to_owned())));
        Ok(self)
    }

    /// The same conversation at a time. Without one there is no `strftime_now`,
    /// which some templates make do without.
    #[must_use]
    pub fn clock(mut self, now: Clock) -> Self {
        self.clock = Some(now);
        self
    }

    /// The same conversation for one of several templates, by its name.
    #[must_use]
    pub fn template(mut self, name: &'a str) -> Self {
        self.template = Some(name);
        self
    }

    pub(crate) fn has_tools(&self) -> bool {
        self.tools.is_some()
    }

    pub(crate) fn template_name(&self) -> Option<&'a str> {
        self.template
    }

    /// The variables of the template.
    pub(crate) fn variables(&self, tokens: &BTreeMap<String, String>, forms: Forms) -> Value {
        let mut all: BTreeMap<&str, Value> = BTreeMap::new();
        if tokens.is_empty() {
            // A template alone: its model has these tokens, and nobody knows them.
            all.extend(UNKNOWN.map(|name| (name, Value::from(""))));
        }
        all.extend(tokens.iter().map(|(name, text)| (&**name, Value::from(&**text))));
        all.extend(self.kwargs.iter().map(|(name, text)| (&**name, from_json(text))));
        let messages = self.messages.iter().enumerate();
        let messages = messages.map(|(at, message)| message_value(at, message, forms));
        all.insert("messages", list(messages.collect()));
        all.insert(
            "tools",
            self.tools.map_or(Value::from(()), |tools| from_json(&tools.to_openai())),
        );
        all.entry("documents").or_insert_with(|| Value::from(()));
        all.insert("add_generation_prompt", Value::from(self.generation_prompt));
        if let Some(clock) = self.clock {
            all.insert("strftime_now", python::function(move |format| clock.strftime(format)));
        }
        Value::from_pairs(all)
    }
}

/// In which of several shapes a template takes what it is given.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Forms {
    pub(crate) arguments: ArgumentsForm,
    pub(crate) content: ContentForm,
}

/// How a template takes the arguments of earlier calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ArgumentsForm {
    /// As a mapping, which nearly all take.
    #[default]
    Mapping,
    /// As JSON text.
    Text,
}

/// How a template takes what a message says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ContentForm {
    /// As a string, which nearly all take.
    #[default]
    Text,
    /// As a string, but as null where a message does nothing but call: some
    /// templates print the calls of such messages only.
    TextOrNull,
    /// As a list of parts, each with its type.
    Parts,
}

/// A message as transformers hands it to the template.
fn message_value(at: usize, message: &Message, forms: Forms) -> Value {
    let mut dict = Dict::of_message(at);
    // Reasoning goes by this name too, for templates that know no other.
    if let Some(reasoning) = &message.reasoning_content {
        dict.set("thinking", &**reasoning);
    }
    dict.set("role", role(message.role));
    dict.set(
        "content",
        match forms.content {
            ContentForm::TextOrNull if message.content.is_empty() && !message.calls.is_empty() => {
                Value::from(())
            }
            ContentForm::Text | ContentForm::TextOrNull => Value::from(&*message.content),
            ContentForm::Parts => {
                let mut part = Dict::default();
                part.set("type", "text");
                part.set("text", &*message.content);
                list(vec![part.into()])
            }
        },
    );
    if let Some(reasoning) = &message.reasoning_content {
        dict.set("reasoning_content", &**reasoning);
    }
    if !message.calls.is_empty() {
        let calls = message.calls.iter().map(|call| call_value(call, forms.arguments));
        dict.set("tool_calls", list(calls.collect()));
    }
    if let Some(id) = &message.call_id {
        dict.set("tool_call_id", &**id);
    }
    if let Some(name) = &message.name {
        dict.set("name", &**name);
    }
    dict.into()
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        _ => "user",
    }
}

fn call_value(call: &ToolCall, form: ArgumentsForm) -> Value {
    let mut function = Dict::default();
    function.set("name", &*call.name);
    function.set(
        "arguments",
        match form {
            ArgumentsForm::Mapping => from_json(call.arguments.as_str()),
            ArgumentsForm::Text => Value::from(call.arguments.as_str()),
        },
    );
    let mut dict = Dict::default();
    if let Some(id) = &call.id {
        dict.set("id", &**id);
    }
    dict.set("type", "function");
    dict.set("function", function);
    dict.into()
}
