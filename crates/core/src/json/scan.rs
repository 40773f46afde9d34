//! A JSON scanner that can stop after any byte and go on with the next: it
//! builds nothing and keeps no text.

use super::plain_run;

/// The deepest nesting that is followed: one bit of a `u128` a level.
pub const MAX_DEPTH: usize = 128;

/// The kinds of JSON values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

/// Where a scanner stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The input is used up.
    More,
    /// After the opening quote of a key of the outermost object.
    Key,
    /// After the closing quote of such a key.
    KeyEnd,
    /// At the first byte of a member of the outermost object or array.
    Value,
    /// After the last byte of such a member.
    ValueEnd,
    /// After the last byte of the value.
    Done,
    /// At a byte that JSON does not allow there.
    Unexpected,
    /// At a bracket that nests deeper than allowed.
    TooDeep,
}

/// A scanner over one JSON value.
#[derive(Debug, Clone)]
pub struct Scanner {
    state: State,
    /// One bit a level, the innermost lowest: set for an object.
    objects: u128,
    depth: usize,
    max_depth: usize,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A value must follow.
    Value,
    /// The value whose first byte is next has been announced.
    Announced,
    /// A value or the end of the array.
    FirstItem,
    /// A key or the end of the object.
    FirstKey,
    /// A key.
    Key,
    /// Inside a string; whether it is a key.
    Text {
        key: bool,
    },
    /// After a backslash.
    Escape {
        key: bool,
    },
    /// So many hexadecimal digits are missing.
    Hex {
        key: bool,
        missing: u8,
    },
    /// A colon.
    Colon,
    /// After a member: a comma or the end of the container.
    Next,
    /// Inside a number.
    Number(Number),
    /// Inside `true`, `false` or `null`: what is missing of it.
    Word(&'static [u8]),
    Done,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Minus,
    Zero,
    Integer,
    Point,
    Fraction,
    E,
    Sign,
    Exponent,
}

impl Number {
    fn next(self, byte: u8) -> Option<Number> {
        use Number::{E, Exponent, Fraction, Integer, Minus, Point, Sign, Zero};
        Some(match (self, byte) {
            (Minus, b'0') => Zero,
            (Minus, b'1'..=b'9') | (Integer, b'0'..=b'9') => Integer,
            (Zero | Integer, b'.') => Point,
            (Point | Fraction, b'0'..=b'9') => Fraction,
            (Zero | Integer | Fraction, b'e' | b'E') => E,
            (E, b'+' | b'-') => Sign,
            (E | Sign | Exponent, b'0'..=b'9') => Exponent,
            _ => return None,
        })
    }

    fn complete(self) -> bool {
        matches!(self, Number::Zero | Number::Integer | Number::Fraction | Number::Exponent)
    }
}

#[inline]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r')
}

impl Scanner {
    /// A scanner for one value that nests at most `max_depth` deep (128 is the
    /// most).
    pub fn new(max_depth: usize) -> Self {
        Scanner {
            state: State::Value,
            objects: 0,
            depth: 0,
            max_depth: max_depth.min(MAX_DEPTH),
            kind: Kind::Null,
        }
    }

    /// How many containers are open.
    #[inline]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Whether the scanner stands inside a string.
    pub fn in_string(&self) -> bool {
        matches!(self.state, State::Text { .. } | State::Escape { .. } | State::Hex { .. })
    }

    /// Whether the scanner stands inside a string and outside of any escape.
    pub fn in_text(&self) -> bool {
        matches!(self.state, State::Text { .. })
    }

    /// The kind of the value, known from its first byte on.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether the input may end here, and the kind of the value if so.
    pub fn finish(&self) -> Option<Kind> {
        let complete = match self.state {
            State::Done => true,
            State::Number(number) => self.depth == 0 && number.complete(),
            _ => false,
        };
        complete.then_some(self.kind)
    }

