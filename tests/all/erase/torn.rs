//! Of a line that starts torn only what is erased goes: a whole record behind it is another's.

use crate::support::Verb;

use serde_json::Value;

const STORES: [(&str, &str); 4] = [
    ("agents/memories", "type:learning"),
    ("project/memory", "session:sess_today type:finding"),
    ("project/.bmad/memory", "session:sess-review-orders type:finding"),
    ("project/.chora/memory", "type:event"),
];

struct Desk {
    folder: tempfile::TempDir,
    store: std::path::PathBuf,
}

impl Desk {
    fn new(store: &str) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        let demo = folder.path().join("demo");
        Verb::new(["demo", demo.to_str().unwrap()]).run().expect_status(0);
        Desk { store: demo.join(store), folder }
    }

    fn run(&self, words: &[&str]) -> crate::support::Output {
        let data = self.folder.path().join("data");
        let own = ["--yes", "--store", self.store.to_str().unwrap(), "--data-dir", data.to_str().unwrap()];
        Verb::new([words, &own].concat()).run()
    }

    /// Live records of one log that are alone on their lines.
    fn rows(&self, query: &str) -> Vec<Value> {
        let mut rows = self.run(&["list", query, "--json"]).expect_status(0).json_lines();
        let is_log = |row: &Value| row["file"].as_str().is_some_and(|file| file.ends_with(".jsonl"));
        rows.retain(|row| is_log(row) && row["state"] == "live" && row["record"].is_null());
        let file = rows[0]["file"].clone();
        rows.retain(|row| row["file"] == file);
        rows
    }

    fn text(&self, file: &str) -> String {
        std::fs::read_to_string(self.store.join(file)).unwrap()
    }
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or_else(|| panic!("{name}: {row}"))
}

/// The record without its end.
fn torn(raw: &str) -> &str {
    let at = (raw.len() * 3 / 4..).find(|at| raw.is_char_boundary(*at)).unwrap();
    &raw[..at]
}

#[test]
fn a_whole_record_behind_a_torn_one_that_is_erased_stays() {
    for (store, query) in STORES {
        let desk = Desk::new(store);
        let rows = desk.rows(query);
        let is_named = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
        let Some(erased) = rows.iter().find(is_named) else { continue };
        let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
        let file = text(erased, "file");
        let fresh = match other["id"].as_str() {
            Some(id) => text(other, "raw").replacen(id, &format!("{id}-own"), 1),
            None => text(other, "raw").to_owned(),
        };
        let line = format!("{}{fresh}\n", torn(text(erased, "raw")));
        std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
        desk.run(&["erase", text(erased, "key")]).expect_status(0);
        let left = desk.text(file);
        assert!(left.lines().any(|line| line == fresh), "{store}: {left}");
        assert!(!left.contains(torn(text(erased, "raw"))), "{store}");
    }
}

#[test]
fn a_torn_stretch_before_a_record_that_is_erased_stays() {
    for (store, query) in STORES {
        let desk = Desk::new(store);
        let rows = desk.rows(query);
        let (erased, other) = (&rows[0], rows.last().unwrap());
        let file = text(erased, "file");
        let other = torn(text(other, "raw")).replacen(":\"", ":\"own-", 1);
        let line = format!("{other}{}\n", text(erased, "raw"));
        std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
        let keys = desk.run(&["list", query, "--json"]).expect_status(0).json_lines();
        let key = keys.iter().find(|row| row["raw"] == erased["raw"]).unwrap();
        desk.run(&["erase", text(key, "key")]).expect_status(0);
        let left = desk.text(file);
        assert!(left.contains(other.as_str()), "{store}: {other}\n{left}");
        assert!(!left.contains(text(erased, "raw")), "{store}");
    }
}

const NESTED: [&str; 2] = ["the deepest nested words", "more of what was nested"];

/// The record with objects in it that start as it does.
fn with_nested(raw: &str, is_list: bool) -> String {
    let first = raw.trim_start_matches('{').split(':').next().unwrap();
    let inner = NESTED.map(|text| format!("{{{first}:\"zzzz\",\"note\":\"{text}\"}}"));
    let value = if is_list { format!("[{}]", inner.join(",")) } else { inner[0].clone() };
    format!("{},\"own\":{value}}}", raw.strip_suffix('}').unwrap())
}

