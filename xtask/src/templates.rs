//! `cargo xtask templates`: real chat templates and vocabularies, from a cache
//! outside of the repository.

mod fetch;

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use callsign_gguf::{Gguf, keys};

use crate::Failure;
use crate::tools::files;

/// Fetch real chat templates and vocabularies once, and read them
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let models = fetch::models(out)?;
    writeln!(out, "cache: {}", models.display())?;
    let templates = files(&models.join("templates"), "jinja")?;
    writeln!(out, "{} templates", templates.len())?;
    vocabularies(&files(&models, "gguf")?, out)
}

/// Reads the metadata of every vocabulary, whole and as far as prompts need it.
fn vocabularies(files: &[PathBuf], out: &mut dyn Write) -> Result<(), Failure> {
    let mut unread = 0;
    let mut slowest = Duration::ZERO;
    for path in files {
        let start = Instant::now();
        let read = Gguf::open_where(path, keys::for_prompts);
        slowest = slowest.max(start.elapsed());
        if let Err(error) = read.and_then(|_| Gguf::open(path)) {
            writeln!(out, "{}: {error}", path.display())?;
            unread += 1;
        }
    }
    writeln!(
        out,
        "{} vocabularies, {unread} unread; for prompts, the slowest in {slowest:.1?}",
        files.len(),
    )?;
    if unread == 0 { Ok(()) } else { Err(Failure::Found) }
}
