//! From a description to the grammar of a turn.
use callsign_core::{Constraint, Offer, Unconstrained};

use crate::description::Description;

pub(crate) fn constrain(
    _description: &Description,
    _offer: &Offer<'_>,
) -> Result<Constraint, Unconstrained> {
    Err(Unconstrained::NoTools)
}
