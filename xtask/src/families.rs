//! The table of families in the README: what is built in, and what each dialect
//! can do, found out by trying.

use std::fmt::Write as _;
use std::io::Write;

use callsign::{Arguments, Dialect, Dialects, End, Event, Offer, Reader, Start, ToolCall, Toolset};

use crate::{Failure, root};

/// Write the table of families into the README.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Say whether the README is up to date instead of writing it.
    #[arg(long)]
    check: bool,
}

const README: &str = "README.md";
const OPEN: &str = "<!-- families: made by `cargo xtask families` -->\n";
const CLOSE: &str = "<!-- /families -->";

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let path = root().join(README);
    let page = std::fs::read_to_string(&path)?;
    let wanted = with_table(&page)?;
    if page == wanted {
        writeln!(out, "{README} is up to date")?;
        return Ok(());
    }
    if args.check {
        writeln!(out, "{README}: the table of families is old: run `cargo xtask families`")?;
        return Err(Failure::Found);
    }
    std::fs::write(&path, wanted)?;
    writeln!(out, "wrote {README}")?;
    Ok(())
}

/// The page with the table as it should be.
pub(crate) fn with_table(page: &str) -> Result<String, Failure> {
    let missing = || Failure::Because(format!("{README} has no place for the families"));
    let (before, rest) = page.split_once(OPEN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(CLOSE).ok_or_else(missing)?;
    Ok(format!("{before}{OPEN}{}{CLOSE}{after}", table()?))
}

fn table() -> Result<String, Failure> {
    let mut table = String::from(
        "| dialect | models | read | write | constrain | arguments stream | reasoning |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let dialects = Dialects::builtin();
    for dialect in dialects.iter().filter(|dialect| !dialect.name().contains('@')) {
        let tried = Tried::of(&**dialect)?;
        let variants: Vec<&str> = dialects
            .iter()
            .filter_map(|other| other.name().strip_prefix(dialect.name())?.strip_prefix('@'))
            .collect();
        let variants = match variants.as_slice() {
            [] => String::new(),
            some => format!(" (@{})", some.join(", @")),
        };
        let yes = |is: bool| if is { "yes" } else { "" };
        let _ = writeln!(
            table,
            "| `{}`{variants} | {} | {} | {} | {} | {} | {} |",
            dialect.name(),
            dialect.models(),
            yes(tried.reads),
            yes(tried.writes),
            yes(tried.constrains),
            yes(tried.streams),
            yes(tried.reasons),
        );
    }
    Ok(table)
}

/// What a dialect does when it is tried.
struct Tried {
    reads: bool,
    writes: bool,
    constrains: bool,
    streams: bool,
    reasons: bool,
}

impl Tried {
    fn of(dialect: &dyn Dialect) -> Result<Self, Failure> {
        let because = |error: &dyn std::fmt::Display| Failure::Because(error.to_string());
        let tools = Toolset::from_openai(
            r#"[{"name": "note", "parameters": {"type": "object", "properties": {
                "text": {"type": "string"}}}}]"#,
        )
        .map_err(|error| because(&error))?;
        let text = "word ".repeat(40);
        let arguments = Arguments::from_json(format!(r#"{{"text":"{text}"}}"#));
        let call = ToolCall::new("note", arguments.map_err(|error| because(&error))?);
        let offer = Offer::new(&tools);

        let mut written = String::new();
        let writes = dialect.write(std::slice::from_ref(&call), &tools, &mut written).is_ok();
        let turn = Reader::new(dialect, &offer).read(&written, End::Stop);
        // Half of the output must show some of the arguments.
        let mut streams = false;
        let half = written.char_indices().nth(written.chars().count() / 2);
        let half = half.map_or(0, |(at, _)| at);
        Reader::new(dialect, &offer).push(&written[..half], &mut |event| {
            streams |= matches!(event, Event::Arguments { .. });
        });
        let reasoning = Reader::new(dialect, &offer.start(Start::Reasoning)).read("so", End::Stop);
        Ok(Tried {
            reads: turn.calls.first().is_some_and(|read| read.name == call.name),
            writes,
            constrains: dialect.constraint(&offer).is_ok(),
            streams,
            reasons: reasoning.reasoning == "so",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_has_the_families() {
        let page = std::fs::read_to_string(root().join(README)).unwrap();
        assert!(with_table(&page).is_ok_and(|wanted| wanted == page), "run `cargo xtask families`");
    }
}
