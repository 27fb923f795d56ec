//! Only erased text goes from a line that starts torn: a complete record behind it belongs to another agent.

use super::Site;
use crate::support::tries::some;
use crate::support::{DemoStore, StoreBuilder};

use serde_json::Value;

const STORES: [(&str, &str); 4] = [
    ("team/memories", "type:learning"),
    ("ops/memory", "session:release_4_3 type:finding"),
    ("shop/.bmad/memory", "session:double-charge type:finding"),
    ("notes/.chora/memory", "type:event"),
];

/// Returns live records of one log that are alone on their lines.
fn rows_of(desk: &DemoStore, query: &str) -> Vec<Value> {
    let mut rows = desk.change(&["list", query, "--json"]).expect_status(0).json_lines();
    let is_log = |row: &Value| row["file"].as_str().is_some_and(|file| file.ends_with(".jsonl"));
    rows.retain(|row| is_log(row) && row["state"] == "live" && row["record"].is_null());
    let file = rows[0]["file"].clone();
    rows.retain(|row| row["file"] == file);
    rows
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or_else(|| panic!("{name}: {row}"))
}

/// Returns the record without its end, torn inside a word: so what follows is not one of its values.
fn torn(raw: &str) -> &str {
    let is_word = |at: usize| raw.is_char_boundary(at) && raw[..at].ends_with(char::is_alphanumeric);
    let at = (raw.len() * 3 / 4..).find(|at| is_word(*at)).unwrap();
    &raw[..at]
}

#[test]
fn a_whole_record_behind_a_torn_one_that_is_erased_stays() {
    for (store, query) in crate::support::tries::some(STORES, &[0, 2]) {
        let desk = DemoStore::new(store);
        let rows = rows_of(&desk, query);
        let is_named = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
        let Some(erased) = rows.iter().find(is_named) else { continue };
        let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
        let file = text(erased, "file");
        let fresh = match other["id"].as_str() {
            Some(id) => text(other, "raw").replacen(id, &format!("{id}-own"), 1),
            None => text(other, "raw").to_owned(),
        };
        let line = format!("{}{fresh}\n", torn(text(erased, "raw")));
        std::fs::write(desk.store.join(file), desk.text_of(file) + &line).unwrap();
        desk.change(&["erase", text(erased, "key")]).expect_status(0);
        let left = desk.text_of(file);
        assert!(left.lines().any(|line| line == fresh), "{store}: {left}");
        assert!(!left.contains(torn(text(erased, "raw"))), "{store}");
    }
}

#[test]
fn a_torn_stretch_before_a_record_that_is_erased_stays() {
    for (store, query) in crate::support::tries::some(STORES, &[1, 3]) {
        let desk = DemoStore::new(store);
        let rows = rows_of(&desk, query);
        let (erased, other) = (&rows[0], rows.last().unwrap());
        let file = text(erased, "file");
        let other = torn(text(other, "raw")).replacen(":\"", ":\"own-", 1);
        let line = format!("{other}{}\n", text(erased, "raw"));
        std::fs::write(desk.store.join(file), desk.text_of(file) + &line).unwrap();
        let keys = desk.change(&["list", query, "--json"]).expect_status(0).json_lines();
        let key = keys.iter().find(|row| row["raw"] == erased["raw"]).unwrap();
        desk.change(&["erase", text(key, "key")]).expect_status(0);
        let left = desk.text_of(file);
        assert!(left.contains(other.as_str()), "{store}: {other}\n{left}");
        assert!(!left.contains(text(erased, "raw")), "{store}");
    }
}

const NESTED: [&str; 2] = ["the deepest nested words", "more of what was nested"];

/// Returns the record with inner objects that start like it.
fn with_nested(raw: &str, is_list: bool) -> String {
    let first = raw.trim_start_matches('{').split(':').next().unwrap();
    let inner = NESTED.map(|text| format!("{{{first}:\"zzzz\",\"note\":\"{text}\"}}"));
    let value = if is_list { format!("[{}]", inner.join(",")) } else { inner[0].clone() };
    format!("{},\"own\":{value}}}", raw.strip_suffix('}').unwrap())
}

