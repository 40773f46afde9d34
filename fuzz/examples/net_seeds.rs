//! Writes what fuzzing of the net begins with into `fuzz/corpus`: the outputs of
//! the project's corpus, and the markers of all dialects as a dictionary.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use callsign::Dialects;
use callsign_testing::corpus::{Case, Corpus};
use callsign_testing::markers;

#[path = "../../crates/recovery/tests/fuzzed/mod.rs"]
#[allow(dead_code, reason = "fuzzing needs the rest")]
mod fuzzed;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let corpus = Corpus::load(&folder.join("../corpus"))?;
    let into = folder.join("corpus");
    for target in ["recover", "recover_turn", "mend"] {
        fs::create_dir_all(into.join(target))?;
    }
    for (number, case) in corpus.cases.iter().enumerate() {
        let name = format!("case-{number}");
        let input = input(case);
        fs::write(into.join("recover").join(&name), &input)?;
        fs::write(into.join("recover_turn").join(&name), input)?;
        for (index, input) in arguments(case).into_iter().enumerate() {
            fs::write(into.join("mend").join(format!("{name}-{index}")), input)?;
        }
    }
    fs::write(into.join("net.dict"), dictionary()?)?;
    Ok(())
}

/// The output of a case, behind a line that chooses its dialect.
fn input(case: &Case) -> String {
    let net = fuzzed::NETS.iter().position(|net| net.inner().name() == case.dialect);
    let net = char::from(b'a' + net.and_then(|net| u8::try_from(net).ok()).unwrap_or(0));
    format!("{net}acb\n{}", case.text())
}

/// The arguments of a case's calls, each behind the schema of its tool.
fn arguments(case: &Case) -> Vec<String> {
    let calls = case.recovered.as_ref().unwrap_or(&case.expect).calls.iter();
    let of = |name: &str| case.toolset().get(name).map(|tool| tool.parameters.as_str());
    calls
        .filter_map(|call| {
            let schema = of(&call.name)?;
            let schema = schema.replace('\n', " ");
            Some(format!("{schema}\n{}", call.arguments.as_str()))
        })
        .collect()
}

/// Every marker of every dialect, and words that decide.
fn dictionary() -> Result<String, std::fmt::Error> {
    let words = [
        "Action: ", "Action Input: ", "Observation:", "[Calling ", "to=", "```", "```json\n",
        "for example", "{\"name\": \"", "\", \"arguments\": {", "None", "True", "print(", "~~~\n",
    ];
    let dialects = Dialects::builtin();
    let mut all: Vec<String> = dialects.descriptions().flat_map(markers::markers).collect();
    all.extend(words.map(str::to_owned));
    all.extend(fuzzed::TOOLSET.iter().map(|tool| tool.name.clone()));
    all.sort();
    all.dedup();
    let mut dictionary = String::new();
    for word in all {
        dictionary.push('"');
        for byte in word.bytes() {
            match byte {
                b' ' | b'!' | b'#'..=b'[' | b']'..=b'~' => dictionary.push(char::from(byte)),
                _ => write!(dictionary, "\\x{byte:02x}")?,
            }
        }
        dictionary.push_str("\"\n");
    }
    Ok(dictionary)
}
