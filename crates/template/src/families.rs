//! Families whose templates are known by their marks, and whose dialects are in
//! no crate here.

use std::sync::LazyLock;

use callsign_core::Fingerprint;
use serde::Deserialize;

/// A family.
#[derive(Deserialize)]
pub(crate) struct Family {
    pub(crate) name: String,
    pub(crate) fingerprint: Fingerprint,
}

/// In their order: marks that others share come last.
static FAMILIES: LazyLock<Vec<Family>> =
    LazyLock::new(|| serde_json::from_str(include_str!("families.json")).unwrap_or_default());

/// The family whose template a text is: the first that fits.
pub(crate) fn of(text: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.fingerprint.matches(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_read() {
        assert!(FAMILIES.len() > 20);
        assert!(FAMILIES.iter().all(|family| !family.fingerprint.all.is_empty()));
    }
}
