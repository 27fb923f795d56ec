//! Marks: which memories are marked, and what is on the screen.

use crossterm::event::KeyCode;

use super::changes::{notice, on, selected_id};
use super::{Desk, act};
use crate::model::{Entry, EntryRef, EntryTracker, State};
use crate::ops;
use crate::tui::message::Msg;
use crate::tui::state::app::{App, Pane};
use crate::tui::state::marks::MemoryMarks;

pub(super) fn marked(desk: &Desk) -> Vec<String> {
    let mut names: Vec<String> =
        desk.app.marks.list().into_iter().map(|at| App::name_of(&desk.app.listed_snapshot, at)).collect();
    names.sort();
    names
}

pub(super) fn search(desk: &mut Desk, query: &str) {
    desk.enter(&format!("/{query}"));
}

#[test]
fn space_marks_and_steps_and_once_more_takes_the_mark_away() {
    let mut desk = on("type:decision", 120, 36);
    let (first, count) = (selected_id(&desk), desk.app.results.hits.len());
    desk.type_keys("  ");
    assert_eq!((desk.app.marks.count(), desk.app.list_cursor.at), (2, 2));
    assert!(desk.screen().contains(&format!("2 marked · 3 of {count}")), "{}", desk.screen());
    desk.type_keys("gg ");
    assert_eq!(desk.app.marks.count(), 1);
    assert!(!marked(&desk).contains(&first));
}

#[test]
fn what_is_done_while_a_range_is_open_is_done_with_all_of_it() {
    for (keys, told) in
        [("t+seen", "Tag 3 memories +seen?"), ("dx", "Delete 3 memories?"), ("p", "3 memories")]
    {
        let mut desk = on("type:decision", 120, 36);
        desk.type_keys("vjj");
        let (key, rest) = keys.split_at(1);
        let hints = crate::tui::panes::hints::of(&desk.app).0;
        assert!(key == "p" || hints.iter().any(|hint| hint.0 == key), "{keys}: {hints:?}");
        desk.type_keys(key);
        desk.type_keys(rest);
        if key == "t" {
            desk.press(KeyCode::Enter);
        }
        assert!(desk.screen().contains(told), "{keys}: {}", desk.screen());
    }
}

#[test]
fn a_range_that_is_open_is_exported_whole() {
    let mut desk = on("type:decision", 120, 36);
    desk.type_keys("vjj");
    act(&mut desk.app, crate::tui::action::Action::Export);
    assert_eq!(desk.app.prompt.as_ref().and_then(|own| own.target.as_ref()).map(|aim| aim.at.len()), Some(3));
}

#[test]
fn a_range_is_marked_from_where_it_began_to_the_cursor_in_either_direction() {
    let mut desk = on("type:decision", 120, 36);
    desk.type_and_see("jjjvkk", &["range of 3"]);
    assert!(desk.app.marks.is_empty());
    desk.type_keys("v");
    assert_eq!(desk.app.marks.count(), 3);
    desk.type_keys("Gv");
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.marks.count(), desk.app.marks.range), (3, None));
}

#[test]
fn all_of_a_filter_are_marked_and_inverting_leaves_what_it_hides() {
    let mut desk = on("type:decision", 120, 36);
    let decisions = desk.app.results.hits.len();
    desk.type_keys("*");
    assert_eq!(desk.app.marks.count(), decisions);
    search(&mut desk, "type:finding");
    let findings = desk.app.results.hits.len();
    assert_eq!(desk.app.marks.hidden(), decisions);
    desk.type_keys(" :invert marks⏎");
    assert_eq!(desk.app.marks.count(), decisions + findings - 1);
    assert_eq!(desk.app.marks.hidden(), decisions);
    let foot = format!("{} marked, {decisions} hidden", decisions + findings - 1);
    assert!(desk.screen().contains(&foot), "{}", desk.screen());
    assert!(desk.screen().lines().next().unwrap().contains(&format!(", {decisions} hidden")));
}

