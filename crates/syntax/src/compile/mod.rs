//! From a description to a program.

mod surroundings;

use std::fmt;

use callsign_core::ByteSet;

use crate::description::{
    Body, Calls, Codec, Container, Description, Each, Part, Place, Region, TypeWords, Value,
};
use crate::graph::{Conflict, Graph};
use crate::program::{
    Choice, Coding, ElementsSpec, LiteralSpec, Mark, ObjectSpec, Program, ProseId, RestSpec, Slot,
    SlotKind, Space, State, StateId, ValueSpec,
};

/// Why a description cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileError {
    /// The name of the description.
    pub description: String,
    /// The part at fault, such as `regions[1].forms[0][2]`.
    pub part: String,
    /// What is wrong with it.
    pub problem: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "description `{}`, {}: {}", self.description, self.part, self.problem)
    }
}

impl std::error::Error for CompileError {}

pub(crate) fn compile(description: &Description) -> Result<Program, CompileError> {
    let mut compiler = Compiler {
        description,
        graph: Graph::default(),
        program: Program::default(),
        path: Vec::new(),
        openers: Openers::default(),
        probes: Vec::new(),
    };
    // State 0 is where nothing leads: what a mark that ends the walk names.
    compiler.graph.reserve();
    match compiler.program() {
        Ok(()) => {
            let Compiler { graph, mut program, .. } = compiler;
            program.states = graph.states;
            Ok(program)
        }
        Err(problem) => Err(CompileError {
            description: description.name.clone(),
            part: spelled(&compiler.path),
            problem,
        }),
    }
}

/// Whether a description says how calls are written, as one that is a dialect's
/// must.
pub(crate) fn require_calls(description: &Description) -> Result<(), CompileError> {
    let holds = |region: &Region| matches!(region.body, Body::Calls(_));
    if description.regions.iter().any(holds) {
        return Ok(());
    }
    Err(CompileError {
        description: description.name.clone(),
        part: "regions".to_owned(),
        problem: "none of them holds calls".to_owned(),
    })
}

/// A step from a part of a description to one inside of it.
#[derive(Debug, Clone, Copy)]
enum Step {
    Field(&'static str),
    Index(usize),
}

/// A path as it is written in the text of a description.
fn spelled(path: &[Step]) -> String {
    let mut spelled = String::new();
    for step in path {
        match step {
            Step::Field(name) if spelled.is_empty() => spelled.push_str(name),
            Step::Field(name) => spelled.extend([".", name]),
            Step::Index(index) => spelled.push_str(&format!("[{index}]")),
        }
    }
    spelled
}

struct Compiler<'d> {
    description: &'d Description,
    graph: Graph,
    program: Program,
    /// Where in the description the compiler is.
    path: Vec<Step>,
    openers: Openers,
    probes: Vec<Probe<'d>>,
}

/// The edges of all regions.
#[derive(Default)]
struct Openers {
    reasoning: Option<StateId>,
    reasoning_close: Option<StateId>,
    content: Option<StateId>,
    content_close: Option<StateId>,
    calls: Option<StateId>,
    whole_turn: Option<StateId>,
    calls_close: Option<StateId>,
    /// What may stand after a call of any region.
    after: Vec<StateId>,
    stops: Option<StateId>,
    orphans: Vec<StateId>,
}

/// A value whose surroundings are not compiled yet.
struct Probe<'d> {
    spec: usize,
    close: Vec<u8>,
    /// The parts of the item before the value.
    before: &'d [Part],
    /// What may follow the value.
    after: StateId,
}

type Built = Result<StateId, String>;

impl From<Conflict> for String {
    fn from(conflict: Conflict) -> Self {
        format!("alternatives cannot be told apart: {}", conflict.0)
    }
}

impl<'d> Compiler<'d> {
    fn program(&mut self) -> Result<(), String> {
        let description = self.description;
        self.path.push(Step::Field("name"));
        if description.name.is_empty() {
            return Err("it is empty".to_owned());
        }
        self.path.clear();
        self.program.outside = description.outside;
        self.stops()?;
        for (index, region) in description.regions.iter().enumerate() {
            self.path = vec![Step::Field("regions"), Step::Index(index)];
            self.region(region)?;
        }
        self.path = vec![Step::Field("regions")];
        self.proses()?;
        if let Some(whole) = self.openers.whole_turn {
            // Whatever else may open a turn may do so here too.
            let outside = self.program.prose(ProseId::Outside).entry;
            let start = self.graph.merge(whole, outside)?;
            self.program.whole_turn = Some(self.graph.space(Space::Any, start));
        }
        for probe in std::mem::take(&mut self.probes) {
            self.probe(&probe)?;
        }
        Ok(())
    }

