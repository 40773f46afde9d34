//! Stub.
use callsign_core::{Repair, Tool};
pub(crate) trait Unwrap {
    fn unwrap<'t>(&self, text: &'t str, key: &str) -> Option<&'t str>;
}
pub(crate) fn mend(_a: &str, _t: &Tool, _w: &dyn Unwrap) -> Option<(String, Vec<Repair>)> {
    None
}
