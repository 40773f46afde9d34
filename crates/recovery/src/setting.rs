//! Where in a text a place stands: in code, in a quotation, behind words that
//! talk of an example. What stands there is only said.

mod saying;
mod words;

pub(crate) use saying::Saying;

use callsign_core::Refusal;

use words::is_example;

/// How much of the text before a place is remembered, in bytes.
const REMEMBERED: usize = 320;

/// What is known of the text so far. It is fed piece by piece; how it is cut
/// changes nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    line: Line,
    /// The fence that is open.
    fence: Option<Fence>,
    /// Whether it closes at the end of this line, if nothing stands behind.
    closing: bool,
    /// Whether text has come in it.
    filled: bool,
    /// The length of the run of backticks that opened the inline code.
    code: Option<usize>,
    /// The run of backticks or tildes that may go on.
    run: Option<Run>,
    /// Whether anything but white space has come.
    begun: bool,
    /// The length of the white space that came last, from its first line's end on.
    blank: usize,
    /// The last byte that came.
    last: u8,
    /// The end of the text before this place, and perhaps more.
    kept: String,
    /// Whether the model's own turn is over.
    over: bool,
    /// Whether the paragraph is a quotation, which goes on without its mark.
    quotation: bool,
}

/// What is known of the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Line {
    /// Nothing but blanks so far.
    #[default]
    Lead,
    /// Text.
    Text,
    /// A quotation.
    Quote,
    /// The line that opens or may close a fence.
    Fence,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    byte: u8,
    length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    byte: u8,
    length: usize,
    /// Whether only blanks stood before it in its line.
    leads: bool,
    /// The byte before it.
    before: u8,
}

impl Setting {
    /// Takes text that stands and holds neither a line's end nor a backtick.
    pub(crate) fn pass_plain(&mut self, text: &str) {
        match text.as_bytes().last() {
            Some(last) if self.line == Line::Text && self.run.is_none() => {
                self.last = *last;
                self.remember(text);
            }
            _ => self.pass(text),
        }
    }