#[test]
fn esc_clears_the_marks_before_the_filter() {
    let mut desk = on("type:decision", 120, 36);
    desk.type_keys("*v");
    desk.press(KeyCode::Esc);
    assert!(desk.app.marks.range.is_none() && !desk.app.marks.is_empty());
    desk.press(KeyCode::Esc);
    assert!(desk.app.marks.is_empty());
    assert_eq!(desk.app.query, "type:decision");
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.query, "");
}

#[test]
fn marks_stay_on_their_memories_when_the_list_is_ordered_searched_and_read_again() {
    let mut desk = on("type:decision", 120, 36);
    desk.type_keys("j j ");
    let before = marked(&desk);
    desk.type_keys("oo");
    assert_eq!(marked(&desk), before);
    search(&mut desk, "type:finding");
    assert_eq!((marked(&desk), desk.app.marks.hidden()), (before.clone(), 2));
    let (store, entry) = desk.app.listed_snapshot.get(desk.app.marks.list()[0]);
    let file = store.root.join(&store.document(entry).path);
    let late = b"{\"id\":\"late_1\",\"type\":\"finding\",\"timestamp\":\"2026-01-31T00:00:00Z\"}\n";
    let stood = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&late[..], &stood].concat()).unwrap();
    desk.send(Msg::StoresChanged);
    assert_eq!(marked(&desk), before);
    // A memory that is gone loses its mark.
    std::fs::write(&file, late).unwrap();
    desk.send(Msg::StoresChanged);
    assert!(marked(&desk).len() < before.len());
}

#[test]
fn what_comes_later_under_the_same_id_is_not_marked() {
    let mut desk = on("session:checkout_rework type:decision is:live", 120, 36);
    desk.type_keys(" ");
    let at = desk.app.marks.list()[0];
    let (store, entry) = desk.app.listed_snapshot.get(at);
    let file = store.root.join(&store.document(entry).path);
    let raw = String::from_utf8(store.raw(entry).to_vec()).unwrap();
    let id = store.memory(entry).unwrap().id().unwrap();
    let other = format!("{{\"id\":\"{id}\",\"type\":\"finding\",\"timestamp\":\"2026-01-31T00:00:00Z\"}}\n");
    let stood = std::fs::read(&file).unwrap();
    std::fs::write(&file, [other.as_bytes(), &stood].concat()).unwrap();
    desk.send(Msg::StoresChanged);
    let [one] = desk.app.marks.list()[..] else { panic!("{:?}", marked(&desk)) };
    let (store, entry) = desk.app.listed_snapshot.get(one);
    assert_eq!(*store.raw(entry), *raw.as_bytes());
}

#[test]
fn the_marked_ones_are_one_key_away_and_so_is_what_was_shown() {
    let mut desk = on("type:decision", 120, 36);
    desk.type_keys("j ");
    search(&mut desk, "type:finding");
    desk.type_keys(" ");
    let (own, shown) = (marked(&desk), desk.app.results.hits.len());
    desk.type_keys(":marked⏎");
    let listed = |desk: &Desk| {
        let mut own: Vec<String> =
            desk.app.results.hits.iter().map(|hit| App::name_of(&desk.app.listed_snapshot, hit.at)).collect();
        own.sort();
        own
    };
    assert_eq!(listed(&desk), own);
    assert_eq!(desk.app.marks.hidden(), 0);
    desk.send(Msg::StoresChanged);
    assert_eq!(listed(&desk), own);
    desk.type_keys(":marked⏎");
    assert_eq!((desk.app.results.hits.len(), desk.app.query.as_str()), (shown, "type:finding"));
    desk.type_keys(":marked⏎");
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.results.hits.len(), marked(&desk)), (shown, own));
    desk.press(KeyCode::Esc);
    desk.type_keys(":marked⏎");
    assert!(notice(&desk).starts_with("Nothing is marked"));
}

