//! Kimi: two dialects that share nothing but a maker. [`k2`] has a section of
//! calls with JSON arguments, [`k3`] has nested elements between control tokens.

use std::sync::{Arc, LazyLock};

use callsign_core::Dialect;
use callsign_syntax::Compiled;
use callsign_syntax::description::Description;

pub mod k2;
pub mod k3;

/// The dialects `kimi-k2` and `kimi-k3`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let compiled = |description| Arc::new(Compiled::builtin(description)) as Arc<dyn Dialect>;
        descriptions().into_iter().map(compiled).collect()
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in their order.
pub fn descriptions() -> Vec<Description> {
    vec![k2::description(), k3::description()]
}
