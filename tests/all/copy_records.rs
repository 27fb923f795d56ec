//! `palimp copy`: a memory is also in another session of its store, and the original keeps every byte.

use proptest::prelude::*;
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::move_records::{Site, finding};
use crate::support::{Output, tries};

fn copy(site: &Site, id: &str, to: &str) -> Output {
    site.run(&["copy", id, "--to", to, "--json"])
}

/// The name of a memory of the first session.
fn first(site: &Site, id: &str) -> String {
    format!("{}/{id}", site.sessions[0])
}

fn record(text: &str) -> Value {
    json!({"content": {"finding": text, "n": 1.50}, "description": text, "severity": "low", "x": "é"})
}

/// A folder of Claude Code with two topics, one of them in a folder, and a section in the index.
pub fn claude() -> Site {
    let site = Site::of_folder();
    let mode = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    fs::create_dir_all(site.root().join("team")).unwrap();
    [site.root(), site.root().join("team")].iter().for_each(|folder| mode(folder, 0o700));
    let write = |name: &str, text: &str| {
        fs::write(site.root().join(name), text).unwrap();
        mode(&site.root().join(name), 0o600);
    };
    let lines = "- [Build](build.md) — how it builds\n- [Rules](team/rules.md) — of all\n";
    write("MEMORY.md", &format!("# Memory\n\n{lines}\n## Kept\nalways\n"));
    let front = |name: &str| format!("---\nname: {name}\ndescription: About {name}\n---\n\n");
    write("build.md", &(front("build") + "Make it by [rules](team/rules.md) and [[rules]].\n"));
    write("team/rules.md", &(front("rules") + "First [[build]].\n"));
    site
}

#[test]
fn a_copy_has_its_own_id_session_and_checksum_and_one_undo_takes_it_back() {
    for format in ["session-log", "bmad"] {
        let site = Site::new(format);
        let id = site.add(0, "finding", record("goes"));
        site.add(1, "finding", record("was there"));
        let (before, old, there) = (site.files(), site.records(0), site.ids(1));
        let told = copy(&site, &first(&site, &id), &site.sessions[1]).expect_status(0).json_lines();
        assert_eq!(site.records(0), old, "{format}: the original stays");
        let mut new = site.records(1).pop().unwrap();
        let added = &told[0]["plan"]["memories"][0];
        assert_eq!((&added["effect"], &added["id"]), (&json!("add"), &new["id"]), "{told:?}");
        assert!(new["id"] != json!(id) && new["id"] != json!(there[0]), "{new}");
        assert!(format == "bmad" || new["session_id"] == json!(site.sessions[1]), "{new}");
        site.expect_no_problem();
        for (name, own) in new.as_object_mut().unwrap() {
            let is_own = ["id", "session_id", "checksum"].contains(&name.as_str());
            *own = if is_own { old[0][name].clone() } else { own.take() };
        }
        assert_eq!(new, old[0]);
        site.run(&["undo"]).expect_status(0);
        assert_eq!(site.files(), before);
    }
}

#[test]
fn a_copy_gets_an_id_that_none_had_and_what_it_refers_to_stays() {
    let site = Site::new("bmad");
    let id = site.add(0, "finding", finding("goes"));
    let [_, deleted, erased] = ["one", "two", "three"].map(|text| site.add(1, "finding", finding(text)));
    site.run(&["delete", &deleted]).expect_status(0);
    site.run(&["erase", &erased]).expect_status(0);
    copy(&site, &first(&site, &id), &site.sessions[1]).expect_status(0);
    assert_eq!(site.ids(1), ["finding-001", "finding-004"]);
    let refers = json!({"references": {"findings": [&id]}, "decision": "Use it", "made_by": "a"});
    let decision = site.add(0, "decision", refers);
    let told = site.run(&["copy", &decision, "--to", &site.sessions[1]]).expect_status(0).stdout;
    assert!(told.contains("refers to finding-001, which names another memory there"), "{told}");
    assert_eq!(site.records(1)[0]["references"]["findings"], json!([id]));
}

