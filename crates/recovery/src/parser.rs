//! The net as a parser around a parser. The inner one reads as if it were alone;
//! what it makes text or rejects is looked through before it goes on.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use callsign_core::{
    Attempt, Dialect, End, Event, Framing, Offer, Out, Parser, Piece as Input, Provenance, Reader,
    Reason, Refusal, Rule, Span, ToolCall, Toolset,
};

use crate::advice;
use crate::judge::{Heard, Place, judge, mend_native};
use crate::net::Known;
use crate::region::{Followed, Region, Signs};
use crate::scan::{Bare, Form, Scan, Scanner};
use crate::setting::Setting;
use crate::walk::{Guide, Piece, PieceKind};

/// A parser with a net around it.
pub(crate) struct Netted {
    inner: Reader,
    net: Net,
}

/// What the net keeps of a turn.
struct Net {
    known: Arc<Known>,
    /// The dialect that is read, which writes what a model is told to write.
    dialect: Arc<dyn Dialect>,
    /// Its name.
    name: Box<str>,
    tools: Toolset,
    heard: Arc<Heard>,
    /// Whether calls are recovered, or their markup only taken out of the text.
    promote: bool,
    /// The accounts that the inner parser gave to what waits here.
    accounts: VecDeque<Account>,
    setting: Setting,
    /// Something that may be a call, and where it stands.
    region: Option<(Region, Place)>,
    /// The native call that is being shown.
    shown: Option<usize>,
    /// Whether nothing has come since a native call but brackets that close it
    /// once more.
    behind_call: bool,
}

/// Bytes with what the inner parser made of them.
struct Account {
    len: usize,
    kind: Kind,
}

enum Kind {
    Text,
    Reasoning,
    Framing(Framing),
    Rejected(Reason),
    Call { index: usize, call: Box<ToolCall>, doubtful: bool },
}

impl Netted {
    pub(crate) fn new(
        known: Arc<Known>,
        dialect: Arc<dyn Dialect>,
        heard: Arc<Heard>,
        promote: bool,
        offer: &Offer<'_>,
    ) -> Self {
        let inner = Reader::new(&*dialect, offer);
        let net = Net {
            known,
            name: dialect.name().into(),
            dialect,
            tools: offer.tools.clone(),
            heard,
            promote,
            accounts: VecDeque::new(),
            setting: Setting::default(),
            region: None,
            shown: None,
            behind_call: false,
        };
        Netted { inner, net }
    }
}

impl Parser for Netted {
    fn push(&mut self, out: &mut Out<'_>) {
        let pending = out.pending();
        if out.replaying() {
            // The inner reader has replayed the prompt itself.
            return out.text(pending.len());
        }
        let text = &pending[pending.len() - out.fresh()..];
        let piece = Input { text, origin: out.origin() };
        let net = &mut self.net;
        self.inner.push_piece(piece, &mut |event| net.take(event, out));
    }

    fn finish(&mut self, end: End, out: &mut Out<'_>) {
        // The inner reader ends with the turn: a plain one takes its place.
        let net = &mut self.net;
        self.inner.end(end, &mut |event| net.take(event, out));
        net.go(out, true);
    }
}

impl Net {
    fn take(&mut self, event: Event<'_>, out: &mut Out<'_>) {
        let (len, kind) = match event {
            Event::Text { text, .. } => {
                return match self.accounts.back_mut() {
                    None => self.text(text.len(), out),
                    Some(Account { len, kind: Kind::Text }) => {
                        *len += text.len();
                        self.go(out, false);
                    }
                    Some(_) => self.wait(text.len(), Kind::Text, out),
                };
            }
            Event::Reasoning { text, .. } => (text.len(), Kind::Reasoning),
            Event::Framing { text, kind, .. } => (text.len(), Kind::Framing(kind)),
            Event::Rejected { text, reason, .. } => (text.len(), Kind::Rejected(reason)),
            Event::Call { index, span, call, doubtful } => {
                (span.len(), Kind::Call { index, call: Box::new(call), doubtful })
            }
            Event::CallStarted { index, name } => {
                // While something waits in front of it, a call is not shown.
                if self.accounts.is_empty() {
                    out.start_call(&name);
                    self.shown = Some(index);
                }
                return;
            }
            Event::Arguments { index, fragment } => {
                if self.shown == Some(index) {
                    out.arguments().push_str(&fragment);
                    out.preview();
                }
                return;
            }
            Event::CallDropped { index } => {
                if self.shown == Some(index) {
                    out.drop_call();
                    self.shown = None;
                }
                return;
            }
            Event::Attempt(attempt) => return out.attempt(attempt),
            _ => return,
        };
        self.wait(len, kind, out);
    }

