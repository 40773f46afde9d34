//! The kinds of JSON values as a set, and what a schema says about them.

use std::ops::{BitAnd, BitOr, BitOrAssign};

/// A set of kinds of JSON values.
///
/// Every integer is a number: [`Kinds::NUMBER`] contains [`Kinds::INTEGER`],
/// not the other way round.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// No kind: what the schema `false` admits.
    pub const NONE: Kinds = Kinds(0);
    /// `null`.
    pub const NULL: Kinds = Kinds(1);
    /// `true` and `false`.
    pub const BOOLEAN: Kinds = Kinds(1 << 1);
    /// Numbers without a fraction, however spelled: `5`, `5.0`, `50e-1`.
    pub const INTEGER: Kinds = Kinds(1 << 2);
    /// All numbers.
    pub const NUMBER: Kinds = Kinds(1 << 2 | 1 << 3);
    /// Strings.
    pub const STRING: Kinds = Kinds(1 << 4);
    /// Arrays.
    pub const ARRAY: Kinds = Kinds(1 << 5);
    /// Objects.
    pub const OBJECT: Kinds = Kinds(1 << 6);
    /// Every kind.
    pub const ALL: Kinds = Kinds((1 << 7) - 1);

    /// Whether every kind of `other` is in the set.
    #[inline]
    pub const fn contains(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the sets share a kind.
    #[inline]
    pub const fn intersects(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether there is no kind in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The narrowest kind of the one JSON value that `value` is, no white space
    /// before it. Text that is no JSON has an arbitrary kind.
    pub fn of(value: &str) -> Kinds {
        match value.as_bytes().first() {
            Some(b'"') => Kinds::STRING,
            Some(b'{') => Kinds::OBJECT,
            Some(b'[') => Kinds::ARRAY,
            Some(b't' | b'f') => Kinds::BOOLEAN,
            Some(b'n') => Kinds::NULL,
            _ if is_integral(value) => Kinds::INTEGER,
            _ => Kinds::NUMBER,
        }
    }

    /// The kinds that a word of the keyword `type` stands for.
    pub(super) fn of_type(word: &[u8]) -> Option<Kinds> {
        Some(match word {
            b"string" => Kinds::STRING,
            b"integer" => Kinds::INTEGER,
            b"number" => Kinds::NUMBER,
            b"boolean" => Kinds::BOOLEAN,
            b"object" => Kinds::OBJECT,
            b"array" => Kinds::ARRAY,
            b"null" => Kinds::NULL,
            _ => return None,
        })
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl BitOrAssign for Kinds {
    fn bitor_assign(&mut self, other: Kinds) {
        self.0 |= other.0;
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

/// Whether a JSON number has no fraction, decided on its digits: a float would
/// not tell for a number of thirty.
fn is_integral(number: &str) -> bool {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches('-');
    let significant = fraction.trim_end_matches('0');
    let (zeros, significant) = match significant {
        "" => {
            let significant = whole.trim_end_matches('0');
            (whole.len() - significant.len(), significant)
        }
        _ => (0, significant),
    };
    if significant.is_empty() {
        return true;
    }
    let places = fraction.trim_end_matches('0').len() as i64 - zeros as i64;
    match exponent.parse::<i64>() {
        Ok(exponent) => exponent >= places,
        // Too many digits for any mantissa to matter.
        Err(_) => !exponent.starts_with('-'),
    }
}

/// What a schema, or a part of one, says about the kinds it admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) kinds: Kinds,
    pub(super) strength: Strength,
}

/// How a claim is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// Not at all: every kind is admitted.
    Silent,
    /// By keywords that only make sense for some kinds, such as `properties`.
    Implied,
    /// By `type`, `enum`, `const` or a boolean schema.
    Stated,
}

impl Claim {
    pub(super) const SILENT: Claim = Claim { kinds: Kinds::ALL, strength: Strength::Silent };

    pub(super) fn stated(kinds: Kinds) -> Claim {
        Claim { kinds, strength: Strength::Stated }
    }

    pub(super) fn implied(kinds: Kinds) -> Claim {
        Claim { kinds, strength: Strength::Implied }
    }

    /// Both hold. What is only implied gives way to what is stated: `required`
    /// beside a `type` of string and object takes no string away.
    pub(super) fn and(self, other: Claim) -> Claim {
        match self.strength.cmp(&other.strength) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Greater => self,
            std::cmp::Ordering::Equal => match self.strength {
                Strength::Silent => self,
                Strength::Implied => Claim::implied(self.kinds | other.kinds),
                Strength::Stated => Claim::stated(self.kinds & other.kinds),
            },
        }
    }

    /// One of both holds: a silent branch silences the other.
    pub(super) fn or(self, other: Claim) -> Claim {
        Claim { kinds: self.kinds | other.kinds, strength: self.strength.min(other.strength) }
    }
}
