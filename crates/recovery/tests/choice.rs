//! What the tool choice does not allow is not recovered, and the model is told.

use callsign::{Dialects, End, Offer, Reader, Refusal, ToolChoice, Toolset, ToolsetError};

const TOOLS: &str = r#"[{"name": "search", "parameters": {"type": "object", "properties": {
    "query": {"type": "string"}}}}, {"name": "stop"}]"#;

/// How many calls there are, the text, and of an attempt why and what is said.
type Told = (usize, String, Option<(Refusal, String)>);

/// What becomes of a leaked call of `search`.
fn read(choice: &ToolChoice) -> Result<Told, ToolsetError> {
    let dialects = Dialects::builtin();
    let net = dialects.recovery().alone();
    let tools = Toolset::from_openai(TOOLS)?;
    let offer = Offer::new(&tools).choice(choice);
    let text = "I look.\n<tool_call>{'name': 'search', 'arguments': {'query': 'a'}}</tool_call>";
    let turn = Reader::new(&net, &offer).read(text, End::Stop);
    let attempt = turn.attempts.into_iter().next();
    Ok((turn.calls.len(), turn.content, attempt.map(|told| (told.refusal, told.message))))
}

#[test]
fn what_is_chosen_is_recovered() -> Result<(), ToolsetError> {
    for choice in [ToolChoice::Auto, ToolChoice::Required, ToolChoice::Named("search".to_owned())] {
        assert_eq!(read(&choice)?, (1, "I look.".to_owned(), None));
    }
    Ok(())
}

#[test]
fn what_is_not_chosen_leaves_the_text_and_is_told() -> Result<(), ToolsetError> {
    let words = "No tool can be called now. Answer in words.";
    let told = Some((Refusal::NotChosen(None), words.to_owned()));
    assert_eq!(read(&ToolChoice::None)?, (0, "I look.".to_owned(), told));

    let only = Some("stop".to_owned());
    let told = Some((Refusal::NotChosen(only), "Only `stop` can be called now.".to_owned()));
    assert_eq!(read(&ToolChoice::Named("stop".to_owned()))?, (0, "I look.".to_owned(), told));
    Ok(())
}
