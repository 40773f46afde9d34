//! `callsign dialects`: what is built in.

use std::fmt::Write as _;
use std::io::Write;

use callsign::Fingerprint;
use callsign::json::quote_into;
use serde::Serialize;

use crate::failure::Failure;
use crate::input::Known;

/// List the dialects that are built in, and what a chat template of each holds
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Print one JSON list
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed<'a> {
    name: &'a str,
    fingerprint: &'a Fingerprint,
}

pub(crate) fn run(args: &Args, known: &Known, out: &mut dyn Write) -> Result<(), Failure> {
    let dialects = &known.dialects;
    if args.json {
        let listed: Vec<Listed<'_>> = dialects
            .iter()
            .map(|dialect| Listed { name: dialect.name(), fingerprint: dialect.fingerprint() })
            .collect();
        let json = serde_json::to_string_pretty(&listed).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{json}")?);
    }
    let width = dialects.iter().map(|dialect| dialect.name().len()).max().unwrap_or_default();
    for dialect in dialects.iter() {
        writeln!(out, "{:width$}  {}", dialect.name(), summary(dialect.fingerprint()))?;
    }
    Ok(())
}

/// What a template must and must not hold, in one line.
fn summary(fingerprint: &Fingerprint) -> String {
    let mut line = String::new();
    let mut list = |before: &str, between: &str, literals: &[String]| {
        for (index, literal) in literals.iter().enumerate() {
            line.push_str(if index == 0 { before } else { between });
            // Quoted where the literal would not show itself.
            if literal.chars().any(|char| char.is_whitespace() || char.is_control()) {
                quote_into(literal, &mut line);
            } else {
                let _ = write!(line, "{literal}");
            }
        }
    };
    list("", " and ", &fingerprint.all);
    list(", not ", " or ", &fingerprint.none);
    line
}
