//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_hermes::dialect(),
    callsign_hermes::description(),
    "../../../corpus",
);
