//! Any text under the net, cut in the middle: what is recovered from it stands in the whole.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/recovery/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own part")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::cut_in_half(text);
});
