//! The contract, put to these dialects.

use std::sync::Arc;

use callsign_core::Dialect;
use callsign_syntax::description::Description;

fn dialect(name: &str) -> Arc<dyn Dialect> {
    callsign_llama::dialects().into_iter().find(|dialect| dialect.name() == name).unwrap()
}

fn description(name: &str) -> Description {
    callsign_llama::descriptions().into_iter().find(|all| all.name == name).unwrap()
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
    llama3: "llama3",
    llama3_builtin: "llama3@builtin",
    llama4_json: "llama4-json",
    llama4_pythonic: "llama4-pythonic",
}
