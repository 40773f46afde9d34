//! DeepSeek: fenced JSON (V3, R1), bare JSON (V3.1) and DSML tags (V3.2 to
//! V4.1).
//!
//! Three wires that share their vocabulary's full-width bars `｜` (U+FF5C) and
//! blocks `▁` (U+2581), and nothing else:
//!
//! | name | models | a call |
//! |---|---|---|
//! | `deepseek-v3` | V3, V3-0324, R1, R1-0528 | the name, then JSON in a fence |
//! | `deepseek-v31` | V3.1, V3.1-Terminus, V3.2-Exp | the name, then JSON |
//! | `deepseek-dsml` | V3.2, V4, V4.1 | tags with an attribute that states the type |
//!
//! See [`json`] for the first two and [`dsml`] for the third and its variants.
//! None of them has ids. A turn ends with `<｜end▁of▁sentence｜>`.
//!
//! Not here: R1-Distill on Qwen or Llama is read by `deepseek-v3` where it
//! calls tools at all, and Step 3, whose markers look alike but have
//! underscores.

use std::sync::{Arc, LazyLock};

use callsign_core::{Dialect, Fingerprint};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Description, Part, Region};

pub mod dsml;
pub mod json;

const END_OF_SENTENCE: &str = "<｜end▁of▁sentence｜>";

/// The dialects `deepseek-v3`, `deepseek-v31`, `deepseek-dsml` and the variants
/// `deepseek-dsml@v3.2`, `@v4` and `@v4.1`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let wires =
            [(json::reader(), json::descriptions()), (dsml::reader(), dsml::descriptions())];
        let mut dialects: Vec<Arc<dyn Dialect>> = Vec::new();
        for (reader, descriptions) in wires {
            let family = Compiled::builtin(reader);
            for description in descriptions {
                dialects.push(Arc::new(Compiled::builtin(description).reading_like(&family)));
            }
        }
        dialects
    });
    DIALECTS.clone()
}

/// What each of the dialects writes and is constrained to, in their order.
pub fn descriptions() -> Vec<Description> {
    [json::descriptions(), dsml::descriptions()].concat()
}

fn fingerprint(all: &[&str], none: &[&str]) -> Fingerprint {
    let owned = |texts: &[&str]| texts.iter().copied().map(String::from).collect();
    Fingerprint { all: owned(all), none: owned(none) }
}

/// Reasoning, with `inside` between the tags and it, and `after` behind it.
fn reasoning(inside: &str, after: &str) -> Region {
    Region::reasoning(
        [Part::marker("<think>"), Part::space(inside)],
        [Part::space(inside), Part::marker("</think>"), Part::space(after)],
    )
}