    /// Scans `bytes` from `at` on, to the next thing worth a stop.
    #[inline]
    pub fn step(&mut self, bytes: &[u8], at: &mut usize) -> Step {
        while let Some(&byte) = bytes.get(*at) {
            match self.state {
                State::Text { key } => {
                    *at += plain_run(&bytes[*at..], b'"');
                    match bytes.get(*at) {
                        None => return Step::More,
                        Some(b'\\') => self.state = State::Escape { key },
                        Some(b'"') if key => {
                            *at += 1;
                            self.state = State::Colon;
                            if self.depth == 1 {
                                return Step::KeyEnd;
                            }
                            continue;
                        }
                        Some(b'"') => {
                            *at += 1;
                            if let Some(stop) = self.end_value() {
                                return stop;
                            }
                            continue;
                        }
                        Some(_) => return Step::Unexpected,
                    }
                }
                State::Escape { key } => {
                    self.state = match byte {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                            State::Text { key }
                        }
                        b'u' => State::Hex { key, missing: 4 },
                        _ => return Step::Unexpected,
                    };
                }
                State::Hex { key, missing } => {
                    if !byte.is_ascii_hexdigit() {
                        return Step::Unexpected;
                    }
                    self.state = match missing {
                        1 => State::Text { key },
                        _ => State::Hex { key, missing: missing - 1 },
                    };
                }
                State::Number(number) => match number.next(byte) {
                    Some(next) => self.state = State::Number(next),
                    None if number.complete() => {
                        if let Some(stop) = self.end_value() {
                            return stop;
                        }
                        continue;
                    }
                    None => return Step::Unexpected,
                },
                State::Word(rest) => match rest.split_first() {
                    Some((next, rest)) if *next == byte => {
                        self.state = State::Word(rest);
                        if rest.is_empty() {
                            *at += 1;
                            if let Some(stop) = self.end_value() {
                                return stop;
                            }
                            continue;
                        }
                    }
                    _ => return Step::Unexpected,
                },
                State::Done => return Step::Done,
                _ if is_space(byte) => {}
                State::Colon if byte == b':' => self.state = State::Value,
                State::FirstKey | State::Key if byte == b'"' => {
                    self.state = State::Text { key: true };
                    if self.depth == 1 {
                        *at += 1;
                        return Step::Key;
                    }
                }
                State::Next if byte == b',' => {
                    self.state = if self.objects & 1 == 1 { State::Key } else { State::Value };
                }
                State::FirstKey | State::FirstItem | State::Next if self.closes(byte) => {
                    *at += 1;
                    self.depth -= 1;
                    self.objects >>= 1;
                    if let Some(stop) = self.end_value() {
                        return stop;
                    }
                    continue;
                }
                State::Value | State::FirstItem if self.depth == 1 => {
                    self.state = State::Announced;
                    return Step::Value;
                }
                State::Value | State::FirstItem | State::Announced => {
                    if let Some(stop) = self.begin_value(byte) {
                        return stop;
                    }
                }
                State::Colon | State::FirstKey | State::Key | State::Next => {
                    return Step::Unexpected;
                }
            }
            *at += 1;
        }
        Step::More
    }

    fn closes(&self, byte: u8) -> bool {
        byte == if self.objects & 1 == 1 { b'}' } else { b']' }
    }

    /// Takes the first byte of a value; says why it cannot.
    fn begin_value(&mut self, byte: u8) -> Option<Step> {
        let (kind, state) = match byte {
            b'"' => (Kind::String, State::Text { key: false }),
            b'{' => (Kind::Object, State::FirstKey),
            b'[' => (Kind::Array, State::FirstItem),
            b'-' => (Kind::Number, State::Number(Number::Minus)),
            b'0' => (Kind::Number, State::Number(Number::Zero)),
            b'1'..=b'9' => (Kind::Number, State::Number(Number::Integer)),
            b't' => (Kind::Boolean, State::Word(b"rue")),
            b'f' => (Kind::Boolean, State::Word(b"alse")),
            b'n' => (Kind::Null, State::Word(b"ull")),
            _ => return Some(Step::Unexpected),
        };
        if self.depth == 0 {
            self.kind = kind;
        }
        if matches!(kind, Kind::Object | Kind::Array) {
            if self.depth == self.max_depth {
                return Some(Step::TooDeep);
            }
            self.depth += 1;
            self.objects = self.objects << 1 | u128::from(kind == Kind::Object);
        }
        self.state = state;
        None
    }

    /// A value is complete.
    fn end_value(&mut self) -> Option<Step> {
        match self.depth {
            0 => {
                self.state = State::Done;
                Some(Step::Done)
            }
            depth => {
                self.state = State::Next;
                (depth == 1).then_some(Step::ValueEnd)
            }
        }
    }
}
