//! Erased memories without an id are recognized in every spelling, and no repair completes them.

use super::coming_back::{One, REMOVED, titles};
use super::*;
use crate::support::tries::some;

/// Returns a record of the format without an id.
fn nameless(format: &str, text: &str) -> String {
    let mut own: Value = serde_json::from_str(&record(format, "gone", text)).unwrap();
    let members = own.as_object_mut().unwrap();
    members.remove("id");
    members.remove("event_id");
    own.to_string()
}

/// The formats in which a memory without an id can be erased.
const ERASED: [(&str, &str); 4] = [LOGS[0], LOGS[1], LOGS[3], LOGS[4]];

fn codes(one: &One) -> Vec<String> {
    let rows = one.run(&["check", "--json"]).json_lines();
    rows.iter().filter_map(|row| Some(row["code"].as_str()?.to_owned())).collect()
}

/// Returns a store after the erasure of the memory with that text.
fn erased(own: (&'static str, &'static str), text: &str) -> One {
    let one =
        One::of(own, &format!("{}\n{}\n", record(own.0, "stays", "another text"), nameless(own.0, text)));
    erase(&one, text);
    assert!(!one.text().contains(text));
    one
}

/// Erases the memory with that text.
fn erase(one: &One, text: &str) {
    let rows = one.run(&["list", "--json"]).json_lines();
    let is_it = |row: &&Value| row["title"].as_str().is_some_and(|title| title.contains(text));
    let key = rows.iter().find(is_it).unwrap_or_else(|| panic!("{rows:?}"))["key"].as_str().unwrap();
    one.run(&["erase", key, "--yes"]).expect_status(0);
}

#[test]
fn what_had_no_id_and_comes_back_damaged_is_not_repaired_and_is_told_in_every_format() {
    let text = "the words that were erased";
    for (number, own) in ERASED.into_iter().enumerate() {
        let raw = nameless(own.0, text);
        let value: Value = serde_json::from_str(&raw).unwrap();
        let other_order =
            value.as_object().unwrap().iter().rev().map(|(name, own)| format!("{name:?} : {own}"));
        let other_order = format!("{{ {} }}", other_order.collect::<Vec<_>>().join(" , "));
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let ways = [
            ("whole", raw.clone(), false),
            ("in another order", other_order, false),
            ("a brace more", format!("{raw}}}"), true),
            ("behind a NUL", format!("\0{raw}"), true),
            ("over several lines", pretty, true),
            ("glued", format!("{}{raw}", record(own.0, "new", "a new text")), true),
        ];
        for (what, back, is_damaged) in some(ways, &[number, number + ERASED.len()]) {
            let one = erased(own, text);
            one.store.append(own.1, format!("{back}\n").as_bytes());
            let before = one.text();
            let found = codes(&one);
            assert!(found.contains(&"erased-anew".to_owned()), "{own:?} {what}: {found:?}");
            one.run(&["repair", "--all-safe", "--yes"]).expect_status(0);
            if is_damaged {
                assert!(one.text().contains(&back), "{own:?} {what}: {}", one.text());
            }
            assert!(codes(&one).contains(&"erased-anew".to_owned()), "{own:?} {what}");
            assert!(one.text().starts_with(&before), "{own:?} {what}");
            // A second erasure removes it in any spelling.
            erase(&one, text);
            assert!(
                !one.text().contains(text) && !codes(&one).contains(&"erased-anew".to_owned()),
                "{own:?} {what}"
            );
        }
    }
}

#[test]
fn of_what_had_no_id_a_torn_line_is_not_completed() {
    for own in some(ERASED, &[0, 2]) {
        let one = erased(own, "the words that were erased");
        let raw = nameless(own.0, "the words that were erased");
        one.store.append(own.1, &raw.as_bytes()[..raw.len() - 3]);
        let found = one.problem("torn-line");
        assert_eq!(titles(&found), ["move the line to quarantine"], "{own:?}: {found}");
        one.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
        let refused = one.run(&["quarantine", "restore", "1", "--yes"]).expect_status(3).stderr.clone();
        assert!(refused.contains("erased"), "{own:?}: {refused}");
        let other = nameless(own.0, "words of another").replace("10:00:00", "11:00:00");
        one.store.append(own.1, &other.as_bytes()[..other.len() - 3]);
        assert!(titles(&one.problem("torn-line")).len() > 1, "{own:?}");
    }
}

