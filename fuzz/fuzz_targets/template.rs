//! Any text as a template: no panic, and an end within bounded time and memory.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/template/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own half")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::template(text);
});
