//! Any text as a conversation, rendered with templates like those of models: no panic.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/template/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own half")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::conversation(text);
});
