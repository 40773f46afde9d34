//! `cargo xtask conformance`: foreign cases, by what they expect.
//!
//! Two formats are told apart line by line: raw outputs with what is to be read
//! from them, which is done under the recovery net, and vectors recorded with a
//! chat template, which are read by their dialect alone.

mod case;

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;

use serde::Deserialize;

use crate::tally::{self, Named, Tally};
use crate::vectors::{Outcome, Part, Spoken, Vector};
use crate::{Failure, templates};

use case::{Case, Readers};

/// Run foreign cases
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files with one case a line
    #[arg(required = true, value_name = "FILE.jsonl")]
    files: Vec<PathBuf>,

    /// Write each failure to this file, one JSON object a line
    #[arg(long, value_name = "FILE")]
    failures: Option<PathBuf>,

    /// Run only these kinds, such as `native,stream,truncated`; vectors are of
    /// the kinds `prompt` and `reading`
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    kinds: Vec<String>,

    /// Run only cases of this confidence, such as `certain`
    #[arg(long, value_name = "WORD")]
    confidence: Option<String>,

    /// Read cases by their dialect alone, without the recovery net
    #[arg(long)]
    strict: bool,

    /// A folder with the templates of vectors, in place of those that are
    /// fetched
    #[arg(long, value_name = "FOLDER")]
    templates: Option<PathBuf>,
}

/// A line, by the format it is in.
enum Line<'a> {
    Case(Box<Case<'a>>),
    Vector(Box<Vector<'a>>),
}

/// What tells the formats apart.
#[derive(Deserialize)]
struct Probe {
    template: Option<serde::de::IgnoredAny>,
    expect_calls: Option<serde::de::IgnoredAny>,
}

impl<'a> Line<'a> {
    fn of(text: &'a str) -> Result<Self, serde_json::Error> {
        let probe: Probe = serde_json::from_str(text)?;
        Ok(match probe {
            Probe { template: Some(_), expect_calls: Some(_) } => {
                Line::Vector(Box::new(serde_json::from_str(text)?))
            }
            _ => Line::Case(Box::new(serde_json::from_str(text)?)),
        })
    }
}

/// What the lines are run with, and what came of them.
struct Run<'a> {
    args: &'a Args,
    readers: Readers,
    /// Loaded with the first vector.
    spoken: Option<Spoken>,
    cases: Tally,
    prompts: Tally,
    reading: Tally,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let mut run = Run {
        args,
        readers: if args.strict { Readers::strict() } else { Readers::recovering() },
        spoken: None,
        cases: Tally::default(),
        prompts: Tally::default(),
        reading: Tally::default(),
    };
    for path in &args.files {
        let name = path.display().to_string();
        let file =
            std::fs::File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
        for (index, line) in BufReader::new(file).lines().enumerate() {
            let at = |error: String| format!("{name}, line {}: {error}", index + 1);
            let text = line.map_err(|error| at(error.to_string()))?;
            if text.trim().is_empty() {
                continue;
            }
            match Line::of(&text).map_err(|error| at(error.to_string()))? {
                Line::Case(case) => run.case(&case, (&name, index + 1)),
                Line::Vector(vector) => run.vector(&vector, (&name, index + 1), out)?,
            }
        }
    }
    run.report(out)
}

impl Run<'_> {
    fn case(&mut self, case: &Case<'_>, (file, line): (&str, usize)) {
        if let Some(reason) = self.args.unasked(&case.kind, &case.confidence) {
            return self.cases.skip(reason);
        }
        self.cases.add(&case.kind, case.run(&self.readers), || Named {
            file: file.to_owned(),
            line,
            input: case.text(),
            id: case.id.clone(),
            kind: case.kind.clone(),
            confidence: case.confidence.clone(),
            dialect: case.dialect.clone().unwrap_or_default(),
        });
    }

    fn vector(
        &mut self,
        vector: &Vector<'_>,
        place: (&str, usize),
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let spoken = match &mut self.spoken {
            Some(spoken) => spoken,
            none => none.insert(Spoken::new(templates::load(self.args.templates.as_deref(), out)?)),
        };
        for part in [Part::Prompt, Part::Reading] {
            let tally = match part {
                Part::Prompt => &mut self.prompts,
                Part::Reading => &mut self.reading,
            };
            if let Some(reason) = self.args.unasked(part.name(), "") {
                tally.skip(reason);
                continue;
            }
            let Outcome { verdict, dialect } = match part {
                Part::Prompt => vector.render(spoken.templates()).into(),
                Part::Reading => vector.read(spoken),
            };
            tally.add(part.name(), verdict, || vector.named(part, &dialect, place));
        }
        Ok(())
    }

    /// Prints each part that was run. The cases come last, unless there are
    /// only vectors.
    fn report(&self, out: &mut dyn Write) -> Result<(), Failure> {
        let parts = [("prompts: ", &self.prompts), ("reading: ", &self.reading), ("", &self.cases)];
        let run: Vec<_> = parts.into_iter().filter(|(_, tally)| !tally.is_empty()).collect();
        for (heading, tally) in &run {
            tally.report(heading, out)?;
        }
        if run.is_empty() {
            self.cases.report("", out)?;
        }
        if let Some(path) = &self.args.failures {
            tally::write_failures(path, &parts.map(|(_, tally)| tally))?;
        }
        if parts.iter().all(|(_, tally)| tally.sound()) { Ok(()) } else { Err(Failure::Found) }
    }
}

impl Args {
    /// Why a case of this kind and confidence is not run, if it is not.
    fn unasked(&self, kind: &str, confidence: &str) -> Option<&'static str> {
        if !self.kinds.is_empty() && !self.kinds.iter().any(|asked| asked == kind) {
            return Some("of another kind than asked for");
        }
        let other = self.confidence.as_ref().is_some_and(|asked| asked != confidence);
        other.then_some("of another confidence than asked for")
    }
}

#[cfg(test)]
mod tests {
    use super::Line;

    #[test]
    fn the_formats_are_told_apart_by_their_fields() {
        let case = r#"{"id":"a","kind":"native","dialect":"hermes","tools":[],"input":"Hi",
            "expected":{}}"#;
        assert!(matches!(Line::of(case), Ok(Line::Case(_))));
        let vector = r#"{"template":"a.jinja","messages":[],"tools":[],"enable_thinking":false,
            "add_generation_prompt":true,"prompt":"","generation_prompt":"","now":"2025-01-31",
            "input":"Hi","reasoning_format":"none","expect_calls":[],"expect_content":"Hi",
            "expect_reasoning":"","is_partial":false,"continue_final_message":0,
            "json_schema":""}"#;
        assert!(matches!(Line::of(vector), Ok(Line::Vector(_))));
        // A case may name a template too, so that alone tells nothing.
        let both = case.replacen('{', r#"{"template":"a.jinja","#, 1);
        assert!(matches!(Line::of(&both), Ok(Line::Case(_))));
        assert!(Line::of("[]").is_err());
        assert!(Line::of(r#"{"template":"a","expect_calls":[]}"#).is_err());
    }
}
