//! What surrounds values and calls: where a value may end, and what ends the flow
//! of text.

use super::{Compiler, Openers, Probe};
use crate::description::{Frame, Outside, Part};
use crate::graph::Graph;
use crate::program::{Coding, Firsts, Mark, Prose, ProseId, Slot, SlotKind, Space, State, StateId};

impl<'d> Compiler<'d> {
    /// A closing tag that closes nothing. A short one is no sign of anything.
    pub(super) fn orphan(&mut self, text: &str) {
        if text.len() >= 4 && !text.starts_with(|first: char| first.is_alphanumeric()) {
            let end = self.graph.end(Mark::Orphan);
            let orphan = self.graph.literal(text, false, end);
            self.openers.orphans.push(orphan);
        }
    }

    /// Builds what tells the end of a value from a mention of it.
    pub(super) fn probe(&mut self, probe: &Probe<'d>) -> Result<(), String> {
        // All of these lead to the same mark: what follows it is not walked.
        let structure = |graph: &mut Graph, _| graph.end(Mark::Structure);
        let mut edges = vec![probe.after];
        edges.extend(self.openers.calls);
        edges.extend(&self.openers.after);
        edges.extend(self.openers.stops);
        let mut follow = None;
        for edge in edges {
            let edge = self.graph.after_texts(edge, &structure);
            follow = self.either(follow, edge)?;
        }
        let data = self.graph.end(Mark::NoStructure);
        let follow = follow.map_or(Ok(data), |follow| self.graph.merge(follow, data))?;
        let follow = self.graph.space(Space::Any, follow);
        let closed = self.graph.mark(Mark::Closed, follow);
        let close = String::from_utf8_lossy(&probe.close).into_owned();
        let mut entry = self.graph.literal(&close, false, closed);
        let opened = self.graph.end(Mark::Opened);
        let frame = self.program.values[probe.spec].frame;
        let opened = match frame {
            Frame::None => opened,
            Frame::Newline => self.graph.literal("\n", false, opened),
        };
        let open = self.exact(probe.before, probe.close[0], opened);
        if self.graph.firsts(open) == [probe.close[0]]
            && let Ok(both) = self.graph.merge(entry, open)
        {
            entry = both;
        }
        let spec = &mut self.program.values[probe.spec];
        spec.probe = entry;
        spec.second = self.graph.seconds(entry);
        if let Coding::Cdata(section) = &mut spec.coding {
            let close = self.graph.literal(&close, false, closed);
            let close = self.graph.space(Space::Any, close);
            *section = self.graph.literal("]]>", false, close);
        }
        Ok(())
    }

    /// Parts as the template writes them. A slot in them holds no `stop` byte,
    /// at which something else may begin.
    pub(super) fn exact(&mut self, parts: &[Part], stop: u8, next: StateId) -> StateId {
        let mut next = next;
        for part in parts.iter().rev() {
            next = match part {
                Part::Literal(text) | Part::Marker(text) => self.graph.literal(text, false, next),
                Part::Space(_) => self.graph.space(Space::Any, next),
                Part::Key | Part::Type(_) => {
                    let mut stops = self.graph.firsts(next);
                    stops.push(stop);
                    let kind = SlotKind::Key;
                    self.graph.add(State::Slot(Slot { kind, stops, next, otherwise: None }))
                }
                Part::Maybe { parts, written: true } => self.exact(parts, stop, next),
                Part::OneOf(all) => match all.first() {
                    Some(first) => self.exact(first, stop, next),
                    None => next,
                },
                _ => next,
            };
        }
        next
    }

    pub(super) fn proses(&mut self) -> Result<(), String> {
        let Openers {
            reasoning,
            reasoning_close,
            content,
            content_close,
            calls,
            calls_close,
            stops,
            ..
        } = self.openers;
        let orphans = std::mem::take(&mut self.openers.orphans);
        let rehearsed = reasoning_close.and_then(|close| {
            self.graph.after_texts(close, &|graph, next| graph.mark(Mark::Rehearsed, next))
        });
        // Where everything has a region of its own, any of them may open after a
        // broken call.
        let others = match self.description.outside {
            Outside::Framing => self.either(content, reasoning)?,
            Outside::Text => None,
        };
        let reopen = self
            .either(calls, others)?
            .and_then(|calls| self.graph.after_texts(calls, &|graph, _| graph.end(Mark::Reopen)));
        for id in ProseId::ALL {
            let ends = match id {
                ProseId::Outside | ProseId::AfterCall | ProseId::Reasoning => {
                    vec![calls, reasoning, reasoning_close, content, stops]
                }
                ProseId::PlainReasoning => vec![reasoning, reasoning_close, content, stops],
                ProseId::Rehearsal => vec![calls, rehearsed, content, stops],
                ProseId::Content => vec![calls, reasoning, content_close, content, stops],
                ProseId::Broken => vec![calls_close, reopen],
                ProseId::BrokenRehearsal => vec![rehearsed, calls_close, reopen],
            };
            let mut entry = None;
            for end in ends {
                // In a broken call the first meaning of a text will do.
                entry = match (self.either(entry, end), id) {
                    (Err(_), ProseId::Broken | ProseId::BrokenRehearsal) => entry,
                    (merged, _) => merged?,
                };
            }
            if id == ProseId::AfterCall {
                // A text that closes something else is no orphan.
                for orphan in &orphans {
                    entry = self.either(entry, Some(*orphan)).unwrap_or(entry);
                }
            }
            let entry = entry.unwrap_or(0);
            let firsts = self.graph.firsts(entry);
            let text = match id {
                ProseId::Broken | ProseId::BrokenRehearsal => false,
                ProseId::Content | ProseId::Reasoning | ProseId::PlainReasoning => true,
                ProseId::Outside | ProseId::AfterCall | ProseId::Rehearsal => {
                    self.description.outside == Outside::Text
                }
            };
            self.program.proses.push(Prose { entry, firsts: Firsts::new(firsts), text });
        }
        Ok(())
    }
}
