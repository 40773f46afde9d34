//! The two printings of constraints, and what becomes of schemas in them.

use callsign_core::{
    Constraint, Node, Vocabulary, arguments_schema, json_schema_unenforced, property_schema,
};

const SCHEMA: &str = r#"{
  "type": "object",
  "description": "Weather of a place",
  "properties": {
    "place": {"type": "string", "title": "Place"},
    "days": {"type": "integer", "maximum": 14}
  },
  "required": ["place"]
}"#;

fn seq(parts: impl IntoIterator<Item = Node>) -> Node {
    Node::Seq(parts.into_iter().collect())
}

fn lark(root: Node) -> String {
    Constraint::new(root).to_lark(&Vocabulary::text())
}

fn tag(root: Node) -> String {
    Constraint::new(root).to_structural_tag(&Vocabulary::text())
}

/// Reasoning, text, then calls in JSON between text after text.
fn json_turn(min: u32) -> Node {
    let text = || Node::free(["<tool_call>", "<think>"]);
    let reasoning =
        seq([Node::marker("<think>"), Node::free(["</think>"]), Node::marker("</think>")]);
    let call = seq([
        Node::marker("<tool_call>"),
        Node::text("\n{\"name\": \"weather\", \"arguments\": "),
        Node::Json(arguments_schema(SCHEMA)),
        Node::text("}\n"),
        Node::marker("</tool_call>"),
        text(),
    ]);
    seq([reasoning.optional(), text(), call.repeated(min, None)])
}

/// One call with its values in tags.
fn tagged_call() -> Node {
    seq([
        Node::text("<function=weather>\n<parameter=place>\n"),
        Node::free(["</parameter>", "<parameter="]),
        Node::text("\n</parameter>\n"),
        seq([
            Node::text("<parameter=days>\n"),
            Node::Json(property_schema(SCHEMA, "days").unwrap_or_default()),
            Node::text("\n</parameter>\n"),
        ])
        .optional(),
        Node::text("</function>"),
    ])
}

