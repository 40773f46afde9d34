//! `callsign grammar`: what a sampler is constrained by.

use std::io::{self, Write};
use std::path::PathBuf;

use callsign::{Offer, Start, ToolChoice, Vocabulary};

use crate::failure::Failure;
use crate::input::{self, Known};

/// Print the grammar that constrains a model to well-formed calls
///
/// It covers the whole turn from the first generated token on. Keywords of the
/// schemas that it does not enforce are listed on standard error.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The dialect the model speaks (see `callsign dialects`)
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,

    /// The tools the model is offered: OpenAI's `tools` JSON
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    /// `auto`, `none`, `required`, or the name of the tool to call
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    choice: String,

    /// The prompt has opened the model's reasoning
    #[arg(long)]
    in_reasoning: bool,

    /// Print an xgrammar structural tag instead of a Lark grammar
    #[arg(long)]
    structural_tag: bool,
}

pub(crate) fn run(args: &Args, known: &Known, out: &mut dyn Write) -> Result<(), Failure> {
    let dialect = match &args.dialect {
        Some(name) => known.dialect(name)?,
        None => known.usual().ok_or_else(|| known.unnamed())?,
    };
    let tools = input::tools(args.tools.as_ref())?;
    let choice = match args.choice.as_str() {
        "auto" => ToolChoice::Auto,
        "none" => ToolChoice::None,
        "required" => ToolChoice::Required,
        name => ToolChoice::Named(name.to_owned()),
    };
    let start = if args.in_reasoning { Start::Reasoning } else { Start::Fresh };
    let offer = Offer::new(&tools).choice(&choice).start(start);
    let constraint = dialect.constraint(&offer).map_err(|error| Failure::Bad(error.to_string()))?;

    let vocabulary = Vocabulary::text();
    let printed = match args.structural_tag {
        true => constraint.to_structural_tag(&vocabulary),
        false => constraint.to_lark(&vocabulary),
    };
    writeln!(out, "{}", printed.trim_end())?;
    // The grammar first: on a terminal the remarks stand below it.
    out.flush()?;
    let mut remarks = io::stderr().lock();
    for unenforced in &constraint.unenforced {
        // Remarks are an extra: without a reader they are not missed.
        let _ = writeln!(
            remarks,
            "// not enforced: tool `{}`, `{}` at {}",
            unenforced.tool,
            unenforced.keyword,
            if unenforced.path.is_empty() { "the root" } else { &unenforced.path },
        );
    }
    Ok(())
}
