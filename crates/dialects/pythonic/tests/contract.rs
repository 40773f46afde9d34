//! The contract, put to these dialects.

use std::sync::Arc;

use callsign_core::Dialect;
use callsign_syntax::description::Description;

fn dialect(name: &str) -> Arc<dyn Dialect> {
    callsign_pythonic::dialects().into_iter().find(|dialect| dialect.name() == name).unwrap()
}

fn description(name: &str) -> Description {
    callsign_pythonic::descriptions().into_iter().find(|all| all.name == name).unwrap()
}

macro_rules! contracts {
    ($($module:ident: $name:literal,)+) => {
        $(mod $module {
            callsign_testing::contract!(
                super::dialect($name),
                super::description($name),
                "../../../corpus",
            );
        })+
    };
}

contracts! {
    pythonic: "pythonic",
    lfm2: "lfm2",
    lfm2_json: "lfm2@json",
    olmo3: "olmo3",
}
