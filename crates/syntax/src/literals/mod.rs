//! Arguments written as literals: the keywords of a Python call, and bare keys
//! in braces. They become JSON while they are read.

mod strings;

use callsign_core::json::Kind;
use callsign_core::literal::python_to_json;
use callsign_core::{Kinds, Out, Tool, TypeId, json};

use crate::machine::{Machine, Scan, Scanning};
use crate::nested::{Step, type_of};
use crate::program::{LiteralSpec, StateId};
use crate::walk::is_space;

/// Longer words are no literals.
const LONGEST_WORD: usize = 512;

/// The arguments being scanned. Positions are relative to the pending bytes.
#[derive(Debug)]
pub(crate) struct LiteralScan {
    /// Which of the program's literals it scans.
    pub(crate) spec: u16,
    /// The containers that are open, the arguments first.
    open: Vec<Level>,
    state: At,
    /// The next byte to look at.
    at: usize,
    /// Where the key or the word began that is being read.
    token: usize,
    /// The type of the next value.
    kind: TypeId,
    /// The text of a string that does not stream.
    text: String,
}

#[derive(Debug, Clone, Copy)]
struct Level {
    shape: Shape,
    /// The type of the container, or of its members where it has items.
    kind: TypeId,
    empty: bool,
    /// Whether a comma stands in it.
    comma: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Arguments,
    Object,
    /// A list, closed by this.
    List(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// A key, or the end of the container.
    Key,
    BareKey,
    /// What separates a key from its value.
    Separator,
    /// A value; in a list also its end.
    Value,
    /// The quotes that open a string: one or three.
    Quotes(Place),
    /// Inside a string that this closes.
    Text(Close, Place),
    Word,
    /// A comma or the end of the container.
    Next,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Close {
    Quote(u8),
    ThreeQuotes(u8),
    Delimiter,
}

/// What a string is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Key,
    /// A value that is text whatever it says.
    Streams,
    /// A value that its type makes something of.
    Typed,
}

impl Machine {
    /// Scans arguments that are literals. The brace or parenthesis in front has
    /// been read.
    pub(crate) fn scan_literals(&mut self, spec: u16, next: StateId, out: &mut Out<'_>) -> Scan {
        let tool = self.tool.map(|tool| &self.tools[tool]);
        if !matches!(self.scanning, Scanning::Literals(_)) {
            out.arguments().push_str("{");
            self.scanning = Scanning::Literals(LiteralScan::new(spec, self.walk.at, tool));
        }
        let Scanning::Literals(scan) = &mut self.scanning else { return Scan::More };
        let spec = &self.program.literals[usize::from(spec)];
        let from = scan.at;
        let step = Step::last(|| scan.step(spec, tool, out));
        let at = scan.at;
        self.stopped(step, from, at, next)
    }
}

impl LiteralScan {
    fn new(spec: u16, at: usize, tool: Option<&Tool>) -> Self {
        let kind = tool.map_or(TypeId::UNSPECIFIED, |tool| tool.parameters.root().id());
        let arguments = Level { shape: Shape::Arguments, kind, empty: true, comma: false };
        LiteralScan {
            spec,
            open: vec![arguments],
            state: At::Key,
            at,
            token: at,
            kind,
            text: String::new(),
        }
    }

    fn level(&self) -> Level {
        let kind = TypeId::UNSPECIFIED;
        let none = Level { shape: Shape::Arguments, kind, empty: true, comma: false };
        self.open.last().copied().unwrap_or(none)
    }

