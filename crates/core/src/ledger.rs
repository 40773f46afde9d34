//! The ledger: every byte of output waits in one buffer until a parser moves
//! it, from the front, to exactly one account.

use std::borrow::Cow;

use crate::buffer::{ArgumentsBuffer, Flow};
use crate::{
    Attempt, Event, Framing, Limit, Limits, Origin, Provenance, Reason, Span, ToolCall, json,
};

/// What a parser reads from and accounts to.
pub struct Out<'a> {
    ledger: &'a mut Ledger,
    sink: &'a mut dyn FnMut(Event<'_>),
    /// Every byte without an account, held ones included.
    window: &'a str,
    /// How many bytes of the window have gone to an account for good.
    used: usize,
    fresh: usize,
    flowed: usize,
    origin: Origin,
}

/// What a ledger keeps between two pushes.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) limits: Limits,
    /// The offset in the output of the first byte of the window.
    position: usize,
    /// How many bytes at the front of the window come from the prompt.
    prompt: usize,
    /// Whether the prompt is being replayed: nothing is reported.
    replaying: bool,
    /// Whether nothing stands between an account and the sink: no prompt, no
    /// trial.
    direct: bool,
    /// How many bytes of the window have an account on trial.
    held: usize,
    open: Option<OpenCall>,
    /// The open call's text, kept here so that its buffers are used again.
    arguments: ArgumentsBuffer,
    next_index: usize,
    complete: usize,
    trial: Option<Trial>,
}

/// A started call.
#[derive(Debug)]
struct OpenCall {
    index: usize,
    name: String,
    id: Option<String>,
    announced: bool,
    doubtful: bool,
    provenance: Provenance,
    /// What flows past the parser, and how many bytes have.
    flow: Option<(Flow, usize)>,
}

/// Accounts that can still be taken back.
#[derive(Debug)]
struct Trial {
    previews: Previews,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    len: usize,
    account: Account,
}

#[derive(Debug)]
enum Account {
    Text,
    Reasoning,
    Framing(Framing),
    Call { index: usize, call: ToolCall, announced: bool, doubtful: bool },
    Rejected(Reason),
}

/// Whether previews are shown while accounts are on trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Previews {
    /// They are shown, and dropped if the trial fails.
    Show,
    /// They wait for the verdict.
    Wait,
}

/// Where bytes go whose trial failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retract {
    /// They were text.
    Text,
    /// They were reasoning.
    Reasoning,
}

