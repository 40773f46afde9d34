//! The recovery net around the dialect: it keeps the contract, and leaves alone
//! what the dialect reads.

use callsign_core::{Dialect, End, Offer, ToolCall};
use callsign_recovery::{Net, Recovery};
use proptest::prelude::*;
use proptest::test_runner::Config;

use super::accounts::{same_in_every_chunking, tiles};
use super::{Contract, Verdict, config, run, same};
use crate::cuts::{Whole, unexplained};
use crate::reading::Reading;

/// The net's properties run on so much fewer outputs than the dialect's own.
const FEWER: u32 = 4;

/// What may quote a call, announce an example, or open a value that holds it.
const OPENERS: [char; 14] = ['`', '~', '>', '?', ':', '#', '<', '{', '[', '(', '"', '|', '｜', '='];

/// An output is cut at no more places than these.
const MOST_CUTS: usize = 100;

impl Contract {
    /// The net around the dialect, which knows the markup of no other.
    fn net(&self) -> Net {
        Recovery::new([&self.description]).over(self.dialect.clone())
    }

    /// Under the net, chunking does not matter either.
    pub fn chunking_never_matters_to_the_net(&self) -> Verdict {
        let net = self.net();
        self.for_some_outputs(|text, offer, end| same_in_every_chunking(&net, text, offer, end))
    }

    /// Under the net, every byte has one account, too, whatever the output.
    pub fn every_byte_has_one_account_under_the_net(&self) -> Verdict {
        let net = self.net();
        let check = |text: &str, offer: &Offer<'_>, end: End| {
            tiles(text, &Reading::of(&net, offer, end, [text]))?;
            tiles(text, &Reading::of_bytes(&net, offer, end, text.as_bytes(), 1))
        };
        self.for_some_outputs(check)?;
        let strings = prop_oneof![any::<String>(), self.soup(0..40)];
        self.for_some(&(strings, self.turns.setting()), |(text, setting)| {
            check(&text, &setting.offer(&self.tools), End::Stop)
        })
    }

    /// What the net recovers from a cut output, it recovers from the whole.
    pub fn a_cut_call_is_never_recovered(&self) -> Verdict {
        let net = self.net();
        self.for_some_outputs(|text, offer, _| {
            let whole = Whole::of(&net, offer, text);
            let step = text.len() / MOST_CUTS + 1;
            for at in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
                let mut cut = unexplained(&net, offer, &text[..at], &whole);
                // The dialect's own calls have a property of their own.
                cut.retain(|cut| !cut.call.provenance.is_native());
                if !cut.is_empty() {
                    let front = &text[..at];
                    return Err(format!("cut at {at}, after {front:?}: {cut:#?}"));
                }
            }
            Ok(())
        })
    }

    /// Calls that the dialect has written and that fit their schema are read
    /// under the net as without: nothing is recovered and nothing mended. Only
    /// behind what may quote or hold them some may be text, and then it is told.
    pub fn the_net_leaves_native_calls_alone(&self) -> Verdict {
        let net = self.net();
        self.for_all(&self.turns.faithful(), |turn| {
            let offer = Offer::new(&self.tools);
            let read =
                |dialect: &dyn Dialect| Reading::of(dialect, &offer, End::Stop, [&*turn.text]).turn;
            let (strict, netted) = (read(&*self.dialect), read(&net));
            if !turn.content.iter().any(|text| text.contains(OPENERS)) {
                return same("the calls", &strict.calls, &netted.calls);
            }
            let mut rest = strict.calls.iter();
            let is = |one: &ToolCall, other: &ToolCall| {
                (&one.name, &one.arguments) == (&other.name, &other.arguments)
            };
            let among = netted.calls.iter().all(|call| rest.any(|other| is(call, other)));
            same("whether the calls are among its own", &true, &among)?;
            let told = !netted.attempts.is_empty() || !netted.rejected.is_empty();
            let all = netted.calls.len() == strict.calls.len();
            same("whether all are read, or it is told", &true, &(all || told))
        })
    }

    fn for_some<S>(&self, strategy: &S, test: impl Fn(S::Value) -> Verdict) -> Verdict
    where
        S: Strategy,
        S::Value: std::fmt::Debug,
    {
        let config = config();
        run(Config { cases: config.cases.div_ceil(FEWER), ..config }, strategy, test)
    }

    /// Runs `test` on generated outputs. Those of the corpus are read under a
    /// net that knows all dialects, by `cargo xtask corpus`.
    fn for_some_outputs(&self, test: impl Fn(&str, &Offer<'_>, End) -> Verdict) -> Verdict {
        self.for_some(&self.outputs(), |output| {
            test(&output.text, &output.setting.offer(&self.tools), output.end)
        })
    }
}
