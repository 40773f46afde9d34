//! Stub.
use callsign_core::{Repair, Tool, Toolset};
pub(crate) fn resolve<'t>(written: &str, tools: &'t Toolset) -> Option<(&'t Tool, Option<Repair>)> {
    tools.get(written).map(|t| (t, None))
}
