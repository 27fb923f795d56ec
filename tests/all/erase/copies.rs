//! Copies that go with an erased record. The plan names them.

use std::fs;
use std::io::Read;

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use super::Site;
use crate::support::{DemoStore, StoreBuilder, tar_gz};

const CASES: [(&str, &str); 3] = [
    ("team/memories", "type:learning"),
    ("ops/memory", "session:release_4_3 type:finding"),
    ("shop/.bmad/memory", "session:double-charge type:finding"),
];

#[test]
fn copies_go_and_are_named_before() {
    for (store, query) in crate::support::tries::some(CASES, &[0]) {
        let desk = DemoStore::new(store);
        let row = desk.list(query).into_iter().find(|row| row["state"] == "live").unwrap();
        let (id, raw) = (row["id"].as_str().unwrap(), row["raw"].as_str().unwrap());
        let log = desk.store.join(row["file"].as_str().unwrap());
        let before = fs::read_to_string(&log).unwrap();
        let end = if before.ends_with('\n') { "" } else { "\n" };
        // An exact copy, and one that says the same.
        let mut other: Value = serde_json::from_str(raw).unwrap();
        other.as_object_mut().unwrap().remove("checksum");
        other["note"] = "it differs".into();
        fs::write(&log, format!("{before}{end}{raw}\n{other}\n")).unwrap();
        let keys = || -> Vec<(String, String)> {
            let own = desk.list(query).into_iter().filter(|own| own["id"] == id);
            let text = |own: &Value, name: &str| own[name].as_str().unwrap().to_owned();
            own.map(|own| (text(&own, "key"), text(&own, "raw"))).collect()
        };
        let all = keys();
        assert_eq!(all.len(), 3, "{store}: {all:?}");
        let first = &all.iter().find(|(_, own)| own == raw).unwrap().0;
        let plan = desk.run(&["erase", first, "--dry-run"]).expect_status(0).stdout;
        assert!(plan.contains("with 2 copies that say the same:"), "{store}: {plan}");
        desk.run(&["erase", first, "--yes"]).expect_status(0);
        assert!(keys().is_empty(), "{store}");
        assert!(!fs::read_to_string(&log).unwrap().contains(raw), "{store}");
    }
}

#[test]
fn a_copy_of_an_index_loses_the_entries_of_an_erased_memory_and_keeps_the_others() {
    for (store, query) in CASES {
        let desk = DemoStore::new(store);
        let rows = desk.list(query);
        let index = desk.store.join(rows[0]["file"].as_str().unwrap()).with_file_name("index.json");
        let before = fs::read_to_string(&index).unwrap();
        let is_alone = |row: &&Value| rows.iter().filter(|other| other["id"] == row["id"]).count() == 1;
        let is_in = |text: &str, row: &Value| text.contains(&row["id"].to_string());
        let listed: Vec<&Value> = rows.iter().filter(is_alone).filter(|row| is_in(&before, row)).collect();
        let copy = index.with_file_name("index.json.bak");
        fs::write(&copy, &before).unwrap();
        // A file of the user's own, and where an index says its session, the index of another one.
        let chapters = format!("{{\"chapters\":{{{}:\"The end\"}}}}", listed[0]["id"]);
        let session = index.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let foreign = before.replace(session, "elsewhere");
        let foreign = if foreign.contains("\"session_id\"") { &foreign } else { "" };
        let mine = ("mine/index.json", foreign.as_bytes());
        let others = tar_gz(&[("handbook/index.json", chapters.as_bytes()), mine]);
        fs::write(desk.store.join("others.tar.gz"), &others).unwrap();
        let archive = desk.store.join("archive/copy.tar.gz");
        if archive.parent().unwrap().is_dir() {
            let name = format!("{session}/index.json.bak");
            fs::write(&archive, tar_gz(&[(&name, before.as_bytes())])).unwrap();
        }
        desk.run(&["erase", listed[0]["key"].as_str().unwrap(), "--yes"]).expect_status(0);
        assert!(fs::read(desk.store.join("others.tar.gz")).unwrap() == others, "{store}");
        let mut copies = vec![fs::read_to_string(&copy).unwrap()];
        assert!(serde_json::from_str::<Value>(&copies[0]).is_ok(), "{store}");
        if let Ok(packed) = fs::read(&archive) {
            copies.push(String::new());
            MultiGzDecoder::new(&*packed).read_to_string(&mut copies[1]).unwrap();
        }
        for left in copies {
            assert!(!is_in(&left, listed[0]) && is_in(&left, listed[1]), "{store}: {left}");
        }
    }
}

#[test]
fn the_plan_counts_copies_and_earlier_versions_in_backups_and_in_our_own_data() {
    let store = StoreBuilder::memory_server()
        .learning(json!({"id": "k-1", "content": "It is about to be forgotten."}))
        .learning(json!({"id": "k-2", "content": "It stays where it is."}))
        .build();
    let site = Site::of(store);
    site.run(&["edit", "k-1", "--set", "text=It was said otherwise once.", "--yes"]).expect_status(0);
    site.run(&["tag", "k-2", "+other", "--yes"]).expect_status(0);
    site.run(&["backup", "create", "--yes"]).expect_status(0);
    let told = site.run(&["erase", "k-1", "--dry-run"]).expect_status(0).stdout;
    // The format's own copies of both steps, undo data of the first, and the copy made by hand.
    let counted = told.lines().find(|line| line.contains("in backups and palimp's own data")).unwrap();
    let named: Vec<&str> = told.lines().filter(|line| line.contains(" in ") && *line != counted).collect();
    assert!(named.iter().any(|line| line.contains(".backup/learnings.jsonl.backup.")), "{told}");
    assert!(named.contains(&"erase 2 in undo data of step 1"), "{told}");
    assert!(named.iter().any(|line| line.contains("/backups/")), "{told}");
    assert!(!named.iter().any(|line| line.contains("step 2")), "{told}");
    assert!(counted.starts_with("with 5 copies or earlier versions"), "{told}");
    site.run(&["erase", "k-2", "--dry-run"]).expect_status(0).expect_stdout("undo data of step 2");
}

#[test]
fn the_copy_of_a_record_of_another_session_takes_no_memory_of_that_session_with_it() {
    let line = |time: &str, text: &str| {
        let content = json!({"finding": text});
        let own = json!({"type": "finding", "id": "f-1", "timestamp": time, "tags": [], "content": content});
        format!("{own}\n")
    };
    let lines =
        [line("2026-01-01T10:00:00Z", "Tea is at four."), line("2026-01-02T10:00:00Z", "Rain is due.")];
    let store = StoreBuilder::session_log()
        .session("one")
        .line(lines[0].trim_end())
        .session("two")
        .line(lines[1].trim_end())
        .build();
    let site = Site::of(store);
    fs::write(site.store.path.join("mine.jsonl.bak"), &lines[1]).unwrap();
    site.run(&["erase", "one/f-1", "--yes"]);
    let read = |path: &str| fs::read_to_string(site.store.path.join(path)).unwrap_or_default();
    assert!(!read("sessions/one/memory.jsonl").contains("Tea is at four."));
    assert_eq!(
        (read("sessions/two/memory.jsonl"), read("mine.jsonl.bak")),
        (lines[1].clone(), lines[1].clone())
    );
}
