//! `callsign parse`: from a model's raw output to calls, text and reasoning.

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use callsign::template::{After, Thinking};
use callsign::{Dialect, End, Offer, Reader, Start, Toolset};
use clap::ValueEnum;

use crate::failure::Failure;
use crate::input::{self, Known, Net, Source};
use crate::record::Record;
use crate::show::{self, Detail, Style};
use crate::{batch, stream, template};

/// Read what a model wrote: its calls, its text, its reasoning
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The model's raw output; standard input without one
    #[arg(conflicts_with = "batch")]
    file: Option<PathBuf>,

    /// The dialect the model speaks (see `callsign dialects`); without it and a
    /// template, calls in any form that is known are recovered from the text
    #[arg(long, value_name = "NAME", conflicts_with = "batch")]
    dialect: Option<String>,

    #[command(flatten)]
    template: template::Place,

    /// The tools the model was offered: OpenAI's `tools` JSON
    #[arg(long, value_name = "FILE", conflicts_with = "batch")]
    tools: Option<PathBuf>,

    /// The prompt has opened the model's reasoning
    #[arg(long, conflicts_with = "batch")]
    in_reasoning: bool,

    /// Read only what the dialect reads: recover no call that leaked as text or
    /// came malformed, and mend none
    #[arg(long)]
    strict: bool,

    /// Recover by guesses, too, which may put into a call what the model did not
    /// write
    #[arg(long, conflicts_with = "strict")]
    guesses: bool,

    /// Say of each call where it comes from and what was mended, and of what
    /// looks like a call why it is none (JSON always does)
    #[arg(long, conflicts_with = "batch")]
    explain: bool,

    /// Print JSON: one object, or with --stream one event a line
    #[arg(long)]
    json: bool,

    /// Feed this many bytes at a time and print the events as they come
    #[arg(long, value_name = "N", conflicts_with = "batch")]
    stream: Option<NonZeroUsize>,

    /// How the output ended
    #[arg(long, value_enum, default_value = "stop", conflicts_with = "batch")]
    finish: Finish,

    /// Read one case a line (`-` is standard input) and print one answer a line
    ///
    /// A case is a JSON object: `id`, `tools`, the output as `input` or cut into
    /// `deltas`, `finish_reason`, and `dialect` with `prompt_tail` or
    /// `in_reasoning`, or `template` with `messages`, `kwargs` and `now`.
    /// `recovery` and `guesses` are true or false, as without `--strict` and with
    /// `--guesses`; what repeats the user's or a tool's `messages`, or a text of
    /// `heard`, is not recovered.
    #[arg(long, value_name = "FILE.jsonl", conflicts_with = "template")]
    batch: Option<PathBuf>,

    /// Where the templates are that cases of a batch name
    #[arg(long, value_name = "DIR", requires = "batch")]
    templates: Option<PathBuf>,
}

/// How the output ended.
#[derive(Clone, Copy, ValueEnum)]
enum Finish {
    /// The model stopped
    Stop,
    /// It was cut at its token limit
    Length,
}

impl From<Finish> for End {
    fn from(finish: Finish) -> Self {
        match finish {
            Finish::Stop => End::Stop,
            Finish::Length => End::Cut,
        }
    }
}

pub(crate) fn run(args: &Args, known: &Known, out: &mut dyn Write) -> Result<(), Failure> {
    if let Some(batch) = &args.batch {
        let usual = batch::Usual { recovery: !args.strict, guesses: args.guesses };
        let source = Source::of(Some(batch));
        return batch::run(known, usual, args.templates.as_deref(), &source, out);
    }
    let (dialect, opening) = spoken(args, known)?;
    let tools = input::tools(args.tools.as_ref())?;
    let start = match &opening {
        _ if args.in_reasoning => Start::Reasoning,
        Some(opening) => Start::PromptTail(opening),
        None => Start::Fresh,
    };
    let net = match args.strict {
        true if dialect.is_none() => return Err(known.unnamed()),
        true => Net::Off,
        false => Net::On { guesses: args.guesses, heard: &[] },
    };
    let reading = known.reading(dialect.clone(), net);
    let reader = Reader::new(&*reading, &Offer::new(&tools).start(start));
    let source = Source::of(args.file.as_ref());
    if let Some(size) = args.stream {
        let print = if args.json { stream::json_line } else { stream::readable_line };
        return stream::run(reader, &source, size, args.finish.into(), print, out);
    }

    let text = source.read_text()?;
    let turn = reader.read(&text, args.finish.into());
    if args.json {
        let line = Record::new(None, dialect.as_ref().map(|dialect| dialect.name()), &turn)
            .and_then(|record| record.to_line())
            .map_err(std::io::Error::from)?;
        writeln!(out, "{line}")?;
    } else {
        let declared = args.tools.as_ref().map(|_| &tools);
        let detail = if args.explain { Detail::Explained } else { Detail::Brief };
        out.write_all(show::turn(&turn, declared, detail, style()).as_bytes())?;
    }
    Ok(())
}

/// The dialect, if there is one, and what the prompt ends with as far as a
/// template tells.
type Spoken = (Option<Arc<dyn Dialect>>, Option<String>);

fn spoken(args: &Args, known: &Known) -> Result<Spoken, Failure> {
    let named = args.dialect.as_deref().map(|name| known.dialect(name)).transpose()?;
    let Some(path) = &args.template.path else {
        return Ok((named.or_else(|| known.usual()), None));
    };
    let template = template::open(path)?;
    let dialect = match named {
        Some(dialect) => dialect,
        None => template::detect(known, path, &template)?.chosen.dialect,
    };
    let opening = template.probes().generation(After::User, Thinking::Default);
    Ok((Some(dialect), opening.map(|opening| opening.text.clone())))
}

/// Colour on a terminal, unless its user does not want it.
fn style() -> Style {
    let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stdout().is_terminal() && !unwanted { Style::Colour } else { Style::Plain }
}

/// What [`show::turn`] compares names with: nothing, if no tools were given.
pub(crate) type Declared<'a> = Option<&'a Toolset>;
