//! Strings that a careless reader trips over.

use proptest::prelude::*;
use proptest::sample::select;

use crate::markers::FOREIGN;

/// Pieces that mean something to JSON, to Python, to XML or to nobody.
const ODD: &[&str] = &[
    "\r\n",
    "\n",
    "\n\n\n",
    "\r",
    "\t",
    " ",
    "          ",
    " \n \n ",
    "\u{b}",
    "\u{c}",
    "\0",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffd}",
    "\u{ffff}",
    "\u{10ffff}",
    "\u{d7ff}",
    "\u{e000}",
    "😀",
    "👩‍👩‍👧",
    "e\u{301}",
    "\u{202e}",
    "Ж",
    "漢字",
    "\"",
    "'",
    "\\",
    "\\\\",
    "\\n",
    "\\\"",
    "\\u0041",
    "\\ud83d\\ude00",
    "\\ud800",
    "\\x",
    "`",
    "```",
    "<",
    ">",
    "<<",
    "</",
    "/>",
    "</p>",
    "<!--",
    "<![CDATA[",
    "]]>",
    "&lt;",
    "&amp;",
    "{",
    "}",
    "[",
    "]",
    "{}",
    "[]",
    ",",
    ":",
    "=",
    "(",
    ")",
    "null",
    "None",
    "true",
    "True",
    "false",
    "NaN",
    "-Infinity",
    "5",
    "5.0",
    "-0",
    "1e5",
    "0x10",
    "{\"a\": [1, null, {\"b\": \"}\"}]}",
    "{'a': None}",
    "[1, 2",
    "\"quoted\"",
    "print(f\"{x}\")",
    "if a < b && c > d { return 1 << 3; }",
    "C:\\new\\table",
    "$HOME/'x'",
    "a=b",
    "key: value",
];

const WORDS: &[&str] = &[
    "a",
    "the",
    "Oslo",
    "weather",
    "call",
    "tool_call",
    "function",
    "parameter",
    "name",
    "arguments",
    "is",
    "and then",
    "42",
    "x1",
    "-",
    ".",
    "!",
    "naïve",
    "Zürich",
];

/// Words and blanks: nothing that any dialect could take for markup.
pub fn plain_text() -> BoxedStrategy<String> {
    proptest::collection::vec(select(WORDS), 1..8).prop_map(|words| words.join(" ")).boxed()
}

/// Any text: words, odd pieces, the markers themselves and others', halves of
/// markers, long runs of white space.
pub fn nasty_text(markers: &[String]) -> BoxedStrategy<String> {
    proptest::collection::vec(piece(markers), 0..9).prop_map(|pieces| pieces.concat()).boxed()
}

/// The same without the whole of any of `without`.
pub fn nasty_text_without(markers: &[String], without: Vec<String>) -> BoxedStrategy<String> {
    nasty_text(markers)
        .prop_map(move |mut text| {
            // What is cut out may leave another behind.
            while let Some(found) = without.iter().find(|marker| text.contains(marker.as_str())) {
                text = text.replacen(found.as_str(), "", 1);
            }
            text
        })
        .boxed()
}

/// One piece of text.
pub fn piece(markers: &[String]) -> BoxedStrategy<String> {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let blanks = (select(vec![" ", "\n", "\t", "\r\n"]), 1..120_usize)
        .prop_map(|(blank, count)| blank.repeat(count));
    let random = proptest::collection::vec(any::<char>(), 1..6)
        .prop_map(|chars| chars.into_iter().collect::<String>());
    if markers.is_empty() {
        return prop_oneof![
            5 => select(owned(WORDS)),
            5 => select(owned(ODD)),
            1 => select(owned(FOREIGN)),
            1 => blanks,
            2 => random,
        ]
        .boxed();
    }
    prop_oneof![
        6 => select(owned(WORDS)),
        5 => select(owned(ODD)),
        3 => select(markers.to_vec()),
        3 => half(markers),
        1 => select(owned(FOREIGN)),
        1 => blanks,
        2 => random,
    ]
    .boxed()
}

/// The front or the back of a marker.
pub fn half(markers: &[String]) -> BoxedStrategy<String> {
    (select(markers.to_vec()), any::<prop::sample::Index>(), any::<bool>())
        .prop_map(|(marker, at, front)| {
            let count = marker.chars().count();
            let at = at.index(count.max(1));
            if front {
                marker.chars().take(at).collect()
            } else {
                marker.chars().skip(at).collect::<String>()
            }
        })
        .boxed()
}

/// A JSON string that stands for `raw`, spelled one way or another.
pub fn json_string(raw: &str, spelling: Spelling) -> String {
    let mut out = String::from("\"");
    for char in raw.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' if spelling != Spelling::Numbers => out.push_str("\\n"),
            '/' if spelling == Spelling::Slashes => out.push_str("\\/"),
            '\0'..='\u{1f}' => push_units(char, false, &mut out),
            _ if spelling == Spelling::Numbers && !char.is_ascii() => {
                push_units(char, true, &mut out);
            }
            _ => out.push(char),
        }
    }
    out.push('"');
    out
}

/// The ways to spell a JSON string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// Nothing is escaped that need not be.
    Plain,
    /// Slashes are escaped, too.
    Slashes,
    /// What is not ASCII is escaped by its UTF-16 units.
    Numbers,
}

/// Any spelling.
pub fn spelling() -> BoxedStrategy<Spelling> {
    select(vec![Spelling::Plain, Spelling::Plain, Spelling::Slashes, Spelling::Numbers]).boxed()
}

fn push_units(char: char, upper: bool, out: &mut String) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        if upper {
            out.push_str(&format!("\\u{unit:04X}"));
        } else {
            out.push_str(&format!("\\u{unit:04x}"));
        }
    }
}
