//! The work that `cargo xtask bench` measures, as a program of its own, so that
//! callgrind sees nothing else.

#![expect(clippy::print_stdout, reason = "what it prints is what it is for")]

mod work;

use std::time::Instant;

use work::{Chunks, Sink, TOOLS, all, compile_dialects, compile_recovery, measured_toolset, tools};

/// Runs whose fastest counts as the time.
const RUNS: usize = 15;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args.as_slice() {
        ["toolset"] => measured_toolset(TOOLS),
        ["dialects"] => compile_dialects(),
        ["recovery"] => compile_recovery(),
        ["dialects", "time"] => {
            let start = Instant::now();
            compile_dialects();
            println!("nanoseconds {}", start.elapsed().as_nanos());
        }
        ["reader", work] => {
            if let Some(ready) = find(work).and_then(work::Work::ready) {
                ready.measured_creation();
            }
        }
        [work, chunks, sink, rest @ ..] => {
            let chunks = match chunks.parse() {
                Ok(size) => Chunks::Of(size),
                Err(_) => Chunks::Whole,
            };
            let sink = if *sink == "turn" { Sink::Turn } else { Sink::Count };
            let Some(ready) = find(work).and_then(work::Work::ready) else { return };
            let pieces = ready.pieces(chunks);
            let bytes: usize = pieces.iter().map(|piece| piece.len()).sum();
            println!("bytes {bytes}");
            if rest != ["time"] {
                ready.measured_reading(&pieces, sink);
                return;
            }
            let allocated = allocation_counter::measure(|| {
                ready.measured_reading(&pieces, sink);
            });
            println!("allocations {}", allocated.count_total);
            let fastest = (0..RUNS)
                .map(|_| {
                    let start = Instant::now();
                    ready.measured_reading(&pieces, sink);
                    start.elapsed()
                })
                .min()
                .unwrap_or_default();
            println!("nanoseconds {}", fastest.as_nanos());
        }
        _ => {
            for work in all() {
                println!("{}", work.name);
            }
            println!("{} tools", tools().len());
        }
    }
}

fn find(name: &str) -> Option<work::Work> {
    all().into_iter().find(|work| work.name == name)
}
