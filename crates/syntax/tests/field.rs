//! The description type carries the field: the dialects that differ most from
//! each other, written down as data, compile and survive their JSON.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use callsign_core::{
    Arguments, Dialect, End, Fingerprint, Nulls, Offer, Reader, ToolCall, Toolset, Turn,
};
use callsign_syntax::Compiled;
use callsign_syntax::description::{
    Braces, Calls, Codec, Container, Description, Elements, Frame, Object, Outside, Part, Region,
    TypeWords, Value,
};

fn compile(description: Description) -> Compiled {
    let json = serde_json::to_string(&description).unwrap();
    let again: Description = serde_json::from_str(&json).unwrap();
    assert_eq!(again, description, "a description survives its JSON");
    Compiled::new(description).unwrap_or_else(|error| panic!("{error}"))
}

fn read(dialect: &Compiled, text: &str) -> Turn {
    let tools = Toolset::from_openai(
        r#"[{"name": "f", "parameters": {"type": "object", "properties": {
            "s": {"type": "string"}, "n": {"type": "integer"},
            "l": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "object"}}}},
            {"name": "code_interpreter", "parameters": {"type": "object", "properties": {
            "code": {"type": "string"}}}}]"#,
    )
    .unwrap();
    let whole = Reader::new(dialect, &Offer::new(&tools)).read(text, End::Stop);
    let mut pieces = Turn::default();
    let mut reader = Reader::new(dialect, &Offer::new(&tools));
    for byte in text.as_bytes().chunks(1) {
        reader.push_bytes(byte, &mut |event| pieces.add(event)).unwrap();
    }
    reader.finish(End::Stop, &mut |event| pieces.add(event));
    assert_eq!(pieces, whole, "byte by byte");
    whole
}

#[track_caller]
fn check(turn: &Turn, content: &str, reasoning: &str, calls: &[(&str, &str)]) {
    let found: Vec<_> =
        turn.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(
        (turn.content.as_str(), turn.reasoning.as_str(), found.as_slice(), &*turn.rejected),
        (content, reasoning, calls, &[][..])
    );
}

fn named(name: &str, outside: Outside, regions: Vec<Region>, stops: &[&str]) -> Description {
    Description {
        name: name.to_owned(),
        models: String::new(),
        fingerprint: Fingerprint::default(),
        outside,
        regions,
        stops: stops.iter().copied().map(String::from).collect(),
    }
}

fn harmony() -> Description {
    let start = || Part::maybe(false, [Part::marker("<|start|>"), Part::literal("assistant")]);
    let channel = |names: &[&str]| {
        let names = names.iter().map(|name| vec![Part::literal(name)]).collect();
        [Part::marker("<|channel|>"), Part::OneOf(names)]
    };
    let kind = || {
        let constrain = Part::maybe(false, [Part::marker("<|constrain|>")]);
        [Part::space(" "), constrain, Part::maybe(true, [Part::literal("json")])]
    };
    let body = || [Part::marker("<|message|>"), Part::Arguments(Container::Json)];
    let to = || [Part::space(" "), Part::literal("to=functions."), Part::Name];
    let call = |header: Vec<Part>| [vec![start()], header, Vec::from(body())].concat();
    let in_role = [&to()[..], &channel(&["commentary", "analysis"]), &kind()].concat();
    let in_channel = [&channel(&["commentary", "analysis"])[..], &to(), &kind()].concat();
    let message =
        |names: &[&str]| [&[start()][..], &channel(names), &[Part::marker("<|message|>")]].concat();
    let end = || [Part::one_of([vec![Part::marker("<|end|>")], vec![Part::marker("<|return|>")]])];
    named(
        "harmony",
        Outside::Framing,
        vec![
            Region::reasoning(message(&["analysis"]), end()),
            Region::content(message(&["final", "commentary"]), end()),
            Region::calls(
                [],
                Calls::of(call(in_role)).or(call(in_channel)),
                [Part::marker("<|call|>")],
            ),
        ],
        &[],
    )
}

