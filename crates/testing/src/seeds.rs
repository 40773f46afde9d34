//! What fuzzing begins with and whatever it finds, to be read anew.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

/// What becomes of each seed of a fuzz target, by the seeds' names.
///
/// # Errors
///
/// If the folder of the target cannot be read, or a seed is no text.
///
/// # Panics
///
/// If there is no seed: then nothing would be tested.
pub fn outcomes(target: &str, of: fn(&str) -> String) -> io::Result<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds").join(target);
    let names = fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    assert!(!names.is_empty(), "no seeds for {target}");
    let mut all = String::new();
    for name in names {
        let text = fs::read_to_string(folder.join(&name))?;
        let _ = writeln!(all, "===== {}\n{}", name.display(), of(&text));
    }
    Ok(all)
}
