//! `backup list`, `diff` and `restore`: each record gets what the comparison says, and erased ones
//! never come back. `maintain` and `compact` remove what they name.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use palimp::disk::host::Host;
use palimp::disk::{RealDisk, ThisMachine};
use palimp::model::{Extent, Moment};
use palimp::ops::WriteContext;
use palimp::ops::backup_restore::{CopyFacts, compare, restore};
use palimp::store;
use palimp::store::write::Writer;
use serde_json::{Value, json};
use support::kept_log::{LOG, line};
use support::{KeptLog, MadeStore, StoreBuilder, files_below, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn kinds(rows: &[Value]) -> BTreeMap<String, String> {
    let own = |row: &Value| Some((row["id"].as_str()?.to_owned(), row["change"].as_str()?.to_owned()));
    rows.iter().filter_map(own).collect()
}

#[test]
fn every_kind_is_named_and_a_changed_record_is_put_back_when_it_is_named() {
    let texts = ["kept as it is", "deleted by hand", "was changed", "has a tombstone", "was erased"];
    let old: Vec<String> = (0..5).map(|at| line(at, texts[at])).collect();
    let site = KeptLog::of(&old);
    let copy = site.keep(&old);
    site.run(&["delete", "mem_3", "--yes"]).expect_status(0);
    site.run(&["erase", "mem_4", "--yes"]).expect_status(0);
    // The copy was kept elsewhere, and is put back here.
    std::fs::write(&copy, old.concat()).unwrap();
    let now = [old[0].clone(), line(2, "is otherwise"), old[3].clone(), line(9, "written later")];
    site.store.write(LOG, now.concat().as_bytes());
    let rows = site.run(&["backup", "diff", &copy, "--json"]).expect_status(0).json_lines();
    let expected = [
        ("mem_1", "missing"),
        ("mem_2", "changed"),
        ("mem_3", "tombstoned"),
        ("mem_4", "erased"),
        ("mem_9", "absent"),
    ];
    assert_eq!(kinds(&rows), expected.map(|(id, kind)| (id.to_owned(), kind.to_owned())).into());
    let erased = rows.iter().find(|row| row["change"] == "erased").unwrap();
    assert!(erased["raw"].is_null() && !erased.to_string().contains("was erased\""), "{erased}");
    site.run(&["backup", "restore", &copy, "mem_2", "mem_3", "mem_4", "--yes"]).expect_status(0);
    assert_eq!(site.lines(), [old[0].clone(), old[2].clone(), old[3].clone(), now[3].clone()]);
    let rows = site.run(&["backup", "list", "--verify", "--json"]).json_lines();
    assert!(rows.iter().any(|row| row["reason"] == "before backup restore" && row["verified"] == true));
    site.run(&["undo", "--yes"]).expect_status(0);
    assert_eq!(site.lines(), now);
    let refused = site.run(&["backup", "restore", &copy, "mem_4", "--yes"]).expect_status(1);
    assert!(refused.stderr.contains("mem_4: erased"), "{}", refused.stderr);
    for names in [&["mem_77"][..], &["mem_1", "mem_77"]] {
        let args = [&["backup", "restore", &copy, "--replace", "--yes"], names].concat();
        let refused = site.run(&args).expect_status(1);
        assert!(refused.stderr.contains("no memory with the id or key \"mem_77\""), "{}", refused.stderr);
        assert_eq!(site.lines(), now);
    }
    // A record that is the same in both has no effect, and is no error.
    site.run(&["backup", "restore", &copy, "mem_0", "--replace", "--yes"]).expect_status(0);
}

/// A plan from before does not restore a record a second time that exists by now.
#[test]
fn of_two_restores_of_the_same_backup_the_second_is_refused_and_the_record_is_there_once() {
    for puts_back in [false, true] {
        let old = [line(0, "stays"), line(1, "is missing"), line(2, "was changed")];
        let site = KeptLog::of(&[old[0].clone(), line(2, "otherwise")]);
        let (root, data) = (&site.store.path, site.data.path());
        let now = Moment::parse(NOW).unwrap().0;
        let place = store::look_at(root, None).found.unwrap().remove(0);
        let before = store::load(&place, Extent::All, None, now);
        let context = WriteContext::of(&before, now, [0; 16]);
        let compared =
            compare(&context, Path::new(LOG), old.concat().as_bytes(), &CopyFacts::default()).unwrap();
        let mut chosen = compared.by_default();
        // A record that is changed back makes it a change inside the file; others only add lines at its end.
        chosen.extend(compared.of_id("mem_2").into_iter().filter(|_| puts_back).map(|own| own.at));
        let plan = restore(&context, &compared, &chosen).unwrap();
        let machine = ThisMachine::new();
        let host = Host { disk: &RealDisk, machine: &machine, data, now };
        let commit = || Writer::open(host, &before).unwrap().restore(&plan);
        commit().unwrap();
        let after = site.lines();
        let refused = commit().unwrap_err();
        assert!(refused.is_moved() && refused.code() == "E_CONCURRENT_MOD", "{refused}");
        assert!(refused.to_string().contains("Nothing was changed"), "{refused}");
        assert_eq!(site.lines(), after);
        assert_eq!(after.iter().filter(|own| **own == old[1]).count(), 1);
        let then = store::load(&place, Extent::All, None, now);
        let context = WriteContext { store: &then, ..context };
        let compared =
            compare(&context, Path::new(LOG), old.concat().as_bytes(), &CopyFacts::default()).unwrap();
        assert!(compared.by_default().is_empty());
    }
}

#[test]
fn the_list_says_why_a_backup_was_made_and_whether_it_can_be_read_whole() {
    let site = KeptLog::of(&[line(0, "a"), line(1, "b")]);
    let copy = site.keep(&[line(0, "a"), line(1, "b")[..30].to_owned()]);
    let own = |args: &[&str]| {
        let rows = site.run(args).json_lines();
        rows.into_iter().find(|row| row["backup"] == *copy).unwrap()
    };
    let row = own(&["backup", "list", "--json"]);
    assert_eq!((&row["verified"], &row["found"]), (&Value::Null, &json!("not verified yet")));
    let row = own(&["backup", "list", "--verify", "--json"]);
    assert_eq!((&row["reason"], &row["verified"]), (&json!("by hand"), &json!(false)));
    let text = site.run(&["backup", "list"]).stdout;
    assert!(text.contains("not verified yet") && !text.contains("intact"), "{text}");
    let text = site.run(&["backup", "list", "--verify"]).stdout;
    assert!(text.contains("DAMAGED") && text.contains("by hand"), "{text}");
}

#[test]
fn a_copy_that_an_erasure_cleaned_is_not_damaged_and_one_that_was_written_to_is() {
    let made = MadeStore::new(("memory-server", "learning"));
    let is_intact = || {
        let rows = made.run(&["backup", "list", "--verify", "--json"]).expect_status(0).json_lines();
        rows.len() == 1 && rows[0]["verified"] == true
    };
    made.add("The otter swims.");
    made.add("The heron waits.");
    made.run(&["edit", &made.key("otter"), "--set", "text=The otter sleeps."]).expect_status(0);
    let copy = files_below(&made.root().join(".backup")).into_keys().next().unwrap();
    let replace = |from: &str, to: &str| {
        std::fs::write(&copy, std::fs::read_to_string(&copy).unwrap().replace(from, to)).unwrap();
    };
    assert!(is_intact());
    replace("swims", "sinks");
    assert!(!is_intact());
    replace("sinks", "swims");
    made.run(&["erase", &made.key("heron")]).expect_status(0);
    assert!(is_intact(), "the erasure changed it");
    replace("swims", "is swimming");
    assert!(!is_intact());
}

#[test]
fn what_is_one_document_comes_back_whole_or_not_at_all() {
    let site = KeptLog::of(&[line(0, "a")]);
    site.keep(&[]);
    let rows = site.run(&["backup", "list", "--json"]).json_lines();
    let row = rows.iter().find(|row| row["file"].as_str().unwrap().ends_with(".json")).unwrap();
    let name = row["backup"].as_str().unwrap();
    let refused = site.run(&["backup", "restore", name, "--yes"]).expect_status(3);
    assert!(refused.stderr.contains("only be restored as a whole"), "{}", refused.stderr);
}

#[test]
fn copies_of_other_programs_beside_their_files_are_listed_with_the_file_they_are_of() {
    let data = crate::support::folder::new();
    let folder = crate::support::folder::new();
    let root = folder.path().join(".chora/memory");
    std::fs::create_dir_all(root.join("events/2026-01")).unwrap();
    std::fs::create_dir_all(root.join("knowledge/notes")).unwrap();
    std::fs::write(root.join("events/2026-01/events.jsonl"), "").unwrap();
    std::fs::write(root.join("events/2026-01/events.jsonl.bak"), "").unwrap();
    let own = ["--store", root.to_str().unwrap(), "--as", "a-mem", "--json", "--data-dir"];
    let rows = run(["backup", "list"].iter().chain(&own).copied().chain([data.path().to_str().unwrap()]));
    let rows = rows.json_lines();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!(rows[0]["file"], "events/2026-01/events.jsonl");
    assert_eq!(rows[0]["reason"], "the format's");
}

#[test]
fn a_compaction_names_the_rule_and_each_memory_that_goes() {
    let site = KeptLog::of(&[line(0, "a"), line(1, "b")]);
    site.run(&["tag", "mem_1", "+pinned", "--yes"]).expect_status(0);
    site.run(&["delete", "mem_1", "--yes"]).expect_status(0);
    let rows = site.run(&["compact", "--dry-run", "--json"]).json_lines();
    let told = rows[0]["plan"]["told"].as_array().unwrap();
    let named = |line: &Value, id: &str| {
        let line = line.as_str().unwrap();
        line.contains("  is removed  ") && line.ends_with(id)
    };
    assert!(told[0].as_str().unwrap().starts_with("the rule: deleted memories are removed"), "{told:?}");
    assert!(told.iter().any(|line| named(line, "mem_1")), "{told:?}");
    assert!(
        told[0].as_str().unwrap().contains("of the others") && !told[0].to_string().contains("always"),
        "{told:?}"
    );
    assert!(!told.iter().any(|line| named(line, "mem_0")), "{told:?}");
}

#[test]
fn the_journal_says_what_is_undone_and_what_others_wrote() {
    let site = KeptLog::of(&[line(0, "a"), line(1, "b")]);
    let tag = |now: &str| {
        let own = ["--store", site.store.path.to_str().unwrap(), "--now", now, "--data-dir"];
        let args = ["delete", "mem_1", "--yes"].iter().chain(&own).copied();
        run(args.chain([site.data.path().to_str().unwrap()])).expect_status(0);
    };
    tag("2026-01-20T00:00:00Z");
    let later = line(22, "an agent's");
    site.store.write(LOG, [site.lines().concat(), later].concat().as_bytes());
    let rows = site.run(&["journal", "--json"]).json_lines();
    assert_eq!((&rows[0]["undone"], &rows[0]["written_by_others"]), (&json!(false), &json!(1)));
    assert!(rows[0]["why_not"].is_null() && rows[0]["undo_until"].is_string());
    site.run(&["undo", "--yes"]).expect_status(0);
    let rows = site.run(&["journal", "--json"]).json_lines();
    assert_eq!(rows[0]["undone"], json!(true));
}

#[test]
fn what_a_full_file_has_no_room_for_is_due_and_what_was_used_lately_stays() {
    let mut builder = StoreBuilder::memory_server();
    for number in 0..503 {
        // The higher the number, the longer it was not used.
        let used = format!("2026-01-{:02}T{:02}:{:02}:00Z", 31 - number / 24, 23 - number % 24, 0);
        builder = builder.learning(json!({"id": format!("k-{number}"), "content": "x", "accessed_at": used}));
    }
    let site = KeptLog { store: builder.build(), data: crate::support::folder::new() };
    let plan = site.run(&["maintain", "--dry-run", "--json"]).expect_status(0).json_lines();
    let told = plan[0]["plan"]["told"].to_string();
    assert!(
        told.contains("3 that full files have no room for") && told.contains("least recently used"),
        "{told}"
    );
    let named: Vec<&str> = ["k-500", "k-501", "k-502"].into_iter().filter(|id| told.contains(id)).collect();
    assert_eq!(named.len(), 3, "{told}");
    site.run(&["maintain", "--yes"]).expect_status(0);
    let rows = site.run(&["list", "is:archived", "--json"]).json_lines();
    let archived: BTreeSet<String> = rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(archived, BTreeSet::from(["k-500", "k-501", "k-502"].map(str::to_owned)));
    let again = site.run(&["maintain", "--dry-run", "--json"]);
    assert!(!again.stdout.contains("no room"), "{}", again.stdout);
}
