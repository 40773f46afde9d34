//! The reader: what a consumer holds while a model writes.

use crate::ledger::{Ledger, Out};
use crate::piece::push_piece;
use crate::{Dialect, End, Event, Offer, Origin, Parser, Piece, Start, Turn};

/// Reads one turn of a model, whole or piece by piece.
///
/// However the output is cut into pieces, the turn is the same; every byte of
/// it lands in exactly one event; a call that was cut is never a call; and
/// nothing a model writes is an error. The reader keeps that promise for any
/// [`Parser`]: it owns the text, books every byte once and closes what a parser
/// leaves open.
///
/// ```
/// # use callsign_core::{Dialect, End, Offer, Reader, Toolset, Turn};
/// fn read(dialect: &dyn Dialect, tools: &Toolset, deltas: &[&str]) -> Turn {
///     let mut turn = Turn::default();
///     let mut reader = Reader::new(dialect, &Offer::new(tools));
///     for delta in deltas {
///         reader.push(delta, &mut |event| turn.add(event));
///     }
///     reader.finish(End::Stop, &mut |event| turn.add(event));
///     turn
/// }
/// ```
pub struct Reader {
    parser: Box<dyn Parser>,
    ledger: Ledger,
    /// Bytes without an account, from `start` on.
    buffer: String,
    start: usize,
    partial: Partial,
    bytes: usize,
    overflowed: bool,
}

/// The length, in bytes, of what often waits for its account: a small call.
const USUAL: usize = 256;

/// The bytes of a code point that a chunk border cut.
#[derive(Default)]
struct Partial {
    bytes: [u8; 4],
    len: usize,
}

/// Bytes that are not UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidUtf8 {
    /// The offset in the output of the first byte that is not.
    pub offset: usize,
}

impl std::fmt::Display for InvalidUtf8 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the bytes from offset {} on are not UTF-8", self.offset)
    }
}

impl std::error::Error for InvalidUtf8 {}

impl Reader {
    /// A reader for one turn in `dialect`.
    pub fn new(dialect: &dyn Dialect, offer: &Offer<'_>) -> Self {
        Reader::with_parser(dialect.parser(offer), offer)
    }

    /// A reader over a parser of your own.
    pub fn with_parser(parser: Box<dyn Parser>, offer: &Offer<'_>) -> Self {
        let mut reader = Reader {
            parser,
            ledger: Ledger::new(offer.limits),
            buffer: String::new(),
            start: 0,
            partial: Partial::default(),
            bytes: 0,
            overflowed: false,
        };
        if let Start::PromptTail(tail) = offer.start {
            reader.ledger.replay(tail.len());
            reader.push(tail, &mut |_| {});
            reader.ledger.replayed();
            reader.bytes = 0;
        }
        reader
    }

    /// Reads the next piece of output.
    #[inline]
    pub fn push(&mut self, delta: &str, sink: &mut dyn FnMut(Event<'_>)) {
        self.push_piece(Piece { text: delta, origin: Origin::Unknown }, sink);
    }

    /// Reads the next piece of output, of known origin.
    #[inline]
    pub fn push_piece(&mut self, piece: Piece<'_>, sink: &mut dyn FnMut(Event<'_>)) {
        let Piece { text, origin } = piece;
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        if self.buffer.is_empty() && !self.overflowed {
            let mut out = Out::new(&mut self.ledger, text, text.len(), origin, sink);
            self.parser.push(&mut out);
            let used = out.used();
            if used < text.len() {
                self.keep(&text[used..], sink);
            }
        } else {
            self.push_more(piece, sink);
        }
    }

    /// Keeps bytes that have no account yet.
    fn keep(&mut self, text: &str, sink: &mut dyn FnMut(Event<'_>)) {
        if self.buffer.capacity() == 0 {
            self.buffer.reserve(USUAL);
        }
        self.buffer.push_str(text);
        if self.buffer.len() - self.start > self.ledger.limits.length {
            self.overflow(sink);
        }
    }

    /// Reads the next piece while others wait for their account.
    fn push_more(&mut self, piece: Piece<'_>, sink: &mut dyn FnMut(Event<'_>)) {
        if self.overflowed {
            let mut out =
                Out::new(&mut self.ledger, piece.text, piece.text.len(), piece.origin, sink);
            return out.text(piece.text.len());
        }
        push_piece(&mut self.buffer, piece.text);
        if !self.ledger.flow(piece.text, sink) {
            self.parse(piece, sink);
        }
        if self.buffer.len() - self.start > self.ledger.limits.length {
            self.overflow(sink);
        }
    }

