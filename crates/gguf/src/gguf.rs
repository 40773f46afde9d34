//! What a file says, by key and by meaning.

use std::fs::File;
use std::io::Read;
use std::ops::Bound;
use std::path::Path;

use crate::error::{Error, ErrorKind};
use crate::read::{self, Entries};
use crate::{ByteOrder, Value, keys};

/// The metadata of a GGUF file.
#[derive(Debug, Clone, PartialEq)]
pub struct Gguf {
    pub(crate) version: u32,
    pub(crate) order: ByteOrder,
    pub(crate) tensors: u64,
    pub(crate) entries: Entries,
}

/// A token with a meaning of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SpecialToken {
    /// It begins a sequence.
    BeginOfText,
    /// It ends a sequence.
    EndOfText,
    /// It ends a turn.
    EndOfTurn,
    /// It ends a message after which the same turn goes on.
    EndOfMessage,
    /// It stands for what the vocabulary cannot spell.
    Unknown,
    /// It stands between two sequences.
    Separator,
    /// It fills up.
    Padding,
    /// It stands for what is to be found.
    Mask,
}

impl SpecialToken {
    /// The keys that may hold its id, the first one first.
    pub fn keys(self) -> &'static [&'static str] {
        match self {
            SpecialToken::BeginOfText => &["tokenizer.ggml.bos_token_id"],
            SpecialToken::EndOfText => &["tokenizer.ggml.eos_token_id"],
            SpecialToken::EndOfTurn => &["tokenizer.ggml.eot_token_id"],
            SpecialToken::EndOfMessage => &["tokenizer.ggml.eom_token_id"],
            SpecialToken::Unknown => &["tokenizer.ggml.unknown_token_id"],
            // The specification spells it right, the converters do not.
            SpecialToken::Separator => {
                &["tokenizer.ggml.separator_token_id", "tokenizer.ggml.seperator_token_id"]
            }
            SpecialToken::Padding => &["tokenizer.ggml.padding_token_id"],
            SpecialToken::Mask => &["tokenizer.ggml.mask_token_id"],
        }
    }
}

/// The token of a file that has one of these meanings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// Its id: its place in the vocabulary.
    pub id: u32,
    /// Its text. Nothing where the file has no such token, or its texts were
    /// not read.
    pub text: Option<&'a str>,
}

impl Gguf {
    /// Reads all metadata of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, is no GGUF file or is damaged. The error
    /// does not name the file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_where(path, |_| true)
    }

    /// Reads the metadata of a file, and keeps the values of the keys that are
    /// `wanted`: [`keys::for_prompts`], for instance. The others are read over.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open). Text and booleans that are read over are not
    /// checked.
    pub fn open_where(
        path: impl AsRef<Path>,
        wanted: impl FnMut(&str) -> bool,
    ) -> Result<Self, Error> {
        let file = File::open(path).map_err(|error| Error::new(ErrorKind::Io(error), 0))?;
        Self::read_where(file, wanted)
    }

    /// Reads all metadata from the first bytes of `input`, through a buffer of
    /// its own: it reads no further than the metadata and one buffer.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn read(input: impl Read) -> Result<Self, Error> {
        Self::read_where(input, |_| true)
    }

    /// Reads as [`read`](Self::read) does, and keeps as
    /// [`open_where`](Self::open_where) does.
    ///
    /// # Errors
    ///
    /// As [`open_where`](Self::open_where).
    pub fn read_where(
        mut input: impl Read,
        mut wanted: impl FnMut(&str) -> bool,
    ) -> Result<Self, Error> {
        read::read(&mut input, &mut wanted)
    }

    /// The version of the format, from 1 to 3.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The byte order that the file is written in.
    pub fn byte_order(&self) -> ByteOrder {
        self.order
    }

    /// How many tensors the file says it has; none if it is a vocabulary alone.
    pub fn tensors(&self) -> u64 {
        self.tensors
    }

    /// The value of a key. Nothing if there is none, or it was not wanted.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key)?.as_ref()
    }

    /// All keys in alphabetical order, with the values that were wanted.
    pub fn entries(&self) -> impl Iterator<Item = (&str, Option<&Value>)> {
        self.entries.iter().map(|(key, value)| (&**key, value.as_ref()))
    }

    /// The architecture, such as `llama`.
    pub fn architecture(&self) -> Option<&str> {
        self.text(keys::ARCHITECTURE)
    }

    /// The name of the model, for people.
    pub fn name(&self) -> Option<&str> {
        self.text(keys::NAME)
    }

    /// The chat template that is meant where none is named.
    pub fn chat_template(&self) -> Option<&str> {
        self.text(keys::CHAT_TEMPLATE)
    }

    /// The other chat templates with their names, such as `tool_use`, in
    /// alphabetical order. The one without a name is not among them.
    pub fn named_chat_templates(&self) -> impl Iterator<Item = (&str, &str)> {
        let from = Bound::Excluded(keys::NAMED_CHAT_TEMPLATE);
        let behind = self.entries.range::<str, _>((from, Bound::Unbounded));
        let named = behind
            .map_while(|(key, value)| Some((key.strip_prefix(keys::NAMED_CHAT_TEMPLATE)?, value)));
        named.filter_map(|(name, value)| Some((name, value.as_ref()?.as_str()?)))
    }

    /// The token with this meaning.
    pub fn special_token(&self, meaning: SpecialToken) -> Option<Token<'_>> {
        let id = meaning.keys().iter().find_map(|key| self.get(key)?.as_u64())?;
        let id = u32::try_from(id).ok()?;
        Some(Token { id, text: self.token_text(id) })
    }

    /// The text of the token with this id, as the vocabulary spells it.
    pub fn token_text(&self, id: u32) -> Option<&str> {
        self.get(keys::TOKENS)?.as_strings()?.get(usize::try_from(id).ok()?)
    }

    /// Whether the beginning-of-sequence token goes in front of every prompt.
    /// Nothing if the file does not say: then it depends on the tokenizer.
    pub fn adds_bos(&self) -> Option<bool> {
        self.get(keys::ADD_BOS)?.as_bool()
    }

    /// Whether the end-of-sequence token goes behind every prompt. Nothing if
    /// the file does not say.
    pub fn adds_eos(&self) -> Option<bool> {
        self.get(keys::ADD_EOS)?.as_bool()
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.get(key)?.as_str()
    }
}
