//! A dialect from a description in a file, as `callsign --dialect-file` takes it.

use std::error::Error;
use std::sync::Arc;

use callsign::description::Description;
use callsign::{Compiled, Dialects, End, Offer, Reader, Toolset};

/// A family that nobody knows yet: `@call name {…} @end`.
const DESCRIPTION: &str = include_str!("at-call.json");

fn main() -> Result<(), Box<dyn Error>> {
    let description: Description = serde_json::from_str(DESCRIPTION)?;
    let mut dialects = Dialects::builtin();
    dialects.register(Arc::new(Compiled::new(description)?));

    let tools = Toolset::from_openai(r#"[{"name": "add", "parameters": {"type": "object"}}]"#)?;
    let dialect = dialects.get("at-call").ok_or("it was registered")?;
    let output = "Let me see. @call add {\"a\": 1, \"b\": 2} @end";
    let turn = Reader::new(&*dialect, &Offer::new(&tools)).read(output, End::Stop);

    assert_eq!(turn.content, "Let me see. ");
    assert_eq!(turn.calls[0].name, "add");
    assert_eq!(turn.calls[0].arguments.as_str(), r#"{"a": 1, "b": 2}"#);
    Ok(())
}
