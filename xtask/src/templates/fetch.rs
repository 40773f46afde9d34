//! The cache: the folder `models` of llama.cpp, as the source package of its
//! Python binding has it.
//!
//! It is fetched by pip and unpacked by tar, put together beside its place and
//! then moved there, so that it is there whole or not at all.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Failure, tools};

/// The package as pip names it.
const PACKAGE: &str = "llama-cpp-python";
/// As its archive names it.
const ARCHIVE: &str = "llama_cpp_python";
const VERSION: &str = "0.3.36";
/// What is wanted of the archive.
const WANTED: &str = "vendor/llama.cpp/models";

/// The folder with the vocabularies, and with the templates in `templates`. It
/// is fetched if it is not there yet.
pub(crate) fn models(out: &mut dyn Write) -> Result<PathBuf, Failure> {
    let cache = cache()?;
    let place = cache.join(format!("{PACKAGE}-{VERSION}"));
    if !place.is_dir() {
        writeln!(out, "fetching {PACKAGE} {VERSION} with pip, some 80 MB")?;
        out.flush()?;
        fs::create_dir_all(&cache).map_err(|error| at(&cache, &error))?;
        let beside = Beside::new(&cache)?;
        fetch(&beside.0)?;
        settle(&beside.0.join("unpacked"), &place)?;
    }
    Ok(place.join("models"))
}

/// Where callsign keeps what it can fetch again.
pub(super) fn cache() -> Result<PathBuf, Failure> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    cache_by(set).ok_or_else(|| {
        Failure::Because("no home folder: set CALLSIGN_CACHE to a folder for the cache".to_owned())
    })
}

/// The same, by what is set in the environment.
fn cache_by(set: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    set("CALLSIGN_CACHE").or_else(|| {
        let platform = set("XDG_CACHE_HOME")
            .or_else(|| set("LOCALAPPDATA"))
            .or_else(|| set("HOME").map(|home| home.join(".cache")));
        platform.map(|platform| platform.join("callsign"))
    })
}

/// A folder beside the place of the cache, on the same file system; it goes
/// away with what was not moved out of it.
struct Beside(PathBuf);

impl Beside {
    fn new(cache: &Path) -> Result<Self, Failure> {
        let folder = cache.join(format!(".fetching-{}", std::process::id()));
        fs::create_dir(&folder).map_err(|error| at(&folder, &error))?;
        Ok(Beside(folder))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // What stays is litter in a cache, and no reason to fail.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Fetches the package into a folder and unpacks the wanted part of it into
/// `unpacked` there.
fn fetch(folder: &Path) -> Result<(), Failure> {
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check"])
        .args(["--no-deps", "--no-binary", PACKAGE])
        .arg(format!("{PACKAGE}=={VERSION}"))
        .arg("--dest")
        .arg(folder);
    needing(pip, "python3 -m pip download", "install Python 3 with pip, and be online")?;
    let unpacked = folder.join("unpacked");
    fs::create_dir(&unpacked).map_err(|error| at(&unpacked, &error))?;
    let top = format!("{ARCHIVE}-{VERSION}");
    // The top folder goes, and of the wanted path all but its last part.
    let above = WANTED.split('/').count();
    let mut tar = Command::new("tar");
    tar.arg("-xzf")
        .arg(folder.join(format!("{top}.tar.gz")))
        .arg("-C")
        .arg(&unpacked)
        .arg(format!("--strip-components={above}"))
        .arg(format!("{top}/{WANTED}"));
    needing(tar, "tar", "install tar with gzip")
}

/// Runs a command; says what to install if it fails.
fn needing(command: Command, shown: &str, advice: &str) -> Result<(), Failure> {
    match tools::output(command, shown) {
        Ok(_) => Ok(()),
        Err(reason) => Err(Failure::Because(format!("{}\n{advice}", reason.trim_end()))),
    }
}

/// Moves what was fetched to its place. Another run may have been faster.
fn settle(unpacked: &Path, place: &Path) -> Result<(), Failure> {
    match fs::rename(unpacked, place) {
        Err(error) if !place.is_dir() => Err(at(place, &error).into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn at(path: &Path, error: &io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Beside, cache_by, settle};

    fn cache(set: &[(&str, &str)]) -> Option<PathBuf> {
        cache_by(|name| set.iter().find(|(known, _)| *known == name).map(|(_, to)| to.into()))
    }

    #[test]
    fn the_cache_is_where_one_is_expected() {
        assert_eq!(cache(&[("HOME", "h")]), Some("h/.cache/callsign".into()));
        assert_eq!(cache(&[("HOME", "h"), ("XDG_CACHE_HOME", "x")]), Some("x/callsign".into()));
        assert_eq!(cache(&[("HOME", "h"), ("CALLSIGN_CACHE", "c")]), Some("c".into()));
        assert_eq!(cache(&[]), None);
    }

    #[test]
    fn what_was_fetched_is_there_whole_and_nothing_else() {
        let top = std::env::temp_dir().join(format!("callsign-fetch-{}", std::process::id()));
        std::fs::create_dir_all(&top).expect("a folder");
        let place = top.join("place");
        for _ in ["first", "slower"] {
            let beside = Beside::new(&top).expect("a folder");
            let unpacked = beside.0.join("unpacked");
            std::fs::create_dir(&unpacked).expect("a folder");
            std::fs::write(unpacked.join("file"), "text").expect("a file");
            settle(&unpacked, &place).expect("it is there");
        }
        let names = |folder: &Path| -> Vec<_> {
            let entries = std::fs::read_dir(folder).expect("a folder");
            entries.map(|entry| entry.expect("an entry").file_name()).collect()
        };
        assert_eq!(names(&top), ["place"]);
        assert_eq!(names(&place), ["file"]);
        assert!(settle(&top.join("nothing"), &top.join("nowhere")).is_err());
        std::fs::remove_dir_all(&top).expect("it is removed");
    }
}
