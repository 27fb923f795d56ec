//! Any bytes in any file of a `bmad` store.
#![no_main]

#[path = "../store.rs"]
mod store;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| store::opens("bmad", bytes));
