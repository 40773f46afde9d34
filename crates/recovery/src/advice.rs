//! What a model is told of a call that could not be run, so that its next try is
//! one.

use callsign_core::{Arguments, Dialect, Kinds, Refusal, Tool, ToolCall, Toolset, Type, json};

/// The most tools that are listed.
const LISTED: usize = 24;

/// The message for a refusal; empty where the model has nothing to mend.
pub(crate) fn message(
    refusal: &Refusal,
    tool: Option<&str>,
    tools: &Toolset,
    dialect: &dyn Dialect,
) -> String {
    let wrong = match refusal {
        Refusal::Quoted
        | Refusal::Example
        | Refusal::TextFollows
        | Refusal::Echo
        | Refusal::BesideCalls => return String::new(),
        Refusal::NotChosen(None) => {
            return "No tool can be called now. Answer in words.".to_owned();
        }
        Refusal::NotChosen(Some(name)) => return format!("Only `{name}` can be called now."),
        Refusal::UnknownTool(name) => {
            let names: Vec<&str> = tools.iter().take(LISTED).map(|tool| &*tool.name).collect();
            if names.is_empty() {
                return format!("There is no tool `{name}`, and no other.");
            }
            let listed = names.join(", ");
            return format!("There is no tool `{name}`. The tools are: {listed}.");
        }
        Refusal::Cut => "it was not closed".to_owned(),
        Refusal::UnknownKeys(keys) => format!("the tool has no argument `{}`", keys.join("`, `")),
        Refusal::Malformed { expected, .. } => format!("expected {expected}"),
        Refusal::Guess(repair) => format!("its syntax was wrong: {repair}"),
        _ => "it was too large".to_owned(),
    };
    let Some(tool) = tool.and_then(|name| tools.get(name)) else {
        return format!("A call could not be read: {wrong}.");
    };
    let form = form(tool, tools, dialect);
    format!("The call of `{}` was not run: {wrong}. Write it like this:\n{form}", tool.name)
}

/// A call of the tool as its dialect writes it, with an example for each
/// required argument.
fn form(tool: &Tool, tools: &Toolset, dialect: &dyn Dialect) -> String {
    let root = tool.parameters.root();
    let mut arguments = String::from("{");
    for (key, ty) in root.properties().filter(|(key, _)| root.required(key)) {
        if arguments.len() > 1 {
            arguments.push_str(", ");
        }
        json::quote_into(key, &mut arguments);
        arguments.push_str(": ");
        arguments.push_str(&example(ty));
    }
    arguments.push('}');
    let mut out = String::new();
    if let Ok(arguments) = Arguments::from_json(arguments.clone()) {
        let call = ToolCall::new(tool.name.clone(), arguments);
        if dialect.write(&[call], tools, &mut out).is_ok() && !out.is_empty() {
            return out;
        }
    }
    out.clear();
    out.push_str("{\"name\": ");
    json::quote_into(&tool.name, &mut out);
    out.push_str(", \"arguments\": ");
    out.push_str(&arguments);
    out.push('}');
    out
}

/// A value of a type.
fn example(ty: Type<'_>) -> String {
    if let Some(choice) = ty.choices().and_then(|choices| choices.first()) {
        return choice.to_string();
    }
    let kinds = ty.kinds();
    let examples = [
        (Kinds::STRING, "\"…\""),
        (Kinds::INTEGER, "0"),
        (Kinds::NUMBER, "0"),
        (Kinds::BOOLEAN, "true"),
        (Kinds::ARRAY, "[]"),
        (Kinds::OBJECT, "{}"),
    ];
    let fits = examples.iter().find(|(kind, _)| kinds.contains(*kind));
    fits.map_or("null", |(_, example)| example).to_owned()
}
