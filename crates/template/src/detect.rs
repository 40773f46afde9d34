//! Which dialect a template speaks: fingerprints propose, a probe decides.

use std::cmp::Reverse;
use std::fmt;
use std::sync::Arc;

use callsign_core::{
    Arguments, Dialect, End, Event, Message, Offer, Reader, Role, ToolCall, Toolset, Turn,
};

use crate::{ChatTemplate, Clock, Conversation, families};

/// The dialect that a template speaks, and why it is this one.
#[derive(Clone)]
pub struct Detection {
    /// The dialect, and what speaks for it.
    pub chosen: Candidate,
    /// The next best, if there is another.
    pub runner_up: Option<Candidate>,
    /// Whether the template prints the tools that it is given. Where it does
    /// not, the prompt must describe them.
    pub prints_tools: bool,
}

/// A dialect that a template may speak.
#[derive(Clone)]
pub struct Candidate {
    /// The dialect.
    pub dialect: Arc<dyn Dialect>,
    /// The literals of its fingerprint that the template, or what it renders,
    /// holds. None where the probe alone speaks for it.
    pub literals: Vec<String>,
    /// What the probe says.
    pub verdict: Verdict,
}

/// What comes of a call that was rendered through a template and read by a
/// dialect. The better comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The template writes it as the dialect does.
    Same,
    /// It reads back as put in.
    ReadsBack,
    /// The template prints no calls, so that nothing can be told.
    NotPrinted,
    /// It begins as a call of the dialect and does not read back: the template
    /// is damaged, or writes its history otherwise than the model.
    Damaged,
    /// It is no call of the dialect.
    ReadsOtherwise,
}

/// Why no dialect is chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Undetected {
    /// The template is that of a family which is known and not built in.
    NotBuiltIn {
        /// The family.
        family: String,
        /// The literals that tell it.
        literals: Vec<String>,
    },
    /// The fingerprint of a dialect is there, but a call that the template
    /// writes is not read by it as put in.
    ReadsOtherwise {
        /// The name of the dialect.
        dialect: String,
        /// What the template writes for the call.
        rendered: String,
    },
    /// The template renders not even a question, so that nothing is seen of what
    /// it does.
    NotRendered {
        /// Why not.
        reason: String,
    },
    /// Nothing is known that it could be.
    Unknown {
        /// Whether the template prints the tools that it is given.
        prints_tools: bool,
    },
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Candidate")
            .field("dialect", &self.dialect.name())
            .field("literals", &self.literals)
            .field("verdict", &self.verdict)
            .finish()
    }
}

impl fmt::Debug for Detection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detection")
            .field("chosen", &self.chosen)
            .field("runner_up", &self.runner_up)
            .field("prints_tools", &self.prints_tools)
            .finish()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Verdict::Same => "the template writes a call as this dialect does",
            Verdict::ReadsBack => "a call that the template writes reads back as put in",
            Verdict::NotPrinted => "the template prints no calls, so the fingerprint decides",
            Verdict::Damaged => {
                "a call that the template writes begins as this dialect's and does not read back: \
                 the template may be damaged"
            }
            Verdict::ReadsOtherwise => "what the template writes is no call of this dialect",
        })
    }
}

impl fmt::Display for Undetected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Undetected::NotBuiltIn { family, literals } => {
                let literals: Vec<String> =
                    literals.iter().map(|literal| format!("{literal:?}")).collect();
                write!(
                    f,
                    "the template is {family}'s ({}), whose dialect is not built in",
                    literals.join(", ")
                )?;
            }
            Undetected::ReadsOtherwise { dialect, rendered } => write!(
                f,
                "the template looks like `{dialect}`, but what it writes for a call does not read \
                 back: {rendered:?}"
            )?,
            Undetected::NotRendered { reason } => {
                write!(f, "the template renders no conversation: {reason}")?;
            }
            Undetected::Unknown { prints_tools: true } => {
                f.write_str("the template prints tools, but speaks no dialect that is known")?;
            }
            Undetected::Unknown { prints_tools: false } => {
                f.write_str("the template has no support for tools")?;
            }
        }
        // The place in a template takes lines of its own.
        f.write_str(if matches!(self, Undetected::NotRendered { .. }) { "\n" } else { "; " })?;
        f.write_str("give another template, or name the dialect yourself (`--dialect`)")
    }
}

