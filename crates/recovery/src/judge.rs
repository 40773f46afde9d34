//! What is made of something that may be a call, once its end is known: calls,
//! text, or an attempt that is told.

use std::ops::Range;

use callsign_core::{Kinds, Provenance, Refusal, Repair, Tool, json};

use crate::arguments;
use crate::bare;
use crate::names;
use crate::region::{FENCE, Region};
use crate::repairs::Repairs;
use crate::scan::Form;
use crate::shapes::{declares, needs_arguments};
use crate::walk::{Failed, Found, Guide, Piece, PieceKind, has_substance, walk};

/// Where a region stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place {
    /// The words before it announce an example.
    pub(crate) announced: bool,
    /// The words before it talk of an example.
    pub(crate) example: bool,
    /// Text stands before it in its line.
    pub(crate) in_line: bool,
    /// A comma or the like stands before it in its line: a sentence goes on.
    pub(crate) in_sentence: bool,
    /// Nothing but white space stands before it in the text.
    pub(crate) first: bool,
    /// Text follows it: in its line if it has tags, anywhere if it has none.
    pub(crate) followed: bool,
    /// Text follows it anywhere.
    pub(crate) text_behind: bool,
    /// A comma, a full stop or the like follows it at once.
    pub(crate) punctuated: bool,
}

/// What others said in the conversation, without white space.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heard(Vec<String>);

impl Heard {
    pub(crate) fn new(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Heard(texts.into_iter().map(|text| squeeze(text.as_ref())).collect())
    }

    /// Whether any of it holds this.
    fn holds(&self, text: &str) -> bool {
        /// Shorter texts say nothing.
        const SHORTEST: usize = 4;
        if self.0.is_empty() {
            return false;
        }
        let text = squeeze(text);
        let finder = memchr::memmem::Finder::new(&text);
        text.len() >= SHORTEST && self.0.iter().any(|heard| finder.find(heard.as_bytes()).is_some())
    }
}

/// A text without white space, so that how it is laid out makes no difference.
fn squeeze(text: &str) -> String {
    text.chars().filter(|char| !char.is_whitespace()).collect()
}

/// What is made of a region. The pieces tile it.
pub(crate) fn judge(
    text: &str,
    region: &Region,
    place: Place,
    heard: &Heard,
    guide: Guide<'_>,
) -> Vec<Piece> {
    let mut pieces = match region.form {
        Form::Marked => walk(text, &region.tags, guide),
        Form::Bare(form) => bare::pieces(text, form, place, guide),
    };
    for piece in &mut pieces {
        // A name in prose is none of a call.
        if let (Form::Marked, PieceKind::Failed(Failed { refusal, .. })) =
            (region.form, &piece.kind)
            && matches!(refusal, Refusal::Malformed { .. } | Refusal::UnknownTool(_))
            && (place.in_line && place.followed
                || place.in_sentence
                || !has_substance(text, &region.tags, &piece.span, guide))
        {
            piece.kind = PieceKind::Text;
        }
        if let PieceKind::Call(found) = &mut piece.kind {
            if let Err(failed) =
                allowed(text, region.form, piece.span.clone(), found, place, heard, guide)
            {
                piece.kind = PieceKind::Failed(failed);
            } else if let Some(tool) = guide.tools.get(&found.name) {
                mend(found, tool, guide);
            }
        }
    }
    pieces
}

/// Whether a call may be run that has been found.
fn allowed(
    text: &str,
    form: Form,
    span: Range<usize>,
    found: &Found,
    place: Place,
    heard: &Heard,
    guide: Guide<'_>,
) -> Result<(), Failed> {
    let refuse = |refusal| Err(Failed { tool: Some(found.name.clone()), refusal });
    // A tag named after a tool is as good as none: pages are full of tags.
    let marked = form == Form::Marked && found.recovered.marked;
    let tool = guide.tools.get(&found.name);
    if place.announced || !marked && place.example {
        return refuse(Refusal::Example);
    }
    if place.in_sentence || marked && (place.in_line && place.followed || place.punctuated) {
        return refuse(Refusal::Quoted);
    }
    if marked && (place.text_behind || guide.cut) && in_code(text, guide) {
        return refuse(Refusal::Quoted);
    }
    if !marked && (place.followed || place.text_behind) {
        return refuse(Refusal::TextFollows);
    }
    if heard.holds(&text[span.clone()]) || heard.holds(&text[found.payload.clone()]) {
        return refuse(Refusal::Echo);
    }
    if let Some(tool) = tool
        && json::entries(&found.arguments).next().is_none()
        && needs_arguments(tool)
        && !squeeze(&text[span.clone()]).contains("{}")
    {
        // A tool is never run with nothing because nothing was said.
        let expected = "arguments".to_owned();
        return refuse(Refusal::Malformed { at: span.start, expected });
    }
    if let (false, Some(tool)) = (marked, tool) {
        let undeclared: Vec<String> = json::entries(&found.arguments)
            .map(|(key, _)| key)
            .filter(|key| !declares(tool, key))
            .collect();
        let wraps = undeclared.len() == 1 && json::entries(&found.arguments).count() == 1;
        let mended = wraps && arguments::mend(&found.arguments, tool, &guide).is_some();
        if !undeclared.is_empty() && !mended {
            return refuse(Refusal::UnknownKeys(undeclared));
        }
        // The schema of the tool, told to somebody.
        if json::entries(&found.arguments).any(|(key, value)| is_schema(tool, &key, value)) {
            return refuse(Refusal::Example);
        }
    }
    Ok(())
}

/// Whether a region is the inside of a fence whose word is not that of a wrapper.
fn in_code(text: &str, guide: Guide<'_>) -> bool {
    let line = text.strip_prefix(FENCE).and_then(|line| line.split('\n').next());
    line.is_some_and(|word| !guide.vocabulary.is_wrapper(word.trim()))
}

/// Mends the arguments of a call by the schema of its tool.
fn mend(found: &mut Found, tool: &Tool, guide: Guide<'_>) {
    if let Some((arguments, repairs)) = arguments::mend(&found.arguments, tool, &guide) {
        found.arguments = arguments;
        let mut all = Repairs::default();
        all.extend(std::mem::take(&mut found.recovered.repairs));
        all.extend(repairs);
        found.recovered.repairs = all.into_vec();
    }
}

/// What a call that its dialect has read is mended to: its name, its arguments,
/// and where they come from.
pub(crate) fn mend_native(
    name: &str,
    given: &str,
    guide: Guide<'_>,
) -> Option<(String, String, Provenance)> {
    let (tool, renamed) = names::resolve(name, guide.tools)?;
    let mut repairs: Vec<Repair> = renamed.into_iter().collect();
    let mended = arguments::mend(given, tool, &guide);
    if repairs.is_empty() && mended.is_none() {
        return None;
    }
    let (arguments, more) = mended.unwrap_or_else(|| (given.to_owned(), Vec::new()));
    repairs.extend(more);
    Some((tool.name.clone(), arguments, Provenance::Mended(repairs)))
}

/// Whether a value is a schema where the tool takes no object.
fn is_schema(tool: &Tool, key: &str, value: &str) -> bool {
    let ty = tool.parameters.root().property(key);
    let object = value.trim_start().starts_with('{') && !ty.kinds().contains(Kinds::OBJECT);
    let mut keys = json::entries(value).map(|(key, _)| key);
    object && keys.any(|key| key == "type") && !json::entries(value).any(|(key, _)| key == "value")
}
