//! A turn laid out for a person at a terminal.
//!
//! Everything a model wrote passes through [`visible`]: what it writes never
//! steers the terminal.

use std::borrow::Cow;

use callsign::{Attempt, Provenance, ToolCall, Turn, json};

use crate::parse::Declared;
use crate::pretty;

/// How headings are set off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Colour,
}

impl Style {
    fn heading(self, text: &str) -> String {
        self.set("1", text)
    }

    fn warning(self, text: &str) -> String {
        self.set("1;33", text)
    }

    fn faint(self, text: &str) -> String {
        self.set("2", text)
    }

    fn set(self, code: &str, text: &str) -> String {
        match self {
            Style::Plain => text.to_owned(),
            Style::Colour => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        }
    }
}

/// How much is said of where calls come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// One word.
    Brief,
    /// All that is known.
    Explained,
}

/// Keys up to this width share one column.
const KEY_COLUMN: usize = 24;

/// The parts of a turn, each under a heading, with a blank line between two.
pub(crate) fn turn(turn: &Turn, declared: Declared<'_>, detail: Detail, style: Style) -> String {
    let mut parts = Vec::new();
    for (heading, text) in [("reasoning", &turn.reasoning), ("text", &turn.content)] {
        if !text.trim().is_empty() {
            parts.push(section(&style.heading(heading), text));
        }
    }
    for call in &turn.calls {
        parts.push(show_call(call, declared, detail, style));
    }
    for region in &turn.rejected {
        let heading = style.warning("rejected");
        parts.push(section(
            &format!("{heading}  {}", visible(&region.reason.to_string())),
            &region.text,
        ));
    }
    for attempt in &turn.attempts {
        parts.push(show_attempt(attempt, detail, style));
    }
    if turn.ambiguous {
        parts.push(format!(
            "{}  a value may hold the end of its own call: look at the calls before they run\n",
            style.warning("ambiguous"),
        ));
    }
    if parts.is_empty() {
        return style.faint("an empty turn") + "\n";
    }
    parts.join("\n")
}

/// A heading and a text below it, indented.
fn section(heading: &str, text: &str) -> String {
    format!("{heading}\n{}", body(text))
}

/// A text, indented.
fn body(text: &str) -> String {
    let mut out = String::new();
    for line in visible(text.trim_matches(['\n', '\r'])).trim_end().lines() {
        out.push_str(format!("  {line}").trim_end());
        out.push('\n');
    }
    out
}

fn show_call(call: &ToolCall, declared: Declared<'_>, detail: Detail, style: Style) -> String {
    let mut out = style.heading(&format!("call {}", visible(&call.name)));
    if let Some(id) = &call.id {
        out.push_str(&style.faint(&format!("  id {}", visible(id))));
    }
    if declared.is_some_and(|tools| tools.get(&call.name).is_none()) {
        out.push_str(&style.warning("  not among the tools"));
    }
    if let Some(word) = word(&call.provenance) {
        out.push_str(&style.warning(&format!("  {word}")));
    }
    out.push('\n');
    if detail == Detail::Explained {
        for line in origin(&call.provenance) {
            out.push_str(&format!("  {}\n", style.faint(&format!("({})", one_line(&line)))));
        }
    }
    let arguments: Vec<(String, &str)> =
        call.arguments.entries().map(|(key, value)| (one_line(&key), value)).collect();
    if arguments.is_empty() {
        out.push_str(&format!("  {}\n", style.faint("no arguments")));
    }
    let width = arguments
        .iter()
        .map(|(key, _)| key.chars().count())
        .filter(|width| *width <= KEY_COLUMN)
        .max()
        .unwrap_or_default();
    for (key, value) in &arguments {
        let mut before = format!("  {key:width$}  ");
        let indent = " ".repeat(width + 4);
        for line in value_lines(value, style) {
            out.push_str(&before);
            out.push_str(&line);
            out.push('\n');
            before.clone_from(&indent);
        }
    }
    out
}

/// The word for a call that its dialect did not read as it stands.
pub(crate) fn word(provenance: &Provenance) -> Option<&'static str> {
    match provenance {
        Provenance::Mended(_) => Some("mended"),
        Provenance::Recovered(_) => Some("recovered"),
        _ => None,
    }
}

/// Where a call comes from, and what was changed to make a call of it.
pub(crate) fn origin(provenance: &Provenance) -> Vec<String> {
    let mut lines = vec![match provenance {
        Provenance::Recovered(recovered) => {
            let of = match &recovered.dialect {
                Some(dialect) => format!(" of {dialect}"),
                None => String::new(),
            };
            let by = if recovered.marked { "its markup" } else { "its place and shape" };
            format!("{}{of}, known by {by}", recovered.rule)
        }
        _ => "read by the dialect".to_owned(),
    }];
    lines.extend(provenance.repairs().iter().map(ToString::to_string));
    lines
}

