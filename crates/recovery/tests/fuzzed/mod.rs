//! What fuzzing does with an input, and the tests with those that are kept:
//! whatever it is, the net keeps its promises.

#![allow(clippy::expect_used, clippy::panic)]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use callsign::{
    Arguments, Dialect, Dialects, End, Event, Offer, Policy, Provenance, Reader, Reason,
    ReasoningCalls, Repair, Span, Start, Tool, ToolCall, Toolset, Turn,
};
use callsign_recovery::{Net, Recovery};
use callsign_testing::cuts::{Placed, Whole, unexplained};
use callsign_testing::reading::{Reading, cut};
use serde_json::value::RawValue;

/// Tools with parameters of more kinds than those of the corpus have.
const TOOLS: &str = r##"[
    {"name": "update", "parameters": {"type": "object", "properties": {
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
        "filter": {"anyOf": [{"$ref": "#/$defs/item"}, {"type": "null"}]},
        "limit": {"type": ["number", "null"]}, "on": {"type": "boolean"}, "note": {}},
        "$defs": {"item": {"type": "object", "properties": {
            "name": {"type": "string"}, "score": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}}}}}}},
    {"name": "ns.tool-2"}
]"##;

/// A tool of the corpus.
#[derive(serde::Deserialize)]
struct Written {
    parameters: String,
}

/// The tools of the corpus, and others.
pub(crate) static TOOLSET: LazyLock<Toolset> = LazyLock::new(|| {
    let written: BTreeMap<String, Written> =
        toml::from_str(include_str!("../../../../corpus/tools.toml")).expect("it is TOML");
    let corpus = written
        .into_iter()
        .map(|(name, written)| Tool::new(name, &written.parameters).expect("it is a tool"));
    let others = Toolset::from_openai(TOOLS).expect("they are tools");
    Toolset::new(corpus.chain(others.iter().cloned())).expect("names differ")
});

static DIALECTS: LazyLock<Dialects> = LazyLock::new(Dialects::builtin);

pub(crate) static RECOVERY: LazyLock<Recovery> = LazyLock::new(|| DIALECTS.recovery());

static GUESSING: LazyLock<Recovery> = LazyLock::new(|| RECOVERY.clone().guesses(true));

/// The net around no dialect, and around every one, in the order of their names.
pub(crate) static NETS: LazyLock<Vec<Net>> = LazyLock::new(|| nets(&RECOVERY));

static GUESSING_NETS: LazyLock<Vec<Net>> = LazyLock::new(|| nets(&GUESSING));

fn nets(recovery: &Recovery) -> Vec<Net> {
    let mut dialects: Vec<Arc<dyn Dialect>> = DIALECTS.iter().cloned().collect();
    dialects.sort_by(|one, other| one.name().cmp(other.name()));
    let over = dialects.into_iter().map(|dialect| recovery.over(dialect));
    std::iter::once(recovery.alone()).chain(over).collect()
}

/// What a text is read for: the first characters of an input.
struct Setting<'t> {
    net: usize,
    guesses: bool,
    policy: Policy,
    start: Start<'t>,
    end: End,
    /// The length of pieces, in bytes.
    size: usize,
    /// Where they are cut otherwise.
    seed: u64,
    heard: &'t str,
}

impl<'t> Setting<'t> {
    /// The setting in the first line of an input, and the text behind it. A
    /// letter of it is worth its place in the alphabet, any other character its
    /// place in the table.
    fn of(input: &'t str) -> (Self, &'t str) {
        let (line, text) = input.split_once('\n').unwrap_or((input, ""));
        let mut numbers = line.bytes().map(|byte| match byte {
            b'a'..=b'z' => usize::from(byte - b'a'),
            byte => usize::from(byte),
        });
        let mut number = || numbers.next().unwrap_or(0);
        let (net, flags, size, seed) = (number(), number(), number(), number());
        let readings = [ReasoningCalls::Wait, ReasoningCalls::End, ReasoningCalls::Ignore];
        let front = floor(text, number());
        let (start, text) = match flags / 2 % 4 {
            2 => (Start::Reasoning, text),
            3 => (Start::PromptTail(&text[..front]), &text[front..]),
            _ => (Start::Fresh, text),
        };
        let heard = if flags / 64 % 2 == 1 { &text[floor(text, front)..] } else { "" };
        let setting = Setting {
            net: net % NETS.len(),
            guesses: flags / 32 % 2 == 1,
            policy: Policy::default().reasoning_calls(readings[flags / 8 % 3]),
            start,
            end: if flags % 2 == 0 { End::Stop } else { End::Cut },
            size: size + 1,
            seed: seed as u64 + 1,
            heard,
        };
        (setting, text)
    }

