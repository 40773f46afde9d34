//! Turns as a model might write them, from a description and a toolset. One
//! generator for all dialects: what is particular to one comes out of its
//! description.

mod print;
mod schema;
mod strings;
mod tools;

use std::sync::Arc;

use callsign_core::{
    Arguments, Dialect, Offer, Policy, ReasoningCalls, Start, ToolCall, Toolset, Unwritable,
};
use callsign_syntax::description::{
    Body, Calls, Description, Object, Outside, Part, Place, Region,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

use crate::markers::{markers, openers};

pub use print::{print, separator};
pub use schema::Values;
pub use strings::{
    Spelling, half, json_string, nasty_text, nasty_text_without, piece, plain_text, spelling,
};
pub use tools::tools;

/// Generates turns of one dialect.
#[derive(Clone)]
pub struct Turns {
    dialect: Arc<dyn Dialect>,
    description: Description,
    tools: Toolset,
    markers: Vec<String>,
}

/// What a turn is read for, as far as it is generated.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Setting {
    /// Where the output begins.
    pub start: Beginning,
    /// What calls inside of reasoning mean.
    pub policy: Policy,
}

/// Where a generated output begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Beginning {
    /// At the start of a turn.
    #[default]
    Fresh,
    /// Inside reasoning.
    Reasoning,
    /// After this tail of the prompt.
    PromptTail(String),
}

impl Setting {
    /// The offer of `tools` in this setting.
    pub fn offer<'a>(&'a self, tools: &'a Toolset) -> Offer<'a> {
        let start = match &self.start {
            Beginning::Fresh => Start::Fresh,
            Beginning::Reasoning => Start::Reasoning,
            Beginning::PromptTail(tail) => Start::PromptTail(tail),
        };
        Offer::new(tools).start(start).policy(self.policy)
    }
}

/// A generated turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Generated {
    /// The output.
    pub text: String,
    /// What it is read for.
    pub setting: Setting,
}

/// A turn of which it is known what must be read from it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Faithful {
    /// The output.
    pub text: String,
    /// The text for the user, but for white space where it meets a call.
    pub content: [String; 2],
    /// The reasoning.
    pub reasoning: String,
    /// The calls that were written.
    pub calls: Vec<ToolCall>,
    /// The calls that were refused, and why.
    pub unwritable: Vec<(ToolCall, Unwritable)>,
}

impl Turns {
    /// A generator of turns in `dialect`, which follows `description`, with
    /// calls of `tools`.
    pub fn new(dialect: Arc<dyn Dialect>, description: Description, tools: Toolset) -> Self {
        let markers = markers(&description);
        Turns { dialect, description, tools, markers }
    }

    /// The tools that are called.
    pub fn tools(&self) -> &Toolset {
        &self.tools
    }

    /// The fixed texts of the dialect.
    pub fn markers(&self) -> &[String] {
        &self.markers
    }

    /// One call with arguments that fit the tool's schema and strings that make
    /// trouble.
    pub fn call(&self) -> BoxedStrategy<ToolCall> {
        let example = self.example();
        let strings = prop_oneof![
            6 => nasty_text(&self.markers),
            2 => plain_text(),
            1 => example,
        ];
        self.call_with(&strings.boxed())
    }

    /// One call that every dialect can express: no markers in it, and nothing
    /// whose type is in doubt.
    pub fn plain_call(&self) -> BoxedStrategy<ToolCall> {
        self.call_with(&plain_text())
    }

    /// One call whose strings come from `strings`.
    pub fn call_with(&self, strings: &BoxedStrategy<String>) -> BoxedStrategy<ToolCall> {
        let calls = self.tools.iter().filter_map(|tool| {
            let schema: Value = serde_json::from_str(tool.parameters.as_str()).ok()?;
            let arguments = Values::new(&schema, strings.clone()).arguments();
            let name = tool.name.clone();
            let both = (arguments, self.id());
            let call = both.prop_filter_map("arguments are one object", move |(arguments, id)| {
                let arguments = Arguments::from_json(arguments).ok()?;
                let mut call = ToolCall::new(name.clone(), arguments);
                call.id = id;
                Some(call)
            });
            Some(call.boxed())
        });
        let calls: Vec<_> = calls.collect();
        if calls.is_empty() {
            return Just(ToolCall::new("none", Arguments::default())).boxed();
        }
        proptest::strategy::Union::new(calls).boxed()
    }

