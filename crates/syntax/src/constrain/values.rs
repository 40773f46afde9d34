//! The values of containers that spell them in their own way: one walk over the
//! schema for all of them.

use callsign_core::{Kinds, Node, Tool, Type, Unconstrained, json};

use super::Grammar;
use crate::description::{Braces, Elements};
use crate::literals::is_key_byte;
use crate::spell;

/// Values of which the schema says nothing nest no deeper than this.
const FREE_DEPTH: usize = 2;

/// Schemas nest no deeper than this in a grammar.
const MAX_DEPTH: usize = 16;

/// How a container spells values.
#[derive(Clone, Copy)]
pub(super) enum Style<'d> {
    Python,
    Braces(&'d Braces),
    Elements(&'d Elements),
}

impl Style<'_> {
    /// What stands between two members.
    fn comma(self) -> &'static str {
        match self {
            Style::Python => ", ",
            Style::Braces(_) | Style::Elements(_) => ",",
        }
    }
}

/// A text as a JSON string, which is a Python string too.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    json::quote_into(text, &mut out);
    out
}

impl Grammar<'_> {
    /// The keywords of a Python call, in the order of the schema.
    pub(super) fn python(&mut self, tool: &Tool) -> Result<Node, Unconstrained> {
        let root = tool.parameters.root();
        let mut members = Vec::new();
        self.note_unenforced(tool);
        for (key, kind) in root.properties() {
            if key.is_empty() || !key.bytes().all(is_key_byte) {
                if root.required(key) {
                    let what = format!("the argument `{key}` of `{}` as a keyword", tool.name);
                    return Err(Unconstrained::Unsupported { what });
                }
                continue;
            }
            let value = value(kind, Style::Python, 1);
            let member = Node::Seq(vec![Node::text(format!("{key}=")), value]);
            members.push((member, root.required(key)));
        }
        Ok(listed(members, ", "))
    }

    /// Arguments in a spelling of the container's own.
    pub(super) fn values(&mut self, tool: &Tool, style: Style<'_>) -> Node {
        self.note_unenforced(tool);
        members(tool.parameters.root(), style, 0)
    }
}

/// The members of an object.
fn members(kind: Type<'_>, style: Style<'_>, depth: usize) -> Node {
    let mut found = Vec::new();
    for (key, member) in kind.properties() {
        // No tag can hold such a key.
        let untaggable =
            key.is_empty() || key.contains(['<', '>']) || key.contains(char::is_control);
        if untaggable && matches!(style, Style::Elements(_)) {
            continue;
        }
        let value = value(member, style, depth + 1);
        let node = match style {
            Style::Python => Node::Seq(vec![Node::text(quoted(key) + ": "), value]),
            Style::Braces(braces) => {
                let key = spell::brace_key(key, &braces.quote);
                Node::Seq(vec![Node::text(key + ":"), value])
            }
            Style::Elements(elements) => element(elements, key, value),
        };
        found.push((node, kind.required(key)));
    }
    match style {
        Style::Python | Style::Braces(_) => {
            let inside = match found.is_empty() && depth > 0 {
                true => free_members(style, FREE_DEPTH),
                false => listed(found, style.comma()),
            };
            Node::Seq(vec![Node::text("{"), inside, Node::text("}")])
        }
        Style::Elements(_) => Node::Seq(
            found
                .into_iter()
                .map(|(node, needed)| if needed { node } else { node.optional() })
                .collect(),
        ),
    }
}

fn element(elements: &Elements, tag: &str, value: Node) -> Node {
    let prefix = &elements.prefix;
    Node::Seq(vec![
        Node::marker(prefix),
        Node::text(format!("<{tag}>")),
        value,
        Node::marker(prefix),
        Node::text(format!("</{tag}>")),
    ])
}