    fn net(&self) -> Net {
        let nets = if self.guesses { &GUESSING_NETS } else { &NETS };
        let net = nets[self.net].clone();
        if self.heard.is_empty() { net } else { net.heard([self.heard]) }
    }

    fn offer(&self) -> Offer<'_> {
        Offer::new(&TOOLSET).start(self.start).policy(self.policy)
    }
}

/// The last place in a text where a character begins, not behind `at`.
fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// What comes of a text under the net: whole and in pieces it is the same,
/// every byte has one account, and calls are of declared tools and have
/// arguments.
pub(crate) fn recover(input: &str) -> String {
    let (setting, text) = Setting::of(input);
    let (net, offer) = (setting.net(), setting.offer());
    let whole = Reading::of(&net, &offer, setting.end, [text]);
    tiles(text, &whole);
    calls(&whole.turn);

    let bytewise = Reading::of_bytes(&net, &offer, setting.end, text.as_bytes(), setting.size);
    same(text, &whole, &bytewise);
    let mut state = setting.seed;
    let mut places = Vec::new();
    let mut at = 0;
    while at < text.len() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        at += 1 + (state >> 33) as usize % (2 * setting.size);
        places.push(at);
    }
    let pieces = Reading::of(&net, &offer, setting.end, cut(text, &places));
    same(text, &whole, &pieces);

    said(net.inner().name(), &whole.turn)
}

/// What is recovered from the first half of a text is recovered from the whole.
pub(crate) fn cut_in_half(input: &str) {
    let (setting, text) = Setting::of(input);
    // A guess may be wrong.
    if setting.guesses {
        return;
    }
    let (net, offer) = (setting.net(), setting.offer());
    let placed = Whole::of(&net, &offer, text);
    let front = &text[..floor(text, text.len() / 2)];
    let mut found = unexplained(&net, &offer, front, &placed);
    found.retain(|cut| !cut.call.provenance.is_native() && !is_taken_back(cut, &placed.calls));
    assert!(found.is_empty(), "cut after {front:?}: {found:#?}");
}

/// Whether what follows decides otherwise, as it may. Where the whole has a call
/// of the dialect itself there, it may hold in a value what closes it at a cut;
/// and where the whole has no call, it may be that text follows one without its
/// closer.
fn is_taken_back(cut: &Placed, whole: &[Placed]) -> bool {
    let there =
        |other: &&Placed| other.span.start < cut.span.end && cut.span.start < other.span.end;
    match whole.iter().find(there) {
        Some(other) => other.call.provenance.is_native(),
        None => cut.call.provenance.repairs().contains(&Repair::Closer),
    }
}

