//! What the chore reads, and that it finds what is there to be found.

use std::fs;
use std::path::PathBuf;

use super::{Args, is_text, is_version_of, run};
use crate::Failure;

/// A folder of its own for one test, which is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let name = format!("callsign-false-positives-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn file(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    fn read(&self) -> (Result<(), Failure>, String) {
        let mut printed = Vec::new();
        let done = run(&Args { folder: Some(self.0.clone()) }, &mut printed);
        (done, String::from_utf8(printed).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn text_is_left_alone() {
    let folder = Folder::new("text");
    folder.file("README.md", "Run `search` first.\n");
    folder.file("src/.hidden/lib.rs", "fn search(query: &str) { run(query) }\n");
    folder.file("logo.png", "no text");
    folder.file("latin.txt", b"caf\xe9");
    let (done, printed) = folder.read();
    assert!(done.is_ok(), "{printed}");
    assert_eq!(printed, "2 files, 58 bytes, 0 calls, 0 changed\n");
}

#[test]
fn a_call_is_told_with_its_place() {
    let folder = Folder::new("call");
    let call =
        "<tool_call>\n{\"name\": \"search\", \"arguments\": {\"query\": \"elk\"}}\n</tool_call>";
    folder.file("deep/in/a.txt", format!("One.\n\n{call}"));
    let (done, printed) = folder.read();
    assert!(matches!(done, Err(Failure::Found)), "{printed}");
    assert!(printed.contains(r#"a.txt:3: hermes: call search{"query": "elk"}"#), "{printed}");
    assert!(printed.ends_with(" 1 changed\n"), "{printed}");
}

#[test]
fn no_text_at_all_is_a_failure() {
    let folder = Folder::new("nothing");
    assert!(matches!(folder.read().0, Err(Failure::Because(_))));
}

#[test]
fn names_of_files_and_crates() {
    assert!(is_text("a/B.MD".as_ref()) && is_text("x.test.rs".as_ref()));
    assert!(!is_text("a/md".as_ref()) && !is_text("a.o".as_ref()));
    assert!(is_version_of("serde-1.0.0", "serde") && is_version_of("a-b-0.1.0-rc.1", "a-b"));
    assert!(!is_version_of("serde-json-1.0.0", "serde") && !is_version_of("serde", "serde"));
}
