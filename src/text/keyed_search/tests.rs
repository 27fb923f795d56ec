use super::*;
use crate::text::needle::Needles;

const KEY: ValueKey = ValueKey([7; 32]);

/// Returns the numbers of the values that are found in the bytes.
fn found(values: &[&str], bytes: &[u8]) -> Vec<usize> {
    let digests: Vec<ValueDigest> = values.iter().map(|own| KEY.digest(own.as_bytes())).collect();
    let mut all = Vec::new();
    KeyedSearch::of(&KEY, &digests).each(bytes, &mut |own| {
        assert_eq!(own.value, values[own.number].as_bytes());
        all.push(own.number);
    });
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn a_value_is_found_by_its_digest_wherever_it_is() {
    let long = "a much longer value, with “quotes” and 漢字 in it ".repeat(9);
    let values = ["8 bytes!", "a value with 22 bytes.", &long];
    assert_eq!(found(&values, b"nothing of it"), [0; 0]);
    for (number, value) in values.iter().enumerate() {
        for lead in ["", "x", "some text before it "] {
            assert_eq!(found(&values, format!("{lead}{value} and more").as_bytes()), [number]);
            assert_eq!(found(&values, format!("{lead}{value}").as_bytes()), [number]);
        }
    }
}

#[test]
fn every_form_that_a_search_for_the_value_itself_finds_is_found_by_the_digest() {
    let value = "say \"hello\"/\\\n漢字 🙂 to it";
    let json = serde_json::to_string(value).unwrap();
    let twice = serde_json::to_string(&json).unwrap();
    let ascii: String = value.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
    let base64 = |lead: &str, text: &str| {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(format!("{lead}{text} end"))
    };
    let hex: String = value.bytes().map(|byte| format!("{byte:02X}")).collect();
    let units = |order: fn(u16) -> [u8; 2]| value.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    let mut forms: Vec<Vec<u8>> = vec![json.clone().into(), twice.into(), ascii.into(), hex.into()];
    forms.extend(["", "a", "ab", "abc"].map(|lead| base64(lead, value).into_bytes()));
    forms.extend([base64("\"", &json).into_bytes(), units(u16::to_le_bytes), units(u16::to_be_bytes)]);
    let needles = Needles::of([value]);
    for form in forms {
        let bytes = [b"{\"a\": 1, \"key", &form[..], b" \"}"].concat();
        assert!(needles.any(&bytes), "{}", String::from_utf8_lossy(&bytes));
        assert_eq!(found(&[value], &bytes), [0], "{}", String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn a_digest_says_nothing_without_its_key() {
    let value = b"a value of some bytes";
    let (one, other) = (KEY.digest(value), ValueKey([8; 32]).digest(value));
    assert!(one.digest != other.digest && one.window != other.window);
    let mut all = 0;
    KeyedSearch::of(&ValueKey([8; 32]), &[one]).each(value, &mut |_| all += 1);
    assert_eq!(all, 0);
}