    fn stops(&mut self) -> Result<(), String> {
        let mut stops = None;
        for stop in &self.description.stops {
            let end = self.graph.end(Mark::Stop);
            let stop = self.graph.literal(stop, true, end);
            stops = self.either(stops, Some(stop))?;
        }
        self.openers.stops = stops;
        self.program.stops = stops;
        self.program.stopped = stops.map(|stops| self.graph.space(Space::Any, stops));
        Ok(())
    }

    fn region(&mut self, region: &'d Region) -> Result<(), String> {
        match &region.body {
            Body::Reasoning => {
                let inside = self.graph.end(Mark::Enter(ProseId::Reasoning));
                let open = self.edge(&region.open, "open", inside)?;
                let outside = self.graph.end(Mark::Enter(ProseId::Outside));
                let close = self.edge(&region.close, "close", outside)?;
                self.program.reasoning = Some(self.graph.space(Space::Newlines, inside));
                self.program.reasoning_closers.extend(self.graph.texts(close));
                self.openers.reasoning = self.either(self.openers.reasoning, Some(open))?;
                self.openers.reasoning_close =
                    self.either(self.openers.reasoning_close, Some(close))?;
            }
            Body::Content => {
                let inside = self.graph.end(Mark::Enter(ProseId::Content));
                let open = self.edge(&region.open, "open", inside)?;
                let outside = self.graph.end(Mark::Enter(ProseId::Outside));
                let close = self.edge(&region.close, "close", outside)?;
                self.openers.content = self.either(self.openers.content, Some(open))?;
                self.openers.content_close =
                    self.either(self.openers.content_close, Some(close))?;
            }
            Body::Calls(calls) => self.calls(region, calls)?,
        }
        Ok(())
    }

    /// The edge of a region of prose. White space in front of it separates it
    /// from what came before, which is the machine's; newlines behind it are
    /// framing.
    fn edge(&mut self, parts: &'d [Part], which: &'static str, next: StateId) -> Built {
        let parts = match parts {
            [Part::Space(_), rest @ ..] => rest,
            all => all,
        };
        if parts.is_empty() {
            self.path.push(Step::Field(which));
            return Err("a region of prose needs text on both edges".to_owned());
        }
        let (parts, next) = match parts {
            [rest @ .., Part::Space(_)] => (rest, self.graph.space(Space::Newlines, next)),
            all => (all, next),
        };
        self.parts(parts, &[Step::Field(which)], next)
    }

    fn calls(&mut self, region: &'d Region, calls: &'d Calls) -> Result<(), String> {
        let after = self.graph.reserve();
        let mut form = None;
        for (index, parts) in calls.forms.iter().enumerate() {
            let done = self.graph.mark(Mark::Call, after);
            let this = self.parts(parts, &[Step::Field("forms"), Step::Index(index)], done)?;
            form = self.either(form, Some(this))?;
        }
        let form = form.ok_or("a region of calls needs a form")?;
        let begins_with_text = matches!(self.graph.get(form), State::Choice(_));
        if !begins_with_text && region.open.is_empty() {
            self.path.push(Step::Field("forms"));
            return Err("without an opening text, a form must begin with text".to_owned());
        }
        let whole = |graph: &mut Graph, next| graph.mark(Mark::Whole, next);
        let form = match calls.place {
            Place::WholeTurn if begins_with_text => {
                self.graph.after_texts(form, &whole).unwrap_or(form)
            }
            _ => form,
        };

        // After a call: another one, the end of the region, or something else.
        let another = self.parts(&calls.between, &[Step::Field("between")], form)?;
        let outside = self.graph.end(Mark::Enter(ProseId::Outside));
        let close = self.parts(&region.close, &[Step::Field("close")], outside)?;
        let leave = self.graph.end(Mark::Leave);
        let mut next = leave;
        if matches!(self.graph.get(another), State::Choice(_)) {
            next = self.graph.merge(another, leave)?;
        }
        if !region.close.is_empty() {
            next = self.graph.merge(next, close)?;
        }
        self.graph.fill(after, next);

        let opened = match region.open.as_slice() {
            [Part::Space(_), rest @ ..] => rest,
            all => all,
        };
        let mut open = self.parts(opened, &[Step::Field("open")], form)?;
        if calls.place == Place::WholeTurn && !begins_with_text {
            open = self.graph.after_texts(open, &whole).unwrap_or(open);
        }
        match calls.place {
            Place::Anywhere => self.openers.calls = self.either(self.openers.calls, Some(open))?,
            Place::WholeTurn => {
                self.openers.whole_turn = self.either(self.openers.whole_turn, Some(open))?;
            }
        }
        // What closes the region ends a broken call; where nothing does, what
        // closes the call.
        let mut closers = last_texts(&region.close);
        if region.close.is_empty() {
            closers.extend(calls.forms.iter().flat_map(|form| last_texts(form)));
        }
        for text in &closers {
            let resync = self.graph.end(Mark::Resync);
            let close = self.graph.literal(text, false, resync);
            self.openers.calls_close = self.either(self.openers.calls_close, Some(close))?;
            self.orphan(text);
        }
        self.openers.after.push(next);
        for form in &calls.forms {
            for text in last_texts(form) {
                self.orphan(&text);
            }
            for item in form.iter().filter_map(|part| match part {
                Part::Arguments(Container::Each(each)) => Some(&each.item),
                _ => None,
            }) {
                for text in last_texts(item) {
                    self.orphan(&text);
                }
            }
        }
        Ok(())
    }

