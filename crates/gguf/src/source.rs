//! The bytes of a file: read in order, counted, and never past a limit.

use std::io::{self, BufRead, BufReader, Read};

use crate::error::{Error, ErrorKind};
use crate::limits;

/// The order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

impl ByteOrder {
    /// The number that has these bytes, at most 8.
    pub(crate) fn number(self, bytes: &[u8]) -> u64 {
        // Most are lengths, and the widest number has an instruction of its own.
        if let Ok(eight) = bytes.try_into() {
            return match self {
                ByteOrder::Little => u64::from_le_bytes(eight),
                ByteOrder::Big => u64::from_be_bytes(eight),
            };
        }
        let above = |number, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            ByteOrder::Little => bytes.iter().rev().fold(0, above),
            ByteOrder::Big => bytes.iter().fold(0, above),
        }
    }
}

/// How wide counts and lengths are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counts {
    /// 4 bytes: version 1.
    Narrow,
    /// 8 bytes: since version 2.
    Wide,
}

impl Counts {
    /// How many bytes a count takes.
    pub(crate) fn width(self) -> usize {
        match self {
            Counts::Narrow => 4,
            Counts::Wide => 8,
        }
    }
}

/// A file, read from its first byte on.
pub(crate) struct Source<'a> {
    input: BufReader<&'a mut dyn Read>,
    offset: u64,
    pub(crate) order: ByteOrder,
    pub(crate) counts: Counts,
}

/// How many bytes are asked of the system at a time.
const BUFFER: usize = 64 << 10;

impl<'a> Source<'a> {
    pub(crate) fn new(input: &'a mut dyn Read) -> Self {
        Source {
            input: BufReader::with_capacity(BUFFER, input),
            offset: 0,
            order: ByteOrder::Little,
            counts: Counts::Wide,
        }
    }

    /// The byte that is read next.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// What is wrong here.
    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::new(kind, self.offset)
    }

    /// Hands the next `length` bytes over, in as many parts as they come in.
    fn take(&mut self, length: u64, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
        self.allow(length)?;
        let mut left = length;
        while left > 0 {
            let held = match self.input.fill_buf() {
                Ok([]) => return Err(self.error(ErrorKind::Truncated)),
                Ok(held) => held,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(self.error(ErrorKind::Io(error))),
            };
            let part =
                &held[..usize::try_from(left).map_or(held.len(), |left| left.min(held.len()))];
            each(part);
            let length = part.len();
            self.consume(length);
            left -= length as u64;
        }
        Ok(())
    }

    /// Whether the metadata may have `length` bytes more.
    pub(crate) fn allow(&self, length: u64) -> Result<(), Error> {
        if length > limits::METADATA - self.offset {
            return Err(self.error(ErrorKind::TOO_MANY_BYTES));
        }
        Ok(())
    }

    /// The next `length` bytes, behind those that are there. Memory grows with
    /// the bytes that come, not with the length that was stated.
    pub(crate) fn append(&mut self, length: u64, to: &mut Vec<u8>) -> Result<(), Error> {
        self.take(length, |part| to.extend_from_slice(part))
    }

    pub(crate) fn skip(&mut self, length: u64) -> Result<(), Error> {
        self.take(length, |_| {})
    }

    /// An unsigned number of `width` bytes, at most 8.
    pub(crate) fn number(&mut self, width: usize) -> Result<u64, Error> {
        self.allow(width as u64)?;
        // A vocabulary has a million lengths, and nearly all are in the buffer.
        if let Some(bytes) = self.input.buffer().get(..width) {
            let number = self.order.number(bytes);
            self.consume(width);
            return Ok(number);
        }
        let mut bytes = [0; 8];
        let mut filled = 0;
        self.take(width as u64, |part| {
            bytes[filled..filled + part.len()].copy_from_slice(part);
            filled += part.len();
        })?;
        Ok(self.order.number(&bytes[..width]))
    }

    fn consume(&mut self, length: usize) {
        self.input.consume(length);
        self.offset += length as u64;
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Error> {
        self.number(4).map(|number| number as u32)
    }

    /// A count or a length.
    pub(crate) fn count(&mut self) -> Result<u64, Error> {
        self.number(self.counts.width())
    }
}