    /// Text, and nothing waits in front of it: most of it goes on at once.
    fn text(&mut self, len: usize, out: &mut Out<'_>) {
        if self.region.is_some() {
            return self.wait(len, Kind::Text, out);
        }
        let len = len - self.surplus(len, out);
        match self.scan(&out.pending()[..len], false) {
            Scan::Text(passed) => {
                out.text(passed);
                if passed < len {
                    self.accounts.push_back(Account { len: len - passed, kind: Kind::Text });
                }
            }
            Scan::Open(passed, form) => {
                self.region = Some((Region::new(form), self.place(form)));
                out.text(passed);
                self.wait(len - passed, Kind::Text, out);
            }
        }
    }

    /// Bytes wait for what becomes of them.
    fn wait(&mut self, len: usize, kind: Kind, out: &mut Out<'_>) {
        self.accounts.push_back(Account { len, kind });
        self.go(out, false);
    }

    /// Brackets right behind a native call that close it once more are markup.
    /// Says how many bytes went there.
    fn surplus(&mut self, len: usize, out: &mut Out<'_>) -> usize {
        if !self.behind_call {
            return 0;
        }
        let text = &out.pending()[..len];
        let brackets = text.bytes().take_while(|byte| matches!(byte, b'}' | b']')).count();
        self.behind_call = brackets == len;
        out.framing(brackets, Framing::Markup);
        brackets
    }

    fn scan(&mut self, text: &str, last: bool) -> Scan {
        let scanner = Scanner {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        };
        scanner.scan(&mut self.setting, text, last)
    }

    /// Does what can be done with what has its account.
    fn go(&mut self, out: &mut Out<'_>, last: bool) {
        loop {
            let progress = match self.region.take() {
                Some((region, place)) => self.follow(region, place, out, last),
                None => self.front(out, last),
            };
            if !progress {
                return;
            }
        }
    }

    /// Looks at what waits at the front, where nothing has begun. Says whether
    /// there is more to do.
    fn front(&mut self, out: &mut Out<'_>, last: bool) -> bool {
        let Some(account) = self.accounts.front() else { return false };
        match account.kind {
            Kind::Text => {}
            Kind::Rejected(_) if self.behind_call => {
                self.behind_call = false;
                return true;
            }
            Kind::Rejected(_) if !self.setting.is_quoted() && !self.setting.is_after_result() => {
                self.region = Some((Region::new(Form::Marked), self.place(Form::Marked)));
                return true;
            }
            _ => {
                self.pass(out);
                return true;
            }
        }
        if self.behind_call {
            let len = account.len;
            let surplus = self.surplus(len, out);
            self.drop_accounts(surplus);
            return true;
        }
        let (length, over) = self.run(|kind| matches!(kind, Kind::Text));
        match self.scan(&out.pending()[..length], last || over) {
            Scan::Text(passed) => {
                self.give(passed, out);
                passed == length && over
            }
            Scan::Open(passed, form) => {
                self.region = Some((Region::new(form), self.place(form)));
                self.give(passed, out);
                true
            }
        }
    }

    /// Where something stands that begins here.
    fn place(&self, form: Form) -> Place {
        Place {
            announced: self.setting.is_example(true),
            example: form != Form::Marked && self.setting.is_example(false),
            in_line: !self.setting.leads(),
            followed: false,
        }
    }

    /// How many bytes at the front are of a kind, and whether others follow them.
    fn run(&self, of: impl Fn(&Kind) -> bool) -> (usize, bool) {
        let run = self.accounts.iter().take_while(|account| of(&account.kind));
        let (count, length) =
            run.fold((0, 0), |(count, length), account| (count + 1, length + account.len));
        (length, count < self.accounts.len())
    }

