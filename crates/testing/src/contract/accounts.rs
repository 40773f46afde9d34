//! Chunking, accounts, cost, robustness.

use callsign_core::{Dialect, End, Event, Limits, Offer, Origin, Piece, Reader};
use callsign_syntax::take_looked;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::{Contract, Verdict, same};
use crate::generate::piece;
use crate::reading::{Reading, cut};

/// More splits than these are not tried on one output.
const MOST_SPLITS: usize = 250;

impl Contract {
    /// Whole, every two-way split, byte by byte and random chunks give the same
    /// turn and the same accounts.
    pub fn chunking_never_matters(&self) -> Verdict {
        self.for_outputs(|text, offer, end| {
            same_in_every_chunking(&*self.dialect, text, offer, end)
        })
    }

    /// Text, reasoning, framing, call and rejected events tile the output, and
    /// what they hold is what stands there.
    pub fn every_byte_has_one_account(&self) -> Verdict {
        self.for_outputs(|text, offer, end| {
            tiles(text, &Reading::of(&*self.dialect, offer, end, [text]))?;
            tiles(text, &Reading::of_bytes(&*self.dialect, offer, end, text.as_bytes(), 1))
        })
    }

    /// No more than four bytes are looked at for one of input.
    pub fn linear(&self) -> Verdict {
        let spent = |text: &str, offer: &Offer<'_>, end: End| {
            let tail = match offer.start {
                callsign_core::Start::PromptTail(tail) => tail.len(),
                _ => 0,
            };
            let allowed = 4 * (text.len() + tail) as u64 + 64;
            let check = |how: &str| {
                let looked = take_looked();
                if looked <= allowed {
                    return Ok(());
                }
                Err(format!("{how}: looked at {looked} bytes of {}: {text:?}", text.len()))
            };
            take_looked();
            Reading::of(&*self.dialect, offer, end, [text]);
            check("whole")?;
            Reading::of_bytes(&*self.dialect, offer, end, text.as_bytes(), 1);
            check("byte by byte")?;
            Reading::of(&*self.dialect, offer, end, cut(text, &places(text.len(), 12, 4)));
            check("in chunks")
        };
        self.for_outputs(spent)?;
        // One thing many times over is what costs a careless scanner most.
        let many = (self.soup(1..5), self.soup(1..5), 50..200_usize, self.turns.setting());
        self.for_all(&many, |(front, again, times, setting)| {
            let text = front + &again.repeat(times);
            spent(&text, &setting.offer(&self.tools), End::Stop)
        })
    }

    /// Whatever the output: every byte has an account and nothing panics, with
    /// tight limits and with pieces of known origin, too.
    pub fn never_an_error_never_a_panic(&self) -> Verdict {
        let strings = prop_oneof![any::<String>(), self.soup(0..40)];
        let limits = select(vec![
            Limits::default(),
            Limits::default().depth(2),
            Limits::default().length(16),
            Limits::default().calls(1),
            Limits::default().calls(0).depth(0),
        ]);
        let origins = proptest::collection::vec(
            select(vec![Origin::Unknown, Origin::Text, Origin::Control]),
            1..6,
        );
        let places = proptest::collection::vec(any::<Index>(), 0..8);
        let all = (strings, limits, origins, places, self.turns.setting());
        self.for_all(&all, |(text, limits, origins, places, setting)| {
            let offer = setting.offer(&self.tools).limits(limits);
            tiles(
                &text,
                &Reading::of_bytes(&*self.dialect, &offer, End::Stop, text.as_bytes(), 1),
            )?;
            let places: Vec<usize> =
                places.iter().map(|place| place.index(text.len() + 1)).collect();
            let mut reading = Reading::default();
            let mut reader = Reader::new(&*self.dialect, &offer);
            for (text, origin) in cut(&text, &places).into_iter().zip(origins.iter().cycle()) {
                let piece = Piece { text, origin: *origin };
                reader.push_piece(piece, &mut |event| reading.add(event));
            }
            reader.finish(End::Cut, &mut |event| reading.add(event));
            tiles(&text, &reading)
        })
    }

    /// Markers and odd pieces in any order.
    pub(super) fn soup(&self, size: std::ops::Range<usize>) -> BoxedStrategy<String> {
        let markers = self.turns.markers();
        let marker = prop_oneof![select(markers.to_vec()), piece(markers)];
        proptest::collection::vec(marker, size).prop_map(|pieces| pieces.concat()).boxed()
    }
}

/// Whether whole, split and in chunks an output is read as the same.
pub(super) fn same_in_every_chunking(
    dialect: &dyn Dialect,
    text: &str,
    offer: &Offer<'_>,
    end: End,
) -> Verdict {
    let whole = Reading::of(dialect, offer, end, [text]);
    let check = |how: &str, reading: &Reading| {
        same(&format!("the turn, {how}"), &whole.turn, &reading.turn)?;
        same(&format!("the accounts, {how}"), &whole.accounts(), &reading.accounts())
    };
    for size in [1, 2, 3, 7] {
        let reading = Reading::of_bytes(dialect, offer, end, text.as_bytes(), size);
        check(&format!("{size} bytes at a time"), &reading)?;
    }
    let step = text.len() / MOST_SPLITS + 1;
    for at in (1..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
        let (front, back) = text.split_at(at);
        let reading = Reading::of(dialect, offer, end, [front, back]);
        check(&format!("split at {at}"), &reading)?;
    }
    for (size, seed) in [(2, 1), (7, 2), (40, 3)] {
        let pieces = cut(text, &places(text.len(), size, seed));
        let reading = Reading::of(dialect, offer, end, pieces.iter().copied());
        check(&format!("in the chunks {pieces:?}"), &reading)?;
    }
    Ok(())
}

/// Whether the accounts tile `text`.
pub(super) fn tiles(text: &str, reading: &Reading) -> Verdict {
    let mut at = 0;
    for event in &reading.events {
        let Some(span) = event.span() else { continue };
        if span.start != at || span.end < span.start || span.end > text.len() {
            return Err(format!("{event:?} does not begin at {at}"));
        }
        let held = match event {
            Event::Text { text, .. }
            | Event::Reasoning { text, .. }
            | Event::Framing { text, .. }
            | Event::Rejected { text, .. } => Some(text),
            _ => None,
        };
        if let Some(held) = held
            && text.get(span.start..span.end) != Some(held)
        {
            return Err(format!("{event:?} is not what stands there"));
        }
        at = span.end;
    }
    same("the end of the last account", &text.len(), &at)
}

/// Pseudo-random places, about `size` bytes apart.
pub(super) fn places(len: usize, size: usize, seed: u64) -> Vec<usize> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut at = 0;
    let mut places = Vec::new();
    while at < len {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        at += 1 + (state % (2 * size as u64)) as usize;
        places.push(at);
    }
    places
}
