//! Arguments as elements named after them, nested as the values are. Only the
//! schema tells the type of what stands in an element.

use callsign_core::json::quote_into;
use callsign_core::{Flow, Kinds, Nulls, Out, Tool, TypeId, type_text};

use crate::machine::{Machine, Scan, Scanning};
use crate::nested::{Step, second_of, type_of};
use crate::program::{ElementsSpec, StateId};
use crate::walk::is_space;

/// Longer tags are none.
const LONGEST_TAG: usize = 512;

/// The elements being scanned. Positions are relative to the pending bytes.
#[derive(Debug)]
pub(crate) struct ElementScan {
    /// Which of the program's elements it scans.
    pub(crate) spec: u16,
    /// The elements that are open, the arguments first.
    open: Vec<Element>,
    /// The next byte to look at.
    at: usize,
    /// Where the text of the innermost element began.
    start: usize,
    /// How far that text has been appended to the arguments.
    flushed: usize,
}

#[derive(Debug)]
struct Element {
    name: String,
    kind: TypeId,
    content: Content,
    empty: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// Nothing but white space so far.
    Unknown,
    /// Text that streams: it is text whatever it says.
    Text,
    /// Text that its type makes something of.
    Typed,
    Object,
    List,
}

impl Machine {
    /// Scans arguments that are elements.
    pub(crate) fn scan_elements(&mut self, spec: u16, next: StateId, out: &mut Out<'_>) -> Scan {
        let tool = self.tool.map(|tool| &self.tools[tool]);
        if !matches!(self.scanning, Scanning::Elements(_)) {
            out.arguments().push_str("{");
            self.scanning = Scanning::Elements(ElementScan::new(spec, self.walk.at, tool));
        }
        let Scanning::Elements(scan) = &mut self.scanning else { return Scan::More };
        let spec = &self.program.elements[usize::from(spec)];
        let from = scan.at;
        let step = Step::last(|| scan.step(spec, tool, out));
        let at = scan.at;
        self.stopped(step, from, at, next)
    }
}

impl ElementScan {
    /// The text that may flow past the scanner, if it is in such and has read all
    /// up to `end`.
    pub(crate) fn flow(&self, spec: &ElementsSpec, end: usize) -> Option<Flow> {
        let in_text = self.open.last().is_some_and(|element| element.content == Content::Text);
        let flow = Flow::raw(spec.prefix[0], second_of(&spec.prefix), false);
        (in_text && self.flushed == end).then_some(flow)
    }

