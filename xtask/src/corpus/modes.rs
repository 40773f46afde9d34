//! The ways in which a case is read.

use callsign::{Dialect, Provenance, Reader, Turn};
use callsign_testing::corpus::{Case, Mode};
use callsign_testing::cuts::{Placed, Whole, unexplained};

use super::Count;

/// The most places at which one case is cut; longer ones are cut at this many,
/// evenly apart.
const CUTS: usize = 2000;

/// How a case went wrong.
pub(super) struct Wrong {
    /// The way in which it was read.
    pub(super) way: String,
    pub(super) differences: Vec<String>,
}

impl Wrong {
    /// A case that was not even read.
    pub(super) fn unread(why: &str) -> Self {
        Wrong { way: "not at all".to_owned(), differences: vec![why.to_owned()] }
    }
}

/// A case that is read in one of the two modes, by the dialect of that mode.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub(super) case: &'a Case,
    pub(super) mode: Mode,
    pub(super) dialect: &'a dyn Dialect,
}

impl Subject<'_> {
    /// Reads the case in every way, up to the first that goes wrong.
    pub(super) fn run(self) -> (Count, Option<Wrong>) {
        let text = self.case.text();
        let whole = self.read([text.as_bytes()]);
        let wrong = self
            .expected(&whole)
            .or_else(|| self.chunked(&text, &whole))
            .or_else(|| self.truncated(&text));
        (self.count(&whole), wrong)
    }

    fn expected(self, whole: &Turn) -> Option<Wrong> {
        let differences = self.case.check(self.mode, whole).err()?;
        let differences = differences.iter().map(ToString::to_string).collect();
        Some(self.wrong("whole", differences))
    }

    fn wrong(self, way: &str, differences: Vec<String>) -> Wrong {
        Wrong { way: format!("{way}, {}", self.mode), differences }
    }

    /// However the output is cut into pieces, the turn is the same.
    fn chunked(self, text: &str, whole: &Turn) -> Option<Wrong> {
        let same = |way: &dyn Fn() -> String, pieces: &mut dyn Iterator<Item = &[u8]>| {
            let turn = self.read(pieces);
            (turn != *whole).then(|| self.wrong(&way(), compare(whole, &turn)))
        };
        let deltas = self.case.deltas();
        if let wrong @ Some(_) =
            same(&|| "as it came".to_owned(), &mut deltas.iter().map(|delta| delta.as_bytes()))
        {
            return wrong;
        }
        if let wrong @ Some(_) = same(&|| "byte by byte".to_owned(), &mut text.as_bytes().chunks(1))
        {
            return wrong;
        }
        places(text.len()).find_map(|place| {
            let (front, back) = text.as_bytes().split_at(place);
            same(&|| format!("split at byte {place}"), &mut [front, back].into_iter())
        })
    }

    /// A cut call is never a call: what is read from a cut output stands in the
    /// whole as well, or what follows explains why it does not.
    fn truncated(self, text: &str) -> Option<Wrong> {
        let offer = self.case.offer();
        let whole = Whole::of(self.dialect, &offer, text);
        places(text.len()).filter(|place| text.is_char_boundary(*place)).find_map(|place| {
            let cut = unexplained(self.dialect, &offer, &text[..place], &whole);
            let differences: Vec<String> = cut
                .iter()
                .map(|Placed { call, .. }| {
                    format!("a cut call: {} {}", call.name, call.arguments.as_str())
                })
                .collect();
            let way = format!("truncated at byte {place}");
            (!differences.is_empty()).then(|| self.wrong(&way, differences))
        })
    }

    fn read<'p>(self, pieces: impl IntoIterator<Item = &'p [u8]>) -> Turn {
        let mut turn = Turn::default();
        let mut reader = Reader::new(self.dialect, &self.case.offer());
        for piece in pieces {
            // The text of a case is a string, so no piece of it is wrong.
            let _ = reader.push_bytes(piece, &mut |event| turn.add(event));
        }
        reader.finish(self.case.end, &mut |event| turn.add(event));
        turn
    }

    /// How the calls that were read relate to those expected, by value.
    fn count(self, turn: &Turn) -> Count {
        let expected = self.case.expected(self.mode).calls.iter();
        let mut expected: Vec<_> =
            expected.map(|call| (call.name.as_str(), call.arguments.canonical())).collect();
        let mut count = Count::default();
        for call in &turn.calls {
            let read = (call.name.as_str(), call.arguments.canonical());
            match expected.iter().position(|call| *call == read) {
                Some(at) => {
                    expected.swap_remove(at);
                    let recovered = matches!(call.provenance, Provenance::Recovered(_));
                    count.recovered += usize::from(recovered);
                }
                None => count.false_positives += 1,
            }
        }
        count.missed = expected.len();
        count
    }
}

/// Every place inside of a text, or so many of them.
fn places(len: usize) -> impl Iterator<Item = usize> {
    (1..len).step_by(len.div_ceil(CUTS).max(1))
}

fn compare(whole: &Turn, turn: &Turn) -> Vec<String> {
    let mut differences = Vec::new();
    let mut compare = |what: &str, whole: &dyn std::fmt::Debug, turn: &dyn std::fmt::Debug| {
        let (whole, turn) = (format!("{whole:?}"), format!("{turn:?}"));
        if whole != turn {
            differences.push(format!("{what}: whole {whole}, now {turn}"));
        }
    };
    compare("content", &whole.content, &turn.content);
    compare("reasoning", &whole.reasoning, &turn.reasoning);
    compare("calls", &whole.calls, &turn.calls);
    compare("rejected", &whole.rejected, &turn.rejected);
    compare("attempts", &whole.attempts, &turn.attempts);
    compare("ambiguous", &whole.ambiguous, &turn.ambiguous);
    differences
}
