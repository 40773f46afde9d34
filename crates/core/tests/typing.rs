//! Argument typing: one table a rule, then what holds for any text.

#![allow(clippy::unwrap_used)]

mod common;

use callsign_core::{Nulls, Schema, Type, json, type_text};
use common::json_text;
use proptest::prelude::*;

#[track_caller]
fn check(schema: &str, nulls: Nulls, rows: &[(&str, &str)]) {
    let parsed = Schema::parse(schema).unwrap();
    for (text, expected) in rows {
        assert_eq!(typed(text, parsed.root(), nulls), *expected, "{text:?} for {schema}");
    }
}

fn typed(text: &str, ty: Type<'_>, nulls: Nulls) -> String {
    // Whatever `out` holds already is none of typing's business.
    let mut out = String::from("…");
    type_text(text, ty, nulls, &mut out);
    out.strip_prefix('…').unwrap().to_owned()
}

#[test]
fn only_strings_are_verbatim() {
    for schema in [
        r#"{"type":"string"}"#,
        r#"{"enum":["a","5"]}"#,
        r#"{"const":"a"}"#,
        r##"{"$ref":"#/$defs/S","$defs":{"S":{"type":"string"}}}"##,
        r#"{"type":["string","integer"],"allOf":[{"type":["string","null"]}]}"#,
    ] {
        check(
            schema,
            Nulls::Python,
            &[
                ("", r#""""#),
                (" a\n", r#"" a\n""#),
                ("5", r#""5""#),
                ("true", r#""true""#),
                ("null", r#""null""#),
                ("None", r#""None""#),
                (r#"{"a":1}"#, r#""{\"a\":1}""#),
                (r#""quoted""#, r#""\"quoted\"""#),
                (r"C:\new", r#""C:\\new""#),
            ],
        );
    }
}

#[test]
fn numbers_keep_their_spelling() {
    check(
        r#"{"type":"integer"}"#,
        Nulls::Json,
        &[
            ("5", "5"),
            ("\n 5 \n", "5"),
            ("5.0", "5.0"),
            ("-0", "-0"),
            ("1e3", "1e3"),
            ("5.5", "5.5"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
        ],
    );
    check(
        r#"{"type":"number"}"#,
        Nulls::Json,
        &[
            ("0.10", "0.10"),
            ("1E+5", "1E+5"),
            ("3.141592653589793238462643", "3.141592653589793238462643"),
        ],
    );
}

#[test]
fn python_numbers_change_as_little_as_json_needs() {
    check(
        r#"{"type":"number"}"#,
        Nulls::Json,
        &[("+5", "5"), (".5", "0.5"), ("-5.", "-5.0"), ("1_000", "1000")],
    );
}

#[test]
fn what_is_no_admitted_kind_stays_text() {
    check(
        r#"{"type":"integer"}"#,
        Nulls::Python,
        &[
            ("2026-01-15", r#""2026-01-15""#),
            ("five", r#""five""#),
            ("05", r#""05""#),
            ("0x1F", r#""0x1F""#),
            ("NaN", r#""NaN""#),
            ("5 6", r#""5 6""#),
            ("1,000", r#""1,000""#),
            ("[1]", r#""[1]""#),
            ("(1,)", r#""(1,)""#),
            ("true", r#""true""#),
            ("True", r#""True""#),
            ("null", r#""null""#),
            ("None", r#""None""#),
        ],
    );
    check(
        r#"{"type":"boolean"}"#,
        Nulls::Json,
        &[("5", r#""5""#), ("0", r#""0""#), ("yes", r#""yes""#)],
    );
    check(
        r#"{"type":"object"}"#,
        Nulls::Json,
        &[
            ("[1]", r#""[1]""#),
            (r#"{"a":1"#, r#""{\"a\":1""#),
            ("{'a': f(1)}", r#""{'a': f(1)}""#),
            ("{1, 2}", r#""{1, 2}""#),
            ("<name>Ana</name>", r#""<name>Ana</name>""#),
        ],
    );
    check("false", Nulls::Json, &[("5", r#""5""#), ("null", r#""null""#), ("a", r#""a""#)]);
}

#[test]
fn text_that_stays_text_stays_whole() {
    check(
        r#"{"type":"integer"}"#,
        Nulls::Json,
        &[("", r#""""#), ("  ", r#""  ""#), (" five\n", r#"" five\n""#)],
    );
}

#[test]
fn a_json_string_is_not_parsed_again() {
    check(r#"{"type":"integer"}"#, Nulls::Json, &[(r#""5""#, r#""\"5\"""#), ("'5'", r#""'5'""#)]);
    check(r#"{"type":"object"}"#, Nulls::Json, &[(r#""{}""#, r#""\"{}\"""#)]);
    check(r#"{"type":"array"}"#, Nulls::Json, &[(r#"["5","[]"]"#, r#"["5","[]"]"#)]);
}

#[test]
fn booleans_come_in_any_case() {
    check(
        r#"{"type":"boolean"}"#,
        Nulls::Json,
        &[
            ("true", "true"),
            ("True", "true"),
            ("FALSE", "false"),
            (" fAlSe\n", "false"),
            ("truee", r#""truee""#),
        ],
    );
}

#[test]
fn null_is_null_only_where_it_is_admitted() {
    let nullable = [
        r#"{"type":["integer","null"]}"#,
        r#"{"type":"integer","nullable":true}"#,
        r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#,
        r#"{"enum":[1,null]}"#,
    ];
    for schema in nullable {
        check(
            schema,
            Nulls::Json,
            &[
                ("null", "null"),
                (" null\n", "null"),
                ("None", r#""None""#),
                ("Null", r#""Null""#),
                ("7", "7"),
                ("", r#""""#),
            ],
        );
        check(
            schema,
            Nulls::Python,
            &[("null", "null"), (" None ", "null"), ("none", r#""none""#)],
        );
    }
    check(r#"{"type":"object"}"#, Nulls::Python, &[("None", r#""None""#)]);
}

#[test]
fn objects_and_arrays_are_json_verbatim() {
    check(
        r#"{"type":["object","array"]}"#,
        Nulls::Json,
        &[
            (
                r#" {"b" : 1.50, "a":12345678901234567890, "b":2} "#,
                r#"{"b" : 1.50, "a":12345678901234567890, "b":2}"#,
            ),
            ("[ 1,\n 2 ]", "[ 1,\n 2 ]"),
            (r#"["\u00e9\/"]"#, r#"["\u00e9\/"]"#),
        ],
    );
}

#[test]
fn objects_and_arrays_may_be_python_literals() {
    check(
        r#"{"type":["object","array"]}"#,
        Nulls::Json,
        &[
            ("{'a': True, 'b': None, 'c': [1, 2.50]}", r#"{"a": true, "b": null, "c": [1, 2.50]}"#),
            (" ('x', \"y\",) ", r#"["x", "y"]"#),
            ("[1, 2,]", "[1, 2]"),
            ("{'it': 'it\\'s \"so\"'}", r#"{"it": "it's \"so\""}"#),
        ],
    );
}

#[test]
fn another_branch_beside_string_needs_an_exact_reading() {
    check(
        r#"{"type":["string","integer"]}"#,
        Nulls::Json,
        &[
            ("5", "5"),
            ("5.0", "5.0"),
            ("5.5", r#""5.5""#),
            (" 5", r#"" 5""#),
            ("5\n", r#""5\n""#),
            ("+5", r#""+5""#),
            ("1_000", r#""1_000""#),
            ("05", r#""05""#),
            ("true", r#""true""#),
            ("[1]", r#""[1]""#),
            (r#""5""#, r#""\"5\"""#),
            ("", r#""""#),
        ],
    );
    check(r#"{"type":["string","number"]}"#, Nulls::Json, &[("5.5", "5.5"), ("1e400", "1e400")]);
    check(
        r#"{"type":["string","boolean"]}"#,
        Nulls::Json,
        &[("true", "true"), ("False", "false"), ("TRUE", r#""TRUE""#), ("1", r#""1""#)],
    );
    check(
        r#"{"oneOf":[{"type":"object"},{"type":"string"}]}"#,
        Nulls::Json,
        &[
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            ("{'a': None}", r#"{"a": null}"#),
            (r#"{"a": 1} "#, r#""{\"a\": 1} ""#),
            (r#"{"a": 1"#, r#""{\"a\": 1""#),
            ("[1]", r#""[1]""#),
            ("'a'", r#""'a'""#),
            ("None", r#""None""#),
        ],
    );
    check(
        r#"{"anyOf":[{"type":"array"},{"type":"string"}]}"#,
        Nulls::Json,
        &[("(1, 'a')", r#"[1, "a"]"#), ("(see below)", r#""(see below)""#)],
    );
}

#[test]
fn a_nullable_string_takes_the_exact_word_for_null() {
    for schema in
        [r#"{"type":["string","null"]}"#, r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#]
    {
        check(
            schema,
            Nulls::Json,
            &[
                ("null", "null"),
                ("null ", r#""null ""#),
                ("NULL", r#""NULL""#),
                ("None", r#""None""#),
                ("123", r#""123""#),
                ("nullable", r#""nullable""#),
            ],
        );
        check(
            schema,
            Nulls::Python,
            &[("null", "null"), ("None", "null"), (" None", r#"" None""#)],
        );
    }
}

#[test]
fn a_listed_string_is_that_string() {
    let listed = r#"{"anyOf":[{"enum":["5","null","caf\u00e9"]},{"type":["integer","null"]}]}"#;
    check(
        listed,
        Nulls::Json,
        &[("5", r#""5""#), ("null", r#""null""#), ("6", "6"), ("café", r#""café""#)],
    );
    check(
        r#"{"enum":["auto",1,true,null]}"#,
        Nulls::Json,
        &[
            ("auto", r#""auto""#),
            ("1", "1"),
            ("true", "true"),
            ("null", "null"),
            ("1.5", r#""1.5""#),
        ],
    );
    check(r#"{"enum":[1,2]}"#, Nulls::Json, &[("1", "1"), (" 2 ", "2"), ("one", r#""one""#)]);
}

#[test]
fn without_a_schema_only_objects_and_arrays_are_read() {
    let rows = [
        (r#"{"a":1}"#, r#"{"a":1}"#),
        ("\n[1, 2]\n", "[1, 2]"),
        ("[]", "[]"),
        ("{'a':1}", r#""{'a':1}""#),
        ("[1] and [2]", r#""[1] and [2]""#),
        ("5", r#""5""#),
        ("true", r#""true""#),
        ("null", r#""null""#),
        ("None", r#""None""#),
        (r#""a""#, r#""\"a\"""#),
        (" a ", r#"" a ""#),
        ("", r#""""#),
    ];
    for schema in
        ["{}", "true", r#"{"description":"Anything"}"#, r#"{"$ref":"https://x.example/y"}"#]
    {
        check(schema, Nulls::Python, &rows);
    }
    for (text, expected) in rows {
        assert_eq!(typed(text, Type::unspecified(), Nulls::Python), expected);
    }
}

#[test]
fn nesting_beyond_the_limit_stays_text() {
    let deep = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let schema = Schema::parse(r#"{"type":"array"}"#).unwrap();
    let typed = |text: &str| typed(text, schema.root(), Nulls::Json);
    assert_eq!(typed(&deep(128)), deep(128));
    assert_eq!(typed(&deep(129)), format!("\"{}\"", deep(129)));
    assert_eq!(typed(&deep(100_000)), format!("\"{}\"", deep(100_000)));
}

/// Schemas of every class that typing tells apart.
const SCHEMAS: [&str; 10] = [
    "{}",
    "false",
    r#"{"type":"string"}"#,
    r#"{"type":"integer"}"#,
    r#"{"type":["boolean","null"]}"#,
    r#"{"type":["array","object"]}"#,
    r#"{"type":["string","integer","null"]}"#,
    r#"{"type":["string","object","array","boolean"]}"#,
    r#"{"enum":["5",5,null,true]}"#,
    r#"{"properties":{}}"#,
];

/// Text that often comes near to a value.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        r#"[ \[\](){}'",:\\0-9a-fx.+eE_\n-]{0,24}"#,
        r#"( |[\[{]|"a": ?|'b':|[0-9]{1,3}|True|None|null|[\]}]|,){0,12}"#,
    ]
}

proptest! {
    #[test]
    fn the_result_is_json(text in text(), schema in 0..SCHEMAS.len(), python: bool) {
        let schema = Schema::parse(SCHEMAS[schema]).unwrap();
        let nulls = if python { Nulls::Python } else { Nulls::Json };
        let out = typed(&text, schema.root(), nulls);
        prop_assert!(json::kind(&out).is_some(), "{out}");
        prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&out).is_ok(), "{out}");
    }

    #[test]
    fn a_string_is_the_whole_text(text in text(), schema in 0..SCHEMAS.len()) {
        let schema = Schema::parse(SCHEMAS[schema]).unwrap();
        let out = typed(&text, schema.root(), Nulls::Python);
        if json::kind(&out) == Some(json::Kind::String) {
            prop_assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        } else {
            prop_assert!(!schema.root().only_string());
        }
    }

    /// What is JSON already is kept byte for byte, where it is read at all.
    #[test]
    fn json_is_kept_as_it_is(text in json_text()) {
        let kind = json::kind(&text).unwrap();
        let every = ["null", "boolean", "number", "array", "object"];
        let every = format!("{{\"type\":[{}]}}", every.map(|word| format!("\"{word}\"")).join(","));
        let union = r#"{"type":["array","object","string"]}"#;
        for (schema, read) in [
            (&*every, kind != json::Kind::String),
            (union, matches!(kind, json::Kind::Array | json::Kind::Object)),
            ("{}", matches!(kind, json::Kind::Array | json::Kind::Object)),
        ] {
            let schema = Schema::parse(schema).unwrap();
            let out = typed(&text, schema.root(), Nulls::Json);
            if read {
                prop_assert_eq!(&out, &text);
            } else {
                prop_assert_eq!(&serde_json::from_str::<String>(&out).unwrap(), &text);
            }
        }
    }
}
