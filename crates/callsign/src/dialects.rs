//! The dialects a program knows.

use std::any::Any;
use std::sync::Arc;

use callsign_core::Dialect;
use callsign_syntax::Compiled;
use callsign_syntax::description::Description;

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
        let families: Vec<Vec<Arc<dyn Dialect>>> = vec![
            #[cfg(feature = "deepseek")]
            callsign_deepseek::dialects(),
            #[cfg(feature = "gemma")]
            callsign_gemma::dialects(),
            #[cfg(feature = "glm")]
            callsign_glm::dialects(),
            #[cfg(feature = "harmony")]
            callsign_harmony::dialects(),
            #[cfg(feature = "hermes")]
            callsign_hermes::dialects(),
            #[cfg(feature = "kimi")]
            callsign_kimi::dialects(),
            #[cfg(feature = "llama")]
            callsign_llama::dialects(),
            #[cfg(feature = "minicpm")]
            callsign_minicpm::dialects(),
            #[cfg(feature = "minimax")]
            callsign_minimax::dialects(),
            #[cfg(feature = "mistral")]
            callsign_mistral::dialects(),
            #[cfg(feature = "pythonic")]
            callsign_pythonic::dialects(),
            #[cfg(feature = "qwen-xml")]
            callsign_qwen_xml::dialects(),
        ];
        Dialects(families.into_iter().flatten().collect())
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

    /// The descriptions of those that are made from one: what each writes and,
    /// where that is another, what it is read by.
    pub fn descriptions(&self) -> impl Iterator<Item = &Description> {
        let compiled = self.iter().filter_map(|dialect| {
            let any: &dyn Any = &**dialect;
            any.downcast_ref::<Compiled>()
        });
        compiled.flat_map(|compiled| [compiled.description(), compiled.read_by()])
    }

    /// Recovery that knows the markup of all of them.
    #[cfg(feature = "recovery")]
    pub fn recovery(&self) -> callsign_recovery::Recovery {
        callsign_recovery::Recovery::new(self.descriptions())
    }

    /// All of them, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn Dialect>> {
        self.0.iter()
    }
}
