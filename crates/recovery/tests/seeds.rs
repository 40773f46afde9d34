//! What fuzzing has found has the answer that it was given then.

use std::fs;
use std::path::Path;

#[allow(dead_code, reason = "a target has no outcome to keep")]
mod fuzzed;

/// The outcomes of all seeds of a target, by name.
fn outcomes(target: &str, of: fn(&str) -> String) -> std::io::Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder)? {
        names.push(entry?.file_name());
    }
    names.sort();
    assert!(!names.is_empty());
    let mut all = String::new();
    for name in names {
        let text = fs::read_to_string(folder.join(&name))?;
        all += &format!("===== {}\n{}\n", name.display(), of(&text));
    }
    Ok(all)
}

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