#[test]
fn an_object_within_a_torn_record_is_erased_with_it_and_never_becomes_a_record() {
    for (number, (store, query)) in some(STORES, &[1, 2]).into_iter().enumerate() {
        let ways = [(false, false, false), (false, false, true), (true, true, false), (true, true, true)];
        // In the short form, each store tests one of them, and the next store another.
        for (is_list, is_glued, is_whole) in some(ways, &[number % 4]) {
            let desk = DemoStore::new(store);
            let rows = rows_of(&desk, query);
            let is_named = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
            let Some(erased) = rows.iter().find(is_named) else { continue };
            let (file, raw) = (text(erased, "file"), text(erased, "raw"));
            let long = with_nested(raw, is_list);
            let end = long.find(NESTED[0]).unwrap() + NESTED[0].len() + "\"}".len();
            let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
            let fresh = text(other, "raw").replacen(":\"", ":\"own-", 1);
            let behind = if is_glued { &*fresh } else { "" };
            let mut now = desk.text_of(file);
            if is_whole {
                now = now.replace(raw, &long);
            }
            std::fs::write(desk.store.join(file), format!("{now}{}{behind}\n", &long[..end])).unwrap();
            let ways = format!("{store}: {is_list} {is_glued} {is_whole}");
            let keys = desk.change(&["list", query, "--json"]).expect_status(0).json_lines();
            let key = keys.iter().find(|row| row["id"] == erased["id"]).unwrap();
            let told = desk.change(&["erase", text(key, "key"), "--json"]).expect_status(0).json_lines();
            let own = NESTED.map(str::to_owned);
            assert_eq!(super::found(desk.folder(), &own), [""; 0].map(std::path::PathBuf::from), "{ways}");
            let left = desk.text_of(file);
            assert!(!left.contains("zzzz"), "{ways}: {left}");
            assert_eq!(left.lines().any(|line| line == fresh), is_glued, "{ways}: {left}");
            let receipt = std::fs::read_to_string(text(&told[0], "receipt")).unwrap();
            let receipt: Value = serde_json::from_str(&receipt).unwrap();
            let places: Vec<&str> =
                receipt["with_torn"].as_array().unwrap().iter().map(|own| own.as_str().unwrap()).collect();
            assert!(places.iter().any(|own| own.contains(file)), "{ways}: {places:?}");
        }
    }
}

#[test]
fn an_object_behind_a_torn_record_that_stays_goes_alone() {
    let desk = DemoStore::new(STORES[0].0);
    let rows = rows_of(&desk, STORES[0].1);
    let (erased, other) = (&rows[0], rows.last().unwrap());
    let file = text(erased, "file");
    let stays = format!("{},\"own\":", text(other, "raw").strip_suffix('}').unwrap());
    let line = format!("{}{}\n", stays.replacen(":\"", ":\"own-", 1), text(erased, "raw"));
    std::fs::write(desk.store.join(file), desk.text_of(file) + &line).unwrap();
    desk.change(&["erase", text(erased, "key")]).expect_status(0);
    let left = desk.text_of(file);
    assert!(left.contains(&line[..line.find(text(erased, "raw")).unwrap()]), "{left}");
    assert!(!left.contains(text(erased, "raw")), "{left}");
}

/// Behind a torn line, a record that may be a value of it. It has the erased id or only the same text.
#[test]
fn a_plan_and_the_receipt_say_alike_what_goes_with_a_torn_record_and_no_name_of_our_own() {
    for (store, query) in crate::support::tries::some(STORES, &[0, 2]) {
        for is_named in some([true, false], &[usize::from(store.starts_with("shop"))]) {
            let desk = DemoStore::new(store);
            let rows = rows_of(&desk, query);
            let has_name = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
            let Some(erased) = rows.iter().find(has_name) else { continue };
            let (file, id) = (text(erased, "file"), text(erased, "id"));
            let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
            let fresh = text(other, "raw").replacen(":\"", ":\"own-", 1);
            let mut torn = text(erased, "raw").strip_suffix('}').unwrap().to_owned();
            if !is_named {
                torn = torn.replace(id, "another");
            }
            let now = format!("{}\n", desk.text_of(file).trim_end());
            std::fs::write(desk.store.join(file), format!("{now}{torn},\"extra\":{fresh}\n")).unwrap();
            let ways = format!("{store}, {is_named}");
            let place = format!("{file}:{}", now.lines().count() + 1);
            let plan = desk.change(&["erase", text(erased, "key"), "--dry-run"]).expect_status(0).stdout;
            let told: Vec<&str> = plan.lines().filter(|line| line.contains(&place)).collect();
            assert!(told.iter().any(|line| line.starts_with("erase too")), "{ways}, {place}: {plan}");
            assert!(!told.iter().any(|line| line.contains("memories after it stay")), "{ways}: {plan}");
            let output = desk.change(&["erase", text(erased, "key")]).expect_status(0);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(!desk.text_of(file).contains(&fresh), "{ways}");
            let went = |line: &&str| line.contains("also erased") && line.ends_with(&place);
            assert_eq!(said.lines().filter(went).count(), 1, "{ways}: {said}");
            assert!(!said.contains("palimp-old"), "{ways}: {said}");
            let receipt = said.lines().find_map(|line| line.split_once("receipt: ")).unwrap().1;
            let receipt: Value = serde_json::from_str(&std::fs::read_to_string(receipt).unwrap()).unwrap();
            assert_eq!(receipt["with_torn"], serde_json::json!([place]), "{ways}");
        }
    }
}

