//! The machine: a parser over a program. It decides which account the bytes go
//! to; walking and scanning are its tools.

mod ending;
mod flow;

use std::sync::Arc;

use callsign_core::{
    End, Framing, Limit, Offer, Out, Parser, Policy, Previews, Reason, ReasoningCalls, Retract,
    Start, Toolset,
};

use crate::description::Outside;
use crate::elements::ElementScan;
use crate::literals::LiteralScan;
use crate::object::{JsonScan, ObjectScan};
use crate::program::{Mark, Program, ProseId, State, StateId};
use crate::rest::RestScan;
use crate::value::ValueScan;
use crate::walk::{Walk, Walked, is_space};

pub(crate) struct Machine {
    pub(crate) program: Arc<Program>,
    pub(crate) tools: Toolset,
    pub(crate) walk: Walk,
    policy: Policy,
    mode: Mode,
    /// The prose that goes on if an edge turns out to be none.
    from: ProseId,
    /// Where the edge began that is being walked: white space stands before it.
    edge: usize,
    /// Whether nothing but white space came since the last call.
    quiet: bool,
    /// What is known of the frame that everything should stand in.
    frame: Frame,
    /// Whether the calls count only if the whole turn is calls.
    whole: bool,
    /// Why the call is broken that is being skipped.
    reason: Option<Reason>,
    /// Where the call began that is being skipped: white space stands before it.
    broken_edge: usize,
    /// Where the id of the call stands.
    id: (usize, usize),
    /// Whether a broken call in reasoning has been searched for the end of the
    /// reasoning. It is done once a turn, so that reading stays linear.
    searched: bool,
    /// The place of the open call's tool.
    pub(crate) tool: Option<usize>,
    /// Whether an argument between tags has been written, so that a brace is
    /// open.
    pub(crate) tags_open: bool,
    pub(crate) scanning: Scanning,
}

/// What of a call is being scanned.
#[derive(Debug)]
pub(crate) enum Scanning {
    Nothing,
    Value(ValueScan),
    Object(ObjectScan),
    Json(JsonScan),
    Literals(LiteralScan),
    Elements(ElementScan),
    Rest(RestScan),
}

impl Scanning {
    /// Whether what has been scanned waits to be shown.
    fn waits(&self) -> bool {
        matches!(self, Scanning::Value(value) if value.waits())
    }
}

/// Whether an output stands in the frame that its dialect gives everything. One
/// that has none is text: a server may have taken the frame away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Frame {
    Unseen,
    Seen,
    Missing,
}

/// What the machine is in, and so what it means if nothing fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Text that flows.
    Prose(ProseId),
    /// The edge of a region, or the head of a call: it may be mere text.
    Edge,
    /// A call, its head complete.
    Call,
    /// After a call, in its region.
    After,
    /// Stop tokens, if nothing follows.
    Stopped,
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// There is more to do.
    Go,
    /// More input is needed.
    More,
}

/// What comes of the bytes of a call.
pub(crate) enum Scan {
    /// The value, or the whole call, is complete and the walk goes on.
    Done(StateId),
    /// The name of a call is known: it is to be opened before the scan goes on.
    Named(String),
    /// More input is needed.
    More,
    /// A byte that does not fit.
    Unexpected { at: usize, expected: &'static str },
    /// Nested deeper than allowed.
    TooDeep,
}

impl Machine {
    pub(crate) fn new(program: Arc<Program>, offer: &Offer<'_>) -> Self {
        let mut machine = Machine {
            program,
            tools: offer.tools.clone(),
            walk: Walk::default(),
            policy: offer.policy,
            mode: Mode::Prose(ProseId::Outside),
            from: ProseId::Outside,
            edge: 0,
            quiet: false,
            frame: Frame::Unseen,
            whole: false,
            reason: None,
            broken_edge: 0,
            id: (0, 0),
            searched: false,
            tool: None,
            tags_open: false,
            scanning: Scanning::Nothing,
        };
        if offer.start == Start::Reasoning
            && let Some(state) = machine.program.reasoning
        {
            machine.mode = Mode::Edge;
            machine.walk.go(state, 0);
        } else if let Some(state) = machine.program.whole_turn {
            machine.mode = Mode::Edge;
            machine.walk.go(state, 0);
        }
        machine
    }

    fn run(&mut self, out: &mut Out<'_>) {
        while match self.mode {
            Mode::Prose(id) => self.prose(id, out),
            _ => self.structure(out),
        } == Progress::Go
        {}
    }

    /// Lets text flow up to the next byte at which something may open or close.
    #[inline]
    fn prose(&mut self, id: ProseId, out: &mut Out<'_>) -> Progress {
        let bytes = out.pending().as_bytes();
        let from = self.walk.at;
        let hit = self.program.find_edge(id, bytes, from);
        let upto = hit.unwrap_or(bytes.len());
        if is_broken(id) {
            self.walk.at = upto;
        } else {
            let run = self.space_before(bytes, from, upto);
            self.book(id, run, out);
            self.walk.at = upto - run;
        }
        if hit.is_none() {
            return Progress::More;
        }
        self.from = id;
        self.edge = self.walk.at;
        self.mode = Mode::Edge;
        self.walk.go(self.program.prose(id).entry, self.walk.at);
        Progress::Go
    }

