//! JSON in calls: arguments that are a JSON object, and calls that are one.

use callsign_core::json::{Kind, Scanner, Step, unescape};
use callsign_core::{Flow, Out, Toolset, json};

use crate::audit::look;
use crate::machine::{Machine, Scan, Scanning};
use crate::program::{ObjectSpec, StateId};

/// Arguments being scanned as JSON. Positions are relative to the pending
/// bytes.
#[derive(Debug)]
pub(crate) struct JsonScan {
    scanner: Scanner,
    /// How far the text has been appended to the arguments.
    flushed: usize,
}

/// A call being scanned as one JSON object.
#[derive(Debug)]
pub(crate) struct ObjectScan {
    scanner: Scanner,
    /// Where the key or the value began that is being scanned.
    start: usize,
    member: Member,
    name: Option<String>,
    id: Option<String>,
    arguments: Written,
    /// The keys that mean nothing here. One may be the arguments under another
    /// name, or an argument of the tool.
    others: Vec<String>,
}

/// What a member of a call's object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Member {
    Name,
    Arguments,
    Id,
    Other,
}

/// What has been seen of the arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    Not,
    /// As an object: what stands between these, the first of which moves on as
    /// it is appended to the arguments.
    Object {
        from: usize,
        to: usize,
    },
    /// As a string or `null`, which is told when it ends.
    Scalar {
        from: usize,
        to: usize,
    },
}

impl JsonScan {
    /// The text that may flow past the scanner, if it is in such and has read all
    /// up to `end`.
    pub(crate) fn flow(&self, end: usize) -> Option<Flow> {
        (self.flushed == end && self.scanner.in_text()).then_some(Flow::json())
    }

    /// So much has flowed past.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.flushed += bytes;
    }
}

/// A scanner that has read the opening brace.
fn after_brace(depth: usize) -> Scanner {
    let mut scanner = Scanner::new(depth);
    scanner.step(b"{", &mut 0);
    scanner
}

impl Machine {
    /// Scans arguments that are a JSON object, whose brace has been read.
    pub(crate) fn scan_json(&mut self, next: StateId, out: &mut Out<'_>) -> Scan {
        let at = self.walk.at;
        if !matches!(self.scanning, Scanning::Json(_)) {
            let scanner = after_brace(out.limits().depth);
            self.scanning = Scanning::Json(JsonScan { scanner, flushed: at - 1 });
        }
        let Scanning::Json(json) = &mut self.scanning else { return Scan::More };
        let pending = out.pending();
        let mut at = at;
        let step = loop {
            match json.scanner.step(pending.as_bytes(), &mut at) {
                Step::Key | Step::KeyEnd | Step::Value | Step::ValueEnd => {}
                step => break step,
            }
        };
        look(at - self.walk.at);
        self.walk.at = at;
        match step {
            Step::Unexpected => Scan::Unexpected { at, expected: "JSON" },
            Step::TooDeep => Scan::TooDeep,
            _ => {
                out.arguments().push_str(&pending[json.flushed..at]);
                json.flushed = at;
                if step == Step::More {
                    return Scan::More;
                }
                self.scanning = Scanning::Nothing;
                Scan::Done(next)
            }
        }
    }

    /// Scans a call that is a JSON object, whose brace has been read. `head`
    /// says that the call is not open yet.
    #[inline]
    pub(crate) fn scan_object(
        &mut self,
        spec: u16,
        next: StateId,
        head: bool,
        out: &mut Out<'_>,
    ) -> Scan {
        if !matches!(self.scanning, Scanning::Object(_)) {
            self.scanning = Scanning::Object(ObjectScan {
                scanner: after_brace(out.limits().depth),
                start: 0,
                member: Member::Other,
                name: None,
                id: None,
                arguments: Written::Not,
                others: Vec::new(),
            });
        }
        let Scanning::Object(object) = &mut self.scanning else { return Scan::More };
        let spec = &self.program.objects[usize::from(spec)];
        let from = self.walk.at;
        let scan = object.scan(spec, next, &mut self.walk.at, head, &self.tools, out);
        look(self.walk.at - from);
        if let Scan::Done(_) = scan {
            if let Some(id) = &object.id {
                out.call_id(id);
            }
            self.scanning = Scanning::Nothing;
        }
        scan
    }
}

impl ObjectScan {
    /// The text that may flow past the scanner, if it is in such and has read all
    /// up to `end`.
    pub(crate) fn flow(&self, end: usize) -> Option<Flow> {
        let Written::Object { from, .. } = self.arguments else { return None };
        let flows = from == end && self.member == Member::Arguments && self.scanner.in_text();
        flows.then_some(Flow::json())
    }

    /// So much has flowed past.
    pub(crate) fn skip(&mut self, bytes: usize) {
        if let Written::Object { from, to } = &mut self.arguments {
            (*from, *to) = (*from + bytes, *to + bytes);
        }
    }

