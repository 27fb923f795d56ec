//! Tests what is taken for a secret, and what is not.

use proptest::prelude::*;

use super::rules::{Judge, RULES, Rule};
use super::*;

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// Numbers from a seed, so that a failure can be repeated.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % limit
    }

    fn text(&mut self, alphabet: &str, len: usize) -> String {
        let all: Vec<char> = alphabet.chars().collect();
        (0..len).map(|_| all[self.below(all.len())]).collect()
    }
}

/// Builds the text of a template here, so that no file contains one: `ghp_{alnum:36}`.
fn built(template: &str, chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((lead, tail)) = rest.split_once('{') {
        let part = tail.split_once('}').and_then(|(part, after)| {
            let (name, len) = part.split_once(':')?;
            let alphabet = match name {
                "alnum" => ALNUM.to_owned(),
                "ALNUM" => ALNUM[..26].to_owned() + &ALNUM[52..],
                "hex" => "0123456789abcdef".to_owned(),
                "digit" => ALNUM[52..].to_owned(),
                "word" => ALNUM.to_owned() + "-_",
                "b64" => ALNUM.to_owned() + "+/",
                "lower" => ALNUM[26..].to_owned(),
                "base32" => ALNUM[..26].to_owned() + "234567",
                _ => return None,
            };
            Some((chance.text(&alphabet, len.parse().ok()?), after))
        });
        text.push_str(lead);
        match part {
            Some((value, after)) => {
                text.push_str(&value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = tail;
            }
        }
    }
    text + rest
}

/// Returns the lines below a heading of `test_texts.txt`, with `\n` for each line end in them.
fn samples(heading: &str) -> Vec<String> {
    let heading = format!("[{heading}]");
    let lines = include_str!("test_texts.txt").lines().skip_while(|line| *line != heading).skip(1);
    let samples: Vec<String> =
        lines.take_while(|line| !line.is_empty()).map(|line| line.replace("\\n", "\n")).collect();
    assert!(!samples.is_empty(), "{heading}");
    samples
}

fn rules() -> &'static [Rule] {
    &RULES.rules
}

fn found(text: &str) -> Vec<&str> {
    detect(text.as_bytes(), None).into_iter().map(|own| &text[own.span]).collect()
}

#[test]
fn the_rules_are_read_and_each_compiles() {
    assert!(rules().len() > 300, "{}", rules().len());
    for rule in rules() {
        assert!(rule.judge == Judge::Label || rule.pattern().is_some(), "{}", rule.name);
        assert!(!rule.example.is_empty(), "{}", rule.name);
    }
}

