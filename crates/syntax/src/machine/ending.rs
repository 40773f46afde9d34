//! Where something comes to nothing, and where the output comes to its end.

use callsign_core::{End, Framing, Out, Reason, Retract};

use super::{Frame, Machine, Mode, Progress, is_broken};
use crate::audit::look;
use crate::program::ProseId;

impl Machine {
    /// Nothing fits where the walk stands.
    pub(super) fn fail(&mut self, out: &mut Out<'_>, expected: &'static str) -> Progress {
        match self.mode {
            Mode::Call => {
                let at = out.offset(self.walk.token);
                self.break_call(Reason::Malformed { at, expected: expected.into() }, out)
            }
            Mode::After => {
                self.drop_scans();
                self.flow(self.outside(out), 0);
                self.quiet = true;
                Progress::Go
            }
            Mode::Prose(_) | Mode::Edge | Mode::Stopped => {
                // It was no edge. What was walked is text up to where it failed,
                // and not less than its first character.
                self.drop_scans();
                self.id = (0, 0);
                if self.mode == Mode::Edge && self.walk.open_region() {
                    return Progress::Go;
                }
                if self.walk.token > self.edge && self.frame == Frame::Unseen {
                    self.frame = Frame::Seen;
                }
                let text = out.pending();
                // A text that repeats its own beginning is not looked at anew.
                let overlap = match self.walk.token == self.edge && self.mode == Mode::Edge {
                    true => self.walk.overlap(&self.program),
                    false => 0,
                };
                if overlap > 0 {
                    let start = self.walk.at - overlap;
                    let run = match is_broken(self.from) {
                        true => 0,
                        false => self.space_before(text.as_bytes(), 0, start),
                    };
                    self.quiet &= run == 0;
                    self.book(self.from, run, out);
                    self.edge = start - run;
                    self.walk.shift_to_overlap(overlap, self.edge);
                    return Progress::Go;
                }
                let mut upto = self.walk.token.max(self.edge + 1).min(text.len());
                while !text.is_char_boundary(upto) {
                    upto += 1;
                }
                if is_broken(self.from) {
                    self.mode = Mode::Prose(self.from);
                    self.walk.go(0, upto);
                } else {
                    self.quiet = false;
                    let run = self.space_before(text.as_bytes(), 0, upto);
                    self.book(self.from, run, out);
                    self.flow(self.from, upto - run);
                }
                Progress::Go
            }
        }
    }

    /// The call is broken: it is skipped to where reading can go on.
    pub(super) fn break_call(&mut self, reason: Reason, out: &mut Out<'_>) -> Progress {
        if self.mode != Mode::Call {
            return self.fail(out, "a call");
        }
        self.drop_scans();
        if out.holding() && self.search_end_of_reasoning(self.walk.token, out) {
            return Progress::Go;
        }
        if out.call_doubted() {
            // The end of a value was a guess, and a wrong one: all the rest is
            // that value's, and nothing in it is a call.
            self.broken_edge = self.edge;
            self.reason = Some(Reason::Incomplete);
            self.reject(out.pending().len(), out);
            self.flow(self.outside(out), 0);
            return Progress::Go;
        }
        self.reason = Some(reason);
        let prose =
            if out.holding() && !self.whole { ProseId::BrokenRehearsal } else { ProseId::Broken };
        self.mode = Mode::Prose(prose);
        let text = out.pending();
        let mut token = self.walk.token.max(self.edge);
        while !text.is_char_boundary(token) {
            token += 1;
        }
        self.broken_edge = self.edge;
        self.walk.go(0, token);
        Progress::Go
    }

    /// A call in open reasoning did not come off. If the reasoning was closed
    /// inside of it, before `limit`, all up to there was reasoning.
    pub(super) fn search_end_of_reasoning(&mut self, limit: usize, out: &mut Out<'_>) -> bool {
        if std::mem::replace(&mut self.searched, true) {
            return false;
        }
        let bytes = out.pending().as_bytes();
        let bytes = &bytes[..bytes.len().min(limit)];
        let closers = self.program.reasoning_closers.iter();
        let places = closers.filter_map(|close| {
            look(bytes.len());
            memchr::memmem::find(bytes, close)
        });
        let Some(at) = places.min() else { return false };
        let keep = self.space_before(bytes, 0, at);
        out.retract(keep, Retract::Reasoning);
        self.quiet = false;
        self.flow(ProseId::Reasoning, at - keep);
        true
    }

    /// Books `len` bytes as a broken call.
    pub(super) fn reject(&mut self, len: usize, out: &mut Out<'_>) {
        let edge = std::mem::take(&mut self.broken_edge).min(len);
        out.framing(edge, Framing::Markup);
        out.reject(len - edge, self.reason.take().unwrap_or(Reason::Incomplete));
    }

    /// Ends what can still be ended. Says whether that made a difference.
    pub(super) fn settle(&mut self, end: End, out: &mut Out<'_>) -> Progress {
        if !matches!(self.mode, Mode::Prose(_)) && self.walk.settle(&self.program) {
            return Progress::Go;
        }
        match self.mode {
            Mode::Call => {
                if out.holding() && self.search_end_of_reasoning(usize::MAX, out) {
                    self.drop_scans();
                    return Progress::Go;
                }
                // An output that was cut tells nothing by its end.
                if end != End::Cut && (self.settle_value(out) || self.settle_rest(out)) {
                    return Progress::Go;
                }
                out.framing(self.edge, Framing::Markup);
                Progress::More
            }
            Mode::Edge if is_broken(self.from) => {
                self.mode = Mode::Prose(self.from);
                Progress::Go
            }
            Mode::Edge if self.walk.open_region() => Progress::Go,
            Mode::Edge => {
                self.book(self.from, out.pending().len(), out);
                Progress::More
            }
            Mode::After => {
                self.drop_scans();
                self.flow(self.outside(out), 0);
                self.quiet = true;
                Progress::Go
            }
            // The beginning of something else follows the stop.
            Mode::Stopped if self.walk.inside_text(&self.program) => self.fail(out, "the end"),
            Mode::Stopped => {
                out.framing(out.pending().len(), Framing::Markup);
                Progress::More
            }
            Mode::Prose(id) => {
                let len = out.pending().len();
                if is_broken(id) {
                    self.reject(len, out);
                } else if self.quiet {
                    out.framing(len, Framing::Markup);
                } else {
                    self.book(id, len, out);
                }
                Progress::More
            }
        }
    }
}
