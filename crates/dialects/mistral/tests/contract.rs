//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_mistral::dialects()[$at].clone(),
                callsign_mistral::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(mistral, 0);
contract!(v3, 1);
contract!(v11, 2);
contract!(v13, 3);
