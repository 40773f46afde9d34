//! The event trace of every case of the corpus, eight bytes at a time: a change
//! of what is reported, and when, shows as a change of a snapshot. Where the net
//! makes something else of a case, its trace is there as well.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::fmt::Write as _;
use std::path::Path;

use callsign::{Attempt, Dialect, Dialects, Event, Provenance, Reader};
use callsign_testing::corpus::{Case, Corpus};

/// Bytes of output a push.
const CHUNK: usize = 8;

fn line(event: &Event<'_>) -> String {
    match event {
        Event::Text { text, .. } => format!("text {text:?}"),
        Event::Reasoning { text, .. } => format!("reasoning {text:?}"),
        Event::Framing { text, kind, .. } => format!("framing {kind:?} {text:?}"),
        Event::CallStarted { index, name } => format!("started {index} {name}"),
        Event::Arguments { index, fragment } => format!("arguments {index} {fragment:?}"),
        Event::Call { index, span, call, doubtful } => {
            let doubt = if *doubtful { " in doubt" } else { "" };
            let from = match &call.provenance {
                Provenance::Native => String::new(),
                other => format!(" {}", serde_json::to_string(other).unwrap()),
            };
            format!("call {index} {}..{} {}{doubt}{from}", span.start, span.end, call.name)
        }
        Event::Attempt(attempt) => {
            let Attempt { span, rule, tool, refusal, message, .. } = attempt;
            let tool = tool.as_deref().unwrap_or("no tool");
            format!("attempt {}..{} {rule} {tool}: {refusal}: {message:?}", span.start, span.end)
        }
        Event::CallDropped { index } => format!("dropped {index}"),
        Event::Rejected { text, reason, .. } => format!("rejected {text:?}: {reason}"),
        other => format!("{other:?}"),
    }
}

fn trace_of(case: &Case, dialect: &dyn Dialect, trace: &mut String) {
    let text = case.text();
    let mut sink = |event: Event<'_>| writeln!(trace, "{}", line(&event)).unwrap();
    let mut reader = Reader::new(dialect, &case.offer());
    for chunk in text.as_bytes().chunks(CHUNK) {
        reader.push_bytes(chunk, &mut sink).unwrap();
    }
    reader.finish(case.end, &mut sink);
}

#[test]
fn the_trace_of_every_case() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let corpus = Corpus::load(&folder).unwrap_or_else(|error| panic!("{error}"));
    let dialects = Dialects::builtin();
    let recovery = dialects.recovery();
    let mut topics: Vec<(String, String)> = Vec::new();
    for case in corpus.cases.iter().filter(|case| case.skip.is_none()) {
        let Some(net) = case.net(&recovery, dialects.get(&case.dialect)) else { continue };
        let mut trace = format!("# {}\n", case.name);
        trace_of(case, &**net.inner(), &mut trace);
        if case.recovered.is_some() {
            trace.push_str("\n## under the net\n");
            trace_of(case, &net, &mut trace);
        }
        let topic = format!("{}-{}", case.dialect, case.topic);
        match topics.last_mut() {
            Some((last, traces)) if *last == topic => {
                traces.push('\n');
                traces.push_str(&trace);
            }
            _ => topics.push((topic, trace)),
        }
    }
    assert!(!topics.is_empty(), "the corpus has cases");
    for (topic, traces) in topics {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(topic, traces);
        });
    }
}
