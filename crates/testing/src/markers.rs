//! The fixed texts of a description: what generators sprinkle and mutators
//! break.

use callsign_syntax::description::{Body, Container, Description, Part};

/// Markers that other families use. A dialect takes them for text.
pub const FOREIGN: &[&str] = &[
    "<tool_call>",
    "</tool_call>",
    "<function=",
    "</function>",
    "<parameter=",
    "</parameter>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<|python_tag|>",
    "<|tool_call>call:",
    "<tool_call|>",
    "<invoke name=\"",
    "</invoke>",
    "<minimax:tool_call>",
    "<seed:tool_call>",
    "<arg_key>",
    "</arg_value>",
    "<|channel|>commentary to=functions.",
    "<|message|>",
    "<|call|>",
    "<|tool_calls_section_begin|>",
    "<think>",
    "</think>",
    "<|im_end|>",
    "<|im_start|>assistant\n",
    "</s>",
    "```json\n",
    "{\"name\": \"",
    "\", \"arguments\": {",
];

/// The fixed texts of a description, each once, in the order in which they
/// occur. Texts that follow on each other are one.
pub fn markers(description: &Description) -> Vec<String> {
    let mut found = Vec::new();
    for region in &description.regions {
        collect(&region.open, &mut found);
        if let Body::Calls(calls) = &region.body {
            for form in &calls.forms {
                collect(form, &mut found);
            }
            collect(&calls.between, &mut found);
        }
        collect(&region.close, &mut found);
    }
    found.extend(description.stops.iter().cloned());
    let mut once: Vec<String> = Vec::new();
    for marker in found {
        if !marker.is_empty() && !once.contains(&marker) {
            once.push(marker);
        }
    }
    once
}

fn collect(parts: &[Part], found: &mut Vec<String>) {
    for part in joined(parts) {
        match part {
            Part::Literal(text) | Part::Marker(text) => found.push(text),
            Part::Id(parts) | Part::Maybe { parts, .. } => collect(&parts, found),
            Part::OneOf(all) => all.iter().for_each(|parts| collect(parts, found)),
            Part::Arguments(Container::Each(each)) => collect(&each.item, found),
            Part::Arguments(Container::Json) => found.push("{".to_owned()),
            Part::Arguments(Container::Braces(braces)) => found.push(braces.quote),
            Part::Arguments(Container::Elements(elements)) => {
                found.push(format!("{}<{}>", elements.prefix, elements.item));
                found.push(format!("{}</{}>", elements.prefix, elements.item));
                found.push(elements.prefix);
            }
            Part::Object(object) => {
                let keys = object.name.iter().chain(&object.arguments).chain(&object.id);
                found.extend(keys.map(|key| format!("\"{key}\": ")));
                found.push("{".to_owned());
            }
            _ => {}
        }
    }
}

/// The same parts, texts that follow on each other as one.
pub(crate) fn joined(parts: &[Part]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        if let Part::Literal(more) | Part::Marker(more) = part
            && let Some(Part::Literal(text) | Part::Marker(text)) = all.last_mut()
        {
            text.push_str(more);
        } else {
            all.push(part.clone());
        }
    }
    all
}

/// The texts that begin a structure in flowing text, as far as they are fixed:
/// what a reader may wait for in text.
pub fn openers(description: &Description) -> Vec<String> {
    let mut found = Vec::new();
    for region in &description.regions {
        match &region.body {
            Body::Calls(calls) => {
                let forms = calls.forms.iter();
                found
                    .extend(forms.flat_map(|form| first_texts(&[&region.open[..], form].concat())));
            }
            Body::Reasoning | Body::Content => {
                found.extend(first_texts(&region.open));
                found.extend(first_texts(&region.close));
            }
        }
    }
    found.extend(description.stops.iter().cloned());
    found
}

/// The texts with which a list of parts can begin, white space aside.
pub(crate) fn first_texts(parts: &[Part]) -> Vec<String> {
    let parts = joined(parts);
    let mut found = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        // A text goes on with what follows it.
        let rest = &parts[index + 1..];
        let with_rest = |inside: &[Part]| first_texts(&[inside, rest].concat());
        match part {
            Part::Space(_) => {}
            Part::Literal(text) | Part::Marker(text) => {
                let brace = if rest.first().is_some_and(begins_with_brace) { "{" } else { "" };
                found.push(format!("{text}{brace}"));
                break;
            }
            Part::Maybe { parts, .. } => found.extend(with_rest(parts)),
            Part::OneOf(all) => {
                found.extend(all.iter().flat_map(|parts| with_rest(parts)));
                break;
            }
            part if begins_with_brace(part) => {
                found.push("{".to_owned());
                break;
            }
            // There may be no argument at all.
            Part::Arguments(Container::Each(each)) => found.extend(first_texts(&each.item)),
            _ => break,
        }
    }
    found
}

/// Whether a part begins with a brace, whatever else.
pub(crate) fn begins_with_brace(part: &Part) -> bool {
    matches!(part, Part::Object(_) | Part::Arguments(Container::Json | Container::Braces(_)))
}

/// The texts with which a list of parts can end, white space aside.
pub(crate) fn last_texts(parts: &[Part]) -> Vec<String> {
    let mut text = String::new();
    for part in joined(parts).into_iter().rev() {
        match part {
            Part::Space(_) if text.is_empty() => {}
            Part::Literal(more) | Part::Marker(more) => text.insert_str(0, &more),
            Part::OneOf(all) => {
                let ends = all.iter().flat_map(|parts| last_texts(parts));
                return ends.map(|end| end + &text).collect();
            }
            _ => break,
        }
    }
    if text.is_empty() { Vec::new() } else { vec![text] }
}
