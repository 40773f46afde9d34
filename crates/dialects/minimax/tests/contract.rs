//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_minimax::dialects()[$at].clone(),
                callsign_minimax::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(m2, 0);
contract!(m3, 1);
