//! Any bytes as a GGUF file: no panic, and every question has an answer.

#![no_main]

use callsign_gguf::{Gguf, SpecialToken, Value, keys};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let whole = Gguf::read(bytes);
    let for_prompts = Gguf::read_where(bytes, keys::for_prompts);
    match &whole {
        Ok(gguf) => {
            ask(gguf);
            let kept = for_prompts.expect("less is read of it");
            ask(&kept);
            for (key, value) in kept.entries() {
                assert!(value.is_none() || format!("{value:?}") == format!("{:?}", gguf.get(key)));
            }
        }
        Err(error) => {
            assert!(error.offset() <= bytes.len() as u64);
            assert!(!error.to_string().is_empty());
        }
    }
});

/// Looks at everything.
fn ask(gguf: &Gguf) {
    for (_, value) in gguf.entries() {
        match value {
            Some(Value::Strings(strings)) => {
                assert!(strings.iter().enumerate().all(|(at, text)| strings.get(at) == Some(text)));
                assert_eq!(strings.get(strings.len()), None);
            }
            Some(Value::Scalars(scalars)) => {
                assert_eq!(scalars.iter().count(), scalars.len());
                assert_eq!(scalars.get(scalars.len()), None);
            }
            _ => {}
        }
    }
    assert!(
        gguf.named_chat_templates()
            .all(|(name, _)| gguf.get(&format!("{}{name}", keys::NAMED_CHAT_TEMPLATE)).is_some())
    );
    for meaning in [
        SpecialToken::BeginOfText,
        SpecialToken::EndOfText,
        SpecialToken::EndOfTurn,
        SpecialToken::EndOfMessage,
        SpecialToken::Unknown,
        SpecialToken::Separator,
        SpecialToken::Padding,
        SpecialToken::Mask,
    ] {
        if let Some(token) = gguf.special_token(meaning) {
            assert_eq!(token.text, gguf.token_text(token.id));
        }
    }
}
