//! Prints the metadata of GGUF files, and how long reading it takes:
//! `cargo run --release -p callsign-gguf --example metadata -- FILE…`

use std::io::{self, Write};
use std::time::Instant;

use callsign_gguf::{Gguf, Value, keys};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = io::stdout().lock();
    for path in std::env::args().skip(1) {
        let start = Instant::now();
        Gguf::open_where(&path, keys::for_prompts)?;
        let for_prompts = start.elapsed();
        let start = Instant::now();
        let gguf = Gguf::open(&path)?;
        let whole = start.elapsed();
        writeln!(out, "{path}: for prompts in {for_prompts:.1?}, whole in {whole:.1?}")?;
        for (key, value) in gguf.entries() {
            match value {
                Some(Value::Scalar(scalar)) => writeln!(out, "  {key} = {scalar:?}")?,
                Some(Value::String(text)) => {
                    let line: String = text.chars().take(60).collect();
                    writeln!(out, "  {key} = {line:?}, {} bytes", text.len())?;
                }
                other => writeln!(out, "  {key} = {other:?}")?,
            }
        }
    }
    Ok(())
}
