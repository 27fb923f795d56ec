//! How much a test tries: a little in the short form, the same each time, so that no change is
//! refused by chance; much in the long form (`PALIMP_LONG=1`), something else each time.
//!
//! The library's unit tests use this file too.

use std::sync::OnceLock;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::{RngSeed, TestRunner};

/// Whether the long form was asked for.
pub fn is_long() -> bool {
    std::env::var_os("PALIMP_LONG").is_some()
}

/// What the short form tries, or what the long one does.
pub fn count<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

/// Where chance starts: at `PALIMP_SEED`, else at a constant, or in the long form anywhere.
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

/// So many cases of a property, from [`seed`].
pub fn config(short: u32, long: u32) -> ProptestConfig {
    ProptestConfig { rng_seed: RngSeed::Fixed(seed()), ..ProptestConfig::with_cases(count(short, long)) }
}

/// For a test that draws values itself.
pub fn runner() -> TestRunner {
    TestRunner::new(config(1, 1))
}
