//! What a file says about how its model is talked to.

mod common;

use callsign_gguf::{Gguf, Scalar, ScalarType, SpecialToken, Token, keys};
use common::{Datum, File};

fn string(text: &str) -> Datum {
    Datum::String(text.into())
}

fn model() -> File {
    let tokens = ["<unk>", "<s>", "</s>", "a"].map(String::from).into();
    File::new([
        ("general.architecture", string("llama")),
        ("general.name", string("Ada 7B")),
        ("llama.block_count", Datum::Scalar(Scalar::U32(32))),
        ("tokenizer.chat_template", string("{{ default }}")),
        ("tokenizer.chat_template.tool_use", string("{{ tools }}")),
        ("tokenizer.chat_template.rag", string("{{ documents }}")),
        ("tokenizer.chat_templates", Datum::Strings(vec!["tool_use".into(), "rag".into()])),
        ("tokenizer.ggml.tokens", Datum::Strings(tokens)),
        ("tokenizer.ggml.scores", Datum::Scalars(ScalarType::F32, vec![Scalar::F32(-1.5); 4])),
        ("tokenizer.ggml.bos_token_id", Datum::Scalar(Scalar::U32(1))),
        ("tokenizer.ggml.eos_token_id", Datum::Scalar(Scalar::U64(2))),
        ("tokenizer.ggml.seperator_token_id", Datum::Scalar(Scalar::I32(3))),
        ("tokenizer.ggml.padding_token_id", Datum::Scalar(Scalar::I32(-1))),
        ("tokenizer.ggml.eot_token_id", Datum::Scalar(Scalar::U32(4))),
        ("tokenizer.ggml.add_bos_token", Datum::Scalar(Scalar::Bool(true))),
    ])
}

fn check(gguf: &Gguf) {
    assert_eq!((gguf.architecture(), gguf.name()), (Some("llama"), Some("Ada 7B")));
    assert_eq!(gguf.chat_template(), Some("{{ default }}"));
    let named: Vec<_> = gguf.named_chat_templates().collect();
    assert_eq!(named, [("rag", "{{ documents }}"), ("tool_use", "{{ tools }}")]);
    let special = |meaning| gguf.special_token(meaning).map(|Token { id, text }| (id, text));
    assert_eq!(special(SpecialToken::BeginOfText), Some((1, Some("<s>"))));
    assert_eq!(special(SpecialToken::EndOfText), Some((2, Some("</s>"))));
    assert_eq!(special(SpecialToken::Separator), Some((3, Some("a"))));
    assert_eq!(special(SpecialToken::EndOfTurn), Some((4, None)), "beyond the vocabulary");
    assert_eq!(special(SpecialToken::Padding), None, "no id is negative");
    assert_eq!(special(SpecialToken::Mask), None);
    assert_eq!((gguf.adds_bos(), gguf.adds_eos()), (Some(true), None));
}

#[test]
fn everything_is_found() {
    let gguf = Gguf::read(&*model().bytes()).expect("a sound file");
    check(&gguf);
    assert_eq!(gguf.get("llama.block_count").and_then(|value| value.as_u64()), Some(32));
    let scores = gguf.get("tokenizer.ggml.scores").and_then(|value| value.as_scalars());
    assert_eq!(scores.and_then(|scores| scores.get(3)), Some(Scalar::F32(-1.5)));
}

#[test]
fn prompts_need_no_more() {
    let gguf = Gguf::read_where(&*model().bytes(), keys::for_prompts).expect("a sound file");
    check(&gguf);
    let left_out: Vec<_> = gguf.entries().filter(|(_, value)| value.is_none()).collect();
    let expected = ["llama.block_count", "tokenizer.chat_templates", "tokenizer.ggml.scores"];
    assert_eq!(left_out, expected.map(|key| (key, None)));
}

#[test]
fn a_template_that_is_not_read_hides_no_other() {
    let one = |key: &str| key.ends_with(".tool_use");
    let gguf = Gguf::read_where(&*model().bytes(), one).expect("a sound file");
    assert_eq!(gguf.named_chat_templates().collect::<Vec<_>>(), [("tool_use", "{{ tools }}")]);
}

#[test]
fn a_file_that_says_nothing() {
    let gguf = Gguf::read(&*File::new([]).bytes()).expect("a sound file");
    assert_eq!((gguf.architecture(), gguf.chat_template()), (None, None));
    assert_eq!(gguf.named_chat_templates().count(), 0);
    assert_eq!(gguf.special_token(SpecialToken::BeginOfText), None);
    assert_eq!(gguf.token_text(0), None);
}

#[test]
fn a_value_of_another_type_says_nothing() {
    let gguf = Gguf::read(
        &*File::new([
            ("general.name", Datum::Scalar(Scalar::U8(1))),
            ("tokenizer.chat_template.x", Datum::Scalar(Scalar::Bool(true))),
            ("tokenizer.ggml.bos_token_id", Datum::Scalar(Scalar::F32(1.0))),
            ("tokenizer.ggml.add_bos_token", Datum::Scalar(Scalar::U8(1))),
            ("tokenizer.ggml.tokens", string("<s>")),
        ])
        .bytes(),
    )
    .expect("a sound file");
    assert_eq!((gguf.name(), gguf.adds_bos(), gguf.token_text(0)), (None, None, None));
    assert_eq!(gguf.named_chat_templates().count(), 0);
    assert_eq!(gguf.special_token(SpecialToken::BeginOfText), None);
}

#[test]
fn a_vocabulary_costs_few_allocations() {
    let tokens: Vec<String> = (0..100_000).map(|id| format!("token {id}")).collect();
    let length: usize = tokens.iter().map(String::len).sum();
    let bytes = File::new([("tokenizer.ggml.tokens", Datum::Strings(tokens))]).bytes();
    let mut kept = None;
    let used = allocation_counter::measure(|| kept = Gguf::read(&*bytes).ok());
    assert_eq!(kept.as_ref().and_then(|gguf| gguf.token_text(99_999)), Some("token 99999"));
    assert!(used.count_total < 60, "{used:?}");
    let least = (length + 4 * 100_000) as u64;
    assert!(used.bytes_max < 3 * least, "{used:?}");
    assert!(used.bytes_current < least as i64 + 2_000, "{used:?}");
    let over = allocation_counter::measure(|| {
        Gguf::read_where(&*bytes, |_| false).expect("a sound file");
    });
    assert!(over.count_total < 10 && over.bytes_max < 70_000, "{over:?}");
}
