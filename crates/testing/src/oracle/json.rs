//! JSON as a whole text: where a value ends, or where it goes wrong.

/// Why reading stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// What stands here does not fit.
    Fails(usize),
    /// Nested too deep, from here on.
    TooDeep(usize),
    /// The output ends before it can be told.
    Cut,
}

impl Stop {
    /// How far reading got.
    pub(super) fn reach(self) -> usize {
        match self {
            Stop::Fails(at) | Stop::TooDeep(at) => at,
            Stop::Cut => usize::MAX - 1,
        }
    }

    /// The one of two that is further on.
    pub(super) fn further(self, other: Stop) -> Stop {
        if other.reach() > self.reach() { other } else { self }
    }
}

/// JSON inside of `text`.
#[derive(Clone, Copy)]
pub(super) struct Json<'t> {
    text: &'t [u8],
    deepest: usize,
}

impl<'t> Json<'t> {
    pub(super) fn new(text: &'t str, deepest: usize) -> Self {
        Json { text: text.as_bytes(), deepest: deepest.min(128) }
    }

    pub(super) fn byte(self, at: usize) -> Result<u8, Stop> {
        self.text.get(at).copied().ok_or(Stop::Cut)
    }

    /// Where the white space ends that begins here.
    pub(super) fn space(self, at: usize) -> usize {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        at + self.text[at..].iter().take_while(|byte| blank(byte)).count()
    }

    pub(super) fn expect(self, byte: u8, at: usize) -> Result<usize, Stop> {
        if self.byte(at)? == byte { Ok(at + 1) } else { Err(Stop::Fails(at)) }
    }

    /// Where the value ends that begins here, inside of `depth` containers.
    pub(super) fn value(self, at: usize, depth: usize) -> Result<usize, Stop> {
        match self.byte(at)? {
            b'"' => self.string(at),
            b'{' => self.container(at, depth, b'}'),
            b'[' => self.container(at, depth, b']'),
            b't' => self.word(at, b"true"),
            b'f' => self.word(at, b"false"),
            b'n' => self.word(at, b"null"),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => Err(Stop::Fails(at)),
        }
    }

    fn container(self, at: usize, depth: usize, close: u8) -> Result<usize, Stop> {
        if depth >= self.deepest {
            return Err(Stop::TooDeep(at));
        }
        let mut at = self.space(at + 1);
        if self.byte(at)? == close {
            return Ok(at + 1);
        }
        loop {
            if close == b'}' {
                at = self.key(at)?;
            }
            at = self.space(self.value(at, depth + 1)?);
            if self.byte(at)? == close {
                return Ok(at + 1);
            }
            at = self.space(self.expect(b',', at)?);
        }
    }

    /// Reads a key with its colon and the white space behind that.
    pub(super) fn key(self, at: usize) -> Result<usize, Stop> {
        if self.byte(at)? != b'"' {
            return Err(Stop::Fails(at));
        }
        let colon = self.space(self.string(at)?);
        Ok(self.space(self.expect(b':', colon)?))
    }

    /// Where the string ends whose quote stands here.
    pub(super) fn string(self, at: usize) -> Result<usize, Stop> {
        let mut at = at + 1;
        loop {
            match self.byte(at)? {
                b'"' => return Ok(at + 1),
                b'\\' => match self.byte(at + 1)? {
                    b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                    b'u' => {
                        for digit in at + 2..at + 6 {
                            if !self.byte(digit)?.is_ascii_hexdigit() {
                                return Err(Stop::Fails(digit));
                            }
                        }
                        at += 6;
                    }
                    _ => return Err(Stop::Fails(at + 1)),
                },
                0..=0x1f => return Err(Stop::Fails(at)),
                _ => at += 1,
            }
        }
    }

    fn word(self, at: usize, word: &[u8]) -> Result<usize, Stop> {
        let mut at = at;
        for byte in word {
            at = self.expect(*byte, at)?;
        }
        Ok(at)
    }

    fn number(self, at: usize) -> Result<usize, Stop> {
        let mut at = at;
        if self.byte(at)? == b'-' {
            at += 1;
        }
        at = match self.byte(at)? {
            b'0' => at + 1,
            _ => self.digits(at)?,
        };
        if self.byte(at)? == b'.' {
            at = self.digits(at + 1)?;
        }
        if matches!(self.byte(at)?, b'e' | b'E') {
            at += 1;
            if matches!(self.byte(at)?, b'+' | b'-') {
                at += 1;
            }
            at = self.digits(at)?;
        }
        Ok(at)
    }

    /// One digit at least.
    fn digits(self, at: usize) -> Result<usize, Stop> {
        if !self.byte(at)?.is_ascii_digit() {
            return Err(Stop::Fails(at));
        }
        let mut at = at;
        while self.byte(at)?.is_ascii_digit() {
            at += 1;
        }
        Ok(at)
    }
}