#[test]
fn what_a_search_finds_is_marked_whatever_the_list_shows() {
    let mut desk = on("type:decision", 120, 36);
    desk.enter(":mark by search");
    desk.enter("colour:red");
    assert!(desk.app.prompt.is_some() && desk.app.marks.is_empty());
    for _ in 0..10 {
        desk.press(KeyCode::Backspace);
    }
    desk.enter("type:finding");
    assert!(!desk.app.marks.is_empty());
    assert_eq!(desk.app.marks.hidden(), desk.app.marks.count());
    assert_eq!(desk.app.query, "type:decision");
    assert!(notice(&desk).contains("more are marked"), "{}", notice(&desk));
}

#[test]
fn marks_are_set_where_the_memories_are_seen() {
    let mut desk = Desk::new(100, 30);
    desk.type_keys("gp*");
    assert!(desk.app.marks.is_empty() && !desk.app.list_view.list.marks.is_empty(), "problems were marked");
    desk.type_keys("gb1*");
    assert_eq!(desk.app.focus, Pane::Memories);
}

#[test]
fn marks_are_carried_to_another_state_of_a_large_store() {
    let (lines, count) = crate::tries::count((2_000, 1_000), (1_000_000, 10_000));
    let folder = crate::folder::new();
    let session = folder.path().join("sessions/s");
    std::fs::create_dir_all(&session).unwrap();
    let mut text = String::new();
    for n in 0..lines {
        text += &format!(
            "{{\"id\":\"m_{n}\",\"type\":\"finding\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"content\":{{\"note\":\"n{n}\"}}}}\n"
        );
    }
    let file = session.join("memory.jsonl");
    std::fs::write(&file, &text).unwrap();
    let place = crate::store::look_at(folder.path(), None).found.unwrap();
    let load = |previous: &crate::model::Snapshot| {
        let stores = crate::store::load_each(&place, crate::model::Extent::All, previous, super::now());
        let snapshot = crate::model::Snapshot::of(stores);
        snapshot.references();
        snapshot
    };
    let before = load(&crate::model::Snapshot::default());
    let mut marks = MemoryMarks::default();
    let step = lines / count;
    (0..count).for_each(|n| marks.set(EntryRef { store: 0, entry: n * step }, true));
    std::fs::write(&file, format!("{{\"id\":\"late\",\"type\":\"finding\"}}\n{text}")).unwrap();
    let after = load(&before);
    let carried = marks.moved_to(&mut EntryTracker::new(&before, &after));
    assert_eq!(carried.count(), count as usize);
    assert!(carried.list().iter().zip(marks.list()).all(|(new, old)| new.entry == old.entry + 1));
}

/// Formats that remove deleted memories and formats that only flag them behave alike.
#[test]
fn in_every_format_what_was_deleted_is_marked_no_more_and_not_again_after_undo() {
    let mut desk = Desk::new(120, 36);
    for store in 0..desk.app.listed_snapshot.stores.len() {
        let own = desk.app.listed_snapshot.stores[store].clone();
        let can = |entry: &&Entry| {
            entry.state == State::Live && ops::may(&own, entry, ops::Operation::Delete).is_ok()
        };
        let ids = own.entries.iter().filter(can).filter_map(|entry| own.id(entry).map(Box::<str>::from));
        // In `agent-memory` events must be archived first, and single parts of its bundle are only emptied.
        let ids: Vec<Box<str>> =
            ids.filter(|id| own.format != "agent-memory" || id.starts_with("gotchas.")).take(3).collect();
        let ids: Vec<String> = ids.iter().map(|id| format!("id:{id}")).collect();
        assert_eq!(ids.len(), 3, "{}", own.format);
        search(&mut desk, &ids.join(" OR "));
        desk.type_keys("*");
        assert!(desk.app.marks.count() >= 3, "{}", own.format);
        desk.type_keys("dxy");
        assert!(notice(&desk).contains("deleted"), "{}: {}", own.format, desk.screen());
        assert_eq!(marked(&desk), Vec::<String>::new(), "{}", own.format);
        desk.type_keys("u");
        assert!(notice(&desk).contains("undid") || notice(&desk).contains("redo"), "{}", notice(&desk));
        assert_eq!(marked(&desk), Vec::<String>::new(), "{} after undo", own.format);
        desk.press(KeyCode::Esc);
    }
}