impl<'a> Out<'a> {
    pub(crate) fn new(
        ledger: &'a mut Ledger,
        window: &'a str,
        fresh: usize,
        origin: Origin,
        sink: &'a mut dyn FnMut(Event<'_>),
    ) -> Self {
        Out { ledger, sink, window, used: 0, fresh, flowed: 0, origin }
    }

    /// The bytes without an account, oldest first.
    #[inline]
    pub fn pending(&self) -> &'a str {
        &self.window[self.used + self.ledger.held..]
    }

    /// How many bytes at the end of [`Out::pending`] are new in this push.
    #[inline]
    pub fn fresh(&self) -> usize {
        self.fresh
    }

    /// How many bytes before the new ones have flowed past the parser, into the
    /// arguments: see [`Out::let_flow`].
    #[inline]
    pub fn flowed(&self) -> usize {
        self.flowed
    }

    /// Where the new bytes came from.
    #[inline]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Whether what is pending comes from the prompt, not from the model.
    pub fn replaying(&self) -> bool {
        self.ledger.replaying
    }

    /// The bounds this turn is read with.
    pub fn limits(&self) -> &Limits {
        &self.ledger.limits
    }

    /// How many calls are complete, those on trial included.
    pub fn complete_calls(&self) -> usize {
        self.ledger.complete
    }

    /// The offset in the output of the pending byte `at`.
    pub fn offset(&self, at: usize) -> usize {
        (self.ledger.position + self.ledger.held + at).saturating_sub(self.ledger.prompt)
    }

    /// The next `len` pending bytes are text for the user.
    #[inline]
    pub fn text(&mut self, len: usize) {
        match self.plain(len) {
            Some((span, text)) => (self.sink)(Event::Text { span, text: Cow::Borrowed(text) }),
            None => self.account(len, Account::Text),
        }
    }

    /// The next `len` pending bytes are reasoning.
    #[inline]
    pub fn reasoning(&mut self, len: usize) {
        match self.plain(len) {
            Some((span, text)) => (self.sink)(Event::Reasoning { span, text: Cow::Borrowed(text) }),
            None => self.account(len, Account::Reasoning),
        }
    }

    /// The next `len` pending bytes are markup of no call.
    pub fn framing(&mut self, len: usize, kind: Framing) {
        self.account(len, Account::Framing(kind));
    }

    /// A call has begun: its head is complete. A call that is still open is
    /// dropped.
    pub fn start_call(&mut self, name: &str) {
        self.drop_call();
        self.ledger.arguments.begin();
        let index = self.ledger.next_index;
        self.ledger.next_index += 1;
        self.ledger.open = Some(OpenCall {
            index,
            name: name.to_owned(),
            id: None,
            announced: false,
            doubtful: false,
            provenance: Provenance::Native,
            flow: None,
        });
        self.announce();
    }

    /// The id the model gave the open call.
    pub fn call_id(&mut self, id: &str) {
        if let Some(open) = &mut self.ledger.open {
            open.id = Some(id.to_owned());
        }
    }

    /// Where the open call comes from, if its dialect did not read it as it
    /// stands.
    pub fn call_provenance(&mut self, provenance: Provenance) {
        if let Some(open) = &mut self.ledger.open {
            open.provenance = provenance;
        }
    }

    /// A remark on bytes that have their account, or are about to get one.
    pub fn attempt(&mut self, attempt: Attempt) {
        if !self.ledger.replaying {
            (self.sink)(Event::Attempt(attempt));
        }
    }

    /// The end of the open call is in doubt: a value in it may have gone on.
    pub fn doubt_call(&mut self) {
        if let Some(open) = &mut self.ledger.open {
            open.doubtful = true;
        }
    }

    /// Whether the end of the open call is in doubt.
    pub fn call_doubted(&self) -> bool {
        self.ledger.open.as_ref().is_some_and(|open| open.doubtful)
    }

    /// The arguments of the open call.
    #[inline]
    pub fn arguments(&mut self) -> &mut ArgumentsBuffer {
        &mut self.ledger.arguments
    }

    /// Lets text flow past the parser. All that is pending is in the arguments,
    /// inside of a JSON string; what follows goes on in it, up to a push that
    /// holds anything else. That push comes to the parser, and [`Out::flowed`]
    /// says how much went past before it.
    ///
    /// Most pieces in which models write are such text, so they cost a few moves
    /// and no more. Where nothing is shown, nothing flows.
    pub fn let_flow(&mut self, flow: Flow) {
        if !self.ledger.arguments.waits()
            && self.previewing()
            && let Some(open) = &mut self.ledger.open
        {
            open.flow = Some((flow, 0));
        }
    }

    /// Shows what has been appended to the arguments since the last preview.
    pub fn preview(&mut self) {
        if self.ledger.arguments.waits() && self.previewing() {
            self.announce();
            let Some(open) = &self.ledger.open else { return };
            let fragment = Cow::Borrowed(self.ledger.arguments.show());
            (self.sink)(Event::Arguments { index: open.index, fragment });
        }
    }

    /// The open call is complete and owns the next `len` pending bytes. Its
    /// arguments must be one JSON object.
    pub fn complete_call(&mut self, len: usize) {
        if self.ledger.complete >= self.ledger.limits.calls {
            return self.reject(len, Reason::Limit { limit: Limit::Calls });
        }
        self.preview();
        let Some(open) = self.ledger.open.take() else {
            return self.text(len);
        };
        let text = self.ledger.arguments.take();
        debug_assert!(json::is_object(&text), "arguments are one JSON object: {text}");
        self.ledger.complete += 1;
        let OpenCall { index, name, id, announced, doubtful, provenance, flow: _ } = open;
        let mut call = ToolCall::new(name, crate::Arguments::from_scanned(text));
        call.id = id;
        call.provenance = provenance;
        self.account(len, Account::Call { index, call, announced, doubtful });
    }

    /// The next `len` pending bytes began as a call and are none.
    pub fn reject(&mut self, len: usize, reason: Reason) {
        self.drop_call();
        self.account(len, Account::Rejected(reason));
    }

    /// Puts all accounts from here on on trial: they wait for
    /// [`Out::release`] or [`Out::retract`].
    pub fn hold(&mut self, previews: Previews) {
        if self.ledger.trial.is_none() {
            self.ledger.trial = Some(Trial { previews, entries: Vec::new() });
            self.ledger.direct = false;
        }
    }

    /// Whether accounts are on trial.
    pub fn holding(&self) -> bool {
        self.ledger.trial.is_some()
    }

    /// The bytes that have an account on trial.
    pub fn on_trial(&self) -> &'a str {
        &self.window[self.used..self.used + self.ledger.held]
    }

    /// The accounts on trial stand.
    pub fn release(&mut self) {
        let Some(trial) = self.ledger.trial.take() else { return };
        self.ledger.held = 0;
        self.ledger.settle();
        for entry in trial.entries {
            self.report(entry.len, entry.account);
        }
    }

    /// The accounts on trial fall: their bytes and the next `len` pending ones
    /// go to one account.
    pub fn retract(&mut self, len: usize, to: Retract) {
        self.drop_call();
        let held = std::mem::take(&mut self.ledger.held);
        if let Some(trial) = self.ledger.trial.take() {
            self.ledger.settle();
            for entry in &trial.entries {
                if let Account::Call { index, announced, .. } = entry.account {
                    self.ledger.complete -= 1;
                    if announced {
                        (self.sink)(Event::CallDropped { index });
                    }
                }
            }
        }
        let account = match to {
            Retract::Text => Account::Text,
            Retract::Reasoning => Account::Reasoning,
        };
        self.report(held + len, account);
    }

    /// Ends the turn: nothing stays without an account.
    pub(crate) fn close(&mut self) {
        let rest = self.pending().len();
        if self.ledger.open.is_some() {
            self.reject(rest, Reason::Incomplete);
        } else {
            self.text(rest);
        }
        self.release();
    }

    /// Takes everything that waits, because it is too much.
    pub(crate) fn overflow(&mut self) {
        self.release();
        let rest = self.pending().len();
        self.reject(rest, Reason::Limit { limit: Limit::Length });
    }

    /// What has flowed past the parser comes to its notice.
    pub(crate) fn end_flow(&mut self) {
        let flow = self.ledger.open.as_mut().and_then(|open| open.flow.take());
        self.flowed = flow.map_or(0, |(_, bytes)| bytes);
    }

    pub(crate) fn used(&self) -> usize {
        self.used
    }

    #[inline]
    fn previewing(&self) -> bool {
        self.ledger.direct
            || !self.ledger.replaying
                && match &self.ledger.trial {
                    Some(trial) => trial.previews == Previews::Show,
                    None => true,
                }
    }

    fn announce(&mut self) {
        if !self.previewing() {
            return;
        }
        if let Some(open) = &mut self.ledger.open
            && !open.announced
        {
            open.announced = true;
            let (index, name) = (open.index, Cow::Borrowed(open.name.as_str()));
            (self.sink)(Event::CallStarted { index, name });
        }
    }

    /// The open call comes to nothing. Its bytes keep waiting.
    pub fn drop_call(&mut self) {
        if let Some(open) = self.ledger.open.take()
            && open.announced
        {
            (self.sink)(Event::CallDropped { index: open.index });
        }
    }

    /// Books `len` bytes if nothing stands in the way: no trial, no prompt. This
    /// is how nearly all bytes of a turn go.
    #[inline]
    fn plain(&mut self, len: usize) -> Option<(Span, &'a str)> {
        let ledger = &mut *self.ledger;
        if len == 0 || !ledger.direct {
            return None;
        }
        let text = &self.window[self.used..self.used + len];
        self.used += len;
        let start = ledger.position;
        ledger.position += len;
        Some((Span { start, end: ledger.position }, text))
    }

    fn account(&mut self, len: usize, account: Account) {
        match &mut self.ledger.trial {
            None => self.report(len, account),
            Some(trial) => {
                self.ledger.held += len;
                trial.entries.push(Entry { len, account });
            }
        }
    }

    /// Books `len` bytes for good and tells the sink.
    fn report(&mut self, len: usize, account: Account) {
        let from_prompt = self.ledger.prompt.min(len);
        let text = &self.window[self.used + from_prompt..self.used + len];
        self.used += len;
        self.ledger.prompt -= from_prompt;
        self.ledger.settle();
        if self.ledger.replaying {
            return;
        }
        let start = self.ledger.position;
        let span = Span { start, end: start + text.len() };
        self.ledger.position = span.end;
        let borrowed = Cow::Borrowed(text);
        let event = match account {
            Account::Call { index, call, announced, doubtful } => {
                if !announced {
                    self.preview_whole(index, &call);
                }
                Event::Call { index, span, call, doubtful }
            }
            _ if text.is_empty() => return,
            Account::Text => Event::Text { span, text: borrowed },
            Account::Reasoning => Event::Reasoning { span, text: borrowed },
            Account::Framing(kind) => Event::Framing { span, text: borrowed, kind },
            Account::Rejected(reason) => Event::Rejected { span, text: borrowed, reason },
        };
        (self.sink)(event);
    }

    fn preview_whole(&mut self, index: usize, call: &ToolCall) {
        (self.sink)(Event::CallStarted { index, name: Cow::Borrowed(&call.name) });
        let fragment = Cow::Borrowed(call.arguments.as_str());
        (self.sink)(Event::Arguments { index, fragment });
    }
}

