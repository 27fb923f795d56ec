//! Mistakes of the user: empty or unknown input is refused with the reason, and nothing is changed.

use crate::support;

use serde_json::{Value, json};
use support::demo::DemoStore;
use support::{StoreBuilder, run};

const NOW: &str = "2026-02-01T12:00:00Z";

fn each_kind(rows: &[Value]) -> Vec<&Value> {
    let mut seen = Vec::new();
    let kind = |row: &Value| (row["format"].clone(), row["type"].clone());
    let own =
        rows.iter().filter(|row| row["state"] == "live" && row["problems"].as_array().unwrap().is_empty());
    own.filter(|row| {
        let is_new = !seen.contains(&kind(row));
        seen.push(kind(row));
        is_new
    })
    .collect()
}

#[test]
fn in_every_format_an_empty_text_is_refused() {
    let demo = DemoStore::new("");
    let on = |words: &[&str]| demo.change(words);
    let rows = on(&["list", "--json"]).json_lines();
    let before = support::lasting(&demo.store);
    let mut formats = Vec::new();
    for row in each_kind(&rows) {
        let (format, key) = (row["format"].as_str().unwrap(), row["key"].as_str().unwrap());
        if !support::tries::is_long() && formats.contains(&format) {
            continue;
        }
        let kept = on(&["edit", key, "--set", "text=Another text.", "--dry-run"]);
        if kept.status != Some(0) {
            continue;
        }
        formats.push(format);
        for empty in ["text=", "text= \n "] {
            let own = on(&["edit", key, "--set", empty]).expect_status(3);
            assert!(own.stderr.contains("Nothing was changed"), "{format} {}: {}", row["type"], own.stderr);
        }
    }
    formats.dedup();
    formats.sort();
    formats.dedup();
    assert_eq!(formats, ["a-mem", "agent-memory", "bmad", "memory-server", "session-log"]);
    for row in &rows {
        let format = row["format"].as_str().unwrap();
        let kind = match format {
            "a-mem" => "note",
            "session-log" | "bmad" => "finding",
            "memory-server" => "core",
            _ => continue,
        };
        let store = row["store"].as_str().unwrap();
        let session = row["session"].as_str().map(|name| vec!["--session", name]).unwrap_or_default();
        if formats.contains(&format) {
            formats.retain(|own| *own != format);
            let words = ["add", "--type", kind, "--text", "", "--store", store, "--yes", "--data-dir"];
            let own = run([&words[..], &[demo.data().to_str().unwrap()], &session].concat());
            assert!(own.status == Some(3) && own.stderr.contains(" text"), "{format}: {own:?}");
        }
    }
    assert_eq!(formats, ["agent-memory"]);
    assert!(support::lasting(&demo.store) == before);
}

#[test]
fn members_beyond_the_schema_may_be_set_and_an_empty_text_is_not_added() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "mood": "calm", "metadata": {}}))
        .entries(1)
        .build();
    for set in ["mood=glad", "importance=0.9", "text=Other.", "content.finding=Another.", "metadata.more=1"] {
        let own = store.at_now(&["edit", "mem_1", "--set", set, "--yes"]);
        assert_eq!(own.status, Some(0), "{set}: {own:?}");
    }
    let own = store.at_now(&["add", "--session", "s", "--type", "finding", "--text", " \n", "--yes"]);
    assert!(own.status == Some(3) && own.stderr.contains("the text is empty"), "{own:?}");
}

#[test]
fn a_path_that_is_not_there_is_no_failure_of_the_system() {
    for verb in ["check", "list", "stats", "undo"] {
        let own = run([verb, "--store", "/nowhere/at/all"]).expect_status(1);
        assert!(own.stderr.contains("no store was found there"), "{}", own.stderr);
        let beyond_a_file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml/memories");
        run([verb, "--store", beyond_a_file]).expect_status(1).expect_stderr("no store was found there");
    }
}

