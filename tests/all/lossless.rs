//! Nothing is lost, whatever bytes a store has and whatever is done to it: only the requested
//! change happens, every other byte stays, and undo restores every byte.

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

/// Runs a test, and prints the seed if it fails.
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
