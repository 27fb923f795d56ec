//! Other programs write between a plan to restore something and the yes.

use std::path::PathBuf;

use crossterm::event::KeyCode;

use super::Desk;
use super::bulk::told;
use super::go_back::{files, id, learnings, lost_nine, notice, open_older, root, tasks};
use crate::model::State;
use crate::work::ChoreKind;

/// Writes the learnings as another program does. palimp does not read them yet.
fn write_unseen(desk: &Desk, lines: &[String]) {
    std::fs::write(root(desk).join("learnings.jsonl"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn what_came_back_otherwise_since_it_was_shown_is_left_out_and_asked_for_again() {
    let (mut desk, lost) = lost_nine(120, 36);
    open_older(&mut desk);
    desk.press(KeyCode::Enter);
    let all = told(&desk);
    assert!(lost.iter().all(|line| all.contains(&id(line))), "every memory is named: {all}");
    let mut lines = learnings(&desk);
    lines.push(lost[0].clone());
    lines.push(lost[1].replace("\"importance\":\"", "\"importance\":\"written anew "));
    write_unseen(&desk, &lines);
    let before = files(&desk);
    desk.type_keys("y");
    assert_eq!(files(&desk), before);
    let all = told(&desk);
    assert!(all.starts_with("Changed meanwhile: 2 of 9"), "{all}");
    assert!(all.contains(&id(&lost[0])) && all.contains(&id(&lost[1])) && !all.contains(&id(&lost[2])));
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("restored 7 memories"), "{}", notice(&desk));
    assert_eq!(learnings(&desk), [lines, lost[2..].to_vec()].concat());
}

#[test]
fn what_is_appended_while_a_restore_is_shown_stays_and_is_no_second_question() {
    for keys in ["r", ":replace file⏎"] {
        let (mut desk, lost) = lost_nine(120, 36);
        open_older(&mut desk);
        desk.type_keys(keys);
        let mut lines = learnings(&desk);
        let late = lost[0].replace(&id(&lost[0]), "late-one");
        lines.push(late.clone());
        write_unseen(&desk, &lines);
        desk.type_keys("y");
        assert!(desk.app.confirm.is_none(), "{}", told(&desk));
        assert!(learnings(&desk).contains(&late), "{keys}: {}", notice(&desk));
        assert!(lost.iter().all(|line| learnings(&desk).contains(line)), "{keys}: {}", notice(&desk));
    }
}

#[test]
fn a_whole_file_is_asked_for_again_where_it_changed_and_not_replaced_where_more_would_be_lost() {
    let (mut desk, lost) = lost_nine(120, 36);
    open_older(&mut desk);
    desk.type_keys(":replace file⏎");
    let mut lines = learnings(&desk);
    lines.retain(|line| !line.contains("no longer"));
    write_unseen(&desk, &lines);
    let before = files(&desk);
    desk.type_keys("y");
    assert!(told(&desk).starts_with("Changed meanwhile: 1 of "), "{}", told(&desk));
    lines.remove(0);
    lines.push(lost[0].replace(&id(&lost[0]), "late-one"));
    write_unseen(&desk, &lines);
    let between = files(&desk);
    desk.type_keys("y");
    assert!(desk.app.confirm.is_none());
    assert!(notice(&desk).contains("memories now that were not shown"), "{}", notice(&desk));
    assert_eq!(files(&desk), between);
    assert_ne!(before, between);
}

#[test]
fn a_compaction_drops_the_memories_that_were_shown_or_is_asked_for_again() {
    let mut desk = Desk::new(120, 36);
    desk.enter(":compact");
    let tasks = tasks(&desk);
    let biggest = |&at: &usize| desk.app.list_view.chores[tasks[at]].touched.len();
    let is_compaction = |at: &usize| desk.app.list_view.chores[tasks[*at]].task == ChoreKind::Compact;
    let at = (0..tasks.len()).filter(is_compaction).max_by_key(biggest).unwrap();
    desk.app.list_view.list.cursor.at = at;
    let chore = &desk.app.list_view.chores[tasks[at]];
    let named: Vec<String> = chore.touched.iter().filter_map(|own| own.effect.id.clone()).collect();
    let store = &desk.app.snapshot.stores[chore.store];
    let entry = &store.entries[chore.touched[0].entry as usize];
    let (file, own) = (store.root.join(&store.document(entry).path), store.raw(entry).to_vec());
    desk.press(KeyCode::Enter);
    assert!(named.iter().all(|id| told(&desk).contains(id)), "{}", told(&desk));
    let is = |file: &PathBuf| std::fs::read_to_string(file).unwrap();
    let left = is(&file).replacen(&(String::from_utf8(own).unwrap() + "\n"), "", 1);
    assert_ne!(left, is(&file));
    std::fs::write(&file, left).unwrap();
    let before = files(&desk);
    desk.type_keys("y");
    assert_eq!(files(&desk), before);
    let all = told(&desk);
    assert!(all.starts_with("Changed meanwhile: 1 of "), "{all}");
    assert!(all.contains(&format!("{}  gone", named[0])), "{all}");
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("compacted"), "{}", notice(&desk));
}

#[test]
fn a_compaction_that_would_drop_more_than_was_shown_is_not_made() {
    let mut desk = Desk::new(120, 36);
    desk.enter(":compact");
    let tasks = tasks(&desk);
    let of_log = |&at: &usize| {
        let chore = &desk.app.list_view.chores[tasks[at]];
        chore.plan.is_some() && desk.app.snapshot.stores[chore.store].format == "session-log"
    };
    let at = (0..tasks.len()).find(of_log).expect("a log can be compacted");
    desk.app.list_view.list.cursor.at = at;
    let chore = &desk.app.list_view.chores[tasks[at]];
    let store = &desk.app.snapshot.stores[chore.store];
    let shown = &store.entries[chore.touched[0].entry as usize];
    let log = store.document(shown).path.clone();
    let is_other = |own: &&crate::model::Entry| {
        store.document(own).path == log && own.state == State::Live && store.is_readable(own)
    };
    let other = store.entries.iter().find(is_other).unwrap();
    let other = store.id(other).unwrap().to_owned();
    let (file, raw) = (store.root.join(&log), String::from_utf8(store.raw(shown).to_vec()).unwrap());
    desk.press(KeyCode::Enter);
    // A shown memory disappears, and another one is deleted.
    let left = std::fs::read_to_string(&file).unwrap().replacen(&(raw + "\n"), "", 1);
    std::fs::write(&file, left).unwrap();
    let tombstones = file.with_file_name("tombstones.jsonl");
    let line =
        format!("{{\"id\":\"{other}\",\"deleted_at\":\"2026-02-01T11:00:00Z\",\"reason\":\"user\"}}\n");
    let all = std::fs::read_to_string(&tombstones).unwrap_or_default() + &line;
    std::fs::write(&tombstones, all).unwrap();
    let before = files(&desk);
    desk.type_keys("y");
    assert!(desk.app.confirm.is_none());
    assert!(notice(&desk).contains("memories that were not shown"), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
}

#[test]
fn a_step_is_turned_back_as_it_was_shown_or_asked_for_again() {
    let mut desk = Desk::new(120, 36);
    desk.enter("/type:learning");
    desk.enter("   t+seen");
    desk.type_keys("y");
    let own: Vec<String> =
        learnings(&desk).iter().filter(|line| line.contains("\"seen\"")).map(|line| id(line)).collect();
    assert_eq!(own.len(), 3, "{}", notice(&desk));
    desk.type_keys("guu");
    assert!(own.iter().all(|id| told(&desk).contains(id)), "{}", told(&desk));
    let theirs = |line: &String| match line.contains(&own[0]) {
        true => line.replace("\"access_count\":", "\"note\":\"theirs\",\"access_count\":"),
        false => line.clone(),
    };
    let lines: Vec<String> = learnings(&desk).iter().map(theirs).collect();
    write_unseen(&desk, &lines);
    let before = files(&desk);
    desk.type_keys("y");
    assert_eq!(files(&desk), before);
    assert!(told(&desk).starts_with("Changed meanwhile: 1 of 3"), "{}", told(&desk));
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("undid"), "{}", notice(&desk));
    assert!(learnings(&desk).iter().all(|line| !line.contains("\"seen\"")));
    assert!(learnings(&desk).iter().any(|line| line.contains("theirs")));
}
