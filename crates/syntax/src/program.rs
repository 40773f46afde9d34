//! What a description is compiled to: a graph of small states that a machine
//! walks, and the places where it scans instead.

use std::sync::Arc;

use callsign_core::{ByteSet, Nulls};

use crate::audit::look;
use crate::description::{Frame, Outside};
use crate::walk::is_space;

/// A compiled description.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) states: Vec<State>,
    pub(crate) values: Vec<ValueSpec>,
    pub(crate) objects: Vec<ObjectSpec>,
    pub(crate) literals: Vec<LiteralSpec>,
    pub(crate) elements: Vec<ElementsSpec>,
    pub(crate) rests: Vec<RestSpec>,
    pub(crate) proses: Vec<Prose>,
    pub(crate) outside: Outside,
    /// Where a turn begins whose reasoning the prompt opened.
    pub(crate) reasoning: Option<StateId>,
    /// The texts that close reasoning.
    pub(crate) reasoning_closers: Vec<Box<[u8]>>,
    /// The stop tokens.
    pub(crate) stops: Option<StateId>,
    /// The same after a stop token: more of them may follow.
    pub(crate) stopped: Option<StateId>,
    /// Where a turn begins that may be calls from its first byte to its last.
    pub(crate) whole_turn: Option<StateId>,
}

pub(crate) type StateId = u16;

/// One state of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum State {
    /// Fixed text, one of several.
    Choice(Choice),
    /// A run of bytes that end where something else must follow.
    Slot(Slot),
    /// The value of an argument between tags.
    Value { spec: u16, next: StateId },
    /// A JSON object whose brace has been read.
    Json { next: StateId },
    /// A call as a JSON object whose brace has been read.
    Object { spec: u16, next: StateId },
    /// Arguments written as literals, whose bracket has been read.
    Literals { spec: u16, next: StateId },
    /// Arguments written as elements.
    Elements { spec: u16, next: StateId },
    /// Everything up to the end of the turn, as one argument of one tool.
    Rest { spec: u16, next: StateId },
    /// Something is complete: no byte is read.
    Mark(Mark, StateId),
}

/// Fixed text, one of several. No two branches begin with the same byte.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Choice {
    pub(crate) space: Space,
    pub(crate) branches: Vec<Branch>,
    /// Where to go if no branch fits. The bytes are looked at again.
    pub(crate) otherwise: Option<StateId>,
    /// Whether this is the second half of texts that begin alike: if nothing
    /// fits here, the first half did not fit either.
    pub(crate) inner: bool,
}

/// White space in front of a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Ord, Eq, Hash)]
pub(crate) enum Space {
    #[default]
    None,
    Newlines,
    Any,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Branch {
    /// Shared, since states are built from each other.
    pub(crate) text: Arc<[u8]>,
    /// Whether the text begins with a token of the vocabulary.
    pub(crate) token: bool,
    pub(crate) next: StateId,
}

/// A run of bytes with a meaning.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Slot {
    pub(crate) kind: SlotKind,
    /// First bytes of what may follow.
    pub(crate) stops: Vec<u8>,
    pub(crate) next: StateId,
    /// Where to go if nothing fits the slot. The bytes are looked at again.
    pub(crate) otherwise: Option<StateId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum SlotKind {
    Name,
    Key,
    Type,
    Word,
    Index,
}

/// What is complete when a mark is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Mark {
    /// A region's edge: what was walked is framing, and this prose goes on.
    Enter(ProseId),
    /// The head of a call.
    Head,
    /// Where a call begins that counts only if the whole turn is calls.
    Whole,
    /// The id of the call begins here.
    IdStart,
    /// The id of the call ends here.
    IdEnd,
    /// A call.
    Call,
    /// After a call nothing of its region follows.
    Leave,
    /// A closer that closes nothing.
    Orphan,
    /// A stop token.
    Stop,
    /// Inside a value: its closing tag.
    Closed,
    /// Inside a value: structure after the closing tag.
    Structure,
    /// Inside a value: no structure after the closing tag.
    NoStructure,
    /// Inside a value: an opening tag of its kind.
    Opened,
    /// In a broken call: what closes its region.
    Resync,
    /// In a broken call: what opens another.
    Reopen,
    /// In a broken call on trial, or between such: what closes the reasoning.
    Rehearsed,
}

/// Text that flows until something opens or closes.
#[derive(Debug)]
pub(crate) struct Prose {
    /// The choice of what ends the flow.
    pub(crate) entry: StateId,
    /// The first bytes of that.
    pub(crate) firsts: Firsts,
    /// Whether what flows here is text for somebody.
    pub(crate) text: bool,
}

/// A few bytes to look for.
#[derive(Debug)]
pub(crate) struct Firsts {
    bytes: Vec<u8>,
    table: Box<[bool; 256]>,
}

impl Firsts {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        let mut table = Box::new([false; 256]);
        for byte in &bytes {
            table[usize::from(*byte)] = true;
        }
        Firsts { bytes, table }
    }

    /// Where the first of them stands in `bytes`.
    #[inline]
    pub(crate) fn find(&self, bytes: &[u8]) -> Option<usize> {
        // Below this length a plain loop is cheaper than setting up a search.
        if bytes.len() < 16 {
            return bytes.iter().position(|byte| self.table[usize::from(*byte)]);
        }
        match *self.bytes {
            [] => None,
            [a] => memchr::memchr(a, bytes),
            [a, b] => memchr::memchr2(a, b, bytes),
            [a, b, c] => memchr::memchr3(a, b, c, bytes),
            _ => bytes.iter().position(|byte| self.table[usize::from(*byte)]),
        }
    }
}

