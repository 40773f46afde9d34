//! Random walks through a constraint: at every step one of the bytes that its
//! mask allows. What a walk has written is what a constrained model might.
//!
//! The walker knows no dialect. From the grammar's text it takes the literals,
//! which it types now and then: those that end free text, so that a walk gets
//! out of it, and the others where nobody expects them.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::toktrie::{ApproximateTokEnv, InferenceCapabilities, SimpleVob, TokEnv};
use llguidance::{Matcher, ParserFactory};

/// So many bytes are allowed only where text is free, more or less.
const FREE: usize = 100;

/// A compiled Lark grammar over a vocabulary of single bytes.
pub struct Walker {
    matcher: Matcher,
    eos: u32,
    /// Literals that end free text.
    ends: Vec<String>,
    /// All literals.
    literals: Vec<String>,
}

impl Walker {
    /// A walker through `lark`, a grammar as a `Constraint` prints it.
    ///
    /// # Errors
    ///
    /// What llguidance says of a grammar that it does not compile.
    pub fn new(lark: &str) -> Result<Self, String> {
        let env: TokEnv = Arc::new(ApproximateTokEnv::single_byte());
        let eos = env.tok_trie().eos_token();
        let mut factory = ParserFactory::new(&env, InferenceCapabilities::default(), &[])
            .map_err(|error| error.to_string())?;
        factory.quiet();
        let matcher =
            Matcher::new(factory.create_parser(TopLevelGrammar::from_lark(lark.to_owned())));
        if let Some(error) = matcher.get_error() {
            return Err(error);
        }
        let (ends, literals) = literals(lark);
        Ok(Walker { matcher, eos, ends, literals })
    }

    /// Whether `text` is a whole output that the grammar allows.
    pub fn accepts(&self, text: &str) -> bool {
        let mut matcher = self.matcher.clone();
        let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
        matcher.try_consume_tokens(&tokens).is_ok_and(|count| count == tokens.len())
            && matcher.is_accepting().unwrap_or(false)
    }

    /// The longest prefix of `text` that the grammar allows to begin an output.
    pub fn accepted<'t>(&self, text: &'t str) -> &'t [u8] {
        let tokens: Vec<u32> = text.bytes().map(u32::from).collect();
        let count = self.matcher.clone().try_consume_tokens(&tokens).unwrap_or(0);
        &text.as_bytes()[..count]
    }

    /// One walk, with `random` as the source of chance. From a quarter of
    /// `max_bytes` on it makes for the end; `None` if it did not get there.
    pub fn walk(&self, random: &mut dyn FnMut() -> u64, max_bytes: usize) -> Option<String> {
        let mut matcher = self.matcher.clone();
        let mut written: Vec<u8> = Vec::new();
        let haste = 1 + below(random, max_bytes / 4 + 1);
        while written.len() <= max_bytes {
            let mask = matcher.compute_mask_or_eos().ok()?;
            let hurry = written.len() > haste;
            let allowed: Vec<u8> =
                (0..=255).filter(|byte| mask.is_allowed(u32::from(*byte))).collect();
            if mask.is_allowed(self.eos) {
                let odds = if hurry { 90 } else { 15 };
                if allowed.is_empty() || below(random, 100) < odds {
                    return String::from_utf8(written).ok();
                }
            }
            if allowed.is_empty() {
                return None;
            }
            if allowed.len() > FREE {
                let odds = if hurry { 60 } else { 12 };
                if below(random, 100) < odds
                    && let Some((after, end)) = self.leave(&matcher, random)
                {
                    matcher = after;
                    written.extend_from_slice(end.as_bytes());
                    continue;
                }
                let odds = if written.is_empty() { 30 } else { 2 };
                if below(random, 100) < odds && !self.literals.is_empty() {
                    let literal = &self.literals[below(random, self.literals.len())];
                    let tokens: Vec<u32> = literal.bytes().map(u32::from).collect();
                    let count = matcher.try_consume_tokens(&tokens).ok()?;
                    written.extend_from_slice(&literal.as_bytes()[..count]);
                    continue;
                }
            }
            let byte = pick(&allowed, hurry, random);
            matcher.consume_token(u32::from(byte)).ok()?;
            written.push(byte);
        }
        None
    }

    /// Types one of the literals that end free text, if one does here.
    fn leave(&self, matcher: &Matcher, random: &mut dyn FnMut() -> u64) -> Option<(Matcher, &str)> {
        let first = below(random, self.ends.len().max(1));
        let (before, from) = self.ends.split_at_checked(first)?;
        from.iter().chain(before).find_map(|end| {
            let mut after = matcher.clone();
            let tokens: Vec<u32> = end.bytes().map(u32::from).collect();
            if after.try_consume_tokens(&tokens).ok()? < tokens.len() {
                return None;
            }
            let mask = after.compute_mask_or_eos().ok()?;
            (bytes_in(&mask) <= FREE).then_some((after, end.as_str()))
        })
    }
}

