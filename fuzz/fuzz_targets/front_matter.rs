//! A note's front matter: a field that is set reads back with the same value, and the body stays.
#![no_main]

use libfuzzer_sys::fuzz_target;
use palimp::text::front_matter::edit::{NewYamlValue, remove, set};
use palimp::text::front_matter::{Note, YamlValue};

fuzz_target!(|text: &str| {
    let body = &text[Note::read(text).body];
    let Ok(edited) = set(text, "status", NewYamlValue::Text("done")) else { return };
    let note = Note::read(&edited);
    assert!(
        matches!(note.field("status").map(|field| &field.value), Some(YamlValue::Text(value)) if value == "done")
    );
    assert_eq!(&edited[note.body.clone()], body);
    assert!(remove(&edited, "status").is_ok());
});
