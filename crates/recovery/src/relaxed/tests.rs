//! One table a repair, the faults, then what holds for any text.

#![allow(clippy::unwrap_used)]

use callsign_core::Repair::{self, *};
use callsign_core::json::{self, MAX_DEPTH};
use proptest::prelude::*;

use super::around::{surplus, unfence};
use super::{Ending, Fault, Relaxed, read, whole};

#[track_caller]
fn check(rows: &[(&str, &str, &[Repair])]) {
    for (text, json, repairs) in rows {
        for ending in [Ending::Proved, Ending::Open] {
            let read = read(text, ending, MAX_DEPTH);
            let read = read.unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            assert_eq!((read.json.as_str(), read.repairs.as_slice()), (*json, *repairs), "{text}");
            assert_eq!(read.len, text.trim_end().len(), "{text}");
        }
    }
}

/// Where each text is at fault, whatever its end; what it lacks; whether it
/// ends there.
#[track_caller]
fn faults(rows: &[(&str, usize, &str, bool)]) {
    for (text, at, expected, cut) in rows {
        for ending in [Ending::Proved, Ending::Open] {
            let fault = read(text, ending, MAX_DEPTH).map(|read| read.json);
            let fault = fault.expect_err(text);
            assert_eq!((fault.at, fault.expected, fault.cut), (*at, *expected, *cut), "{text}");
        }
    }
}

