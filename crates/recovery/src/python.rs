//! Calls as Python writes them. The calls are read by the same machine that
//! reads the dialects which write them.

use callsign_core::json::{self, Kind, MAX_DEPTH};
use callsign_core::{End, Offer, Reader, Repair, Tool, ToolCall, Toolset};
use callsign_syntax::Compiled;
use callsign_syntax::description::{Calls, Container, Description, Part, Region};

use crate::balance::bracketed;
use crate::relaxed::{self, Ending};
use crate::repairs::Repairs;
use crate::walk::Guide;

/// The dialect of Python calls: a list of them.
pub(crate) fn dialect() -> Compiled {
    let call =
        [Part::Name, Part::literal("("), Part::Arguments(Container::Python), Part::literal(")")];
    let comma = [Part::space(""), Part::literal(","), Part::space(" ")];
    let list = Region::calls(
        [Part::literal("["), Part::space("")],
        Calls::of(call).between(comma).whole_turn(),
        [Part::space(""), Part::literal("]")],
    );
    let name = "python".to_owned();
    Compiled::builtin(Description { name, regions: vec![list], ..Description::default() })
}

/// The calls of a list that a text is, from its first byte to its last.
pub(crate) fn calls(text: &str, tools: &Toolset, guide: &Guide<'_>) -> Option<Vec<ToolCall>> {
    let turn = Reader::new(guide.python, &Offer::new(tools)).read(text.trim(), End::Stop);
    let whole = turn.content.trim().is_empty() && turn.rejected.is_empty();
    (whole && !turn.calls.is_empty() && !turn.ambiguous).then_some(turn.calls)
}

/// The arguments in parentheses at the start of `text`, how long they are, and
/// what was changed: keywords, or one object.
pub(crate) fn arguments(
    text: &str,
    tool: &Tool,
    guide: &Guide<'_>,
) -> Option<(String, usize, Repairs)> {
    let length = bracketed(text)?;
    let mut repairs = Repairs::default();
    let inside = text[1..length - 1].trim();
    if inside.starts_with('{') {
        let read = relaxed::read(inside, Ending::Open, MAX_DEPTH).ok()?;
        if read.len != inside.len() || json::kind(&read.json) != Some(Kind::Object) {
            return None;
        }
        repairs.add(Repair::ForeignBody);
        repairs.extend(read.repairs);
        return Some((read.json, length, repairs));
    }
    let call = ["[", &tool.name, &text[..length], "]"].concat();
    let [call] = &calls(&call, guide.tools, guide)?[..] else { return None };
    Some((call.arguments.as_str().to_owned(), length, repairs))
}