    /// Parts that stand at `place`, then `next`.
    fn parts(&mut self, parts: &'d [Part], place: &[Step], next: StateId) -> Built {
        let outer = self.path.len();
        self.path.extend(place);
        let mut next = next;
        for (index, part) in parts.iter().enumerate().rev() {
            self.path.push(Step::Index(index));
            next = self.part(part, &parts[..index], next)?;
            self.path.pop();
        }
        self.path.truncate(outer);
        Ok(next)
    }

    fn part(&mut self, part: &'d Part, before: &'d [Part], next: StateId) -> Built {
        Ok(match part {
            Part::Literal(text) | Part::Marker(text) if text.is_empty() => {
                return Err("the text is empty".to_owned());
            }
            Part::Literal(text) => self.graph.literal(text, false, next),
            Part::Marker(text) => self.graph.literal(text, true, next),
            Part::Space(_) => self.graph.space(Space::Any, next),
            Part::Name => {
                // The head of a call is complete with the text that ends its
                // name.
                let text = matches!(self.graph.get(next), State::Choice(_));
                let next = text.then(|| self.graph.mark_head(next)).flatten();
                let next = next.ok_or("a name must be followed by text")?;
                self.slot(SlotKind::Name, next)
            }
            Part::Key => self.slot(SlotKind::Key, next),
            Part::Type(_) => self.slot(SlotKind::Type, next),
            Part::Word => self.slot(SlotKind::Word, next),
            Part::Index(_) => self.slot(SlotKind::Index, next),
            Part::Id(parts) => {
                let end = self.graph.mark(Mark::IdEnd, next);
                let inside = self.parts(parts, &[Step::Field("id")], end)?;
                self.graph.mark(Mark::IdStart, inside)
            }
            Part::Maybe { parts, .. } => {
                let there = self.parts(parts, &[Step::Field("maybe")], next)?;
                self.graph.merge(there, next)?
            }
            Part::OneOf(all) => {
                let mut one = None;
                for (index, parts) in all.iter().enumerate() {
                    let this =
                        self.parts(parts, &[Step::Field("one_of"), Step::Index(index)], next)?;
                    one = self.either(one, Some(this))?;
                }
                one.ok_or("there is nothing to choose from")?
            }
            Part::Object(object) => {
                if object.name.is_empty() || object.arguments.is_empty() {
                    return Err(
                        "an object needs a key for the name and one for the arguments".into()
                    );
                }
                self.program.objects.push(ObjectSpec {
                    name: object.name.clone(),
                    arguments: object.arguments.clone(),
                    id: object.id.clone(),
                });
                let spec = (self.program.objects.len() - 1) as u16;
                let inside = self.graph.add(State::Object { spec, next });
                self.graph.literal("{", false, inside)
            }
            Part::Arguments(container) => self.container(container, next)?,
            Part::Value(value) => self.value(value, before, next)?,
        })
    }

    fn slot(&mut self, kind: SlotKind, next: StateId) -> StateId {
        let mut stops = self.graph.firsts(next);
        if matches!(kind, SlotKind::Name | SlotKind::Word) {
            // A word that may follow does not end a name in its midst.
            stops.retain(|byte| !byte.is_ascii_alphanumeric());
        }
        self.graph.add(State::Slot(Slot { kind, stops, next, otherwise: None }))
    }

