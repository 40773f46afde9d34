//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_minicpm::dialects().remove(0),
    callsign_minicpm::reader(),
    "../../../corpus",
);
