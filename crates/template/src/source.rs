//! Where templates come from: text, a template file, a tokenizer's
//! configuration.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::TemplateError;

/// The name of the template that is used where nothing else is said.
pub(crate) const DEFAULT: &str = "default";
/// The name of the template that is used where there are tools.
pub(crate) const TOOL_USE: &str = "tool_use";

/// Templates by name, and the special tokens they may print: all that a model
/// brings for rendering, before it is compiled.
#[derive(Debug, Clone, Default)]
pub struct TemplateSource {
    pub(crate) templates: BTreeMap<String, Text>,
    pub(crate) tokens: BTreeMap<String, String>,
}

/// One template's text and what to call it in errors.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) origin: String,
}

impl TemplateSource {
    /// One template. As long as no special token is known, `bos_token` and
    /// `eos_token` are empty.
    pub fn new(template: impl Into<String>) -> Self {
        TemplateSource::default().named(DEFAULT, template)
    }

    /// The same with one more template, by its name. `tool_use` serves
    /// conversations with tools, `default` the others.
    #[must_use]
    pub fn named(self, name: impl Into<String>, template: impl Into<String>) -> Self {
        let name = name.into();
        let origin = if name == DEFAULT { "chat template".to_owned() } else { name.clone() };
        self.with(name, template.into(), origin)
    }

    /// The same with a special token, by the name that templates know it by:
    /// `bos_token`.
    #[must_use]
    pub fn token(mut self, name: impl Into<String>, token: impl Into<String>) -> Self {
        self.tokens.insert(name.into(), token.into());
        self
    }

    fn with(mut self, name: String, text: String, origin: String) -> Self {
        self.templates.insert(name, Text { text, origin });
        self
    }

    /// The templates and tokens at a path: a template file, a file of
    /// `tokenizer_config.json`, or the folder such a file lies in. As in
    /// transformers, `chat_template.jinja` and `additional_chat_templates/` in
    /// that folder come before what the configuration says.
    ///
    /// # Errors
    ///
    /// When something there cannot be read, or the configuration has no
    /// template.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, TemplateError> {
        let path = path.as_ref();
        if path.is_dir() {
            return Self::of_folder(path, path.join("tokenizer_config.json"));
        }
        if path.extension().is_some_and(|extension| extension == "json") {
            let folder = path.parent().unwrap_or(Path::new(""));
            return Self::of_folder(folder, path.to_owned());
        }
        let text = text_of(path)?;
        Ok(TemplateSource::default().with(DEFAULT.to_owned(), text, shown(path)))
    }

    fn of_folder(folder: &Path, config: PathBuf) -> Result<Self, TemplateError> {
        let mut source = TemplateSource::default();
        let alone = folder.join("chat_template.jinja");
        if alone.is_file() {
            source = source.with(DEFAULT.to_owned(), text_of(&alone)?, shown(&alone));
        }
        for path in additional(&folder.join("additional_chat_templates"))? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            source = source.with(name, text_of(&path)?, shown(&path));
        }
        // A folder may hold a template and nothing else.
        if config.is_file() || source.templates.is_empty() {
            source.add_config(config)?;
        }
        Ok(source)
    }

    fn add_config(&mut self, path: PathBuf) -> Result<(), TemplateError> {
        let config: Config = serde_json::from_str(&text_of(&path)?).map_err(|error| {
            let place = Some((error.line(), error.column()));
            // The place is told once, in front.
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
            TemplateError::Config { path: path.clone(), place, reason }
        })?;
        if self.templates.is_empty() {
            let named = match config.chat_template {
                None => Vec::new(),
                Some(Templates::One(template)) => {
                    vec![Named { name: DEFAULT.to_owned(), template }]
                }
                Some(Templates::Several(named)) => named,
            };
            for Named { name, template } in named {
                let origin = format!("{} (template `{name}`)", shown(&path));
                self.templates.insert(name, Text { text: template, origin });
            }
        }
        if self.templates.is_empty() {
            let reason =
                "has no `chat_template`, and no chat_template.jinja lies beside it".to_owned();
            return Err(TemplateError::Config { path, place: None, reason });
        }
        for (name, value) in config.rest {
            let special = name.ends_with("_token") || name.ends_with("_tokens");
            if let (true, Some(Token::Text(text) | Token::Added { content: text })) =
                (special, value)
            {
                self.tokens.entry(name).or_insert(text);
            }
        }
        Ok(())
    }
}

/// The longest file that is read, in bytes. Configurations that list a large
/// vocabulary have a tenth of it, and models, given by mistake, much more.
const LONGEST_FILE: u64 = 64 << 20;

fn text_of(path: &Path) -> Result<String, TemplateError> {
    read_text(path).map_err(|error| TemplateError::Io { path: path.to_owned(), error })
}

fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    File::open(path)?.take(LONGEST_FILE + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LONGEST_FILE {
        let reason = format!("it has more than {LONGEST_FILE} bytes, so it is no template");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, reason));
    }
    Ok(text)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// The templates in a folder, if it is there.
fn additional(folder: &Path) -> Result<Vec<PathBuf>, TemplateError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error| TemplateError::Io { path: folder.to_owned(), error };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|extension| extension == "jinja") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// What matters of `tokenizer_config.json`.
#[derive(Deserialize)]
#[serde(expecting = "a tokenizer's configuration, which is a JSON object")]
struct Config {
    chat_template: Option<Templates>,
    #[serde(flatten)]
    rest: BTreeMap<String, Option<Token>>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "`chat_template` is neither text nor a list of named templates")]
enum Templates {
    One(String),
    Several(Vec<Named>),
}

#[derive(Deserialize)]
struct Named {
    name: String,
    template: String,
}

/// A special token, among all else that may stand there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Token {
    Text(String),
    Added { content: String },
    Other(serde::de::IgnoredAny),
}
