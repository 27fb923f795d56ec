//! Verbs that change something, run as by a script: what they refuse, and what they say.

use crate::support;

mod archives;
mod named;
mod options;
mod unread;

use std::fs;

use serde_json::json;
use support::{Output, SOON, StoreBuilder, TempStore, Tree, Verb, assert_untouched};

/// Runs a changing verb on a store, with `--yes`.
fn change(store: &TempStore, args: &[&str]) -> Output {
    changing(store, args).run()
}

fn changing(store: &TempStore, args: &[&str]) -> Verb {
    store.verb(&[args, &["--yes"]].concat())
}

fn entry() -> TempStore {
    StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1"})).build()
}

#[track_caller]
fn refused(store: &TempStore, args: &[&str], said: &[&str]) {
    let before = Tree::of(&store.path);
    let output = change(store, args).expect_status(3);
    for words in said {
        assert!(output.stderr.contains(words), "{args:?}: {}", output.stderr);
    }
    assert!(output.stderr.contains("Nothing was changed"), "{}", output.stderr);
    assert_untouched(&store.path, &before);
}

#[test]
fn tags_that_are_no_list_are_never_replaced_by_tagging() {
    for tags in [json!("a, b"), json!({"a": 1}), json!(7)] {
        let store =
            StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1", "tags": tags})).build();
        refused(&store, &["tag", "mem_1", "+new"], &["`tags` of mem_1", "not a list", "palimp edit mem_1"]);
        refused(&store, &["tag", "mem_1", "-a"], &["not a list"]);
        change(&store, &["edit", "mem_1", "--set", r#"tags=["a"]"#]).expect_status(0);
        change(&store, &["tag", "mem_1", "+new"]).expect_status(0);
        let log = store.text("sessions/s/memory.jsonl");
        assert!(log.contains(r#""tags":["a","new"]"#), "{log}");
    }
}

#[test]
fn each_of_several_tags_that_are_removed_goes_and_no_other() {
    let store = StoreBuilder::session_log()
        .session("s")
        .entry(json!({"id": "mem_1", "tags": ["a", "b", "c", "d", "a"]}))
        .build();
    change(&store, &["tag", "mem_1", "-a", "-c"]).expect_status(0);
    let log = store.text("sessions/s/memory.jsonl");
    assert!(log.contains(r#""tags":["b","d"]"#), "{log}");
}

#[test]
fn a_broken_record_is_called_broken_and_repair_is_named() {
    let store = StoreBuilder::session_log().session("s").entries(1).line(r#"{"id":"mem_2","#).build();
    let list = Verb::new(["list", "is:broken", "--json", "--store", store.path.to_str().unwrap()]).run();
    let key = list.json_lines()[0]["key"].as_str().unwrap().to_owned();
    for args in [
        ["tag", &key, "+a"].as_slice(),
        &["tag", "--query", "is:broken", "+a"],
        &["archive", &key],
        &["edit", &key, "--set", "text=x"],
    ] {
        refused(&store, args, &["it is broken", "palimp repair", "E_STORAGE_CORRUPT"]);
    }
    change(&store, &["delete", &key]).expect_status(0).expect_stdout("1 broken memory: ");
}

#[test]
fn a_record_in_a_state_that_does_not_fit_is_told_with_that_state() {
    let store =
        StoreBuilder::session_log().session("s").entry(json!({"id": "mem_1"})).tombstone("mem_1").build();
    change(&store, &["tag", "mem_1", "+a"]).expect_status(1).expect_stderr("is deleted; `palimp undelete`");
}

#[test]
fn a_tag_is_what_the_format_allows_whichever_verb_brings_it() {
    let long = "x".repeat(31);
    let longer = format!("+{long}");
    let list = format!(r#"tags=["{long}"]"#);
    let record = json!({"id": "550e8400-e29b-41d4-a716-446655440000", "content": "Use it"});
    let store = StoreBuilder::memory_server().core(record).build();
    let id = "550e8400-e29b-41d4-a716-446655440000";
    for tag in ["+", "+ ", "+a\u{7}b", "+a\nb", &longer] {
        refused(&store, &["tag", id, tag], &["tag"]);
    }
    refused(&store, &["edit", id, "--set", &list], &["too-long"]);
    refused(&store, &["edit", id, "--set", r#"tags=["\u0007"]"#], &["control characters"]);
    refused(&store, &["add", "--type", "core", "--text", "x", "--tag", "a\u{7}"], &["control characters"]);
    refused(&store, &["add", "--type", "core", "--text", "x", "--tag", ""], &["a tag is empty"]);
    let eleven: Vec<String> = (0..11).map(|number| format!("+t{number}")).collect();
    let eleven: Vec<&str> = ["tag", id].into_iter().chain(eleven.iter().map(String::as_str)).collect();
    refused(&store, &eleven, &["tags"]);
    change(&store, &["tag", id, "+two words", "+größe"]).expect_status(0);
}

fn drafts(store: &TempStore) -> Vec<Vec<u8>> {
    let vaults = fs::read_dir(store.around().join("data/stores")).into_iter().flatten().flatten();
    let files = vaults.flat_map(|vault| fs::read_dir(vault.path().join("drafts")).into_iter().flatten());
    files.map(|file| fs::read(file.unwrap().path()).unwrap()).collect()
}

#[test]
fn what_was_written_in_an_editor_is_kept_whatever_refuses_it() {
    let yes = ["--yes"].as_slice();
    for (script, options, said, kept) in [
        ("printf 'typed\\n' > $1; exit 1", yes, "ended with", b"typed\n".as_slice()),
        ("printf 'caf\\351' > $1", yes, "not UTF-8", b"caf\xe9"),
        ("printf typed > $1", &[], "use --yes", b"typed"),
        ("head -c 2000000 /dev/zero | tr '\\0' x > $1", yes, "E_SIZE_LIMIT", &[b'x'; 2_000_000]),
    ] {
        let store = entry();
        let before = Tree::of(&store.path);
        let edit = store.verb(&[&["edit", "mem_1", "--editor"], options].concat());
        let output =
            edit.env("EDITOR", support::script(store.around(), "editor", script)).run().expect_status(3);
        assert!(output.stderr.contains(said), "{}", output.stderr);
        assert!(output.stderr.contains("What you wrote is kept in"), "{}", output.stderr);
        assert_eq!(drafts(&store), [kept], "{script}");
        assert_untouched(&store.path, &before);
    }
}

#[test]
fn an_editor_that_is_left_without_a_word_leaves_no_draft_and_read_only_opens_none() {
    let store = entry();
    let opened = store.around().join("opened");
    let script = format!("touch {}; exit 1", opened.display());
    let editor = support::script(store.around(), "editor", &script);
    let edit = ["edit", "mem_1", "--editor"];
    let output = changing(&store, &[&edit[..], &["--readonly"]].concat()).env("EDITOR", &editor).run();
    assert!(output.expect_status(3).stderr.contains("--readonly") && !opened.exists());
    let output = changing(&store, &edit).env("EDITOR", &editor).run().expect_status(3);
    assert!(!output.stderr.contains("kept") && opened.exists(), "{}", output.stderr);
    assert_eq!(drafts(&store), Vec::<Vec<u8>>::new());
}

#[test]
fn what_cannot_be_kept_as_a_draft_is_written_nowhere_else_and_the_user_hears_it() {
    let store = entry();
    let (temporary, nowhere) = (store.around().join("tmp"), store.around().join("nowhere"));
    fs::create_dir(&temporary).unwrap();
    std::os::unix::fs::symlink("gone", &nowhere).unwrap();
    let data = nowhere.join("data");
    let options = ["--store", store.path.to_str().unwrap(), "--yes", "--data-dir", data.to_str().unwrap()];
    for args in [["edit", "mem_1", "--editor"].as_slice(), &["edit", "mem_1", "--set", "text=Typed"]] {
        let edit = Verb::new([args, &options].concat()).env("TMPDIR", &temporary);
        let output = edit
            .env("EDITOR", support::script(store.around(), "editor", "printf Typed > $1"))
            .run()
            .expect_status(3);
        assert!(output.stderr.contains("What you wrote could not be kept"), "{}", output.stderr);
        assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{args:?}");
    }
}

/// Puts a folder in the place of a store's lock, so that nobody can take it.
fn bar(store: &TempStore) {
    fs::create_dir(store.file("sessions/s/lock")).unwrap();
}

#[test]
fn only_what_the_user_wrote_is_kept_as_a_draft() {
    let store = entry();
    bar(&store);
    for args in [["tag", "mem_1", "+a"].as_slice(), &["delete", "mem_1"]] {
        change(&store, args).expect_status(3);
        assert_eq!(drafts(&store), Vec::<Vec<u8>>::new(), "{args:?}");
    }
    change(&store, &["edit", "mem_1", "--set", "text=Typed"]).expect_status(3);
    assert_eq!(drafts(&store), [b"Typed"]);
}

#[test]
fn where_a_later_store_fails_what_was_done_before_is_named() {
    for (verb, more) in [("tag", &["+a"][..]), ("erase", &[]), ("erase", &["--json"])] {
        let store = |id: &str| StoreBuilder::session_log().session("s").entry(json!({"id": id})).build();
        let (first, second) = (store("mem_1"), store("mem_2"));
        bar(&second);
        let (one, two) = (first.path.to_str().unwrap(), second.path.to_str().unwrap());
        let words = [&[verb, "mem_1", "mem_2"][..], more, &["--store", one]].concat();
        let told = change(&second, &words).expect_status(4).stderr;
        assert!(!told.to_lowercase().contains("nothing was changed"), "{told}");
        if verb == "tag" {
            let data = second.data();
            let undo =
                format!("{one}: `palimp undo 1 --store {one} --data-dir {}` undoes it", data.display());
            assert!(told.contains(&undo), "{told}");
            assert!(first.text("sessions/s/memory.jsonl").contains("\"a\""));
            continue;
        }
        let erased = format!("{one}: 1 memory erased; that can't be undone");
        assert!(told.contains("othing else was changed") && told.contains(&erased), "{told}");
        assert!(!told.contains(&format!("{two}: 1")), "{told}");
        let is_empty = |store: &TempStore| store.read("sessions/s/memory.jsonl").is_empty();
        assert!(is_empty(&first) && !is_empty(&second));
    }
}

/// Nothing can be written to the output.
#[test]
fn a_change_that_can_not_be_printed_is_said_to_be_made() {
    for verb in [["tag", "mem_1", "+a"].as_slice(), &["erase", "mem_1"]] {
        let store = entry();
        let (path, data) = (store.path.to_str().unwrap(), store.data());
        let named = ["--yes", "--json", "--store", path, "--data-dir", data.to_str().unwrap()];
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut palimp = std::process::Command::new(env!("CARGO_BIN_EXE_palimp"));
        let output = palimp.args([verb, &named].concat()).stdout(full).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(4) && !told.contains("No store was touched"), "{told}");
        assert!(told.contains(&format!("{}: ", store.path.display())), "{told}");
    }
}

#[test]
fn what_is_told_of_a_change_is_what_was_done_also_when_the_file_grew_while_it_was_asked() {
    let store = entry();
    let log = "sessions/s/memory.jsonl";
    let args = ["add", "--session", "s", "--type", "finding", "--text", "Mine", "--json"];
    let mut terminal = store.on_terminal(&args, (60, 400));
    terminal.wait_for_text("anything else cancels", SOON);
    let line = store.text(log).replace("mem_1", "mem_2");
    store.append(log, line.as_bytes());
    let length = store.read(log).len();
    terminal.send_and_see("y\r", &format!("\"change\":\"append\",\"bytes_before\":{length}"));
}

/// A store whose only log is locked by a living agent: this process.
fn locked_by_an_agent() -> TempStore {
    let store = StoreBuilder::session_log().config(json!({"concurrency": {"lock_timeout_ms": 100}}));
    let store = store.session("s").entry(json!({"id": "mem_1", "tags": []})).build();
    let agents = json!({"pid": std::process::id(), "timestamp": "2026-01-01T00:00:00.000Z",
        "operation": "write", "expires_at": "2999-01-01T00:00:00.000Z"});
    fs::write(store.file("sessions/s/lock"), agents.to_string()).unwrap();
    store
}

#[test]
fn a_lock_of_a_live_agent_is_broken_only_by_the_users_choice() {
    let log = |store: &TempStore| store.text("sessions/s/memory.jsonl");
    let off_a_terminal = || {
        let store = locked_by_an_agent();
        change(&store, &["tag", "mem_1", "+new"]).expect_status(3).expect_stderr("Nothing was changed");
        assert!(log(&store).contains(r#""tags":[]"#) && store.file("sessions/s/lock").exists());
    };
    let on_one = |typed: &str, tags: &str, status: u32| {
        let store = locked_by_an_agent();
        let mut terminal = store.on_terminal(&["tag", "mem_1", "+new", "--yes"], (40, 160));
        terminal.wait_for_text("Break the lock?", SOON);
        terminal.send_keys(typed);
        assert_eq!(terminal.wait_exit(SOON), support::Exit::Status(status), "{typed:?}");
        assert!(log(&store).contains(tags), "{typed:?}: {}", log(&store));
        assert_eq!(store.file("sessions/s/lock").exists(), status != 0, "{typed:?}");
    };
    off_a_terminal();
    on_one("n\r", r#""tags":[]"#, 3);
    on_one("y\r", r#""tags":["new"]"#, 0);
}

#[test]
fn an_id_and_a_query_together_are_wrong_usage() {
    let store = entry();
    let before = Tree::of(&store.path);
    let verbs = [&["delete"][..], &["undelete"], &["archive"], &["unarchive"], &["erase"], &["tag", "+new"]];
    for verb in verbs {
        let output = change(&store, &[verb, &["mem_1", "--query", "type:finding"]].concat()).expect_status(2);
        assert!(!output.stderr.is_empty(), "{verb:?}");
    }
    assert_untouched(&store.path, &before);
}

#[test]
fn what_is_a_link_or_a_pipe_is_not_written_and_that_is_no_change_by_others() {
    let store = entry();
    let index = store.path.join("sessions/s/index.json");
    let _ = fs::remove_file(&index);
    assert!(std::process::Command::new("mkfifo").arg(&index).status().unwrap().success());
    refused(
        &store,
        &["reindex"],
        &["index.json can't be read: it is neither a file nor a folder", "E_STORAGE_IO"],
    );
    fs::remove_file(&index).unwrap();
    std::os::unix::fs::symlink(store.around().join("elsewhere.json"), &index).unwrap();
    refused(&store, &["reindex"], &["index.json can't be read: it is a link", "E_STORAGE_IO"]);
}
