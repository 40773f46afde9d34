//! Printing a constraint as a Lark grammar for llguidance.
//!
//! llguidance splits its input into lexemes, the longest that matches first,
//! and never goes back. Free text would therefore swallow what follows it: the
//! two are printed as one lexeme, which ends at the first byte at which it
//! matches (`lazy`). So printing carries the free text that waits for its end
//! (a [`State`]) from node to node, around the turns of a repetition as well,
//! and a node is printed once for every state it may be met in.

use std::collections::BTreeMap;

use super::expr::{Expr, Level};
use super::{Node, Vocabulary, schema};
use crate::json::quote_into;

/// How `%json` is read: `oneOf` as `anyOf`, at most 64 blanks in a row, and
/// `\u` escapes in strings.
const JSON_OPTIONS: &str = r#""x-guidance":{"lenient":true,"coerce_one_of":true,"whitespace_pattern":"[ \\t\\r\\n]{1,64}","json_allow_general_unicode_escapes":true}"#;

/// The longest text after free text that is still part of it.
const MAX_TAIL: usize = 256;
/// The greatest number of states a repetition is followed through.
const MAX_STATES: usize = 16;

pub(super) fn print(root: &Node, vocabulary: &Vocabulary) -> String {
    let mut printer = Printer { vocabulary, rules: Vec::new(), names: BTreeMap::new() };
    let ends = printer.node(None, root);
    let ends = ends.into_iter().map(|(state, expr)| {
        let free = state.map_or(Expr::Empty, |state| printer.rest(&state));
        expr.then(free)
    });
    let start = Expr::any(ends.collect());
    let mut out = format!("start: {}\n", start.print(Level::Alternative));
    for rule in printer.rules {
        out.push_str(&rule);
        out.push('\n');
    }
    out
}

/// Free text that waits for its end: what it may not contain, and the text that
/// follows it so far and completes none of that.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    without: Vec<String>,
    tail: String,
}

type State = Option<Waiting>;
/// Every state a printed part may leave behind, once.
type States = Vec<(State, Expr)>;

struct Printer<'v> {
    vocabulary: &'v Vocabulary,
    rules: Vec<String>,
    /// The names of rules that are printed, by kind and body.
    names: BTreeMap<(&'static str, String), String>,
}

