//! A foreign case: a raw output and what is to be read from it.

use std::sync::Arc;
use std::time::Instant;

use callsign::{Dialect, Dialects, End, Offer, Reader, Recovery, Toolset, Turn};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::tally::{Difference, Verdict, calls, compare, read_calls};

/// A case as its line has it.
#[derive(Deserialize)]
pub(super) struct Case<'a> {
    pub(super) id: String,
    pub(super) kind: String,
    #[serde(default)]
    pub(super) confidence: String,
    pub(super) dialect: Option<String>,
    #[serde(borrow)]
    tools: &'a RawValue,
    input: Option<String>,
    deltas: Option<Vec<Delta>>,
    byte_chunks_hex: Option<Vec<String>>,
    finish_reason: Option<String>,
    #[serde(borrow)]
    expected: Expected<'a>,
    expected_ids: Option<Vec<Option<String>>>,
    max_ms: Option<u64>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    tool_calls: Option<serde::de::IgnoredAny>,
    reasoning_content: Option<serde::de::IgnoredAny>,
}

#[derive(Deserialize)]
struct Expected<'a> {
    #[serde(borrow, default)]
    calls: Vec<Call<'a>>,
    content: Option<String>,
    reasoning: Option<String>,
}

#[derive(Deserialize)]
struct Call<'a> {
    name: String,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

/// What cases are read by.
pub(super) struct Readers {
    dialects: Dialects,
    /// None: each dialect reads alone.
    recovery: Option<Recovery>,
}

impl Readers {
    /// The dialects that are built in, without a net.
    pub(super) fn strict() -> Self {
        Readers { dialects: Dialects::builtin(), recovery: None }
    }

    /// The same with the net under each, which also reads alone.
    pub(super) fn recovering() -> Self {
        let dialects = Dialects::builtin();
        Readers { recovery: Some(dialects.recovery()), dialects }
    }

    /// What a case of this dialect is read by, or why it cannot be read.
    fn of(&self, dialect: Option<&str>) -> Result<Arc<dyn Dialect>, String> {
        let Some(name) = dialect else {
            let recovery = self.recovery.as_ref();
            let recovery = recovery.ok_or("names no dialect: for recovery alone")?;
            return Ok(Arc::new(recovery.alone()));
        };
        let dialect = self.dialects.get(name);
        let dialect = dialect.ok_or_else(|| format!("dialect `{name}` is not built in"))?;
        Ok(match &self.recovery {
            Some(recovery) => Arc::new(recovery.over(dialect)),
            None => dialect,
        })
    }
}

impl Case<'_> {
    /// The whole output.
    pub(super) fn text(&self) -> String {
        match (&self.deltas, &self.input) {
            (Some(deltas), _) => {
                deltas.iter().filter_map(|delta| delta.content.as_deref()).collect()
            }
            (None, input) => input.clone().unwrap_or_default(),
        }
    }

    /// Reads the output and compares.
    pub(super) fn run(&self, readers: &Readers) -> Verdict {
        let remote =
            |delta: &Delta| delta.tool_calls.is_some() || delta.reasoning_content.is_some();
        if self.kind == "remote-delta" || self.deltas.iter().flatten().any(remote) {
            return Verdict::Skipped("deltas of a server, not text".to_owned());
        }
        let dialect = match readers.of(self.dialect.as_deref()) {
            Ok(dialect) => dialect,
            Err(reason) => return Verdict::Skipped(reason),
        };
        let tools = match Toolset::from_openai(self.tools.get()) {
            Ok(tools) => tools,
            Err(error) => return Verdict::Skipped(format!("its tools: {error}")),
        };
        let begun = Instant::now();
        let reader = Reader::new(&*dialect, &Offer::new(&tools));
        let turn = match self.read(reader) {
            Ok(turn) => turn,
            Err(reason) => return Verdict::Skipped(reason),
        };
        let mut differences = self.compare(&turn);
        let took = begun.elapsed().as_millis();
        if let Some(most) = self.max_ms
            && took > u128::from(most)
        {
            differences.push(Difference {
                what: "milliseconds",
                expected: format!("at most {most}"),
                found: took.to_string(),
            });
        }
        if differences.is_empty() { Verdict::Passed } else { Verdict::Failed(differences) }
    }

    /// Deltas win over bytes, bytes over the whole output.
    fn read(&self, mut reader: Reader) -> Result<Turn, String> {
        let mut turn = Turn::default();
        let end = match self.finish_reason.as_deref() {
            Some("length") => End::Cut,
            _ => End::Stop,
        };
        let mut sink = |event: callsign::Event<'_>| turn.add(event);
        match (&self.deltas, &self.byte_chunks_hex, &self.input) {
            (Some(deltas), ..) => {
                for delta in deltas {
                    reader.push(delta.content.as_deref().unwrap_or_default(), &mut sink);
                }
            }
            (None, Some(chunks), _) => {
                for chunk in chunks {
                    let bytes = from_hex(chunk).ok_or("its bytes are not hexadecimal")?;
                    reader.push_bytes(&bytes, &mut sink).map_err(|error| error.to_string())?;
                }
            }
            (None, None, Some(input)) => reader.push(input, &mut sink),
            (None, None, None) => return Err("it has no output".to_owned()),
        }
        reader.finish(end, &mut sink);
        Ok(turn)
    }

    fn compare(&self, turn: &Turn) -> Vec<Difference> {
        let mut found = Vec::new();
        let expected = self.expected.calls.iter();
        let expected = expected.map(|call| (call.name.as_str(), call.arguments.get()));
        found.extend(compare("calls", calls(expected), read_calls(turn)));
        if let Some(content) = &self.expected.content {
            found.extend(compare("content", collapsed(content), collapsed(&turn.content)));
        }
        if let Some(reasoning) = &self.expected.reasoning {
            found.extend(compare("reasoning", collapsed(reasoning), collapsed(&turn.reasoning)));
        }
        if let Some(ids) = &self.expected_ids {
            let read: Vec<_> = turn.calls.iter().map(|call| call.id.clone()).collect();
            found.extend(compare("ids", format!("{ids:?}"), format!("{read:?}")));
        }
        found
    }
}

