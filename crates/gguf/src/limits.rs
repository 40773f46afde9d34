//! What a file may hold. Beyond it, reading ends with
//! [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge).
//!
//! The largest vocabularies known, of some 260,000 tokens with their merges,
//! take 16 MB, and a file has some hundred keys.

/// How many bytes the metadata may take in the file, the header included.
///
/// It bounds memory too. While a file is read, what is kept takes at most three
/// times its bytes in the file, because texts grow by doubling; afterwards, an
/// array of strings has 4 bytes a string beside its text, and the rest is what
/// it was in the file.
pub const METADATA: u64 = 128 << 20;

/// How many keys a file may have. Each costs some 100 bytes beside its text.
pub const KEYS: u64 = 16_384;

/// How many bytes a key may have: as the specification says.
pub const KEY: u64 = 65_535;

// Positions in the text of a string array are kept in 32 bits.
const _: () = assert!(METADATA <= u32::MAX as u64);
