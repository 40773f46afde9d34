//! Typing the text of an argument by its schema.
use crate::Type;
/// placeholder
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    /// placeholder
    Json,
    /// placeholder
    Python,
}
/// placeholder
pub fn type_text(_text: &str, _ty: Type<'_>, _nulls: Nulls, _out: &mut String) {}
