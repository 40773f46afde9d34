//! What fuzzing does with an input, and the tests with those that are kept:
//! whatever it is, there is an answer, and errors point into the template.

#![allow(clippy::expect_used)]

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Message, Role, Toolset};
use callsign_template::{ChatTemplate, Clock, Conversation, Fault, TemplateError, detect};

/// Templates like those of models, which conversations are rendered with.
const TEMPLATES: [(&str, &str); 5] = [
    ("json", include_str!("../../../../fuzz/seeds/template/json.jinja")),
    ("tags", include_str!("../../../../fuzz/seeds/template/tags.jinja")),
    ("headers", include_str!("../../../../fuzz/seeds/template/headers.jinja")),
    ("reasoning", include_str!("../../../../fuzz/seeds/template/reasoning.jinja")),
    ("parts", include_str!("../../../../fuzz/seeds/template/parts.jinja")),
];

static COMPILED: LazyLock<Vec<(&str, ChatTemplate)>> = LazyLock::new(|| {
    let compiled = TEMPLATES
        .map(|(name, text)| (name, ChatTemplate::new(text).expect("the seeds are templates")));
    compiled.into()
});

static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
    [callsign_hermes::dialects(), callsign_pythonic::dialects(), callsign_qwen_xml::dialects()]
        .concat()
});

/// What comes of a text as a template: it is compiled, probed, and its dialect
/// looked for.
pub(crate) fn template(text: &str) -> String {
    let template = match ChatTemplate::new(text) {
        Ok(template) => template,
        Err(error) => return said(&error, text, 0),
    };
    let probes = template.probes();
    let detected = match detect(&template, DIALECTS.iter()) {
        Ok(detection) => format!("{:?}", detection.chosen),
        Err(undetected) => undetected.to_string(),
    };
    let messages = [Message::new(Role::User, "U")];
    let rendered = match template.render(&Conversation::new(&messages)) {
        Ok(prompt) => format!("{:?}", shortened(&prompt)),
        Err(error) => said(&error, text, messages.len()),
    };
    format!(
        "{rendered}\ntools {}, calls {:?}, results {}\n{detected}",
        probes.tools, probes.calls, probes.results
    )
}

/// What comes of a text as a conversation: its lines are tools, variables, and
/// then messages, all of them JSON. What is none is left out, and what is no
/// message said by the user.
pub(crate) fn conversation(text: &str) -> String {
    let mut lines = text.lines();
    let mut line = || lines.next().unwrap_or_default();
    let tools = Toolset::from_openai(line()).unwrap_or_default();
    let kwargs = line();
    let messages: Vec<Message> = lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| Message::new(Role::User, line)))
        .collect();
    let plain =
        Conversation::new(&messages).tools(&tools).clock(Clock::from_unix(text.len() as i64));
    let conversation = plain.clone().kwargs(kwargs).unwrap_or(plain);
    let mut outcomes = String::new();
    for ((name, template), (_, source)) in COMPILED.iter().zip(TEMPLATES) {
        let rendered = match template.render(&conversation) {
            Ok(prompt) => prompt,
            Err(error) => said(&error, source, messages.len()),
        };
        outcomes += &format!("--- {name}\n{rendered}\n");
    }
    outcomes
}

/// An error in its own words, having checked that it is about this template
/// and one of so many messages.
fn said(error: &TemplateError, text: &str, messages: usize) -> String {
    let fault = match error {
        TemplateError::Syntax(fault) | TemplateError::Failed(fault) => Some(fault),
        TemplateError::Refused { fault, at, .. } => {
            assert!(at.is_none_or(|at| at < messages), "{error}");
            Some(fault)
        }
        _ => None,
    };
    if let Some(fault) = fault {
        points_into(fault, text);
    }
    let said = error.to_string();
    assert!(!said.is_empty());
    said
}

fn points_into(fault: &Fault, text: &str) {
    let ends = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines = ends.split('\n').count();
    assert!(fault.line.is_none_or(|line| (1..=lines).contains(&line)), "{fault}");
    // A place behind the line's end is where something is missing.
    let width = fault.source_line.chars().count() + 1;
    assert!(fault.column.is_none_or(|column| (1..=width).contains(&column)), "{fault}");
    assert!(!fault.reason.is_empty());
}

/// Enough of a prompt to tell it by.
fn shortened(prompt: &str) -> String {
    const MOST: usize = 120;
    match prompt.char_indices().nth(MOST) {
        None => prompt.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)", &prompt[..at], prompt.len()),
    }
}
