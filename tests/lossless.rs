//! Nothing is lost: whatever the bytes in a store and whatever is done to it, what was asked
//! for changes and every other byte stays; what was done is taken back byte for byte.

#[path = "lossless/agents.rs"]
mod agents;
#[path = "lossless/chance.rs"]
mod chance;
#[path = "lossless/deeds.rs"]
mod deeds;
#[path = "lossless/edits.rs"]
mod edits;
#[path = "lossless/expected.rs"]
mod expected;
#[path = "lossless/modes.rs"]
mod modes;
#[path = "lossless/scanner.rs"]
mod scanner;
#[path = "lossless/sequence.rs"]
mod sequence;
#[path = "lossless/site.rs"]
mod site;
#[path = "lossless/stores.rs"]
mod stores;

/// Whether the long form of the tests was asked for.
fn long() -> bool {
    std::env::var_os("PALIMP_LONG").is_some()
}

/// Runs it, and names the seed where it fails.
fn told<T>(seed: u64, run: impl FnOnce() -> T) -> T {
    struct Told(u64);
    impl Drop for Told {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("the seed is {}", self.0);
            }
        }
    }
    let _told = Told(seed);
    run()
}
