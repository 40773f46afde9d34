//! The net as a parser around a parser. The inner one reads as if it were alone;
//! what it makes text or rejects is looked through before it goes on.

mod accounts;
mod said;
mod settle;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use callsign_core::{
    Dialect, End, Event, Framing, Offer, Out, Parser, Piece as Input, Reader, Refusal, ToolCall,
    ToolChoice, Toolset,
};

use crate::judge::{Heard, Place, mend_native};
use crate::net::Known;
use crate::region::{FENCE, Followed, Region, Signs};
use crate::scan::{Bare, Form, Scan, Scanner};
use crate::setting::{Saying, Setting};
use crate::walk::Guide;
use accounts::{Account, Kind, Scope, Through};
use said::{Behind, Meant};

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
    calls: Calls,
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
    /// What is known to follow the call at the front, if it may have been only said.
    behind: Option<Behind>,
    /// What has come last.
    came: Came,
}

/// Which calls are recovered; the markup of others is only taken out of the text.
#[derive(Debug, Clone)]
pub(crate) enum Calls {
    /// Those that the tool choice allows.
    Chosen(ToolChoice),
    /// None: they stand beside those that a provider has read.
    Beside,
}

impl Calls {
    /// Why a call of a tool is not recovered.
    fn refusal(&self, tool: &str) -> Option<Refusal> {
        match self {
            Calls::Beside => Some(Refusal::BesideCalls),
            Calls::Chosen(ToolChoice::None) => Some(Refusal::NotChosen(None)),
            Calls::Chosen(ToolChoice::Named(name)) if name != tool => {
                Some(Refusal::NotChosen(Some(name.clone())))
            }
            Calls::Chosen(_) => None,
        }
    }
}

/// What has come last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// A call of the dialect, and perhaps brackets that close it once more.
    Call,
    /// One that was only said: its closers are text, too.
    Said,
    Else,
}

/// Something that may be a call.
struct Begun {
    region: Region,
    place: Place,
    /// The length of the white space before it, which is its own if it is one.
    separator: usize,
    /// How far it may go, as far as is known.
    scope: Scope,
    through: Through,
    /// Whether it began in text, so that the dialect knows nothing of it.
    leaked: bool,
}

/// What is known of the end of a region.
#[derive(Clone, Copy)]
struct RegionEnd {
    /// The output was cut there.
    cut: bool,
    /// A call follows that the dialect has read.
    proved: bool,
}