/// The proses every program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ProseId {
    /// Outside the regions, before any call.
    Outside,
    /// Outside the regions, after a call.
    AfterCall,
    /// In reasoning.
    Reasoning,
    /// In reasoning, where nothing is a call.
    PlainReasoning,
    /// Between calls that stand in open reasoning.
    Rehearsal,
    /// In a region of content.
    Content,
    /// In a broken call.
    Broken,
    /// In a broken call that stands in open reasoning.
    BrokenRehearsal,
}

impl ProseId {
    pub(crate) const ALL: [ProseId; 8] = [
        ProseId::Outside,
        ProseId::AfterCall,
        ProseId::Reasoning,
        ProseId::PlainReasoning,
        ProseId::Rehearsal,
        ProseId::Content,
        ProseId::Broken,
        ProseId::BrokenRehearsal,
    ];
}

/// How the value of an argument is scanned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ValueSpec {
    pub(crate) coding: Coding,
    pub(crate) frame: Frame,
    pub(crate) nulls: Nulls,
    /// The first byte of the closing tag and of an opening tag.
    pub(crate) first: u8,
    /// The bytes that may follow it there.
    pub(crate) second: ByteSet,
    /// Tells what stands at such a byte.
    pub(crate) probe: StateId,
}

/// How the text of a value becomes JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Coding {
    Raw,
    /// Raw with entities, or a section of character data, whose end this tells.
    Cdata(StateId),
    /// By the argument's stated type: this word is text.
    Typed(Box<str>),
}

/// The keys of a call that is a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ObjectSpec {
    pub(crate) name: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) id: Option<String>,
}

/// How literals are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LiteralSpec {
    /// As the keywords of a Python call.
    Python,
    /// With bare keys, and strings between delimiters.
    Braces { quote: Box<[u8]> },
}

/// How elements are written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ElementsSpec {
    pub(crate) prefix: Box<[u8]>,
    /// The tag of an array's member.
    pub(crate) item: Box<str>,
}

/// What the rest of a turn is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RestSpec {
    pub(crate) tool: String,
    pub(crate) key: String,
}

impl Program {
    #[inline]
    pub(crate) fn state(&self, id: StateId) -> &State {
        &self.states[usize::from(id)]
    }

    /// Whether all of `bytes` is text of a prose and can be told so at once.
    #[inline]
    pub(crate) fn flows(&self, id: ProseId, bytes: &[u8]) -> bool {
        let prose = self.prose(id);
        // Longer pieces are worth the whole machinery.
        if !prose.text || bytes.len() > 64 {
            return false;
        }
        // A newline at the end may be framing, and what follows it.
        if bytes.last().is_some_and(|last| *last <= b' ')
            && bytes.iter().rev().take_while(|byte| is_space(**byte)).any(|byte| *byte == b'\n')
        {
            return false;
        }
        match prose.firsts.find(bytes) {
            None => {
                look(bytes.len());
                true
            }
            Some(at) => self.find_edge(id, bytes, at).is_none(),
        }
    }

    /// Where from `from` on the first byte stands that may begin the end of a
    /// prose, as far as the bytes tell.
    #[inline]
    pub(crate) fn find_edge(&self, id: ProseId, bytes: &[u8], from: usize) -> Option<usize> {
        let prose = self.prose(id);
        let mut at = from;
        loop {
            let Some(hit) = prose.firsts.find(&bytes[at..]) else {
                look(bytes.len() - at);
                return None;
            };
            look(hit + 1);
            at += hit;
            if self.may_begin(prose.entry, &bytes[at..]) {
                return Some(at);
            }
            at += 1;
        }
    }

    /// Where in `bytes` a text of a choice may begin, as far as they tell.
    pub(crate) fn find_text(&self, entry: StateId, bytes: &[u8]) -> Option<usize> {
        let State::Choice(choice) = self.state(entry) else { return None };
        let begins = |byte: &u8| choice.branches.iter().any(|branch| branch.text[0] == *byte);
        (0..bytes.len()).find(|at| begins(&bytes[*at]) && self.may_begin(entry, &bytes[*at..]))
    }

    /// Whether `bytes`, as far as they go, begin with a text of a choice.
    pub(crate) fn may_begin(&self, entry: StateId, bytes: &[u8]) -> bool {
        let mut state = entry;
        let mut rest = bytes;
        while let State::Choice(choice) = self.state(state)
            && let Some(first) = rest.first()
        {
            // Where a text may go on in another way, nothing is told yet.
            let open = choice.inner && choice.otherwise.is_some();
            let Some(branch) = choice.branches.iter().find(|branch| branch.text[0] == *first)
            else {
                return open;
            };
            let length = branch.text.len().min(rest.len());
            let same = branch.text.iter().zip(rest).take_while(|(a, b)| a == b).count();
            look(length.min(same + 1) - 1);
            if same < length {
                return open;
            }
            // Only what goes on with the same texts is told apart here.
            if !matches!(self.state(branch.next), State::Choice(Choice { inner: true, .. })) {
                return true;
            }
            rest = &rest[length..];
            state = branch.next;
        }
        true
    }

    #[inline]
    pub(crate) fn prose(&self, id: ProseId) -> &Prose {
        &self.proses[id as usize]
    }
}
