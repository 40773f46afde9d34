//! The contract, put to each of these dialects.

use std::sync::Arc;

use callsign_core::Dialect;

/// One of the dialects, by its place among them.
fn dialect(place: usize) -> Arc<dyn Dialect> {
    callsign_glm::dialects().remove(place)
}

mod glm {
    callsign_testing::contract!(super::dialect(0), callsign_glm::reader(), "../../../corpus");
}

mod glm_4_5 {
    callsign_testing::contract!(super::dialect(1), callsign_glm::reader());
}

mod glm_4_7 {
    callsign_testing::contract!(super::dialect(2), callsign_glm::reader());
}

mod glm_ling3 {
    callsign_testing::contract!(super::dialect(3), callsign_glm::reader());
}