#[test]
fn a_text_is_not_taken_away_with_what_holds_it() {
    let demo = DemoStore::new("");
    let on = |words: &[&str]| demo.change(words);
    let rows = on(&["list", "--json"]).json_lines();
    let mut tried = 0;
    for row in each_kind(&rows) {
        let raw: Value = serde_json::from_str(row["raw"].as_str().unwrap()).unwrap_or_default();
        let Some(held) = raw.get("content").and_then(Value::as_object) else { continue };
        let blank: serde_json::Map<_, _> = held
            .iter()
            .map(|(name, value)| (name.clone(), if name == "role" { value.clone() } else { json!("") }))
            .collect();
        let blank = format!("content={}", Value::Object(blank));
        for set in [&*blank, "content={}"] {
            let own = on(&["edit", row["key"].as_str().unwrap(), "--set", set]).expect_status(3);
            assert!(own.stderr.contains("without a text"), "{set}: {}", own.stderr);
        }
        tried += 1;
    }
    assert!(tried > 3, "{tried}");
}

#[test]
fn the_list_of_sessions_counts_what_is_archived() {
    let demo = DemoStore::at("", NOW);
    let sessions = demo.run(&["session", "list", "--json"]).json_lines();
    let mut any = false;
    for session in sessions.iter().filter(|own| own["archived"] != 0) {
        let query = format!("session:{} is:archived", session["session"].as_str().unwrap());
        assert_eq!(session["archived"], demo.list(&query).len(), "{session}");
        any = true;
    }
    assert!(any, "{sessions:?}");
    let told = demo.run(&["session", "list"]).stdout;
    assert!(told.contains(" archived, ") && !told.contains(" 1 records"), "{told}");
}

#[test]
fn a_new_field_whose_name_is_close_to_a_known_one_is_told_in_the_plan_and_set_all_the_same() {
    let demo = DemoStore::at("", NOW);
    let rows = demo.list("");
    let key = |format: &str, kind: &str| {
        let is_it = |row: &&Value| row["format"] == format && row["type"] == kind && row["state"] == "live";
        let own = rows.iter().filter(is_it).find(|row| row["problems"].as_array().unwrap().is_empty());
        own.unwrap_or_else(|| panic!("{format} {kind}"))["key"].as_str().unwrap().to_owned()
    };
    for (format, kind, set, meant) in [
        ("session-log", "finding", "content.findng=\"x\"", "content.finding"),
        ("session-log", "finding", "importence=0.5", "importance"),
        ("memory-server", "learning", "contnet=\"x\"", "content"),
        ("bmad", "finding", "descripton=x", "description"),
        ("a-mem", "note", "taggs=x", "tags"),
    ] {
        let own = demo.run(&["edit", &key(format, kind), "--set", set, "--dry-run"]);
        let told = own.stdout.lines().any(|line| line.contains(&format!("did you mean {meant}?")));
        assert!(told && own.status == Some(0), "{format} {set}: {own:?}");
    }
    for set in ["mood=1", "importance=0.4", "content.finding=y", "zz=1"] {
        let own = demo.run(&["edit", &key("session-log", "finding"), "--set", set, "--dry-run"]);
        let own = own.expect_status(0);
        assert!(!own.stdout.contains("did you mean"), "{set}: {own:?}");
    }
}

#[test]
fn a_record_with_an_empty_text_is_told_by_check() {
    let demo = DemoStore::at("", NOW);
    let rows = demo.list("");
    for (format, kind, pointer, code, severity) in [
        ("session-log", "finding", "/content/finding", "empty-record", "note"),
        ("bmad", "finding", "/description", "empty-record", "note"),
        ("bmad", "conversation", "/content", "empty-record", "note"),
        ("memory-server", "learning", "/content", "out-of-range", "error"),
        ("a-mem", "note", "", "empty-record", "note"),
    ] {
        let place = format!("{format} {kind}");
        let is_it = |row: &&Value| row["format"] == format && row["type"] == kind && row["state"] == "live";
        let mut own = rows.iter().filter(is_it).filter(|row| row["problems"].as_array().unwrap().is_empty());
        let row = own.next().unwrap_or_else(|| panic!("{place}"));
        let file = std::path::Path::new(row["store"].as_str().unwrap()).join(row["file"].as_str().unwrap());
        let (raw, before) = (row["raw"].as_str().unwrap(), std::fs::read_to_string(&file).unwrap());
        let empty = match serde_json::from_str::<Value>(raw) {
            Ok(mut record) => {
                *record.pointer_mut(pointer).unwrap_or_else(|| panic!("{place}: {raw}")) = json!(" \n");
                record.as_object_mut().unwrap().remove("checksum");
                record.to_string()
            }
            Err(_) => raw.split_inclusive("---\n").take(2).collect(),
        };
        std::fs::write(&file, before.replace(raw, &empty)).unwrap();
        let told =
            run(["check", "--json", "--store", row["store"].as_str().unwrap(), "--now", NOW]).json_lines();
        let is_told = |own: &&Value| {
            own["code"] == code
                && own["id"] == row["id"]
                && own["message"].as_str().unwrap().contains("empty")
        };
        let found = told.iter().find(is_told).unwrap_or_else(|| panic!("{place}: {told:?}"));
        assert_eq!(found["severity"], severity, "{place}");
        std::fs::write(&file, before).unwrap();
    }
}