fn kimi_k3() -> Description {
    let open =
        |name: &str| [Part::marker("<|open|>"), Part::literal(name), Part::marker("<|sep|>")];
    let close =
        |name: &str| [Part::marker("<|close|>"), Part::literal(name), Part::marker("<|sep|>")];
    let value = Value { codec: Codec::Typed, frame: Frame::None, nulls: Nulls::Json };
    let item = [
        &[
            Part::marker("<|open|>"),
            Part::literal("argument key=\""),
            Part::Key,
            Part::literal("\" type=\""),
            Part::Type(TypeWords::Names),
            Part::literal("\""),
            Part::marker("<|sep|>"),
            Part::Value(value),
        ][..],
        &close("argument"),
    ]
    .concat();
    let call = [
        &[
            Part::marker("<|open|>"),
            Part::literal("call tool=\""),
            Part::Name,
            Part::literal("\" index=\""),
            Part::Index(1),
            Part::literal("\""),
            Part::marker("<|sep|>"),
            Part::Arguments(Container::each(item)),
        ][..],
        &close("call"),
    ]
    .concat();
    named(
        "kimi-k3",
        Outside::Framing,
        vec![
            Region::reasoning(open("think"), close("think")),
            Region::content(open("response"), close("response")),
            Region::calls(open("tools"), Calls::of(call), close("tools")),
        ],
        &["<|end_of_msg|>"],
    )
}

fn dsml() -> Description {
    let value = Value { codec: Codec::Typed, frame: Frame::None, nulls: Nulls::Json };
    let words = TypeWords::Flag { text: "true".into(), json: "false".into() };
    let item = [
        Part::literal("<"),
        Part::marker("｜DSML｜"),
        Part::literal("parameter name=\""),
        Part::Key,
        Part::literal("\" string=\""),
        Part::Type(words),
        Part::literal("\">"),
        Part::Value(value),
        Part::literal("</｜DSML｜parameter>"),
        Part::space("\n"),
    ];
    let call = [
        Part::literal("<｜DSML｜invoke name=\""),
        Part::Name,
        Part::literal("\""),
        Part::one_of([
            vec![
                Part::literal(">"),
                Part::space("\n"),
                Part::one_of([
                    vec![Part::Arguments(Container::each(item))],
                    vec![Part::Arguments(Container::Json), Part::space("\n")],
                ]),
                Part::literal("</｜DSML｜invoke>"),
            ],
            vec![Part::literal("/>")],
        ]),
    ];
    let block = Part::one_of([
        vec![Part::literal("<｜DSML｜tool_calls>")],
        vec![Part::literal("<｜DSML｜function_calls>")],
    ]);
    let end = Part::one_of([
        vec![Part::literal("</｜DSML｜tool_calls>")],
        vec![Part::literal("</｜DSML｜function_calls>")],
    ]);
    named(
        "deepseek-dsml",
        Outside::Text,
        vec![
            Region::reasoning([Part::marker("<think>")], [Part::marker("</think>")]),
            Region::calls(
                [Part::space("\n\n"), block, Part::space("\n")],
                Calls::of(call).between([Part::space("\n")]),
                [Part::space("\n"), end],
            ),
        ],
        &["<｜end▁of▁sentence｜>"],
    )
}

fn gemma4() -> Description {
    let braces = Braces { quote: "<|\"|>".to_owned() };
    let call = [Part::Name, Part::Arguments(Container::Braces(braces))];
    named(
        "gemma4",
        Outside::Text,
        vec![
            Region::reasoning(
                [Part::marker("<|channel>"), Part::literal("thought"), Part::space("\n")],
                [Part::marker("<channel|>")],
            ),
            Region::calls(
                [Part::marker("<|tool_call>"), Part::literal("call:")],
                Calls::of(call).apart(""),
                [Part::marker("<tool_call|>")],
            ),
        ],
        &["<turn|>", "<|tool_response>", "<eos>"],
    )
}

