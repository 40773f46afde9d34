//! The texts of a description as a grammar needs them: what opens, what closes,
//! what stands between.

use callsign_core::Node;

use crate::description::{Body, Part, Region};

/// The character at which a key ends.
pub(super) fn key_ends(item: &[Part]) -> Option<char> {
    for (at, part) in item.iter().enumerate() {
        match part {
            Part::Key => return first_text(&item[at + 1..])?.chars().next(),
            Part::OneOf(all) => {
                if let Some(end) = all.first().and_then(|first| key_ends(first)) {
                    return Some(end);
                }
            }
            _ => {}
        }
    }
    None
}

/// White space as a text of its own, which is never taken for the beginning of a
/// longer one.
pub(super) fn blanks(space: &str) -> Node {
    Node::Pattern(space.replace('\n', "\\n"))
}

/// Parts without slots.
pub(super) fn edge(parts: &[Part]) -> Node {
    let mut nodes = Vec::new();
    for part in parts {
        match part {
            Part::Literal(text) | Part::Space(text) => nodes.push(Node::text(text)),
            Part::Marker(text) => nodes.push(Node::marker(text)),
            Part::Maybe { parts, written: true } => nodes.push(edge(parts)),
            Part::OneOf(all) => nodes.push(edge(all.first().map_or(&[], Vec::as_slice))),
            _ => {}
        }
    }
    Node::Seq(nodes)
}

/// The same for a message, where what is not written may stand all the same.
pub(super) fn framed_edge(parts: &[Part]) -> Node {
    let nodes = parts.iter().map(|part| match part {
        Part::Maybe { parts, written: false } => edge(parts).optional(),
        part => edge(std::slice::from_ref(part)),
    });
    Node::Seq(nodes.collect())
}

/// Every text that opens a region, or a call where that is what opens it.
pub(super) fn openings(region: &Region) -> Vec<String> {
    let open = opening_texts(&region.open);
    match &region.body {
        Body::Calls(calls) if open.is_empty() => {
            calls.forms.iter().flat_map(|form| opening_texts(form)).collect()
        }
        _ => open,
    }
}

/// The texts with which parts may begin, those behind optional parts included.
pub(super) fn opening_texts(parts: &[Part]) -> Vec<String> {
    let mut texts = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        match part {
            Part::Space(_) => {}
            Part::Maybe { parts, .. } => texts.extend(opening_texts(parts)),
            Part::OneOf(all) => {
                texts.extend(all.iter().flat_map(|one| opening_texts(one)));
                break;
            }
            _ => {
                texts.extend(first_text(&parts[at..]));
                break;
            }
        }
    }
    texts
}

/// Every text with which parts may begin.
pub(super) fn all_texts(parts: &[Part]) -> Vec<String> {
    match parts {
        [Part::OneOf(all), ..] => all.iter().filter_map(|one| first_text(one)).collect(),
        parts => first_text(parts).into_iter().collect(),
    }
}

/// The first text of parts, white space aside: texts that follow on each other
/// are one.
pub(super) fn first_text(parts: &[Part]) -> Option<String> {
    let mut text = String::new();
    for part in parts {
        match part {
            Part::Literal(more) | Part::Marker(more) => text.push_str(more),
            Part::Space(_) | Part::Maybe { .. } if text.is_empty() => {}
            Part::OneOf(all) if text.is_empty() => return first_text(all.first()?),
            Part::Object(_) => {
                text.push('{');
                break;
            }
            _ => break,
        }
    }
    (!text.is_empty()).then_some(text)
}
