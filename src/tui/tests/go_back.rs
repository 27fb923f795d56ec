//! Backups, the archive, upkeep and the journal: checks state and files.

use std::path::PathBuf;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;

use super::{Desk, happenings, now, stable};
use crate::model::{State, short_digest};
use crate::ops::backup_restore::comparison::DifferenceKind;
use crate::tui::list_view::backups::chosen as marked;
use crate::tui::message::{Effect, Msg};
use crate::tui::state::app::Screen;
use crate::tui::state::list_row::ListRow;
use crate::tui::update::update;
use crate::usecase::ChangeCommand;
use crate::work::{ChoreKind, Job};

pub(super) use super::changes::{files, notice};

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
    desk.type_keys("grj");
    desk.press(KeyCode::Enter);
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

fn count(desk: &Desk, kind: DifferenceKind) -> usize {
    desk.app.list_view.backups.items().iter().filter(|item| item.kind == kind).count()
}

#[test]
fn the_views_look_as_they_should() {
    let shot = |name: &str, desk: &mut Desk| {
        for (width, height) in [(120, 36), (80, 24)] {
            let screen = stable(&desk.at((width, height)));
            insta::assert_snapshot!(format!("back-{name}-{width}x{height}"), screen);
        }
    };
    let (mut desk, _) = lost_nine(120, 36);
    desk.type_keys("gr");
    shot("backups", &mut desk);
    desk.type_keys("j");
    desk.press(KeyCode::Enter);
    shot("restore", &mut desk);
    desk.type_keys("jjjjjjjjj=");
    shot("difference", &mut desk);
    desk.type_keys("=");
    desk.press(KeyCode::Enter);
    shot("restore-confirm", &mut desk);
}

#[test]
fn three_of_nine_come_back_byte_for_byte_and_undo_takes_them_away() {
    let (mut desk, lost) = lost_nine(120, 36);
    let before = files(&desk);
    let lines = learnings(&desk);
    open_older(&mut desk);
    assert_eq!(
        [DifferenceKind::Missing, DifferenceKind::Changed, DifferenceKind::Erased]
            .map(|kind| count(&desk, kind)),
        [9, 1, 1]
    );
    assert_eq!(chosen(&desk).len(), 9, "all that are missing are chosen at first");
    // Unmarks the last six.
    desk.type_keys("jjj");
    for _ in 0..6 {
        desk.type_keys(" ");
    }
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("+3 to restore"), "{}", desk.screen());
    assert_eq!(files(&desk), before, "nothing is changed before the yes");
    desk.type_keys("y");
    assert!(
        notice(&desk).starts_with("restored 3 memories of learnings.jsonl · u to undo"),
        "{}",
        notice(&desk)
    );
    assert_eq!(learnings(&desk), [lines.clone(), lost[..3].to_vec()].concat());
    assert_eq!(count(&desk, DifferenceKind::Missing), 6, "what came back is missing no more");
    desk.type_keys("u");
    assert!(notice(&desk).starts_with("undid"), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
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
    desk.type_keys("~");
    assert!(chosen(&desk).is_empty());
    desk.press(KeyCode::Enter);
    assert!(notice(&desk).contains("Nothing is marked"), "{}", notice(&desk));
    assert!(desk.app.confirm.is_none());
    desk.app.list_view.details.cursor.at = is_changed(&desk).unwrap();
    desk.type_keys(" ");
    desk.press(KeyCode::Enter);
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
    desk.type_keys("W");
    let screen = desk.screen();
    assert!(screen.contains("Replace the whole of learnings.jsonl") && screen.contains("LOST"), "{screen}");
    desk.type_keys("WW ");
    desk.press(KeyCode::Enter);
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
fn a_backup_that_is_torn_is_told_when_it_is_looked_at() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gr");
    for own in desk.app.list_view.backups.list.iter_mut().flatten() {
        (own.verified, own.differs) = (None, None);
    }
    assert!(desk.screen().contains("unknown  Fri 12:00"), "{}", desk.screen());
    desk.type_keys("V");
    assert_eq!(notice(&desk), "2 backups looked at, 1 damaged");
    let screen = desk.screen();
    assert!(screen.contains("✖ damaged  Fri 12:00") && screen.contains("intact   23 Jan 12:00"), "{screen}");
}

#[test]
fn an_older_step_is_undone_and_done_again_from_the_journal_and_a_refusal_says_why() {
    let mut desk = Desk::new(120, 36);
    for query in ["type:learning", "type:decision session:checkout_rework is:live"] {
        desk.type_keys(&format!("/{query}"));
        desk.press(KeyCode::Enter);
        desk.type_keys("dx");
        assert!(notice(&desk).starts_with("deleted"), "{}", notice(&desk));
    }
    let both = files(&desk);
    desk.type_keys("gu");
    let steps = |desk: &Desk| desk.app.list_view.list.len();
    assert_eq!(desk.app.screen, Screen::Journal);
    assert!(steps(&desk) >= 2);
    let first = steps(&desk) - 1;
    desk.app.list_view.list.cursor.at = first;
    desk.type_keys("U");
    assert!(notice(&desk).contains("is applied"), "{}", notice(&desk));
    desk.type_keys("u");
    assert!(desk.app.confirm.is_some() && files(&desk) == both, "{}", notice(&desk));
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("undid step 1"), "{}", notice(&desk));
    assert_ne!(files(&desk), both);
    desk.type_keys("u");
    assert!(notice(&desk).contains("was undone by step 2"), "{}", notice(&desk));
    desk.type_keys("Uy");
    assert!(notice(&desk).starts_with("redid step 1"), "{}", notice(&desk));
    assert_eq!(files(&desk), both);
}

