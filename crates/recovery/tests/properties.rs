//! What holds whatever is written: text does not wait, floods take linear
//! work, and a report counts what was told.

use callsign::{Dialects, End, Offer, Provenance, Reader};
use callsign_recovery::Report;
use callsign_testing::markers::markers;
use callsign_testing::reading::Reading;
use proptest::prelude::*;
use proptest::sample::select;

#[allow(dead_code, reason = "only the nets are needed")]
mod fuzzed;

use fuzzed::{NETS, TOOLSET};

/// No text waits longer than this, in bytes.
const LONGEST_WAIT: usize = 64;

/// The length of the pieces in which it comes.
const PIECE: usize = 16;

/// Words of prose, with all that may begin something and does not.
fn prose() -> impl Strategy<Value = String> {
    // What announces a call or names a tool in front of a bracket is not among
    // them: it waits for that bracket's end.
    let words = select(vec![
        "the",
        "net ",
        "looks",
        "at a < b",
        "and {x}",
        "`code`",
        "[1]",
        "[note]",
        "a[i]",
        ": ",
        "\n",
        "\n\n",
        "\n- ",
        "\n* ",
        "\n# ",
        "\n> said",
        "e.g. ",
        "<b>",
        "</b>",
        "<p class=\"x\">",
        "{\"a\": 1}",
        "f(x)",
        "print(1)",
        "```\nfn main() {}\n```\n",
        "lookup",
        "\nlookup is ",
        "\nAction is ",
        "to=you",
        "\ncall ",
        "ß",
        "日本",
        "|",
        "<|",
        "</",
        "<<",
        "]",
        "}",
        "\n{",
        "\n<",
        " ",
        ", ",
        ". ",
    ]);
    proptest::collection::vec(words, 1..400).prop_map(|words| words.concat())
}

/// How far behind its end text stands, at worst, while a text is read.
fn longest_wait(net: usize, text: &str, size: usize) -> usize {
    let (mut pushed, mut told, mut longest) = (0, 0, 0);
    let mut reader = Reader::new(&NETS[net], &Offer::new(&TOOLSET));
    for piece in text.as_bytes().chunks(size) {
        pushed += piece.len();
        let pushing = reader.push_bytes(piece, &mut |event| {
            told = event.span().map_or(told, |span| span.end);
        });
        assert!(pushing.is_ok());
        longest = longest.max(pushed - told);
    }
    longest
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Prose is shown as it comes.
    #[test]
    fn text_does_not_wait(text in prose(), net in 0..NETS.len()) {
        let text = text.repeat(100_000 / text.len().max(1));
        // White space may belong to markup that follows it.
        let blanks = text.split(|char: char| !char.is_whitespace()).map(str::len).max();
        prop_assume!(blanks.is_none_or(|blanks| blanks <= PIECE));
        let reading = Reading::of(&NETS[net], &Offer::new(&TOOLSET), End::Stop, [&*text]);
        prop_assume!(reading.turn.content == text);
        let wait = longest_wait(net, &text, PIECE);
        prop_assert!(wait <= LONGEST_WAIT, "{wait} bytes waited under {net}");
    }

    /// Whatever is written over and over, no more is told than a few events for each
    /// marker.
    #[test]
    fn floods_tell_no_more_than_they_hold(
        pieces in proptest::collection::vec(select(all_markers()), 1..5),
        net in 0..NETS.len(),
    ) {
        const TIMES: usize = 500;
        let text = pieces.concat().repeat(TIMES);
        let reading = Reading::of(&NETS[net], &Offer::new(&TOOLSET), End::Stop, [&*text]);
        let (told, most) = (reading.events.len(), 6 * pieces.len() * TIMES);
        prop_assert!(told <= most, "{told} events");
    }

    /// Whatever stands in code within an explanation is no call, under any net.
    #[test]
    fn code_within_an_explanation_holds_no_call(
        pieces in proptest::collection::vec(select(all_without_fences()), 1..40),
        net in 0..NETS.len(),
    ) {
        let code = pieces.concat();
        let text = format!("See this.\n\n```\n{code}\n```\n\nSo it is written.");
        let reading = Reading::of(&NETS[net], &Offer::new(&TOOLSET), End::Stop, [&*text]);
        prop_assert!(reading.turn.calls.is_empty(), "{:#?}", reading.turn.calls);
    }

    /// A report counts every call once, and every attempt.
    #[test]
    fn a_report_counts_all(
        pieces in proptest::collection::vec(select(all_markers()), 1..40),
        net in 0..NETS.len(),
    ) {
        let text = pieces.concat();
        let mut report = Report::default();
        let reading = Reading::of(&NETS[net], &Offer::new(&TOOLSET), End::Stop, [&*text]);
        reading.events.iter().for_each(|event| report.add(event));
        let calls = &reading.turn.calls;
        let recovered = calls
            .iter()
            .filter(|call| matches!(call.provenance, Provenance::Recovered(_)))
            .count();
        let mended =
            calls.iter().filter(|call| matches!(call.provenance, Provenance::Mended(_))).count();
        prop_assert_eq!(report.recovered.len(), recovered);
        prop_assert_eq!(report.mended.len(), mended);
        prop_assert_eq!(report.native, calls.len() - recovered - mended);
        prop_assert_eq!(report.refused.values().sum::<usize>(), reading.turn.attempts.len());
        let taken: usize = report.recovered.iter().chain(&report.mended).map(|entry| entry.bytes).sum();
        prop_assert!(taken <= text.len());
    }
}

/// The markers of all dialects, names of tools, and pieces of calls.
fn all_markers() -> Vec<String> {
    let dialects = Dialects::builtin();
    let mut all: Vec<String> = dialects.descriptions().flat_map(markers).collect();
    let others = [
        "lookup",
        "get_weather",
        "{\"name\": \"lookup\", \"arguments\": {\"terms\": \"a\"}}",
        "(terms=\"a\")",
        "{\"terms\": \"a\"}",
        "terms",
        "a",
        "\n",
        " ",
        "`",
        "```",
        "\"",
    ];
    all.extend(others.map(str::to_owned));
    all.sort();
    all.dedup();
    all
}

/// Those that close no code that they stand in.
fn all_without_fences() -> Vec<String> {
    let mut all = all_markers();
    all.retain(|piece| !piece.contains(['`', '~']));
    all
}
