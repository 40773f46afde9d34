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

/// The longest prompt, in bytes.
const OUTPUT: usize = 256 << 20;

/// The chat template of a model: it renders conversations as
/// `transformers.apply_chat_template` does, to the byte.
pub struct ChatTemplate {
    env: Environment<'static>,
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
            env.add_template_owned(name.clone(), text.clone())
                .map_err(|error| explained(&error, &template.origin, &text))?;
        }
        Ok(ChatTemplate {
            env,
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
        let name = self.choose(None, with_tools)?;
        Ok(self.texts.get(name).map_or("", |template| &*template.text))
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
        deep(|| self.render_in(conversation, self.forms()))
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

    /// Renders on the stack it is called on; nothing of the engine outlives it.
    pub(crate) fn render_in(
        &self,
        conversation: &Conversation<'_>,
        forms: Forms,
    ) -> Result<String, TemplateError> {
        let name = self.choose(conversation.template_name(), conversation.has_tools())?;
        let template = self.env.get_template(name).map_err(|error| explained(&error, name, ""))?;
        let mut out = Bounded(Vec::new());
        template
            .render_captured_to(conversation.variables(&self.tokens, forms), &mut out)
            .map_err(|error| {
                let origin = self.texts.get(name).map_or(name, |text| &*text.origin);
                explained(&error, origin, template.source())
            })?;
        // Only whole pieces of text were written.
        Ok(String::from_utf8_lossy(&out.0).into_owned())
    }

    /// The template for a conversation, as transformers chooses it.
    fn choose<'a>(&'a self, asked: Option<&'a str>, tools: bool) -> Result<&'a str, TemplateError> {
        let known = |name: &&str| self.texts.contains_key(*name);
        let chosen = match asked {
            Some(name) => Some(name).filter(known),
            None if tools => Some(TOOL_USE).filter(known).or(Some(DEFAULT).filter(known)),
            None => Some(DEFAULT).filter(known),
        };
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
