//! Keys still name a memory after it was archived, restored or changed by an undo.

use palimp::disk::RealDisk;
use palimp::model::key::Key;
use palimp::model::{Extent, Moment, State};
use palimp::store::{Place, Vault, load};
use palimp::usecase::RecordTracker;

#[test]
fn a_key_holds_through_archives_of_every_kind_and_through_undo() {
    let cases: [(&str, &str, &str, &str); 4] = [
        ("team/memories", "type:learning", "archive", "unarchive"),
        ("notes/.chora/memory", "type:event", "archive", "unarchive"),
        ("web/.agent-memory", "type:tool_run", "archive", "unarchive"),
        ("shop/.bmad/memory", "session:double-charge type:finding", "session archive", "session unarchive"),
    ];
    for (store, query, away, back) in crate::support::tries::some(cases, &[1, 2]) {
        let desk = crate::support::DemoStore::new(store);
        if store.ends_with(".agent-memory") {
            std::fs::write(desk.store.join("config.json"), "{\"retention\":{\"enabled\":true}}").unwrap();
        }
        let mut rows = desk.list(query);
        rows.retain(|row| row["state"] == "live");
        rows.sort_by_key(|row| (row["file"].to_string(), row["id"].to_string()));
        let (key, title) = (rows[0]["key"].as_str().unwrap(), &rows[0]["title"]);
        let change = |verb: &str, key: &str| {
            let name = if verb.starts_with("session") { "double-charge" } else { key };
            desk.change(&verb.split(' ').chain([name]).collect::<Vec<_>>()).expect_status(0);
        };
        let expect = |key: &str, state: &str, when: &str| {
            let output = desk.run(&["show", key, "--json"]);
            assert_eq!(output.status, Some(0), "{store} {when}: {}", output.stderr);
            let shown = output.json_lines();
            assert_eq!((&shown[0]["title"], &shown[0]["state"]), (title, &state.into()), "{store} {when}");
        };
        change(away, key);
        expect(key, "archived", "archived");
        let archived = desk.list(&format!("is:archived {query}"));
        let row = archived.iter().find(|row| row["title"] == *title).unwrap();
        let archived = row["key"].as_str().unwrap().to_owned();
        // The batches of agent-memory belong to its own tool. Only undo restores them.
        if !store.ends_with(".agent-memory") {
            change(back, key);
            for key in [key, &archived] {
                expect(key, "live", "brought back");
            }
            desk.change(&["undo"]).expect_status(0);
            expect(key, "archived", "brought back and that undone");
        }
        desk.change(&["undo"]).expect_status(0);
        for key in [key, &archived] {
            expect(key, "live", "all undone");
        }
        desk.change(&["redo"]).expect_status(0);
        expect(key, "archived", "redone");
    }
}

#[test]
fn a_note_that_was_removed_is_restored_by_its_title() {
    let desk = crate::support::DemoStore::new("notes/.chora/memory");
    let row = desk.list("type:note").into_iter().find(|row| row["state"] == "live").unwrap();
    let (key, title) = (row["key"].as_str().unwrap(), row["title"].as_str().unwrap());
    desk.change(&["delete", "--remove", key]).expect_status(0);
    let restored = desk.change(&["undelete", key]).expect_status(0);
    assert!(restored.stderr.contains(&format!("restored \"{title}")), "{}", restored.stderr);
    assert!(!(restored.stdout + &restored.stderr).contains("Broken"));
}

#[test]
fn several_old_keys_hold_together_and_the_steps_are_read_once_for_all_of_them() {
    let desk = crate::support::DemoStore::new("team/memories");
    let mut rows = desk.list("type:learning");
    rows.retain(|row| row["state"] == "live");
    rows.truncate(2);
    let keys: Vec<&str> = rows.iter().map(|row| row["key"].as_str().unwrap()).collect();
    desk.change(&[&["archive"], &keys[..]].concat()).expect_status(0);
    desk.change(&[&["unarchive"], &keys[..]].concat()).expect_status(0);
    desk.change(&["undo"]).expect_status(0);
    let now = Moment::of_the_clock();
    let place = Place::whole(desk.store.clone(), "memory-server");
    let store = load(&place, Extent::All, None, now);
    let vault = Vault::open_read_only(&RealDisk, &desk.data(), &desk.store);
    let followed = RecordTracker::of(&desk.data(), &store);
    std::fs::remove_dir_all(vault.path("undo")).unwrap();
    for (key, row) in keys.iter().zip(&rows) {
        let own = Key::read(key).unwrap();
        let found = &store.entries[followed.find(&own).unwrap() as usize];
        assert_eq!(store.memory(found).unwrap().id(), row["id"].as_str());
        assert_eq!(found.state, State::Archived);
    }
}