#[test]
fn an_object_within_a_torn_record_is_erased_with_it_and_never_becomes_a_record() {
    for (store, query) in STORES {
        for (is_list, is_glued, is_whole) in
            [(false, false, false), (false, false, true), (true, true, false), (true, true, true)]
        {
            let desk = Desk::new(store);
            let rows = desk.rows(query);
            let is_named = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
            let Some(erased) = rows.iter().find(is_named) else { continue };
            let (file, raw) = (text(erased, "file"), text(erased, "raw"));
            let long = with_nested(raw, is_list);
            let end = long.find(NESTED[0]).unwrap() + NESTED[0].len() + "\"}".len();
            let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
            let fresh = text(other, "raw").replacen(":\"", ":\"own-", 1);
            let behind = if is_glued { &*fresh } else { "" };
            let mut now = desk.text(file);
            if is_whole {
                now = now.replace(raw, &long);
            }
            std::fs::write(desk.store.join(file), format!("{now}{}{behind}\n", &long[..end])).unwrap();
            let ways = format!("{store}: {is_list} {is_glued} {is_whole}");
            let keys = desk.run(&["list", query, "--json"]).expect_status(0).json_lines();
            let key = keys.iter().find(|row| row["id"] == erased["id"]).unwrap();
            let told = desk.run(&["erase", text(key, "key"), "--json"]).expect_status(0).json_lines();
            let own = NESTED.map(str::to_owned);
            assert_eq!(
                super::found(desk.folder.path(), &own),
                [""; 0].map(std::path::PathBuf::from),
                "{ways}"
            );
            let left = desk.text(file);
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
    let desk = Desk::new(STORES[0].0);
    let rows = desk.rows(STORES[0].1);
    let (erased, other) = (&rows[0], rows.last().unwrap());
    let file = text(erased, "file");
    let stays = format!("{},\"own\":", text(other, "raw").strip_suffix('}').unwrap());
    let line = format!("{}{}\n", stays.replacen(":\"", ":\"own-", 1), text(erased, "raw"));
    std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
    desk.run(&["erase", text(erased, "key")]).expect_status(0);
    let left = desk.text(file);
    assert!(left.contains(&line[..line.find(text(erased, "raw")).unwrap()]), "{left}");
    assert!(!left.contains(text(erased, "raw")), "{left}");
}

/// A torn line in which another record may be a value of the torn one, that names what is erased or
/// only says the same.
#[test]
fn a_plan_and_the_receipt_say_alike_what_goes_with_a_torn_record_and_no_name_of_our_own() {
    for (store, query) in STORES {
        for is_named in [true, false] {
            let desk = Desk::new(store);
            let rows = desk.rows(query);
            let has_name = |row: &&Value| row["id"].as_str().is_some_and(|id| text(row, "raw").contains(id));
            let Some(erased) = rows.iter().find(has_name) else { continue };
            let (file, id) = (text(erased, "file"), text(erased, "id"));
            let other = rows.iter().rfind(|row| row["id"] != erased["id"]).unwrap();
            let fresh = text(other, "raw").replacen(":\"", ":\"own-", 1);
            let mut torn = text(erased, "raw").strip_suffix('}').unwrap().to_owned();
            if !is_named {
                torn = torn.replace(id, "another");
            }
            let now = format!("{}\n", desk.text(file).trim_end());
            std::fs::write(desk.store.join(file), format!("{now}{torn},\"extra\":{fresh}\n")).unwrap();
            let ways = format!("{store}, {is_named}");
            let place = format!("{file}:{}", now.lines().count() + 1);
            let plan = desk.run(&["erase", text(erased, "key"), "--dry-run"]).expect_status(0).stdout;
            let told: Vec<&str> = plan.lines().filter(|line| line.contains(&place)).collect();
            assert!(told.iter().any(|line| line.starts_with("goes too")), "{ways}, {place}: {plan}");
            assert!(!told.iter().any(|line| line.contains("records behind stay")), "{ways}: {plan}");
            let output = desk.run(&["erase", text(erased, "key")]).expect_status(0);
            let said = format!("{}{}", output.stdout, output.stderr);
            assert!(!desk.text(file).contains(&fresh), "{ways}");
            let went = |line: &&str| line.contains("went too") && line.ends_with(&place);
            assert_eq!(said.lines().filter(went).count(), 1, "{ways}: {said}");
            assert!(!said.contains("palimp-old"), "{ways}: {said}");
            let receipt = said.lines().find_map(|line| line.split_once("receipt: ")).unwrap().1;
            let receipt: Value = serde_json::from_str(&std::fs::read_to_string(receipt).unwrap()).unwrap();
            assert_eq!(receipt["with_torn"], serde_json::json!([place]), "{ways}");
        }
    }
}

#[test]
fn a_whole_record_on_a_damaged_line_that_is_chosen_is_named_in_the_plan() {
    for (store, query) in STORES {
        let desk = Desk::new(store);
        let rows = desk.rows(query);
        let (first, other) = (&rows[0], rows.last().unwrap());
        let file = text(first, "file");
        let torn = torn(text(first, "raw")).replacen(":\"", ":\"own-", 1);
        let id = other["id"].as_str().filter(|id| text(other, "raw").contains(id));
        let fresh = match id {
            Some(id) => text(other, "raw").replacen(id, &format!("{id}-own"), 1),
            None => text(other, "raw").to_owned(),
        };
        let line = format!("{torn}{fresh}\n");
        std::fs::write(desk.store.join(file), desk.text(file) + &line).unwrap();
        let all = desk.run(&["list", "--json"]).expect_status(0).json_lines();
        // A last line without its end becomes a part of it.
        let is_it = |row: &&Value| row["state"] == "broken" && text(row, "raw").ends_with(line.trim_end());
        let broken = all.iter().find(is_it).unwrap();
        let plan = desk.run(&["erase", text(broken, "key"), "--dry-run"]).expect_status(0).stdout;
        let place = format!("{file}:{}", broken["line"]);
        let named = |own: &str| {
            let has_id = id.is_none_or(|id| own.ends_with(&format!("{id}-own")));
            own.starts_with("goes too, a whole record") && own.contains(&place) && has_id
        };
        assert!(plan.lines().any(named), "{store}: {plan}");
        desk.run(&["erase", text(broken, "key")]).expect_status(0);
        assert!(!desk.text(file).contains(&torn), "{store}");
    }
}
