//! Any arguments of a native call, under any schema: what is mended once is mended.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/recovery/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own part")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::mend(text);
});
