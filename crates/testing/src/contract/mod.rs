//! The contract of reading and writing as property tests: one method for each
//! line, which says what went wrong, and a macro that makes a test of each.

mod accounts;
mod agreement;
mod calls;
mod constraint;
mod exact;
mod flow;
mod net;
mod whole;

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use callsign_core::{Dialect, End, Offer, Toolset};
use callsign_syntax::description::Description;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use crate::corpus::{Case, Corpus, Mode};
use crate::generate::{Setting, Turns, tools};
use crate::mutate::{mutate, mutations};

/// What came of a property: `Err` says what went wrong, with the input.
pub type Verdict = Result<(), String>;

/// The contract, put to one dialect.
pub struct Contract {
    dialect: Arc<dyn Dialect>,
    description: Description,
    cases: Vec<Case>,
    tools: Toolset,
    turns: Turns,
}

/// An output and what it is read for.
#[derive(Debug, Clone)]
struct Output {
    text: String,
    setting: Setting,
    end: End,
}

impl Contract {
    /// The contract of `dialect`, which follows `description`. With a corpus,
    /// its cases of the dialect are inputs like the generated ones.
    ///
    /// # Errors
    ///
    /// When the corpus cannot be read.
    pub fn new(
        dialect: Arc<dyn Dialect>,
        description: Description,
        corpus: Option<&Path>,
    ) -> Result<Self, String> {
        let cases = match corpus {
            Some(folder) => Corpus::load(folder).map_err(|error| error.to_string())?.cases,
            None => Vec::new(),
        };
        let cases = cases.into_iter().filter(|case| case.dialect == dialect.name()).collect();
        let tools = tools(&description).map_err(|error| error.to_string())?;
        let turns = Turns::new(dialect.clone(), description.clone(), tools.clone());
        Ok(Contract { dialect, description, cases, tools, turns })
    }

    /// The cases of the corpus are read as they say.
    pub fn corpus_is_read_as_expected(&self) -> Verdict {
        let mut failed = Vec::new();
        for case in self.cases.iter().filter(|case| case.skip.is_none()) {
            let offer = case.offer();
            let reading =
                crate::reading::Reading::of(&*self.dialect, &offer, case.end, case.deltas());
            if let Err(differences) = case.check(Mode::Strict, &reading.turn) {
                let lines: Vec<String> =
                    differences.iter().map(|difference| format!("\n    {difference}")).collect();
                failed.push(format!("  {case}{}", lines.concat()));
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        Err(format!("{} cases are read otherwise:\n{}", failed.len(), failed.join("\n")))
    }

    /// Generated turns, half of them mutated.
    fn outputs(&self) -> BoxedStrategy<Output> {
        let markers = self.turns.markers().to_vec();
        let mutations = prop_oneof![Just(Vec::new()), mutations(&markers, 4)];
        (self.turns.turn(), mutations, select(vec![End::Stop, End::Cut]))
            .prop_map(move |(turn, mutations, end)| Output {
                text: mutate(&turn.text, &markers, &mutations),
                setting: turn.setting,
                end,
            })
            .boxed()
    }

    /// Runs `test` on generated values.
    fn for_all<S>(&self, strategy: &S, test: impl Fn(S::Value) -> Verdict) -> Verdict
    where
        S: Strategy,
        S::Value: Debug,
    {
        run(config(), strategy, test)
    }

    /// Runs `test` on generated outputs and on those of the corpus.
    fn for_outputs(&self, test: impl Fn(&str, &Offer<'_>, End) -> Verdict) -> Verdict {
        for case in &self.cases {
            test(&case.text(), &case.offer(), case.end)
                .map_err(|problem| format!("{case}: {problem}"))?;
        }
        self.for_all(&self.outputs(), |output| {
            test(&output.text, &output.setting.offer(&self.tools), output.end)
        })
    }
}

fn run<S>(config: Config, strategy: &S, test: impl Fn(S::Value) -> Verdict) -> Verdict
where
    S: Strategy,
    S::Value: Debug,
{
    let mut runner = TestRunner::new(config);
    let tested = runner.run(strategy, |value| test(value).map_err(TestCaseError::fail));
    tested.map_err(|error| match error {
        TestError::Fail(reason, value) => format!("{reason}\ninput: {value:#?}"),
        TestError::Abort(reason) => format!("gave up: {reason}"),
    })
}

/// Cases a property where nothing is said: there are hundreds of properties.
const CASES: u32 = 64;

/// As `PROPTEST_CASES` and `PROPTEST_RNG_SEED` say. Without a seed every run is
/// the same.
fn config() -> Config {
    let mut config = Config { failure_persistence: None, ..Config::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    config.max_shrink_iters = config.max_shrink_iters.min(20_000);
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(7);
    }
    config
}

/// Says what differs, unless nothing does.
fn same<T: PartialEq + Debug>(what: &str, expected: &T, found: &T) -> Verdict {
    if expected == found {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:#?}, found {found:#?}"))
}

/// Makes a test of every line of the contract for one dialect.
///
/// The arguments are an `Arc<dyn Dialect>`, the description it follows, and,
/// where there is one, the folder of the corpus, as seen from the package that
/// calls the macro:
///
/// ```ignore
/// callsign_testing::contract!(my_dialect::dialect(), my_dialect::description(), "../../corpus");
/// ```
#[macro_export]
macro_rules! contract {
    ($dialect:expr, $description:expr $(,)?) => {
        $crate::contract!(@tests $dialect, $description, ::core::option::Option::None);
    };
    ($dialect:expr, $description:expr, $corpus:literal $(,)?) => {
        $crate::contract!(
            @tests $dialect,
            $description,
            ::core::option::Option::Some(::std::path::Path::new(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/",
                $corpus
            )))
        );
    };
    (@tests $dialect:expr, $description:expr, $corpus:expr) => {
        $crate::contract!(
            @each $dialect, $description, $corpus,
            corpus_is_read_as_expected
            chunking_never_matters
            every_byte_has_one_account
            linear
            never_an_error_never_a_panic
            nothing_too_early_nothing_held_too_long
            arguments_stream
            a_cut_call_is_never_a_call
            write_then_read_is_the_identity
            exact_values
            what_is_constrained_is_read
            oracle_agrees
            chunking_never_matters_to_the_net
            every_byte_has_one_account_under_the_net
            a_cut_call_is_never_recovered
            the_net_leaves_native_calls_alone
        );
    };
    (@each $dialect:expr, $description:expr, $corpus:expr, $($line:ident)+) => {
        $(
            #[test]
            fn $line() {
                let contract = $crate::contract::Contract::new($dialect, $description, $corpus);
                if let Err(problem) = contract.and_then(|contract| contract.$line()) {
                    panic!("{problem}");
                }
            }
        )+
    };
}