/// The text with every run of white space as one blank and none at the ends.
fn collapsed(text: &str) -> String {
    format!("{:?}", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    let pairs = digits.chunks(2).map(|pair| match pair {
        [_, _] => u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok(),
        _ => None,
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    use super::{Case, Readers};
    use crate::tally::Verdict;

    fn run(line: &str) -> Result<(), String> {
        run_by(&Readers::strict(), line)
    }

    fn run_by(readers: &Readers, line: &str) -> Result<(), String> {
        let case: Case<'_> = serde_json::from_str(line).expect("a case");
        match case.run(readers) {
            Verdict::Passed => Ok(()),
            Verdict::Failed(found) => {
                Err(found.iter().map(|difference| difference.what).collect::<Vec<_>>().join(","))
            }
            other => Err(format!("{other:?}")),
        }
    }

    /// A case of one Hermes call.
    fn case(arguments: &str, expected: &str) -> String {
        format!(
            r#"{{"id":"a","kind":"native","dialect":"hermes","tools":[{{"name":"t"}}],
            "input":"Hi  \n<tool_call>{{\"name\":\"t\",\"arguments\":{arguments}}}</tool_call>\n you",
            "expected":{expected}}}"#
        )
    }

    #[test]
    fn values_are_compared_not_their_spelling() {
        let expected = r#"{"calls":[{"name":"t","arguments":{"b":[1],"a":5}}],"content":"Hi you"}"#;
        assert_eq!(run(&case(r#"{\"a\":5.0,\"b\":[1]}"#, expected)), Ok(()));
        assert_eq!(run(&case(r#"{\"a\":6,\"b\":[1]}"#, expected)), Err("calls".into()));
        let expected = r#"{"calls":[{"name":"t","arguments":{"a":12345678901234567891}}]}"#;
        assert_eq!(run(&case(r#"{\"a\":12345678901234567891}"#, expected)), Ok(()));
        assert_eq!(run(&case(r#"{\"a\":12345678901234567890}"#, expected)), Err("calls".into()));
    }

    #[test]
    fn what_is_given_is_checked() {
        let call = r#""calls":[{"name":"t","arguments":{}}]"#;
        let content = format!(r#"{{{call},"content":"Hi"}}"#);
        assert_eq!(run(&case("{}", &content)), Err("content".into()));
        let reasoning = format!(r#"{{{call},"reasoning":"Hm"}}"#);
        assert_eq!(run(&case("{}", &reasoning)), Err("reasoning".into()));
        assert_eq!(run(&case("{}", &format!("{{{call}}}"))), Ok(()));
    }

    #[test]
    fn what_cannot_be_run_is_skipped() {
        let skipped = |fields: &str| {
            let line = format!(r#"{{"id":"a","kind":"x","tools":[],"expected":{{}},{fields}}}"#);
            run(&line).expect_err("it is skipped")
        };
        assert!(skipped(r#""dialect":"esperanto","input":"""#).contains("`esperanto`"));
        assert!(skipped(r#""input":"""#).contains("no dialect"));
        assert!(skipped(r#""dialect":"hermes","deltas":[{"tool_calls":[]}]"#).contains("server"));
        let remote = r#"{"id":"a","kind":"remote-delta","tools":[],"expected":{},"deltas":[]}"#;
        assert!(run_by(&Readers::recovering(), remote).expect_err("skipped").contains("server"));
    }

    #[test]
    fn the_net_needs_no_dialect() {
        let line = r#"{"id":"a","kind":"x","tools":[],"expected":{"content":"Hi","reasoning":"Hm"},
            "input":"<think>Hm</think>Hi"}"#;
        assert_eq!(run_by(&Readers::recovering(), line), Ok(()));
        let broken = r#"[{\"name\":\"t\"}]"#;
        let expected = format!(r#"{{"calls":[],"content":"{broken}"}}"#);
        let line = format!(
            r#"{{"id":"a","kind":"x","tools":[],"expected":{expected},"input":"{broken}"}}"#
        );
        assert_eq!(run_by(&Readers::recovering(), &line), Ok(()));
    }
}
