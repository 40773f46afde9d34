//! What fuzzing begins with, and whatever it finds, is read as it was before.

use std::fmt::Write;
use std::path::Path;

use callsign_gguf::Gguf;

#[test]
fn the_seeds_of_fuzzing() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/gguf");
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(&folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let mut outcomes = String::new();
    for path in paths {
        let name = path.strip_prefix(&folder)?.display().to_string();
        match Gguf::open(&path) {
            Ok(gguf) => {
                let (version, order) = (gguf.version(), gguf.byte_order());
                let keys = gguf.entries().count();
                writeln!(outcomes, "{name}: version {version}, {order:?}, {keys} keys")?;
                for (key, value) in gguf.entries() {
                    writeln!(outcomes, "  {key}: {value:?}")?;
                }
            }
            Err(error) => writeln!(outcomes, "{name}: {error}")?,
        }
    }
    insta::assert_snapshot!(outcomes);
    Ok(())
}