#[test]
fn the_journal_tells_what_others_wrote_and_which_files_are_not_as_a_step_left_them() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("/type:learning");
    desk.press(KeyCode::Enter);
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
fn archived_memories_are_chosen_and_come_back() {
    let mut desk = Desk::new(120, 36);
    let before = files(&desk);
    let archived =
        |desk: &Desk| desk.app.snapshot.stores.iter().map(|own| own.count(State::Archived)).sum::<usize>();
    let all = archived(&desk);
    desk.type_keys("ga");
    desk.type_keys("r");
    assert!(notice(&desk).contains("No archived memory is marked"), "{}", notice(&desk));
    desk.type_keys("Gk  r");
    assert!(desk.app.confirm.is_some(), "{}", notice(&desk));
    assert_eq!(files(&desk), before);
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("brought back 2 memories"), "{}", notice(&desk));
    assert_eq!(archived(&desk), all - 2);
    desk.type_keys("u");
    assert_eq!(files(&desk), before);
}

#[test]
fn exactly_the_memories_that_a_compaction_names_are_gone_afterwards() {
    let mut desk = Desk::new(120, 36);
    let before = files(&desk);
    desk.type_keys(":compact");
    desk.press(KeyCode::Enter);
    assert_eq!((desk.app.screen, desk.app.list_view.compactions_first), (Screen::Upkeep, true));
    let tasks = tasks(&desk);
    let biggest = |&at: &usize| desk.app.list_view.chores[tasks[at]].touched.len();
    let at = (0..tasks.len()).max_by_key(biggest).unwrap();
    desk.app.list_view.list.cursor.at = at;
    let chore = &desk.app.list_view.chores[tasks[at]];
    assert_eq!(chore.task, ChoreKind::Compact);
    let store = chore.store;
    let keys = |desk: &Desk| -> Vec<Vec<u8>> {
        let own = &desk.app.snapshot.stores[store];
        own.entries.iter().map(|entry| own.read(entry).unwrap().to_vec()).collect()
    };
    let named: Vec<u32> = chore.touched.iter().map(|own| own.entry).collect();
    let previous = keys(&desk);
    let stays = (0_u32..).zip(&previous).filter(|(at, _)| !named.contains(at)).map(|(_, raw)| raw.clone());
    let stays: Vec<Vec<u8>> = stays.collect();
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("the rule:"), "{}", desk.screen());
    assert_eq!(files(&desk), before);
    desk.type_keys("y");
    assert!(notice(&desk).starts_with("compacted"), "{}", notice(&desk));
    assert_eq!(keys(&desk), stays);
    desk.type_keys("u");
    assert_eq!(files(&desk), before);
}

#[test]
fn all_that_is_due_is_chosen_and_nothing_that_is_not() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gm*");
    let due = |own: &usize| desk.app.list_view.chores[*own].plan.is_some();
    let due = tasks(&desk).iter().filter(|own| due(own)).count();
    assert_eq!(desk.app.list_view.list.marks.len(), due);
    desk.type_keys("ga");
    let soon = desk.app.list_view.list.each().position(|own| match own {
        ListRow::Chore(at) => matches!(desk.app.list_view.chores[at].task, ChoreKind::Soon(_)),
        _ => false,
    });
    desk.app.list_view.list.cursor.at = soon.unwrap();
    desk.type_keys(" ");
    assert!(notice(&desk).contains("not due yet"), "{}", notice(&desk));
    assert!(desk.app.list_view.list.marks.is_empty());
}

#[test]
fn nothing_is_planned_where_nothing_may_be_changed() {
    let (mut desk, _) = lost_nine(100, 30);
    desk.app.readonly = true;
    let before = files(&desk);
    open_older(&mut desk);
    for keys in ["W", "r", "gm*\n", "gar"] {
        for c in keys.chars() {
            if c == '\n' { desk.press(KeyCode::Enter) } else { desk.type_keys(&c.to_string()) }
        }
        assert!(desk.app.confirm.is_none());
    }
    assert_eq!(files(&desk), before);
}

proptest! {
    #![proptest_config(crate::tries::config(2, 1_700))]

    #[test]
    fn any_keys_in_these_views_change_nothing_without_a_plan_that_was_confirmed(
        opens in proptest::sample::select(vec!["gr", "ga", "gm", "gu"]),
        happenings in proptest::collection::vec(happenings(), 59..60)
    ) {
        let (mut desk, _) = lost_nine(120, 36);
        desk.type_keys(opens);
        for happening in happenings {
            let confirmed = desk.app.confirm.is_some();
            let inside = matches!(desk.app.screen, Screen::Backups | Screen::Archive | Screen::Upkeep | Screen::Journal);
            let msg: Msg = happening.into();
            let is_key = matches!(msg, Msg::Key(KeyEvent { code: KeyCode::Char('y'), modifiers: KeyModifiers::NONE, .. }));
            let effects = update(&mut desk.app, msg, now());
            // Undo of the last change, by its key or from the help, needs no yes.
            let writes = effects.iter().any(|own| match own {
                Effect::Job(Job::Change(asked)) => !matches!(asked.command, ChangeCommand::Undo | ChangeCommand::Redo),
                own => matches!(own, Effect::Job(Job::Commit(_))),
            });
            prop_assert!(!inside || !writes || (confirmed && is_key));
            desk.settle(effects);
            desk.screen();
        }
    }
}
