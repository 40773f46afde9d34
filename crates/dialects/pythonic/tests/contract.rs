//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_pythonic::dialects()[$at].clone(),
                callsign_pythonic::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(pythonic, 0);
contract!(lfm2, 1);
contract!(lfm2_json, 2);
contract!(olmo3, 3);