fn llama3() -> Description {
    let tag = || Part::marker("<|python_tag|>");
    let json = Calls::of([Part::Object(Object {
        name: vec!["name".into()],
        arguments: vec!["parameters".into(), "arguments".into()],
        id: None,
    })])
    .between([Part::space(""), Part::maybe(true, [Part::literal(";")]), Part::space(" ")])
    .whole_turn();
    let rest = Container::Rest { tool: "code_interpreter".into(), key: "code".into() };
    let builtin = Calls::of([
        Part::Name,
        Part::literal(".call("),
        Part::Arguments(Container::Python),
        Part::literal(")"),
    ])
    .or([Part::Arguments(rest)]);
    named(
        "llama3",
        Outside::Text,
        vec![
            Region::calls([Part::maybe(false, [tag()])], json, []),
            Region::calls([tag()], builtin, []),
        ],
        &["<|eot_id|>", "<|eom_id|>"],
    )
}

fn minimax_m3() -> Description {
    let ns = || Part::marker("]<]minimax[>[");
    let elements = Elements { prefix: "]<]minimax[>[".into(), item: "item".into() };
    let call = [
        ns(),
        Part::literal("<invoke name=\""),
        Part::Name,
        Part::literal("\">"),
        Part::Arguments(Container::Elements(elements)),
        ns(),
        Part::literal("</invoke>"),
        Part::space("\n"),
    ];
    named(
        "minimax-m3",
        Outside::Text,
        vec![
            Region::reasoning([Part::marker("<mm:think>")], [Part::marker("</mm:think>")]),
            Region::calls(
                [ns(), Part::literal("<tool_call>"), Part::space("\n")],
                Calls::of(call),
                [ns(), Part::literal("</tool_call>")],
            ),
        ],
        &["[e~["],
    )
}

