//! MiniMax: two dialects of `<invoke name="…">`. [`m2`] has arguments between
//! tags of their own, [`m3`] has nested elements named after the arguments.

use std::sync::{Arc, LazyLock};

use callsign_core::Dialect;
use callsign_syntax::Compiled;
use callsign_syntax::description::Description;

pub mod m2;
pub mod m3;

/// The dialects `minimax-m2` and `minimax-m3`.
pub fn dialects() -> Vec<Arc<dyn Dialect>> {
    static DIALECTS: LazyLock<Vec<Arc<dyn Dialect>>> = LazyLock::new(|| {
        let compiled = |description| Arc::new(Compiled::builtin(description)) as Arc<dyn Dialect>;
        descriptions().into_iter().map(compiled).collect()
    });
    DIALECTS.clone()
}

/// What the dialects are compiled from, in their order.
pub fn descriptions() -> Vec<Description> {
    vec![m2::description(), m3::description()]
}