    fn step(&mut self, spec: &LiteralSpec, tool: Option<&Tool>, out: &mut Out<'_>) -> Step {
        let pending = out.pending();
        let bytes = pending.as_bytes();
        if !matches!(self.state, At::Text(..) | At::Quotes(_) | At::Word | At::BareKey) {
            while bytes.get(self.at).is_some_and(|byte| is_space(*byte)) {
                self.at += 1;
            }
        }
        let Some(byte) = bytes.get(self.at).copied() else { return Step::More };
        match self.state {
            At::Key => self.key(byte, spec, bytes, out),
            At::BareKey => self.bare_key(spec, pending, tool, out),
            At::Separator => {
                if byte != self.separator(spec) {
                    return Step::Unexpected("what separates a key from its value");
                }
                self.at += 1;
                self.state = At::Value;
                Step::Go
            }
            At::Value => self.value(byte, spec, bytes, tool, out),
            At::Quotes(place) => self.quotes(bytes, place),
            At::Text(close, place) => self.string(close, place, spec, pending, tool, out),
            At::Word => self.word(spec, pending, tool, out),
            At::Next if byte == b',' => {
                self.at += 1;
                if let Some(level) = self.open.last_mut() {
                    level.comma = true;
                }
                let list = matches!(self.level().shape, Shape::List(_));
                self.state = if list { At::Value } else { At::Key };
                Step::Go
            }
            At::Next => self.close(byte, spec, out),
        }
    }

    /// What stands between a key and its value here.
    fn separator(&self, spec: &LiteralSpec) -> u8 {
        match (spec, self.level().shape) {
            (LiteralSpec::Python, Shape::Arguments) => b'=',
            _ => b':',
        }
    }

    fn key(&mut self, byte: u8, spec: &LiteralSpec, bytes: &[u8], out: &mut Out<'_>) -> Step {
        let python_dictionary = *spec == LiteralSpec::Python && self.level().shape == Shape::Object;
        match self.opens_text(byte, spec, bytes) {
            Some(true) if python_dictionary || *spec != LiteralSpec::Python => {
                self.open_text(spec, Place::Key);
                Step::Go
            }
            None => Step::More,
            _ if self.closes(byte, spec) => self.close(byte, spec, out),
            _ if python_dictionary || !is_key_byte(byte) => Step::Unexpected("a key"),
            _ => {
                self.token = self.at;
                self.state = At::BareKey;
                Step::Go
            }
        }
    }

    fn bare_key(
        &mut self,
        spec: &LiteralSpec,
        pending: &str,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        let bytes = pending.as_bytes();
        let separator = self.separator(spec);
        while let Some(byte) = bytes.get(self.at).copied() {
            // A bare key in braces may hold blanks.
            let blank = byte == b' ' && *spec != LiteralSpec::Python;
            if byte == separator || !is_key_byte(byte) && !blank {
                let key = pending[self.token..self.at].trim_end_matches(' ').to_owned();
                self.begin_member(&key, tool, out);
                return Step::Go;
            }
            self.at += 1;
            if self.at - self.token > LONGEST_WORD {
                self.at = self.token;
                return Step::Unexpected("a key");
            }
        }
        Step::More
    }

    fn begin_member(&mut self, key: &str, tool: Option<&Tool>, out: &mut Out<'_>) {
        self.kind = type_of(tool, self.level().kind).property(key).id();
        let first = self.take_empty();
        let arguments = out.arguments();
        arguments.push_str(if first { "\"" } else { ",\"" });
        arguments.push_escaped(key);
        arguments.push_str("\":");
        self.state = At::Separator;
    }

    /// Whether the innermost container was empty; it no longer is.
    fn take_empty(&mut self) -> bool {
        self.open.last_mut().is_some_and(|level| std::mem::replace(&mut level.empty, false))
    }

    fn closes(&self, byte: u8, spec: &LiteralSpec) -> bool {
        match (self.level().shape, spec) {
            (Shape::Arguments, LiteralSpec::Python) => byte == b')',
            (Shape::Arguments | Shape::Object, _) => byte == b'}',
            (Shape::List(close), _) => byte == close,
        }
    }

    fn close(&mut self, byte: u8, spec: &LiteralSpec, out: &mut Out<'_>) -> Step {
        if !self.closes(byte, spec) {
            return Step::Unexpected("a comma or the end of the arguments");
        }
        let Level { shape, empty, comma, .. } = self.level();
        if shape == Shape::List(b')') && !empty && !comma {
            // Without a comma, parentheses only group.
            return Step::Unexpected("a comma");
        }
        let list = matches!(shape, Shape::List(_));
        out.arguments().push_str(if list { "]" } else { "}" });
        self.open.pop();
        if self.open.is_empty() {
            // The parenthesis is the call's, the brace is the arguments' own.
            self.at += usize::from(*spec != LiteralSpec::Python);
            return Step::Done;
        }
        self.at += 1;
        self.state = At::Next;
        Step::Go
    }