impl Printer<'_> {
    fn node(&mut self, state: State, node: &Node) -> States {
        match node {
            Node::Text(text) => self.text(state, text),
            Node::Marker(marker) => match self.vocabulary.token(marker) {
                Some(Some(id)) => self.after(state, Expr::Atom(format!("<[{id}]>"))),
                Some(None) if is_named_token(marker) => {
                    self.after(state, Expr::Atom(marker.clone()))
                }
                _ => self.text(state, marker),
            },
            Node::Seq(parts) => self.sequence(state, parts),
            Node::Choice(parts) if parts.is_empty() => vec![(state, Expr::Empty)],
            Node::Choice(parts) => {
                let alternatives =
                    parts.iter().flat_map(|part| self.node(state.clone(), part)).collect();
                merge(alternatives)
            }
            Node::Repeat { node, min, max } => self.repeat(state, node, *min, *max),
            Node::Free { without } => self.free(state, without),
            Node::Json(text) => {
                let schema = schema::enforceable(text).schema;
                let body = match schema.strip_prefix('{') {
                    Some("}") => format!("%json {{{JSON_OPTIONS}}}"),
                    Some(rest) => format!("%json {{{JSON_OPTIONS},{rest}"),
                    // `true` and `false`.
                    None => format!("%json {{{JSON_OPTIONS},\"allOf\":[{schema}]}}"),
                };
                let json = self.rule("json", body);
                self.after(state, json)
            }
            Node::Pattern(pattern) => self.after(state, regex(pattern)),
        }
    }

    /// The parts in order; neighbouring texts are one lexeme.
    fn sequence(&mut self, state: State, parts: &[Node]) -> States {
        let mut flat = Vec::new();
        flatten(parts, &mut flat);
        let mut states = vec![(state, Expr::Empty)];
        let mut at = 0;
        while let Some(part) = flat.get(at) {
            let mut text = String::new();
            while let Some(next) = flat.get(at).and_then(|part| self.as_text(part)) {
                text.push_str(next);
                at += 1;
            }
            states = if text.is_empty() {
                at += 1;
                self.then(states, part)
            } else {
                self.then(states, &Node::Text(text))
            };
        }
        states
    }

    fn as_text<'n>(&self, node: &'n Node) -> Option<&'n str> {
        match node {
            Node::Text(text) if !text.is_empty() => Some(text),
            Node::Marker(marker) if !marker.is_empty() => match self.vocabulary.token(marker) {
                Some(Some(_)) => None,
                Some(None) if is_named_token(marker) => None,
                _ => Some(marker),
            },
            _ => None,
        }
    }

    /// What was printed so far, then a node.
    fn then(&mut self, states: States, node: &Node) -> States {
        let mut all = Vec::new();
        for (state, mut before) in states {
            let after = self.node(state, node);
            if after.len() > 1 {
                before = self.shared(before);
            }
            all.extend(after.into_iter().map(|(state, expr)| (state, before.clone().then(expr))));
        }
        merge(all)
    }

    fn text(&mut self, state: State, text: &str) -> States {
        let Some(waiting) = state else {
            return vec![(None, literal(text))];
        };
        let tail = format!("{}{text}", waiting.tail);
        let end = waiting
            .without
            .iter()
            .filter_map(|text| tail.find(text.as_str()).map(|at| at + text.len()))
            .min();
        match end {
            // The lexeme ends where it can end nowhere else; the rest is its
            // own, so that all that begin alike share one lexeme.
            Some(end) => {
                let (head, rest) = tail.split_at(end);
                let head = Waiting { without: waiting.without, tail: head.to_owned() };
                vec![(None, self.until(&head).then(literal(rest)))]
            }
            None if tail.len() > MAX_TAIL => {
                let waiting = Waiting { without: waiting.without, tail };
                vec![(None, self.until(&waiting))]
            }
            None => vec![(Some(Waiting { without: waiting.without, tail }), Expr::Empty)],
        }
    }

    fn free(&mut self, state: State, without: &[String]) -> States {
        let mut without: Vec<String> =
            without.iter().filter(|text| !text.is_empty()).cloned().collect();
        let mut before = Expr::Empty;
        match state {
            Some(waiting) if waiting.tail.is_empty() => without.extend(waiting.without),
            Some(waiting) => before = self.until(&waiting),
            None => {}
        }
        without.sort();
        without.dedup();
        vec![(Some(Waiting { without, tail: String::new() }), before)]
    }

    /// Something that is no text: free text before it ends by itself.
    fn after(&mut self, state: State, expr: Expr) -> States {
        let before = match state {
            None => Expr::Empty,
            Some(waiting) if waiting.tail.is_empty() => self.rest(&waiting),
            Some(waiting) => self.until(&waiting),
        };
        vec![(None, before.then(expr))]
    }

    fn repeat(&mut self, state: State, node: &Node, min: u32, max: Option<u32>) -> States {
        let mut states = vec![(state, Expr::Empty)];
        let mut ended = Vec::new();
        let mut times = 0;
        loop {
            let min = min.saturating_sub(times);
            let max = max.map(|max| max.saturating_sub(times));
            // A node that returns to the state it started in repeats as it is.
            if let [(state, before)] = &states[..]
                && let [(after, expr)] = &self.node(state.clone(), node)[..]
                && after == state
            {
                ended.push((state.clone(), before.clone().then(expr.clone().repeat(min, max))));
                return merge(ended);
            }
            if min == 0 {
                match max {
                    Some(0) => {
                        ended.extend(states);
                        return merge(ended);
                    }
                    Some(_) => ended.extend(states.iter().cloned()),
                    None => return self.closure(states, node, MAX_STATES),
                }
            }
            states = self.then(states, node);
            times += 1;
        }
    }

    /// Any number of turns of `node`, through all states they lead to.
    fn closure(&mut self, begin: States, node: &Node, limit: usize) -> States {
        let mut states: Vec<State> = begin.iter().map(|(state, _)| state.clone()).collect();
        let mut edges: Vec<(usize, usize, Expr)> = Vec::new();
        let mut from = 0;
        while let Some(state) = states.get(from).cloned() {
            for (after, expr) in self.node(state, node) {
                let to = states.iter().position(|state| *state == after);
                let to = to.unwrap_or_else(|| {
                    states.push(after);
                    states.len() - 1
                });
                edges.push((from, to, expr));
            }
            if states.len() > limit {
                let begin = begin.into_iter().flat_map(|(state, before)| {
                    let ended = self.after(state, Expr::Empty);
                    ended.into_iter().map(move |(state, free)| (state, before.clone().then(free)))
                });
                let begin = merge(begin.collect());
                return self.closure(begin, node, usize::MAX);
            }
            from += 1;
        }
        let begin = |of: usize| begin.get(of).map(|(_, before)| before.clone());

        // In an order in which every state comes after those that lead to it,
        // only turns that stay in a state repeat.
        let mut full: Vec<Option<Expr>> = vec![None; states.len()];
        while let Some(next) = (0..states.len()).find(|state| {
            full[*state].is_none()
                && edges
                    .iter()
                    .all(|(from, to, _)| to != state || from == state || full[*from].is_some())
        }) {
            let mut entries: Vec<Expr> = begin(next).into_iter().collect();
            let mut turns = Vec::new();
            for (from, _, expr) in edges.iter().filter(|(_, to, _)| *to == next) {
                match &full[*from] {
                    Some(before) => entries.push(before.clone().then(expr.clone())),
                    None => turns.push(expr.clone()),
                }
            }
            let mut expr = Expr::any(entries).then(Expr::any(turns).repeat(0, None));
            if edges.iter().any(|(from, to, _)| *from == next && *to != next) {
                expr = self.shared(expr);
            }
            full[next] = Some(expr);
        }
        if full.iter().all(Option::is_some) {
            return states.into_iter().zip(full.into_iter().flatten()).collect();
        }

        // Otherwise a rule for each state, recursive on the left.
        let count = self.rules.len();
        let name = |state: usize| Expr::Atom(format!("loop_{count}_{state}"));
        for state in 0..states.len() {
            let into = edges.iter().filter(|(_, to, _)| *to == state);
            let into = into.map(|(from, _, expr)| name(*from).then(expr.clone()));
            let body = Expr::any(begin(state).into_iter().chain(into).collect());
            self.rules.push(format!(
                "{}: {}",
                name(state).print(Level::Alternative),
                body.print(Level::Alternative)
            ));
        }
        states.into_iter().enumerate().map(|(at, state)| (state, name(at))).collect()
    }

    /// Free text with the text that ends it, up to its first end.
    fn until(&mut self, waiting: &Waiting) -> Expr {
        let free = self.terminal(&waiting.without);
        self.rule("until", format!("{free} {}", quoted(&waiting.tail)))
    }

    /// Free text up to the end of what can be free text.
    fn rest(&mut self, waiting: &Waiting) -> Expr {
        let free = self.terminal(&waiting.without);
        if waiting.tail.is_empty() {
            return Expr::Atom(free);
        }
        self.rule("FREE", format!("{free} {}", quoted(&waiting.tail)))
    }

    fn terminal(&mut self, without: &[String]) -> String {
        const ANY: &str = "/(?s:.*)/";
        let body = if without.is_empty() {
            ANY.to_owned()
        } else {
            let texts: Vec<String> = without.iter().map(|text| quoted(text)).collect();
            format!("{ANY} & ~({ANY} ({}) {ANY})", texts.join(" | "))
        };
        match self.rule("FREE", body) {
            Expr::Atom(name) => name,
            _ => ANY.to_owned(),
        }
    }

    /// The expression by name, if it is worth one.
    fn shared(&mut self, expr: Expr) -> Expr {
        match expr {
            Expr::Empty | Expr::Atom(_) => expr,
            expr => self.rule("part", expr.print(Level::Alternative)),
        }
    }

    fn rule(&mut self, kind: &'static str, body: String) -> Expr {
        let key = (kind, body);
        if let Some(name) = self.names.get(&key) {
            return Expr::Atom(name.clone());
        }
        let count = self.names.keys().filter(|(known, _)| *known == kind).count();
        let name = format!("{kind}_{}", count + 1);
        let lazy = if kind == "until" { "[lazy]" } else { "" };
        self.rules.push(format!("{name}{lazy}: {}", key.1));
        self.names.insert(key, name.clone());
        Expr::Atom(name)
    }
}

