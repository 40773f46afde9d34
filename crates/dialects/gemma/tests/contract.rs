//! The contract, put to these dialects.

use std::sync::Arc;

use callsign_core::Dialect;
use callsign_syntax::description::Description;

fn dialect(name: &str) -> Arc<dyn Dialect> {
    callsign_gemma::dialects().into_iter().find(|dialect| dialect.name() == name).unwrap()
}

fn description(name: &str) -> Description {
    callsign_gemma::descriptions().into_iter().find(|all| all.name == name).unwrap()
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
    gemma3: "gemma3",
    gemma3_json: "gemma3@json",
    gemma3_tool_code: "gemma3@tool-code",
    functiongemma: "functiongemma",
    gemma4: "gemma4",
}
