//! Archives: nothing is unpacked beyond the limit, and no member leads out of its folder.
#![no_main]

use std::path::Component;

use libfuzzer_sys::fuzz_target;
use palimp::text::unpack::{gunzip, untar};

const LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    assert!(gunzip(bytes, LIMIT).content.len() as u64 <= LIMIT);
    let members = untar(bytes, LIMIT).content;
    assert!(members.iter().map(|member| member.bytes.len() as u64).sum::<u64>() <= LIMIT);
    let mut parts = members.iter().flat_map(|member| member.path.components());
    assert!(parts.all(|part| matches!(part, Component::Normal(_))));
});