/// What looked like a call, and why it is none.
fn show_attempt(attempt: &Attempt, detail: Detail, style: Style) -> String {
    let mut out = style.warning("attempt");
    if let Some(tool) = &attempt.tool {
        out.push_str(&format!(" {}", visible(tool)));
    }
    out.push_str(&format!("  {}\n", one_line(&attempt.refusal.to_string())));
    if detail == Detail::Explained {
        out.push_str(&format!("  {}\n", style.faint(&format!("({})", place(attempt)))));
        if !attempt.message.is_empty() {
            out.push_str(&body(&attempt.message));
        }
    }
    out
}

/// Where an attempt stands, and in which form.
pub(crate) fn place(attempt: &Attempt) -> String {
    format!("{} at bytes {}..{}", attempt.rule, attempt.span.start, attempt.span.end)
}

/// A value as lines: JSON, except that a text of several lines is shown as it
/// is behind a bar. So `5` and `"5"` differ, and code can be read.
fn value_lines(value: &str, style: Style) -> Vec<String> {
    let text = value
        .trim()
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .and_then(json::unescape)
        .filter(|text| text.trim_end_matches('\n').contains('\n') && !text.contains('\r'));
    match text {
        Some(text) => {
            let bar = style.faint("│");
            visible(&text).split('\n').map(|line| format!("{bar} {line}")).collect()
        }
        None => pretty::lines(value).iter().map(|line| one_line(line)).collect(),
    }
}

/// The text with what would steer a terminal made visible; line ends and tabs
/// stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let steers = |char: char| {
        char.is_control() && !matches!(char, '\n' | '\t')
            // Marks that reorder what is shown.
            || matches!(char, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for char in text.chars() {
        match char {
            '\r' => out.push_str("\\r"),
            char if steers(char) => out.extend(char.escape_unicode()),
            char => out.push(char),
        }
    }
    Cow::Owned(out)
}

/// The same on one line.
pub(crate) fn one_line(text: &str) -> String {
    visible(text).replace('\n', "\\n").replace('\t', "\\t")
}

#[cfg(test)]
mod tests {
    use callsign::{
        Arguments, Attempt, Event, Provenance, Recovered, Refusal, Repair, Rule, Span, ToolCall,
        Turn, json,
    };

    use super::{Detail, Style, one_line, turn, visible};

    #[test]
    fn nothing_a_model_writes_steers_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\nc\u{202e}d\te"), "a\\u{1b}[2Jb\\r\nc\\u{202e}d\te");
        assert_eq!(one_line("a\nb"), "a\\nb");
        let mut text = String::new();
        json::quote_into("\u{1b}", &mut text);
        assert_eq!(visible(&text), text);
    }

    #[test]
    fn colour_only_sets_off_what_plain_says() {
        let mut shown = Turn::default();
        shown.content.push_str("hello");
        assert_eq!(turn(&shown, None, Detail::Brief, Style::Plain), "text\n  hello\n");
        assert_eq!(
            turn(&shown, None, Detail::Brief, Style::Colour),
            "\u{1b}[1mtext\u{1b}[0m\n  hello\n"
        );
        assert_eq!(turn(&Turn::default(), None, Detail::Brief, Style::Plain), "an empty turn\n");
    }
    #[test]
    fn what_was_recovered_says_so_and_why() {
        let span = Span { start: 2, end: 40 };
        let mut shown = Turn::default();
        let mut recovered = Recovered::new(Rule::Tags, true);
        recovered.dialect = Some("hermes".to_owned());
        recovered.repairs = vec![Repair::Closer, Repair::Retyped("a\u{1b}".to_owned())];
        for provenance in [
            Provenance::Native,
            Provenance::Mended(vec![Repair::Name("Look".to_owned())]),
            Provenance::Recovered(Box::new(recovered)),
        ] {
            let mut call = ToolCall::new("look", Arguments::default());
            call.provenance = provenance;
            shown.add(Event::Call { index: 0, span, call, doubtful: false });
        }
        let mut attempt = Attempt::new(span, Rule::Json, Refusal::Cut);
        attempt.tool = Some("look".to_owned());
        attempt.message = "Write the call again,\nto its end.".to_owned();
        shown.add(Event::Attempt(attempt));
        shown.add(Event::Attempt(Attempt::new(span, Rule::React, Refusal::Quoted)));
        insta::assert_snapshot!(turn(&shown, None, Detail::Brief, Style::Plain), @r"
        call look
          no arguments

        call look  mended
          no arguments

        call look  recovered
          no arguments

        attempt look  the output ends inside of it

        attempt  it is quoted
        ");
        insta::assert_snapshot!(turn(&shown, None, Detail::Explained, Style::Plain), @r"
        call look
          (read by the dialect)
          no arguments

        call look  mended
          (read by the dialect)
          (the name was written `Look`)
          no arguments

        call look  recovered
          (tags of hermes, known by its markup)
          (a closing tag was missing or another)
          (`a\u{1b}` was of another type)
          no arguments

        attempt look  the output ends inside of it
          (a JSON object at bytes 2..40)
          Write the call again,
          to its end.

        attempt  it is quoted
          (an action and its input at bytes 2..40)
        ");
    }
}