impl std::error::Error for Undetected {}

/// Which of `dialects` a template speaks.
///
/// A dialect is proposed by its fingerprint in the template or in what it
/// renders, so that tags which a template puts together are seen too. Then a
/// call is rendered: the dialect must read it as it was put in. If none is
/// proposed, one that reads the call stands for itself.
///
/// # Errors
///
/// When none of them fits; the error says what is known of the template.
pub fn detect<'d>(
    template: &ChatTemplate,
    dialects: impl IntoIterator<Item = &'d Arc<dyn Dialect>>,
) -> Result<Detection, Undetected> {
    let probe = Probe::new(template);
    let text = probe.text(template);
    let (fitting, others): (Vec<_>, Vec<_>) =
        dialects.into_iter().partition(|dialect| dialect.fingerprint().matches(&text));
    let mut candidates: Vec<Candidate> = fitting
        .into_iter()
        .map(|dialect| probe.candidate(dialect, dialect.fingerprint().all.clone()))
        .collect();
    // The more there is to a fingerprint the more it tells.
    candidates.sort_by_key(|candidate| (candidate.verdict, Reverse(candidate.literals.len())));
    let fits = |candidate: &Candidate| candidate.verdict < Verdict::ReadsOtherwise;
    let sound = |candidate: &Candidate| candidate.verdict < Verdict::Damaged;
    if !candidates.first().is_some_and(sound) {
        if let Some(family) = families::of(&text) {
            return Err(Undetected::NotBuiltIn {
                family: family.name.clone(),
                literals: family.fingerprint.all.clone(),
            });
        }
        let alone = others.into_iter().map(|dialect| probe.candidate(dialect, Vec::new()));
        let mut alone: Vec<Candidate> =
            alone.filter(|candidate| candidate.verdict < Verdict::NotPrinted).collect();
        alone.sort_by_key(|candidate| candidate.verdict);
        candidates.splice(0..0, alone);
    }
    let prints_tools = template.probes().tools;
    let mut ranked = candidates.into_iter();
    match ranked.next() {
        Some(chosen) if fits(&chosen) => {
            // A family's own name stands for one of its variants.
            let family = |candidate: &Candidate| {
                candidate.dialect.name().split('@').next().unwrap_or_default().to_owned()
            };
            let of = family(&chosen);
            let runner_up = ranked.find(|candidate| family(candidate) != of);
            Ok(Detection { chosen, runner_up, prints_tools })
        }
        Some(other) => Err(Undetected::ReadsOtherwise {
            dialect: other.dialect.name().to_owned(),
            rendered: probe.turn().to_owned(),
        }),
        None => Err(match probe.failure {
            Some(reason) => Undetected::NotRendered { reason },
            None => Undetected::Unknown { prints_tools },
        }),
    }
}

/// The tool that is called.
const TOOLS: &str = r#"[{"type": "function", "function": {"name": "get_weather",
    "description": "The weather of the coming days.", "parameters": {"type": "object",
    "properties": {"city": {"type": "string", "description": "The city."},
    "days": {"type": "integer", "description": "How many days."}},
    "required": ["city"]}}}]"#;

/// Its arguments. No template says this word by itself.
const ARGUMENTS: &str = r#"{"city": "Trondheim", "days": 3}"#;
const ONLY_IN_THE_CALL: &str = "Trondheim";

/// A conversation with a call, as a template renders it.
struct Probe {
    tools: Toolset,
    call: ToolCall,
    /// All of it. Empty if the template does not print the call.
    rendered: String,
    /// Where in it the model's turn with the call may begin, the likeliest
    /// first.
    starts: Vec<usize>,
    /// Why the template does not even render a question.
    failure: Option<String>,
}

