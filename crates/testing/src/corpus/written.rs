//! Corpus files as they are written.

use std::collections::BTreeMap;

use callsign_core::{Arguments, Effect, End, Policy, ReasoningCalls, Repair, Rule, Tool, Toolset};
use serde::Deserialize;

use super::{Case, CaseStart, Expect, ExpectedCall, Mode, Output};

/// A tool as `tools.toml` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenTool {
    pub(super) description: String,
    pub(super) effect: Effect,
    pub(super) parameters: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenFile {
    #[serde(default)]
    pub(super) case: Vec<WrittenCase>,
}

/// A case as its file has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenCase {
    pub(super) name: String,
    source: String,
    kind: String,
    tools: WrittenTools,
    raw: Option<String>,
    deltas: Option<Vec<String>>,
    start: Option<WrittenStart>,
    prompt_tail: Option<String>,
    #[serde(default)]
    finish: WrittenFinish,
    #[serde(default)]
    policy: WrittenPolicy,
    skip: Option<String>,
    #[serde(default)]
    heard: Vec<String>,
    #[serde(default)]
    guesses: bool,
    expect: WrittenExpect,
    recovered: Option<WrittenExpect>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum WrittenTools {
    Names(Vec<String>),
    OpenAi(String),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenStart {
    Reasoning,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenFinish {
    #[default]
    Stop,
    Length,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenPolicy {
    reasoning_calls: Option<WrittenReasoningCalls>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum WrittenReasoningCalls {
    Wait,
    End,
    Ignore,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenExpect {
    #[serde(default)]
    content: String,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    ambiguous: bool,
    #[serde(default)]
    rejected: Vec<String>,
    #[serde(default)]
    calls: Vec<WrittenCall>,
    attempts: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenCall {
    id: Option<String>,
    name: String,
    arguments: String,
    rule: Option<Rule>,
    marked: Option<bool>,
    repairs: Option<Vec<Repair>>,
}

impl WrittenCase {
    pub(super) fn into_case(
        self,
        dialect: &str,
        topic: &str,
        tools: &BTreeMap<String, Tool>,
    ) -> Result<Case, String> {
        let output = match (self.raw, self.deltas) {
            (Some(raw), None) => Output::Whole(raw),
            (None, Some(deltas)) => Output::Deltas(deltas),
            _ => return Err("it needs either `raw` or `deltas`".to_owned()),
        };
        let start = match (self.start, self.prompt_tail) {
            (None, None) => CaseStart::Fresh,
            (Some(WrittenStart::Reasoning), None) => CaseStart::Reasoning,
            (None, Some(tail)) => CaseStart::PromptTail(tail),
            (Some(_), Some(_)) => return Err("`start` and `prompt_tail` exclude each other".into()),
        };
        let policy = Policy::default().reasoning_calls(match self.policy.reasoning_calls {
            None | Some(WrittenReasoningCalls::Wait) => ReasoningCalls::Wait,
            Some(WrittenReasoningCalls::End) => ReasoningCalls::End,
            Some(WrittenReasoningCalls::Ignore) => ReasoningCalls::Ignore,
        });
        Ok(Case {
            dialect: dialect.to_owned(),
            topic: topic.to_owned(),
            name: self.name,
            source: self.source,
            kind: self.kind,
            end: match self.finish {
                WrittenFinish::Stop => End::Stop,
                WrittenFinish::Length => End::Cut,
            },
            skip: self.skip,
            expect: self.expect.into_expect(Mode::Strict)?,
            recovered: match self.recovered {
                Some(recovered) => Some(recovered.into_expect(Mode::Recovering)?),
                None => None,
            },
            heard: self.heard,
            guesses: self.guesses,
            tools: self.tools.into_toolset(tools)?,
            output,
            start,
            policy,
        })
    }
}

impl WrittenTools {
    fn into_toolset(self, tools: &BTreeMap<String, Tool>) -> Result<Toolset, String> {
        let toolset = match self {
            WrittenTools::OpenAi(json) => Toolset::from_openai(&json),
            WrittenTools::Names(names) => {
                let named = names.iter().map(|name| {
                    tools.get(name).cloned().ok_or_else(|| format!("there is no tool `{name}`"))
                });
                Toolset::new(named.collect::<Result<Vec<_>, _>>()?)
            }
        };
        toolset.map_err(|error| error.to_string())
    }
}

impl WrittenExpect {
    fn into_expect(self, mode: Mode) -> Result<Expect, String> {
        if mode == Mode::Strict && self.speaks_of_the_net() {
            return Err("`rule`, `marked`, `repairs` and `attempts` are for `recovered`".into());
        }
        let call = |written: WrittenCall| {
            let arguments = Arguments::from_json(written.arguments)
                .map_err(|error| format!("the call of `{}`: {error}", written.name))?;
            Ok(ExpectedCall {
                id: written.id,
                name: written.name,
                arguments,
                rule: written.rule,
                marked: written.marked,
                repairs: written.repairs,
            })
        };
        Ok(Expect {
            content: self.content,
            reasoning: self.reasoning,
            ambiguous: self.ambiguous,
            rejected: self.rejected,
            calls: self.calls.into_iter().map(call).collect::<Result<_, String>>()?,
            attempts: self.attempts,
        })
    }

    /// Whether it expects what only the net can bring.
    fn speaks_of_the_net(&self) -> bool {
        let of_net = |call: &WrittenCall| {
            call.rule.is_some() || call.marked.is_some() || call.repairs.is_some()
        };
        self.attempts.is_some() || self.calls.iter().any(of_net)
    }
}