impl Netted {
    pub(crate) fn new(
        known: Arc<Known>,
        dialect: Arc<dyn Dialect>,
        heard: Arc<Heard>,
        calls: Calls,
        offer: &Offer<'_>,
    ) -> Self {
        let inner = Reader::new(&*dialect, offer);
        let net = Net {
            known,
            name: dialect.name().into(),
            dialect,
            tools: offer.tools.clone(),
            heard,
            calls,
            accounts: VecDeque::new(),
            setting: Setting::default(),
            passed: 0,
            region: None,
            cut: false,
            shown: None,
            behind: None,
            came: Came::Else,
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
                    Some(Account { len, kind: Kind::Text, blank }) => {
                        *len += text.len();
                        *blank &= text.trim().is_empty();
                        self.go(out, false);
                    }
                    Some(_) => {
                        let (len, blank) = (text.len(), text.trim().is_empty());
                        self.accounts.push_back(Account { len, kind: Kind::Text, blank });
                        self.go(out, false);
                    }
                };
            }
            Event::Reasoning { text, .. } => (text.len(), Kind::Reasoning),
            Event::Framing { text, kind, .. } => (text.len(), Kind::Framing(kind)),
            Event::Rejected { text, reason, .. } => (text.len(), Kind::Rejected(reason)),
            Event::Call { index, span, call, doubtful } => {
                (span.len(), Kind::Call { index, call: Box::new(call), doubtful })
            }
            Event::CallStarted { index, name } => {
                // While something waits in front of it, a call is not shown; nor while it
                // may only be said.
                if self.accounts.is_empty() && self.said_behind("") == Saying::No {
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
                    self.accounts.push_back(Account {
                        len: len - text,
                        kind: Kind::Text,
                        blank: false,
                    });
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
        self.accounts.push_back(Account { len, kind, blank: false });
        self.go(out, false);
    }

    /// Brackets right behind a native call that close it once more are markup.
    /// Says how many bytes went there.
    fn surplus(&mut self, len: usize, out: &mut Out<'_>) -> usize {
        if self.came != Came::Call {
            self.came = Came::Else;
            return 0;
        }
        let text = &out.pending()[..len];
        let brackets = text.bytes().take_while(|byte| matches!(byte, b'}' | b']')).count();
        if brackets < len {
            self.came = Came::Else;
        }
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
        let Net { known, tools, name, setting, .. } = self;
        let scanner = Scanner { vocabulary: &known.vocabulary, tools, dialect: Some(name) };
        scanner.scan(setting, text, self.passed, last)
    }

    /// Something begins here that may be a call.
    fn begin(&mut self, form: Form, separator: usize) {
        self.passed = 0;
        let place = self.place(form);
        let leaked =
            !matches!(self.accounts.front(), Some(Account { kind: Kind::Rejected(_), .. }));
        self.region = Some(Begun {
            region: Region::new(form),
            place,
            separator,
            scope: Scope::default(),
            through: Through::Nothing,
            leaked,
        });
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
        let Some(account) = self.accounts.front_mut() else { return false };
        match account.kind {
            Kind::Text => {}
            Kind::Framing(_) if self.came == Came::Said => {
                account.kind = Kind::Text;
                let len = account.len;
                self.setting.pass(&out.pending()[..len]);
                self.give(len, out);
                return true;
            }
            Kind::Call { .. } | Kind::Framing(Framing::Markup) => return self.read(out, last),
            Kind::Rejected(_) if self.came == Came::Call => {
                self.came = Came::Else;
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
        if self.came == Came::Call {
            let len = account.len;
            let surplus = self.surplus(len, out);
            self.drop_accounts(surplus);
            return true;
        }
        self.came = Came::Else;
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

    /// Passes the call or the markup at the front on, unless it belongs to a call that
    /// was not meant. Says whether there is more to do.
    fn read(&mut self, out: &mut Out<'_>, last: bool) -> bool {
        let meant = self.meant(out.pending(), last);
        match meant {
            Meant::Yes => self.pass(out),
            Meant::No(refusal, accounts) => self.said(&refusal, accounts, out),
            Meant::Unknown => return false,
        }
        true
    }

    /// Where something stands that begins here.
    fn place(&self, form: Form) -> Place {
        Place {
            announced: self.setting.is_example(true),
            example: self.setting.is_example(false)
                || form == Form::Bare(Bare::Python) && self.setting.is_program(),
            in_line: !self.setting.leads(),
            in_sentence: self.setting.is_in_sentence() || self.setting.is_enclosed(),
            first: self.setting.is_first(),
            followed: false,
            text_behind: false,
            punctuated: false,
        }
    }

    /// Follows what has begun. Says whether it has come to its end.
    fn follow(&mut self, mut begun: Begun, out: &mut Out<'_>, last: bool) -> bool {
        let form = begun.region.form;
        let mut scope = self.scope(form, begun.through, &mut begun.scope);
        let signs = Signs {
            vocabulary: &self.known.vocabulary,
            tools: &self.tools,
            dialect: Some(&self.name),
        };
        let waiting = &out.pending()[begun.separator..];
        if scope.call_behind && begun.through == Through::Nothing && begun.leaked {
            // A call in a value that is open is the value's, and is never run, even if
            // the value does not end. What the dialect has rejected it has ended
            // itself, where a call begins.
            let before = &waiting[..scope.length - begun.separator];
            let more = begun.region.follow(before, false, signs) == Followed::More;
            if more && begun.region.is_inside(before, &self.tools) {
                begun.through = Through::Calls;
                begun.scope = Scope::default();
                scope = self.scope(form, begun.through, &mut begun.scope);
            }
        }
        let Scope { length, over, text_behind, call_behind, .. } = scope;
        let text = &waiting[..length - begun.separator];
        match begun.region.follow(text, last || over, signs) {
            Followed::More => {
                self.region = Some(begun);
                false
            }
            Followed::Ends { at, followed } => {
                let bare = begun.region.form != Form::Marked;
                begun.place.followed = followed.is_some() || bare && text_behind;
                let rest = out.pending()[begun.separator + at..length].trim_start();
                // Another fence is more than half of one.
                let code = rest.starts_with('`') && text.starts_with(FENCE);
                begun.place.text_behind =
                    text_behind || !rest.is_empty() && (code || !signs.begins(rest));
                if bare && begun.region.is_ended() {
                    // What follows is not the model's.
                    (begun.place.text_behind, begun.place.followed) = (false, false);
                }
                begun.place.punctuated =
                    followed.is_some_and(|next| matches!(next, ',' | '.' | ';' | ':' | ')'));
                // Half a tag may stand behind it.
                let rest = text[at..].trim_start();
                let whole = rest.is_empty() || rest.starts_with(['<', '[']);
                let end =
                    RegionEnd { cut: self.cut && whole, proved: call_behind && rest.is_empty() };
                self.settle(&text[..at], &begun, end, out);
                true
            }
        }
    }

    /// A call that the dialect has read.
    fn native(
        &mut self,
        index: usize,
        call: &ToolCall,
        doubtful: bool,
        len: usize,
        out: &mut Out<'_>,
    ) {
        self.setting.interrupt();
        self.came = Came::Call;
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
