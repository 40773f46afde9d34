//! Arguments that are the rest of the turn.

use callsign_core::End;

use super::Oracle;
use super::call::Read;
use super::json::Stop;
use super::literals::quoted;

impl Oracle<'_> {
    /// Reads the one argument of a tool: everything up to a stop token, or up
    /// to the end of an output that was not cut.
    pub(super) fn rest(&self, tool: &str, key: &str, read: &mut Read) -> Result<(), Stop> {
        if self.offer.tools.get(tool).is_none() {
            return Err(Stop::Fails(read.at));
        }
        let rest = &self.text[read.at..];
        if rest.is_empty() {
            return Err(Stop::Cut);
        }
        read.name = Some(tool.to_owned());
        read.head = true;
        let stops = self.description.stops.iter();
        let len = match stops.filter_map(|stop| rest.find(stop.as_str())).min() {
            Some(len) => len,
            None if self.end == End::Cut => return Err(Stop::Cut),
            None => rest.len(),
        };
        read.arguments = Some(format!("{{{}:{}}}", quoted(key), quoted(&rest[..len])));
        read.at += len;
        Ok(())
    }
}
