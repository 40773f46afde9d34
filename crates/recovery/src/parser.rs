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
use crate::walk::{Failed, Guide, Piece, PieceKind};

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
    /// How much of what waits at the front the setting knows.
    passed: usize,
    /// Something that may be a call.
    region: Option<Begun>,
    /// Whether the output was cut, which is known at its end.
    cut: bool,
    /// The native call that is being shown.
    shown: Option<usize>,
    /// Whether nothing has come since a native call but brackets that close it
    /// once more.
    behind_call: bool,
}

/// Something that may be a call.
struct Begun {
    region: Region,
    place: Place,
    /// The length of the white space before it, which is its own if it is one.
    separator: usize,
}

/// What is known of the end of a region.
struct RegionEnd {
    /// The output was cut there.
    cut: bool,
    /// A call follows that the dialect has read.
    proved: bool,
}

/// How far something may go that has begun.
struct Scope {
    length: usize,
    /// Whether other things follow it, so that it goes no further.
    over: bool,
    /// Whether text follows it behind markup.
    text_behind: bool,
    /// Whether a call follows it that the dialect has read.
    call_behind: bool,
}

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
struct Refused {
    rule: Rule,
    tool: Option<String>,
    refusal: Refusal,
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
            passed: 0,
            region: None,
            cut: false,
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
        net.cut = end == End::Cut;
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
        let rest = match self.scan(&out.pending()[..len], false) {
            Scan::Text { len: text, passed } => {
                out.text(text);
                self.passed = passed - text;
                if text < len {
                    self.accounts.push_back(Account { len: len - text, kind: Kind::Text });
                }
                return;
            }
            Scan::Open { len: text, separator, form } => {
                self.begin(form, separator);
                out.text(text);
                len - text
            }
        };
        self.wait(rest, Kind::Text, out);
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

    fn scanner(&self) -> Scanner<'_> {
        Scanner {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        }
    }

    fn scan(&mut self, text: &str, last: bool) -> Scan {
        let scanner = Scanner {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        };
        scanner.scan(&mut self.setting, text, self.passed, last)
    }

    /// Something begins here that may be a call.
    fn begin(&mut self, form: Form, separator: usize) {
        self.passed = 0;
        let place = self.place(form);
        self.region = Some(Begun { region: Region::new(form), place, separator });
    }

    /// Does what can be done with what has its account.
    fn go(&mut self, out: &mut Out<'_>, last: bool) {
        loop {
            let progress = match self.region.take() {
                Some(begun) => self.follow(begun, out, last),
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
            Kind::Rejected(_) if !self.setting.is_quoted() && !self.setting.is_over() => {
                let len = account.len;
                let form = self.scanner().form(&out.pending()[..len]);
                self.begin(form, 0);
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
            Scan::Text { len, passed } => {
                self.give(len, out);
                self.passed = passed - len;
                len == length && over
            }
            Scan::Open { len, separator, form } => {
                self.begin(form, separator);
                self.give(len, out);
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
            in_sentence: self.setting.is_in_sentence(),
            first: self.setting.is_first(),
            followed: false,
            punctuated: false,
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
    fn follow(&mut self, mut begun: Begun, out: &mut Out<'_>, last: bool) -> bool {
        let Scope { length, over, text_behind, call_behind } =
            self.scope(begun.region.form, out.pending());
        let text = &out.pending()[begun.separator..length];
        let signs = Signs {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        };
        match begun.region.follow(text, last || over, signs) {
            Followed::More => {
                self.region = Some(begun);
                false
            }
            Followed::Ends { at, followed } => {
                let bare = begun.region.form != Form::Marked;
                begun.place.followed = followed.is_some() || bare && text_behind;
                begun.place.punctuated =
                    followed.is_some_and(|next| matches!(next, ',' | '.' | ';' | ':' | ')'));
                // Half a tag may stand behind it.
                let rest = text[at..].trim_start();
                let whole = rest.is_empty() || rest.starts_with(['<', '[']);
                let end = RegionEnd {
                    cut: self.cut && last && whole,
                    proved: call_behind && rest.is_empty(),
                };
                self.settle(&text[..at], &begun, end, out);
                true
            }
        }
    }

    /// How far what has begun may go: over text and what is rejected, and over the
    /// markup between them.
    fn scope(&self, form: Form, pending: &str) -> Scope {
        let mut scope = Scope { length: 0, over: false, text_behind: false, call_behind: false };
        let mut markup = false;
        let mut at = 0;
        for account in &self.accounts {
            let words = &pending[at..at + account.len];
            let behind_markup = markup;
            at += account.len;
            match account.kind {
                // Behind markup, text belongs to it no more.
                Kind::Text if behind_markup => {
                    scope.over = true;
                    scope.text_behind |= !words.trim().is_empty();
                }
                Kind::Text => scope.length = at,
                Kind::Rejected(_) if form == Form::Marked && !scope.over => scope.length = at,
                Kind::Rejected(_) if !behind_markup => scope.length = at,
                Kind::Framing(_) if form == Form::Marked && !scope.over => {
                    scope.length = at;
                    markup = true;
                }
                Kind::Framing(_) => markup = true,
                Kind::Call { .. } => {
                    scope.call_behind = !scope.over;
                    scope.over = true;
                    break;
                }
                _ => {
                    scope.over = true;
                    break;
                }
            }
        }
        scope
    }

    /// The end of what may be a call is known.
    fn settle(&mut self, text: &str, begun: &Begun, end: RegionEnd, out: &mut Out<'_>) {
        let Begun { region, place, separator } = begun;
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
        if region.is_ended(&known.vocabulary, Some(&self.name)) {
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
            PieceKind::Call(found) if self.promote => {
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
            PieceKind::Call(found) => {
                let refused = Refused {
                    rule: found.recovered.rule,
                    tool: Some(found.name),
                    refusal: Refusal::BesideCalls,
                };
                self.refuse(refused, words, before, true, out);
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
                    Refusal::Cut
                        | Refusal::Malformed { .. }
                        | Refusal::Guess(_)
                        | Refusal::UnknownKeys(_)
                        | Refusal::Limit
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
    fn tell(&self, refused: Refused, start: usize, len: usize, out: &mut Out<'_>) {
        let Refused { rule, tool, refusal } = refused;
        if tool.is_none() && !matches!(refusal, Refusal::UnknownTool(_)) {
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

    /// Whether the inner parser has rejected any of so many bytes at the front.
    fn rejects(&self, len: usize) -> bool {
        self.within(len).any(|account| matches!(account.kind, Kind::Rejected(_)))
    }

    /// The length of all accounts of which some is among so many bytes.
    fn extent(&self, len: usize) -> usize {
        self.within(len).map(|account| account.len).sum()
    }

    /// The accounts of so many bytes at the front.
    fn within(&self, len: usize) -> impl Iterator<Item = &Account> {
        let mut at = 0;
        self.accounts.iter().take_while(move |account| {
            at += account.len;
            at - account.len < len
        })
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
            cut: false,
            proved: false,
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