#[test]
fn of_a_damaged_line_what_is_torn_goes_alone_and_the_plan_names_what_may_be_part_of_it() {
    for (number, (store, query)) in some(STORES, &[0, 3]).into_iter().enumerate() {
        for may_be_part in some([false, true], &[number % 2]) {
            let desk = DemoStore::new(store);
            let rows = rows_of(&desk, query);
            let (first, other) = (&rows[0], rows.last().unwrap());
            let file = text(first, "file");
            let raw = text(first, "raw");
            let at = raw.find(':').unwrap();
            let at = at + raw[at..].find('"').unwrap() + 1;
            let own = format!("{}own-{}", &raw[..at], &torn(raw)[at..]);
            let torn = if may_be_part { own.clone() + "\",\"more\":[1,{\"a\":" } else { own.clone() };
            let id = other["id"].as_str().filter(|id| text(other, "raw").contains(id));
            let fresh = match id {
                Some(id) => text(other, "raw").replacen(id, &format!("{id}-own"), 1),
                None => text(other, "raw").to_owned(),
            };
            // A last line without a line end would be joined to it.
            let was = format!("{}\n", desk.text_of(file).trim_end());
            std::fs::write(desk.store.join(file), format!("{was}{torn}{fresh}\n")).unwrap();
            let place = format!("{file}:{}", was.lines().count() + 1);
            let all = desk.change(&["list", "is:broken", "--json"]).expect_status(0).json_lines();
            let is_it = |row: &&Value| row["file"] == *file && row["line"] == was.lines().count() + 1;
            let broken = all.iter().find(is_it).unwrap();
            let plan = desk.change(&["erase", text(broken, "key"), "--dry-run"]).expect_status(0).stdout;
            let named = |own: &str| own.starts_with("erase too, an intact memory") && own.contains(&place);
            assert_eq!(plan.lines().any(named), may_be_part, "{store}: {plan}");
            desk.change(&["erase", text(broken, "key")]).expect_status(0);
            assert!(!desk.text_of(file).contains(&own), "{store}");
            let stays = desk.text_of(file).lines().any(|line| line == fresh);
            assert!(id.is_none() || stays != may_be_part, "{store}, {may_be_part}");
        }
    }
}

/// The torn text may belong to another memory with the same beginning, so it is named and stays.
#[test]
fn what_is_torn_within_the_blanks_of_a_long_text_is_named() {
    let text = format!("A sentence that is long enough{}and its tail.", " ".repeat(1_200));
    let store =
        StoreBuilder::memory_server().learning(serde_json::json!({"id": "k-1", "content": text})).build();
    let site = Site::of(store);
    let copy = ".backup/learnings.jsonl.backup.20260101_100000";
    let torn = format!("\"type\":\"learning\",\"content\":\"{}\n", &text[..400]);
    site.store.write(copy, torn.as_bytes());
    site.store.write("cut.txt", &text.as_bytes()[..900]);
    site.store.write("other.txt", b"A sentence that is long enough\nand more");
    let told = site.run(&["erase", "k-1", "--yes"]).expect_status(4).stderr;
    for file in [copy, "cut.txt", "other.txt"] {
        assert!(told.contains(file), "{file}: {told}");
    }
    assert_eq!(site.store.read(copy), torn.as_bytes());
}