    /// Gives the parser all that waits, the last piece included.
    fn parse(&mut self, piece: Piece<'_>, sink: &mut dyn FnMut(Event<'_>)) {
        let window = &self.buffer[self.start..];
        let mut out = Out::new(&mut self.ledger, window, piece.text.len(), piece.origin, sink);
        out.end_flow();
        self.parser.push(&mut out);
        let used = out.used();
        if used > 0 {
            self.start += used;
            // What is used is cut off once it is half of the buffer, so that
            // moving the rest costs no more than reading it did.
            if self.start > self.buffer.len() / 2 {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
        }
    }

    /// Reads the next bytes of output. A code point may be cut between two
    /// pushes.
    ///
    /// # Errors
    ///
    /// When the bytes are not UTF-8. What stands before them has been read;
    /// they and what follows them in this push are not.
    pub fn push_bytes(
        &mut self,
        bytes: &[u8],
        sink: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), InvalidUtf8> {
        let mut bytes = bytes;
        while self.partial.len > 0 && !bytes.is_empty() {
            self.partial.bytes[self.partial.len] = bytes[0];
            self.partial.len += 1;
            bytes = &bytes[1..];
            let partial = self.partial.bytes;
            match std::str::from_utf8(&partial[..self.partial.len]) {
                Ok(text) => {
                    self.partial.len = 0;
                    self.push(text, sink);
                }
                Err(error) if error.error_len().is_some() => {
                    return Err(InvalidUtf8 { offset: self.bytes });
                }
                Err(_) => {}
            }
        }
        let (text, error) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let valid = &bytes[..error.valid_up_to()];
                (std::str::from_utf8(valid).unwrap_or_default(), Some(error))
            }
        };
        if !text.is_empty() {
            self.push(text, sink);
        }
        match error {
            None => Ok(()),
            Some(error) if error.error_len().is_some() => Err(InvalidUtf8 { offset: self.bytes }),
            Some(_) => {
                let rest = &bytes[text.len()..];
                self.partial.bytes[..rest.len()].copy_from_slice(rest);
                self.partial.len = rest.len();
                Ok(())
            }
        }
    }

    /// Ends the turn. `end` is recorded by the caller; it decides nothing.
    pub fn finish(mut self, end: End, sink: &mut dyn FnMut(Event<'_>)) {
        self.end(end, sink);
    }

    /// Ends the turn without taking the reader, which then reads no more: for a
    /// parser that holds one.
    pub fn end(&mut self, end: End, sink: &mut dyn FnMut(Event<'_>)) {
        let window = &self.buffer[self.start..];
        let mut out = Out::new(&mut self.ledger, window, 0, Origin::Unknown, sink);
        if !self.overflowed {
            out.end_flow();
            self.parser.finish(end, &mut out);
        }
        out.close();
        self.buffer.clear();
        self.start = 0;
        self.overflowed = true;
    }

    /// Reads a whole turn.
    pub fn read(mut self, whole: &str, end: End) -> Turn {
        let mut turn = Turn::default();
        self.push(whole, &mut |event| turn.add(event));
        self.finish(end, &mut |event| turn.add(event));
        turn
    }

    /// Whether the bytes pushed so far end inside a code point.
    pub fn inside_code_point(&self) -> bool {
        self.partial.len > 0
    }

    /// More waits than the limits allow: it is rejected, and the rest of the
    /// turn is text, since the parser's place in it is lost.
    #[cold]
    fn overflow(&mut self, sink: &mut dyn FnMut(Event<'_>)) {
        let window = &self.buffer[self.start..];
        let mut out = Out::new(&mut self.ledger, window, 0, Origin::Unknown, sink);
        out.overflow();
        self.buffer.clear();
        self.start = 0;
        self.overflowed = true;
    }
}