#[test]
fn harmony_reads_both_header_orders() {
    let dialect = compile(harmony());
    let turn = read(
        &dialect,
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary \
         to=functions.f <|constrain|>json<|message|>{\"s\":\"x\"}<|call|>",
    );
    check(&turn, "", "Hm.", &[("f", r#"{"s":"x"}"#)]);
    let turn = read(&dialect, " to=functions.f<|channel|>commentary json<|message|>{}<|call|>");
    check(&turn, "", "", &[("f", "{}")]);
    let turn = read(&dialect, "<|channel|>final<|message|>Done.<|return|>");
    check(&turn, "Done.", "", &[]);
    let turn = read(
        &dialect,
        "<|channel|>commentary<|message|>First.<|end|><|start|>assistant<|channel|>commentary \
         to=functions.f<|message|>{\"o\":{\"k\":[1,null]}}<|call|>",
    );
    check(&turn, "First.", "", &[("f", r#"{"o":{"k":[1,null]}}"#)]);
}

#[test]
fn kimi_k3_reads_stated_types() {
    let turn = read(
        &compile(kimi_k3()),
        "<|open|>think<|sep|>plan<|close|>think<|sep|><|open|>tools<|sep|><|open|>call tool=\"f\" \
         index=\"1\"<|sep|><|open|>argument key=\"n\" type=\"number\"<|sep|>3<|close|>argument\
         <|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
    );
    check(&turn, "", "plan", &[("f", r#"{"n":3}"#)]);
}

#[test]
fn dsml_reads_flags_and_empty_calls() {
    let dialect = compile(dsml());
    let turn = read(
        &dialect,
        "Ok.\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n<｜DSML｜parameter name=\"s\" \
         string=\"true\">a \"<b>\"\n</｜DSML｜parameter>\n<｜DSML｜parameter name=\"n\" \
         string=\"false\">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>",
    );
    check(&turn, "Ok.", "", &[("f", r#"{"s":"a \"<b>\"\n","n":3}"#)]);
    let turn =
        read(&dialect, "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f\"/>\n</｜DSML｜tool_calls>");
    check(&turn, "", "", &[("f", "{}")]);
}

#[test]
fn gemma4_reads_braces() {
    let dialect = compile(gemma4());
    let turn = read(
        &dialect,
        "<|channel>thought\nI need it<channel|>Look.<|tool_call>call:f{s:<|\"|>a {b}, \"c\"<|\"|>,\
         o:{k:[1,<|\"|>x<|\"|>],z:null},n:3}<tool_call|><turn|>",
    );
    let call = r#"{"s":"a {b}, \"c\"","o":{"k":[1,"x"],"z":null},"n":3}"#;
    check(&turn, "Look.", "I need it", &[("f", call)]);
}

#[test]
fn llama3_reads_objects_builtin_calls_and_code() {
    let dialect = compile(llama3());
    let turn = read(&dialect, r#"{"name": "f", "parameters": {"s": "a;b"}}; {"name": "f"}"#);
    check(&turn, "", "", &[("f", r#"{"s": "a;b"}"#), ("f", "{}")]);
    let turn = read(&dialect, "<|python_tag|>f.call(s=\"x\", n=-1)<|eom_id|>");
    check(&turn, "", "", &[("f", r#"{"s":"x","n":-1}"#)]);
    let turn = read(&dialect, "<|python_tag|>print(\"a\")\nx = 1<|eom_id|>");
    check(&turn, "", "", &[("code_interpreter", r#"{"code":"print(\"a\")\nx = 1"}"#)]);
    let prose = r#"Try this record: {"name": "f", "parameters": {}}"#;
    check(&read(&dialect, prose), prose, "", &[]);
    let undeclared = r#"{"name": "Alice", "parameters": {}}"#;
    check(&read(&dialect, undeclared), undeclared, "", &[]);
}

#[test]
fn minimax_m3_reads_elements() {
    let turn = read(
        &compile(minimax_m3()),
        "</mm:think>]<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name=\"f\">]<]minimax[>[<s>Oslo\
         ]<]minimax[>[</s>]<]minimax[>[<l>]<]minimax[>[<item>1]<]minimax[>[</item>]<]minimax[>[\
         <item>2]<]minimax[>[</item>]<]minimax[>[</l>]<]minimax[>[</invoke>\n]<]minimax[>[\
         </tool_call>",
    );
    check(&turn, "", "", &[("f", r#"{"s":"Oslo","l":[1,2]}"#)]);
}

#[test]
fn errors_name_the_part() {
    let mut description = gemma4();
    description.regions[1].open = vec![Part::Name];
    insta::assert_snapshot!(Compiled::new(description).unwrap_err(), @"description `gemma4`, regions[1].open[0]: a name must be followed by text");
    let mut description = dsml();
    description.regions.truncate(1);
    let no_calls = Compiled::new(description).unwrap_err();
    insta::assert_snapshot!(no_calls, @"description `deepseek-dsml`, regions: none of them holds calls");
}

#[test]
fn what_is_written_is_read() {
    let arguments = r#"{"s":"a \"b\" {c}, d","n":-3,"l":[1,2],"o":{"k":[true,null,"x"],"e":{}}}"#;
    let tools = Toolset::from_openai(
        r#"[{"name": "f", "parameters": {"type": "object", "properties": {
            "s": {"type": "string"}, "n": {"type": "integer"},
            "l": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "object",
            "properties": {"k": {"type": "array", "items": {"anyOf": [{"type": "boolean"},
            {"type": "null"}, {"type": "string"}]}}, "e": {"type": "object"}}}}}}]"#,
    )
    .unwrap();
    let call = ToolCall::new("f", Arguments::from_json(arguments).unwrap());
    let mut written = String::new();
    for description in [harmony(), kimi_k3(), dsml(), gemma4(), llama3(), minimax_m3()] {
        let mut out = String::from("Text.");
        match compile(description.clone()).write(&[call.clone(), call.clone()], &tools, &mut out) {
            Ok(()) => written.push_str(&format!("{}\n{out}\n\n", description.name)),
            Err(error) => written.push_str(&format!("{}\n{error}\n\n", description.name)),
        }
    }
    insta::assert_snapshot!(written);
}
