//! Why a file cannot be read.

use std::fmt;
use std::io;

use crate::limits;

/// Why a file cannot be read: what is wrong, at which byte, and in what.
#[derive(Debug)]
pub struct Error(Box<Fault>);

#[derive(Debug)]
struct Fault {
    kind: ErrorKind,
    offset: u64,
    place: Place,
}

/// What is wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// It is no GGUF file. These are its first bytes, at most 16.
    NotGguf(Vec<u8>),
    /// Its version is none that is known.
    Version(u32),
    /// It ends before its metadata does.
    Truncated,
    /// A type has a number that is not known.
    UnknownType(u32),
    /// An array holds arrays.
    NestedArray,
    /// A key is empty.
    EmptyKey,
    /// Two values have the same key.
    DuplicateKey,
    /// A string is not UTF-8.
    NotUtf8,
    /// A boolean is neither 0 nor 1.
    NotABoolean(u8),
    /// There is more of something than [`limits`] allow: a lie, as a rule.
    TooLarge {
        /// What there is too much of, such as `keys` or `bytes`.
        of: &'static str,
        /// How many of it are allowed.
        limit: u64,
    },
    /// The system could not read on.
    Io(io::Error),
}

/// The part of the metadata in which something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// What stands in front of the keys.
    Header,
    /// The key with this number, from 0.
    Key(u64),
    /// The value of this key.
    Value(String),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, offset: u64) -> Self {
        Error(Box::new(Fault { kind, offset, place: Place::Header }))
    }

    /// The same error, in another part.
    pub(crate) fn inside(mut self, place: Place) -> Self {
        self.0.place = place;
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The byte of the file, from 0, at which it is wrong.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// The part of the metadata in which it is wrong.
    pub fn place(&self) -> &Place {
        &self.0.place
    }
}

/// How much of a file's bytes is shown.
pub(crate) const SHOWN: u64 = 16;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { kind, offset, place } = &*self.0;
        match kind {
            ErrorKind::NotGguf(first) => return not_gguf(first, f),
            ErrorKind::Version(version) => write!(
                f,
                "the file is in version {version} of GGUF, and only 1 to 3 are known: convert \
                 the model again"
            ),
            ErrorKind::Truncated => {
                f.write_str("the file ends before its metadata does: fetch or convert it again")
            }
            ErrorKind::UnknownType(number) => write!(
                f,
                "no type has the number {number}: the file is damaged or newer than this reader"
            ),
            ErrorKind::NestedArray => f.write_str(
                "an array holds arrays, which is not supported: convert the file without this key",
            ),
            ErrorKind::EmptyKey => f.write_str("the key is empty: the file is damaged"),
            ErrorKind::DuplicateKey => f.write_str(
                "the key was there before, and only one value can hold: convert the model again",
            ),
            ErrorKind::NotUtf8 => f.write_str(
                "the string is not UTF-8: the file is damaged, or its converter wrote other text",
            ),
            ErrorKind::NotABoolean(byte) => {
                write!(f, "a boolean is {byte} and not 0 or 1: the file is damaged")
            }
            ErrorKind::TooLarge { of, limit } => {
                write!(f, "more than {limit} {of}, which no sound file has: the file is damaged")
            }
            ErrorKind::Io(error) => write!(f, "cannot be read: {error}"),
        }?;
        write!(f, " (byte {offset}, {place})")
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => f.write_str("header"),
            Place::Key(index) => write!(f, "key number {}", index + 1),
            Place::Value(key) => {
                // A hostile key may be long and need not be one line.
                let shown: String = key.chars().take(64).flat_map(char::escape_debug).collect();
                let rest = if key.chars().nth(64).is_some() { "…" } else { "" };
                write!(f, "value of `{shown}{rest}`")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) => Some(error),
            _ => None,
        }
    }
}

fn not_gguf(first: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if first.is_empty() {
        return f.write_str("not a GGUF file: it is empty; fetch it again");
    }
    write!(f, "not a GGUF file: it begins with `{}`", first.escape_ascii())?;
    f.write_str(looks_like(first))
}

/// What the file may be instead, and what to do then.
fn looks_like(first: &[u8]) -> &'static str {
    let known: [(&[u8], &str); 5] = [
        (b"version https://", ": a pointer of Git LFS; fetch the file itself with `git lfs pull`"),
        (b"PK\x03\x04", ", as a PyTorch checkpoint does; convert it to GGUF"),
        (b"tjgg", ", as the formats before GGUF do; convert the model again"),
        (b"lmgg", ", as the formats before GGUF do; convert the model again"),
        (b"fmgg", ", as the formats before GGUF do; convert the model again"),
    ];
    let begins = known.iter().find(|(magic, _)| first.starts_with(magic));
    match (begins, first) {
        (Some((_, advice)), _) => advice,
        (None, [_, _, _, _, _, _, _, _, b'{', ..]) => {
            ", as a safetensors file does; convert it to GGUF"
        }
        (None, _) => " and not with `GGUF`; give a model file in the GGUF format",
    }
}

impl ErrorKind {
    /// More bytes than the metadata may have.
    pub(crate) const TOO_MANY_BYTES: ErrorKind =
        ErrorKind::TooLarge { of: "bytes of metadata", limit: limits::METADATA };
}