impl Ledger {
    pub(crate) fn new(limits: Limits) -> Self {
        Ledger {
            limits,
            position: 0,
            prompt: 0,
            replaying: false,
            direct: true,
            held: 0,
            open: None,
            arguments: ArgumentsBuffer::default(),
            next_index: 0,
            complete: 0,
            trial: None,
        }
    }

    /// Takes `text` past the parser, if it may flow. Says whether it did.
    #[inline]
    pub(crate) fn flow(&mut self, text: &str, sink: &mut dyn FnMut(Event<'_>)) -> bool {
        let Some(OpenCall { index, flow: Some((flow, bytes)), .. }) = &mut self.open else {
            return false;
        };
        if !self.arguments.flow(*flow, text) {
            return false;
        }
        *bytes += text.len();
        let fragment = Cow::Borrowed(self.arguments.show());
        sink(Event::Arguments { index: *index, fragment });
        true
    }

    /// Marks the next `len` bytes as the prompt's.
    pub(crate) fn replay(&mut self, len: usize) {
        self.prompt = len;
        self.replaying = true;
        self.direct = false;
    }

    pub(crate) fn replayed(&mut self) {
        self.replaying = false;
        self.settle();
    }

    /// Something that stood between an account and the sink may have gone.
    fn settle(&mut self) {
        self.direct = self.prompt == 0 && !self.replaying && self.trial.is_none();
    }
}
