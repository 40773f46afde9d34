//! Arguments that are the rest of the turn: one string, up to a stop token.

use callsign_core::Out;

use crate::audit::look;
use crate::machine::{Machine, Scan, Scanning};
use crate::program::{Mark, State, StateId};
use crate::walk::{Walk, Walked};

/// The rest being scanned. Positions are relative to the pending bytes.
#[derive(Debug)]
pub(crate) struct RestScan {
    next: StateId,
    /// The next byte to look at; all before it has been appended.
    at: usize,
    /// What stands at `at` may be a stop token.
    probe: Option<Walk>,
}

impl Machine {
    /// Scans the rest of the turn. `head` says that the call is not open yet.
    pub(crate) fn scan_rest(
        &mut self,
        spec: u16,
        next: StateId,
        head: bool,
        out: &mut Out<'_>,
    ) -> Scan {
        let spec = &self.program.rests[usize::from(spec)];
        if head {
            let at = self.walk.at;
            return match self.tools.get(&spec.tool) {
                Some(_) if at < out.pending().len() => Scan::Named(spec.tool.clone()),
                Some(_) => Scan::More,
                None => Scan::Unexpected { at, expected: "a declared tool" },
            };
        }
        if !matches!(self.scanning, Scanning::Rest(_)) {
            let arguments = out.arguments();
            arguments.push_str("{\"");
            arguments.push_escaped(&spec.key);
            arguments.push_str("\":\"");
            self.scanning = Scanning::Rest(RestScan { next, at: self.walk.at, probe: None });
        }
        let Scanning::Rest(rest) = &mut self.scanning else { return Scan::More };
        let pending = out.pending();
        let bytes = pending.as_bytes();
        let from = rest.at;
        loop {
            let Some(walk) = &mut rest.probe else {
                let hit = match self.program.stops {
                    Some(stops) => self.program.find_text(stops, &bytes[rest.at..]),
                    None => None,
                };
                let upto = hit.map_or(bytes.len(), |hit| rest.at + hit);
                out.arguments().push_escaped(&pending[rest.at..upto]);
                rest.at = upto;
                let (Some(stops), true) = (self.program.stops, hit.is_some()) else {
                    look(upto - from);
                    return Scan::More;
                };
                let mut walk = Walk::default();
                walk.go(stops, upto);
                rest.probe = Some(walk);
                continue;
            };
            match walk.walk(&self.program, bytes, out.origin()) {
                Walked::More => return Scan::More,
                Walked::There
                    if matches!(self.program.state(walk.state), State::Mark(Mark::Stop, _)) =>
                {
                    out.arguments().push_str("\"}");
                    self.walk.at = rest.at;
                    self.scanning = Scanning::Nothing;
                    return Scan::Done(next);
                }
                Walked::There | Walked::Fail => {
                    let mut upto = rest.at + 1;
                    while !pending.is_char_boundary(upto) {
                        upto += 1;
                    }
                    out.arguments().push_escaped(&pending[rest.at..upto]);
                    rest.at = upto;
                    rest.probe = None;
                }
            }
        }
    }

    /// At the end of the output, which ends the rest. Says whether there was
    /// one.
    pub(crate) fn settle_rest(&mut self, out: &mut Out<'_>) -> bool {
        let Scanning::Rest(rest) = &self.scanning else { return false };
        let pending = out.pending();
        let arguments = out.arguments();
        arguments.push_escaped(&pending[rest.at..]);
        arguments.push_str("\"}");
        self.walk.go(rest.next, pending.len());
        self.scanning = Scanning::Nothing;
        true
    }
}
