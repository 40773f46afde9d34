//! A call while it is put together.

use callsign_core::{Refusal, Rule, Tool};
use callsign_syntax::description::Value;

use super::Failed;
use crate::repairs::Repairs;
use crate::vocabulary::Sign;

/// A call while it is put together.
pub(super) struct Draft<'a> {
    pub(super) tool: Option<&'a Tool>,
    pub(super) unknown: Option<String>,
    /// A key whose value is to come.
    pub(super) key: Option<String>,
    pub(super) entries: Vec<(String, String)>,
    pub(super) body: Option<String>,
    pub(super) id: Option<String>,
    pub(super) rule: Rule,
    pub(super) sign: Option<&'a Sign>,
    /// The last wrapper.
    pub(super) wrap: Option<&'a Sign>,
    /// The tag with its name.
    pub(super) call: Option<&'a Sign>,
    pub(super) marked: bool,
    /// How the value of the pending key is spelled.
    pub(super) value: Option<&'a Value>,
    pub(super) repairs: Repairs,
    pub(super) payload: Option<usize>,
}

impl Draft<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.tool.is_none()
            && self.unknown.is_none()
            && self.entries.is_empty()
            && self.key.is_none()
    }

    pub(super) fn has_arguments(&self) -> bool {
        self.body.is_some() || !self.entries.is_empty()
    }

    pub(super) fn fail(&self, at: usize, expected: &str) -> Failed {
        let refusal = match &self.unknown {
            Some(name) if self.tool.is_none() => Refusal::UnknownTool(name.clone()),
            _ => Refusal::Malformed { at, expected: expected.to_owned() },
        };
        Failed { tool: self.tool.map(|tool| tool.name.clone()), refusal }
    }

    pub(super) fn cut(&self) -> Failed {
        let refusal = match &self.unknown {
            Some(name) if self.tool.is_none() => Refusal::UnknownTool(name.clone()),
            _ => Refusal::Cut,
        };
        Failed { tool: self.tool.map(|tool| tool.name.clone()), refusal }
    }
}
