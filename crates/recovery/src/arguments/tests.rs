//! One table a rule, then what holds for any arguments.

#![allow(clippy::unwrap_used)]

use callsign_core::json::{self, entries};
use callsign_core::{
    Repair::{self, *},
    Tool,
};
use proptest::prelude::*;

use super::{Unwrap, mend};

/// Tags as one dialect or another writes them.
struct Tags;

impl Unwrap for Tags {
    fn unwrap<'t>(&self, text: &'t str, key: &str) -> Option<&'t str> {
        let named = format!("<parameter={key}>");
        let inside = text.strip_prefix(&named).and_then(|rest| rest.strip_suffix("</parameter>"));
        inside.or_else(|| text.strip_prefix("<value>")?.strip_suffix("</value>"))
    }
}

fn retyped(path: &str) -> Repair {
    Retyped(path.to_owned())
}

/// A tool with one parameter `v` of this schema.
fn tool(schema: &str) -> Tool {
    Tool::new("t", &format!(r#"{{"type":"object","properties":{{"v":{schema}}}}}"#)).unwrap()
}

#[track_caller]
fn check_tool(tool: &Tool, arguments: &str, expected: Option<(&str, &[Repair])>) {
    let mended = mend(arguments, tool, &Tags);
    let seen = mended.as_ref().map(|(json, repairs)| (json.as_str(), repairs.as_slice()));
    assert_eq!(seen, expected, "{arguments} for {}", tool.parameters.as_str());
    if let Some((json, _)) = mended {
        assert_eq!(mend(&json, tool, &Tags), None, "again");
    }
}

/// What becomes of each value of `v`: another, or nothing.
#[track_caller]
fn check(schema: &str, rows: &[(&str, Option<&str>)]) {
    for (value, expected) in rows {
        let expected = expected.map(|value| format!(r#"{{ "v" :{value} }}"#));
        let repairs = [retyped("v")];
        let expected = expected.as_deref().map(|json| (json, &repairs[..]));
        check_tool(&tool(schema), &format!(r#"{{ "v" :{value} }}"#), expected);
    }
}

#[test]
fn numbers_in_strings_keep_their_spelling() {
    check(
        r#"{"type":"integer"}"#,
        &[
            (r#""5""#, Some("5")),
            (r#"" 5\n""#, Some("5")),
            (r#""9007199254740993""#, Some("9007199254740993")),
            (r#""5.0""#, Some("5.0")),
            (r#""5.50""#, Some("5.50")),
            ("5.0", None),
            ("5.5", None),
            (r#""five""#, None),
            (r#""""#, None),
            (r#""5 km""#, None),
            (r#""\"5\"""#, None),
            (r#""null""#, None),
            ("true", None),
            ("null", None),
        ],
    );
}

#[test]
fn booleans_and_null_in_strings() {
    check(
        r#"{"type":"boolean"}"#,
        &[
            (r#""true""#, Some("true")),
            (r#""False""#, Some("false")),
            (r#""TRUE""#, Some("true")),
            (r#""yes""#, None),
            (r#""1""#, None),
            ("1", None),
        ],
    );
    check(
        r#"{"type":["number","null"]}"#,
        &[(r#""null""#, Some("null")), (r#""None""#, Some("null")), (r#""1e3""#, Some("1e3"))],
    );
}

#[test]
fn containers_in_strings_are_retyped_inside() {
    check(
        r#"{"type":"array","items":{"type":"string"}}"#,
        &[
            (r#""[\"a\", \"b\"]""#, Some(r#"["a", "b"]"#)),
            (r#""['a', 'b']""#, Some(r#"["a", "b"]"#)),
            (r#""[]""#, Some("[]")),
            (r#""a, b""#, None),
            (r#""{\"a\":1}""#, None),
            (r#"{"a":1}"#, None),
        ],
    );
    let points = r#"{"type":"array","items":{"type":"object","properties":{"x":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}}}}}"#;
    check_tool(
        &tool(points),
        r#"{"v":"[{\"x\":\"1\",\"tags\":[2,\"3\"]},{\"x\":4,\"tags\":\"['5']\"}]"}"#,
        Some((
            r#"{"v":[{"x":1,"tags":["2","3"]},{"x":4,"tags":["5"]}]}"#,
            &[retyped("v"), retyped("v[0].x"), retyped("v[0].tags[0]"), retyped("v[1].tags")],
        )),
    );
    check_tool(
        &tool(points),
        r#"{"v":"[{x: 1, 'tags': [],}]]"}"#,
        Some((
            r#"{"v":[{"x": 1, "tags": []}]}"#,
            &[retyped("v"), BareKeys, Quotes, Commas, SurplusBrackets],
        )),
    );
}

#[test]
fn strings_are_made_where_nothing_else_is_admitted() {
    for schema in [r#"{"type":"string"}"#, r#"{"type":["string","null"]}"#, r#"{"enum":["5"]}"#] {
        check(
            schema,
            &[
                ("5", Some(r#""5""#)),
                ("1.50", Some(r#""1.50""#)),
                ("true", Some(r#""true""#)),
                ("null", None),
                (r#""5""#, None),
                (r#""null""#, None),
                (r#""[1]""#, None),
                ("[1]", None),
                (r#"{"a":1}"#, None),
            ],
        );
    }
    check(
        r#"{"type":["string","integer","array"]}"#,
        &[(r#""5""#, None), (r#""[1]""#, None), ("5", None), ("true", None)],
    );
}

#[test]
fn a_schema_in_place_of_a_value() {
    check(
        r#"{"type":"string"}"#,
        &[
            (r#"{"type": "string", "value": "x\n"}"#, Some(r#""x\n""#)),
            (r#"{"value": 5, "type": "integer"}"#, Some(r#""5""#)),
            (r#"{"type": "string", "value": ["x"]}"#, None),
            (r#"{"type": 1, "value": "x"}"#, None),
            (r#"{"type": "string", "value": "x", "more": 1}"#, None),
            (r#"{"value": "x"}"#, None),
        ],
    );
    check(
        r#"{"type":"array","items":{"type":"integer"}}"#,
        &[(r#"{"type":"array","value":[1]}"#, Some("[1]"))],
    );
    check(r#"{"type":["object","string"]}"#, &[(r#"{"type":"string","value":"x"}"#, None)]);
    check("{}", &[(r#"{"type":"string","value":"x"}"#, None), (r#""5""#, None), ("5", None)]);
}

#[test]
fn branches_that_differ_settle_nothing() {
    let values = r#"{"anyOf":[
        {"properties":{"kind":{"const":"a"},"x":{"type":"string"},"y":{"type":"integer"}}},
        {"properties":{"kind":{"const":"b"},"x":{"type":"integer"},"y":{"type":"integer"}}}]}"#;
    check_tool(&tool(values), r#"{"v":{"kind":"b","x":5}}"#, None);
    check_tool(
        &tool(values),
        r#"{"v":{"kind":"a","x":"5","y":"6"}}"#,
        Some((r#"{"v":{"kind":"a","x":"5","y":6}}"#, &[retyped("v.y")])),
    );
    let lists = r#"{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"array","items":{"type":"integer"}}]}"#;
    check_tool(&tool(lists), r#"{"v":[1,"2"]}"#, None);
    let patterns = r#"{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}}"#;
    check_tool(&tool(patterns), r#"{"v":{"x":"5"}}"#, None);
    let tuple = r#"{"prefixItems":[{"type":"string"}],"items":{"type":"integer"}}"#;
    check_tool(&tool(tuple), r#"{"v":["5",6]}"#, None);
}

#[test]
fn maps_and_references() {
    let map = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
    check_tool(
        &tool(map),
        r#"{"v":{"a\n":"1","b":2}}"#,
        Some((r#"{"v":{"a\n":1,"b":2}}"#, &[retyped("v.a\n")])),
    );
    let tree = Tool::new(
        "t",
        r##"{"type":"object","properties":{"n":{"type":"integer"},"next":{"$ref":"#"}}}"##,
    )
    .unwrap();
    check_tool(
        &tree,
        r#"{"n":1,"next":{"n":"2","next":"{\"n\":\"3\"}"}}"#,
        Some((
            r#"{"n":1,"next":{"n":2,"next":{"n":3}}}"#,
            &[retyped("next.n"), retyped("next.next"), retyped("next.next.n")],
        )),
    );
}

#[test]
fn what_has_no_schema_stays() {
    check_tool(&tool("{}"), r#"{"v":"5","w":"[1]"}"#, None);
    check_tool(&tool(r#"{"type":"integer"}"#), r#"{"w":"5"}"#, None);
    for arguments in ["", "[]", "5", r#"{"v":"5""#, r#"{"v":"5"} x"#] {
        check_tool(&tool(r#"{"type":"integer"}"#), arguments, None);
    }
}

#[test]
fn markup_comes_off() {
    let unwrapped =
        |value: &str| Some((format!(r#"{{"v":{value}}}"#), vec![Unwrapped("v".into())]));
    for (schema, value, expected) in [
        (r#"{"type":"string"}"#, "<parameter=v>SELECT 1</parameter>", unwrapped(r#""SELECT 1""#)),
        (r#"{"type":"integer"}"#, "<value>5</value>", unwrapped("5")),
        (r#"{"type":"integer"}"#, "<value>five</value>", unwrapped(r#""five""#)),
        ("{}", "<value>5</value>", unwrapped(r#""5""#)),
        (r#"{"type":"string"}"#, "<value><value>x</value></value>", unwrapped(r#""x""#)),
        (r#"{"type":"boolean"}"#, "<value>True</value>", unwrapped("true")),
        (r#"{"type":"string"}"#, "<parameter=w>x</parameter>", None),
        (r#"{"type":"string"}"#, "see <value>x</value>", None),
    ] {
        let expected = expected.as_ref().map(|(json, repairs)| (json.as_str(), repairs.as_slice()));
        check_tool(&tool(schema), &format!(r#"{{"v":"{value}"}}"#), expected);
    }
    // Only whole arguments stand in markup.
    let list = r#"{"type":"array","items":{"type":"string"}}"#;
    check_tool(&tool(list), r#"{"v":["<value>x</value>"]}"#, None);
}

#[test]
fn arguments_a_level_too_deep() {
    let tool = tool(r#"{"type":"integer"}"#);
    check_tool(&tool, r#"{"arguments": {"v": 5 }}"#, Some((r#"{"v": 5 }"#, &[Aliases])));
    check_tool(&tool, r#"{"kwargs":{}}"#, Some(("{}", &[Aliases])));
    check_tool(
        &tool,
        r#"{"input":"{\"v\": \"5\"}"}"#,
        Some((r#"{"v": 5}"#, &[Aliases, DoubleEncoding, retyped("v")])),
    );
    check_tool(
        &tool,
        r#"{"params":"{'v': 5}"}"#,
        Some((r#"{"v": 5}"#, &[Aliases, DoubleEncoding, Quotes])),
    );
    for kept in [
        r#"{"arguments":{"w":5}}"#,
        r#"{"arguments":{"v":5},"v":6}"#,
        r#"{"arguments":{"v":5},"arguments":{"v":6}}"#,
        r#"{"arguments":[5]}"#,
        r#"{"arguments":"v"}"#,
        r#"{"argument":{"v":5}}"#,
    ] {
        check_tool(&tool, kept, None);
    }
    let own = Tool::new(
        "t",
        r#"{"type":"object","properties":{"input":{"type":"object"},"v":{"type":"integer"}}}"#,
    );
    check_tool(&own.unwrap(), r#"{"input":{"v":5}}"#, None);
}

#[test]
fn what_nests_too_deep_stays() {
    let lists = Tool::new(
        "t",
        r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/L"}},"$defs":{"L":{"type":"array","items":{"$ref":"#/$defs/L"}}}}"##,
    )
    .unwrap();
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    let whole = format!(r#"{{"v":{}"{}"{}}}"#, "[".repeat(100), nested(27), "]".repeat(100));
    let expected = format!(r#"{{"v":{}}}"#, nested(127));
    let repair = retyped(&format!("v{}", "[0]".repeat(100)));
    check_tool(&lists, &whole, Some((&expected, &[repair])));
    let whole = format!(r#"{{"v":{}"{}"{}}}"#, "[".repeat(100), nested(28), "]".repeat(100));
    check_tool(&lists, &whole, None);
}

/// A second look at every item would take minutes here.
#[test]
fn time_is_linear_in_the_arguments() {
    let tool = tool(r#"{"type":"array","items":{"type":"integer"}}"#);
    let items = 100_000;
    for item in [r#""5""#, r#"{"type":"integer","value":5}"#, r#"{"type":5,"value":{}}"#, "[[[]]]"]
    {
        let arguments = format!(r#"{{"v":[0{}]}}"#, format!(",{item}").repeat(items));
        let start = std::time::Instant::now();
        let repairs = mend(&arguments, &tool, &Tags).map_or(0, |(_, repairs)| repairs.len());
        let took = start.elapsed();
        assert_eq!(repairs, if item.contains("5\"") || item.contains(":5}") { items } else { 0 });
        assert!(took < std::time::Duration::from_secs(20), "{item}: {took:?}");
    }
}

/// Schemas, and values that they admit.
fn admitted() -> impl Strategy<Value = (String, String)> {
    let string = r#""([a-z5\[\]{}'<>: ]|\\n|\\"){0,6}"|"true"|"5"|"null"|"\[1\]""#;
    let leaf = prop_oneof![
        string.prop_map(|value| (r#"{"type":"string"}"#.into(), value)),
        "-?[1-9][0-9]{0,20}(\\.0)?".prop_map(|value| (r#"{"type":"integer"}"#.into(), value)),
        "[1-9]\\.[0-9]{1,3}|0|1e3".prop_map(|value| (r#"{"type":"number"}"#.into(), value)),
        "true|false".prop_map(|value| (r#"{"type":"boolean"}"#.into(), value)),
        "null|5".prop_map(|value| (r#"{"type":["integer","null"]}"#.into(), value)),
        string.prop_map(|value| (r#"{"type":["integer","string"]}"#.into(), value)),
        string
            .prop_map(|value| (r#"{"anyOf":[{"type":"array"},{"type":"string"}]}"#.into(), value)),
        r#""5"|5|\[true\]|\{"type":"string","value":"x"\}"#.prop_map(|value| ("{}".into(), value)),
    ];
    let leaf: BoxedStrategy<(String, String)> = leaf.boxed();
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|(schema, value)| {
                (format!(r#"{{"type":"array","items":{schema}}}"#), format!("[ {value},{value}]"))
            }),
            (inner.clone(), inner.clone()).prop_map(|((a, x), (b, y))| {
                let schema = format!(
                    r#"{{"type":"object","properties":{{"type":{a},"value":{b}}},"required":["type"]}}"#
                );
                (schema, format!(r#"{{"type": {x}, "value":{y}}}"#))
            }),
            (inner.clone(), inner).prop_map(|((a, x), (b, _))| {
                (format!(r#"{{"anyOf":[{{"properties":{{"k":{a}}}}},{{"properties":{{"k":{b}}}}}]}}"#), format!(r#"{{"k":{x}}}"#))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_the_schema_admits_never_changes((schema, value) in admitted(), key in "v|w") {
        prop_assert_eq!(mend(&format!(r#"{{"{key}":{value}}}"#), &tool(&schema), &Tags), None);
    }

    #[test]
    fn mending_twice_is_mending_once((schema, _) in admitted(), (_, value) in admitted(), quoted in 0..3) {
        let mut value = value;
        for _ in 0..quoted {
            let mut string = String::new();
            json::quote_into(&value, &mut string);
            value = string;
        }
        let tool = tool(&schema);
        let arguments = format!(r#"{{"v": {value} ,"w":"5"}}"#);
        if let Some((mended, repairs)) = mend(&arguments, &tool, &Tags) {
            prop_assert!(json::is_object(&mended));
            prop_assert!(!repairs.is_empty());
            prop_assert_eq!(mend(&mended, &tool, &Tags), None);
            let keys = |json: &str| -> Vec<String> { entries(json).map(|(key, _)| key).collect() };
            prop_assert_eq!(keys(&mended), keys(&arguments));
        }
    }

    #[test]
    fn text_is_no_reason_to_panic((schema, _) in admitted(), text in r#"[\[\]{}",:5truev'\\ ]{0,20}"#) {
        let tool = tool(&schema);
        let mut string = String::new();
        json::quote_into(&text, &mut string);
        for arguments in [text, format!(r#"{{"v":{string}}}"#), format!(r#"{{"arguments":{string}}}"#)] {
            if let Some((mended, _)) = mend(&arguments, &tool, &Tags) {
                prop_assert!(json::is_object(&mended));
            }
        }
    }
}
