use std::borrow::Cow;

use super::*;
use crate::text::decode::each_decoding;
use crate::text::json_edit;
use crate::text::line_ends;
use base64::Engine;
use base64::prelude::{BASE64_STANDARD_NO_PAD as STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD};
use proptest::prelude::*;

/// Escapes everything in JSON that is not ASCII.
fn ascii(json: &str) -> String {
    let mut units = [0; 2];
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the text in each form, between other bytes.
fn shapes(before: &str, text: &str, after: &str) -> Vec<Vec<u8>> {
    let plain = [before, text, after].concat();
    let json = serde_json::to_string(&plain).unwrap();
    let escaped: String = json.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    let utf16: Vec<u16> = plain.encode_utf16().collect();
    vec![
        plain.clone().into_bytes(),
        json.clone().into_bytes(),
        ascii(&json).into_bytes(),
        escaped.into_bytes(),
        serde_json::to_string(&json).unwrap().into_bytes(),
        json.replace('/', "\\/").into_bytes(),
        STANDARD_NO_PAD.encode(&plain).into_bytes(),
        URL_SAFE_NO_PAD.encode(&plain).into_bytes(),
        STANDARD_NO_PAD.encode(&json).into_bytes(),
        hex(plain.as_bytes()).into_bytes(),
        hex(plain.as_bytes()).to_uppercase().into_bytes(),
        utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
    ]
}

/// Generates contents that start, continue and end alike, also short ones and bytes that are not text.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let words = prop_oneof![
        4 => Just("item 0001 of the list".as_bytes().to_vec()),
        4 => Just(b"item ".to_vec()),
        2 => Just("\\\"\n\u{1}\u{7f}\u{2028}".as_bytes().to_vec()),
        2 => Just("é😀>?~".as_bytes().to_vec()),
        2 => Just(b"aaaaaaaaaaaa".to_vec()),
        2 => "[0-2]{1,4}".prop_map(String::into_bytes),
        2 => "\\PC{0,5}".prop_map(String::into_bytes),
        1 => Just(vec![b' '; 40]),
        1 => proptest::collection::vec(0x80..0xb0_u8, 1..60),
        1 => proptest::collection::vec(any::<u8>(), 1..9),
    ];
    proptest::collection::vec(words, 1..9).prop_map(|own| own.concat())
}

const WAYS: usize = 25;

/// Writes a content in one of these ways.
fn written(own: &[u8], way: usize) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(own) else {
        return match way % 6 {
            0 => own.to_vec(),
            1 => hex(own).into_bytes(),
            2 => hex(own).to_uppercase().into_bytes(),
            ahead => STANDARD_NO_PAD.encode([&b"xy"[..ahead - 3], own].concat()).into_bytes(),
        };
    };
    match way {
        0..13 => shapes("", text, "").swap_remove(way),
        13..19 => shapes(&"xy"[..way % 3], text, "z").swap_remove(6 + way % 3),
        // Some characters are escaped, in one to three layers.
        _ => (0..way % 3).fold(escaped(text, way / 3), |own, _| own.replace('\\', "\\\\")).into_bytes(),
    }
}

/// Returns the inside of a JSON string in which every `one_of`th character is a `\u` escape.
fn escaped(text: &str, one_of: usize) -> String {
    let unit = |unit: u16| format!("\\u{unit:04x}");
    let plain = |c: char| json_edit::quoted(&c.to_string()).trim_matches('"').to_owned();
    let written = |(at, c): (usize, char)| match c {
        '"' | '\\' => units_of(c).map(unit).collect(),
        c if at % one_of == 0 => units_of(c).map(unit).collect(),
        c => plain(c),
    };
    text.chars().enumerate().map(written).collect::<String>()
}

fn units_of(c: char) -> impl Iterator<Item = u16> {
    c.encode_utf16(&mut [0; 2]).to_vec().into_iter()
}

/// Returns the contents that are in the bytes, in the simplest way: compares each with every place of each decoding.
fn decoded_holds(contents: &[Vec<u8>], bytes: &[u8]) -> BTreeSet<usize> {
    let mut known: Vec<&[u8]> = Vec::new();
    for content in contents.iter().filter_map(|own| beginning(own)) {
        if !known.contains(&content) {
            known.push(content);
        }
    }
    let unified: Vec<Cow<'_, [u8]>> = known.iter().map(|own| line_ends::unified(own)).collect();
    let cut = known.iter().filter_map(|own| before_blanks(own)).map(<[u8]>::len);
    let shortest = unified.iter().map(|own| own.len()).chain(cut).min().unwrap_or_default();
    let mut found = BTreeSet::new();
    each_decoding(bytes, (shortest, bytes.len()), &mut |own, _| {
        let holds = |at: &usize| own.windows(unified[*at].len()).any(|there| there == &*unified[*at]);
        found.extend((0..known.len()).filter(holds));
        false
    });
    found
}

fn junk() -> impl Strategy<Value = Vec<u8>> {
    let own = prop_oneof![Just(b'\\'), Just(b'u'), Just(b'"'), Just(b'a'), Just(b'0'), any::<u8>()];
    proptest::collection::vec(own, 0..9)
}

