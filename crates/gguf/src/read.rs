//! Header, keys and values, one after the other.

use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, VacantEntry};
use std::io::Read;

use crate::error::{Error, ErrorKind, Place, SHOWN};
use crate::gguf::Gguf;
use crate::limits;
use crate::source::{ByteOrder, Counts, Source};
use crate::value::{ScalarType, Scalars, Strings, Value};

const MAGIC: &[u8] = b"GGUF";

/// The values by their keys; nothing for one that was not wanted.
pub(crate) type Entries = BTreeMap<String, Option<Value>>;

/// The metadata of a file, with the values of the keys that are wanted.
///
/// Nothing here is generic, so that it is compiled once, with this crate.
pub(crate) fn read(
    input: &mut dyn Read,
    wanted: &mut dyn FnMut(&str) -> bool,
) -> Result<Gguf, Error> {
    let source = &mut Source::new(input);
    magic(source)?;
    let version = version(source)?;
    let tensors = source.count()?;
    let keys = source.count()?;
    if keys > limits::KEYS {
        return Err(source.error(ErrorKind::TooLarge { of: "keys", limit: limits::KEYS }));
    }
    let mut entries = Entries::new();
    for index in 0..keys {
        let entry = key(source, &mut entries).map_err(|error| error.inside(Place::Key(index)))?;
        let value = shape(source).and_then(|shape| match wanted(entry.key()) {
            true => keep(source, shape).map(Some),
            false => skip(source, shape).map(|()| None),
        });
        match value {
            Ok(value) => entry.insert(value),
            Err(error) => return Err(error.inside(Place::Value(entry.into_key()))),
        };
    }
    Ok(Gguf { version, order: source.order, tensors, entries })
}

fn magic(source: &mut Source<'_>) -> Result<(), Error> {
    let mut first = Vec::new();
    match source.append(MAGIC.len() as u64, &mut first) {
        Ok(()) if first == MAGIC => return Ok(()),
        Err(error) if matches!(error.kind(), ErrorKind::Io(_)) => return Err(error),
        Err(error) if !first.is_empty() && MAGIC.starts_with(&first) => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // How it goes on is for people to see; that it may end is no second error.
    let _ = source.append(SHOWN - first.len() as u64, &mut first);
    Err(Error::new(ErrorKind::NotGguf(first), 0))
}

/// The version, and with it the byte order and the width of counts.
fn version(source: &mut Source<'_>) -> Result<u32, Error> {
    let offset = source.offset();
    let mut version = source.u32()?;
    if version & 0xffff == 0 {
        source.order = ByteOrder::Big;
        version = version.swap_bytes();
    }
    source.counts = match version {
        1 => Counts::Narrow,
        2 | 3 => Counts::Wide,
        _ => return Err(Error::new(ErrorKind::Version(version), offset)),
    };
    Ok(version)
}

/// The next key, and the place where its value goes.
fn key<'a>(
    source: &mut Source<'_>,
    entries: &'a mut Entries,
) -> Result<VacantEntry<'a, String, Option<Value>>, Error> {
    let offset = source.offset();
    let length = source.count()?;
    if length > limits::KEY {
        let kind = ErrorKind::TooLarge { of: "bytes in a key", limit: limits::KEY };
        return Err(Error::new(kind, offset));
    }
    let key = text(source, length)?;
    if key.is_empty() {
        return Err(Error::new(ErrorKind::EmptyKey, offset));
    }
    match entries.entry(key) {
        Entry::Vacant(entry) => Ok(entry),
        Entry::Occupied(_) => Err(Error::new(ErrorKind::DuplicateKey, offset)),
    }
}

/// What a value is, known where its bytes begin.
#[derive(Clone, Copy)]
enum Shape {
    Scalar(ScalarType),
    /// A string of so many bytes.
    String(u64),
    /// So many elements.
    Scalars(ScalarType, u64),
    /// So many elements.
    Strings(u64),
}

/// The numbers of the types that are not scalar.
const STRING: u32 = 8;
const ARRAY: u32 = 9;