#[test]
fn a_topic_is_copied_with_its_line_and_links_to_the_original_stay() {
    let site = claude();
    let (before, problems) = (site.files(), site.run(&["check", "--json"]).stdout);
    site.run(&["copy", "build", "--to", "team", "--dry-run"]).expect_status(0);
    assert_eq!(site.files(), before);
    site.run(&["copy", "build", "--to", "team"]).expect_status(0);
    let text = |name: &str| fs::read_to_string(site.root().join(name)).unwrap();
    let index = text("MEMORY.md");
    let lines = "- [Build](build.md) — how it builds\n- [Build](team/build-2.md) — how it builds\n- [Rules]";
    assert!(index.contains(lines), "{index}");
    let (old, new) = (text("build.md"), text("team/build-2.md"));
    assert_eq!(new, old.replace("name: build", "name: build-2").replace("team/rules.md", "rules.md"));
    let changed = site.files().into_iter().filter(|(path, bytes)| before.get(path) != Some(bytes)).count();
    assert_eq!(changed, 2, "the index and the copy");
    assert_eq!(site.run(&["check", "--json"]).stdout, problems);
    site.run(&["undo"]).expect_status(0);
    assert_eq!(site.files(), before);
    for name in ["build-2", "build-3"] {
        site.run(&["copy", "build", "--to", "."]).expect_status(0);
        assert!(text("MEMORY.md").contains(&format!("]({name}.md)")), "{name}");
    }
    site.run(&["delete", "build-3"]).expect_status(0);
    site.run(&["copy", "--query", "id:build", "--to", "./"]).expect_status(0);
    assert!(site.root().join("build-4.md").exists() && !site.root().join("build-3.md").exists());
}

#[test]
fn copies_below_one_another_are_no_change_that_another_program_undid() {
    let site = claude();
    fs::write(site.root().join("MEMORY.md"), "- [Build](build.md)\n- [Rules](team/rules.md)").unwrap();
    fs::write(site.root().join("orphan.md"), "Nothing leads here.\n").unwrap();
    for id in ["orphan", "team/rules"] {
        site.run(&["copy", id, "--to", "."]).expect_status(0);
    }
    assert!(!site.run(&["check", "--json"]).stdout.contains("change-undone"));
}

fn refused(site: &Site, (id, to): (&str, &str), status: i32, why: &str) {
    let before = site.files();
    let told = copy(site, id, to).expect_status(status).stderr;
    assert!(told.contains(why), "{told}");
    assert_eq!(site.files(), before);
}

#[test]
fn what_can_not_be_copied_is_refused_and_so_is_a_copy_to_a_full_session() {
    let site = Site::new("bmad");
    let [id, deleted] = ["stays", "goes"].map(|text| site.add(0, "finding", finding(text)));
    site.run(&["delete", &first(&site, &deleted)]).expect_status(0);
    site.add(1, "finding", finding("packed"));
    site.run(&["session", "archive", &site.sessions[1]]).expect_status(0);
    let [one, two] = &site.sessions;
    let id = first(&site, &id);
    refused(&site, (&id, two), 3, "E_SESSION_ARCHIVED");
    refused(&site, (&id, "nowhere"), 3, "there is no session");
    refused(&site, (&id, one), 3, "already");
    refused(&site, (&deleted, one), 1, "");
    let site = claude();
    refused(&site, ("build", "nowhere"), 3, "there is no folder");
    refused(&site, ("MEMORY#kept", "."), 3, "it is a part of a file");
    let site = Site::without_sessions("memory-server");
    site.run(&["add", "--type", "task", "--text", "text"]).expect_status(0);
    let id = site.run(&["list", "--json"]).json_lines()[0]["id"].as_str().unwrap().to_owned();
    refused(&site, (&id, "two"), 3, "it belongs to no session, so it can't be copied");
    let site = Site::new("session-log");
    let id = site.add(0, "finding", json!({"content": {"finding": "x".repeat(2_000)}}));
    let storage = json!({"max_session_size_mb": 0.001, "auto_compact": false});
    fs::write(site.root().join("config.json"), json!({"storage": storage}).to_string()).unwrap();
    refused(&site, (&id, &site.sessions[1]), 3, "E_SIZE_LIMIT");
}

proptest! {
    #![proptest_config(tries::config(4, 300))]

    #[test]
    fn originals_keep_their_bytes(copies in proptest::collection::vec((0..2_usize, 0..4_usize), 1..5), is_bmad: bool) {
        let site = Site::new(if is_bmad { "bmad" } else { "session-log" });
        for number in 0..3 {
            site.add(number % 2, "finding", record("same"));
        }
        let before = site.files();
        for (from, which) in &copies {
            let ids = site.ids(*from);
            let own = format!("{}/{}", site.sessions[*from], ids[which % ids.len()]);
            site.run(&["copy", &own, "--to", &site.sessions[1 - from]]).expect_status(0);
        }
        let after = site.files();
        for (path, bytes) in before.iter().filter(|(path, _)| path.to_str().unwrap().ends_with(".jsonl")) {
            prop_assert!(after[path].starts_with(bytes), "{path:?}");
        }
        copies.iter().for_each(|_| drop(site.run(&["undo"]).expect_status(0)));
        prop_assert_eq!(site.files(), before);
    }
}
