//! The contract, put to each of these dialects.

use std::sync::Arc;

use callsign_core::Dialect;
use callsign_deepseek::{dsml, json};

fn named(name: &str) -> Arc<dyn Dialect> {
    let found = callsign_deepseek::dialects().into_iter().find(|dialect| dialect.name() == name);
    found.unwrap_or_else(|| panic!("there is a dialect `{name}`"))
}

mod v3 {
    use super::{json, named};

    callsign_testing::contract!(named("deepseek-v3"), json::reader(), "../../../corpus");
}

mod v31 {
    use super::{json, named};

    callsign_testing::contract!(named("deepseek-v31"), json::reader(), "../../../corpus");
}

mod dsml_family {
    use super::{dsml, named};

    callsign_testing::contract!(named("deepseek-dsml"), dsml::reader(), "../../../corpus");
}

mod dsml_v3_2 {
    use super::{dsml, named};

    callsign_testing::contract!(named("deepseek-dsml@v3.2"), dsml::reader());
}

mod dsml_v4 {
    use super::{dsml, named};

    callsign_testing::contract!(named("deepseek-dsml@v4"), dsml::reader());
}

mod dsml_v4_1 {
    use super::{dsml, named};

    callsign_testing::contract!(named("deepseek-dsml@v4.1"), dsml::reader());
}
