//! The arguments of a call while they are written.

use crate::json;
use crate::piece::push_piece;

/// Text inside of a JSON string of the arguments that needs no parser, as far as
/// a push holds nothing but it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flow {
    /// The byte that ends it.
    stop: u8,
    spelling: Spelling,
}

/// How text that flows becomes the inside of a JSON string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    Plain,
    Raw { follow: ByteSet, framed: bool },
    Json,
}

impl Flow {
    /// Text that stands in JSON as it is, up to `stop`; anything else ends it.
    pub fn plain(stop: u8) -> Self {
        Flow { stop, spelling: Spelling::Plain }
    }

    /// Text that is escaped for JSON, up to `stop` with one of `follow` after it
    /// or nothing yet. If it is `framed`, a newline before that or at the end of
    /// a push may not belong to the text, and ends it too.
    pub fn raw(stop: u8, follow: ByteSet, framed: bool) -> Self {
        Flow { stop, spelling: Spelling::Raw { follow, framed } }
    }

    /// The inside of a string as JSON writes it, up to its quote or to an escape
    /// that is cut or unusual.
    pub fn json() -> Self {
        Flow { stop: b'"', spelling: Spelling::Json }
    }
}

/// A set of bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// All bytes.
    pub const ALL: ByteSet = ByteSet([u64::MAX; 4]);

    /// Whether a byte is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = ByteSet::default();
        for byte in bytes {
            set.0[usize::from(byte / 64)] |= 1 << (byte % 64);
        }
        set
    }
}

/// The length, in bytes, of what many calls have for arguments.
const USUAL: usize = 128;

/// The arguments of the open call, as JSON text that only grows.
///
/// What [`Out::preview`](crate::Out::preview) has shown can no longer be taken back.
#[derive(Debug, Default)]
pub struct ArgumentsBuffer {
    text: String,
    shown: usize,
}

impl ArgumentsBuffer {
    /// Appends JSON text as it is.
    #[inline]
    pub fn push_str(&mut self, json: &str) {
        self.text.push_str(json);
    }

    /// Appends the inside of a JSON string, escaped.
    #[inline]
    pub fn push_escaped(&mut self, raw: &str) {
        json::escape_into(raw, &mut self.text);
    }

    /// Appends a run of raw text in which nothing needs an escape, and then a
    /// byte that does.
    #[inline]
    pub fn push_run(&mut self, plain: &str, special: u8) {
        self.text.push_str(plain);
        json::escape_byte_into(special, &mut self.text);
    }

    /// Appends with a function that writes JSON text at the end of a string.
    #[inline]
    pub fn append(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        debug_assert!(self.text.len() >= self.shown, "arguments only grow");
    }

    /// The length in bytes.
    #[inline]
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether nothing has been appended yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// What has been appended.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Takes back what was appended beyond `len` and has not been shown.
    pub fn truncate(&mut self, len: usize) {
        self.text.truncate(len.max(self.shown));
    }

    /// Makes ready for the arguments of another call. Those of most calls fit
    /// into what is set aside for them.
    pub(crate) fn begin(&mut self) {
        self.text.clear();
        self.text.reserve(USUAL);
        self.shown = 0;
    }

    /// Takes all of it out.
    pub(crate) fn take(&mut self) -> String {
        self.shown = 0;
        std::mem::take(&mut self.text)
    }

    /// Whether something waits to be shown.
    #[inline]
    pub(crate) fn waits(&self) -> bool {
        self.text.len() > self.shown
    }

    /// What has not been shown, which now is.
    #[inline]
    pub(crate) fn show(&mut self) -> &str {
        let shown = std::mem::replace(&mut self.shown, self.text.len());
        &self.text[shown..]
    }

    /// Appends `text` if all of it flows. Says whether it did.
    #[inline(always)]
    pub(crate) fn flow(&mut self, flow: Flow, text: &str) -> bool {
        let run = json::plain_run(text.as_bytes(), flow.stop);
        if run == text.len() {
            push_piece(&mut self.text, text);
            return true;
        }
        self.flow_special(flow, text, run)
    }

    /// Appends `text`, which holds something that no JSON string holds as it is
    /// after `run` bytes.
    #[inline(never)]
    fn flow_special(&mut self, flow: Flow, text: &str, run: usize) -> bool {
        match flow.spelling {
            Spelling::Plain => false,
            Spelling::Raw { framed: true, .. } if text.ends_with('\n') => false,
            Spelling::Raw { follow, .. } => self.flow_raw(text, run, flow.stop, follow),
            Spelling::Json => self.flow_json(text, run),
        }
    }

    /// Appends raw text whose first `run` bytes need no escape.
    fn flow_raw(&mut self, text: &str, run: usize, stop: u8, follow: ByteSet) -> bool {
        let bytes = text.as_bytes();
        let (mut start, mut at) = (0, run);
        while let Some(special) = bytes.get(at).copied() {
            let next = at + 1;
            if special == stop {
                if bytes.get(next).is_none_or(|next| follow.contains(*next)) {
                    self.text.truncate(self.shown);
                    return false;
                }
            } else {
                self.push_run(&text[start..at], special);
                start = next;
            }
            at = next + json::plain_run(&bytes[next..], stop);
        }
        self.text.push_str(&text[start..]);
        true
    }

    /// Appends the inside of a JSON string whose first `run` bytes are no escape.
    fn flow_json(&mut self, text: &str, run: usize) -> bool {
        let bytes = text.as_bytes();
        let mut at = run;
        while at < bytes.len() {
            let [b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] = bytes[at..]
            else {
                return false;
            };
            at += 2;
            at += json::plain_run(&bytes[at..], b'"');
        }
        push_piece(&mut self.text, text);
        true
    }
}
