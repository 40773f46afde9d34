//! One round over a JSON value and its schema side by side.

use callsign_core::json::{entries, quote_into, tokens};
use callsign_core::{Kinds, Repair, Type};

use super::{edited, place, string, typed};
use crate::repairs::Repairs;

/// The value `json` with every value in it that `ty` does not admit, and that
/// clearly is one that it admits, turned into that; `None` if there is none.
pub(super) fn retype(json: &str, ty: Type<'_>, repairs: &mut Repairs) -> Option<String> {
    let mut edits = Vec::new();
    let mut path = String::new();
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut rest = json;
    while let Some(token) = tokens(rest).next() {
        let start = place(json, token).start;
        rest = &json[start + token.len()..];
        if let Some(level) = levels.last_mut() {
            match (token, level.next) {
                ("}" | "]", _) => {
                    path.truncate(level.path);
                    levels.pop();
                    continue;
                }
                (":", _) => continue,
                (",", _) => {
                    level.step();
                    continue;
                }
                (_, Next::Key) => {
                    let key = string(token).unwrap_or(token.into());
                    level.key(&key, &mut path);
                    continue;
                }
                (_, Next::Item(index)) => {
                    path.truncate(level.path);
                    path.push_str(&format!("[{index}]"));
                }
                (_, Next::Value) => {}
            }
        }
        let ty = levels.last().map_or(ty, |level| level.inside);
        let admitted = ty.is_unspecified() || ty.kinds().intersects(Kinds::of(token));
        let (value, change) = match token {
            "{" | "[" if admitted => (token, None),
            "{" => {
                let whole = container(&json[start..]);
                (whole, echoed(whole, ty))
            }
            _ if admitted => continue,
            _ => (token, scalar(token, ty)),
        };
        if let Some((value_of, mended)) = change {
            repairs.extend([Repair::Retyped(path.clone())]);
            repairs.extend(mended);
            edits.push((place(json, value), value_of));
            rest = &json[start + value.len()..];
        } else if matches!(token, "{" | "[") {
            let ty = if admitted { ty } else { Type::unspecified() };
            levels.push(Level::new(token, ty, path.len()));
        }
    }
    (!edits.is_empty()).then(|| edited(json, &edits))
}

/// A container that is open.
struct Level<'s> {
    ty: Type<'s>,
    next: Next,
    /// The schema of the member that is next.
    inside: Type<'s>,
    /// The length of its own path.
    path: usize,
}

#[derive(Clone, Copy)]
enum Next {
    Key,
    Value,
    Item(usize),
}

impl<'s> Level<'s> {
    fn new(opener: &str, ty: Type<'s>, path: usize) -> Self {
        match opener {
            "{" => Level { ty, next: Next::Key, inside: Type::unspecified(), path },
            _ => Level { ty, next: Next::Item(0), inside: ty.sure_items(), path },
        }
    }

    fn step(&mut self) {
        self.next = match self.next {
            Next::Item(index) => Next::Item(index + 1),
            Next::Key | Next::Value => Next::Key,
        };
    }

    fn key(&mut self, key: &str, path: &mut String) {
        path.truncate(self.path);
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(key);
        self.inside = self.ty.sure_property(key);
        self.next = Next::Value;
    }
}

/// The container that `json` begins with.
fn container(json: &str) -> &str {
    let mut depth = 0_usize;
    for token in tokens(json) {
        match token {
            "{" | "[" => depth += 1,
            "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return &json[..place(json, token).end];
        }
    }
    json
}

/// A scalar that `ty` does not admit as one that it does.
fn scalar(token: &str, ty: Type<'_>) -> Option<(String, Vec<Repair>)> {
    if let Some(text) = string(token) {
        return typed(&text, ty);
    }
    // A bare word or number where the schema leaves nothing but a string.
    let nullable = Kinds::STRING | Kinds::NULL;
    let wants_string = ty.kinds().contains(Kinds::STRING) && nullable.contains(ty.kinds());
    let spells = (Kinds::BOOLEAN | Kinds::NUMBER).contains(Kinds::of(token));
    (wants_string && spells).then(|| {
        let mut out = String::new();
        quote_into(token, &mut out);
        (out, Vec::new())
    })
}

/// The value of a schema that was written where a value belongs:
/// `{"type": "string", "value": "x"}`.
fn echoed(object: &str, ty: Type<'_>) -> Option<(String, Vec<Repair>)> {
    let members: Vec<_> = entries(object).take(3).collect();
    let (kind, value) = match members.as_slice() {
        [(first, kind), (second, value)] if first == "type" && second == "value" => (kind, *value),
        [(first, value), (second, kind)] if first == "value" && second == "type" => (kind, *value),
        _ => return None,
    };
    if !kind.starts_with('"') {
        return None;
    }
    if ty.kinds().intersects(Kinds::of(value)) {
        return Some((value.to_owned(), Vec::new()));
    }
    scalar(value, ty)
}
