//! Which dialect every template speaks, against a table of what is known.

use std::collections::BTreeMap;
use std::io::Write;

use callsign::Dialects;
use callsign_template::{ChatTemplate, Undetected, Verdict, detect};

use super::Templates;
use crate::Failure;

/// By file name, in the words of [`said`].
const KNOWN: &str = include_str!("dialects.toml");

/// Compares what is found for each template with the table.
pub(super) fn check(templates: &Templates, out: &mut dyn Write) -> Result<bool, Failure> {
    let known: BTreeMap<String, String> =
        toml::from_str(KNOWN).map_err(|error| format!("dialects.toml: {error}"))?;
    let dialects = Dialects::builtin();
    let (mut spoken, mut not_built_in, mut without, mut differ) = (0, 0, 0, 0);
    for (name, template) in templates {
        let found = said(template, &dialects);
        match found.as_str() {
            "no tools" => without += 1,
            found if found.starts_with("not built in") => not_built_in += 1,
            _ => spoken += 1,
        }
        match known.get(name) {
            Some(known) if *known == found => {}
            Some(known) => {
                writeln!(out, "DIFFERS {name}: {found}; known: {known}")?;
                differ += 1;
            }
            None => writeln!(out, "new {name}: {found}")?,
        }
    }
    writeln!(
        out,
        "{spoken} templates speak a dialect, {not_built_in} one that is not built in, {without} \
         have no tools; {differ} differ from the table"
    )?;
    Ok(differ == 0)
}

/// What is found for a template, in a few words.
fn said(template: &ChatTemplate, dialects: &Dialects) -> String {
    match detect(template, dialects.iter()) {
        Ok(found) => {
            let verdict = match found.chosen.verdict {
                Verdict::Same => "writes the same",
                Verdict::ReadsBack => "reads back",
                Verdict::NotPrinted => "prints no calls",
                Verdict::Damaged | Verdict::ReadsOtherwise => "does not read back",
            };
            let tools = if found.prints_tools { "" } else { ", prints no tools" };
            format!("{}: {verdict}{tools}", found.chosen.dialect.name())
        }
        Err(Undetected::NotBuiltIn { family, .. }) => format!("not built in: {family}"),
        Err(Undetected::Unknown { prints_tools: false }) => "no tools".to_owned(),
        Err(error) => error.to_string(),
    }
}