    /// Follows what has begun. Says whether it has come to its end.
    fn follow(&mut self, mut region: Region, place: Place, out: &mut Out<'_>, last: bool) -> bool {
        let (length, over) =
            self.run(|kind| matches!(kind, Kind::Text | Kind::Rejected(_) | Kind::Framing(_)));
        let text = &out.pending()[..length];
        let signs = Signs {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        };
        match region.follow(text, last || over, signs) {
            Followed::More => {
                self.region = Some((region, place));
                false
            }
            Followed::Ends { at, followed } => {
                let place = Place { followed, ..place };
                self.settle(&text[..at], &region, place, out);
                true
            }
        }
    }

    /// The end of what may be a call is known.
    fn settle(&mut self, text: &str, region: &Region, place: Place, out: &mut Out<'_>) {
        let known = Arc::clone(&self.known);
        let tools = self.tools.clone();
        let dialect = Arc::clone(&self.dialect);
        let guide = Guide {
            vocabulary: &known.vocabulary,
            tools: &tools,
            dialect: Some(dialect.name()),
            python: &*known.python,
            guesses: known.guesses,
        };
        let pieces = judge(text, region, place, &self.heard, guide);
        debug_assert_eq!(pieces.iter().map(|piece| piece.span.len()).sum::<usize>(), text.len());
        let strays = !pieces.iter().any(|piece| !matches!(piece.kind, PieceKind::Framing));
        let base = out.offset(0);
        for piece in pieces {
            self.piece(piece, text, base, rule(region.form), strays, out);
        }
    }

    fn piece(
        &mut self,
        piece: Piece,
        text: &str,
        base: usize,
        rule: Rule,
        strays: bool,
        out: &mut Out<'_>,
    ) {
        let Piece { span, kind } = piece;
        let words = &text[span.clone()];
        match kind {
            PieceKind::Call(found) if self.promote => {
                self.shown = None;
                out.start_call(&found.name);
                if let Some(id) = &found.id {
                    out.call_id(id);
                }
                out.call_provenance(Provenance::Recovered(Box::new(found.recovered)));
                out.arguments().push_str(&found.arguments);
                self.drop_accounts(span.len());
                self.setting.interrupt();
                out.complete_call(span.len());
            }
            PieceKind::Call(found) => {
                let tool = Some(found.name);
                let refusal = Refusal::BesideCalls;
                self.refuse(words, found.recovered.rule, tool, refusal, true, out);
            }
            PieceKind::Failed(failed) => {
                let hides = matches!(
                    failed.refusal,
                    Refusal::Cut
                        | Refusal::Malformed { .. }
                        | Refusal::Guess(_)
                        | Refusal::UnknownKeys(_)
                        | Refusal::Limit
                ) && failed.tool.is_some();
                let refusal = match failed.refusal {
                    Refusal::Malformed { at, expected } => {
                        Refusal::Malformed { at: base + at, expected }
                    }
                    refusal => refusal,
                };
                self.refuse(words, rule, failed.tool, refusal, hides, out);
            }
            PieceKind::Framing => {
                let kind = if strays { Framing::Orphan } else { Framing::Markup };
                self.drop_accounts(span.len());
                self.setting.interrupt();
                out.framing(span.len(), kind);
            }
            PieceKind::Text => {
                self.setting.pass(words);
                self.give(span.len(), out);
            }
        }
    }

    /// Tells of what was not made a call. It is text, or hidden from it.
    fn refuse(
        &mut self,
        words: &str,
        rule: Rule,
        tool: Option<String>,
        refusal: Refusal,
        hides: bool,
        out: &mut Out<'_>,
    ) {
        let start = out.offset(0);
        let reason = if refusal == Refusal::Cut { Reason::Incomplete } else { Reason::Leaked };
        let says = tool.is_some() || matches!(refusal, Refusal::UnknownTool(_));
        if says {
            let span = Span { start, end: start + words.len() };
            let mut attempt = Attempt::new(span, rule, refusal);
            attempt.message =
                advice::message(&attempt.refusal, tool.as_deref(), &self.tools, &*self.dialect);
            attempt.tool = tool;
            out.attempt(attempt);
        }
        if hides {
            self.setting.interrupt();
            self.reject(words.len(), reason, out);
        } else {
            self.setting.pass(words);
            self.give(words.len(), out);
        }
    }

