//! Tests what is taken for a secret, and what is not.

use proptest::prelude::*;

use super::*;

/// Returns a value as the provider of the rule issues it, built here so that no file contains one.
fn value(SecretRule(prefix, body, least): &SecretRule) -> String {
    let letters = "A7B3K9".chars().cycle();
    let rest: String = match body {
        TokenAlphabet::Jwt => ["hbGciOiJI", ".", "eyJzdWIiOiIx", ".", "c2lnbmF0dXJl"].concat(),
        _ => letters.take(*least).collect(),
    };
    [std::str::from_utf8(prefix).unwrap(), &rest].concat()
}

fn key_block(label: &str, line_end: &str) -> String {
    let edge = |word: &str| ["-----", word, " ", label, "-----"].concat();
    [edge("BEGIN"), "MIIEvQIBADAN".into(), edge("END")].join(line_end)
}

#[test]
fn every_provider_s_token_is_found_wherever_it_starts() {
    for rule in RULES {
        let value = value(rule);
        for before in ["", "x ", "key=", "\"", "a\\n", "ab\\n", "\\u000a", "é"] {
            let text = format!("{before}{value} after");
            let spans = sensitive_spans(&text);
            assert_eq!(spans, vec![before.len()..before.len() + value.len()], "{text}");
            assert!(is_sensitive(text.as_bytes()));
        }
    }
}

#[test]
fn a_masked_token_keeps_its_prefix_alone() {
    for rule in RULES {
        let prefix = std::str::from_utf8(rule.0).unwrap();
        let text = format!("use {}, then", value(rule));
        assert_eq!(mask(&text), format!("use {prefix}••••••, then"));
    }
}

#[test]
fn words_that_only_start_like_tokens_are_not_sensitive() {
    for text in [
        "ask-me anything",
        "a risk-free plan",
        "pip install sk-learn",
        "task-ABCDEFGHIJKLMNOPQRSTUVWXYZ012345",
        "sk-",
        "npm_config_cache and npm_lifecycle_event",
        "hf_hub_download",
        "the SG. of",
        "eyJ is how JSON starts in base64, e.g. eyJhbGciOi.x.y",
        "xoxb-your-token",
        "---------------- BEGIN ----------------",
        "-----BEGIN CERTIFICATE-----",
        "",
    ] {
        assert_eq!(sensitive_spans(text), vec![], "{text}");
        assert_eq!(mask(text), text);
    }
    let longer = format!("x{}", value(&SecretRule(b"AKIA", TokenAlphabet::Upper, 16)));
    assert_eq!(sensitive_spans(&longer), vec![]);
}

#[test]
fn a_private_key_is_hidden_between_its_edges_also_in_raw_json() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        for line_end in ["\n", "\\n", "\r\n"] {
            let text = format!("see {} here", key_block(label, line_end));
            let masked = mask(&text);
            let hidden = ["see -----BEGIN ", label, "-----••••••-----END ", label, "----- here"].concat();
            assert_eq!(masked, hidden);
            assert!(is_sensitive(text.as_bytes()));
            assert!(!is_sensitive(masked.as_bytes()));
        }
    }
}

#[test]
fn a_private_key_without_an_end_is_hidden_to_the_end_of_the_text() {
    let text = ["-----BEGIN ", "EC PRIVATE KEY-----\nMHcCAQEE\n-----END CERT"].concat();
    assert_eq!(mask(&text), ["-----BEGIN ", "EC PRIVATE KEY-----••••••"].concat());
}

#[test]
fn a_text_is_cut_before_a_value_or_behind_it() {
    let value = value(&SecretRule(b"ghp_", TokenAlphabet::Alnum, 36));
    let text = format!("é {value} after");
    let end = 3 + value.len();
    assert_eq!([cut(&text, 0), cut(&text, 1), cut(&text, 3)], [0, 2, 3]);
    assert!((4..=end).all(|at| cut(&text, at) == end));
    assert_eq!(cut(&text, end + 2), end + 2);
    assert_eq!(cut(&text, usize::MAX), text.len());
}

#[test]
fn two_values_side_by_side_are_two() {
    let value = value(&SecretRule(b"ghp_", TokenAlphabet::Alnum, 36));
    assert_eq!(sensitive_spans(&format!("{value},{value}")).len(), 2);
}

#[test]
fn the_rules_are_in_the_order_that_the_search_relies_on() {
    for pair in RULES.windows(2) {
        let [SecretRule(a, ..), SecretRule(b, ..)] = pair else { continue };
        assert!(a[0] <= b[0], "{a:?} {b:?}");
        assert!(!b.starts_with(a), "{a:?} hides {b:?}");
    }
    assert!(RULES.iter().all(|SecretRule(prefix, ..)| prefix.len() >= 3));
}

#[test]
fn a_text_of_many_beginnings_takes_no_more_time_than_another() {
    for piece in ["eyJ-", "eyJaaaaaaaa.", "xoxb-", "SG.", "-----BEGIN ", "AKIA", "sk-", "ya29."] {
        let text = piece.repeat(crate::tries::count(40_000, 200_000));
        // If the time were quadratic, the test runner would end the test.
        let _ = sensitive_spans(&text);
    }
}

fn arbitrary_text() -> impl Strategy<Value = String> {
    let token = (0..RULES.len()).prop_map(|index| value(&RULES[index]));
    let block = "(RSA |)PRIVATE KEY".prop_map(|label| key_block(&label, "\n"));
    let edge = "(BEGIN|END) (EC |)PRIVATE KEY".prop_map(|label| format!("-----{label}-----"));
    let other = "\\PC{0,12}|[-_. \\\\nu0aA•]{0,8}";
    let part = prop_oneof![token, block, edge, other, Just(MASK.to_owned())];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::tries::config(256, 4_096))]

    #[test]
    fn masking_twice_is_masking_once(text in arbitrary_text()) {
        let once = mask(&text).into_owned();
        prop_assert_eq!(mask(&once), once.as_str());
    }

    #[test]
    fn a_masked_text_holds_no_value(before in "\\PC{0,20}", after in "\\PC{0,20}", index in 0..RULES.len()) {
        let value = value(&RULES[index]);
        let body = &value[RULES[index].0.len()..];
        let text = format!("{before} {value} {after}");
        prop_assert!(!mask(&text).contains(body));
    }

    #[test]
    fn a_value_is_sensitive_exactly_if_it_has_spans(text in arbitrary_text()) {
        prop_assert_eq!(is_sensitive(text.as_bytes()), !sensitive_spans(&text).is_empty());
    }

    #[test]
    fn any_bytes_can_be_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = is_sensitive(&bytes);
    }
}
