//! One reading of an output, in some chunking, with all that was reported on
//! the way.

use callsign_core::{Dialect, End, Event, Framing, Offer, Reader, Reason, Span, Turn};

/// What one reading reported.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// The sum.
    pub turn: Turn,
    /// Every event, in order.
    pub events: Vec<Event<'static>>,
}

/// Where some bytes of the output went.
#[derive(Debug, Clone, PartialEq)]
pub enum Account {
    /// Text for the user.
    Text,
    /// Reasoning.
    Reasoning,
    /// Markup of no call.
    Framing(Framing),
    /// A call.
    Call,
    /// A broken call.
    Rejected(Reason),
}

impl Reading {
    /// Reads `pieces`.
    pub fn of<'p>(
        dialect: &dyn Dialect,
        offer: &Offer<'_>,
        end: End,
        pieces: impl IntoIterator<Item = &'p str>,
    ) -> Self {
        let mut reading = Reading::default();
        let mut reader = Reader::new(dialect, offer);
        for piece in pieces {
            reader.push(piece, &mut |event| reading.add(event));
        }
        reader.finish(end, &mut |event| reading.add(event));
        reading
    }

    /// Reads `bytes`, so many at a time. Code points may be cut.
    pub fn of_bytes(
        dialect: &dyn Dialect,
        offer: &Offer<'_>,
        end: End,
        bytes: &[u8],
        size: usize,
    ) -> Self {
        let mut reading = Reading::default();
        let mut reader = Reader::new(dialect, offer);
        for piece in bytes.chunks(size.max(1)) {
            // Bytes that are not UTF-8 would be missing from the accounts.
            let _ = reader.push_bytes(piece, &mut |event| reading.add(event));
        }
        reader.finish(end, &mut |event| reading.add(event));
        reading
    }

    /// Adds an event.
    pub fn add(&mut self, event: Event<'_>) {
        let event = event.into_owned();
        self.turn.add(event.clone());
        self.events.push(event);
    }

    /// The accounts of the output, neighbours of one kind as one. Calls and
    /// rejected regions stay apart.
    pub fn accounts(&self) -> Vec<(Account, Span)> {
        let mut accounts: Vec<(Account, Span)> = Vec::new();
        for event in &self.events {
            let Some(span) = event.span() else { continue };
            let account = match event {
                Event::Text { .. } => Account::Text,
                Event::Reasoning { .. } => Account::Reasoning,
                Event::Framing { kind, .. } => Account::Framing(*kind),
                Event::Rejected { reason, .. } => Account::Rejected(reason.clone()),
                _ => Account::Call,
            };
            match accounts.last_mut() {
                Some((last, end))
                    if *last == account
                        && end.end == span.start
                        && !matches!(account, Account::Call | Account::Rejected(_)) =>
                {
                    end.end = span.end;
                }
                _ => accounts.push((account, span)),
            }
        }
        accounts
    }
}

/// `text` cut at these places, which need not be in order. A place inside of a
/// character moves on to its end.
pub fn cut<'t>(text: &'t str, places: &[usize]) -> Vec<&'t str> {
    let mut places: Vec<usize> = places
        .iter()
        .map(|place| (*place..text.len()).find(|at| text.is_char_boundary(*at)))
        .map(|place| place.unwrap_or(text.len()))
        .collect();
    places.push(text.len());
    places.sort_unstable();
    let mut start = 0;
    let mut pieces = Vec::new();
    for place in places {
        if place > start {
            pieces.push(&text[start..place]);
            start = place;
        }
    }
    pieces
}
