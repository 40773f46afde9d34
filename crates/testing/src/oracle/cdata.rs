//! Values as XML has them: sections of character data, and entities.

use super::Oracle;
use super::json::Stop;

/// Longer names of entities do not exist.
const LONGEST_ENTITY: usize = 10;

impl Oracle<'_> {
    /// Where the character data begins whose section stands here, white space
    /// in front.
    pub(super) fn section(&self, at: usize) -> Option<usize> {
        self.literal("<![CDATA[", self.space(at)).ok()
    }

    /// Where the character data ends that begins here: its section ends together
    /// with the value, at the closing tag, whose place is given too.
    pub(super) fn section_end(
        &self,
        start: usize,
        close: &str,
        follow: &[String],
    ) -> Result<(usize, usize), Stop> {
        let mut from = start;
        loop {
            let end = from + self.text[from..].find("]]>").ok_or(Stop::Cut)?;
            let tag = self.space(end + 3);
            from = match self.literal(close, tag) {
                Ok(closed) if self.structure(closed, follow)? => return Ok((end, tag)),
                Ok(closed) => closed,
                Err(Stop::Cut) => return Err(Stop::Cut),
                Err(_) => end + 1,
            };
        }
    }
}

/// Text with its entities decoded. What is none stays as it is.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let (char, len) = match entity(rest) {
            Some((char, name)) => (char, name.len() + 2),
            None => (next, next.len_utf8()),
        };
        out.push(char);
        rest = &rest[len..];
    }
    out
}

/// The character and the name of the entity with which `text` begins.
fn entity(text: &str) -> Option<(char, &str)> {
    let (name, _) = text.strip_prefix('&')?.split_once(';')?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'#';
    if name.len() > LONGEST_ENTITY || !name.bytes().all(fits) {
        return None;
    }
    let char = match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => digits.parse(),
            };
            char::from_u32(code.ok()?)?
        }
    };
    Some((char, name))
}