    fn container(&mut self, container: &'d Container, next: StateId) -> Built {
        Ok(match container {
            Container::Json => {
                let inside = self.graph.add(State::Json { next });
                self.graph.literal("{", false, inside)
            }
            Container::Each(each) => self.each(each, next)?,
            Container::Python => {
                self.program.literals.push(LiteralSpec::Python);
                let spec = (self.program.literals.len() - 1) as u16;
                self.graph.add(State::Literals { spec, next })
            }
            Container::Braces(braces) => {
                if braces.quote.is_empty() {
                    return Err("strings in braces need a delimiter".to_owned());
                }
                let quote = braces.quote.as_bytes().into();
                self.program.literals.push(LiteralSpec::Braces { quote });
                let spec = (self.program.literals.len() - 1) as u16;
                let inside = self.graph.add(State::Literals { spec, next });
                self.graph.literal("{", false, inside)
            }
            Container::Elements(elements) => {
                if elements.prefix.is_empty() || elements.item.is_empty() {
                    return Err("elements need a prefix and a tag for items".to_owned());
                }
                self.program.elements.push(ElementsSpec {
                    prefix: elements.prefix.as_bytes().into(),
                    item: elements.item.as_str().into(),
                });
                let spec = (self.program.elements.len() - 1) as u16;
                self.graph.add(State::Elements { spec, next })
            }
            Container::Rest { tool, key } => {
                self.program.rests.push(RestSpec { tool: tool.clone(), key: key.clone() });
                let spec = (self.program.rests.len() - 1) as u16;
                self.graph.add(State::Rest { spec, next })
            }
        })
    }

    fn each(&mut self, each: &'d Each, next: StateId) -> Built {
        let again = self.graph.reserve();
        let item = self.parts(&each.item, &[Step::Field("item")], again)?;
        let either = self.graph.merge(item, next)?;
        let either = self.graph.space(Space::Any, either);
        self.graph.fill(again, either);
        Ok(again)
    }

    fn value(&mut self, value: &'d Value, before: &'d [Part], next: StateId) -> Built {
        let State::Choice(Choice { space: Space::None, branches, otherwise: None, .. }) =
            self.graph.get(next)
        else {
            return Err("a value must be followed by text".to_owned());
        };
        let [close] = branches.as_slice() else {
            return Err("a value must be followed by one text".to_owned());
        };
        let (close, after) = (close.clone(), close.next);
        let coding = match value.codec {
            Codec::Raw => Coding::Raw,
            Codec::Cdata => Coding::Cdata(0),
            Codec::Typed => {
                let words = before.iter().find_map(|part| match part {
                    Part::Type(words) => Some(words),
                    _ => None,
                });
                match words {
                    Some(TypeWords::Flag { text, .. }) => Coding::Typed(text.as_str().into()),
                    Some(TypeWords::Names) => Coding::Typed("string".into()),
                    None => return Err("a typed value needs a type before it".to_owned()),
                }
            }
        };
        self.program.values.push(ValueSpec {
            coding,
            frame: value.frame,
            nulls: value.nulls,
            first: close.text[0],
            second: ByteSet::ALL,
            probe: 0,
        });
        let spec = self.program.values.len() - 1;
        self.probes.push(Probe { spec, close: close.text.to_vec(), before, after });
        Ok(self.graph.add(State::Value { spec: spec as u16, next: after }))
    }

    fn either(
        &mut self,
        a: Option<StateId>,
        b: Option<StateId>,
    ) -> Result<Option<StateId>, String> {
        Ok(match (a, b) {
            (Some(a), Some(b)) => Some(self.graph.merge(a, b)?),
            (a, b) => a.or(b),
        })
    }
}

/// The texts with which parts may end, white space aside: texts that follow on
/// each other are one.
pub(crate) fn last_texts(parts: &[Part]) -> Vec<String> {
    let mut text = String::new();
    for part in parts.iter().rev() {
        match part {
            Part::Literal(more) | Part::Marker(more) => text.insert_str(0, more),
            Part::Space(_) if text.is_empty() => {}
            Part::OneOf(all) => {
                return all.iter().flat_map(|one| last_texts(one)).map(|one| one + &text).collect();
            }
            _ => break,
        }
    }
    if text.is_empty() { Vec::new() } else { vec![text] }
}
