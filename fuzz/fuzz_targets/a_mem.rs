//! Any bytes in any file of an `a-mem` store.
#![no_main]

#[path = "../store.rs"]
mod store;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| store::opens("a-mem", bytes));
