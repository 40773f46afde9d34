//! The dialects a program knows.

use std::sync::Arc;

use callsign_core::Dialect;

/// The dialects a program knows, by name.
#[derive(Clone, Default)]
pub struct Dialects(Vec<Arc<dyn Dialect>>);

impl Dialects {
    /// No dialects.
    pub fn new() -> Self {
        Dialects::default()
    }

    /// The dialects that the features of this crate build in.
    pub fn builtin() -> Self {
        Dialects(vec![
            #[cfg(feature = "qwen-xml")]
            callsign_qwen_xml::dialect(),
            #[cfg(feature = "hermes")]
            callsign_hermes::dialect(),
        ])
    }

    /// Adds a dialect. It replaces one of the same name.
    pub fn register(&mut self, dialect: Arc<dyn Dialect>) {
        self.0.retain(|known| known.name() != dialect.name());
        self.0.push(dialect);
    }

    /// The dialect of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Dialect>> {
        self.iter().find(|dialect| dialect.name() == name).cloned()
    }

    /// All of them, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Dialect>> {
        self.0.iter()
    }
}