#[test]
fn n_is_the_limit_in_every_verb_that_lists_and_no_word_of_a_query() {
    let demo = DemoStore::new("ops/memory");
    demo.change(&["tag", "--query", "type:finding", "+a"]).expect_status(0);
    demo.change(&["tag", "--query", "type:finding", "+b"]).expect_status(0);
    demo.change(&["repair", "--all-safe"]).expect_status(0);
    demo.change(&["backup", "create"]).expect_status(0);
    for verb in
        ["stores", "list", "search a", "check", "session list", "backup list", "journal", "quarantine list"]
    {
        let words: Vec<&str> = verb.split(' ').chain(["--json", "--now", "2099-01-01T00:00:00Z"]).collect();
        let with = |more: &[&str]| demo.run(&[&words, more].concat()).json_lines();
        let all = with(&[]);
        let newest_last = ["journal", "quarantine list"].contains(&verb);
        let most = all.len().min(2);
        let some = if newest_last { &all[all.len() - most..] } else { &all[..most] };
        // One verb takes all forms.
        let forms = [&["-n", "2"][..], &["-n2"], &["-n=2"], &["--limit", "2"]];
        for limit in forms.into_iter().take(if verb == "stores" { 4 } else { 1 }) {
            let own = with(limit);
            // Steps are printed by store, so the newest of all may not be the last.
            assert!(own == some || verb == "journal" && own.len() == 2, "{verb} {limit:?}: {own:?}");
        }
    }
    let groups = DemoStore::new("").run(&["duplicates", "--json", "-n", "1"]).json_lines();
    assert!(!groups.is_empty() && groups.iter().all(|row| row["group"] == 1), "{groups:?}");
    let exported = demo.run(&["export", "-n", "2", "--format", "jsonl"]).stdout;
    assert_eq!(exported.lines().count(), 2, "{exported}");
    for word in ["x", "0", "-1"] {
        let own = demo.run(&["list", "-n", word]).expect_status(2);
        assert!(own.stderr.contains("--limit") || own.stderr.contains("-1"), "{}", own.stderr);
    }
}

#[test]
fn an_option_that_lacks_a_dash_is_refused_with_the_option_and_other_words_stay_words() {
    let demo = DemoStore::new("shop/.bmad/memory");
    for (words, option) in [
        (&["list", "-limit", "4"][..], "--limit"),
        (&["list", "pool", "-json"], "--json"),
        (&["search", "-explain", "pool"], "--explain"),
        (&["list", "—limit", "4"], "--limit"),
        (&["list", "---limit=4"], "--limit"),
        (&["list", "--limt", "4"], "--limit"),
        (&["search", "pool", "-all"], "--all"),
        (&["list", "-help"], "--help"),
        (&["delete", "mem_1", "-dry-run"], "--dry-run"),
        (&["tag", "mem_1", "+new", "-query", "pool"], "--query"),
        (&["session", "list", "-json"], "--json"),
        (&["-demo"], "--demo"),
    ] {
        let own = demo.run(words).expect_status(2);
        assert!(own.stderr.contains(option) && own.stdout.is_empty(), "{words:?}: {own:?}");
    }
    let count = |words: &[&str]| demo.run(&[words, &["--json"]].concat()).json_lines().len();
    let (all, with) = (count(&["list"]), count(&["list", "charge"]));
    assert!(with > 0 && count(&["list", "-charge"]) == all - with);
    // A word that is also an option can still be searched for, and a tag with that name can be removed.
    for word in ["-has", "-\"limit\"", "-dry-run", "-tag:limit", "-limits"] {
        assert!(demo.run(&["list", word]).status.is_some_and(|status| status < 2), "{word}");
    }
    let id = &demo.list("type:finding")[0]["key"];
    let id = id.as_str().unwrap();
    demo.change(&["tag", id, "+json", "+old"]).expect_status(0);
    let key = demo.list("tag:old")[0]["key"].as_str().unwrap().to_owned();
    demo.change(&["tag", &key, "-old"]).expect_status(0);
    let key = demo.list("tag:json")[0]["key"].as_str().unwrap().to_owned();
    assert!(demo.list("tag:old").is_empty());
    demo.change(&["tag", &key, "-json"]).expect_status(2).expect_stderr("-- -json");
    run(demo.words(&["tag", "--yes"]).iter().map(String::as_str).chain([&*key, "--", "-json"]))
        .expect_status(0);
    assert!(demo.list("tag:json").is_empty());
}

