use super::*;
use crate::text::json::Json;
use proptest::prelude::*;

fn scan(text: &str) -> ScanResult {
    Tape::default().scan(text.as_bytes(), Newlines::Refused)
}

#[test]
fn a_whole_value_ends_where_it_ends() {
    assert_eq!(
        scan(r#"{"a":[1,-2.5e3,{"b":null}],"a":"\u00e9\""} tail"#),
        ScanResult::Whole { end: 42, raw_newline: false }
    );
    assert_eq!(scan("{}"), ScanResult::Whole { end: 2, raw_newline: false });
}

#[test]
fn a_value_cut_anywhere_is_incomplete_and_never_whole() {
    let text = r#"{"id":"x","n":[1.5e+2,true,null,{}],"s":"a\u00e9\\"}"#;
    for cut in 0..text.len() {
        assert!(matches!(scan(&text[..cut]), ScanResult::Incomplete), "{}", &text[..cut]);
    }
}

#[test]
fn of_doubled_keys_the_last_counts_and_both_stay() {
    let mut tape = Tape::default();
    let bytes = br#"{"a":1,"a":2}"#;
    tape.scan(bytes, Newlines::Refused);
    let value = Json::of(bytes, &tape);
    assert_eq!(value.get("a").and_then(|a| a.number()), Some(2.0));
    assert_eq!(value.members().count(), 2);
}

#[test]
fn deep_nesting_is_refused_without_exhausting_the_stack() {
    assert!(matches!(scan(&"[".repeat(1 << 20)), ScanResult::Bad { .. }));
    assert!(matches!(scan(&"[".repeat(1000)), ScanResult::Incomplete));
}

#[test]
fn strings_are_seen_with_their_paths() {
    let bytes = br#"{"a":{"b":["x","y"]},"c":"z"}"#;
    let mut tape = Tape::default();
    tape.scan(bytes, Newlines::Refused);
    let mut seen = Vec::new();
    Json::of(bytes, &tape).each_string(&mut |path, value| seen.push((path.join("."), value.plain())));
    let expected = [("a.b", "x"), ("a.b", "y"), ("c", "z")].map(|(p, v)| (p.to_owned(), v.to_owned()));
    assert_eq!(seen, expected);
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn it_agrees_with_a_strict_parser_on_what_is_json(text in r#"[\[\]{}",:0-9a\\.eEtrufalsn -]{0,24}"#) {
        let whole = matches!(scan(&text), ScanResult::Whole { end, .. } if text[end..].trim().is_empty());
        prop_assert_eq!(whole, serde_json::from_str::<serde_json::Value>(&text).is_ok() || only_lone_surrogates(&text));
    }

    #[test]
    fn any_bytes_are_scanned_without_failing(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        Tape::default().scan(&bytes, Newlines::Noticed);
    }
}

/// serde_json refuses lone surrogates and numbers beyond f64. The scanner accepts them.
fn only_lone_surrogates(text: &str) -> bool {
    serde_json::from_str::<Box<serde_json::value::RawValue>>(text).is_ok()
}

#[test]
fn a_string_ends_at_its_first_quote_wherever_that_is() {
    for length in 0..50 {
        for (end, is_end) in [(b'"', true), (b'\\', true), (0x1f, true), (b'\n', true), (0x7f, false)] {
            let mut bytes = vec![b'a'; length];
            bytes.push(end);
            bytes.extend([b'"'; 40]);
            let at = plain(&bytes);
            assert_eq!(at, if is_end { length } else { length + 1 }, "{end:#x} after {length}");
        }
        assert_eq!(plain(&vec![b'a'; length]), length);
    }
}
