//! The contract, put to this dialect.

callsign_testing::contract!(
    callsign_qwen_xml::dialect(),
    callsign_qwen_xml::description(),
    "../../../corpus",
);
