//! The `callsign` command.
//!
//! What lives here reads files and prints answers; what a model's output means
//! is the library's business. One module a subcommand.

mod batch;
mod detect;
mod dialects;
mod failure;
mod grammar;
mod input;
mod parse;
mod pretty;
mod record;
mod render;
mod show;
mod stream;
mod template;

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;
use crate::input::Known;

/// Speak the tool-calling protocol a language model was trained on.
#[derive(Parser)]
#[command(name = "callsign", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// A dialect as a description in JSON; it joins those that are built in
    #[arg(long, value_name = "FILE", global = true)]
    dialect_file: Vec<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    Parse(parse::Args),
    Detect(detect::Args),
    Render(render::Args),
    Grammar(grammar::Args),
    Dialects(dialects::Args),
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let mut out = BufWriter::new(io::stdout().lock());
    let done = Known::with(&cli.dialect_file).and_then(|known| match &cli.command {
        Command::Parse(args) => parse::run(args, &known, &mut out),
        Command::Detect(args) => detect::run(args, &known, &mut out),
        Command::Render(args) => render::run(args, &mut out),
        Command::Grammar(args) => grammar::run(args, &known, &mut out),
        Command::Dialects(args) => dialects::run(args, &known, &mut out),
    });
    // What was found before a failure is the reader's all the same.
    let flushed = out.flush().map_err(Failure::from);
    match done.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