fn bytes_in(mask: &SimpleVob) -> usize {
    (0..256).filter(|byte| mask.is_allowed(*byte)).count()
}

/// The literals of a grammar: those of lazy rules, and all.
fn literals(lark: &str) -> (Vec<String>, Vec<String>) {
    let (mut ends, mut all) = (Vec::new(), Vec::new());
    for line in lark.lines().filter(|line| !line.contains("%json")) {
        let Some((head, mut body)) = line.split_once(": ") else { continue };
        while let Some(start) = body.find('"') {
            let quoted = &body[start..];
            let mut escaped = false;
            let end = quoted.char_indices().skip(1).find(|(_, char)| {
                let closes = *char == '"' && !escaped;
                escaped = *char == '\\' && !escaped;
                closes
            });
            let Some((end, _)) = end else { break };
            if let Ok(literal) = serde_json::from_str::<String>(&quoted[..=end])
                && !literal.is_empty()
            {
                if head.ends_with("[lazy]") {
                    ends.push(literal.clone());
                }
                all.push(literal);
            }
            body = &quoted[end + 1..];
        }
    }
    for list in [&mut ends, &mut all] {
        list.sort();
        list.dedup();
    }
    (ends, all)
}

/// One of `allowed`: what gives structure and what ends something more often
/// than what only goes on.
fn pick(allowed: &[u8], hurry: bool, random: &mut dyn FnMut() -> u64) -> u8 {
    let weight = |byte: u8| -> usize {
        let (calm, hasty) = match byte {
            b'"' => (120, 600),
            b'}' | b']' => (100, 900),
            b'<' | b'/' => (40, 300),
            b'\n' => (40, 200),
            b',' | b':' => (60, 20),
            b'{' | b'[' => (25, 1),
            b'\\' => (20, 1),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => (10, 4),
            b' ' => (15, 2),
            b'!'..=b'~' => (4, 1),
            0x80.. => (2, 1),
            _ => (1, 1),
        };
        if hurry { hasty } else { calm }
    };
    let total = allowed.iter().map(|byte| weight(*byte)).sum();
    let mut at = below(random, total);
    for byte in allowed {
        match at.checked_sub(weight(*byte)) {
            Some(rest) => at = rest,
            None => return *byte,
        }
    }
    allowed[0]
}

