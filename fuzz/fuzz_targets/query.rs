//! The query language: any text is a query, or gives an error whose span is inside the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::model::Moment;
use palimp::query::Query;

fuzz_target!(|text: &str| {
    if let Err(error) = Query::parse(text, Moment(1_769_947_200_000_000)) {
        assert!(error.span.start <= error.span.end && error.span.end <= text.len() + 1);
    }
});
