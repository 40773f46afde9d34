//! `cargo xtask templates`: real chat templates and vocabularies, from a cache
//! outside of the repository.
//!
//! Every template is compiled, and the dialect that is found for it compared
//! with the one it is known to speak. Prompts are compared with those of
//! recorded vectors and with transformers itself.

mod detection;
mod fetch;
mod transformers;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use callsign_gguf::{Gguf, keys};
use callsign_template::ChatTemplate;

use crate::Failure;
use crate::tools::files;
use crate::vectors::{self, Templates};

/// Fetch real chat templates and vocabularies once; read, render and recognise
/// them.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A folder with templates, in place of those that are fetched.
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,

    /// Print what each template does.
    #[arg(long)]
    probes: bool,

    /// Compare with the prompts of these recorded vectors.
    #[arg(long, value_name = "FILE.jsonl")]
    vectors: Option<PathBuf>,

    /// Compare with transformers, which is installed first.
    #[arg(long)]
    transformers: bool,

    /// A Python that has transformers already.
    #[arg(long, value_name = "PROGRAM", requires = "transformers")]
    python: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut sound = true;
    if args.folder.is_none() {
        let models = fetch::models(out)?;
        writeln!(out, "cache: {}", models.display())?;
        sound &= vocabularies(&files(&models, "gguf")?, out)?;
    }
    let (templates, compiled) = compile(args.folder.as_deref(), out)?;
    sound &= compiled;
    if args.probes {
        for (name, template) in &templates {
            writeln!(out, "{name}\n{:#?}", template.probes())?;
        }
    }
    sound &= detection::check(&templates, out)?;
    if let Some(path) = &args.vectors {
        sound &= vectors::check_prompts(&templates, path, out)?;
    }
    if args.transformers {
        let python = match &args.python {
            Some(python) => python.clone(),
            None => transformers::install(&fetch::cache()?)?,
        };
        sound &= transformers::check(&templates, &python, out)?;
    }
    if sound { Ok(()) } else { Err(Failure::Found) }
}

/// Reads the metadata of every vocabulary, whole and as far as prompts need it.
fn vocabularies(files: &[PathBuf], out: &mut dyn Write) -> Result<bool, Failure> {
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
    Ok(unread == 0)
}

/// The templates of a folder, or those that are fetched. What does not compile
/// is told and left out.
pub(crate) fn load(folder: Option<&Path>, out: &mut dyn Write) -> Result<Templates, Failure> {
    compile(folder, out).map(|(templates, _)| templates)
}

/// Compiles every template; says whether all of them are sound.
fn compile(folder: Option<&Path>, out: &mut dyn Write) -> Result<(Templates, bool), Failure> {
    let folder = match folder {
        Some(folder) => folder.to_owned(),
        None => fetch::models(out)?.join("templates"),
    };
    let mut templates = Templates::new();
    let mut faults = 0;
    for path in files(&folder, "jinja")? {
        match ChatTemplate::from_file(&path) {
            Ok(template) => {
                templates.insert(name_of(&path), template);
            }
            Err(error) => {
                faults += 1;
                writeln!(out, "FAILED {error}")?;
            }
        }
    }
    writeln!(out, "{} templates compile, {faults} do not", templates.len())?;
    Ok((templates, faults == 0))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
