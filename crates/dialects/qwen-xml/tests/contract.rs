//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_qwen_xml::dialects().remove(0),
    callsign_qwen_xml::descriptions().remove(0),
    "../../../corpus",
);