/// The parts without sequences inside.
fn flatten<'n>(parts: &'n [Node], out: &mut Vec<&'n Node>) {
    for part in parts {
        match part {
            Node::Seq(parts) => flatten(parts, out),
            part => out.push(part),
        }
    }
}

/// One entry a state.
fn merge(states: States) -> States {
    let mut merged: Vec<(State, Vec<Expr>)> = Vec::new();
    for (state, expr) in states {
        match merged.iter_mut().find(|(known, _)| *known == state) {
            Some((_, exprs)) => exprs.push(expr),
            None => merged.push((state, vec![expr])),
        }
    }
    merged.into_iter().map(|(state, exprs)| (state, Expr::any(exprs))).collect()
}

/// A name that the grammar can write as a token: `<name>`.
fn is_named_token(marker: &str) -> bool {
    marker
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
        .is_some_and(|name| !name.is_empty() && !name.starts_with('['))
        && !marker[1..marker.len() - 1]
            .contains(|char: char| char.is_whitespace() || matches!(char, '<' | '>'))
}

fn literal(text: &str) -> Expr {
    if text.is_empty() { Expr::Empty } else { Expr::Atom(quoted(text)) }
}

fn quoted(text: &str) -> String {
    let mut out = String::new();
    quote_into(text, &mut out);
    out.replace('\u{7f}', "\\u007f")
}

fn regex(pattern: &str) -> Expr {
    if pattern.is_empty() {
        return Expr::Empty;
    }
    let mut out = String::from("/");
    let mut escaped = false;
    for char in pattern.chars() {
        match char {
            '/' if !escaped => out.push_str("\\/"),
            '\n' => out.push_str(if escaped { "n" } else { "\\n" }),
            char => out.push(char),
        }
        escaped = char == '\\' && !escaped;
    }
    out.push('/');
    Expr::Atom(out)
}
