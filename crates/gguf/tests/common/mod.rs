//! Writes GGUF bytes, from the specification and not from the reader.

#![allow(dead_code, reason = "each test takes what it needs")]

use callsign_gguf::{ByteOrder, Scalar, ScalarType, Value};
use proptest::prelude::*;

/// A file to be.
#[derive(Debug, Clone)]
pub(crate) struct File {
    pub(crate) version: u32,
    pub(crate) order: ByteOrder,
    pub(crate) tensors: u64,
    pub(crate) entries: Vec<(String, Datum)>,
}

/// A value to be written.
#[derive(Debug, Clone)]
pub(crate) enum Datum {
    Scalar(Scalar),
    String(String),
    Scalars(ScalarType, Vec<Scalar>),
    Strings(Vec<String>),
}

impl Datum {
    /// Whether a value that was read is this one. Floats count by their bits.
    pub(crate) fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Datum::Scalar(one), Value::Scalar(other)) => same(*one, *other),
            (Datum::String(one), Value::String(other)) => one == other,
            (Datum::Scalars(kind, one), Value::Scalars(other)) => {
                let each = one.iter().zip(other.iter()).all(|(one, other)| same(*one, other));
                let by_index = one
                    .iter()
                    .enumerate()
                    .all(|(at, one)| other.get(at).is_some_and(|other| same(*one, other)));
                *kind == other.element_type()
                    && one.len() == other.len()
                    && one.is_empty() == other.is_empty()
                    && each
                    && by_index
                    && other.get(one.len()).is_none()
            }
            (Datum::Strings(one), Value::Strings(other)) => {
                let by_index = (0..one.len()).map(|at| other.get(at));
                one.len() == other.len()
                    && one.is_empty() == other.is_empty()
                    && one.iter().eq(other.iter())
                    && one.iter().map(|one| Some(&**one)).eq(by_index)
                    && other.get(one.len()).is_none()
            }
            _ => false,
        }
    }
}

fn same(one: Scalar, other: Scalar) -> bool {
    match (one, other) {
        (Scalar::F32(one), Scalar::F32(other)) => one.to_bits() == other.to_bits(),
        (Scalar::F64(one), Scalar::F64(other)) => one.to_bits() == other.to_bits(),
        (one, other) => one == other,
    }
}

impl File {
    /// A file of the newest version.
    pub(crate) fn new<const N: usize>(entries: [(&str, Datum); N]) -> Self {
        let entries = entries.map(|(key, datum)| (key.to_owned(), datum)).into();
        File { version: 3, order: ByteOrder::Little, tensors: 0, entries }
    }

    /// Its metadata.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = Writer { bytes: b"GGUF".to_vec(), order: self.order, version: self.version };
        out.u32(self.version);
        out.count(self.tensors);
        out.count(self.entries.len() as u64);
        for (key, datum) in &self.entries {
            out.string(key.as_bytes());
            out.datum(datum);
        }
        out.bytes
    }
}

/// Bytes in the making.
pub(crate) struct Writer {
    pub(crate) bytes: Vec<u8>,
    pub(crate) order: ByteOrder,
    pub(crate) version: u32,
}

impl Writer {
    /// A header of version 3 that announces so many keys.
    pub(crate) fn with_keys(keys: u64) -> Self {
        let mut out = Writer { bytes: b"GGUF".to_vec(), order: ByteOrder::Little, version: 3 };
        out.u32(3);
        out.count(0);
        out.count(keys);
        out
    }

    fn number(&mut self, mut little: Vec<u8>) {
        if self.order == ByteOrder::Big {
            little.reverse();
        }
        self.bytes.extend(little);
    }

    pub(crate) fn u32(&mut self, value: u32) {
        self.number(value.to_le_bytes().into());
    }

    pub(crate) fn count(&mut self, value: u64) {
        match self.version {
            1 => self.u32(value as u32),
            _ => self.number(value.to_le_bytes().into()),
        }
    }

    pub(crate) fn string(&mut self, bytes: &[u8]) {
        self.count(bytes.len() as u64);
        self.bytes.extend(bytes);
    }

    fn datum(&mut self, datum: &Datum) {
        match datum {
            Datum::Scalar(scalar) => {
                self.u32(code(kind(*scalar)));
                self.scalar(*scalar);
            }
            Datum::String(text) => {
                self.u32(8);
                self.string(text.as_bytes());
            }
            Datum::Scalars(kind, scalars) => {
                self.u32(9);
                self.u32(code(*kind));
                self.count(scalars.len() as u64);
                scalars.iter().for_each(|scalar| self.scalar(*scalar));
            }
            Datum::Strings(strings) => {
                self.u32(9);
                self.u32(8);
                self.count(strings.len() as u64);
                strings.iter().for_each(|string| self.string(string.as_bytes()));
            }
        }
    }

