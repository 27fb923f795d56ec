//! Nothing is lost: whatever the bytes in a store and whatever is done to it, what was asked
//! for changes and every other byte stays; what was done is undone byte for byte.

mod agents;
mod chance;
mod deeds;
mod edits;
mod expected;
mod modes;
mod scanner;
mod sequence;
mod site;
mod stores;

pub use chance::Chance;

/// Runs it, and names the seed where it fails.
fn told<T>(seed: u64, run: impl FnOnce() -> T) -> T {
    struct Told(u64);
    impl Drop for Told {
        fn drop(&mut self) {
            if std::thread::panicking() {
                eprintln!("PALIMP_SEED={} starts with what failed", self.0);
            }
        }
    }
    let _told = Told(seed);
    run()
}
