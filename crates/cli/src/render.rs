//! `callsign render`: a conversation as the prompt of a model.

use std::io::Write;
use std::path::PathBuf;

use callsign::Message;
use callsign::template::Conversation;

use crate::failure::Failure;
use crate::input::{self, Source};
use crate::template;

/// Print the prompt that a model's chat template makes of a conversation
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The messages: a JSON list, as OpenAI's `messages`; standard input without
    /// a file
    file: Option<PathBuf>,

    #[command(flatten)]
    template: template::Place,

    /// The tools the model is offered: OpenAI's `tools` JSON
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,

    #[command(flatten)]
    variables: template::Variables,

    /// Leave out the beginning of the model's turn
    #[arg(long)]
    no_generation_prompt: bool,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let Some(path) = &args.template.path else {
        return Err(Failure::Bad("name the chat template with `--template PATH`".to_owned()));
    };
    let template = template::open(path)?;
    let tools = input::tools(args.tools.as_ref())?;
    let source = Source::of(args.file.as_ref());
    let messages: Vec<Message> = serde_json::from_str(&source.read_text()?)
        .map_err(|error| Failure::Bad(format!("{source}: {error}")))?;
    let conversation = args.variables.of(Conversation::new(&messages).tools(&tools))?;
    let conversation = conversation.generation_prompt(!args.no_generation_prompt);
    let prompt = template.render(&conversation).map_err(|error| Failure::Bad(error.to_string()))?;
    Ok(out.write_all(prompt.as_bytes())?)
}