#[test]
fn json_stays_as_it_is() {
    for text in [
        r#"{"b": 1, "a" : [1.50e+3, -0, 9007199254740993],"b":{ } , "":[ ]}"#,
        r#"{"p":"C:\\new\\table.txt \"x\" \/ \u00e9 \ud83d"}"#,
        "[\n\ttrue , false,null\r\n]",
        r#""“typographic” and 'single'""#,
        r#"{"a":"it's, \"b\": }"}"#,
        r#"{"C:\new\table":"C:\new\table"}"#,
    ] {
        check(&[(text, text, &[])]);
    }
    let behind = read(r#" {"a":1} and "more""#, Ending::Open, MAX_DEPTH).unwrap();
    assert_eq!(behind, Relaxed { json: r#"{"a":1}"#.into(), repairs: vec![], len: 8 });
}

#[test]
fn quotes() {
    check(&[
        (r#"{'a': 'x'}"#, r#"{"a": "x"}"#, &[Quotes]),
        (r#"['say "hi"', 'it\'s']"#, r#"["say \"hi\"", "it's"]"#, &[Quotes, Escapes]),
        (r#"{'a': 'it's John's'}"#, r#"{"a": "it's John's"}"#, &[Quotes]),
        ("{“a”: “x”, ‘b’: ’y’}", r#"{"a": "x", "b": "y"}"#, &[Quotes]),
        ("{“a”: “say \"hi\" – “now” ok”}", r#"{"a": "say \"hi\" – “now” ok"}"#, &[Quotes]),
        (r#"["日本 “引用” text"]"#, r#"["日本 “引用” text"]"#, &[]),
    ]);
}

#[test]
fn quotes_inside_of_a_string() {
    check(&[
        (r#"{"q": "say "hi" there"}"#, r#"{"q": "say \"hi\" there"}"#, &[Quotes]),
        (r#"{"q": "say "hi""}"#, r#"{"q": "say \"hi\""}"#, &[Quotes]),
        (r#"{"q": ""hi" she said"}"#, r#"{"q": "\"hi\" she said"}"#, &[Quotes]),
        (r#"{"code":"print("hi")","n":1}"#, r#"{"code":"print(\"hi\")","n":1}"#, &[Quotes]),
        (r#"["<a href="x">", "b"]"#, r#"["<a href=\"x\">", "b"]"#, &[Quotes]),
    ]);
    let doubt = super::strings::UNPAIRED;
    faults(&[
        (r#"{"code": "f("a", "b")", "n": 1}"#, 14, doubt, false),
        (r#"["f("a", "b")", "x"]"#, 6, doubt, false),
        (r#"{"json": "{"k": "v"}"}"#, 18, doubt, false),
        (r#"{"size": "5'10"", "x": 1}"#, 15, doubt, false),
        (r#"["a" + "b"]"#, 3, doubt, false),
        (r#"["a"+"b"]"#, 3, doubt, false),
        (r#"["a" "b" // "c"]"#, 7, doubt, false),
        (r#"["a"b, "c"]"#, 7, doubt, false),
        (r#"{"q": "5" wide"}"#, 8, doubt, false),
        (r#"{"q": "say "hi"#, 14, "the end of the string", true),
        (r#"{"a": "x", "b" c": 1}"#, 15, "a colon", false),
    ]);
}

#[test]
fn literals() {
    check(&[
        ("[True, False, None]", "[true, false, null]", &[Literals]),
        ("[TRUE, fALSE, Null, true]", "[true, false, null, true]", &[Literals]),
    ]);
    faults(&[
        ("[none]", 1, "a value", false),
        ("[NaN]", 1, "a value", false),
        ("[undefined]", 1, "a value", false),
        ("[Trues]", 1, "a value", false),
        ("[tru", 1, "a value", true),
    ]);
}

#[test]
fn control_characters() {
    check(&[
        ("{\"a\n\": \"x\ty\u{1}\"}", r#"{"a\n": "x\ty\u0001"}"#, &[ControlCharacters]),
        ("[\"echo a \\\n b\"]", r#"["echo a \\\n b"]"#, &[Escapes, ControlCharacters]),
    ]);
}

#[test]
fn escapes() {
    check(&[
        (r#"["\d+\s*\w", "a\_b"]"#, r#"["\\d+\\s*\\w", "a\\_b"]"#, &[Escapes]),
        (r#"["it\'s \u12 \x41 \é"]"#, r#"["it's \\u12 \\x41 \\é"]"#, &[Escapes]),
        (r#"["^\d+\n$"]"#, r#"["^\\d+\n$"]"#, &[Escapes]),
    ]);
}

#[test]
fn paths_of_windows_hold_no_escapes() {
    check(&[
        (r#"["C:\projects\demo\a.txt"]"#, r#"["C:\\projects\\demo\\a.txt"]"#, &[Escapes]),
        (r#"["C:\Users\new\table"]"#, r#"["C:\\Users\\new\\table"]"#, &[Escapes]),
        (r#"["C:\new\Users\u0041"]"#, r#"["C:\\new\\Users\\u0041"]"#, &[Escapes]),
        (r#"["C:\Program Files\node"]"#, r#"["C:\\Program Files\\node"]"#, &[Escapes]),
        (r#"["C:\\Users\new\x"]"#, r#"["C:\\Users\\new\\x"]"#, &[Escapes]),
        (
            r#"["type \"C:\My\new\" > D:\b\x\n, then\n\y"]"#,
            r#"["type \"C:\\My\\new\" > D:\\b\\x\\n, then\n\\y"]"#,
            &[Escapes],
        ),
        // All escapes are sound: it is JSON.
        (r#"["C:\new\table"]"#, r#"["C:\new\table"]"#, &[]),
    ]);
    faults(&[(r#"{"p": "C:\dir\"}"#, 16, "the end of the string", true)]);
}

#[test]
fn commas() {
    check(&[
        (r#"{"a": [1, 2,], }"#, r#"{"a": [1, 2] }"#, &[Commas]),
        ("[1,, 2 , ,]", "[1, 2  ]", &[Commas]),
        ("[,1]", "[1]", &[Commas]),
        (r#"{"a": "x" "b": 1 "c": []}"#, r#"{"a": "x", "b": 1, "c": []}"#, &[Commas]),
        ("{\"a\": 1\n b: 2}", "{\"a\": 1,\n \"b\": 2}", &[Commas, BareKeys]),
        (r#"["a" "b", [1] {}]"#, r#"["a", "b", [1], {}]"#, &[Commas]),
        ("[1\n2]", "[1,\n2]", &[Commas]),
    ]);
    faults(&[
        ("[10 500]", 4, "a comma or `]`", false),
        (r#"{"a": 1 b: 2}"#, 8, "a comma or `}`", false),
    ]);
}

#[test]
fn bare_keys() {
    check(&[
        (r#"{a: 1, b_2 : {$c-d: null}}"#, r#"{"a": 1, "b_2" : {"$c-d": null}}"#, &[BareKeys]),
        (r#"{'a': 1, b: 2}"#, r#"{"a": 1, "b": 2}"#, &[Quotes, BareKeys]),
        ("{größe: 1}", r#"{"größe": 1}"#, &[BareKeys]),
    ]);
    faults(&[("{1: 2}", 1, "a key", false), ("{a b: 2}", 3, "a colon", false)]);
}

#[test]
fn doubled_braces() {
    check(&[
        (r#"{{"name": "x"}}"#, r#"{"name": "x"}"#, &[SurplusBrackets]),
        (r#"{ {"a": {{"b": 1}} } }"#, r#"{"a": {"b": 1} }"#, &[SurplusBrackets]),
    ]);
    check(&[(r#"{{"a": {{"b": {{}}}}}}"#, r#"{"a": {"b": {}}}"#, &[SurplusBrackets])]);
    faults(&[
        (r#"{{"a": 1}, {"b": 2}}"#, 9, "a second `}`", false),
        (r#"{{"a": 1} "b": 2}"#, 10, "a second `}`", false),
    ]);
}

#[test]
fn brackets_are_missing_only_at_a_proved_end() {
    let rows: &[(&str, &str, &[Repair])] = &[
        (r#"{"a": {"b": "x"}"#, r#"{"a": {"b": "x"}}"#, &[MissingBrackets]),
        ("{\"a\": [1, {\"b\": 2 \n", r#"{"a": [1, {"b": 2}]}"#, &[MissingBrackets]),
        (r#"{"a": [1, 2}"#, r#"{"a": [1, 2]}"#, &[MissingBrackets]),
        (r#"{"a": {"b": 1]}"#, r#"{"a": {"b": 1}}"#, &[SurplusBrackets, MissingBrackets]),
        (r#"{{"a": 1}"#, r#"{"a": 1}"#, &[SurplusBrackets, MissingBrackets]),
    ];
    for (text, json, repairs) in rows {
        let read = read(text, Ending::Proved, MAX_DEPTH).unwrap();
        assert_eq!((read.json.as_str(), read.repairs.as_slice()), (*json, *repairs), "{text}");
        assert_eq!(read.len, text.trim_end().len());
        assert!(super::read(text, Ending::Open, MAX_DEPTH).is_err(), "{text}");
    }
    // In the wrong order: what stands behind the value is not the value's.
    let crossed = r#"{"a": [1}]"#;
    let read = read(crossed, Ending::Proved, MAX_DEPTH).unwrap();
    assert_eq!((read.json.as_str(), read.len), (r#"{"a": [1]}"#, 9));
    assert_eq!(whole(crossed).unwrap().repairs, [MissingBrackets, SurplusBrackets]);
    faults(&[
        (r#"{"a": "x"#, 8, "the end of the string", true),
        (r#"{"a": 1,"#, 8, "a key", true),
        (r#"{"a": "#, 6, "a value", true),
        (r#"{"a""#, 4, "a colon", true),
        (r#"{"a": {"#, 7, "a key", true),
        ("[1, [", 5, "a value", true),
        (r#"{"a": [1}, "b": 2}"#, 8, "a comma or `]`", false),
        ("", 0, "a value", true),
        ("  ", 2, "a value", true),
    ]);
}

#[test]
fn what_json_has_no_word_for_is_a_fault() {
    faults(&[
        ("{\"a\": 1 // one\n}", 8, "a comma or `}`", false),
        ("[/* a */ 1]", 1, "a value", false),
        ("[0123]", 1, "a number", false),
        ("[5km]", 1, "a number", false),
        ("[1_000]", 1, "a number", false),
        ("[.5]", 1, "a value", false),
        (r#"{"city": Oslo}"#, 9, "a value", false),
        (r#"{"a": #fff}"#, 6, "a value", false),
        (r#"{"a" = 1}"#, 5, "a colon", false),
        (r#"{"list_files"}"#, 13, "a colon", false),
        ("Sure!", 0, "a value", false),
    ]);
}

#[test]
fn a_bare_scalar_may_go_on_at_an_open_end() {
    assert_eq!(read("12", Ending::Proved, 1).unwrap().json, "12");
    let cut = Fault { at: 0, expected: "a number", cut: true };
    assert_eq!(read("12", Ending::Open, 1), Err(cut));
    let cut = Fault { at: 0, expected: "a value", cut: true };
    assert_eq!(read("True", Ending::Open, 1), Err(cut));
    assert_eq!(read("12 ", Ending::Open, 1).unwrap().json, "12");
}

#[test]
fn nesting_is_limited() {
    assert!(read("[[1]]", Ending::Open, 2).is_ok());
    let deep = Fault { at: 1, expected: "less nesting", cut: false };
    assert_eq!(read("[[1]]", Ending::Open, 1), Err(deep));
    assert!(read(&"{".repeat(100_000), Ending::Proved, MAX_DEPTH).is_err());
}

/// JSON in any layout, escapes included.
fn json_text() -> impl Strategy<Value = String> {
    let space = "[ \n\t\r]{0,2}";
    let string =
        r#""([^"\\\x00-\x1f]|\\["\\/bfnrtu]0041|\\["\\nt]|[C-D]:\\\\?[nt]|['“”’,:}\]] ?){0,5}""#;
    let string = string.prop_filter("JSON", |string| json::kind(string).is_some());
    let scalar = prop_oneof![
        string.clone(),
        r"-?(0|[1-9][0-9]{0,30})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?|true|false|null",
    ];
    scalar.prop_recursive(4, 24, 4, move |value| {
        let item =
            (space, value, space).prop_map(|(before, value, after)| before + &value + &after);
        let key =
            (space, string.clone(), space).prop_map(|(before, key, after)| before + &key + &after);
        let member = (key, item.clone()).prop_map(|(key, value)| key + ":" + &value);
        prop_oneof![
            proptest::collection::vec(item, 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            proptest::collection::vec(member, 0..4)
                .prop_map(|members| format!("{{{}}}", members.join(","))),
        ]
    })
}

/// What models write and what stands between: pieces of JSON in any order.
pub(super) fn scraps() -> impl Strategy<Value = String> {
    let scrap = prop_oneof![
        3 => r#"[{}\[\],:"' \n]"#,
        2 => r#""(a|b)": ?|"x"|'y'|“z”|True|null|1|-2.5|a|it's"#,
        1 => r#"\\|\\n|\\u00|C:\\|C:\\U|\t|//|```|é|“|’|\{\{|\}\}"#,
        1 => ".{0,3}",
    ];
    proptest::collection::vec(scrap, 0..24).prop_map(|scraps| scraps.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn strict_json_is_read_verbatim(text in json_text(), before in "[ \n]{0,2}", after in "[ \n]{0,2}") {
        let padded = before + &text + &after;
        let expected = Relaxed { json: text.trim().into(), repairs: vec![], len: padded.trim_end().len() };
        prop_assert_eq!(read(&padded, Ending::Proved, MAX_DEPTH), Ok(expected.clone()));
        prop_assert_eq!(whole(&padded), Some(expected.clone()));
        if !after.is_empty() || !text.ends_with(char::is_alphanumeric) {
            prop_assert_eq!(read(&padded, Ending::Open, MAX_DEPTH), Ok(expected));
        }
    }

    #[test]
    fn whatever_is_read_is_json(text in scraps()) {
        for ending in [Ending::Open, Ending::Proved] {
            match read(&text, ending, MAX_DEPTH) {
                Ok(relaxed) => {
                    prop_assert!(json::kind(&relaxed.json).is_some(), "{:?}", relaxed);
                    prop_assert!(text.is_char_boundary(relaxed.len));
                    // What was not mended was left alone, and the other way round.
                    let written = text[..relaxed.len].trim_start();
                    prop_assert_eq!(relaxed.repairs.is_empty(), relaxed.json == written);
                    let again = read(&relaxed.json, Ending::Proved, MAX_DEPTH);
                    prop_assert_eq!(again.map(|again| again.repairs), Ok(vec![]));
                }
                Err(fault) => {
                    prop_assert!(fault.at <= text.len());
                    prop_assert!(!fault.expected.is_empty());
                }
            }
        }
        unfence(&text);
        surplus(&text);
    }

    /// A cut value is never completed: what is read of a part is read of the
    /// whole.
    #[test]
    fn an_open_end_completes_nothing(text in scraps(), cut in 0_usize..40) {
        let cut = (0..=cut.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap();
        if let Ok(part) = read(&text[..cut], Ending::Open, MAX_DEPTH) {
            prop_assert_eq!(read(&text, Ending::Open, MAX_DEPTH), Ok(part));
        }
    }

    /// Every letter and digit that was read goes out, and no other.
    #[test]
    fn no_word_is_lost_or_made_up(text in scraps()) {
        if let Ok(relaxed) = read(&text, Ending::Proved, MAX_DEPTH) {
            let literal = |text: &str| text.replace("None", "null").to_lowercase();
            let words = |text: &str| -> String { text.chars().filter(|char| char.is_alphanumeric()).collect() };
            // Control characters come out as escapes.
            if !relaxed.repairs.contains(&ControlCharacters) {
                prop_assert_eq!(words(&literal(&relaxed.json)), words(&literal(&text[..relaxed.len])));
            }
        }
    }
}

/// A second look at every byte would take minutes here.
#[test]
fn time_is_linear_in_the_text() {
    for (before, scrap) in [
        ("", "{"),
        ("[", ", "),
        ("[1,", " "),
        ("[", "\"a\" "),
        ("[", "{a: 'b'} "),
        ("[{[{[{[{[{[1", "}"),
        ("[[[[[[[[1", "} "),
        ("[\"", "\"a"),
        ("[\"", "\"a\""),
        ("{\"a\": \"", "x\"y\" \u{201c}"),
        ("['", "it's "),
        ("[\u{201c}", "\u{201d}\u{2018}"),
        ("[\"", "\u{1}"),
        ("[\"", "/C:\\n"),
        ("[\"C:\\U", "\\n"),
    ] {
        let text = before.to_owned() + &scrap.repeat(200_000);
        let start = std::time::Instant::now();
        let _ = read(&text, Ending::Proved, MAX_DEPTH);
        let _ = whole(&text);
        let took = start.elapsed();
        assert!(took < std::time::Duration::from_secs(20), "{before}{scrap}…: {took:?}");
    }
}
