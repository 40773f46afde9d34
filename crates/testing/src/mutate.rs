//! What goes wrong with an output: markers lost, doubled, exchanged or cut, the
//! text cut, characters in the wrong place.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::generate::{half, piece};

/// One thing that goes wrong. Places are drawn, so that they fit any text.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Mutation {
    /// A marker is missing.
    Drop(Index),
    /// A marker comes twice.
    Double(Index),
    /// One marker stands in place of another.
    Swap(Index, String),
    /// Only a part of a marker is there.
    Half(Index, Index),
    /// The output stops.
    Cut(Index),
    /// A piece is missing.
    Lose(Index, Index),
    /// Something is there that does not belong.
    Insert(Index, String),
}

/// A few mutations for texts with these markers.
pub fn mutations(markers: &[String], most: usize) -> BoxedStrategy<Vec<Mutation>> {
    let at = any::<Index>;
    let insert = (at(), prop_oneof![piece(markers), half_of(markers)])
        .prop_map(|(at, text)| Mutation::Insert(at, text));
    let one = prop_oneof![
        3 => at().prop_map(Mutation::Drop),
        2 => at().prop_map(Mutation::Double),
        2 => (at(), marker_of(markers)).prop_map(|(at, marker)| Mutation::Swap(at, marker)),
        2 => (at(), at()).prop_map(|(at, part)| Mutation::Half(at, part)),
        1 => at().prop_map(Mutation::Cut),
        1 => (at(), at()).prop_map(|(from, to)| Mutation::Lose(from, to)),
        3 => insert,
    ];
    proptest::collection::vec(one, 0..=most).boxed()
}

/// `text` with all these mutations, one after the other.
pub fn mutate(text: &str, markers: &[String], mutations: &[Mutation]) -> String {
    let mut text = text.to_owned();
    for mutation in mutations {
        text = mutated(&text, markers, mutation);
    }
    text
}

fn mutated(text: &str, markers: &[String], mutation: &Mutation) -> String {
    let found = occurrences(text, markers);
    let pick = |index: &Index| (!found.is_empty()).then(|| found[index.index(found.len())]);
    let replace = |(start, end): (usize, usize), with: &str| {
        format!("{}{with}{}", &text[..start], &text[end..])
    };
    let changed = match mutation {
        Mutation::Drop(at) => pick(at).map(|place| replace(place, "")),
        Mutation::Double(at) => {
            pick(at).map(|place| replace(place, &text[place.0..place.1].repeat(2)))
        }
        Mutation::Swap(at, marker) => pick(at).map(|place| replace(place, marker)),
        Mutation::Half(at, part) => pick(at).map(|place| {
            let marker = &text[place.0..place.1];
            replace(place, &marker[..boundary(marker, part)])
        }),
        Mutation::Cut(at) => Some(text[..boundary(text, at)].to_owned()),
        Mutation::Lose(from, to) => {
            let (a, b) = (boundary(text, from), boundary(text, to));
            // Most of the text stays.
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 40));
            let b = (b..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
            Some(replace((a, b), ""))
        }
        Mutation::Insert(at, inserted) => {
            let at = boundary(text, at);
            Some(replace((at, at), inserted))
        }
    };
    changed.unwrap_or_else(|| text.to_owned())
}

/// Where markers stand in a text.
fn occurrences(text: &str, markers: &[String]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = markers
        .iter()
        .flat_map(|marker| {
            text.match_indices(marker.as_str()).map(|(at, found)| (at, at + found.len()))
        })
        .collect();
    found.sort_unstable();
    found
}

/// A drawn place between two characters.
fn boundary(text: &str, index: &Index) -> usize {
    let at = index.index(text.len() + 1);
    (at..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

fn marker_of(markers: &[String]) -> BoxedStrategy<String> {
    if markers.is_empty() { Just(String::new()).boxed() } else { select(markers.to_vec()).boxed() }
}

fn half_of(markers: &[String]) -> BoxedStrategy<String> {
    if markers.is_empty() { Just(String::new()).boxed() } else { half(markers) }
}
