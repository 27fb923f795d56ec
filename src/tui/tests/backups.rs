//! The view of backups: what it offers, and how it describes memories.

use std::io::Write;

use crossterm::event::KeyCode;

use super::changes::notice;
use super::go_back::{chosen, learnings, lost_nine, open_older, own_data, root, write};
use super::{Desk, selected_title};
use crate::model::{JournalLine, Verb};
use crate::ops::backup_restore::comparison::DifferenceKind;
use crate::work::BackupRow;

#[test]
fn a_damaged_backup_does_not_offer_to_replace_a_file_and_says_why() {
    let mut desk = Desk::new(160, 36);
    desk.enter("rk");
    assert!(desk.screen().contains("The backup is damaged"), "{}", desk.screen());
    assert!(!desk.screen().contains("replace file"), "{}", desk.screen());
    desk.type_keys(":replace file⏎");
    assert!(desk.app.confirm.is_none());
    assert!(notice(&desk).contains("the backup is damaged, so it does not replace"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    desk.enter("j");
    assert!(desk.screen().contains("r bring back"), "{}", desk.screen());
    desk.type_keys(":replace file⏎");
    assert!(desk.app.confirm.is_some());
}

#[test]
fn the_difference_of_a_memory_tells_its_text_and_fields_and_no_json() {
    let (mut desk, _) = lost_nine(120, 36);
    open_older(&mut desk);
    desk.type_keys("jjjjjjjjj=");
    let screen = desk.screen();
    assert!(screen.contains("~ importance no longer high → high"), "{screen}");
    assert!(screen.contains("category  security") && screen.contains("access_count  7"), "{screen}");
    assert!(!screen.contains('{') && !screen.contains("\":"), "{screen}");
}

#[test]
fn a_backup_that_ends_early_says_so_of_what_it_lacks_and_does_not_call_it_newer() {
    let mut desk = Desk::new(160, 36);
    desk.enter("rk");
    let opened = desk.app.list_view.backups.opened.as_ref().unwrap();
    let (compared, at) = (&opened.compared, opened.copy.at.unwrap());
    assert!(compared.ends_early && compared.count(DifferenceKind::Absent) > 20);
    for item in compared.items.iter().filter(|item| item.kind.is_only_here()) {
        let is_later = item.written.is_some_and(|own| own >= at);
        assert_eq!(item.kind == DifferenceKind::Newer, is_later, "{item:?}");
    }
    desk.sees(&["It ends early:", ", the backup ends early"]);
    let at =
        desk.app.list_view.backups.items().iter().position(|own| own.kind == DifferenceKind::Absent).unwrap();
    desk.app.list_view.details.cursor.at = at;
    desk.type_and_see("=", &[", before the backup of 2026-01-30 12:00:"]);
}

#[test]
fn what_was_deleted_since_a_backup_is_named_and_comes_back_only_if_it_is_marked() {
    let (mut desk, _) = lost_nine(120, 36);
    desk.enter("/type:learning store:team is:live");
    desk.press(KeyCode::End);
    let title = selected_title(&desk);
    desk.type_keys("dx");
    let before = learnings(&desk).len();
    open_older(&mut desk);
    let deleted = |desk: &Desk| -> Vec<_> {
        desk.app.list_view.backups.opened.as_ref().unwrap().compared.deleted().cloned().collect()
    };
    let own = deleted(&desk).remove(0);
    let start = |text: &str| text.trim_matches('"').chars().take(20).collect::<String>();
    assert_eq!(start(&own.title), start(&title));
    assert!(
        !chosen(&desk).contains(&own.at) && desk.screen().contains("1 deleted since"),
        "{}",
        desk.screen()
    );
    desk.press(KeyCode::Enter);
    desk.sees(&["⊘1 deleted since are left out", "is left out"]);
    desk.press(KeyCode::Esc);
    desk.app.list_view.details.marks.insert(own.at.to_string());
    desk.press(KeyCode::Enter);
    desk.type_keys("y");
    let id = own.id.unwrap();
    assert!(learnings(&desk).iter().any(|line| line.contains(&id)), "{}", notice(&desk));
    assert_eq!(learnings(&desk).len(), before + 10);
}

#[test]
fn a_closed_backup_tells_what_it_is_and_once_it_was_verified_what_differs() {
    let (mut desk, _) = lost_nine(120, 36);
    desk.type_keys("r");
    for own in desk.app.list_view.backups.list.iter_mut().flatten() {
        (own.verified, own.differs) = (None, None);
    }
    let screen = desk.screen();
    for part in ["It was not verified yet", "made    ", "size    ", "state   not verified", "learnings.jsonl"]
    {
        assert!(screen.contains(part), "{part} in {screen}");
    }
    assert!(!screen.contains("differs "), "{screen}");
    desk.type_keys(":verify⏎");
    let screen = desk.screen();
    assert!(screen.contains("differs ") && screen.contains(" back"), "{screen}");
    let list = desk.app.list_view.backups.list.as_ref().unwrap();
    let own = desk.app.list_view.backups.of(desk.app.list_view.row()).or(list.first()).unwrap();
    let (_, title) = &own.differs.as_ref().unwrap().first[0];
    assert!(screen.contains(&title[..20]), "{title}: {screen}");
    assert!(desk.app.list_view.backups.opened.is_none(), "it is told without being opened");
}

/// Returns the listed backups, newest first.
fn listed(desk: &Desk) -> &[BackupRow] {
    desk.app.list_view.backups.list.as_deref().unwrap()
}

fn deleted_since(own: &BackupRow) -> usize {
    let counts = &own.differs.as_ref().unwrap().counts;
    counts.iter().filter(|(kind, _)| *kind == DifferenceKind::Deleted).map(|(_, count)| count).sum()
}

fn compare_all_again(desk: &mut Desk) {
    desk.app.list_view.backups.list.iter_mut().flatten().for_each(|own| own.differs = None);
    desk.type_keys(":verify⏎");
}

#[test]
fn backups_that_were_listed_again_are_compared_again() {
    let (mut desk, _) = lost_nine(120, 36);
    let lines = learnings(&desk);
    desk.type_keys("r:verify⏎");
    assert!(listed(&desk).iter().all(|own| own.differs.is_some()));
    write(&mut desk, &lines[1..]);
    assert!(listed(&desk).iter().all(|own| own.verified.is_some() && own.differs.is_none()));
    desk.type_keys(":verify⏎");
    assert!(listed(&desk).iter().all(|own| own.differs.is_some()), "{}", desk.screen());
    assert_eq!(notice(&desk), "2 backups looked at, 1 damaged");
    // A backup that can't be compared is tried only once.
    std::fs::remove_file(root(&desk).join(&listed(&desk)[1].copy.path)).unwrap();
    compare_all_again(&mut desk);
    assert!(listed(&desk)[0].differs.is_some() && listed(&desk)[1].differs.is_none());
    assert_eq!(notice(&desk), "2 backups looked at, 2 damaged");
}

#[test]
fn the_deletions_of_a_store_are_read_once_until_its_journal_changes() {
    let mut desk = Desk::new(120, 36);
    desk.enter("/type:learning store:team");
    desk.type_keys("dx");
    assert!(notice(&desk).starts_with("deleted"), "{}", notice(&desk));
    desk.type_keys("r:verify⏎");
    let deleted = listed(&desk).iter().map(deleted_since).sum::<usize>();
    assert!(deleted > 0, "{}", desk.screen());
    let data = own_data(&desk);
    std::fs::remove_dir_all(data.join("undo")).unwrap();
    compare_all_again(&mut desk);
    assert_eq!(listed(&desk).iter().map(deleted_since).sum::<usize>(), deleted);
    let journal = std::fs::read_to_string(data.join("journal.jsonl")).unwrap();
    let last: JournalLine = serde_json::from_str(journal.lines().last().unwrap()).unwrap();
    let next = JournalLine { step: last.step + 1, verb: Verb::Tag, ..last };
    let mut journal = std::fs::OpenOptions::new().append(true).open(data.join("journal.jsonl")).unwrap();
    writeln!(journal, "{}", serde_json::to_string(&next).unwrap()).unwrap();
    compare_all_again(&mut desk);
    assert_eq!(listed(&desk).iter().map(deleted_since).sum::<usize>(), 0);
}
