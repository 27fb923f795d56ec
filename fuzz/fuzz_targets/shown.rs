//! Displayed text has no character that a terminal acts upon, masked or not.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::text::secrets::{mask, sensitive_spans};
use palimp::text::safe_text::sanitize;

fuzz_target!(|text: &str| {
    assert!(!sanitize(text).chars().any(char::is_control));
    assert!(!sanitize(&mask(text)).chars().any(char::is_control));
    assert!(sensitive_spans(text).iter().all(|span| text.get(span.clone()).is_some()));
});