    fn scan(
        &mut self,
        spec: &ObjectSpec,
        next: StateId,
        at: &mut usize,
        head: bool,
        tools: &Toolset,
        out: &mut Out<'_>,
    ) -> Scan {
        let pending = out.pending();
        loop {
            if head && let Some(name) = &self.name {
                return Scan::Named(name.clone());
            }
            let step = self.scanner.step(pending.as_bytes(), at);
            if let Written::Object { to, .. } = &mut self.arguments
                && self.member == Member::Arguments
            {
                *to = *at;
            }
            if self.name.is_some() {
                self.flush(pending, out);
            }
            let problem = match step {
                Step::More => return Scan::More,
                Step::TooDeep => return Scan::TooDeep,
                Step::Unexpected => Some("JSON"),
                Step::Key => {
                    self.start = *at;
                    None
                }
                Step::KeyEnd => self.key(spec, &pending[self.start..*at - 1]),
                Step::Value => {
                    self.start = *at;
                    self.value(pending.as_bytes()[*at], *at)
                }
                Step::ValueEnd => self.value_end(pending, *at, out),
                Step::Done => match self.missing(tools) {
                    None => return Scan::Done(next),
                    missing => missing,
                },
            };
            if let Some(expected) = problem {
                return Scan::Unexpected { at: *at, expected };
            }
        }
    }

    /// What the object lacks to be a call.
    fn missing(&self, tools: &Toolset) -> Option<&'static str> {
        let Some(name) = &self.name else { return Some("a name") };
        if self.others.is_empty() {
            return None;
        }
        if self.arguments == Written::Not {
            return Some("arguments under their own key");
        }
        // To leave one out would be to run another call.
        let root = tools.get(name)?.parameters.root();
        let argument =
            root.properties().any(|(key, _)| self.others.iter().any(|other| other == key));
        argument.then_some("every argument among the arguments")
    }

    fn key(&mut self, spec: &ObjectSpec, written: &str) -> Option<&'static str> {
        let key = unescape(written).unwrap_or_default();
        let is = |keys: &[String]| keys.iter().any(|known| *known == *key);
        self.member = if is(&spec.name) {
            Member::Name
        } else if is(&spec.arguments) {
            Member::Arguments
        } else if spec.id.as_ref().is_some_and(|id| **id == *key) {
            Member::Id
        } else {
            self.others.push(key.into_owned());
            Member::Other
        };
        None
    }

    /// A value begins with `first`.
    fn value(&mut self, first: u8, at: usize) -> Option<&'static str> {
        match self.member {
            Member::Name if self.name.is_some() => Some("one name"),
            Member::Name if first != b'"' => Some("a string for the name"),
            Member::Arguments if self.arguments != Written::Not => Some("the arguments once"),
            Member::Arguments => {
                self.arguments = match first {
                    b'{' => Written::Object { from: at, to: at },
                    b'"' | b'n' => Written::Scalar { from: at, to: at },
                    _ => return Some("an object for the arguments"),
                };
                None
            }
            Member::Name | Member::Id | Member::Other => None,
        }
    }

    fn value_end(&mut self, pending: &str, end: usize, out: &mut Out<'_>) -> Option<&'static str> {
        let written = &pending[self.start..end];
        let text = || {
            let inside = written.strip_prefix('"')?.strip_suffix('"')?;
            unescape(inside).map(String::from)
        };
        match std::mem::replace(&mut self.member, Member::Other) {
            Member::Name => match text() {
                Some(name) if !name.trim().is_empty() => {
                    self.name = Some(name.trim().to_owned());
                    None
                }
                _ => Some("a name"),
            },
            Member::Id => {
                self.id = text();
                None
            }
            Member::Arguments => {
                if let Written::Scalar { to, from } = &mut self.arguments {
                    *to = end;
                    let written = &pending[*from..end];
                    if decoded_arguments(written).is_none() {
                        return Some("an object for the arguments");
                    }
                    if self.name.is_some() {
                        self.flush(pending, out);
                    }
                }
                None
            }
            Member::Other => None,
        }
    }

    /// Appends what has been seen of the arguments and not been appended yet.
    fn flush(&mut self, pending: &str, out: &mut Out<'_>) {
        let (Written::Object { from, to } | Written::Scalar { from, to }) = self.arguments else {
            return;
        };
        if from == to {
            return;
        }
        let seen = &pending[from..to];
        if let Written::Object { from, .. } = &mut self.arguments {
            *from = to;
            out.arguments().push_str(seen);
        } else {
            self.arguments = Written::Scalar { from: to, to };
            out.arguments().push_str(&decoded_arguments(seen).unwrap_or_default());
        }
    }
}

/// Arguments written as a string or as `null`: the object they stand for.
fn decoded_arguments(written: &str) -> Option<String> {
    let Some(inside) = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return Some("{}".to_owned());
    };
    let decoded = unescape(inside)?;
    match decoded.trim() {
        "" => Some("{}".to_owned()),
        text => (json::kind(text) == Some(Kind::Object)).then(|| text.to_owned()),
    }
}
