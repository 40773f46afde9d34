//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_harmony::dialects()[0].clone(),
    callsign_harmony::descriptions()[0].clone(),
    "../../../corpus",
);
