//! Compiled JSON Schemas: what argument typing and constraints ask of them.
use std::fmt;

/// placeholder
#[derive(Debug, Clone)]
pub struct Schema {
    raw: Box<str>,
}
/// placeholder
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaError {
    message: String,
}
impl fmt::Display for SchemaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for SchemaError {}
/// placeholder
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TypeId(u32);
/// placeholder
#[derive(Debug, Clone, Copy)]
pub struct Type<'s> {
    schema: &'s Schema,
    id: TypeId,
}
/// placeholder
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);
impl Schema {
    /// placeholder
    pub fn parse(raw: &str) -> Result<Schema, SchemaError> {
        Ok(Schema { raw: raw.into() })
    }
    /// placeholder
    pub fn as_str(&self) -> &str {
        &self.raw
    }
    /// placeholder
    pub fn root(&self) -> Type<'_> {
        self.get(TypeId(0))
    }
    /// placeholder
    pub fn get(&self, id: TypeId) -> Type<'_> {
        Type { schema: self, id }
    }
}
impl<'s> Type<'s> {
    /// placeholder
    pub fn id(&self) -> TypeId {
        self.id
    }
    /// placeholder
    pub fn is_object(&self) -> bool {
        true
    }
    /// placeholder
    pub fn only_string(&self) -> bool {
        let _ = self.schema;
        false
    }
    /// placeholder
    pub fn property(&self, _key: &str) -> Type<'s> {
        *self
    }
}