    /// Rejects bytes: for the inner parser's reason, if it has rejected them.
    fn reject(&mut self, len: usize, reason: Reason, out: &mut Out<'_>) {
        let mut own = None;
        let mut left = len;
        for account in &self.accounts {
            if left == 0 {
                break;
            }
            left = left.saturating_sub(account.len);
            if let Kind::Rejected(reason) = &account.kind {
                own = own.or(Some(reason.clone()));
            }
        }
        self.drop_accounts(len);
        out.reject(len, own.unwrap_or(reason));
    }

    /// Gives so many bytes at the front to the accounts of the inner parser.
    fn give(&mut self, len: usize, out: &mut Out<'_>) {
        let mut left = len;
        while left > 0 {
            let Some(account) = self.accounts.front_mut() else { return };
            let part = left.min(account.len);
            match &account.kind {
                Kind::Text | Kind::Call { .. } => out.text(part),
                Kind::Reasoning => out.reasoning(part),
                Kind::Framing(kind) => out.framing(part, *kind),
                Kind::Rejected(reason) => {
                    let reason = reason.clone();
                    out.reject(part, reason);
                }
            }
            left -= part;
            account.len -= part;
            if account.len == 0 {
                self.accounts.pop_front();
            }
        }
    }

    /// Forgets the inner accounts of so many bytes at the front.
    fn drop_accounts(&mut self, len: usize) {
        let mut left = len;
        while left > 0 {
            let Some(account) = self.accounts.front_mut() else { return };
            let part = left.min(account.len);
            left -= part;
            account.len -= part;
            if account.len == 0 {
                self.accounts.pop_front();
            }
        }
    }

    /// Passes the account at the front on as it is.
    fn pass(&mut self, out: &mut Out<'_>) {
        let Some(account) = self.accounts.pop_front() else { return };
        self.behind_call = false;
        match account.kind {
            Kind::Text => out.text(account.len),
            Kind::Reasoning => {
                self.setting.interrupt();
                out.reasoning(account.len);
            }
            Kind::Framing(kind) => out.framing(account.len, kind),
            Kind::Rejected(reason) => {
                self.setting.interrupt();
                out.reject(account.len, reason);
            }
            Kind::Call { index, call, doubtful } => {
                self.native(index, *call, doubtful, account.len, out)
            }
        }
    }

    /// A call that the dialect has read.
    fn native(
        &mut self,
        index: usize,
        call: ToolCall,
        doubtful: bool,
        len: usize,
        out: &mut Out<'_>,
    ) {
        self.setting.interrupt();
        self.behind_call = true;
        let known = Arc::clone(&self.known);
        let guide = Guide {
            vocabulary: &known.vocabulary,
            tools: &self.tools,
            dialect: Some(self.dialect.name()),
            python: &*known.python,
            guesses: known.guesses,
        };
        let mended = mend_native(&call.name, call.arguments.as_str(), guide);
        let shown = self.shown.take() == Some(index);
        let (name, arguments) = match &mended {
            Some((name, arguments, _)) => (Cow::Borrowed(&**name), &**arguments),
            None => (Cow::Borrowed(&*call.name), call.arguments.as_str()),
        };
        if mended.is_some() || !shown {
            out.start_call(&name);
            out.arguments().push_str(arguments);
        }
        if let Some((_, _, provenance)) = mended {
            out.call_provenance(provenance);
        }
        if let Some(id) = &call.id {
            out.call_id(id);
        }
        if doubtful {
            out.doubt_call();
        }
        out.complete_call(len);
    }
}

fn rule(form: Form) -> Rule {
    match form {
        Form::Marked => Rule::Tags,
        Form::Bare(Bare::Json) => Rule::Json,
        Form::Bare(Bare::Python) => Rule::Python,
        Form::Bare(Bare::Bracketed) => Rule::Bracketed,
        Form::Bare(Bare::React) => Rule::React,
        Form::Bare(Bare::Addressed) => Rule::Addressed,
    }
}