    /// An id, where the written form of a call has one.
    fn id(&self) -> BoxedStrategy<Option<String>> {
        let some = "[a-zA-Z0-9]{9}".prop_map(Some);
        if self.needs_id() {
            some.boxed()
        } else if self.writes(&|part| matches!(part, Part::Object(Object { id: Some(_), .. }))) {
            // The key of the id may be missing.
            prop_oneof![Just(None), some].boxed()
        } else {
            Just(None).boxed()
        }
    }

    /// Whether no call can be written without an id.
    pub(crate) fn needs_id(&self) -> bool {
        self.writes(&|part| matches!(part, Part::Id(parts) if parts == &[Part::Word]))
    }

    /// The calls of the region that calls are written in.
    fn written(&self) -> Option<&Calls> {
        self.description.regions.iter().find_map(|region| match &region.body {
            Body::Calls(calls) => Some(calls),
            _ => None,
        })
    }

    /// Whether calls are written in a form that counts only as the whole turn:
    /// no text fits around them.
    pub(crate) fn calls_are_the_turn(&self) -> bool {
        self.written().is_some_and(|calls| calls.place == Place::WholeTurn)
    }

    /// Whether the form that calls are written in has such a part.
    fn writes(&self, such: &dyn Fn(&Part) -> bool) -> bool {
        let form = self.written().and_then(|calls| calls.forms.first());
        let mut parts: Vec<&Part> = form.into_iter().flatten().collect();
        while let Some(part) = parts.pop() {
            match part {
                Part::Maybe { parts: inside, written: true } => parts.extend(inside),
                Part::OneOf(all) => parts.extend(all.first().into_iter().flatten()),
                part if such(part) => return true,
                _ => {}
            }
        }
        false
    }

    /// An example of a call as text, such as a value may hold one.
    fn example(&self) -> BoxedStrategy<String> {
        let description = self.description.clone();
        (self.plain_call(), plain_text(), plain_text())
            .prop_map(move |(call, before, after)| {
                let call = print(&description, &[call]).unwrap_or_default();
                format!("{before}\n{call}\n{after}")
            })
            .boxed()
    }

    /// A setting.
    pub fn setting(&self) -> BoxedStrategy<Setting> {
        let policy = |reading| Policy::default().reasoning_calls(reading);
        let policies = select(vec![
            policy(ReasoningCalls::Wait),
            policy(ReasoningCalls::Wait),
            policy(ReasoningCalls::End),
            policy(ReasoningCalls::Ignore),
        ]);
        let mut starts = vec![Beginning::Fresh; 4];
        if let Some(open) = self.reasoning().and_then(|region| fixed(&region.open)) {
            starts.push(Beginning::Reasoning);
            starts.push(Beginning::Reasoning);
            starts.push(Beginning::PromptTail(format!("assistant\n{open}")));
            // A template may leave the newline after the opener to the model.
            starts.push(Beginning::PromptTail(open.trim_end().to_owned()));
        }
        starts.push(Beginning::PromptTail("assistant\n".to_owned()));
        (select(starts), policies).prop_map(|(start, policy)| Setting { start, policy }).boxed()
    }

    fn reasoning(&self) -> Option<&Region> {
        self.description.regions.iter().find(|region| region.body == Body::Reasoning)
    }

    /// What stands around text for the user, where it has a region.
    pub(crate) fn around_text(&self) -> (String, String) {
        let regions = self.description.regions.iter();
        let content = regions.filter(|region| region.body == Body::Content);
        let edges = content.map(|region| Some((fixed(&region.open)?, fixed(&region.close)?)));
        match self.description.outside {
            Outside::Text => Default::default(),
            Outside::Framing => edges.flatten().next().unwrap_or_default(),
        }
    }

    /// Calls as the dialect writes them; those that it cannot express, as its
    /// description has it.
    fn written_calls(&self, most: usize) -> BoxedStrategy<String> {
        let (dialect, tools, description) =
            (self.dialect.clone(), self.tools.clone(), self.description.clone());
        proptest::collection::vec(self.call(), 0..=most)
            .prop_map(move |calls| {
                let mut text = String::new();
                if dialect.write(&calls, &tools, &mut text).is_err() {
                    text = print(&description, &calls).unwrap_or_default();
                }
                text
            })
            .boxed()
    }

