use super::*;
use proptest::prelude::*;

/// Base64 of the whole, by the rules alone.
fn base64(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().div_ceil(3) * 3, 0);
    let mut out: Vec<u8> = Vec::new();
    for three in padded.chunks(3) {
        let number = u32::from(three[0]) << 16 | u32::from(three[1]) << 8 | u32::from(three[2]);
        out.extend([18, 12, 6, 0].map(|shift| ALPHABET[(number >> shift & 63) as usize]));
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The text in each form, between other bytes.
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
        base64(plain.as_bytes()),
        base64(plain.as_bytes()).into_iter().map(url_safe).collect(),
        base64(json.as_bytes()),
        hex(plain.as_bytes()).into_bytes(),
        hex(plain.as_bytes()).to_uppercase().into_bytes(),
        utf16.iter().flat_map(|unit| unit.to_le_bytes()).collect(),
        utf16.iter().flat_map(|unit| unit.to_be_bytes()).collect(),
    ]
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

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
            // A reverse solidus before it is part of it.
            let junk: Vec<u8> = junk.iter().copied().filter(|byte| *byte != b'\\').collect();
            let bytes = [&junk[..], &shape, &junk].concat();
            prop_assert!(needles.any(&bytes), "form {number}");
            prop_assert_eq!(needles.which(&bytes), BTreeSet::from([0]));
        }
    }

    #[test]
    fn what_is_not_there_is_not_found(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(!Needles::of(["exactly this text"]).any(&bytes));
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
fn bytes_that_are_no_text_are_found_too() {
    let bytes = [0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let needles = Needles::of([bytes]);
    assert!(needles.any(&[&b"x"[..], &bytes].concat()) && needles.any(hex(&bytes).as_bytes()));
}
