//! Any turn that a provider has read, and the net behind it: beside its calls none is added.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/recovery/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own part")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::recover_turn(text);
});
