//! Calls that came out wrong: recovers them, and decides by where they come from
//! what runs, what a person has to confirm, and what the model is told.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use callsign::{
    Dialects, Effect, End, Event, Offer, Provenance, Reader, Report, Tool, ToolCall, Toolset, Turn,
};

/// What the model has written, though it speaks another dialect.
const OUTPUTS: [&str; 5] = [
    // Markup says that it is a call.
    "<function=look>\n<parameter=path>a.txt</parameter>\n</function>",
    // Only its place and its shape say so.
    "I look at it.\n{\"name\": \"look\", \"arguments\": {\"path\": \"a.txt\"}}",
    "remove(path='a.txt')",
    // The user's own words.
    "look(path='notes.txt')",
    // It was cut.
    "<function=remove>\n<parameter=path>a.t",
];

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        r#"{"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}"#;
    let tools = Toolset::new([
        Tool::new("look", path)?.effect(Effect::Read),
        Tool::new("remove", path)?.effect(Effect::Write),
    ])?;
    let dialects = Dialects::builtin();
    let hermes = dialects.get("hermes").ok_or("the feature `hermes` is off")?;
    let net = dialects.recovery().over(hermes).heard(["What does look(path='notes.txt') do?"]);

    let mut report = Report::default();
    for output in OUTPUTS {
        let mut turn = Turn::default();
        let mut add = |event: Event<'_>| {
            report.add(&event);
            turn.add(event);
        };
        let mut reader = Reader::new(&net, &Offer::new(&tools));
        reader.push(output, &mut add);
        reader.finish(End::Stop, &mut add);

        for call in &turn.calls {
            let verb = if needs_a_person(&turn, call, &tools) { "ask for" } else { "run" };
            println!("{verb} {} {}", call.name, call.arguments.as_str());
        }
        for attempt in &turn.attempts {
            println!("no call: {}", attempt.refusal);
            // Where the model can do better, it is told how.
            if !attempt.message.is_empty() {
                println!("{}", attempt.message);
            }
        }
    }
    println!("recovered {}, refused {:?}", report.recovered.len(), report.refused);
    Ok(())
}

/// Whether a person has to confirm a call: if it may change something, and
/// nothing but its place and its shape says that it is one.
fn needs_a_person(turn: &Turn, call: &ToolCall, tools: &Toolset) -> bool {
    let changes = tools.get(&call.name).is_none_or(|tool| tool.effect == Effect::Write);
    let unsure = match &call.provenance {
        Provenance::Recovered(recovered) => !recovered.marked,
        _ => false,
    };
    changes && (unsure || turn.ambiguous)
}