    /// Where the white space begins that ends at `upto` and may separate what
    /// comes next: a newline and what follows it. What stands before `from` is
    /// such white space.
    #[inline]
    fn space_before(&self, bytes: &[u8], from: usize, upto: usize) -> usize {
        let mut start = upto;
        while start > from && is_space(bytes[start - 1]) {
            start -= 1;
        }
        if start == from && (from > 0 || self.quiet) {
            return 0;
        }
        bytes[start..upto].iter().position(|byte| *byte == b'\n').map_or(upto, |at| start + at)
    }

    /// Books `len` bytes of flowing text.
    #[inline]
    fn book(&mut self, id: ProseId, len: usize, out: &mut Out<'_>) {
        if len == 0 {
            return;
        }
        self.quiet = false;
        if std::mem::take(&mut self.whole) {
            return out.retract(len, Retract::Text);
        }
        match id {
            ProseId::Outside | ProseId::AfterCall | ProseId::Rehearsal => {
                if self.program.outside == Outside::Text {
                    return out.text(len);
                }
                let blanks = out.pending()[..len].len() - out.pending()[..len].trim_start().len();
                match self.frame {
                    Frame::Seen => out.framing(len, Framing::Markup),
                    Frame::Missing => out.text(len),
                    Frame::Unseen => {
                        out.framing(blanks, Framing::Markup);
                        if blanks < len {
                            self.frame = Frame::Missing;
                            out.text(len - blanks);
                        }
                    }
                }
            }
            ProseId::Content => out.text(len),
            ProseId::Reasoning | ProseId::PlainReasoning => out.reasoning(len),
            ProseId::Broken | ProseId::BrokenRehearsal => self.reject(len, out),
        }
    }

    #[inline]
    fn structure(&mut self, out: &mut Out<'_>) -> Progress {
        let scan = match self.program.state(self.walk.state) {
            State::Value { spec, next } => self.scan_value(*spec, *next, out),
            State::Json { next } => self.scan_json(*next, out),
            State::Object { spec, next } => {
                let head = self.mode != Mode::Call;
                self.scan_object(*spec, *next, head, out)
            }
            State::Literals { spec, next } => self.scan_literals(*spec, *next, out),
            State::Elements { spec, next } => self.scan_elements(*spec, *next, out),
            State::Rest { spec, next } => {
                let head = self.mode != Mode::Call;
                self.scan_rest(*spec, *next, head, out)
            }
            State::Mark(mark, next) => return self.mark(*mark, *next, out),
            State::Choice(_) | State::Slot(_) => {
                let bytes = out.pending().as_bytes();
                return match self.walk.walk(&self.program, bytes, out.origin()) {
                    Walked::There => Progress::Go,
                    Walked::More => Progress::More,
                    Walked::Fail => self.fail(out, "what this dialect writes there"),
                };
            }
        };
        match scan {
            Scan::Done(next) => {
                self.walk.go(next, self.walk.at);
                Progress::Go
            }
            Scan::Named(name) => {
                self.walk.token = self.walk.at;
                self.open_call(&name, None, out)
            }
            Scan::More => Progress::More,
            Scan::Unexpected { at, expected } => {
                self.walk.token = self.walk.token.max(at);
                self.fail(out, expected)
            }
            Scan::TooDeep => {
                self.walk.token = self.walk.at;
                self.break_call(Reason::Limit { limit: Limit::Depth }, out)
            }
        }
    }