    /// A turn: text, reasoning with or without calls in it, calls, text between
    /// and behind them. Anything may be wrong with it.
    pub fn turn(&self) -> BoxedStrategy<Generated> {
        let nasty = || nasty_text(&self.markers);
        let text = || prop_oneof![1 => Just(String::new()), 2 => plain_text(), 2 => nasty()];
        let rehearsal = prop_oneof![3 => Just(String::new()), 1 => self.written_calls(2)];
        let reasoning = proptest::option::of((text(), rehearsal, text(), any::<bool>()));
        let (open, close) = match self.reasoning() {
            Some(region) => {
                (fixed(&region.open).unwrap_or_default(), fixed(&region.close).unwrap_or_default())
            }
            None => (String::new(), String::new()),
        };
        let gap = separator(&self.description).to_owned();
        let content = self.around_text();
        let mut ends = vec![String::new(), String::new(), String::new()];
        ends.extend(self.description.stops.iter().cloned());
        let body = (text(), self.written_calls(3), text(), self.written_calls(1), text());
        (reasoning, body, select(ends), self.setting())
            .prop_map(move |(reasoning, body, end, setting)| {
                let mut out = String::new();
                if let Some((before, calls, after, closed)) = reasoning {
                    if setting.start == Beginning::Fresh {
                        out.push_str(&open);
                    }
                    append(&mut out, &before, &calls, &gap);
                    out.push_str(&after);
                    if closed {
                        out.push_str(&close);
                    }
                } else if setting.start != Beginning::Fresh {
                    out.push_str(&close);
                }
                let (before, calls, between, more, after) = body;
                let framed = |text: String| match text.as_str() {
                    "" => text,
                    text => format!("{}{text}{}", content.0, content.1),
                };
                let (before, between, after) = (framed(before), framed(between), framed(after));
                append(&mut out, &before, &calls, &gap);
                append(&mut out, &between, &more, &gap);
                out.push_str(&after);
                out.push_str(&end);
                Generated { text: out, setting }
            })
            .boxed()
    }

    /// A turn in the layout of the template, of which it is known what must be
    /// read. Its calls are anything; the text around them has no markers.
    pub fn faithful(&self) -> BoxedStrategy<Faithful> {
        let this = self.clone();
        let unmarked = nasty_text_without(&self.markers, openers(&self.description));
        let text = prop_oneof![1 => Just(String::new()), 2 => plain_text(), 1 => unmarked];
        (
            proptest::option::of(plain_text()),
            text,
            proptest::collection::vec(self.call(), 0..=4),
            prop_oneof![2 => Just(String::new()), 1 => plain_text()],
        )
            .prop_map(move |(reasoning, before, calls, after)| {
                this.assemble(reasoning, &before, calls, &after)
            })
            .boxed()
    }

    fn assemble(
        &self,
        reasoning: Option<String>,
        before: &str,
        calls: Vec<ToolCall>,
        after: &str,
    ) -> Faithful {
        let mut text = String::new();
        let reasoning = match (self.reasoning(), reasoning) {
            (Some(region), Some(reasoning)) => {
                text.push_str(&fixed(&region.open).unwrap_or_default());
                text.push_str(&reasoning);
                text.push_str(&fixed(&region.close).unwrap_or_default());
                reasoning
            }
            _ => String::new(),
        };
        // White space at the seams is framing, or half of a marker completed.
        let mut before = before.trim().trim_end_matches('<').trim_end();
        if self.calls_are_the_turn() && !calls.is_empty() {
            before = "";
        }
        let content = self.around_text();
        let put = |content_text: &str, text: &mut String| {
            if !content_text.is_empty() {
                text.push_str(&content.0);
                text.push_str(content_text);
                text.push_str(&content.1);
            }
        };
        put(before, &mut text);
        let mut unwritable = Vec::new();
        let mut written: Vec<ToolCall> = Vec::new();
        for call in calls {
            match self.dialect.write(std::slice::from_ref(&call), &self.tools, &mut String::new()) {
                Ok(()) => written.push(call),
                Err(error) => unwritable.push((call, error)),
            }
        }
        while let Err(error) = self.dialect.write(&written, &self.tools, &mut text) {
            let Some(last) = written.pop() else { break };
            unwritable.push((last, error));
        }
        let alone = written.is_empty() || self.calls_are_the_turn();
        let after = if alone { "" } else { after };
        put(after, &mut text);
        Faithful {
            text,
            content: [before.to_owned(), after.to_owned()],
            reasoning,
            calls: written,
            unwritable,
        }
    }
}

/// Appends text and calls with the white space between them that the template
/// has.
fn append(out: &mut String, text: &str, calls: &str, gap: &str) {
    out.push_str(text);
    if !calls.is_empty() {
        if !out.is_empty() {
            out.push_str(gap);
        }
        out.push_str(calls);
    }
}

fn fixed(parts: &[Part]) -> Option<String> {
    let mut out = String::new();
    print::print_fixed(parts, &mut out)?;
    Some(out)
}