    fn scalar(&mut self, scalar: Scalar) {
        self.number(match scalar {
            Scalar::U8(value) => value.to_le_bytes().into(),
            Scalar::I8(value) => value.to_le_bytes().into(),
            Scalar::U16(value) => value.to_le_bytes().into(),
            Scalar::I16(value) => value.to_le_bytes().into(),
            Scalar::U32(value) => value.to_le_bytes().into(),
            Scalar::I32(value) => value.to_le_bytes().into(),
            Scalar::F32(value) => value.to_le_bytes().into(),
            Scalar::Bool(value) => vec![u8::from(value)],
            Scalar::U64(value) => value.to_le_bytes().into(),
            Scalar::I64(value) => value.to_le_bytes().into(),
            Scalar::F64(value) => value.to_le_bytes().into(),
        });
    }
}

fn kind(scalar: Scalar) -> ScalarType {
    match scalar {
        Scalar::U8(_) => ScalarType::U8,
        Scalar::I8(_) => ScalarType::I8,
        Scalar::U16(_) => ScalarType::U16,
        Scalar::I16(_) => ScalarType::I16,
        Scalar::U32(_) => ScalarType::U32,
        Scalar::I32(_) => ScalarType::I32,
        Scalar::F32(_) => ScalarType::F32,
        Scalar::Bool(_) => ScalarType::Bool,
        Scalar::U64(_) => ScalarType::U64,
        Scalar::I64(_) => ScalarType::I64,
        Scalar::F64(_) => ScalarType::F64,
    }
}

fn code(kind: ScalarType) -> u32 {
    match kind {
        ScalarType::U8 => 0,
        ScalarType::I8 => 1,
        ScalarType::U16 => 2,
        ScalarType::I16 => 3,
        ScalarType::U32 => 4,
        ScalarType::I32 => 5,
        ScalarType::F32 => 6,
        ScalarType::Bool => 7,
        ScalarType::U64 => 10,
        ScalarType::I64 => 11,
        ScalarType::F64 => 12,
    }
}

/// Any file that is sound.
pub(crate) fn any_file() -> impl Strategy<Value = File> {
    let order = prop_oneof![Just(ByteOrder::Little), Just(ByteOrder::Big)];
    let entries = prop::collection::btree_map(any_key(), any_datum(), 0..8);
    (1..=3_u32, order, any::<u32>(), entries).prop_map(|(version, order, tensors, entries)| File {
        version,
        order,
        tensors: tensors.into(),
        entries: entries.into_iter().collect(),
    })
}

fn any_key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z_]{1,6}(\\.[a-z_]{1,6}){0,2}",
        "tokenizer\\.chat_template(\\.[a-z]{1,4})?",
        "general\\.(architecture|name)",
        "tokenizer\\.ggml\\.(tokens|merges|bos_token_id|add_bos_token)",
    ]
}

fn any_datum() -> impl Strategy<Value = Datum> {
    let scalars = any_kind().prop_flat_map(|kind| {
        prop::collection::vec(any_scalar(kind), 0..12)
            .prop_map(move |scalars| Datum::Scalars(kind, scalars))
    });
    prop_oneof![
        any_kind().prop_flat_map(any_scalar).prop_map(Datum::Scalar),
        ".{0,40}".prop_map(Datum::String),
        scalars,
        prop::collection::vec(".{0,6}", 0..12).prop_map(Datum::Strings),
    ]
}

fn any_kind() -> impl Strategy<Value = ScalarType> {
    prop::sample::select(vec![
        ScalarType::U8,
        ScalarType::I8,
        ScalarType::U16,
        ScalarType::I16,
        ScalarType::U32,
        ScalarType::I32,
        ScalarType::F32,
        ScalarType::Bool,
        ScalarType::U64,
        ScalarType::I64,
        ScalarType::F64,
    ])
}

fn any_scalar(kind: ScalarType) -> BoxedStrategy<Scalar> {
    match kind {
        ScalarType::U8 => any::<u8>().prop_map(Scalar::U8).boxed(),
        ScalarType::I8 => any::<i8>().prop_map(Scalar::I8).boxed(),
        ScalarType::U16 => any::<u16>().prop_map(Scalar::U16).boxed(),
        ScalarType::I16 => any::<i16>().prop_map(Scalar::I16).boxed(),
        ScalarType::U32 => any::<u32>().prop_map(Scalar::U32).boxed(),
        ScalarType::I32 => any::<i32>().prop_map(Scalar::I32).boxed(),
        ScalarType::F32 => any::<u32>().prop_map(|bits| Scalar::F32(f32::from_bits(bits))).boxed(),
        ScalarType::Bool => any::<bool>().prop_map(Scalar::Bool).boxed(),
        ScalarType::U64 => any::<u64>().prop_map(Scalar::U64).boxed(),
        ScalarType::I64 => any::<i64>().prop_map(Scalar::I64).boxed(),
        ScalarType::F64 => any::<u64>().prop_map(|bits| Scalar::F64(f64::from_bits(bits))).boxed(),
    }
}
