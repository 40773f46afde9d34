//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_llama::dialects()[$at].clone(),
                callsign_llama::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(llama3, 0);
contract!(llama3_builtin, 1);
contract!(llama4_json, 2);
contract!(llama4_pythonic, 3);
