//! Which declared tool a name means: what leaks into names comes off, and
//! nothing is ever matched by likeness.

use std::iter::{once, successors};

use callsign_core::{Repair, Tool, Toolset};

/// What is put before a name to say that it is a function's.
const NAMESPACES: [&str; 4] = ["functions", "function", "default_api", "tools"];

/// The tool that `written` names, and how it was written if not exactly so.
///
/// In order: the name itself; the name up to the first token that no name
/// holds; that without an index behind it and a namespace before it. If none of
/// these is declared, each again, by the one tool that differs in nothing but
/// ASCII case. So a name that is declared always beats a rule.
pub(crate) fn resolve<'t>(written: &str, tools: &'t Toolset) -> Option<(&'t Tool, Option<Repair>)> {
    let exact = spellings(written).find_map(|name| tools.get(name));
    let tool = exact.or_else(|| spellings(written).find_map(|name| in_any_case(name, tools)))?;
    let repair = (tool.name != written).then(|| Repair::Name(written.to_owned()));
    Some((tool, repair))
}

/// What `written` may stand for, the likeliest first.
fn spellings(written: &str) -> impl Iterator<Item = &str> {
    let name = cut(written);
    let stripped = once(name).chain(without_index(name));
    let stripped = stripped.flat_map(|name| successors(Some(name), |name| without_namespace(name)));
    once(written).chain(stripped)
}

/// The name without quotes and blanks before it, up to the first character that
/// ends a name.
fn cut(written: &str) -> &str {
    let name = written.trim_start_matches(|char: char| is_quote(char) || char.is_whitespace());
    name.split(ends_name).next().unwrap_or_default()
}

fn ends_name(char: char) -> bool {
    is_quote(char)
        || char.is_whitespace()
        || char.is_control()
        || matches!(char, '<' | '>' | '|' | '(' | ')' | '[' | ']' | '{' | '}' | ',' | ';' | '=')
}

fn is_quote(char: char) -> bool {
    matches!(char, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}')
}

/// `name:0` is the first call, of `name`.
fn without_index(name: &str) -> Option<&str> {
    let (name, index) = name.rsplit_once(':')?;
    index.bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
}

fn without_namespace(name: &str) -> Option<&str> {
    let (namespace, name) = name.split_once(['.', ':'])?;
    NAMESPACES.contains(&namespace).then_some(name)
}

/// The tool of this name in any case, if there is one and no other.
fn in_any_case<'t>(name: &str, tools: &'t Toolset) -> Option<&'t Tool> {
    let mut same = tools.iter().filter(|tool| tool.name.eq_ignore_ascii_case(name));
    same.next().filter(|_| same.next().is_none())
}

/// The tool that a word names, perhaps behind another word and a colon.
pub(crate) fn in_word<'t>(word: &str, tools: &'t Toolset) -> Option<(&'t Tool, Option<Repair>)> {
    resolve(word, tools).or_else(|| {
        let (_, name) = word.rsplit_once(':')?;
        tools.get(name).map(|tool| (tool, Some(Repair::Name(word.to_owned()))))
    })
}

/// The tool whose name stands in a text that cannot be read, as a word of its own
/// and near its beginning.
pub(crate) fn mentioned<'t>(text: &str, tools: &'t Toolset) -> Option<&'t Tool> {
    /// How far it is looked for, in bytes.
    const WITHIN: usize = 1024;
    let bytes = &text.as_bytes()[..text.len().min(WITHIN)];
    let inside = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
    };
    tools.iter().find(|tool| {
        memchr::memmem::find_iter(bytes, tool.name.as_bytes())
            .any(|at| !inside(at.checked_sub(1)) && !inside(Some(at + tool.name.len())))
    })
}

#[cfg(test)]
mod tests;