/// A number below `bound`, or zero.
fn below(random: &mut dyn FnMut() -> u64, bound: usize) -> usize {
    let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
    usize::try_from(random() % bound).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use callsign_core::{Constraint, Node, Vocabulary, arguments_schema, property_schema};

    use super::Walker;

    const WEATHER: &str = r#"{"type": "object", "properties": {"city": {"type": "string"},
        "days": {"type": "integer", "minimum": 1, "maximum": 14}, "units": {"enum": ["c", "f"]},
        "places": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
        "required": ["city"]}"#;

    fn random(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ (mixed >> 31)
        }
    }

    fn turn(call: Node, min: u32) -> Constraint {
        let reasoning = Node::Seq(vec![
            Node::marker("<think>"),
            Node::free(["</think>"]),
            Node::marker("</think>"),
        ]);
        let text = || Node::free(["<tool_call>", "<think>"]);
        let call = Node::Seq(vec![
            Node::marker("<tool_call>"),
            Node::text("\n"),
            call,
            Node::text("\n"),
            Node::marker("</tool_call>"),
            text(),
        ]);
        Constraint::new(Node::Seq(vec![reasoning.optional(), text(), call.repeated(min, None)]))
    }

    fn hermes(min: u32) -> Constraint {
        let call = |name: &str| {
            Node::Seq(vec![
                Node::text(format!("{{\"name\": \"{name}\", \"arguments\": ")),
                Node::Json(arguments_schema(WEATHER)),
                Node::text("}"),
            ])
        };
        turn(Node::Choice(vec![call("get"), call("get_all")]), min)
    }

    fn qwen_xml(min: u32) -> Constraint {
        let parameter = |name: &str, value: Node| {
            let open = Node::text(format!("<parameter={name}>\n"));
            Node::Seq(vec![open, value, Node::text("\n</parameter>\n")])
        };
        let json = |name: &str| {
            parameter(name, Node::Json(property_schema(WEATHER, name).unwrap())).optional()
        };
        let call = |name: &str| {
            Node::Seq(vec![
                Node::text(format!("<function={name}>\n")),
                parameter("city", Node::free(["</parameter>", "<parameter="])),
                json("days"),
                parameter("units", Node::Choice(vec![Node::text("c"), Node::text("f")])).optional(),
                json("places"),
                Node::text("</function>"),
            ])
        };
        turn(Node::Choice(vec![call("get"), call("get_all")]), min)
    }

    fn walker(constraint: &Constraint) -> Walker {
        Walker::new(&constraint.to_lark(&Vocabulary::text())).unwrap()
    }

    #[test]
    fn walks_end_and_are_accepted() {
        for (constraint, least_calls) in
            [(hermes(0), 50), (hermes(1), 200), (qwen_xml(0), 50), (qwen_xml(1), 200)]
        {
            let walker = walker(&constraint);
            let mut random = random(7);
            let walks: Vec<String> =
                (0..200).filter_map(|_| walker.walk(&mut random, 4000)).collect();
            assert!(walks.len() >= 180, "{} walks ended", walks.len());
            let calls: usize = walks.iter().map(|walk| walk.matches("</tool_call>").count()).sum();
            assert!(calls * 200 >= least_calls * walks.len(), "{calls} calls");
            assert!(walks.iter().any(|walk| walk.starts_with("<think>")));
            for walk in walks {
                assert!(walker.accepts(&walk), "{walk:?}");
            }
        }
    }

    #[test]
    fn json_calls_are_accepted_or_refused() {
        let call = |arguments: &str| {
            format!("<tool_call>\n{{\"name\": \"get\", \"arguments\": {arguments}}}\n</tool_call>")
        };
        let free = walker(&hermes(0));
        let required = walker(&hermes(1));
        for text in [
            format!("Hm.{}", call(r#"{"city": "Kyōto", "days": 3}"#)),
            format!(
                "{}\n{} done",
                call(r#"{"city":"</tool_call>"}"#),
                call(r#"{"city": "\u00e9"}"#)
            ),
            format!(
                "<think><tool_call></think>{}",
                call("{\n  \"city\": \"\",\n  \"units\": \"c\"\n}")
            ),
            call(r#"{"city": "x"}"#).replace("get", "get_all"),
        ] {
            assert!(free.accepts(&text), "{text:?}");
            assert!(required.accepts(&text), "{text:?}");
        }
        assert!(free.accepts("No tool, 1 < 2.") && !required.accepts("No tool, 1 < 2."));
        for text in [
            call(r#"{"city": "x", "days": 15}"#),
            call(r#"{"days": 3}"#),
            call(r#"{"city": "x", "planet": "Mars"}"#),
            call(r#"{"city": 5}"#),
            call(r#" {"city": "x"}"#),
            call(r#"{"city": "x"}"#).replace("get", "got"),
            "<tool_call>".to_owned(),
            "<think>".to_owned(),
        ] {
            assert!(!free.accepts(&text), "{text:?}");
        }
    }

    #[test]
    fn tagged_calls_are_accepted_or_refused() {
        let call = |parameters: &str| {
            format!("<tool_call>\n<function=get>\n{parameters}</function>\n</tool_call>")
        };
        let city = |value: &str| format!("<parameter=city>\n{value}\n</parameter>\n");
        let days = |value: &str| format!("<parameter=days>\n{value}\n</parameter>\n");
        let walker = walker(&qwen_xml(1));
        for value in ["Oslo", "", "\n", "a\n\n", "a\n</param", "</function>\n</tool_call>", "<"] {
            let text = call(&(city(value) + &days("14")));
            assert!(walker.accepts(&text), "{text:?}");
        }
        for parameters in [
            city("a</parameter>"),
            city("<parameter=days>"),
            days("3"),
            city("a") + &days("0"),
            city("a") + &days("3 "),
            city("a") + &days(""),
            days("3") + &city("a"),
            "<parameter=city>\na</parameter>\n".to_owned(),
        ] {
            let text = call(&parameters);
            assert!(!walker.accepts(&text), "{text:?}");
        }
    }

    #[test]
    fn free_text_ends_only_where_it_must() {
        let free = |without: &[&str]| Node::free(without.iter().copied());
        let check = |node: Node, good: &[&str], bad: &[&str]| {
            let walker = walker(&Constraint::new(node));
            for text in good {
                assert!(walker.accepts(text), "{text:?}");
            }
            for text in bad {
                assert!(!walker.accepts(text), "{text:?}");
            }
        };
        // Every alternative that may follow, also none.
        check(
            Node::Seq(vec![
                free(&["<a>", "<b>"]),
                Node::Choice(vec![Node::text("<a>1"), Node::text("<b>2"), Node::Seq(Vec::new())]),
            ]),
            &["", "hi", "hi<a>1", "<b>2", "<a<b>2"],
            &["hi<a>2", "hi<a>", "<b>2 "],
        );
        // A turn that ends with text that completes nothing.
        check(
            Node::Seq(vec![free(&["x"]), Node::text("\n")]),
            &["\n", "a\nb\n"],
            &["a", "x\n", ""],
        );
        // Free texts that alternate in a repetition.
        let part = |open: &str, without: &[&str]| Node::Seq(vec![Node::text(open), free(without)]);
        check(
            Node::Seq(vec![
                Node::Choice(vec![part("<p>", &["<"]), part("<q>", &["<", "!"])]).repeated(0, None),
                Node::text("<end>"),
            ]),
            &["<end>", "<p>ab<q>cd<p>!<end>", "<q><q><p><end>"],
            &["<p>ab<q>c!d<end>", "<p>ab", "<p><<end>"],
        );
        // Parts that may be nothing, any number of times.
        let digits = Node::Pattern("[0-9]+".into()).optional().repeated(0, None);
        let parts = Node::Choice(vec![Node::text("a"), digits, Node::text("b").repeated(0, None)]);
        check(parts.repeated(0, None), &["", "a12b", "bbaa1"], &["c", "a 1"]);
        // A repetition with an end.
        let call =
            Node::Seq(vec![Node::text("<c>"), Node::Pattern("[0-9]+".into()), free(&["<c>"])]);
        check(
            Node::Seq(vec![free(&["<c>"]), call.repeated(1, Some(2))]),
            &["<c>1", "a<c>1 b<c>22 c"],
            &["", "<c>", "<c>1 <c>2 <c>3"],
        );
    }

    #[test]
    fn a_control_token_is_no_text() {
        let call =
            Node::Seq(vec![Node::marker("<|tool|>"), Node::text("f"), Node::free(["<|tool|>"])]);
        let constraint =
            Constraint::new(Node::Seq(vec![Node::free(["<|tool|>"]), call.repeated(0, None)]));
        let token = Vocabulary::text().with_named_token("<|tool|>");
        assert!(walker(&constraint).accepts("a<|tool|>f"));
        assert!(!Walker::new(&constraint.to_lark(&token)).unwrap().accepts("a<|tool|>f"));
    }

    /// Schemas as tools have them, and what is odd in them: all compile, and
    /// walks through them end.
    #[test]
    fn schemas_compile() {
        for schema in [
            "true",
            "{}",
            r#"{"enum": ["a", 1, null, {"b": [1, 2]}, 1.5]}"#,
            r#"{"type": ["string", "null"], "minLength": 1, "maxLength": 100000}"#,
            r#"{"oneOf": [{"type": "integer"}, {"type": "number"}], "not": {"const": 3}}"#,
            r##"{"$ref": "#/$defs/n", "$defs": {"n": {"type": "object", "properties":
                {"next": {"$ref": "#/$defs/n"}}, "additionalProperties": false}}}"##,
            r##"{"properties": {"a": {"$ref": "http://x/y"}, "b": {"$ref": "#/gone"}}}"##,
            r#"{"type": "string", "pattern": "^\\w+([\\.-]?\\w+)*@\\w+(\\.\\w{2,})+$",
                "minLength": 6, "format": "email"}"#,
            r#"{"type": "string", "pattern": "^(?=x)y\\b"}"#,
            r#"{"type": "string", "pattern": "^a|b$|^#([A-F\\d]{6}|[\\w\\-. ]+)\\/$"}"#,
            r#"{"type": "string", "format": "uri", "maxLength": 2083}"#,
            r#"{"type": "string", "format": "date-time"}"#,
            r#"{"type": "string", "format": "color", "minLength": "3"}"#,
            r#"{"type": "integer", "minimum": 0, "maximum": 9223372036854775807}"#,
            r#"{"type": "number", "minimum": -1.5, "exclusiveMaximum": 3, "multipleOf": 0.01}"#,
            r#"{"type": "array", "items": [{"type": "string"}], "additionalItems": false}"#,
            r#"{"type": "array", "prefixItems": [{"type": "string"}], "uniqueItems": true}"#,
            r#"{"type": "object", "properties": {"a": {}, "b": {}}, "minProperties": 1}"#,
            r#"{"type": "object", "patternProperties": {"^x-": {}, "a": {}}}"#,
            r#"{"properties": {"a": {"required": true}}, "required": ["gone"],
                "additionalProperties": false}"#,
            r#"{"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a"]}]}"#,
            r#"{"type": "float", "$schema": "x", "$id": "y", "x-guidance": 1}"#,
        ] {
            let root =
                Node::Seq(vec![Node::text("<a>"), Node::Json(schema.into()), Node::text("</a>")]);
            let walker = walker(&Constraint::new(root));
            let mut random = random(11);
            let ended = (0..20).filter(|_| walker.walk(&mut random, 4000).is_some()).count();
            assert!(ended > 14, "{ended} {schema}");
        }
    }
}
