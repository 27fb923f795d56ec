//! JSON Lines of any bytes: the pieces are in order, do not overlap, and are within the bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::text::json_lines::split;

fuzz_target!(|bytes: &[u8]| {
    let mut at = 0;
    split(bytes, &mut |piece| {
        assert!(at <= piece.start && piece.start <= piece.end && piece.end <= bytes.len());
        at = piece.end;
    });
});
