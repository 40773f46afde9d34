//! Any text under the net, around any dialect: it is read as it is in pieces, and no call is made up.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/recovery/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "each target needs its own part")]
mod fuzzed;

fuzz_target!(|text: &str| {
    fuzzed::recover(text);
});