/// What comes of a turn that a provider has read: beside its calls none is
/// added, and what it holds can be put together.
pub(crate) fn recover_turn(input: &str) -> String {
    let (setting, text) = Setting::of(input);
    let mut given = Turn::default();
    // Every other part was rejected.
    for (index, part) in text.split('\u{1}').enumerate() {
        let (span, text) = (Span { start: 0, end: part.len() }, Cow::Borrowed(part));
        given.add(match index % 2 {
            0 => Event::Text { span, text },
            _ => Event::Rejected { span, text, reason: Reason::Incomplete },
        });
    }
    if setting.seed % 2 == 0 {
        let arguments = Arguments::from_json(r#"{"terms": "x"}"#).expect("it is an object");
        given.calls.push(ToolCall::new("lookup", arguments));
    }
    let recovery = if setting.guesses { &GUESSING } else { &RECOVERY };
    let turn = recovery.recover(&given, setting.end, &setting.offer());
    calls(&turn);
    assert!(turn.calls.starts_with(&given.calls));
    assert!(given.calls.is_empty() || turn.calls == given.calls, "{:#?}", turn.calls);
    let accounted = turn.content_with_rejected().len() + turn.reasoning.len();
    assert!(accounted <= given.content_with_rejected().len(), "{turn:#?}");
    said("a turn", &turn)
}

/// What comes of arguments in the native call of a tool: the first line is its
/// schema. Mended, they are what is mended no more.
pub(crate) fn mend(input: &str) -> String {
    let (schema, given) = input.split_once('\n').unwrap_or(("{}", input));
    let tools = format!(r#"[{{"name": "t", "parameters": {schema}}}]"#);
    let Ok(tools) = Toolset::from_openai(&tools) else { return "no schema".to_owned() };
    let offer = Offer::new(&tools);
    let net = NETS.iter().find(|net| net.name() == "hermes").expect("it is built in");
    let read = |arguments: &str| {
        let text = native(net, &tools).replace("{}", arguments);
        let turn = Reader::new(net, &offer).read(&text, End::Stop);
        calls(&turn);
        turn
    };
    let turn = read(given);
    for call in &turn.calls {
        let again = read(call.arguments.as_str());
        let [again] = &again.calls[..] else { panic!("{call:#?} is read as {again:#?}") };
        assert!(again.provenance.is_native(), "{call:#?} becomes {again:#?}");
        assert_eq!(call.arguments, again.arguments);
    }
    said("mended", &turn)
}

/// A call of the tool `t` with no arguments.
fn native(net: &Net, tools: &Toolset) -> String {
    let mut text = String::new();
    let call = ToolCall::new("t", Arguments::from_json("{}").expect("it is an object"));
    net.write(&[call], tools, &mut text).expect("it can be written");
    text
}

/// Every call has an object of arguments, and what recovery made is of a
/// declared tool.
fn calls(turn: &Turn) {
    for call in &turn.calls {
        let arguments: &RawValue = serde_json::from_str(call.arguments.as_str())
            .unwrap_or_else(|error| panic!("{error}: {call:#?}"));
        assert!(arguments.get().starts_with('{'), "{call:#?}");
        if let Provenance::Recovered(_) = call.provenance {
            assert!(call.name == "t" || TOOLSET.get(&call.name).is_some(), "{call:#?}");
        }
    }
    // The regions stand in it.
    let _ = turn.content_with_rejected();
}

/// Every byte has one account, and what an event holds stands there.
fn tiles(text: &str, reading: &Reading) {
    let mut at = 0;
    for event in &reading.events {
        let held = match event {
            Event::Attempt(attempt) => {
                assert!(attempt.span.end <= text.len(), "{attempt:#?}");
                continue;
            }
            Event::Text { text, .. }
            | Event::Reasoning { text, .. }
            | Event::Framing { text, .. }
            | Event::Rejected { text, .. } => Some(text),
            _ => None,
        };
        let Some(span) = event.span() else { continue };
        assert_eq!(span.start, at, "{event:#?}");
        let stands = text.get(span.start..span.end);
        assert!(stands.is_some(), "{event:#?}");
        assert!(held.is_none_or(|held| Some(&**held) == stands), "{event:#?}");
        at = span.end;
    }
    assert_eq!(at, text.len());
}

/// Two ways of cutting a text into pieces make no difference.
fn same(text: &str, whole: &Reading, pieces: &Reading) {
    tiles(text, pieces);
    assert_eq!(whole.turn, pieces.turn);
    assert_eq!(whole.accounts(), pieces.accounts());
}

/// A turn in few words.
fn said(how: &str, turn: &Turn) -> String {
    let mut said = format!("{how}: {:?}\n", turn.content);
    for call in &turn.calls {
        let _ = writeln!(said, "call {} {}", call.name, call.arguments.as_str());
    }
    for attempt in &turn.attempts {
        let _ = writeln!(said, "{}: {}", attempt.refusal.word(), attempt.refusal);
    }
    said
}
