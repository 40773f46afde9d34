//! What fuzzing has found has the answer that it was given then.

use callsign_testing::seeds::outcomes;

#[allow(dead_code, reason = "a target has no outcome to keep")]
mod fuzzed;

#[test]
fn the_texts() -> std::io::Result<()> {
    insta::assert_snapshot!(outcomes("recover", fuzzed::recover)?);
    Ok(())
}

#[test]
fn the_turns() -> std::io::Result<()> {
    insta::assert_snapshot!(outcomes("recover_turn", fuzzed::recover_turn)?);
    Ok(())
}

#[test]
fn the_arguments() -> std::io::Result<()> {
    insta::assert_snapshot!(outcomes("mend", fuzzed::mend)?);
    Ok(())
}
