//! Appending the short pieces in which models write.

/// Appends `piece`. A copy whose size is known when it is compiled is a move or
/// two; any other is a call, which costs more than all else that is done with a
/// piece of a few bytes.
#[inline(always)]
pub(crate) fn push_piece(out: &mut String, piece: &str) {
    match piece.len() {
        1 => push::<1>(out, piece),
        2 => push::<2>(out, piece),
        3 => push::<3>(out, piece),
        4 => push::<4>(out, piece),
        5 => push::<5>(out, piece),
        6 => push::<6>(out, piece),
        7 => push::<7>(out, piece),
        8 => push::<8>(out, piece),
        16 => push::<16>(out, piece),
        _ => out.push_str(piece),
    }
}

#[inline]
fn push<const SIZE: usize>(out: &mut String, piece: &str) {
    if let Some(piece) = piece.get(..SIZE) {
        out.push_str(piece);
    }
}
