//! Arguments in braces with bare keys, where the marks around strings are
//! missing, mixed with quotes, or stand on one side only.

use callsign_core::json::MAX_DEPTH;
use callsign_core::{Nulls, Repair, Tool, json, type_text};

use crate::balance::bracketed;
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;
use crate::shapes::{compose, quoted};

/// Reads the braces at the start of `text`: JSON, how many bytes they take, and
/// what was changed. Strings may stand between any of `quotes`.
pub(crate) fn read(
    text: &str,
    tool: &Tool,
    quotes: &[Box<str>],
) -> Option<(String, usize, Repairs)> {
    let mut braces = Braces {
        text,
        at: text.strip_prefix('{').map(|_| 1)?,
        quotes,
        repairs: Repairs::default(),
    };
    let mut entries: Vec<(String, String)> = Vec::new();
    loop {
        braces.blanks();
        if braces.eat('}') {
            break;
        }
        let key = braces.key()?;
        braces.blanks();
        if braces.eat('=') {
            braces.repairs.add(Repair::Tags);
        } else if !braces.eat(':') {
            return None;
        }
        braces.blanks();
        let value = braces.value(tool, &key)?;
        entries.push((key, value));
        braces.blanks();
        if !braces.eat(',') && !braces.rest().starts_with('}') {
            return None;
        }
    }
    let json = compose(entries.iter().map(|(key, value)| (key.as_str(), value.as_str())));
    Some((json, braces.at, braces.repairs))
}

struct Braces<'t> {
    text: &'t str,
    at: usize,
    quotes: &'t [Box<str>],
    repairs: Repairs,
}

impl<'t> Braces<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, char: char) -> bool {
        let there = self.rest().starts_with(char);
        self.at += usize::from(there);
        there
    }

    fn quote(&self) -> Option<&'t str> {
        self.quotes.iter().map(|quote| &**quote).find(|quote| self.rest().starts_with(quote))
    }

    fn key(&mut self) -> Option<String> {
        let quote = self.quote().or(match self.rest().chars().next()? {
            '"' => Some("\""),
            '\'' => Some("'"),
            _ => None,
        });
        let rest = &self.rest()[quote.map_or(0, str::len)..];
        let length = match quote {
            Some(quote) => near(rest).find(quote)?,
            None => {
                rest.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-')))?
            }
        };
        if length == 0 || length > 256 {
            return None;
        }
        if matches!(quote, Some("\"" | "'")) {
            self.repairs.add(Repair::Quotes);
        }
        self.at += length + 2 * quote.map_or(0, str::len);
        Some(rest[..length].to_owned())
    }

    fn value(&mut self, tool: &Tool, key: &str) -> Option<String> {
        if let Some(quote) = self.quote() {
            let inside = &self.rest()[quote.len()..];
            let length = inside.find(quote)?;
            self.at += length + 2 * quote.len();
            return Some(quoted(&inside[..length]));
        }
        let rest = self.rest();
        match rest.chars().next()? {
            '{' | '[' => self.nested(),
            '"' => {
                let read = relaxed::read(rest, Ending::Open, MAX_DEPTH).ok()?;
                self.repairs.add(Repair::Quotes);
                self.at += read.len;
                self.close();
                Some(read.json)
            }
            '\'' => {
                self.repairs.add(Repair::Quotes);
                let inside = &rest[1..];
                let mark = self.closing(inside).map(|(place, _)| place);
                let end = match (inside.find('\''), mark) {
                    (Some(own), Some(mark)) => own.min(mark),
                    (own, mark) => own.or(mark)?,
                };
                self.at += 1 + end;
                self.eat('\'');
                self.close();
                Some(quoted(&inside[..end]))
            }
            _ => self.bare(tool, key),
        }
    }

    /// Takes a closing mark that nothing opened.
    fn close(&mut self) {
        if let Some(quote) = self.quote() {
            self.at += quote.len();
        }
    }

    /// The next mark that structure follows.
    fn closing(&self, text: &str) -> Option<(usize, usize)> {
        let places =
            self.quotes.iter().filter_map(|quote| Some((near(text).find(&**quote)?, quote.len())));
        let (place, length) = places.min()?;
        text[place + length..].trim_start().starts_with([',', '}', ']']).then_some((place, length))
    }

    /// A list or an object, whose strings may stand between marks.
    fn nested(&mut self) -> Option<String> {
        let rest = self.rest();
        let length = bracketed(rest)?;
        let mut inside = rest[..length].to_owned();
        for quote in self.quotes.iter().filter(|quote| rest[..length].contains(&***quote)) {
            // Between marks nothing is escaped.
            let mut parts = inside.split(&**quote);
            let mut json = parts.next().unwrap_or_default().to_owned();
            while let (Some(string), Some(behind)) = (parts.next(), parts.next()) {
                json::quote_into(string, &mut json);
                json.push_str(behind);
            }
            inside = json;
        }
        let read = relaxed::read(&inside, Ending::Open, MAX_DEPTH).ok()?;
        self.repairs.extend(read.repairs);
        self.at += length;
        Some(read.json)
    }

    /// A value without marks: a number or a word, or a string that lacks one.
    fn bare(&mut self, tool: &Tool, key: &str) -> Option<String> {
        let rest = self.rest();
        let ty = tool.parameters.root().property(key);
        let plain = near(rest).find([',', '}'])?;
        if ty.only_string()
            && let Some((place, length)) = self.closing(rest)
            && !rest[..place].contains(['{', '}', '\n'])
        {
            self.repairs.add(Repair::Quotes);
            self.at += place + length;
            return Some(quoted(&rest[..place]));
        }
        if rest[..plain].trim().is_empty() {
            return None;
        }
        self.at += plain;
        let mut out = String::new();
        type_text(rest[..plain].trim(), ty, Nulls::Python, &mut out);
        Some(out)
    }
}

/// As much of a text as a key or a value without marks may take, so that what is
/// none is soon told.
fn near(text: &str) -> &str {
    const NEAR: usize = 1024;
    let mut end = text.len().min(NEAR);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