fn value(kind: Type<'_>, style: Style<'_>, depth: usize) -> Node {
    if let Some(choices) = kind.choices() {
        return Node::Choice(choices.iter().map(|choice| choice_node(choice, style)).collect());
    }
    if kind.is_unspecified() || depth > MAX_DEPTH {
        return match style {
            Style::Elements(_) => string(style),
            Style::Python | Style::Braces(_) => free_value(style, FREE_DEPTH),
        };
    }
    let kinds = kind.kinds();
    let mut nodes = Vec::new();
    match style {
        // A JSON string is a Python string, and its schema is enforced.
        Style::Python if kinds == Kinds::STRING => {
            return Node::Json(own_schema(kind, "string"));
        }
        _ if kinds.contains(Kinds::STRING) => nodes.push(string(style)),
        _ => {}
    }
    let scalar = [
        (Kinds::NUMBER, "number"),
        (Kinds::INTEGER, "integer"),
        (Kinds::BOOLEAN, "boolean"),
        (Kinds::NULL, "null"),
    ];
    let scalars: Vec<_> = scalar.iter().filter(|(known, _)| kinds.contains(*known)).collect();
    // A number schema admits integers too, and its own text keeps its bounds.
    match (scalars.first(), kinds == Kinds::INTEGER || kinds == Kinds::NUMBER) {
        (Some((_, name)), true) => nodes.push(Node::Json(own_schema(kind, name))),
        _ => {
            let mut integer = false;
            for (known, name) in scalars {
                if *known == Kinds::INTEGER && integer {
                    continue;
                }
                integer |= *known == Kinds::NUMBER;
                match (style, *name) {
                    (Style::Python, "boolean") => {
                        nodes.extend([Node::text("True"), Node::text("False")]);
                    }
                    (Style::Python, "null") => nodes.push(Node::text("None")),
                    _ => nodes.push(Node::Json(format!(r#"{{"type":"{name}"}}"#))),
                }
            }
        }
    }
    if kinds.contains(Kinds::ARRAY) {
        let item = value(kind.items(), style, depth + 1);
        // An empty element would be ambiguous where text or an object may stand.
        let other = kinds.contains(Kinds::STRING) || kinds.contains(Kinds::OBJECT);
        nodes.push(list(item, u32::from(other), style));
    }
    if kinds.contains(Kinds::OBJECT) {
        nodes.push(members(kind, style, depth));
    }
    if nodes.len() == 1 { nodes.remove(0) } else { Node::Choice(nodes) }
}

/// A list, in elements of so many items at least.
fn list(item: Node, min: u32, style: Style<'_>) -> Node {
    match style {
        Style::Python | Style::Braces(_) => {
            let more = Node::Seq(vec![Node::text(style.comma()), item.clone()]).repeated(0, None);
            let items = Node::Seq(vec![item, more]).optional();
            Node::Seq(vec![Node::text("["), items, Node::text("]")])
        }
        Style::Elements(elements) => element(elements, &elements.item, item).repeated(min, None),
    }
}

/// The schema of a scalar as it is written, unless it only refers to another.
fn own_schema(kind: Type<'_>, name: &str) -> String {
    match kind.raw() {
        refers if refers.contains("\"$ref\"") => format!(r#"{{"type":"{name}"}}"#),
        own => own.to_owned(),
    }
}

fn string(style: Style<'_>) -> Node {
    match style {
        Style::Python => Node::Json(r#"{"type":"string"}"#.to_owned()),
        Style::Braces(braces) => Node::Seq(vec![
            Node::marker(&braces.quote),
            Node::free([braces.quote.as_str()]),
            Node::marker(&braces.quote),
        ]),
        Style::Elements(elements) => Node::free([elements.prefix.as_str()]),
    }
}

fn choice_node(choice: &str, style: Style<'_>) -> Node {
    let text = super::spelling(choice);
    match style {
        Style::Python => {
            let mut literal = String::new();
            // A choice that has no spelling is none.
            match spell::python(choice, &mut literal) {
                Ok(()) => Node::text(literal),
                Err(_) => Node::Choice(Vec::new()),
            }
        }
        Style::Braces(braces) if choice.starts_with('"') => Node::Seq(vec![
            Node::marker(&braces.quote),
            Node::text(text),
            Node::marker(&braces.quote),
        ]),
        Style::Braces(_) if matches!(json::kind(choice), Some(json::Kind::Object)) => {
            Node::text("{}")
        }
        _ => Node::text(text),
    }
}

/// Members of an object of which the schema says nothing.
fn free_members(style: Style<'_>, depth: usize) -> Node {
    // What is written without delimiters: key bytes alone.
    let bare = Node::Pattern(r#"[^\x00-\x20\x7f=:,(){}\[\]"'<>]+"#.to_owned());
    let (key, colon) = match style {
        Style::Python => (string(style), ": "),
        Style::Braces(_) | Style::Elements(_) => (Node::Choice(vec![bare, string(style)]), ":"),
    };
    let member = Node::Seq(vec![key, Node::text(colon), free_value(style, depth)]);
    let more = Node::Seq(vec![Node::text(style.comma()), member.clone()]).repeated(0, None);
    Node::Seq(vec![member, more]).optional()
}

fn free_value(style: Style<'_>, depth: usize) -> Node {
    let mut nodes = vec![string(style)];
    match style {
        Style::Python => {
            nodes.extend(["True", "False", "None"].map(Node::text));
            nodes.push(Node::Json(r#"{"type":"number"}"#.to_owned()));
        }
        _ => nodes.push(Node::Json(r#"{"type":["number","boolean","null"]}"#.to_owned())),
    }
    if depth > 0 {
        nodes.push(list(free_value(style, depth - 1), 1, style));
        let inside = free_members(style, depth - 1);
        nodes.push(Node::Seq(vec![Node::text("{"), inside, Node::text("}")]));
    }
    Node::Choice(nodes)
}

/// Members in order, the needed ones always there, with `between` two that are.
pub(super) fn listed(members: Vec<(Node, bool)>, between: &str) -> Node {
    if between.is_empty() {
        let optional = |(node, needed)| if needed { node } else { Node::optional(node) };
        return Node::Seq(members.into_iter().map(optional).collect());
    }
    // From the last to the first: what follows if something stands in front,
    // and what follows if nothing does.
    let between = match between.trim().is_empty() {
        true => super::texts::blanks(between),
        false => Node::text(between),
    };
    let mut after = Node::Seq(Vec::new());
    let mut first = Node::Seq(Vec::new());
    for (member, needed) in members.into_iter().rev() {
        let here = Node::Seq(vec![member, after.clone()]);
        let more = Node::Seq(vec![between.clone(), here.clone()]);
        if needed {
            (after, first) = (more, here);
        } else {
            after = Node::Choice(vec![more, after]);
            first = Node::Choice(vec![here, first]);
        }
    }
    first
}
