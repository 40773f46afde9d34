//! The contract, put to these dialects.

/// The contract for the dialect at this place.
macro_rules! contract {
    ($module:ident, $at:literal) => {
        mod $module {
            callsign_testing::contract!(
                callsign_gemma::dialects()[$at].clone(),
                callsign_gemma::descriptions()[$at].clone(),
                "../../../corpus",
            );
        }
    };
}

contract!(gemma3, 0);
contract!(gemma3_json, 1);
contract!(gemma3_tool_code, 2);
contract!(functiongemma, 3);
contract!(gemma4, 4);
