//! What an output that was cut may hold: a cut call is never a call.

use callsign_core::{
    Arguments, Attempt, Dialect, End, Event, Offer, Provenance, Reader, Recovered, Refusal, Repair,
    Span, ToolCall,
};

/// A call and its place.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Placed {
    /// Where it stands.
    pub span: Span,
    /// The call.
    pub call: ToolCall,
}

/// What an output holds that is cut at its end.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Whole {
    /// Its calls.
    pub calls: Vec<Placed>,
    /// The places of what its surroundings say is none, and of reasoning.
    said: Vec<Span>,
}

impl Whole {
    /// What `text` holds.
    pub fn of(dialect: &dyn Dialect, offer: &Offer<'_>, text: &str) -> Whole {
        let mut whole = Whole::default();
        let mut sink = |event: Event<'_>| match event {
            Event::Call { span, call, .. } => whole.calls.push(Placed { span, call }),
            Event::Attempt(Attempt {
                span,
                refusal: Refusal::Quoted | Refusal::Example | Refusal::TextFollows,
                ..
            })
            | Event::Reasoning { span, .. } => whole.said.push(span),
            _ => {}
        };
        let mut reader = Reader::new(dialect, offer);
        reader.push(text, &mut sink);
        reader.finish(End::Cut, &mut sink);
        whole
    }
}

impl Placed {
    /// Whether it is the same call at the same place, whatever made a call of it.
    fn is(&self, other: &Placed) -> bool {
        self.span.start == other.span.start && value(&self.call) == value(&other.call)
    }

    fn overlaps(&self, other: Span) -> bool {
        self.span.start < other.end && other.start < self.span.end
    }

    fn recovered(&self) -> Option<&Recovered> {
        match &self.call.provenance {
            Provenance::Recovered(recovered) => Some(recovered),
            _ => None,
        }
    }

    /// Whether it was not closed as it should be, so that prose behind it does
    /// not show that it was closed before.
    fn end_is_mended(&self) -> bool {
        let of_end = |repair: &Repair| matches!(repair, Repair::Closer | Repair::MissingBrackets);
        self.call.provenance.repairs().iter().any(of_end)
    }
}

/// What a call says.
fn value(call: &ToolCall) -> (&str, &Arguments, Option<&str>) {
    (&call.name, &call.arguments, call.id.as_deref())
}

/// The calls of the beginning `front` of an output that the whole output has
/// not, and nothing that follows explains why.
///
/// Where the whole makes something else of a call (a rehearsal when the
/// reasoning goes on, a value when it does), the call was closed before the cut
/// and so stays as it is when prose follows. Calls that count only as the whole
/// turn are told by this: they are text as soon as prose stands before them.
/// Such calls need not stay, for what follows makes text of them as well; nor
/// need those that only their place made calls, if no call is there in the whole, nor
/// those that the whole refuses for what stands around them or has among its
/// reasoning.
pub fn unexplained(
    dialect: &dyn Dialect,
    offer: &Offer<'_>,
    front: &str,
    whole: &Whole,
) -> Vec<Placed> {
    let in_whole = |call: &Placed| whole.calls.iter().any(|other| call.is(other));
    let taken_back = |call: &Placed| {
        let placed = call.recovered().is_some_and(|recovered| !recovered.marked)
            && !whole.calls.iter().any(|other| call.overlaps(other.span));
        let said = call.recovered().is_some() && whole.said.iter().any(|span| call.overlaps(*span));
        placed || said
    };
    let calls = |text: &str| Whole::of(dialect, offer, text).calls;
    let mut cut = calls(front);
    cut.retain(|call| !in_whole(call) && !taken_back(call));
    for prose in [" and so on", "\n\nAnd so on."] {
        if cut.iter().all(Placed::end_is_mended) {
            break;
        }
        let longer = calls(&format!("{front}{prose}"));
        cut.retain(|call| call.end_is_mended() || !longer.iter().any(|other| call.is(other)));
    }
    if cut.iter().any(|call| call.recovered().is_none()) {
        let behind = calls(&format!("and so on {front}"));
        let marked =
            |call: &Placed| behind.iter().any(|other| value(&other.call) == value(&call.call));
        cut.retain(|call| call.recovered().is_some() || marked(call));
    }
    cut
}
