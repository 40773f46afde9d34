//! The chat template of a model and the dialect that it speaks.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use callsign_core::Dialect;
use callsign_gguf::{Gguf, SpecialToken, keys};
pub use callsign_template::*;

use crate::Dialects;

/// A chat template, ready to render, and the dialect that it speaks.
#[derive(Debug)]
pub struct Model {
    /// The template.
    pub template: ChatTemplate,
    /// The dialect, and what speaks for it.
    pub detection: Detection,
}

impl Model {
    /// The template of a GGUF file, a template file, a `tokenizer_config.json`
    /// or the folder of one, and the dialect of those built in that it speaks.
    ///
    /// # Errors
    ///
    /// When the template cannot be read, or speaks no dialect that is built in.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let template = open(path)?;
        let detection = detect(&template)?;
        Ok(Model { template, detection })
    }

    /// The dialect.
    pub fn dialect(&self) -> &Arc<dyn Dialect> {
        &self.detection.chosen.dialect
    }
}

impl Dialects {
    /// Which of these dialects a template speaks.
    ///
    /// # Errors
    ///
    /// When none of them fits; the error says what is known of the template.
    pub fn detect(&self, template: &ChatTemplate) -> Result<Detection, Undetected> {
        callsign_template::detect(template, self.iter())
    }
}

/// Which of the dialects that are built in a template speaks.
///
/// # Errors
///
/// When none of them fits; the error says what is known of the template.
pub fn detect(template: &ChatTemplate) -> Result<Detection, Undetected> {
    Dialects::builtin().detect(template)
}

/// The template of a GGUF file, a template file, a `tokenizer_config.json` or
/// the folder of one. A GGUF file is told by its first bytes.
///
/// # Errors
///
/// When something cannot be read, or there is no template in it.
pub fn open(path: impl AsRef<Path>) -> Result<ChatTemplate, OpenError> {
    let path = path.as_ref();
    if !is_gguf(path) {
        return Ok(ChatTemplate::from_file(path)?);
    }
    let gguf = Gguf::open_where(path, keys::for_prompts)
        .map_err(|error| OpenError::Gguf { path: path.to_owned(), error })?;
    let source = source(&gguf).ok_or_else(|| OpenError::NoTemplate { path: path.to_owned() })?;
    Ok(ChatTemplate::compile(&source)?)
}

/// The special tokens of a GGUF file that templates print, by the names that
/// they know them by.
const TOKENS: [(SpecialToken, &str); 6] = [
    (SpecialToken::BeginOfText, "bos_token"),
    (SpecialToken::EndOfText, "eos_token"),
    (SpecialToken::Unknown, "unk_token"),
    (SpecialToken::Separator, "sep_token"),
    (SpecialToken::Padding, "pad_token"),
    (SpecialToken::Mask, "mask_token"),
];

/// What a GGUF file brings for rendering, if it has a template.
fn source(gguf: &Gguf) -> Option<TemplateSource> {
    let mut source = TemplateSource::new(gguf.chat_template()?);
    for (name, template) in gguf.named_chat_templates() {
        source = source.named(name, template);
    }
    for (meaning, name) in TOKENS {
        if let Some(text) = gguf.special_token(meaning).and_then(|token| token.text) {
            source = source.token(name, text);
        }
    }
    Some(source)
}

fn is_gguf(path: &Path) -> bool {
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gguf"));
    named || begins_like_gguf(path).unwrap_or(false)
}

fn begins_like_gguf(path: &Path) -> io::Result<bool> {
    if !path.is_file() {
        return Ok(false);
    }
    let mut first = [0; 4];
    File::open(path)?.read_exact(&mut first)?;
    Ok(first == *b"GGUF")
}

/// Why a path gives no template, or none whose dialect is known.
#[derive(Debug)]
#[non_exhaustive]
pub enum OpenError {
    /// The GGUF file cannot be read.
    Gguf {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: callsign_gguf::Error,
    },
    /// The GGUF file has no chat template.
    NoTemplate {
        /// The file.
        path: PathBuf,
    },
    /// The template cannot be read, or is none.
    Template(TemplateError),
    /// The template speaks no dialect that is built in.
    Undetected(Undetected),
}

impl From<TemplateError> for OpenError {
    fn from(error: TemplateError) -> Self {
        OpenError::Template(error)
    }
}

impl From<Undetected> for OpenError {
    fn from(error: Undetected) -> Self {
        OpenError::Undetected(error)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Gguf { path, error } => write!(f, "{}: {error}", path.display()),
            OpenError::NoTemplate { path } => write!(
                f,
                "{}: there is no chat template in it; give the template of the model it was made \
                 from, or name the dialect",
                path.display()
            ),
            OpenError::Template(error) => write!(f, "{error}"),
            OpenError::Undetected(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OpenError::Gguf { error, .. } => Some(error),
            OpenError::NoTemplate { .. } => None,
            OpenError::Template(error) => Some(error),
            OpenError::Undetected(error) => Some(error),
        }
    }
}
