//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_kimi::dialects()[$at].clone(),
                callsign_kimi::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(k2, 0);
contract!(k3, 1);