#[test]
fn a_turn_of_json_calls() {
    insta::assert_snapshot!(lark(json_turn(0)), @r#"
    start: ("<think>" until_1)? (until_2 "\n{\"name\": \"weather\", \"arguments\": " json_1 "}\n</tool_call>")* FREE_2
    FREE_1: /(?s:.*)/ & ~(/(?s:.*)/ ("</think>") /(?s:.*)/)
    until_1[lazy]: FREE_1 "</think>"
    FREE_2: /(?s:.*)/ & ~(/(?s:.*)/ ("<think>" | "<tool_call>") /(?s:.*)/)
    until_2[lazy]: FREE_2 "<tool_call>"
    json_1: %json {"x-guidance":{"lenient":true,"coerce_one_of":true,"whitespace_pattern":"[ \\t\\r\\n]{1,64}","json_allow_general_unicode_escapes":true},"type":"object","properties":{"place":{"type":"string"},"days":{"type":"integer","maximum":14}},"required":["place"],"additionalProperties":false}
    "#);
    insta::assert_snapshot!(tag(json_turn(1)), @r#"{"type":"structural_tag","format":{"type":"sequence","elements":[{"type":"optional","content":{"type":"sequence","elements":[{"type":"const_string","value":"<think>"},{"type":"any_text","excludes":["</think>"]},{"type":"const_string","value":"</think>"}]}},{"type":"any_text","excludes":["<tool_call>","<think>"]},{"type":"plus","content":{"type":"sequence","elements":[{"type":"const_string","value":"<tool_call>"},{"type":"const_string","value":"\n{\"name\": \"weather\", \"arguments\": "},{"type":"json_schema","json_schema":{"type":"object","properties":{"place":{"type":"string"},"days":{"type":"integer","maximum":14}},"required":["place"],"additionalProperties":false}},{"type":"const_string","value":"}\n"},{"type":"const_string","value":"</tool_call>"},{"type":"any_text","excludes":["<tool_call>","<think>"]}]}}]}}"#);
}

#[test]
fn a_call_in_tags() {
    insta::assert_snapshot!(lark(tagged_call()), @r#"
    start: "<function=weather>\n<parameter=place>\n" until_1 "\n" ("<parameter=days>\n" json_1 "\n</parameter>\n")? "</function>"
    FREE_1: /(?s:.*)/ & ~(/(?s:.*)/ ("</parameter>" | "<parameter=") /(?s:.*)/)
    until_1[lazy]: FREE_1 "\n</parameter>"
    json_1: %json {"x-guidance":{"lenient":true,"coerce_one_of":true,"whitespace_pattern":"[ \\t\\r\\n]{1,64}","json_allow_general_unicode_escapes":true},"type":"integer","maximum":14}
    "#);
    insta::assert_snapshot!(tag(tagged_call()), @r#"{"type":"structural_tag","format":{"type":"sequence","elements":[{"type":"const_string","value":"<function=weather>\n<parameter=place>\n"},{"type":"any_text","excludes":["</parameter>","<parameter="]},{"type":"const_string","value":"\n</parameter>\n"},{"type":"optional","content":{"type":"sequence","elements":[{"type":"const_string","value":"<parameter=days>\n"},{"type":"json_schema","json_schema":{"type":"integer","maximum":14}},{"type":"const_string","value":"\n</parameter>\n"}]}},{"type":"const_string","value":"</function>"}]}}"#);
}

#[test]
fn markers_as_tokens() {
    let vocabulary = Vocabulary::text()
        .with_named_token("<think>")
        .with_named_token("[CALL]")
        .with_token("</think>", 7);
    let root = seq([
        Node::marker("<think>"),
        Node::free(["</think>"]),
        Node::marker("</think>"),
        Node::free(["[CALL]"]),
        Node::marker("[CALL]"),
    ]);
    let constraint = Constraint::new(root);
    insta::assert_snapshot!(constraint.to_lark(&vocabulary), @r#"
    start: <think> FREE_1 <[7]> until_1
    FREE_1: /(?s:.*)/ & ~(/(?s:.*)/ ("</think>") /(?s:.*)/)
    FREE_2: /(?s:.*)/ & ~(/(?s:.*)/ ("[CALL]") /(?s:.*)/)
    until_1[lazy]: FREE_2 "[CALL]"
    "#);
    insta::assert_snapshot!(constraint.to_structural_tag(&vocabulary), @r#"{"type":"structural_tag","format":{"type":"sequence","elements":[{"type":"token","token":"<think>"},{"type":"any_text","excludes":["</think>"]},{"type":"token","token":7},{"type":"any_text","excludes":["[CALL]"]},{"type":"token","token":"[CALL]"}]}}"#);
}

#[test]
fn free_text_goes_around_repetitions() {
    // Into the loop and out of it with other conditions.
    let part = seq([Node::text("<p>"), Node::free(["<"])]);
    let root = seq([Node::free(["<p>", "<e>"]), part.repeated(0, None), Node::text("<e>")]);
    insta::assert_snapshot!(lark(root), @r#"
    start: until_3 | until_1 (until_2 "p>")* until_2 "e>"
    FREE_1: /(?s:.*)/ & ~(/(?s:.*)/ ("<e>" | "<p>") /(?s:.*)/)
    until_1[lazy]: FREE_1 "<p>"
    FREE_2: /(?s:.*)/ & ~(/(?s:.*)/ ("<") /(?s:.*)/)
    until_2[lazy]: FREE_2 "<"
    until_3[lazy]: FREE_1 "<e>"
    "#);

    // Two kinds of free text that follow each other in any order.
    let part = |open: &str, without: &str| seq([Node::text(open), Node::free([without])]);
    let parts = Node::Choice(vec![part("<p>", "<"), part("/q/", "/")]);
    insta::assert_snapshot!(lark(parts.repeated(1, None)), @r#"
    start: loop_6_0 FREE_1 | loop_6_1 FREE_2
    FREE_1: /(?s:.*)/ & ~(/(?s:.*)/ ("<") /(?s:.*)/)
    until_1[lazy]: FREE_1 "<"
    until_2[lazy]: FREE_1 "/q/"
    FREE_2: /(?s:.*)/ & ~(/(?s:.*)/ ("/") /(?s:.*)/)
    until_3[lazy]: FREE_2 "<p>"
    until_4[lazy]: FREE_2 "/"
    loop_6_0: "<p>" | loop_6_0 until_1 "p>" | loop_6_1 until_3
    loop_6_1: "/q/" | loop_6_0 until_2 | loop_6_1 until_4 "q/"
    "#);
}

#[test]
fn repetitions() {
    let digit = || Node::Pattern("[0-9]".to_owned());
    let root = seq([
        digit().repeated(2, Some(4)),
        digit().repeated(3, None),
        digit().repeated(1, None),
        digit().repeated(0, None),
        digit().optional(),
        digit().repeated(1, Some(1)),
        digit().repeated(0, Some(0)),
        Node::Choice(vec![Node::text("a"), digit().optional().repeated(0, None)]).repeated(0, None),
    ]);
    insta::assert_snapshot!(lark(root.clone()), @r#"start: /[0-9]/{2,4} /[0-9]/{3,} /[0-9]/+ /[0-9]/* /[0-9]/? /[0-9]/ ("a" | /[0-9]/*)*"#);
    insta::assert_snapshot!(tag(root), @r#"{"type":"structural_tag","format":{"type":"sequence","elements":[{"type":"repeat","min":2,"max":4,"content":{"type":"regex","pattern":"[0-9]"}},{"type":"repeat","min":3,"max":-1,"content":{"type":"regex","pattern":"[0-9]"}},{"type":"plus","content":{"type":"regex","pattern":"[0-9]"}},{"type":"star","content":{"type":"regex","pattern":"[0-9]"}},{"type":"optional","content":{"type":"regex","pattern":"[0-9]"}},{"type":"repeat","min":1,"max":1,"content":{"type":"regex","pattern":"[0-9]"}},{"type":"repeat","min":0,"max":0,"content":{"type":"regex","pattern":"[0-9]"}},{"type":"star","content":{"type":"or","elements":[{"type":"const_string","value":"a"},{"type":"star","content":{"type":"optional","content":{"type":"regex","pattern":"[0-9]"}}}]}}]}}"#);
}

#[test]
fn nothing_and_odd_text() {
    assert_eq!(lark(seq([])), "start: \"\"\n");
    assert_eq!(
        tag(Node::Choice(Vec::new())),
        r#"{"type":"structural_tag","format":{"type":"const_string","value":""}}"#
    );
    insta::assert_snapshot!(lark(Node::text("\"\\\n\u{1}\u{7f}é")), @r#"start: "\"\\\n\u0001\u007fé""#);
    insta::assert_snapshot!(lark(Node::Pattern("a/b\\/c".to_owned())), @r"start: /a\/b\/c/");
}

#[test]
fn arguments_are_a_closed_object_if_properties_are_listed() {
    let schema = |schema: &str| arguments_schema(schema);
    assert_eq!(schema("null"), r#"{"type":"object"}"#);
    assert_eq!(schema("{}"), r#"{"type":"object"}"#);
    assert_eq!(schema(r#"{"type":"object"}"#), r#"{"type":"object"}"#);
    assert_eq!(
        schema(r#"{"properties":{"b":{},"a":{}}}"#),
        r#"{"type":"object","properties":{"b":{},"a":{}},"additionalProperties":false}"#
    );
    for open in [
        r#"{"type":"object","properties":{},"additionalProperties":true}"#,
        r#"{"type":"object","properties":{},"anyOf":[{"required":["a"]}]}"#,
        r#"{"type":"object","properties":{"a":{}},"required":["b"]}"#,
    ] {
        assert_eq!(schema(open), open);
    }
}

#[test]
fn a_property_brings_its_definitions() {
    let schema = r##"{"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"type": "null"}},
        "$defs": {"x": {"const": 1.0}}}"##;
    assert_eq!(
        property_schema(schema, "a").unwrap(),
        r##"{"$ref":"#/$defs/x","$defs":{"x": {"const": 1.0}}}"##
    );
    assert_eq!(property_schema(schema, "b").unwrap(), r#"{"type": "null"}"#);
    assert_eq!(property_schema(schema, "c"), None);
}

#[test]
fn what_is_not_enforced_is_named() {
    let check = |schema: &str| {
        let unenforced = json_schema_unenforced(schema).into_iter();
        unenforced
            .map(|(path, keyword)| format!("{path}: {keyword}"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(check(SCHEMA), "");
    assert_eq!(check(r#"{"uniqueItems": false, "then": {}, "x-own": 1, "default": 3}"#), "");
    insta::assert_snapshot!(check(r##"{
        "type": "object",
        "not": {"required": ["z"]},
        "minProperties": 1,
        "properties": {
            "a/b": {"type": "array", "uniqueItems": true, "items": {"type": "int"}},
            "c": {"$ref": "#/$defs/c", "minLength": 3},
            "d": {"$ref": "https://example.org/d"},
            "e": {"type": "string", "pattern": "^(?!x)", "format": "color", "maxLength": "9"},
            "f": {"oneOf": [{"type": "string"}, {"minLength": 3}]},
            "g": {"oneOf": [{"type": "string"}, {"type": "null"}]},
            "h": {"oneOf": [{"$ref": "#/$defs/h"}, {"$ref": "#/$defs/i"}]}
        },
        "$defs": {
            "c": {"multipleOf": 0, "enum": []},
            "h": {"properties": {"kind": {"const": "h"}}, "required": ["kind"]},
            "i": {"properties": {"kind": {"const": "i"}}, "required": ["kind"]}
        }
    }"##), @"
    : not
    : minProperties
    /properties/a~1b: uniqueItems
    /properties/a~1b/items: type
    /properties/c: minLength
    /properties/d: $ref
    /properties/e: pattern
    /properties/e: format
    /properties/e: maxLength
    /properties/f: oneOf
    /$defs/c: multipleOf
    /$defs/c: enum
    ");
}
