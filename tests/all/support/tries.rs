//! How much a test tries. The short form tries a little, the same each time, so that it never fails
//! by chance. The long form (`PALIMP_LONG=1`) tries much, and something else each time.
//!
//! The library's unit tests use this file too.

use std::sync::OnceLock;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::{RngSeed, TestRunner};

/// True if the long form was requested.
pub fn is_long() -> bool {
    std::env::var_os("PALIMP_LONG").is_some()
}

/// Returns the value for the short form, or for the long one.
pub fn count<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

/// Returns which of several alike, such as formats or stores, a test tries: these in the short form, all in the
/// long one. Where they share the code under test, the picks are spread over the tests.
pub fn some<T>(all: impl IntoIterator<Item = T>, picks: &[usize]) -> Vec<T> {
    let chosen = |(at, one)| (is_long() || picks.contains(&at)).then_some(one);
    all.into_iter().enumerate().filter_map(chosen).collect()
}

/// Returns which of `count` calls are tried, such as those at which a process is killed: in the short form
/// about `short`, spread evenly, with the first and the last; in the long form all.
pub fn spread(count: usize, short: usize) -> impl Iterator<Item = usize> {
    let every = self::count(count.div_ceil(short.max(2) - 1).max(1), 1);
    (0..count).filter(move |at| at % every == 0 || at + 1 == count)
}

/// Returns the random seed: `PALIMP_SEED`, otherwise a constant, or a random one in the long form.
pub fn seed() -> u64 {
    static SEED: OnceLock<u64> = OnceLock::new();
    let seed = *SEED.get_or_init(|| match std::env::var("PALIMP_SEED") {
        Ok(given) => given.parse().expect("PALIMP_SEED is a number"),
        Err(_) if is_long() => getrandom::u32().unwrap().into(),
        Err(_) => 1_000,
    });
    if is_long() {
        eprintln!("PALIMP_SEED={seed} tries the same again");
    }
    seed
}

/// Returns the settings for this many cases of a property, with [`seed`].
pub fn config(short: u32, long: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(seed()), ..ProptestConfig::with_cases(count(short, long)) }
}

/// Returns a runner for a test that draws values itself.
pub fn runner() -> TestRunner {
    TestRunner::new(config(1, 1))
}
