//! Values and their types.

use std::fmt;

use crate::source::ByteOrder;

/// What a key says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A number or a boolean.
    Scalar(Scalar),
    /// A string.
    String(String),
    /// An array of numbers or of booleans.
    Scalars(Scalars),
    /// An array of strings.
    Strings(Strings),
}

impl Value {
    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// A boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Scalar(Scalar::Bool(value)) => Some(*value),
            _ => None,
        }
    }

    /// An integer of any width that is not negative.
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Value::Scalar(scalar) => scalar.as_u64(),
            _ => None,
        }
    }

    /// An array of strings.
    pub fn as_strings(&self) -> Option<&Strings> {
        match self {
            Value::Strings(strings) => Some(strings),
            _ => None,
        }
    }

    /// An array of numbers or of booleans.
    pub fn as_scalars(&self) -> Option<&Scalars> {
        match self {
            Value::Scalars(scalars) => Some(scalars),
            _ => None,
        }
    }
}

/// Makes both enums, so that each type is said once.
macro_rules! scalars {
    ($($(#[$doc:meta])* $name:ident($rust:ty) = $number:literal, $of_bits:expr;)*) => {
        /// A number or a boolean.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub enum Scalar {
            $($(#[$doc])* $name($rust),)*
        }

        /// The type of a number or of a boolean.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ScalarType {
            $($(#[$doc])* $name,)*
        }

        impl ScalarType {
            /// The type that has this number in a file.
            pub(crate) fn numbered(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(ScalarType::$name),)*
                    _ => None,
                }
            }

            /// How many bytes a value takes.
            pub fn width(self) -> usize {
                match self {
                    $(ScalarType::$name => size_of::<$rust>(),)*
                }
            }

            /// The value that has these bits; what is above its width is left
            /// out.
            pub(crate) fn of_bits(self, bits: u64) -> Scalar {
                match self {
                    $(ScalarType::$name => Scalar::$name($of_bits(bits)),)*
                }
            }
        }
    };
}

scalars! {
    /// An unsigned integer of 8 bits.
    U8(u8) = 0, |bits| bits as u8;
    /// A signed integer of 8 bits.
    I8(i8) = 1, |bits| bits as i8;
    /// An unsigned integer of 16 bits.
    U16(u16) = 2, |bits| bits as u16;
    /// A signed integer of 16 bits.
    I16(i16) = 3, |bits| bits as i16;
    /// An unsigned integer of 32 bits.
    U32(u32) = 4, |bits| bits as u32;
    /// A signed integer of 32 bits.
    I32(i32) = 5, |bits| bits as i32;
    /// A floating point number of 32 bits.
    F32(f32) = 6, |bits| f32::from_bits(bits as u32);
    /// A boolean, in one byte.
    Bool(bool) = 7, |bits| bits != 0;
    /// An unsigned integer of 64 bits.
    U64(u64) = 10, |bits| bits;
    /// A signed integer of 64 bits.
    I64(i64) = 11, |bits| bits as i64;
    /// A floating point number of 64 bits.
    F64(f64) = 12, f64::from_bits;
}

impl Scalar {
    /// An integer of any width that is not negative.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Scalar::U8(value) => Some(value.into()),
            Scalar::U16(value) => Some(value.into()),
            Scalar::U32(value) => Some(value.into()),
            Scalar::U64(value) => Some(value),
            Scalar::I8(value) => value.try_into().ok(),
            Scalar::I16(value) => value.try_into().ok(),
            Scalar::I32(value) => value.try_into().ok(),
            Scalar::I64(value) => value.try_into().ok(),
            Scalar::F32(_) | Scalar::F64(_) | Scalar::Bool(_) => None,
        }
    }
}

/// An array of numbers or of booleans, in the bytes of the file.
#[derive(Clone, PartialEq)]
pub struct Scalars {
    kind: ScalarType,
    order: ByteOrder,
    bytes: Vec<u8>,
}

impl Scalars {
    pub(crate) fn new(kind: ScalarType, order: ByteOrder, bytes: Vec<u8>) -> Self {
        Scalars { kind, order, bytes }
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ScalarType {
        self.kind
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.kind.width()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The element at `index`, from 0.
    pub fn get(&self, index: usize) -> Option<Scalar> {
        let width = self.kind.width();
        let start = index.checked_mul(width)?;
        let stored = self.bytes.get(start..start.checked_add(width)?)?;
        Some(self.kind.of_bits(self.order.number(stored)))
    }

    /// All elements in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Scalar> {
        let stored = self.bytes.chunks_exact(self.kind.width());
        stored.map(|stored| self.kind.of_bits(self.order.number(stored)))
    }
}

impl fmt::Debug for Scalars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}", self.len(), self.kind)
    }
}

/// An array of strings, in one piece of text.
#[derive(Clone, PartialEq, Eq)]
pub struct Strings {
    text: String,
    /// Where each ends; the next begins there.
    ends: Vec<u32>,
}

impl Strings {
    /// The strings that end at `ends` in `text`, which have to ascend.
    pub(crate) fn new(text: String, ends: Vec<u32>) -> Self {
        Strings { text, ends }
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The string at `index`, from 0.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start as usize..end as usize)
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        let mut rest = &*self.text;
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let (string, behind) = rest.split_at((end - start) as usize);
            (rest, start) = (behind, end);
            string
        })
    }
}

impl fmt::Debug for Strings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of String", self.len())
    }
}
