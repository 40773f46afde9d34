//! placeholder
/// x
pub struct Constraint;
/// x
pub enum Node {}
