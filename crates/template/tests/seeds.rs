//! What fuzzing begins with, and whatever it finds, has the answer that it had.

use callsign_testing::seeds::outcomes;

mod fuzzed;

#[test]
fn the_templates() -> std::io::Result<()> {
    insta::assert_snapshot!(outcomes("template", fuzzed::template)?);
    Ok(())
}

#[test]
fn the_conversations() -> std::io::Result<()> {
    insta::assert_snapshot!(outcomes("conversation", fuzzed::conversation)?);
    Ok(())
}