fn shape(source: &mut Source<'_>) -> Result<Shape, Error> {
    match source.u32()? {
        STRING => source.count().map(Shape::String),
        ARRAY => {
            let offset = source.offset();
            match source.u32()? {
                STRING => source.count().map(Shape::Strings),
                ARRAY => Err(Error::new(ErrorKind::NestedArray, offset)),
                number => Ok(Shape::Scalars(scalar_type(number, offset)?, source.count()?)),
            }
        }
        number => scalar_type(number, source.offset() - 4).map(Shape::Scalar),
    }
}

fn scalar_type(number: u32, offset: u64) -> Result<ScalarType, Error> {
    ScalarType::numbered(number).ok_or_else(|| Error::new(ErrorKind::UnknownType(number), offset))
}

/// Reads over a value. Of its bytes, only those that lead to its end count.
fn skip(source: &mut Source<'_>, shape: Shape) -> Result<(), Error> {
    match shape {
        Shape::Scalar(kind) => source.skip(kind.width() as u64),
        Shape::String(length) => source.skip(length),
        Shape::Scalars(kind, count) => source.skip(times(count, kind.width())),
        Shape::Strings(count) => {
            source.allow(times(count, source.counts.width()))?;
            for _ in 0..count {
                let length = source.count()?;
                source.skip(length)?;
            }
            Ok(())
        }
    }
}

/// How many bytes elements take. A product too large for its type is too large
/// for every limit as well.
fn times(count: u64, width: usize) -> u64 {
    count.saturating_mul(width as u64)
}

fn keep(source: &mut Source<'_>, shape: Shape) -> Result<Value, Error> {
    match shape {
        Shape::Scalar(kind) => {
            let offset = source.offset();
            let bits = source.number(kind.width())?;
            if kind == ScalarType::Bool {
                boolean(bits as u8, offset)?;
            }
            Ok(Value::Scalar(kind.of_bits(bits)))
        }
        Shape::String(length) => text(source, length).map(Value::String),
        Shape::Scalars(kind, count) => scalars(source, kind, count).map(Value::Scalars),
        Shape::Strings(count) => strings(source, count).map(Value::Strings),
    }
}

fn boolean(byte: u8, offset: u64) -> Result<(), Error> {
    if byte > 1 { Err(Error::new(ErrorKind::NotABoolean(byte), offset)) } else { Ok(()) }
}

fn text(source: &mut Source<'_>, length: u64) -> Result<String, Error> {
    let offset = source.offset();
    let mut bytes = Vec::new();
    source.append(length, &mut bytes)?;
    bytes.shrink_to_fit();
    String::from_utf8(bytes).map_err(|error| {
        Error::new(ErrorKind::NotUtf8, offset + error.utf8_error().valid_up_to() as u64)
    })
}

fn scalars(source: &mut Source<'_>, kind: ScalarType, count: u64) -> Result<Scalars, Error> {
    let offset = source.offset();
    let mut bytes = Vec::new();
    source.append(times(count, kind.width()), &mut bytes)?;
    if kind == ScalarType::Bool {
        for (&byte, offset) in bytes.iter().zip(offset..) {
            boolean(byte, offset)?;
        }
    }
    bytes.shrink_to_fit();
    Ok(Scalars::new(kind, source.order, bytes))
}

fn strings(source: &mut Source<'_>, count: u64) -> Result<Strings, Error> {
    let width = source.counts.width();
    source.allow(times(count, width))?;
    let start = source.offset();
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    for _ in 0..count {
        let length = source.count()?;
        source.append(length, &mut bytes)?;
        // What the metadata may have fits: `limits` says so.
        ends.push(bytes.len() as u32);
    }
    bytes.shrink_to_fit();
    ends.shrink_to_fit();
    // All at once is faster than one by one, and then ends have to be checked.
    let at = |byte: usize| {
        let before = ends.partition_point(|&end| end as usize <= byte) as u64 + 1;
        Error::new(ErrorKind::NotUtf8, start + before * width as u64 + byte as u64)
    };
    let text = String::from_utf8(bytes).map_err(|error| at(error.utf8_error().valid_up_to()))?;
    let inside = ends.iter().map(|&end| end as usize).find(|&end| !text.is_char_boundary(end));
    match inside {
        // The character that the end of a string divides is where it is wrong.
        Some(end) => Err(at((0..end).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0))),
        None => Ok(Strings::new(text, ends)),
    }
}
