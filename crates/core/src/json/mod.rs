//! JSON as text: escaping by runs, a resumable scanner, and views that keep
//! what a parsed value would lose.

mod escape;
mod scan;
mod view;

pub use escape::{escape_byte_into, escape_into, plain_run, quote_into, unescape};
pub use scan::{Kind, MAX_DEPTH, Scanner, Step};
pub use view::{canonical, compact, entries, items, tokens};

/// Whether `text` is one JSON object, white space around it allowed.
pub fn is_object(text: &str) -> bool {
    kind(text) == Some(Kind::Object)
}

/// The kind of the one JSON value that `text` is, white space around it
/// allowed; `None` if it is not one.
pub fn kind(text: &str) -> Option<Kind> {
    let mut scanner = Scanner::new(scan::MAX_DEPTH);
    let mut at = 0;
    loop {
        match scanner.step(text.as_bytes(), &mut at) {
            Step::Key | Step::KeyEnd | Step::Value | Step::ValueEnd => {}
            Step::More => return scanner.finish(),
            Step::Done => {
                let rest = &text.as_bytes()[at..];
                return if rest.iter().all(|byte| scan::is_space(*byte)) {
                    scanner.finish()
                } else {
                    None
                };
            }
            Step::Unexpected | Step::TooDeep => return None,
        }
    }
}
