//! Where brackets balance, strings left out: how far a value goes that nobody
//! has read yet.

/// The count of open brackets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Balance {
    depth: usize,
    /// The quote that closes the string.
    string: Option<u8>,
    escaped: bool,
    /// The last byte outside of strings that is not white space.
    before: u8,
}

impl Balance {
    /// Takes a byte. Says whether it closes the last open bracket.
    pub(crate) fn step(&mut self, byte: u8) -> bool {
        if let Some(quote) = self.string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                _ if byte == quote => {
                    self.string = None;
                    self.before = quote;
                }
                _ => {}
            }
            return false;
        }
        match byte {
            b'{' | b'[' | b'(' => self.depth += 1,
            b'}' | b']' | b')' => {
                self.depth = self.depth.saturating_sub(1);
                self.before = byte;
                return self.depth == 0;
            }
            b'"' => self.string = Some(byte),
            // Elsewhere it is an apostrophe.
            b'\'' if matches!(self.before, 0 | b'{' | b'[' | b'(' | b',' | b':' | b'=') => {
                self.string = Some(byte);
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.before = byte;
        }
        false
    }

    /// Takes a mark that stands around strings in place of quotes. One that closes
    /// what none has opened means nothing.
    pub(crate) fn mark(&mut self) {
        /// No byte of text.
        const MARK: u8 = 0xff;
        match self.string {
            Some(MARK) => {
                self.string = None;
                self.before = b'"';
            }
            None if matches!(self.before, b'{' | b'[' | b'(' | b',' | b':' | b'=') => {
                self.string = Some(MARK);
            }
            Some(_) | None => {}
        }
    }

    /// Whether a string is open.
    pub(crate) fn in_string(&self) -> bool {
        self.string.is_some()
    }
}

/// The length of the bracketed text at the start of `text`; None if it does not
/// end.
pub(crate) fn bracketed(text: &str) -> Option<usize> {
    let mut balance = Balance::default();
    text.bytes().position(|byte| balance.step(byte)).map(|last| last + 1)
}