    /// Takes text that stands.
    pub(crate) fn pass(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            // In the midst of a line, only these mean anything.
            if self.line == Line::Text && self.run.is_none() {
                match memchr::memchr2(b'\n', b'`', &bytes[at..]) {
                    Some(0) => {}
                    Some(skip) => {
                        at += skip;
                        self.last = bytes[at - 1];
                    }
                    None => {
                        self.last = bytes[bytes.len() - 1];
                        break;
                    }
                }
            }
            self.byte(bytes[at]);
            at += 1;
        }
        self.remember(text);
    }

    /// Something that is no text stands here: what follows begins a line.
    pub(crate) fn interrupt(&mut self) {
        self.end_run();
        if std::mem::take(&mut self.closing) {
            self.fence = None;
        }
        self.begun = true;
        self.line = Line::Lead;
        self.code = None;
        self.quotation = false;
        self.blank = 0;
    }

    /// The model has written the result of a tool, or a token that ends its turn:
    /// what follows is not its own.
    pub(crate) fn end_turn(&mut self) {
        self.over = true;
    }

    /// Whether the model's own turn is over.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    /// Whether what comes next is code or a quotation.
    pub(crate) fn is_quoted(&mut self) -> bool {
        self.end_run();
        self.fence.is_some()
            || self.code.is_some()
            || self.quotation
            || matches!(self.line, Line::Quote | Line::Fence)
    }

    /// Why a call that stands here is not run, with markup or without.
    pub(crate) fn refusal(&mut self, marked: bool) -> Option<Refusal> {
        if self.is_quoted() {
            Some(Refusal::Quoted)
        } else {
            self.is_example(marked).then_some(Refusal::Example)
        }
    }

    /// Whether nothing but blanks stands before this place in its line.
    pub(crate) fn leads(&self) -> bool {
        self.line == Line::Lead && self.run.is_none()
    }

    /// The length of the white space before this place, from its first line's end
    /// on: what separates markup from text. Longer runs separate nothing.
    pub(crate) fn separator(&self) -> usize {
        /// The longest separator, in bytes.
        const LONGEST: usize = 32;
        if self.blank > LONGEST { 0 } else { self.blank }
    }

    /// Whether nothing but white space stands before this place.
    pub(crate) fn is_first(&self) -> bool {
        !self.begun
    }

    /// Whether a sentence goes on here: a comma or an opening mark stands before this
    /// place in its line.
    pub(crate) fn is_in_sentence(&self) -> bool {
        let before = self.recent().trim_end_matches([' ', '\t']);
        !self.leads() && before.ends_with([',', '(', '"', '\'', '“', '‘', '„', '«'])
    }

    /// Whether the text before this place holds an opening tag of this word.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        let recent = self.recent();
        let mut places = recent.match_indices(word);
        places.any(|(at, _)| recent[..at].ends_with(['<', '[', '|', ':']))
    }

    /// Whether a letter or a digit stands right before this place.
    pub(crate) fn is_in_word(&self) -> bool {
        self.last.is_ascii_alphanumeric()
    }

    /// Whether blanks stand before this place in its line.
    pub(crate) fn is_indented(&self) -> bool {
        matches!(self.last, b' ' | b'\t')
    }

    /// Whether the words before this place say that what stands here is an example,
    /// or is not to be run. What a colon, a heading or a question announces, or what
    /// stands in the same line, is told by more words; anything else only by those
    /// of its paragraph or, if it begins one, of the one before, and not at all if
    /// only what is `announced` counts.
    pub(crate) fn is_example(&self, announced: bool) -> bool {
        is_example(self.recent(), self.leads(), announced)
    }

    /// Whether what stands here is inside of something that is open before it: an
    /// element of a page, a string of a program.
    pub(crate) fn is_enclosed(&self) -> bool {
        const TRIPLES: [&str; 2] = ["'''", r#"""""#];
        let before = self.recent().trim_end();
        let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
        let element = line.starts_with('<') && line.ends_with('>') && !line.starts_with("</");
        element || TRIPLES.iter().any(|quote| before.ends_with(quote))
    }

    /// Whether the lines before this place are those of a program.
    pub(crate) fn is_program(&self) -> bool {
        const BEGINNINGS: [&str; 8] =
            ["import ", "from ", "def ", "fn ", "#!", "class ", "async ", "return "];
        self.recent().lines().any(|line| {
            BEGINNINGS.iter().any(|word| line.trim_start().starts_with(word))
                && !line.trim_end().ends_with(['.', '!'])
        })
    }

    /// The end of the text before this place.
    fn recent(&self) -> &str {
        end(&self.kept)
    }

    #[inline]
    fn remember(&mut self, text: &str) {
        if self.kept.len() + text.len() > 8 * REMEMBERED {
            return self.forget(text);
        }
        self.kept.push_str(text);
    }

    /// Keeps no more than what is to be remembered.
    #[cold]
    fn forget(&mut self, text: &str) {
        let kept = self.kept.len() - end(&self.kept).len();
        self.kept.drain(..kept);
        if text.len() > REMEMBERED {
            self.kept.clear();
        }
        self.kept.push_str(end(text));
    }

    fn byte(&mut self, byte: u8) {
        if let Some(run) = &mut self.run {
            if run.byte == byte {
                run.length += 1;
                return;
            }
            self.end_run();
        }
        if self.closing && !byte.is_ascii_whitespace() {
            // Words behind it: it closes nothing.
            self.closing = false;
        }
        match byte {
            b'\n' => {
                if std::mem::take(&mut self.closing) {
                    self.fence = None;
                }
                if self.line == Line::Lead {
                    // A blank line ends a paragraph.
                    self.code = None;
                    self.quotation = false;
                }
                self.line = Line::Lead;
                self.blank += 1;
                self.last = byte;
                return;
            }
            b' ' | b'\t' | b'\r' => {
                self.blank += usize::from(self.blank > 0);
                self.last = byte;
                return;
            }
            b'`' | b'~' if byte == b'`' || self.line == Line::Lead => {
                self.begun = true;
                let leads = self.line == Line::Lead;
                self.run = Some(Run { byte, length: 1, leads, before: self.last });
            }
            b'>' if self.line == Line::Lead && self.fence.is_none() => {
                self.begun = true;
                self.quotation = true;
                self.line = Line::Quote;
            }
            _ => {
                self.begun = true;
                self.filled |= self.line != Line::Fence;
                match self.line {
                    Line::Lead => self.line = Line::Text,
                    Line::Fence | Line::Text | Line::Quote => {}
                }
            }
        }
        self.blank = 0;
        self.last = byte;
    }

    /// A run of backticks or tildes is over.
    fn end_run(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.last = run.byte;
        let fence = run.leads && run.length >= 3;
        match self.fence {
            Some(open) => {
                self.closing = fence && run.byte == open.byte && run.length >= open.length;
                self.filled |= !self.closing;
                self.line = if self.closing { Line::Fence } else { Line::Text };
            }
            None if fence => {
                self.fence = Some(Fence { byte: run.byte, length: run.length });
                self.filled = false;
                self.code = None;
                self.line = Line::Fence;
            }
            None => {
                if self.line == Line::Lead {
                    self.line = Line::Text;
                }
                if run.byte != b'`' {
                    return;
                }
                match self.code {
                    Some(length) if length == run.length => self.code = None,
                    Some(_) => {}
                    // A backtick within a word is none that opens.
                    None if !run.leads && run.before.is_ascii_alphanumeric() => {}
                    None => self.code = Some(run.length),
                }
            }
        }
    }
}