    fn mark(&mut self, mark: Mark, next: StateId, out: &mut Out<'_>) -> Progress {
        let at = self.walk.at;
        match mark {
            Mark::Enter(prose) => {
                self.frame = Frame::Seen;
                let prose = match (self.mode, prose) {
                    (_, ProseId::Outside) => self.outside(out),
                    (_, ProseId::Reasoning)
                        if self.policy.reasoning_calls == ReasoningCalls::Ignore =>
                    {
                        ProseId::PlainReasoning
                    }
                    (_, prose) => prose,
                };
                let quiet = self.mode == Mode::After;
                out.framing(at, Framing::Markup);
                self.flow(prose, 0);
                self.quiet = quiet;
            }
            Mark::Head => {
                let (start, end) = self.walk.name;
                let name = &out.pending()[start..end];
                return self.open_call(name, Some(next), out);
            }
            Mark::Whole => {
                self.whole = true;
                self.walk.go(next, at);
            }
            // The walk goes on in the head of a call, whose name may not be
            // settled.
            Mark::IdStart => {
                self.id = (at, at);
                self.walk.pass(next);
            }
            Mark::IdEnd => {
                self.id.1 = at;
                self.give_id(out);
                self.walk.pass(next);
            }
            Mark::Call => {
                let arguments = out.arguments();
                if arguments.is_empty() {
                    arguments.push_str("{}");
                } else if self.tags_open {
                    arguments.push_str("}");
                }
                self.tags_open = false;
                out.framing(self.edge, Framing::Markup);
                out.complete_call(at - self.edge);
                self.edge = 0;
                self.mode = Mode::After;
                self.walk.go(next, 0);
            }
            Mark::Leave => {
                self.flow(self.outside(out), 0);
                self.quiet = true;
            }
            // Nothing is left over behind calls that turned out to be text.
            Mark::Orphan if out.complete_calls() == 0 => return self.fail(out, "a call"),
            Mark::Orphan => {
                out.framing(self.edge, Framing::Markup);
                out.framing(at - self.edge, Framing::Orphan);
                self.flow(self.from, 0);
                self.quiet = true;
            }
            Mark::Stop => {
                self.mode = Mode::Stopped;
                self.walk.go(self.program.stopped.unwrap_or(next), at);
            }
            Mark::Resync => {
                self.reject(at, out);
                self.flow(self.outside(out), 0);
                self.quiet = true;
            }
            Mark::Reopen => {
                // It opens whatever it opens outside of a broken call.
                self.reject(self.edge, out);
                self.from = self.outside(out);
                self.edge = 0;
                self.walk.go(self.program.prose(self.from).entry, 0);
            }
            Mark::Rehearsed => {
                // The newlines before the closer are framing, as ever.
                let bytes = out.pending().as_bytes();
                let keep = match is_broken(self.from) {
                    true => self.space_before(bytes, 0, self.edge),
                    false => 0,
                };
                self.reason = None;
                self.broken_edge = 0;
                out.retract(keep, Retract::Reasoning);
                self.from = ProseId::Reasoning;
                self.edge = 0;
                self.walk.go(next, at - keep);
            }
            Mark::Closed | Mark::Structure | Mark::NoStructure | Mark::Opened => {
                // Only probes lead here, and they read these marks themselves.
                return self.fail(out, "a value");
            }
        }
        Progress::Go
    }

    /// Gives the open call the id that has been read.
    fn give_id(&mut self, out: &mut Out<'_>) {
        let (start, end) = self.id;
        if self.mode == Mode::Call && start < end {
            let pending = out.pending();
            out.call_id(&pending[start..end]);
            self.id = (0, 0);
        }
    }

    /// Lets text flow from `at` on.
    fn flow(&mut self, prose: ProseId, at: usize) {
        self.mode = Mode::Prose(prose);
        self.edge = 0;
        self.walk.go(0, at);
    }

    /// The prose outside all regions.
    fn outside(&self, out: &Out<'_>) -> ProseId {
        if out.holding() && !self.whole {
            ProseId::Rehearsal
        } else if out.complete_calls() > 0 {
            ProseId::AfterCall
        } else {
            ProseId::Outside
        }
    }

    /// The head of a call is complete. The walk goes on at `next`, or where it
    /// is.
    fn open_call(&mut self, name: &str, next: Option<StateId>, out: &mut Out<'_>) -> Progress {
        self.tool = self.tools.position(name);
        if self.whole && self.tool.is_none() {
            return self.fail(out, "a declared tool");
        }
        let bytes = out.pending().as_bytes();
        self.edge = bytes.iter().position(|byte| !is_space(*byte)).unwrap_or(0);
        if self.mode == Mode::After {
            // What is on trial stays so.
        } else if self.from == ProseId::Reasoning
            && self.policy.reasoning_calls == ReasoningCalls::Wait
        {
            out.hold(Previews::Wait);
        } else if self.whole {
            out.hold(Previews::Show);
        }
        self.mode = Mode::Call;
        self.frame = Frame::Seen;
        out.start_call(name);
        self.give_id(out);
        if let Some(next) = next {
            self.walk.go(next, self.walk.at);
        }
        Progress::Go
    }

    /// Forgets what was being scanned.
    fn drop_scans(&mut self) {
        self.scanning = Scanning::Nothing;
        self.tags_open = false;
    }
}

impl Parser for Machine {
    #[inline]
    fn push(&mut self, out: &mut Out<'_>) {
        if self.flow_on(out) {
            return;
        }
        if out.flowed() > 0 {
            self.skip(out.flowed());
        }
        if out.replaying() && self.program.whole_turn.is_some() {
            // The turn begins after the prompt.
            return out.text(out.pending().len());
        }
        self.run(out);
        // What is done in one go is shown in one piece.
        if self.mode == Mode::Call && !self.scanning.waits() {
            out.preview();
            if let Some(flow) = self.flow_of_arguments(out.pending().len()) {
                out.let_flow(flow);
            }
        }
    }

    fn finish(&mut self, end: End, out: &mut Out<'_>) {
        if out.flowed() > 0 {
            self.skip(out.flowed());
        }
        while self.settle(end, out) == Progress::Go {
            self.run(out);
        }
        out.release();
    }
}

fn is_broken(id: ProseId) -> bool {
    matches!(id, ProseId::Broken | ProseId::BrokenRehearsal)
}