proptest! {
    #![proptest_config(crate::tries::config(64, 4_096))]

    #[test]
    fn a_text_is_found_in_every_form_at_every_offset(
        before in "[a-z0-9 ]{0,9}",
        text in "[^\\s]\\PC{10,40}[^\\s]",
        after in "[a-z0-9 ]{0,9}",
        junk in proptest::collection::vec(1u8..=255, 0..9),
    ) {
        prop_assume!(text.trim() == text);
        let needles = Needles::of([&text]);
        for (number, shape) in shapes(&before, &text, &after).into_iter().enumerate() {
            // A backslash before it would be a part of it.
            let junk: Vec<u8> = junk.iter().copied().filter(|byte| *byte != b'\\').collect();
            let bytes = [&junk[..], &shape, &junk].concat();
            prop_assert!(needles.any(&bytes), "form {number}");
            prop_assert_eq!(needles.which(&bytes), BTreeSet::from([0]));
        }
    }

    #[test]
    fn what_holds_a_content_is_what_has_it_in_a_decoding_at_some_place(
        contents in proptest::collection::vec(content(), 1..20),
        hidden in proptest::collection::vec(
            (any::<proptest::sample::Index>(), 0..WAYS, junk(), (0..6_usize, 0..6_usize)), 0..6),
        end in junk(),
    ) {
        let mut bytes = Vec::new();
        for (which, way, before, (first, last)) in hidden {
            bytes.extend(before);
            let own: &Vec<u8> = which.get(&contents);
            let own = written(own, way);
            // Two in three are complete. The others are torn at an end.
            let (first, last) = (first.saturating_sub(4), last.saturating_sub(4));
            bytes.extend(own.get(first..own.len().saturating_sub(last)).unwrap_or_default());
        }
        bytes.extend(end);
        let (needles, wanted) = (Needles::of(&contents), decoded_holds(&contents, &bytes));
        prop_assert_eq!(needles.which(&bytes), wanted.clone());
        prop_assert_eq!(needles.any(&bytes), !wanted.is_empty());
        let some: BTreeSet<usize> = wanted.iter().copied().take(1).collect();
        prop_assert_eq!(needles.without(&some).which(&bytes), &wanted - &some);
    }
}

#[test]
fn what_is_too_short_is_counted_and_not_looked_for() {
    let needles = Needles::of(["eleven char", "twelve chars", "twelve chars"]);
    assert_eq!((needles.len(), needles.skipped()), (1, 1));
    assert!(!needles.any(b"eleven char") && needles.any(b"...twelve chars..."));
}

#[test]
fn a_long_text_is_found_by_its_beginning_and_many_are_told_apart() {
    let long = "word ".repeat(10_000);
    let needles = Needles::of([long.as_str(), "another text of some length"]);
    assert!(needles.any(long.as_bytes()));
    assert_eq!(needles.which(b"[another text of some length]"), BTreeSet::from([1]));
    let left = needles.without(&BTreeSet::from([1]));
    assert!(!left.any(b"[another text of some length]") && left.any(long.as_bytes()));
}

#[test]
fn a_long_text_that_is_torn_within_its_blanks_is_found() {
    let long = format!("A sentence that is long enough{}and its tail.", " ".repeat(1_200));
    let needles = Needles::of([&long]);
    assert!(!needles.any(&long.as_bytes()[..400]) && needles.any(long.as_bytes()));
    assert!(!needles.without(&BTreeSet::from([0])).with_cut().any(long.as_bytes()));
    let needles = needles.with_cut();
    assert!(needles.any(&long.as_bytes()[..400]) && needles.any(long.as_bytes()));
    assert!(needles.any(b"A sentence that is long enough\n and more"));
    // A part before white space that is too short is not searched for.
    let short = Needles::of([format!("short{}and its tail.", " ".repeat(1_200))]).with_cut();
    assert_eq!((short.len(), short.skipped(), short.any(b"short enough")), (1, 0, false));
}

#[test]
fn many_that_begin_alike_are_told_apart() {
    let beginning = "the same beginning ".repeat(20);
    let most = crate::tries::count(500, 5_000);
    let contents: Vec<String> = (0..most).map(|number| format!("{beginning}and number {number}")).collect();
    let needles = Needles::of(&contents);
    let held = (0..most).filter(|number| contents[most - 9].starts_with(&contents[*number])).collect();
    assert_eq!(needles.which(hex(contents[most - 9].as_bytes()).as_bytes()), held);
    assert!(!needles.any(beginning.as_bytes()));
}

#[test]
fn bytes_that_are_no_text_are_found_whatever_they_go_on_with() {
    for byte in [0x80, 0x9f, 0xaf, 0xbf, 0xff] {
        for ahead in 0..9 {
            let bytes = [&[0xff_u8][..], &b"ahead of"[..ahead], &[byte; 60]].concat();
            let needles = Needles::of([&bytes]);
            assert!(needles.any(&[&b"x"[..], &bytes].concat()), "{byte:x} behind {ahead}");
            assert!(
                needles.any(hex(&bytes).as_bytes()) && needles.any(STANDARD_NO_PAD.encode(&bytes).as_bytes())
            );
        }
    }
}
