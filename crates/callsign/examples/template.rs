//! From a model's own template to the calls it writes: renders a prompt, then
//! reads what a model answers.

#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use callsign::template::{Conversation, Model};
use callsign::{End, Message, Offer, Reader, Role, Start, Toolset};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Or the path of a GGUF file, or of the folder with the tokenizer.
    let model = Model::open("corpus/samples/hermes.jinja")?;
    let tools = Toolset::from_openai(&std::fs::read_to_string("corpus/samples/tools.json")?)?;

    let messages = [Message::new(Role::User, "How long is notes.txt?")];
    let conversation = Conversation::new(&messages).tools(&tools);
    println!("{}", model.template.render(&conversation)?);

    let opening = model.template.opening(&conversation)?;
    let offer = Offer::new(&tools).start(Start::PromptTail(&opening));
    let written = "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"command\": \"wc -l notes.txt\"}}\n</tool_call>";
    let turn = Reader::new(&**model.dialect(), &offer).read(written, End::Stop);
    println!("{:#?}", turn.calls);
    Ok(())
}