impl Probe {
    fn new(template: &ChatTemplate) -> Self {
        let tools = Toolset::from_openai(TOOLS).unwrap_or_default();
        let arguments = Arguments::from_json(ARGUMENTS).unwrap_or_default();
        let mut call = ToolCall::new("get_weather", arguments);
        // Nine letters and digits: some templates insist.
        call.id = Some("a1b2c3d4e".to_owned());
        let user = Message::new(Role::User, "What will the weather be like?");
        let mut turn = Message::new(Role::Assistant, "");
        turn.calls.push(call.clone());
        let mut result = Message::new(Role::Tool, "Rain.");
        result.call_id.clone_from(&call.id);
        result.name = Some(call.name.clone());
        let history = [user, turn, result];
        let render = |messages: &[Message], open: bool| {
            let conversation = Conversation::new(messages)
                .tools(&tools)
                .generation_prompt(open)
                .clock(Clock::from_unix(0));
            template.render_probe(&conversation)
        };
        // Some templates want to see that the call has been answered.
        let rendered = [&history[..2], &history]
            .into_iter()
            .map(|messages| render(messages, false).unwrap_or_default())
            .find(|rendered| rendered.contains(ONLY_IN_THE_CALL))
            .unwrap_or_default();
        let opened = render(&history[..1], true);
        let failure = opened.as_ref().err().map(ToString::to_string);
        let asked = render(&history[..1], false).unwrap_or_default();
        let starts = starts(&rendered, &opened.unwrap_or_default(), &asked);
        Probe { tools, call, rendered, starts, failure }
    }

    /// What fingerprints are looked for in.
    fn text(&self, template: &ChatTemplate) -> String {
        format!("{}\n{}", template.source(true).unwrap_or_default(), self.rendered)
    }

    /// The turn with the call.
    fn turn(&self) -> &str {
        self.starts.first().map_or("", |start| &self.rendered[*start..])
    }

    fn candidate(&self, dialect: &Arc<dyn Dialect>, literals: Vec<String>) -> Candidate {
        Candidate { verdict: self.verdict(&**dialect), dialect: Arc::clone(dialect), literals }
    }

    fn verdict(&self, dialect: &dyn Dialect) -> Verdict {
        if self.rendered.is_empty() {
            return Verdict::NotPrinted;
        }
        let (mut begins, mut reads_back) = (false, false);
        for start in &self.starts {
            let mut reader = Reader::new(dialect, &Offer::new(&self.tools));
            let mut turn = Turn::default();
            let mut take = |event: Event<'_>| {
                begins |=
                    matches!(&event, Event::CallStarted { name, .. } if *name == self.call.name);
                turn.add(event);
            };
            reader.push(&self.rendered[*start..], &mut take);
            reader.finish(End::Stop, &mut take);
            reads_back |= matches!(turn.calls.as_slice(), [call] if call.name == self.call.name
                && call.arguments.canonical() == self.call.arguments.canonical());
        }
        if !reads_back {
            return if begins { Verdict::Damaged } else { Verdict::ReadsOtherwise };
        }
        let mut written = String::new();
        let call = std::slice::from_ref(&self.call);
        let same = dialect.write(call, &self.tools, &mut written).is_ok()
            && self.rendered.contains(written.trim());
        if same { Verdict::Same } else { Verdict::ReadsBack }
    }
}

/// Where the last turn of a rendering may begin: behind the prompt that opens
/// it, behind what the two share, or behind the turn before.
fn starts(rendered: &str, opened: &str, asked: &str) -> Vec<usize> {
    let shared = |prefix: &str| {
        rendered.bytes().zip(prefix.bytes()).take_while(|(one, other)| one == other).count()
    };
    let mut starts = Vec::new();
    let behind_prompt = shared(opened);
    if behind_prompt == opened.len() {
        starts.push(behind_prompt);
    } else {
        // A tag that both begin with is not the prompt's.
        let bytes = &rendered.as_bytes()[..behind_prompt];
        let end = bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'>' | b']'));
        starts.extend(end.map(|end| end + 1));
    }
    starts.push(shared(asked));
    starts.retain(|start| rendered.is_char_boundary(*start));
    starts
}
