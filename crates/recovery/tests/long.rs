//! What is recovered does not depend on how long a value is.

use std::error::Error;
use std::path::Path;

use callsign::{Dialects, End, Offer, Reader};
use callsign_testing::corpus::Corpus;

/// What is put behind a value: more than any limit within a call.
const MORE: &str = " word";
const TIMES: usize = 2000;

#[test]
fn long_values_are_recovered_as_short_ones_are() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let dialects = Dialects::builtin();
    let recovery = dialects.recovery();
    let mut tried = 0;
    for case in &Corpus::load(&folder)?.cases {
        let Some(expect) = &case.recovered else { continue };
        let net = match dialects.get(&case.dialect) {
            Some(dialect) => recovery.over(dialect),
            None => recovery.alone(),
        };
        let offer = Offer::new(case.toolset());
        let text = case.text();
        let values = expect.calls.iter().flat_map(|call| call.arguments.entries());
        for (key, value) in values {
            let value = value.trim_matches('"');
            let word = value.chars().all(char::is_alphabetic) && !value.is_empty();
            if !word || text.matches(value).count() != 1 {
                continue;
            }
            let found = |times: usize| {
                let long = [value, &MORE.repeat(times)].concat();
                let turn = Reader::new(&net, &offer).read(&text.replace(value, &long), End::Stop);
                turn.calls.iter().any(|call| call.arguments.as_str().contains(&long))
            };
            // What only a bracket or a comma ends is looked for nearby, and what no
            // quotes hold may not hold a blank.
            let behind = text.split(value).nth(1).unwrap_or_default();
            if behind.starts_with(['}', ',', ')']) || !found(1) {
                continue;
            }
            assert!(found(TIMES), "{}/{}: {key}", case.dialect, case.name);
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
    Ok(())
}