#[test]
fn every_rule_finds_its_examples() {
    let mut chance = Chance(crate::tries::seed());
    let rounds = crate::tries::count(8, 200);
    let mut failed = Vec::new();
    for rule in rules() {
        for template in &rule.example {
            let texts: Vec<String> = (0..rounds).map(|_| built(template, &mut chance)).collect();
            let missed: Vec<&String> = texts.iter().filter(|text| !has_secret(text.as_bytes())).collect();
            // A random value may look like a word or a placeholder.
            if missed.len() * 3 > rounds {
                failed.push(format!("{} {template}: {}", rule.name, missed[0]));
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Returns what replaces a value.
type Style = dyn Fn(&Detection, &str) -> String;

/// Replaces what is found, also what comes to light by that.
fn redacted(text: &str, with: &Style) -> String {
    let mut text = text.to_owned();
    for _ in 0..4 {
        for own in detect(text.as_bytes(), None).into_iter().rev() {
            let new = with(&own, &text[own.span.clone()]);
            text.replace_range(own.span, &new);
        }
    }
    text
}

#[test]
fn what_a_redaction_writes_is_never_found() {
    let mut chance = Chance(crate::tries::seed());
    fn digest(value: &str) -> String {
        format!("{:016x}", (value.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
    let styles: [&Style; 3] = [
        &|own, value| masked(own.kind, value.as_bytes(), own.hidden.start - own.span.start),
        &|own, _| label(Some(&own.rule)),
        &|own, value| pseudonym(Some(own.kind), &digest(value)),
    ];
    let others = [
        "a b@example.org, +49 30 1234567",
        "/home/ada/x on 10.1.2.3",
        "4111 1111 1111 1111",
        "DE89 3704 0044 0532 0130 00",
    ];
    let templates = rules().iter().flat_map(|rule| rule.example.iter().map(|own| &**own)).chain(others);
    let mut failed = Vec::new();
    for template in templates {
        let text = built(template, &mut chance);
        for style in styles {
            let after = redacted(&text, style);
            if !detect(after.as_bytes(), None).is_empty() || has_secret(after.as_bytes()) {
                failed.push(after);
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
}

#[test]
fn a_secret_beside_a_mark_is_found() {
    let mut chance = Chance(3);
    let value = built("{alnum:16}", &mut chance);
    for mark in [MASK.to_owned(), label(Some("email")), pseudonym(None, "1a2b3c4d")] {
        let token = built("ghp_{alnum:36}", &mut chance);
        assert_eq!(found(&format!("{mark} {token} {mark}")), [&*token]);
        assert!(!found(&format!("{mark}\npassword: {value}")).is_empty(), "{mark}");
    }
}

#[test]
fn a_token_is_found_wherever_it_starts() {
    let mut chance = Chance(1);
    for template in
        ["ghp_{alnum:36}", "AKIA{base32:16}", "glpat-{word:20}", "xoxb-{digit:12}-{digit:12}-{alnum:24}"]
    {
        let value = built(template, &mut chance);
        for before in ["", "x ", "key=", "\"", "a\\n", "ab\\n", "\\u000a", "é"] {
            let text = format!("{before}{value} after");
            let spans = secret_spans(&text);
            assert_eq!(spans, vec![before.len()..before.len() + value.len()], "{text}");
            assert!(has_secret(text.as_bytes()));
        }
        let prefix = &value[..value.find(['_', '-']).map_or(4, |at| at + 1)];
        assert_eq!(mask(&format!("use {value}, then")), format!("use {prefix}••••••, then"));
    }
    let longer = format!("x{}", built("AKIA{base32:16}", &mut chance));
    assert!(secret_spans(&longer).is_empty());
}

#[test]
fn words_that_only_start_like_tokens_are_no_secrets() {
    for text in samples("words that only start like tokens") {
        let text = &*text;
        assert!(secret_spans(text).is_empty(), "{text}: {:?}", detect(text.as_bytes(), None));
        assert_eq!(mask(text), text);
    }
}

#[test]
fn ids_hashes_times_and_versions_are_nothing_sensitive() {
    let mut chance = Chance(2);
    for template in samples("nothing sensitive") {
        let text = built(&template, &mut chance);
        let all = detect(text.as_bytes(), None);
        assert!(all.is_empty(), "{text}: {all:?}");
    }
}

#[test]
fn passwords_are_found_as_people_write_them() {
    let mut chance = Chance(3);
    let value = format!("Tr0ub4dor&{}", chance.text(ALNUM, 4));
    for text in samples("a password is assigned") {
        let text = text.replace("{value}", &value);
        assert_eq!(found(&text), [value.as_str()], "{text}");
    }
}

#[test]
fn words_with_a_number_and_values_full_of_signs_are_passwords() {
    for value in ["copper-walnut-42", "plum-teapot-lamp-907"] {
        assert_eq!(found(&format!("password={value}\n")), [value], "{value}");
    }
    for value in ["k(9D$x!pQ2)z", "$9k(D-x!pQ2)zW", "!7a#Bq[2]Xz"] {
        assert_eq!(found(&format!("password=\"{value}\"\n")), [value], "{value}");
    }
    assert_eq!(found("password = 'Winter3969?'"), ["Winter3969?"]);
    assert_eq!(found("password=-9fKx_Qm2TzL8vWp4RbN\n"), ["-9fKx_Qm2TzL8vWp4RbN"]);
    for value in
        ["$row['Pw1']", "base64-encoded", "self.get(A1)", "$(cat /x/Y1)", "${DB_Pass1:-x}", "Vec::<A1>!"]
    {
        assert!(found(&format!("password=\"{value}\"\n")).is_empty(), "{value}");
    }
}

#[test]
fn a_password_is_known_by_the_words_around_it_in_many_languages() {
    let word = ["sword", "fish"].concat();
    let mixed = ["kestrel", "-Wagon", "-77"].concat();
    for text in samples("a password and its words") {
        let value = if text.contains("{word}") { &word } else { &mixed };
        let text = text.replace("{word}", &word).replace("{mixed}", &mixed);
        assert_eq!(found(&text), [value.as_str()], "{text}");
    }
    for text in samples("words about passwords") {
        assert!(found(&text).is_empty(), "{text}: {:?}", found(&text));
    }
}

#[test]
fn a_password_is_masked_to_its_end() {
    let mut chance = Chance(5);
    let (a, b) = (chance.text(ALNUM, 16), chance.text(ALNUM, 6));
    for mark in ["_", "-", "!", "$", "/"] {
        let value = format!("{a}{mark}{b}");
        assert_eq!(found(&format!("export DB_PASSWORD={value}\nnext")), [value.as_str()], "{value}");
    }
}

#[test]
fn a_random_value_beside_the_name_of_a_service_or_of_a_key_is_a_secret() {
    let mut chance = Chance(11);
    for template in samples("beside a name") {
        let text = built(&template, &mut chance);
        let values = template.matches('{').count().min(2);
        assert!(found(&text).len() >= values, "{text}");
    }
}

#[test]
fn ids_and_hashes_beside_the_name_of_a_service_or_of_a_key_are_no_secrets() {
    let mut chance = Chance(12);
    for template in samples("no keys beside a name") {
        let text = built(&template, &mut chance);
        assert!(!has_secret(text.as_bytes()), "{text}: {:?}", found(&text));
    }
}

#[test]
fn numbers_and_addresses_are_found_with_their_kinds() {
    let card = ["4111", "1111", "1111", "1111"];
    let iban = ["DE89", "3704", "0044", "0532", "0130", "00"];
    for (text, kind, value) in [
        (format!("card {}.", card.concat()), Kind::Card, card.concat()),
        (format!("card {} ok", card.join(" ")), Kind::Card, card.join(" ")),
        (format!("to {},", iban.join(" ")), Kind::Iban, iban.join(" ")),
        (format!("to {}", iban.concat()), Kind::Iban, iban.concat()),
        ("mail a.b+c@mail.example.org.".into(), Kind::Email, "a.b+c@mail.example.org".into()),
        ("<x_y@example.co.uk>".into(), Kind::Email, "x_y@example.co.uk".into()),
        ("call +49 30 901820 now".into(), Kind::Phone, "+49 30 901820".into()),
        ("call (555) 123-4567".into(), Kind::Phone, "(555) 123-4567".into()),
        ("Tel. 030/901820-0".into(), Kind::Phone, "030/901820-0".into()),
        ("Tel. 030 / 90182055".into(), Kind::Phone, "030 / 90182055".into()),
        ("at a.b@b\u{fc}cher.example!".into(), Kind::Email, "a.b@b\u{fc}cher.example".into()),
        ("<o'brien@mail.example>".into(), Kind::Email, "o'brien@mail.example".into()),
        ("'anna@mail.example'".into(), Kind::Email, "anna@mail.example".into()),
        ("j\u{fc}rgen@mail.example".into(), Kind::Email, "j\u{fc}rgen@mail.example".into()),
        ("a.b@mail.example\u{3055}\u{3093}".into(), Kind::Email, "a.b@mail.example".into()),
        ("db01/10.20.30.40:5432".into(), Kind::Address, "10.20.30.40".into()),
        ("[u'anna@mail.example']".into(), Kind::Email, "anna@mail.example".into()),
        ("a.b@mail.example\u{3067}\u{3059}.".into(), Kind::Email, "a.b@mail.example".into()),
        ("http://10.20.30.40/x".into(), Kind::Address, "10.20.30.40".into()),
        ("host 10.20.30.40:22".into(), Kind::Address, "10.20.30.40".into()),
        ("at fe80::1ff:fe23:4567:890a.".into(), Kind::Address, "fe80::1ff:fe23:4567:890a".into()),
        ("mac 00:1a:2b:3c:4d:5e".into(), Kind::Address, "00:1a:2b:3c:4d:5e".into()),
        ("ssh db-01.corp.internal".into(), Kind::Address, "db-01.corp.internal".into()),
        ("in /home/marta/work".into(), Kind::Home, "/home/marta".into()),
        ("cd /c/Users/marta/x".into(), Kind::Home, "/Users/marta".into()),
        ("in C:\\Users\\Marta\\x".into(), Kind::Home, "C:\\Users\\Marta".into()),
    ] {
        let all = detect(text.as_bytes(), None);
        let own: Vec<_> = all.iter().map(|own| (own.kind, &text[own.span.clone()])).collect();
        assert_eq!(own, [(kind, value.as_str())], "{text}");
    }
    let wrong = ["4111", "1111", "1111", "1112"].concat();
    assert!(found(&wrong).is_empty() && found("DE88 3704 0044 0532 0130 00").is_empty());
}

#[test]
fn names_of_a_list_are_found_as_whole_words_in_any_case() {
    let names = NameList::of("# people\nJörg Ähren\nmkowalski\n").unwrap();
    let text = "ask JÖRG ÄHREN or MKowalski, not xmkowalskix";
    let own: Vec<_> =
        detect(text.as_bytes(), Some(&names)).into_iter().map(|own| text[own.span].to_owned()).collect();
    assert_eq!(own, ["JÖRG ÄHREN", "MKowalski"]);
    for text in ["by J\u{f6}rg\n\u{c4}hren", "J\u{f6}rg\u{a0}\u{c4}hren", "JO\u{308}RG  A\u{308}HREN"] {
        assert_eq!(names.find(text.as_bytes()).len(), 1, "{text}");
    }
    assert!(NameList::of("# nobody\n").is_none());
}

fn key_block(label: &str, line_end: &str) -> String {
    let edge = |word: &str| ["-----", word, " ", label, "-----"].concat();
    [edge("BEGIN"), "MIIEvQIBADAN".into(), edge("END")].join(line_end)
}

#[test]
fn a_private_key_is_hidden_between_its_edges_also_in_raw_json() {
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        for line_end in ["\n", "\\n", "\r\n"] {
            let text = format!("see {} here", key_block(label, line_end));
            let masked = mask(&text);
            let hidden = ["see -----BEGIN ", label, "-----••••••-----END ", label, "----- here"].concat();
            assert_eq!(masked, hidden);
            assert!(has_secret(text.as_bytes()));
            assert!(!has_secret(masked.as_bytes()));
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
    let value = built("ghp_{alnum:36}", &mut Chance(4));
    let text = format!("é {value} after");
    let end = 3 + value.len();
    assert_eq!([cut(&text, 0), cut(&text, 1), cut(&text, 3)], [0, 2, 3]);
    assert!((4..=end).all(|at| cut(&text, at) == end));
    assert_eq!(cut(&text, end + 2), end + 2);
    assert_eq!(cut(&text, usize::MAX), text.len());
}

#[test]
fn two_values_side_by_side_are_two() {
    let value = built("ghp_{alnum:36}", &mut Chance(5));
    assert_eq!(secret_spans(&format!("{value},{value}")).len(), 2);
}

#[test]
fn a_text_of_many_beginnings_takes_no_more_time_than_another() {
    let pieces = "eyJ- eyJaaaaaaaa. xoxb- SG. AKIA sk- ya29. password= ://a: 1-".split(' ');
    for piece in pieces.chain(["-----BEGIN "]) {
        let text = piece.repeat(crate::tries::count(4_000, 200_000));
        // If the time were quadratic, the test runner would end the test.
        let _ = detect(text.as_bytes(), None);
    }
}

fn arbitrary_text() -> impl Strategy<Value = String> {
    let token = (0..rules().len(), any::<u64>()).prop_map(|(index, seed)| {
        built(rules()[index].example.first().map_or("", |own| own), &mut Chance(seed))
    });
    let block = "(RSA |)PRIVATE KEY".prop_map(|label| key_block(&label, "\n"));
    let edge = "(BEGIN|END) (EC |)PRIVATE KEY".prop_map(|label| format!("-----{label}-----"));
    let other = "\\PC{0,12}|[-_. \\\\nu0aA•]{0,8}";
    let part = prop_oneof![token, block, edge, other, Just(MASK.to_owned())];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(crate::tries::config(64, 4_096))]

    #[test]
    fn a_masked_text_holds_no_secret(text in arbitrary_text()) {
        let hidden: Vec<String> = secrets(text.as_bytes()).into_iter().map(|own| text[own.hidden].to_owned()).collect();
        let once = mask(&text).into_owned();
        // A block may hold the start or the end of another one, which is no secret.
        let is_marker = |own: &str| own.contains("-----BEGIN ") || own.contains("-----END ");
        for own in hidden.iter().filter(|own| own.len() > 11 && !is_marker(own)) {
            prop_assert!(!once.contains(own.as_str()), "{own} in {once}");
        }
    }

    #[test]
    fn a_text_has_a_secret_exactly_if_it_has_spans(text in arbitrary_text()) {
        prop_assert_eq!(has_secret(text.as_bytes()), !secret_spans(&text).is_empty());
    }

    #[test]
    fn any_bytes_can_be_looked_at(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let all = detect(&bytes, None);
        prop_assert!(all.windows(2).all(|own| own[0].span.end <= own[1].span.start));
    }
}
