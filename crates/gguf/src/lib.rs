//! The metadata of GGUF model files: which model it is, its chat templates, its
//! special tokens and its vocabulary.
//!
//! ```no_run
//! use callsign_gguf::{Gguf, SpecialToken, keys};
//!
//! let gguf = Gguf::open_where("model.gguf", keys::for_prompts)?;
//! println!("{:?}", gguf.architecture());
//! println!("{:?}", gguf.chat_template());
//! println!("{:?}", gguf.special_token(SpecialToken::EndOfText));
//! # Ok::<(), callsign_gguf::Error>(())
//! ```
//!
//! # The format
//!
//! The facts are from the GGUF specification of the ggml project
//! (<https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>). A file is a
//! header, a list of keys with values, a list of tensors, and the tensors:
//!
//! ```text
//! "GGUF"  version: u32  tensors: count  keys: count
//! keys times:   key: string  type: u32  value
//! string:       length: count  bytes, UTF-8
//! array:        type: u32  length: count  values one after the other
//! ```
//!
//! Nothing is aligned up to there. A count has 8 bytes, in version 1 it has 4.
//! Versions 1, 2 and 3 are read, in either byte order. No field states the
//! order: as llama.cpp does, it is taken from the version, which is a small
//! number only in the right one.
//!
//! # What is not here
//!
//! The tensors and their list: reading stops behind the last value. Arrays of
//! arrays, which the specification allows and which no known file has, are an
//! error, as they are to llama.cpp.
//!
//! # Hostile files
//!
//! Nothing is allocated because a file says how long something is, only once
//! the bytes are there. What a file may hold is bounded by [`limits`]. Whatever
//! is wrong is an [`Error`] that says what and at which byte.

mod error;
mod gguf;
pub mod keys;
pub mod limits;
mod read;
mod source;
mod value;

pub use error::{Error, ErrorKind, Place};
pub use gguf::{Gguf, SpecialToken, Token};
pub use source::ByteOrder;
pub use value::{Scalar, ScalarType, Scalars, Strings, Value};
