//! The contract, put to each of these dialects.

use std::sync::Arc;

use callsign_core::Dialect;
use callsign_deepseek::{dsml, json};

/// One of the dialects, by its place among them.
fn dialect(place: usize) -> Arc<dyn Dialect> {
    callsign_deepseek::dialects().remove(place)
}

mod v3 {
    use super::{dialect, json};

    callsign_testing::contract!(dialect(0), json::reader(), "../../../corpus");
}

mod v31 {
    use super::{dialect, json};

    callsign_testing::contract!(dialect(1), json::reader(), "../../../corpus");
}

mod dsml_family {
    use super::{dialect, dsml};

    callsign_testing::contract!(dialect(2), dsml::reader(), "../../../corpus");
}

mod dsml_v3_2 {
    use super::{dialect, dsml};

    callsign_testing::contract!(dialect(3), dsml::reader());
}

mod dsml_v4 {
    use super::{dialect, dsml};

    callsign_testing::contract!(dialect(4), dsml::reader());
}

mod dsml_v4_1 {
    use super::{dialect, dsml};

    callsign_testing::contract!(dialect(5), dsml::reader());
}
