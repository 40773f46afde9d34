//! A chat template, compiled and ready to render.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior};

use crate::adapt::adapted;
use crate::conversation::Forms;
use crate::error::explained;
use crate::probes::{self, Probes};
use crate::python;
use crate::source::{DEFAULT, TOOL_USE, TemplateSource, Text};
use crate::stack::deep;
use crate::{Conversation, TemplateError};

/// The work that one rendering may take. A unit pays for one step or for 64
/// bytes, so this is ample for millions of tokens, and a template that does not
/// end is stopped within a second or so.
const FUEL: u64 = 4_000_000;

/// The work that rendering a probe may take. A probe is a few words, but there
/// are dozens of them.
const PROBE_FUEL: u64 = FUEL / 10;

/// The longest prompt, in bytes.
const OUTPUT: usize = 64 << 20;

/// The chat template of a model: it renders conversations as
/// `transformers.apply_chat_template` does, to the byte.
pub struct ChatTemplate {
    env: Environment<'static>,
    /// The same with less fuel.
    probing: Environment<'static>,
    texts: BTreeMap<String, Text>,
    tokens: BTreeMap<String, String>,
    forms: OnceLock<Forms>,
    probes: OnceLock<Probes>,
}

impl std::fmt::Debug for ChatTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ChatTemplate")
            .field("templates", &self.names().collect::<Vec<_>>())
            .field("tokens", &self.tokens)
            .finish_non_exhaustive()
    }
}

impl ChatTemplate {
    /// A template from its text.
    ///
    /// # Errors
    ///
    /// When the text is no template: with line, column and the line itself.
    pub fn new(template: &str) -> Result<Self, TemplateError> {
        Self::compile(&TemplateSource::new(template))
    }

    /// The template of a model from a file or folder: see
    /// [`TemplateSource::read`].
    ///
    /// # Errors
    ///
    /// When something cannot be read, or is no template.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self, TemplateError> {
        Self::compile(&TemplateSource::read(path)?)
    }

    /// The template of a model from its parts.
    ///
    /// # Errors
    ///
    /// When one of the texts is no template: with line, column and the line
    /// itself.
    pub fn compile(source: &TemplateSource) -> Result<Self, TemplateError> {
        deep(|| Self::compile_here(source))
    }

    fn compile_here(source: &TemplateSource) -> Result<Self, TemplateError> {
        let mut env = environment();
        for (name, template) in &source.templates {
            let text = adapted(template)?;
            env.add_template_owned(name.clone(), text)
                .map_err(|error| explained(&error, template))?;
        }
        let mut probing = env.clone();
        probing.set_fuel(Some(PROBE_FUEL));
        Ok(ChatTemplate {
            env,
            probing,
            texts: source.templates.clone(),
            tokens: source.tokens.clone(),
            forms: OnceLock::new(),
            probes: OnceLock::new(),
        })
    }

    /// The names of the templates there are.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.keys().map(String::as_str)
    }

    /// The text of the template that serves conversations with tools, or those
    /// without, as it was given.
    ///
    /// # Errors
    ///
    /// When there are several and none is the default.
    pub fn source(&self, with_tools: bool) -> Result<&str, TemplateError> {
        let (_, template) = self.choose(None, with_tools)?;
        Ok(&template.text)
    }

    /// The prompt for a conversation.
    ///
    /// Where the template takes arguments of calls or contents in another shape
    /// than most do, they are given in that shape.
    ///
    /// # Errors
    ///
    /// When the template refuses the conversation, fails, or does not come to
    /// an end.
    pub fn render(&self, conversation: &Conversation<'_>) -> Result<String, TemplateError> {
        deep(|| self.render_in(&self.env, conversation, self.forms()))
    }

    /// The prompt for a conversation of a few words, which takes little work.
    pub(crate) fn render_probe(
        &self,
        conversation: &Conversation<'_>,
    ) -> Result<String, TemplateError> {
        deep(|| self.render_probe_as(conversation, self.forms()))
    }

    /// The same in these shapes. It renders on the stack it is called on;
    /// nothing of the engine outlives it.
    pub(crate) fn render_probe_as(
        &self,
        conversation: &Conversation<'_>,
        forms: Forms,
    ) -> Result<String, TemplateError> {
        self.render_in(&self.probing, conversation, forms)
    }

    /// The beginning of the model's turn that the prompt for a conversation ends
    /// with: what the model goes on from.
    ///
    /// # Errors
    ///
    /// As [`render`](Self::render).
    pub fn opening(&self, conversation: &Conversation<'_>) -> Result<String, TemplateError> {
        let prompt = self.render(&conversation.clone().generation_prompt(true))?;
        let before = self.render(&conversation.clone().generation_prompt(false))?;
        Ok(prompt.strip_prefix(&before).unwrap_or_default().to_owned())
    }

    /// What the template does, found by rendering: once, when first asked for.
    pub fn probes(&self) -> &Probes {
        self.probes.get_or_init(|| deep(|| probes::probe(self, self.forms())))
    }

    fn forms(&self) -> Forms {
        *self.forms.get_or_init(|| probes::forms(self))
    }

    fn render_in(
        &self,
        env: &Environment<'static>,
        conversation: &Conversation<'_>,
        forms: Forms,
    ) -> Result<String, TemplateError> {
        let (name, text) = self.choose(conversation.template_name(), conversation.has_tools())?;
        let mut out = Bounded(Vec::new());
        env.get_template(name)
            .and_then(|template| {
                let variables = conversation.variables(&self.tokens, forms);
                template.render_captured_to(variables, &mut out)
            })
            .map_err(|error| explained(&error, text))?;
        // Only whole pieces of text were written.
        Ok(String::from_utf8_lossy(&out.0).into_owned())
    }

    /// The template for a conversation, as transformers chooses it, and its
    /// name.
    fn choose(&self, asked: Option<&str>, tools: bool) -> Result<(&str, &Text), TemplateError> {
        let known = |name| self.texts.get_key_value(name);
        let chosen = match asked {
            Some(name) => known(name),
            None if tools => known(TOOL_USE).or_else(|| known(DEFAULT)),
            None => known(DEFAULT),
        };
        let chosen = chosen.map(|(name, text)| (&**name, text));
        chosen.ok_or_else(|| TemplateError::NoSuchTemplate {
            name: asked.unwrap_or(DEFAULT).to_owned(),
            known: self.names().map(str::to_owned).collect(),
        })
    }
}

/// An engine that behaves like that of transformers.
fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    env.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    env.set_undefined_behavior(UndefinedBehavior::Lenient);
    env.set_fuel(Some(FUEL));
    // For the column of an error.
    env.set_debug(true);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        env.set_syntax(syntax);
    }
    python::install(&mut env);
    env
}

/// A prompt that may not grow for ever.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > OUTPUT {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
