//! What becomes of something that may have been a call, once its end is known.

use std::sync::Arc;

use callsign_core::{Attempt, Framing, Out, Provenance, Reason, Refusal, Rule, Span};

use super::accounts::Kind;
use super::{Begun, Net, RegionEnd};
use crate::advice;
use crate::judge::judge;
use crate::scan::{Bare, Form};
use crate::walk::{Failed, Guide, Piece, PieceKind};

/// What all pieces of a region have in common.
struct Scene<'t> {
    text: &'t str,
    /// The offset in the output of its first byte.
    base: usize,
    rule: Rule,
    /// Whether it holds nothing but markup.
    strays: bool,
    /// Whether a call was found in it.
    recovers: bool,
    /// Whether it holds what the inner parser has rejected, and nothing better is
    /// made of it: then all of it keeps its accounts.
    rejected: bool,
}

/// What is not made a call.
pub(super) struct Refused {
    pub(super) rule: Rule,
    pub(super) tool: Option<String>,
    pub(super) refusal: Refusal,
}

impl Net {
    /// The end of what may be a call is known.
    pub(super) fn settle(&mut self, text: &str, begun: &Begun, end: RegionEnd, out: &mut Out<'_>) {
        let Begun { region, place, separator, .. } = begun;
        let known = Arc::clone(&self.known);
        let tools = self.tools.clone();
        let dialect = Arc::clone(&self.dialect);
        let guide = Guide {
            vocabulary: &known.vocabulary,
            tools: &tools,
            dialect: Some(dialect.name()),
            python: &*known.python,
            guesses: known.guesses,
            cut: end.cut,
            proved: end.proved,
        };
        let pieces = judge(text, region, *place, &self.heard, guide);
        debug_assert_eq!(pieces.iter().map(|piece| piece.span.len()).sum::<usize>(), text.len());
        let strays = !pieces.iter().any(|piece| !matches!(piece.kind, PieceKind::Framing));
        let recovers = pieces.iter().any(|piece| matches!(piece.kind, PieceKind::Call(_)));
        let scene = Scene {
            text,
            base: out.offset(*separator),
            rule: rule(region.form),
            strays,
            recovers,
            rejected: !recovers && self.rejects(separator + text.len()),
        };
        if region.is_ended() {
            self.setting.end_turn();
        }
        let mut before = *separator;
        for piece in pieces {
            self.piece(piece, std::mem::take(&mut before), &scene, out);
        }
        if scene.rejected {
            // It keeps its accounts.
            let len = self.extent(separator + text.len());
            self.setting.interrupt();
            self.give(len, out);
        }
    }

    /// Books a piece and the white space before it.
    fn piece(&mut self, piece: Piece, before: usize, scene: &Scene<'_>, out: &mut Out<'_>) {
        let Piece { span, kind } = piece;
        let words = &scene.text[span.clone()];
        let len = before + words.len();
        match kind {
            PieceKind::Call(found) => {
                // Text of the region may stand before it, which nobody has looked at.
                let said = self.setting.refusal(found.recovered.marked);
                let hides = said.is_none();
                if let Some(refusal) = said.or_else(|| self.calls.refusal(&found.name)) {
                    let rule = found.recovered.rule;
                    let refused = Refused { rule, tool: Some(found.name), refusal };
                    return self.refuse(refused, words, before, hides, out);
                }
                out.start_call(&found.name);
                if let Some(id) = &found.id {
                    out.call_id(id);
                }
                out.call_provenance(Provenance::Recovered(Box::new(found.recovered)));
                out.arguments().push_str(&found.arguments);
                self.drop_accounts(len);
                self.setting.interrupt();
                out.complete_call(len);
            }
            PieceKind::Failed(Failed { tool, refusal }) => {
                let refusal = match refusal {
                    Refusal::Malformed { at, expected } => {
                        Refusal::Malformed { at: scene.base + at, expected }
                    }
                    refusal => refusal,
                };
                let mends = matches!(
                    refusal,
                    Refusal::Cut | Refusal::Malformed { .. } | Refusal::Guess(_) | Refusal::Limit
                );
                let hides = mends && tool.is_some();
                let refused = Refused { rule: scene.rule, tool, refusal };
                if scene.rejected {
                    self.tell(refused, scene.base + span.start, words.len(), out);
                } else {
                    self.refuse(refused, words, before, hides, out);
                }
            }
            PieceKind::Framing | PieceKind::Text if scene.rejected => {}
            PieceKind::Framing => {
                // Only beside a call is a stray closer a reason for doubt.
                let doubt = scene.strays && out.complete_calls() > 0;
                let kind = if doubt { Framing::Orphan } else { Framing::Markup };
                self.drop_accounts(len);
                self.setting.interrupt();
                out.framing(len, kind);
            }
            PieceKind::Text if scene.recovers => {
                // What stands beside a call is text, even if it was rejected with it.
                self.setting.pass(words);
                self.drop_accounts(len);
                out.text(len);
            }
            PieceKind::Text => {
                self.setting.pass(words);
                self.give(len, out);
            }
        }
    }

    /// Tells of what was not made a call, if it names a tool.
    pub(super) fn tell(&self, refused: Refused, start: usize, len: usize, out: &mut Out<'_>) {
        let Refused { rule, tool, refusal } = refused;
        if tool.is_none() && !matches!(refusal, Refusal::UnknownTool(_) | Refusal::Limit) {
            return;
        }
        let mut attempt = Attempt::new(Span { start, end: start + len }, rule, refusal);
        attempt.message =
            advice::message(&attempt.refusal, tool.as_deref(), &self.tools, &*self.dialect);
        attempt.tool = tool;
        out.attempt(attempt);
    }

    /// Tells of what was not made a call. It is text, or hidden from it.
    fn refuse(
        &mut self,
        refused: Refused,
        words: &str,
        before: usize,
        hides: bool,
        out: &mut Out<'_>,
    ) {
        let start = out.offset(before);
        let cut = refused.refusal == Refusal::Cut;
        let reason = if cut { Reason::Incomplete } else { Reason::Leaked };
        self.tell(refused, start, words.len(), out);
        let len = before + words.len();
        if hides {
            self.setting.interrupt();
            self.drop_accounts(before);
            out.framing(before, Framing::Markup);
            self.reject(words.len(), reason, out);
        } else {
            self.setting.pass(words);
            self.give(len, out);
        }
    }

    /// Rejects bytes: for the inner parser's reason, if it has rejected them.
    fn reject(&mut self, len: usize, reason: Reason, out: &mut Out<'_>) {
        let own = self.within(len).find_map(|account| match &account.kind {
            Kind::Rejected(reason) => Some(reason.clone()),
            _ => None,
        });
        self.drop_accounts(len);
        out.reject(len, own.unwrap_or(reason));
    }
}

/// The form in which something was written, as it is told.
pub(super) fn rule(form: Form) -> Rule {
    match form {
        Form::Marked => Rule::Tags,
        Form::Bare(Bare::Json) => Rule::Json,
        Form::Bare(Bare::Python) => Rule::Python,
        Form::Bare(Bare::Bracketed) => Rule::Bracketed,
        Form::Bare(Bare::React) => Rule::React,
        Form::Bare(Bare::Addressed) => Rule::Addressed,
    }
}
