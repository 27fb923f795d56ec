//! Backups, the archive, upkeep and the journal: checks state and files.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use crate::model::short_digest;
use crate::ops::backup_restore::comparison::DifferenceKind;
use crate::tui::list_view::backups::chosen as marked;
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::state::row_list::ListRow;
use crate::tui::tests::{Desk, happenings, now, update};
use crate::usecase::ReverseLast;
use crate::work::Job;

pub(super) use crate::tui::tests::changes::{files, notice};

pub(super) fn root(desk: &Desk) -> PathBuf {
    desk._folder.path().join("team/memories")
}

/// Returns the folder of palimp's own data about that store. It need not exist.
pub(super) fn own_data(desk: &Desk) -> PathBuf {
    let name = format!("{:016x}", short_digest(b"../team/memories"));
    desk._folder.path().join("palimp-data/stores").join(name)
}

pub(super) fn learnings(desk: &Desk) -> Vec<String> {
    let text = std::fs::read_to_string(root(desk).join("learnings.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

pub(super) fn write(desk: &mut Desk, lines: &[String]) {
    std::fs::write(root(desk).join("learnings.jsonl"), lines.join("\n") + "\n").unwrap();
    desk.send(Msg::StoresChanged);
}

pub(super) fn id(line: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["id"].as_str().unwrap().to_owned()
}

/// Returns a desk on which the learnings lost nine lines that the backups have, one line was changed and one
/// erased; and the nine lost lines.
pub(super) fn lost_nine(width: u16, height: u16) -> (Desk, Vec<String>) {
    let mut desk = Desk::new(width, height);
    let mut lines = learnings(&desk);
    let erased = id(&lines[20]);
    // First restores what the demo has lost and changed since that backup.
    let older = root(&desk).join(".backup/learnings.jsonl.backup.20260123_120000");
    for (at, line) in std::fs::read_to_string(older).unwrap().lines().enumerate() {
        match lines.iter().position(|own| own[..50] == line[..50]) {
            None => lines.insert(at, line.to_owned()),
            Some(own) if lines[own].contains("Use uv, not pip") => line.clone_into(&mut lines[own]),
            Some(_) => {}
        }
    }
    let list = own_data(&desk).join("erased.jsonl");
    std::fs::create_dir_all(list.parent().unwrap()).unwrap();
    let line = serde_json::json!({"step": 9, "at": "2026-01-09T10:00:00Z", "id": erased, "session": null, "file": "learnings.jsonl"});
    std::fs::write(list, format!("{line}\n")).unwrap();
    lines.retain(|line| !line.contains(&erased));
    let lost: Vec<String> = lines.drain(3..12).collect();
    lines[5] = lines[5].replace("\"importance\":\"", "\"importance\":\"no longer ");
    write(&mut desk, &lines);
    (desk, lost)
}

/// Opens the older of the two backups, which is intact.
pub(super) fn open_older(desk: &mut Desk) {
    desk.enter("rj");
}

/// Returns the byte offsets, in the backup, of the memories that are marked to come back.
pub(super) fn chosen(desk: &Desk) -> std::collections::HashSet<u64> {
    marked(&desk.app.list_view.details)
}

/// Returns the indexes of the listed chores.
pub(super) fn tasks(desk: &Desk) -> Vec<usize> {
    let at = |row| if let ListRow::Chore(at) = row { Some(at) } else { None };
    desk.app.list_view.list.each().filter_map(at).collect()
}

#[test]
fn what_has_changed_is_put_back_where_it_is_when_it_is_chosen() {
    let (mut desk, _) = lost_nine(100, 30);
    let lines = learnings(&desk);
    open_older(&mut desk);
    let is_changed = |desk: &Desk| {
        desk.app.list_view.backups.items().iter().position(|own| own.kind == DifferenceKind::Changed)
    };
    let was = String::from_utf8(desk.app.list_view.backups.items()[is_changed(&desk).unwrap()].was.clone())
        .unwrap();
    desk.type_keys("*");
    assert_eq!(chosen(&desk).len(), 10);
    desk.type_keys(":invert marks⏎");
    assert!(chosen(&desk).is_empty());
    desk.press(KeyCode::Enter);
    assert!(notice(&desk).contains("Nothing is marked"), "{}", notice(&desk));
    assert!(desk.app.confirm.is_none());
    desk.app.list_view.details.cursor.at = is_changed(&desk).unwrap();
    desk.enter(" ");
    desk.type_keys("y");
    let mut expected = lines;
    expected[5] = was;
    assert_eq!(learnings(&desk), expected);
}

#[test]
fn what_was_erased_is_named_and_never_shown() {
    let mut desk = Desk::new(160, 44);
    let text: serde_json::Value = serde_json::from_str(&learnings(&desk)[20]).unwrap();
    let text = text["content"].as_str().unwrap()[..25].to_owned();
    drop(desk);
    let (again, _) = lost_nine(160, 44);
    desk = again;
    open_older(&mut desk);
    let at =
        desk.app.list_view.backups.items().iter().position(|own| own.kind == DifferenceKind::Erased).unwrap();
    desk.app.list_view.details.cursor.at = at;
    desk.type_keys("=");
    let whole = desk.screen();
    desk.type_keys("=");
    assert!(!whole.contains(&text) && !desk.screen().contains(&text), "{whole}");
    assert!(desk.screen().contains("can't come back"));
    desk.type_keys(" ");
    assert!(notice(&desk).contains("by step 9"), "{}", notice(&desk));
    assert_eq!(chosen(&desk).len(), 9);
}

#[test]
fn a_whole_file_is_replaced_only_after_its_own_yes_and_without_what_was_erased() {
    let (mut desk, _) = lost_nine(120, 36);
    let before = files(&desk);
    let gone = id(&learnings(&Desk::new(80, 24))[20]);
    open_older(&mut desk);
    desk.type_keys(":replace file⏎");
    let screen = desk.screen();
    assert!(screen.contains("Replace the whole of learnings.jsonl") && screen.contains("LOST"), "{screen}");
    desk.enter("WW ");
    assert_eq!(files(&desk), before, "only y does it");
    desk.type_keys("y");
    let backup = root(&desk).join(".backup/learnings.jsonl.backup.20260123_120000");
    let was = std::fs::read_to_string(backup).unwrap();
    let expected: Vec<&str> = was.lines().filter(|line| !line.contains(&gone)).collect();
    assert_eq!(learnings(&desk), expected);
    desk.type_keys("u");
    assert_eq!(files(&desk), before);
}

#[test]
fn the_journal_tells_what_others_wrote_and_which_files_are_not_as_a_step_left_them() {
    let mut desk = Desk::new(120, 36);
    desk.enter("/type:learning");
    desk.type_keys("dx");
    let mut lines = learnings(&desk);
    let mut late: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    (late["id"], late["created_at"]) = ("late-one".into(), "2026-02-01T11:00:00Z".into());
    // Makes the step two hours old.
    let path = own_data(&desk).join("journal.jsonl");
    let journal = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, journal.replace("2026-02-01T12:", "2026-02-01T10:")).unwrap();
    lines.push(late.to_string());
    write(&mut desk, &lines);
    desk.type_keys("gu");
    let screen = desk.screen();
    assert!(screen.contains("wrote 1 memory since step 1"), "{screen}");
    assert!(screen.contains("changed learnings.jsonl outside palimp"), "{screen}");
}

#[test]
fn nothing_is_planned_where_nothing_may_be_changed() {
    let (mut desk, _) = lost_nine(100, 30);
    desk.app.readonly = true;
    let before = files(&desk);
    open_older(&mut desk);
    for keys in [":replace file⏎", "r", "gm*⏎", "gm:order⏎r"] {
        desk.type_keys(keys);
        assert!(desk.app.confirm.is_none());
    }
    assert_eq!(files(&desk), before);
}

proptest! {
    #![proptest_config(crate::tries::config(2, 600))]

    #[test]
    fn any_keys_in_these_views_change_nothing_without_a_plan_that_was_confirmed_or_a_choice_of_the_menu(
        opens in proptest::sample::select(vec!["r", "gm", "gmo", "gu"]),
        happenings in proptest::collection::vec(happenings(), 59..60)
    ) {
        let (mut desk, _) = lost_nine(120, 36);
        desk.type_keys(opens);
        for happening in happenings {
            let confirmed = desk.app.confirm.is_some();
            // One memory goes by two keys, as in every list.
            let menu = desk.app.delete_menu.is_some();
            let inside = matches!(desk.app.screen, Screen::Backups | Screen::Upkeep | Screen::Journal);
            let msg: Msg = happening.into();
            let is_key = matches!(msg, Msg::Key(KeyEvent { code: KeyCode::Char('y'), modifiers: KeyModifiers::NONE, .. }));
            let effects = update(&mut desk.app, msg, now());
            // Undo of the last change, by its key or from the help, needs no yes.
            let writes = effects.iter().any(|own| match own {
                Effect::Job(Job::Change(asked)) => !asked.command.is::<ReverseLast>(),
                own => matches!(own, Effect::Job(Job::Commit(_))),
            });
            prop_assert!(!inside || !writes || menu || (confirmed && is_key));
            desk.settle(effects);
            desk.screen();
        }
    }
}
