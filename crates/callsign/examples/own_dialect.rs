//! A dialect of your own: any type that implements `Dialect` is as good as those
//! that are built in. This one reads `CALL name` lines without arguments.

use std::error::Error;
use std::sync::Arc;

use callsign::{
    Constraint, Dialect, Dialects, End, Fingerprint, Node, Offer, Out, Parser, Reader, ToolCall,
    Toolset, Unconstrained, Unwritable,
};

/// What begins a line that is a call.
const MARKER: &str = "CALL ";

struct Lines {
    fingerprint: Fingerprint,
}

impl Dialect for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn fingerprint(&self) -> &Fingerprint {
        &self.fingerprint
    }

    fn parser(&self, _offer: &Offer<'_>) -> Box<dyn Parser> {
        Box::new(LineParser)
    }

    fn write(
        &self,
        calls: &[ToolCall],
        _tools: &Toolset,
        out: &mut String,
    ) -> Result<(), Unwritable> {
        for call in calls {
            if call.arguments.as_str() != "{}" {
                let reason = "there is no place for arguments".to_owned();
                return Err(Unwritable { tool: call.name.clone(), argument: None, reason });
            }
            out.push_str(&format!("{MARKER}{}\n", call.name));
        }
        Ok(())
    }

    fn constraint(&self, offer: &Offer<'_>) -> Result<Constraint, Unconstrained> {
        let names = offer.tools.iter().map(|tool| Node::text(&tool.name)).collect();
        let line = Node::Seq(vec![Node::text(MARKER), Node::Choice(names), Node::text("\n")]);
        Ok(Constraint::new(line.repeated(0, None)))
    }
}

/// It owns no text: what is pending moves to its account line by line.
struct LineParser;

impl LineParser {
    fn line(&self, len: usize, out: &mut Out<'_>) {
        let line = &out.pending()[..len];
        match line.strip_prefix(MARKER).map(str::trim) {
            Some(name) if !name.is_empty() => {
                out.start_call(name);
                out.arguments().push_str("{}");
                out.complete_call(len);
            }
            _ => out.text(len),
        }
    }
}

impl Parser for LineParser {
    fn push(&mut self, out: &mut Out<'_>) {
        while let Some(end) = out.pending().find('\n') {
            self.line(end + 1, out);
        }
    }

    fn finish(&mut self, _end: End, out: &mut Out<'_>) {
        // A line that was cut is no call.
        out.text(out.pending().len());
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut dialects = Dialects::new();
    dialects.register(Arc::new(Lines { fingerprint: Fingerprint::default() }));
    let dialect = dialects.get("lines").ok_or("it was registered")?;

    let tools = Toolset::from_openai(r#"[{"name": "stop"}]"#)?;
    let turn = Reader::new(&*dialect, &Offer::new(&tools)).read("Enough.\nCALL stop\n", End::Stop);
    assert_eq!(turn.content, "Enough.\n");
    assert_eq!(turn.calls[0].name, "stop");
    Ok(())
}