/// The end of a text that is remembered.
fn end(text: &str) -> &str {
    let mut start = text.len().saturating_sub(REMEMBERED);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::Setting;

    fn after(text: &str) -> Setting {
        let mut whole = Setting::default();
        whole.pass(text);
        let mut bytewise = Setting::default();
        for char in text.chars() {
            bytewise.pass(char.encode_utf8(&mut [0; 4]));
        }
        assert_eq!(whole.is_quoted(), bytewise.is_quoted(), "{text:?}");
        assert_eq!(whole.leads(), bytewise.leads(), "{text:?}");
        assert_eq!(whole.is_example(false), bytewise.is_example(false), "{text:?}");
        whole
    }

    #[test]
    fn code_and_quotations_are_told_from_text() {
        for quoted in [
            "```\n",
            "a\n```json\nb\n",
            "~~~\n",
            "say `",
            "say ``a`b",
            "> ",
            "a\n> b",
            "```\n~~~\n",
            "```\n```xml\n",
            "```\n``` a\n",
        ] {
            assert!(after(quoted).is_quoted(), "{quoted:?}");
        }
        for plain in [
            "",
            "a",
            "```\na\n```\n",
            "`a`",
            "a\n> b\n\nc",
            "it`s ",
            "`a\n\nb",
            "``a`b`` ",
            "x > y",
        ] {
            assert!(!after(plain).is_quoted(), "{plain:?}");
        }
    }

    #[test]
    fn an_example_is_announced_before_it() {
        assert!(after("A call looks like this:\n").is_example(true));
        assert!(after("For example ").is_example(true));
        assert!(!after("For example.\n\nNow I search.\n").is_example(false));
        assert!(!after("For example, I search.\n").is_example(true));
        assert!(after("It would be:\n\n").is_example(true));
    }

    #[test]
    fn how_far_words_count_does_not_depend_on_pieces() {
        for far in [100, 400, 2200, 2500, 2600, 3000] {
            let text = format!("{}for example {}:\n", "a ".repeat(1000), "b ".repeat(far / 2));
            assert_eq!(after(&text).is_example(true), far < 320, "{far}");
        }
    }

    #[test]
    fn a_line_begins_behind_blanks() {
        assert!(after("").leads() && after("a\n  ").leads() && !after("a").leads());
        assert!(after("  \n").is_first() && !after("a").is_first());
        assert!(after("a\n  ").is_indented() && !after("a \n").is_indented());
    }
}
