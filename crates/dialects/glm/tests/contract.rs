//! The contract, put to each of these dialects.

use std::sync::Arc;

use callsign_core::Dialect;

fn named(name: &str) -> Arc<dyn Dialect> {
    let found = callsign_glm::dialects().into_iter().find(|dialect| dialect.name() == name);
    found.unwrap_or_else(|| panic!("there is a dialect `{name}`"))
}

mod glm {
    callsign_testing::contract!(super::named("glm"), callsign_glm::reader(), "../../../corpus");
}

mod glm_4_5 {
    callsign_testing::contract!(super::named("glm@4.5"), callsign_glm::reader());
}

mod glm_4_7 {
    callsign_testing::contract!(super::named("glm@4.7"), callsign_glm::reader());
}

mod glm_ling3 {
    callsign_testing::contract!(super::named("glm@ling3"), callsign_glm::reader());
}