    /// So much has flowed past.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
        self.flushed += bytes;
    }

    fn new(spec: u16, at: usize, tool: Option<&Tool>) -> Self {
        let kind = tool.map_or(TypeId::UNSPECIFIED, |tool| tool.parameters.root().id());
        let arguments =
            Element { name: String::new(), kind, content: Content::Object, empty: true };
        ElementScan { spec, open: vec![arguments], at, start: at, flushed: at }
    }

    fn step(&mut self, spec: &ElementsSpec, tool: Option<&Tool>, out: &mut Out<'_>) -> Step {
        let pending = out.pending();
        let bytes = pending.as_bytes();
        let Some(element) = self.open.last_mut() else { return Step::Done };
        let text = matches!(element.content, Content::Text | Content::Typed);
        if !text {
            while bytes.get(self.at).is_some_and(|byte| is_space(*byte)) {
                self.at += 1;
            }
        }
        // Text up to the next prefix.
        let rest = &bytes[self.at..];
        let run = memchr::memchr(spec.prefix[0], rest).unwrap_or(rest.len());
        if run > 0 && !text {
            if element.content != Content::Unknown {
                return Step::Unexpected("a tag");
            }
            self.begin_text(tool, out);
            return Step::Go;
        }
        self.at += run;
        self.flush(self.at, pending, out);
        let rest = &bytes[self.at..];
        if rest.is_empty() {
            return Step::More;
        }
        let tag = spec.prefix.len();
        let is_prefix = rest[..tag.min(rest.len())] == spec.prefix[..tag.min(rest.len())];
        match (rest.get(tag), rest.get(tag + 1)) {
            _ if !is_prefix => self.data(1, pending, tool, out),
            (None, _) | (Some(b'<'), None) => Step::More,
            (Some(b'<'), Some(b'/')) => self.close(tag + 2, pending, spec, tool, out),
            // A tag that opens inside of text is text.
            (Some(b'<'), Some(_)) if !text => self.open(tag + 1, pending, spec, tool, out),
            _ => self.data(tag, pending, tool, out),
        }
    }

    /// The innermost element holds text. White space in front is the text's.
    fn begin_text(&mut self, tool: Option<&Tool>, out: &mut Out<'_>) {
        let Some(element) = self.open.last_mut() else { return };
        element.content = Content::Typed;
        if type_of(tool, element.kind).only_string() {
            element.content = Content::Text;
            out.arguments().push_str("\"");
        }
        self.flushed = self.start;
    }

    /// The next `len` bytes are text.
    fn data(&mut self, len: usize, pending: &str, tool: Option<&Tool>, out: &mut Out<'_>) -> Step {
        let Some(element) = self.open.last_mut() else { return Step::Done };
        match element.content {
            Content::Object | Content::List => return Step::Unexpected("a tag"),
            Content::Unknown => self.begin_text(tool, out),
            Content::Text | Content::Typed => {}
        }
        self.at += len;
        while !pending.is_char_boundary(self.at) {
            self.at += 1;
        }
        self.flush(self.at, pending, out);
        Step::Go
    }

    /// Appends the text before `upto` that streams.
    fn flush(&mut self, upto: usize, pending: &str, out: &mut Out<'_>) {
        let streams = self.open.last().is_some_and(|element| element.content == Content::Text);
        if streams && upto > self.flushed {
            out.arguments().push_escaped(&pending[self.flushed..upto]);
            self.flushed = upto;
        }
    }

    /// An opening tag whose name begins `name` bytes on.
    fn open(
        &mut self,
        name: usize,
        pending: &str,
        spec: &ElementsSpec,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        let start = self.at + name;
        let end = match tag_end(&pending[start..]) {
            TagEnd::At(end) => start + end,
            TagEnd::Unknown => return Step::More,
            TagEnd::Nowhere => return self.data(name, pending, tool, out),
        };
        let tag = &pending[start..end];
        let depth = self.open.len();
        let Some(element) = self.open.last_mut() else { return Step::Done };
        let kind = type_of(tool, element.kind);
        if element.content == Content::Unknown {
            let admits = |kinds| kind.kinds().contains(kinds);
            let list = *tag == *spec.item
                && (kind.is_unspecified()
                    || !admits(Kinds::OBJECT)
                    || kind.property(tag).is_unspecified() && admits(Kinds::ARRAY));
            element.content = if list { Content::List } else { Content::Object };
            out.arguments().push_str(if list { "[" } else { "{" });
        }
        let first = std::mem::replace(&mut element.empty, false);
        let kind = match element.content {
            // A tag inside of text is text.
            Content::Text | Content::Typed => {
                element.empty = first;
                return self.data(name, pending, tool, out);
            }
            Content::List if *tag != *spec.item => return Step::Unexpected("an item"),
            Content::List => {
                out.arguments().push_str(if first { "" } else { "," });
                kind.items()
            }
            Content::Unknown | Content::Object => {
                let arguments = out.arguments();
                arguments.push_str(if first { "\"" } else { ",\"" });
                arguments.push_escaped(tag);
                arguments.push_str("\":");
                kind.property(tag)
            }
        };
        if depth > out.limits().depth {
            return Step::TooDeep;
        }
        let content = Content::Unknown;
        self.open.push(Element { name: tag.to_owned(), kind: kind.id(), content, empty: true });
        self.at = end + 1;
        self.start = self.at;
        self.flushed = self.at;
        if kind.only_string() {
            self.begin_text(tool, out);
        }
        Step::Go
    }

    /// A closing tag whose name begins `name` bytes on.
    fn close(
        &mut self,
        name: usize,
        pending: &str,
        spec: &ElementsSpec,
        tool: Option<&Tool>,
        out: &mut Out<'_>,
    ) -> Step {
        if self.open.len() == 1 {
            // It closes the call.
            out.arguments().push_str("}");
            return Step::Done;
        }
        let start = self.at + name;
        let Some(element) = self.open.last() else { return Step::Done };
        // It waits only while it may be the element's own.
        let mut own = element.name.bytes().chain([b'>']);
        let there = pending.as_bytes()[start..].iter();
        if !there.zip(&mut own).all(|(byte, wanted)| *byte == wanted) {
            return self.data(spec.prefix.len(), pending, tool, out);
        }
        let end = start + element.name.len();
        if pending.len() <= end {
            return Step::More;
        }
        let kind = type_of(tool, element.kind);
        let text = &pending[self.start..self.at];
        match element.content {
            Content::Text => out.arguments().push_str("\""),
            Content::Object => out.arguments().push_str("}"),
            Content::List => out.arguments().push_str("]"),
            Content::Typed => {
                out.arguments().append(|json| type_text(text, kind, Nulls::Json, json));
            }
            Content::Unknown => {
                let admits = |kinds| kind.kinds().contains(kinds);
                if kind.is_unspecified() || admits(Kinds::STRING) {
                    out.arguments().append(|json| quote_into(text, json));
                } else {
                    let empty =
                        [(Kinds::OBJECT, "{}"), (Kinds::ARRAY, "[]"), (Kinds::NULL, "null")];
                    match empty.iter().find(|(kinds, _)| admits(*kinds)) {
                        Some((_, json)) => out.arguments().push_str(json),
                        None => out.arguments().append(|json| quote_into(text, json)),
                    }
                }
            }
        }
        self.open.pop();
        self.at = end + 1;
        self.start = self.at;
        self.flushed = self.at;
        Step::Go
    }
}

enum TagEnd {
    At(usize),
    Unknown,
    Nowhere,
}

/// Where the name of a tag ends that begins `text`.
fn tag_end(text: &str) -> TagEnd {
    let end = text.bytes().position(|byte| byte == b'>' || byte == b'<' || byte < 0x20);
    match end {
        Some(end) if end > 0 && end <= LONGEST_TAG && text.as_bytes()[end] == b'>' => {
            TagEnd::At(end)
        }
        None if text.len() <= LONGEST_TAG => TagEnd::Unknown,
        _ => TagEnd::Nowhere,
    }
}
