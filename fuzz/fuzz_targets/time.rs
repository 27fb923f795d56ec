//! Timestamps: a readable one is written in a form that reads as the same moment.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::model::Moment;

fuzz_target!(|text: &str| {
    let Some((moment, _)) = Moment::parse(text) else { return };
    let again = Moment::parse(&moment.to_micros()).map(|(moment, _)| moment);
    assert_eq!(again, Some(moment), "{text:?}");
});
