//! One JSON value: if it can be scanned, it can be walked, signed and printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::text::canonical;
use palimp::text::json::Json;
use palimp::text::json_scanner::{Newlines, ScanResult, Tape};

fuzz_target!(|bytes: &[u8]| {
    let mut tape = Tape::default();
    let ScanResult::Whole { .. } = tape.scan(bytes, Newlines::Refused) else { return };
    let value = Json::of(bytes, &tape);
    value.plain();
    value.each_string(&mut |_, _| {});
    canonical::verify(value);
    canonical::indented(value);
});