#[test]
fn an_id_that_is_filled_in_is_not_that_of_a_memory_which_was_deleted_or_erased() {
    let erased = some(ERASED, &[1, 3]).into_iter().map(|own| (own, &["erase"][..]));
    let deleted = REMOVED.into_iter().map(|own| (own, &["delete", "--remove"][..]));
    for (own, verb) in erased.chain(deleted) {
        let one = One::of(own, &["msg-001", "msg-002"].map(|id| record(own.0, id, "words") + "\n").concat());
        one.run(&[verb, &["msg-002", "--yes"]].concat()).expect_status(0);
        // It has another creation time, so it is another memory.
        let left = nameless(own.0, "what is left of it").replace("01-20", "01-21");
        one.store.append(own.1, &left.as_bytes()[..left.len() - 1]);
        one.keeps_what_can_be_read_without("msg-002");
    }
}

#[test]
fn an_id_of_its_own_is_not_that_of_a_memory_which_was_deleted_or_erased() {
    for own in [LOGS[0], LOGS[1], LOGS[3]] {
        for gone in [&["delete", "same-2", "--remove", "--yes"][..], &["erase", "same-2", "--yes"]] {
            let one = One::of(own, &["other", "same-2"].map(|id| record(own.0, id, "words") + "\n").concat());
            one.run(gone).expect_status(0);
            let twice = ["one text", "another text"].map(|text| record(own.0, "same", text) + "\n").concat();
            one.store.append(own.1, twice.replace("01-20", "01-21").as_bytes());
            assert_eq!(titles(&one.problem("duplicate-id"))[0], "give it an id of its own", "{own:?}");
            one.fix("duplicate-id", 1);
            let left = one.text();
            assert!(left.contains("another text") && !left.contains("same-2"), "{own:?} {gone:?}: {left}");
        }
    }
}

#[test]
fn another_memory_without_an_id_is_not_taken_for_one_that_was_erased() {
    for own in some(ERASED, &[0, 2]) {
        let one = erased(own, "the words that were erased");
        let other = nameless(own.0, "the words that were never erased");
        one.store.append(own.1, format!("{other}}}\n").as_bytes());
        assert!(!codes(&one).contains(&"erased-anew".to_owned()), "{own:?}");
        one.run(&["repair", "--all-safe", "--yes"]).expect_status(0);
        assert!(one.text().contains(&format!("{other}\n")), "{own:?}");
    }
}

#[test]
fn the_list_of_what_was_erased_has_no_digest_that_a_stranger_could_check() {
    use sha2::{Digest, Sha256};
    let text = "the words that were erased";
    for own in some(ERASED, &[1, 3]) {
        let one = erased(own, text);
        let list = one.own_file("erased.jsonl");
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let raw = nameless(own.0, text);
        for known in [raw.clone(), format!("{raw}\n"), text.to_owned()] {
            assert!(!list.contains(&hex(&Sha256::digest(known.as_bytes()))), "{own:?}");
        }
        let key: Value = serde_json::from_str(one.own_file("erased.keys").lines().next().unwrap()).unwrap();
        assert!(!list.contains(key["key"].as_str().unwrap()), "{own:?}");
    }
}

#[test]
fn a_key_that_is_lost_refuses_what_could_bring_back_what_was_erased() {
    for own in some(ERASED, &[0, 2]) {
        let text = "the words that were erased";
        let one = erased(own, text);
        one.lose("erased.keys");
        one.store.append(own.1, format!("{}}}\n", nameless(own.0, text)).as_bytes());
        let before = one.text();
        let output = one.run(&["repair", "--all-safe", "--yes"]);
        assert_ne!(output.status, Some(0), "{own:?}");
        assert!(output.stderr.contains("erased.keys"), "{own:?}: {}", output.stderr);
        assert_eq!(one.text(), before, "{own:?}");
    }
}

#[test]
fn a_torn_line_whose_id_is_cut_off_is_not_completed_if_it_may_be_a_memory_that_was_erased() {
    for own in [LOGS[0], LOGS[1], LOGS[3]] {
        let one = One::of(own, &["first", "msg-2"].map(|id| record(own.0, id, "words") + "\n").concat());
        one.run(&["erase", "msg-2", "--yes"]).expect_status(0);
        let mut members: serde_json::Map<String, Value> =
            serde_json::from_str(&record(own.0, "msg-2", "words")).unwrap();
        members.remove("id");
        let first = Value::from(members).to_string();
        for left in ["", "msg", "msg-2"] {
            let torn = format!("{},\"id\":\"{left}", &first[..first.len() - 1]);
            one.store.append(own.1, torn.as_bytes());
            let found = one.problem("torn-line");
            assert_eq!(titles(&found), ["move the line to quarantine"], "{own:?} {left:?}: {found}");
            one.run(&["repair", "--code", "torn-line", "--yes"]).expect_status(0);
        }
        let other = format!("{},\"id\":\"msg", &first[..first.len() - 1]).replace("10:00:00", "11:00:00");
        one.store.append(own.1, other.as_bytes());
        assert!(titles(&one.problem("torn-line")).len() > 1, "{own:?}");
    }
}