    fn value(
        &mut self,
        byte: u8,
        spec: &LiteralSpec,
        bytes: &[u8],
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        if let Shape::List(close) = self.level().shape {
            if byte == close {
                return self.close(byte, spec, out);
            }
            if !self.take_empty() {
                out.arguments().push_str(",");
            }
            self.kind = self.level().kind;
        }
        let kind = type_of(tool, self.kind);
        match self.opens_text(byte, spec, bytes) {
            None => {
                // The comma must not come twice.
                if let Some(level) = self.open.last_mut()
                    && matches!(level.shape, Shape::List(_))
                {
                    let arguments = out.arguments();
                    let comma = arguments.as_str().ends_with(',');
                    arguments.truncate(arguments.len() - usize::from(comma));
                    level.empty = !comma;
                }
                Step::More
            }
            Some(true) => {
                let text = kind.is_unspecified() || kind.kinds().contains(Kinds::STRING);
                if text {
                    out.arguments().push_str("\"");
                }
                self.open_text(spec, if text { Place::Streams } else { Place::Typed });
                Step::Go
            }
            Some(false) => {
                let shape = match byte {
                    b'{' => Shape::Object,
                    b'[' => Shape::List(b']'),
                    b'(' if *spec == LiteralSpec::Python => Shape::List(b')'),
                    _ => {
                        self.token = self.at;
                        self.state = At::Word;
                        return Step::Go;
                    }
                };
                if self.open.len() >= out.limits().depth {
                    return Step::TooDeep;
                }
                let object = shape == Shape::Object;
                out.arguments().push_str(if object { "{" } else { "[" });
                let kind = if object { kind } else { kind.items() };
                self.open.push(Level { shape, kind: kind.id(), empty: true, comma: false });
                self.state = if object { At::Key } else { At::Value };
                self.at += 1;
                Step::Go
            }
        }
    }

    /// A number, or a word that stands for a value.
    fn word(
        &mut self,
        spec: &LiteralSpec,
        pending: &str,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        let rest = &pending.as_bytes()[self.at..];
        let ends =
            |byte: &u8| is_space(*byte) || matches!(byte, b',' | b')' | b']' | b'}' | b':' | b'<');
        let end = rest.iter().position(ends);
        self.at += end.unwrap_or(rest.len());
        if self.at - self.token > LONGEST_WORD {
            self.at = self.token;
            return Step::Unexpected("a value");
        }
        if end.is_none() {
            return Step::More;
        }
        let word = &pending[self.token..self.at];
        let kind = type_of(tool, self.kind);
        let mut value = String::new();
        let known = match spec {
            // Strings have delimiters of their own here.
            LiteralSpec::Braces { .. } if word.starts_with(['"', '\'']) => false,
            LiteralSpec::Braces { .. } if json::kind(word).is_some() => {
                value.push_str(word);
                true
            }
            // Neither has a string with a letter in front, which no blank could
            // stand in.
            _ => python_to_json(word, &mut value).is_some_and(|kind| kind != Kind::String),
        };
        if !known {
            self.at = self.token;
            return Step::Unexpected("a value");
        }
        let arguments = out.arguments();
        if kind.only_string() {
            arguments.append(|arguments| json::quote_into(word, arguments));
        } else {
            arguments.push_str(&value);
        }
        self.state = At::Next;
        Step::Go
    }
}

/// Bytes of a bare key.
pub(crate) fn is_key_byte(byte: u8) -> bool {
    !matches!(
        byte,
        0..=b' '
            | 0x7f
            | b'='
            | b':'
            | b','
            | b'('
            | b')'
            | b'{'
            | b'}'
            | b'['
            | b']'
            | b'"'
            | b'\''
            | b'<'
            | b'>'
    )
}
