//! Small templates, and what Python makes of them.
//!
//! `python/cases.jsonl` holds what Jinja2 printed, in the environment that
//! transformers sets up, or the error it raised. `cargo xtask templates
//! --transformers` asks it again. A few say what is not supported, and that has
//! to stay true as well.

#![allow(clippy::expect_used)]

use callsign_template::{ChatTemplate, Clock, Conversation};
use serde::Deserialize;

const VARIABLES: &str = include_str!("python/variables.json");
const CASES: &str = include_str!("python/cases.jsonl");

#[derive(Deserialize)]
struct Case {
    template: String,
    prompt: Option<String>,
    error: Option<String>,
    unsupported: Option<String>,
}

fn render(template: &str) -> Result<String, String> {
    let now: Clock = "2025-03-09T07:05:09".parse().expect("a time");
    let conversation = Conversation::new(&[]).clock(now).kwargs(VARIABLES).expect("variables");
    let template = ChatTemplate::new(template).map_err(|error| error.to_string())?;
    template.render(&conversation).map_err(|error| error.to_string())
}

#[test]
fn templates_print_what_they_print_in_python() {
    let mut differ = Vec::new();
    for line in CASES.lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        let rendered = render(&case.template);
        let equal = match (&rendered, &case.prompt, &case.error) {
            (Ok(prompt), Some(expected), None) => prompt == expected,
            (Err(_), None, Some(_)) => true,
            _ => false,
        };
        if equal == case.unsupported.is_some() {
            let expected = case.prompt.ok_or(case.error.unwrap_or_default());
            differ.push(format!(
                "{:?}\n  expected {expected:?}\n  rendered {rendered:?}",
                case.template
            ));
        }
    }
    assert!(differ.is_empty(), "{} differ\n{}", differ.len(), differ.join("\n"));
}
