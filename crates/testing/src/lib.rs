//! What every dialect is tested with: the reader of corpus files, a generator
//! of turns from a description, mutators, a slow whole-text reader as oracle,
//! and the contract as property tests.

pub mod contract;
pub mod corpus;
pub mod cuts;
pub mod generate;
pub mod markers;
pub mod mutate;
pub mod oracle;
pub mod reading;
pub mod seeds;
pub mod walk;
