//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_hermes::dialects().remove(0),
    callsign_hermes::descriptions().remove(0),
    "../../../corpus",
);
