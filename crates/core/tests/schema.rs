//! What a compiled schema answers.

#![allow(clippy::unwrap_used)]

use callsign_core::{Kinds, Schema, Type, TypeId};
use proptest::prelude::*;

#[track_caller]
fn kinds(schema: &str, expected: Kinds) {
    let parsed = Schema::parse(schema).unwrap();
    assert_eq!(parsed.root().kinds(), expected, "{schema}");
}

#[test]
fn kinds_of_type() {
    kinds(r#"{"type":"string"}"#, Kinds::STRING);
    kinds(r#"{"type":["integer","null"]}"#, Kinds::INTEGER | Kinds::NULL);
    kinds(r#"{"type":["string","file"]}"#, Kinds::STRING);
    kinds(r#"{"type":"file"}"#, Kinds::ALL);
    kinds(r#"{"type":[]}"#, Kinds::ALL);
    kinds(r#"{"type":{"not":"a word"}}"#, Kinds::ALL);
    kinds(r#"{"type":"object","nullable":true}"#, Kinds::OBJECT | Kinds::NULL);
    kinds(r#"{"type":"object","nullable":false}"#, Kinds::OBJECT);
    kinds(r#"{"\u0074ype":"string"}"#, Kinds::STRING);
}

#[test]
fn every_integer_is_a_number() {
    assert!(Kinds::NUMBER.contains(Kinds::INTEGER));
    assert!(!Kinds::INTEGER.contains(Kinds::NUMBER));
    kinds(r#"{"allOf":[{"type":"number"},{"type":"integer"}]}"#, Kinds::INTEGER);
    kinds(r#"{"anyOf":[{"type":"number"},{"type":"integer"}]}"#, Kinds::NUMBER);
}

#[test]
fn integers_are_told_by_value() {
    for number in
        ["0", "-5", "5.0", "5e2", "1.5e1", "50e-1", "0e-9", "0.000", "1e99999999999999999999"]
    {
        assert_eq!(Kinds::of(number), Kinds::INTEGER, "{number}");
    }
    for number in ["5.5", "5e-1", "1.25e1", "-0.1", "1e-99999999999999999999"] {
        assert_eq!(Kinds::of(number), Kinds::NUMBER, "{number}");
    }
}

#[test]
fn kinds_of_enum_and_const() {
    kinds(r#"{"enum":["a",1,2.5,null]}"#, Kinds::STRING | Kinds::NUMBER | Kinds::NULL);
    kinds(r#"{"enum":[1,2.0]}"#, Kinds::INTEGER);
    kinds(r#"{"type":"number","enum":[1,"a"]}"#, Kinds::INTEGER);
    kinds(r#"{"const":{"a":1}}"#, Kinds::OBJECT);
    kinds(r#"{"enum":[]}"#, Kinds::ALL);
    kinds(r#"{"type":"string","enum":["a"],"nullable":true}"#, Kinds::STRING | Kinds::NULL);
}

#[test]
fn kinds_of_combinations() {
    kinds(r#"{"anyOf":[{"type":"integer"},{"type":"null"}]}"#, Kinds::INTEGER | Kinds::NULL);
    kinds(
        r#"{"oneOf":[{"type":"object"},{"anyOf":[{"type":"array"},{"const":"x"}]}]}"#,
        Kinds::OBJECT | Kinds::ARRAY | Kinds::STRING,
    );
    kinds(r#"{"allOf":[{"type":["string","null"]},{"type":["string","integer"]}]}"#, Kinds::STRING);
    kinds(r#"{"type":"string","anyOf":[{"type":"string"},{"type":"null"}]}"#, Kinds::STRING);
    kinds(r#"{"type":"string","anyOf":[{},{"type":"null"}]}"#, Kinds::STRING);
    kinds(r#"{"anyOf":[{"type":"string"},false]}"#, Kinds::STRING);
    kinds("false", Kinds::NONE);
}

#[test]
fn references_are_followed() {
    for (reference, text) in [
        ("#/$defs/S", r#""$defs":{"S":{"type":"string"}}"#),
        ("#/definitions/S", r#""definitions":{"S":{"type":"string"}}"#),
        ("#/$defs/a~1b~0%20c", r#""$defs":{"a/b~ c":{"type":"string"}}"#),
        ("#/$defs/%C3%A9", r#""$defs":{"\u00e9":{"type":"string"}}"#),
        ("#/components/schemas/S", r#""components":{"schemas":{"S":{"type":"string"}}}"#),
        ("#/$defs/T/oneOf/1", r#""$defs":{"T":{"oneOf":[{},{"type":"string"}]}}"#),
        ("#/$defs/T/prefixItems/1", r#""$defs":{"T":{"prefixItems":[{},{"type":"string"}]}}"#),
        ("#/$defs/T/items", r#""$defs":{"T":{"items":{"type":"string"}}}"#),
        ("#/$defs/T", r##""$defs":{"T":{"$ref":"#/$defs/S"},"S":{"type":"string"}}"##),
        ("#/x/T", r##""x":{"T":{"$ref":"#/x/S"},"S":{"type":"string"}}"##),
    ] {
        kinds(&format!(r#"{{"$ref":"{reference}",{text}}}"#), Kinds::STRING);
        kinds(&format!(r#"{{{text},"$ref":"{reference}"}}"#), Kinds::STRING);
    }
    kinds(
        r##"{"$ref":"#/$defs/S","nullable":true,"$defs":{"S":{"type":"string"}}}"##,
        Kinds::STRING | Kinds::NULL,
    );
}

#[test]
fn references_to_nowhere_say_nothing() {
    for reference in
        ["#/$defs/T", "other.json", "https://x.example/y", "#anchor", "#/type", "#/%zz", ""]
    {
        let text =
            format!(r##"{{"properties":{{"a":{{"$ref":"{reference}"}}}},"type":"object"}}"##);
        let schema = Schema::parse(&text).unwrap();
        assert!(schema.root().property("a").is_unspecified(), "{reference}");
    }
}

#[test]
fn cycles_end() {
    kinds(r##"{"$ref":"#"}"##, Kinds::ALL);
    kinds(r##"{"anyOf":[{"$ref":"#"},{"type":"string"}]}"##, Kinds::STRING);
    kinds(r##"{"allOf":[{"$ref":"#"},{"type":"object"}]}"##, Kinds::OBJECT);
    kinds(
        r##"{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}"##,
        Kinds::ALL,
    );
    let tree = Schema::parse(
        r##"{"type":"object","properties":{"value":{"type":"integer"},"next":{"$ref":"#"}}}"##,
    )
    .unwrap();
    let deep = tree.root().property("next").property("next").property("value");
    assert_eq!(deep.kinds(), Kinds::INTEGER);
    let looped = Schema::parse(r##"{"allOf":[{"$ref":"#"}],"anyOf":[{"$ref":"#"}]}"##).unwrap();
    assert!(looped.root().property("a").is_unspecified());
    assert_eq!(looped.root().properties().count(), 0);
    assert!(!looped.root().required("a"));
}

#[test]
fn unspecified_is_what_says_nothing() {
    for schema in [
        "{}",
        "true",
        r#"{"title":"T","default":5}"#,
        r#"{"anyOf":[{},{"type":"string"}]}"#,
        r#"{"nullable":true}"#,
        r#"{"allOf":[{}]}"#,
    ] {
        assert!(Schema::parse(schema).unwrap().root().is_unspecified(), "{schema}");
    }
    let all = r#"{"type":["null","boolean","number","string","array","object"]}"#;
    let all = Schema::parse(all).unwrap();
    assert_eq!(all.root().kinds(), Kinds::ALL);
    assert!(!all.root().is_unspecified());
}

#[test]
fn object_schemas() {
    for schema in [
        r#"{"type":"object"}"#,
        r#"{"type":["object","null"]}"#,
        r#"{"properties":{}}"#,
        r#"{"required":["a"]}"#,
        r#"{"additionalProperties":false}"#,
        r##"{"$ref":"#/$defs/P","$defs":{"P":{"properties":{}}}}"##,
        r#"{"allOf":[{"type":"object"},{"required":["a"]}]}"#,
        r#"{"oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
    ] {
        assert!(Schema::parse(schema).unwrap().root().is_object(), "{schema}");
    }
    for schema in [
        "true",
        "false",
        "{}",
        r#"{"type":"string"}"#,
        r#"{"type":"array","items":{}}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"type":"string","properties":{}}"#,
        r#"{"description":"d","required":true}"#,
    ] {
        assert!(!Schema::parse(schema).unwrap().root().is_object(), "{schema}");
    }
}

#[test]
fn properties_are_found_in_every_part() {
    let text = r##"{
        "properties": {"z": {"type": "string"}, "a": {"type": "integer"}, "q\u0022": {"type": "null"}},
        "required": ["z"],
        "allOf": [{"properties": {"b": {"type": "boolean"}}, "required": ["b"]}, {"$ref": "#/$defs/More"}],
        "anyOf": [{"properties": {"c": {"type": "array", "items": {"type": "number"}}}, "required": ["c"]}],
        "$defs": {"More": {"properties": {"d": {"type": "object"}, "a": false}, "required": ["d"]}}
    }"##;
    let schema = Schema::parse(text).unwrap();
    let root = schema.root();
    let found: Vec<_> = root.properties().map(|(key, ty)| (key, ty.kinds())).collect();
    assert_eq!(
        found,
        [
            ("z", Kinds::STRING),
            ("a", Kinds::INTEGER),
            ("q\"", Kinds::NULL),
            ("b", Kinds::BOOLEAN),
            ("d", Kinds::OBJECT),
            ("c", Kinds::ARRAY),
        ]
    );
    for (key, ty) in root.properties() {
        assert_eq!(root.property(key).id(), ty.id());
    }
    assert_eq!(root.property("c").items().kinds(), Kinds::NUMBER);
    assert!(root.property("e").is_unspecified());
    let required = ["z", "a", "b", "c", "d", "e"].map(|key| root.required(key));
    assert_eq!(required, [true, false, true, false, true, false]);
}

#[test]
fn the_last_of_duplicate_properties_wins() {
    let text = r#"{"properties":{"a":{"type":"string"},"b":true,"a":{"type":"null"}}}"#;
    let schema = Schema::parse(text).unwrap();
    assert_eq!(schema.root().property("a").kinds(), Kinds::NULL);
    let keys: Vec<_> = schema.root().properties().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "b"]);
}

#[test]
fn additional_properties_stand_in() {
    let property = |text: &str| Schema::parse(text).unwrap().root().property("x").kinds();
    assert_eq!(property(r#"{"additionalProperties":{"type":"integer"}}"#), Kinds::INTEGER);
    assert_eq!(
        property(
            r#"{"properties":{"x":{"type":"null"}},"additionalProperties":{"type":"integer"}}"#
        ),
        Kinds::NULL
    );
    // Forbidden, and still to be read: the value is for the tool to refuse.
    assert_eq!(property(r#"{"additionalProperties":false}"#), Kinds::ALL);
}

#[test]
fn branches_of_a_union_share_a_property() {
    let text = r##"{"type":"object","oneOf":[
        {"properties":{"kind":{"const":"name"},"value":{"type":"string"}}},
        {"properties":{"kind":{"const":"id"},"value":{"$ref":"#/$defs/Id"}}}
    ],"$defs":{"Id":{"type":"integer"}}}"##;
    let schema = Schema::parse(text).unwrap();
    let value = schema.root().property("value");
    assert_eq!(value.kinds(), Kinds::STRING | Kinds::INTEGER);
    assert_eq!(schema.get(value.id()).kinds(), value.kinds());
    assert!(schema.root().property("kind").only_string());
    assert_eq!(schema.root().properties().count(), 2);

    // What holds whatever the branch is not widened by one.
    let text = r#"{"properties":{"a":{"type":"integer"}},
        "anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"a":{"type":"null"}}}]}"#;
    let schema = Schema::parse(text).unwrap();
    assert_eq!(schema.root().property("a").kinds(), Kinds::INTEGER);
}

#[test]
fn what_leaves_doubt_is_not_sure() {
    let property = |schema: &str, key: &str, sure: &str, any: &str| {
        let schema = Schema::parse(schema).unwrap();
        let nested = schema.root().property("o");
        assert_eq!(nested.sure_property(key).raw(), sure, "{key}");
        assert_eq!(nested.property(key).raw(), any, "{key}");
    };
    let (string, integer, list) =
        (r#"{"type":"string"}"#, r#"{"type":"integer"}"#, r#"{"type":"array"}"#);
    let union = format!(
        r#"{{"properties":{{"o":{{"anyOf":[
            {{"properties":{{"x":{string},"y":{string},"z":{list},"w":{list}}}}},
            {{"properties":{{"x":{integer},"y":{string},"z":{list}}}}}]}}}}}}"#
    );
    property(&union, "x", "{}", string);
    property(&union, "y", string, string);
    property(&union, "z", "{}", list);
    property(&union, "w", list, list);
    property(&union, "v", "{}", "{}");
    let patterns = format!(
        r#"{{"properties":{{"o":{{"properties":{{"x":{string}}},
            "patternProperties":{{"^y":{list}}},"additionalProperties":{integer}}}}}}}"#
    );
    property(&patterns, "x", string, string);
    property(&patterns, "y", "{}", integer);
    let map = format!(r#"{{"properties":{{"o":{{"additionalProperties":{integer}}}}}}}"#);
    property(&map, "x", integer, integer);
    let closed = r#"{"properties":{"o":{"additionalProperties":false}}}"#;
    property(closed, "x", "{}", "{}");

    // At the root branches are joined, and the union leaves no doubt.
    let root = format!(
        r#"{{"anyOf":[{{"properties":{{"x":{string}}}}},{{"properties":{{"x":{integer}}}}}]}}"#
    );
    let root = Schema::parse(&root).unwrap();
    let sure = root.root().sure_property("x");
    assert_eq!(sure.kinds(), Kinds::STRING | Kinds::INTEGER);

    for (schema, sure) in [
        (format!(r#"{{"items":{integer}}}"#), integer),
        (format!(r#"{{"prefixItems":[{string}],"items":{integer}}}"#), "{}"),
        (format!(r#"{{"items":[{string}]}}"#), "{}"),
        (format!(r#"{{"oneOf":[{{"items":{integer}}},{{"items":{integer}}}]}}"#), integer),
        (format!(r#"{{"oneOf":[{{"items":{integer}}},{{"items":{string}}}]}}"#), "{}"),
    ] {
        let parsed = Schema::parse(&schema).unwrap();
        assert_eq!(parsed.root().sure_items().raw(), sure, "{schema}");
    }
}

#[test]
fn choices_are_json_as_written() {
    let text = r##"{"properties":{
        "a":{"enum":["x", 1.50, {"b": [1]}]},
        "b":{"const":"y"},
        "c":{"$ref":"#/properties/a"},
        "d":{"type":"string"},
        "e":{"enum":["x","y"],"const":"y"},
        "f":{"allOf":[{"const":null}]}
    }}"##;
    let schema = Schema::parse(text).unwrap();
    let choices = |key: &str| {
        let choices = schema.root().property(key).choices()?;
        Some(choices.iter().map(|choice| choice.to_string()).collect::<Vec<_>>())
    };
    let listed = ["\"x\"", "1.50", r#"{"b": [1]}"#].map(str::to_owned).to_vec();
    assert_eq!(choices("a"), Some(listed.clone()));
    assert_eq!(choices("b"), Some(vec!["\"y\"".to_owned()]));
    assert_eq!(choices("c"), Some(listed));
    assert_eq!(choices("d"), None);
    assert_eq!(choices("e"), Some(vec!["\"y\"".to_owned()]));
    assert_eq!(choices("f"), Some(vec!["null".to_owned()]));
}

#[test]
fn text_is_kept() {
    let text = " {\"type\" : \"object\",\n \"properties\": {\"n\": {\"maximum\": 1.0e2, \"minimum\":0}, \"t\": true}} \n";
    let schema = Schema::parse(text).unwrap();
    assert_eq!(schema.as_str(), text);
    assert_eq!(schema.root().raw(), text.trim());
    assert_eq!(schema.root().property("n").raw(), r#"{"maximum": 1.0e2, "minimum":0}"#);
    assert_eq!(schema.root().property("t").raw(), "true");
    assert_eq!(Type::unspecified().raw(), "{}");
}

#[test]
fn handles_lead_back() {
    let schema = Schema::parse(r#"{"properties":{"a":{"type":"null"}}}"#).unwrap();
    let id = schema.root().property("a").id();
    assert_eq!(schema.get(id).kinds(), Kinds::NULL);
    assert_eq!(schema.root().property("b").id(), TypeId::UNSPECIFIED);
    assert!(schema.get(TypeId::UNSPECIFIED).is_unspecified());
}

#[test]
fn keywords_inside_data_mean_nothing() {
    let text = r#"{"properties":{"type":{"type":"string"},"enum":{"type":"integer"}},
        "default":{"type":"null"},"examples":[{"$ref":"x"}],"not":{"type":"object"}}"#;
    let schema = Schema::parse(text).unwrap();
    assert_eq!(schema.root().kinds(), Kinds::OBJECT);
    assert!(schema.root().property("type").only_string());
    assert_eq!(schema.root().property("enum").kinds(), Kinds::INTEGER);
}

#[test]
fn errors_say_where() {
    let error = |text: &str| {
        let error = Schema::parse(text).unwrap_err();
        (error.to_string(), error.place())
    };
    insta::assert_snapshot!(error("{\"type\":\n \"string\",}").0, @"not JSON: key must be a string at line 2 column 11");
    assert_eq!(error("{\"type\":\n \"string\",}").1, Some((2, 11)));
    insta::assert_snapshot!(error("").0, @"not JSON: EOF while parsing a value at line 1 column 0");
    insta::assert_snapshot!(error("{} {}").0, @"not JSON: trailing characters at line 1 column 4");
    insta::assert_snapshot!(error("[]").0, @"not a JSON Schema: neither an object nor a boolean");
    let deep = format!("{}{}", "{\"items\":".repeat(129), "}".repeat(129));
    assert!(Schema::parse(&deep).is_err());
    let deep = format!("{}{{}}{}", "{\"items\":".repeat(128), "}".repeat(128));
    insta::assert_snapshot!(error(&deep).0, @"the schema nests more than 128 levels deep");
    let deep = format!("{}{{}}{}", "{\"default\":[".repeat(64), "]}".repeat(64));
    insta::assert_snapshot!(error(&deep).0, @"the schema nests more than 128 levels deep");
    let allowed = format!("{}{{}}{}", "{\"items\":".repeat(127), "}".repeat(127));
    assert!(Schema::parse(&allowed).is_ok());
}

/// Text made of the pieces of schemas, sometimes one.
fn almost_schema() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just(" "),
        Just("1"),
        Just("true"),
        Just("null"),
        Just("\"type\""),
        Just("\"string\""),
        Just("\"properties\":{"),
        Just("\"enum\":["),
        Just("\"required\":["),
        Just("\"anyOf\":[{"),
        Just("\"items\":"),
        Just("\"$ref\":\"#\""),
        Just("\"\\u0041\""),
        Just("\"\\x\""),
        Just("\"a\n\""),
        Just("\"$defs\":{\"a\":{}}"),
    ];
    proptest::collection::vec(piece, 0..12).prop_map(|pieces| format!("{{{}", pieces.concat()))
}

proptest! {
    #[test]
    fn what_parses_is_json(text in prop_oneof![any::<String>(), almost_schema()]) {
        let json = serde_json::from_str::<serde::de::IgnoredAny>(&text);
        match Schema::parse(&text) {
            Ok(schema) => {
                prop_assert!(json.is_ok());
                prop_assert_eq!(schema.as_str(), &text);
                prop_assert_eq!(schema.root().raw(), text.trim());
            }
            Err(_) => {
                let object = text.trim_start().starts_with('{');
                prop_assert!(json.is_err() || !object);
            }
        }
    }

    #[test]
    fn references_never_run_away(targets in proptest::collection::vec((0..6usize, 0..4u8), 6)) {
        let defs: Vec<_> = targets.iter().enumerate().map(|(at, (target, form))| {
            let reference = format!(r##"{{"$ref":"#/$defs/{target}"}}"##);
            match form {
                0 => format!(r#""{at}":{reference}"#),
                1 => format!(r#""{at}":{{"anyOf":[{reference},{{"type":"string"}}]}}"#),
                2 => format!(r#""{at}":{{"allOf":[{reference}],"properties":{{"p":{reference}}}}}"#),
                _ => format!(r#""{at}":{{"type":"integer"}}"#),
            }
        }).collect();
        let text = format!(r##"{{"$ref":"#/$defs/0","$defs":{{{}}}}}"##, defs.join(","));
        let schema = Schema::parse(&text).unwrap();
        let _ = (schema.root().property("p"), schema.root().properties().count());
    }
}