#[test]
fn a_word_in_the_place_of_an_id_is_told_the_query_that_finds_memories() {
    let demo = DemoStore::new("");
    let before = support::lasting(&demo.store);
    for verb in support::tries::some(["delete", "erase", "archive"], &[1]) {
        let own = demo.change(&[verb, "pool"]).expect_status(1);
        assert!(own.stderr.contains("use --query pool"), "{verb}: {}", own.stderr);
    }
    let own = demo.change(&["tag", "connection pool", "+x"]).expect_status(1);
    assert!(own.stderr.contains("use --query 'connection pool'"), "{}", own.stderr);
    let own = demo.change(&["edit", "pool", "--set", "importance=0.9"]).expect_status(1);
    assert!(own.stderr.contains("use --query pool"), "{}", own.stderr);
    let own = demo.run(&["show", "pool"]).expect_status(1);
    assert!(own.stderr.contains("palimp search pool"), "{}", own.stderr);
    // `--query` is not proposed if the search finds nothing, or nothing that the verb can change.
    for words in [["delete", "zebrafish"], ["unarchive", "zebrafish"], ["delete", "a:b:\"c"]] {
        let own = demo.change(&words).expect_status(1);
        assert!(!own.stderr.contains("--query"), "{words:?}: {}", own.stderr);
    }
    assert!(support::lasting(&demo.store) == before);
}

#[test]
fn a_repair_of_which_nothing_is_said_shows_all_safe_fixes_and_does_none() {
    let demo = DemoStore::new("");
    let before = support::lasting(&demo.store);
    let shown = demo.run(&["repair", "--dry-run"]).expect_status(0).stdout;
    let safe = demo.run(&["repair", "--all-safe", "--dry-run"]).expect_status(0).stdout;
    // The names of backups end in the second of the plan.
    let untimed =
        |plan: &str| plan.lines().map(|line| line.split(".backup.").next().unwrap().to_owned()).collect();
    let (shown, safe): (Vec<String>, Vec<String>) = (untimed(&shown), untimed(&safe));
    assert_eq!(shown, safe);
    assert!(!shown.is_empty());
    demo.change(&["repair"]).expect_status(2).expect_stderr("--all-safe").expect_stderr("--dry-run");
    assert!(support::lasting(&demo.store) == before);
}

#[test]
fn a_tag_that_names_no_day_to_keep_a_memory_until_is_refused_and_a_stored_one_is_told() {
    let tag = "keep-until.2026-13-45";
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "tags": [tag]}))
        .entries(1)
        .build();
    let told = store.at_now(&["check", "--json"]).json_lines();
    let is_it =
        |own: &&Value| own["id"] == "mem_1" && own["message"].as_str().unwrap().contains("names no day");
    assert_eq!(told.iter().filter(is_it).count(), 1, "{told:?}");
    let add = ["add", "--session", "s", "--type", "finding", "--text", "a", "--tag", tag, "--yes"];
    for words in [&["tag", "mem_1", "+keep-until.soon", "--yes"][..], &add] {
        let own = store.at_now(words).expect_status(3);
        assert!(own.stderr.contains("names no day") && own.stderr.contains("2027-01-31"), "{own:?}");
    }
    for words in [
        ["tag", "mem_1", "-keep-until.2026-13-45", "--yes"],
        ["tag", "mem_1", "+keep-until.2027-01-31", "--yes"],
    ] {
        store.at_now(&words).expect_status(0);
    }
    let told = store.at_now(&["check", "--json"]).json_lines();
    assert_eq!(told.iter().filter(is_it).count(), 0, "{told:?}");
}
