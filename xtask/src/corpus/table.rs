//! What came of the corpus, by dialect and kind.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::Count;

/// The cases of one dialect and kind.
#[derive(Clone, Default, Serialize)]
pub(super) struct Row {
    dialect: String,
    kind: String,
    cases: usize,
    passed: usize,
    recovered: usize,
    missed: usize,
    false_positives: usize,
}

/// The rows, while they are counted.
#[derive(Default)]
pub(super) struct Table(BTreeMap<(String, String), Row>);

impl Table {
    pub(super) fn add(&mut self, dialect: &str, kind: &str, count: &Count, passed: bool) {
        let row = self.0.entry((dialect.to_owned(), kind.to_owned())).or_insert_with(|| Row {
            dialect: dialect.to_owned(),
            kind: kind.to_owned(),
            ..Row::default()
        });
        row.cases += 1;
        row.passed += usize::from(passed);
        row.recovered += count.recovered;
        row.missed += count.missed;
        row.false_positives += count.false_positives;
    }

    pub(super) fn rows(self) -> Vec<Row> {
        self.0.into_values().collect()
    }
}

/// Prints rows and their sum.
pub(super) fn print(rows: &[Row], out: &mut dyn Write) -> io::Result<()> {
    let heads = ["dialect", "kind", "cases", "passed", "recovered", "missed", "false positives"];
    let mut sum = Row { dialect: "all".to_owned(), ..Row::default() };
    for row in rows {
        sum.cases += row.cases;
        sum.passed += row.passed;
        sum.recovered += row.recovered;
        sum.missed += row.missed;
        sum.false_positives += row.false_positives;
    }
    let lines: Vec<[String; 7]> = std::iter::once(heads.map(String::from))
        .chain(rows.iter().chain([&sum]).map(|row| {
            [
                row.dialect.clone(),
                row.kind.clone(),
                row.cases.to_string(),
                row.passed.to_string(),
                row.recovered.to_string(),
                row.missed.to_string(),
                row.false_positives.to_string(),
            ]
        }))
        .collect();
    let width =
        |column: usize| lines.iter().map(|cells| cells[column].len()).max().unwrap_or_default();
    for cells in &lines {
        let mut line = String::new();
        for (column, cell) in cells.iter().enumerate() {
            let width = width(column);
            // Words to the left, numbers to the right.
            let padded =
                if column < 2 { format!("{cell:<width$}") } else { format!("{cell:>width$}") };
            line.push_str(if column == 0 { "" } else { "  " });
            line.push_str(&padded);
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}
