//! Python literals and the JSON they become.

use proptest::prelude::*;

use super::*;
use crate::json;

#[path = "../../tests/common/mod.rs"]
mod common;

use common::json_text;

fn convert(text: &str) -> Option<String> {
    let mut out = String::from("…");
    match python_to_json(text, &mut out) {
        Some(kind) => {
            let out = out.strip_prefix('…').unwrap();
            assert_eq!(json::kind(out), Some(kind), "{text:?} became {out:?}");
            Some(out.to_owned())
        }
        None => {
            assert_eq!(out, "…", "nothing stays of {text:?}");
            None
        }
    }
}

#[track_caller]
fn becomes(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        assert_eq!(convert(text).as_deref(), Some(*expected), "{text:?}");
    }
}

#[track_caller]
fn refused(rows: &[&str]) {
    for text in rows {
        assert_eq!(convert(text), None, "{text:?}");
    }
}

#[test]
fn words() {
    becomes(&[
        ("None", "null"),
        ("True", "true"),
        (" False\n", "false"),
        ("null", "null"),
        ("[true, None]", "[true, null]"),
    ]);
    refused(&["none", "TRUE", "Nonesuch", "True1", "nan", "inf", "x", "print(1)", "", " "]);
}

#[test]
fn numbers() {
    becomes(&[
        ("0", "0"),
        ("-12", "-12"),
        ("+5", "5"),
        ("1_000_000", "1000000"),
        ("12345678901234567890123", "12345678901234567890123"),
        ("1.50", "1.50"),
        (".5", "0.5"),
        ("-.5", "-0.5"),
        ("5.", "5.0"),
        ("5.e3", "5.0e3"),
        ("1E+05", "1E+05"),
        ("1_0.0_1e1_0", "10.01e10"),
    ]);
    refused(&[
        "05", "00", "-", "+", ".", "1e", "1e+", "--5", "- 5", "0x1F", "1j", "1_", "_1", "1__0",
        "1_.5", "1._5", "-inf", "1 2", "1+2", "5.5.5",
    ]);
}

#[test]
fn strings() {
    becomes(&[
        ("'a'", r#""a""#),
        ("\"it's\"", r#""it's""#),
        ("'say \"hi\"'", r#""say \"hi\"""#),
        ("''", r#""""#),
        ("''''''", r#""""#),
        ("'''a 'b' ''c'''", r#""a 'b' ''c""#),
        ("\"\"\"a\nb\"\"\"", r#""a\nb""#),
        ("u'é'", r#""é""#),
        (r"r'\d\''", r#""\\d\\'""#),
        (r"R'C:\new'", r#""C:\\new""#),
    ]);
    refused(&[
        "'a", "'a\nb'", "b'a'", "f'a'", "rb'a'", "ur'a'", "'a' 'b'", "'''a''", r"'a\'", r"r'\'",
        "r", "'a'b",
    ]);
}

#[test]
fn escapes() {
    becomes(&[
        (r#"'\\ \' \" \n \r \t \b \f'"#, r#""\\ ' \" \n \r \t \b \f""#),
        (r"'\a\v\0'", r#""\u0007\u000b\u0000""#),
        (r"'\101\7z\x41'", r#""A\u0007zA""#),
        (r"'\u00e9\U0001F600'", "\"é\u{1F600}\""),
        (r"'\ud83d\ude00'", "\"\u{1F600}\""),
        ("'a\\\nb'", r#""ab""#),
        ("'a\\\r\nb'", r#""ab""#),
        (r"'\d\q'", r#""\\d\\q""#),
        (r"'\é'", r#""\\é""#),
    ]);
    refused(&[
        r"'\x4'",
        r"'\u00e'",
        r"'\U00110000'",
        r"'\ud83d'",
        r"'\ude00'",
        r"'\ud83dx'",
        r"'\ud83d\u0041'",
        r"'\N{DASH}'",
        r"'\xg1'",
    ]);
}

#[test]
fn an_escape_that_may_go_on_is_cut() {
    for cut in
        ["", "\r", "1", "12", "x", "x4", "u00e", "U0001F60", "ud83d", r"ud83d\", r"ud83d\ude0"]
    {
        assert_eq!(decode_escape(cut), Escape::Cut, "{cut:?}");
    }
    assert_eq!(decode_escape("123"), Escape::Char('S', 3));
    assert_eq!(decode_escape("1z"), Escape::Char('\u{1}', 1));
    assert_eq!(decode_escape("q"), Escape::Plain);
    assert_eq!(decode_escape("ué"), Escape::Invalid);
}

#[test]
fn containers() {
    becomes(&[
        ("[]", "[]"),
        ("()", "[]"),
        ("{}", "{}"),
        ("[ ]", "[ ]"),
        ("[1,]", "[1]"),
        ("(1,)", "[1]"),
        ("(1, 2)", "[1, 2]"),
        ("{'a' : 1 , \"b\": (2, 3,), }", r#"{"a" : 1 , "b": [2, 3] }"#),
        ("{r'a': [{}], 'a': None}", r#"{"a": [{}], "a": null}"#),
        ("[\n\t'x',\n]", "[\n\t\"x\"\n]"),
    ]);
    refused(&[
        "[1",
        "[1}",
        "[,]",
        "(,)",
        "{,}",
        "[1,,2]",
        "[1 2]",
        "(1)",
        "('a')",
        "{1}",
        "{1: 2}",
        "{'a'}",
        "{'a':}",
        "{None: 1}",
        "{'a': 1,, }",
        "[1]]",
        "[1],",
        "1, 2",
        "[*a]",
        "{**a}",
        "[x for x in y]",
        "[1] # one",
        "set()",
    ]);
}

#[test]
fn nesting_is_bounded() {
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(convert(&deep(MAX_DEPTH)), Some(deep(MAX_DEPTH)));
    assert_eq!(convert(&deep(MAX_DEPTH + 1)), None);
    assert_eq!(convert(&"[".repeat(1_000_000)), None);
}

proptest! {
    #[test]
    fn any_text_is_converted_to_json_or_left_alone(text in prop_oneof![
        any::<String>(),
        r#"[ \[\](){}'",:\\0-9a-fxurN.+eE_\n-]{0,24}"#,
    ]) {
        convert(&text);
    }

    /// Python takes JSON without escapes for what it is.
    #[test]
    fn json_stays_as_it_is(text in json_text()) {
        prop_assert!(json::kind(&text).is_some(), "{}", text);
        prop_assert_eq!(convert(&text), Some(text));
    }

    #[test]
    fn what_repr_prints_is_read_back(text: String) {
        let mut python = String::from("'");
        for char in text.chars() {
            match char {
                '\\' => python.push_str(r"\\"),
                '\'' => python.push_str(r"\'"),
                '\n' => python.push_str(r"\n"),
                '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{ff}' => python.push_str(&format!("\\x{:02x}", u32::from(char))),
                _ => python.push(char),
            }
        }
        python.push('\'');
        let json = convert(&python).unwrap();
        prop_assert_eq!(serde_json::from_str::<String>(&json).unwrap(), text);
    }
}
