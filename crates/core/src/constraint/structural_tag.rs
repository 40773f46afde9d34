//! Printing a constraint as an xgrammar structural tag. Every node has its
//! counterpart there, so the printing is one to one; xgrammar tries all
//! readings of a text at once, so free text needs no care.
//!
//! xgrammar enforces less of a schema than the schema keeps here (of `allOf`,
//! one branch at most) and takes an object schema that lists properties and
//! says nothing of others as closed.

use super::{Node, Vocabulary, schema};
use crate::json::quote_into;

pub(super) fn print(root: &Node, vocabulary: &Vocabulary) -> String {
    let mut out = String::from(r#"{"type":"structural_tag","format":"#);
    node(root, vocabulary, &mut out);
    out.push('}');
    out
}

fn node(part: &Node, vocabulary: &Vocabulary, out: &mut String) {
    match part {
        Node::Text(text) => text_field("const_string", "value", text, out),
        Node::Marker(marker) => match vocabulary.token(marker) {
            None => text_field("const_string", "value", marker, out),
            Some(None) => text_field("token", "token", marker, out),
            Some(Some(id)) => out.push_str(&format!(r#"{{"type":"token","token":{id}}}"#)),
        },
        Node::Seq(parts) => list("sequence", parts, vocabulary, out),
        Node::Choice(parts) => list("or", parts, vocabulary, out),
        Node::Repeat { node: inner, min, max } => {
            match (min, max) {
                (0, Some(1)) => out.push_str(r#"{"type":"optional""#),
                (0, None) => out.push_str(r#"{"type":"star""#),
                (1, None) => out.push_str(r#"{"type":"plus""#),
                (min, max) => {
                    let max = max.map_or_else(|| "-1".to_owned(), |max| max.to_string());
                    out.push_str(&format!(r#"{{"type":"repeat","min":{min},"max":{max}"#));
                }
            }
            out.push_str(r#","content":"#);
            node(inner, vocabulary, out);
            out.push('}');
        }
        Node::Free { without } => {
            out.push_str(r#"{"type":"any_text""#);
            let mut between = r#","excludes":["#;
            for text in without.iter().filter(|text| !text.is_empty()) {
                out.push_str(between);
                quote_into(text, out);
                between = ",";
            }
            out.push_str(if between == "," { "]}" } else { "}" });
        }
        Node::Json(text) => {
            out.push_str(r#"{"type":"json_schema","json_schema":"#);
            out.push_str(&schema::enforceable(text).schema);
            out.push('}');
        }
        Node::Pattern(pattern) => text_field("regex", "pattern", pattern, out),
    }
}

fn text_field(kind: &str, field: &str, text: &str, out: &mut String) {
    out.push_str(&format!(r#"{{"type":"{kind}","{field}":"#));
    quote_into(text, out);
    out.push('}');
}

/// xgrammar refuses a list without elements.
fn list(kind: &str, parts: &[Node], vocabulary: &Vocabulary, out: &mut String) {
    match parts {
        [] => text_field("const_string", "value", "", out),
        [one] => node(one, vocabulary, out),
        parts => {
            out.push_str(&format!(r#"{{"type":"{kind}","elements":"#));
            let mut between = '[';
            for part in parts {
                out.push(between);
                node(part, vocabulary, out);
                between = ',';
            }
            out.push_str("]}");
        }
    }
}
