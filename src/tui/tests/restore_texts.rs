//! What the views that restore things show, and what they never show.

use crossterm::event::KeyCode;

use super::Desk;
use super::go_back::{id, learnings, lost_nine, open_older, write};
use crate::work::StepFile;

#[test]
fn a_secret_that_goes_over_several_lines_is_masked_in_what_a_step_changed() {
    let mut desk = Desk::new(120, 36);
    desk.enter("/type:learning");
    desk.type_keys("dx");
    desk.enter("gu");
    let mark = |what: &str| ["-----", what, " PRIVATE ", "KEY-----"].concat();
    let body: Vec<String> = (0..4).map(|at| format!("{at}{}", "MIIBVAIBADANBgkqhkiG".repeat(3))).collect();
    let whole: Vec<String> =
        [vec![mark("BEGIN")], body.clone(), vec![mark("END"), "a line that stays".into()]].concat();
    let journal = &mut desk.app.list_view.journal;
    let file = StepFile {
        path: "knowledge/notes/key.md".into(),
        gone: 0,
        come: whole.len(),
        lines: whole.into_iter().map(|line| (true, line.into_bytes())).collect(),
        titles: Vec::new(),
        tags: Vec::new(),
    };
    journal.shown.first_mut().unwrap().files = Ok(vec![file]);
    let screen = desk.screen();
    assert!(screen.contains("key.md") && screen.contains("a line that stays"), "{screen}");
    for line in &body {
        assert!(!screen.contains(&line[..12]), "{screen}");
    }
}

#[test]
fn what_a_whole_file_loses_is_named_and_can_be_gone_through_before_the_yes() {
    let (mut desk, _) = lost_nine(120, 36);
    let mut lines = learnings(&desk);
    let own = id(&lines[0]);
    lines.extend((0..30).map(|n| lines[0].replace(&own, &format!("a-later-one-{n}"))).collect::<Vec<_>>());
    write(&mut desk, &lines);
    open_older(&mut desk);
    desk.type_keys(":replace file⏎");
    let items = desk.app.list_view.backups.items().iter().filter(|own| own.kind.is_only_here());
    let newer: Vec<String> = items.filter_map(|own| own.id.clone()).collect();
    let screen = desk.screen();
    let is_told =
        screen.contains(" written later are LOST, −") && screen.contains(" that the backup lacks are LOST");
    assert!(is_told && screen.contains(&newer[0]), "{screen}");
    assert!(!screen.contains(newer.last().unwrap()), "{screen}");
    let mut seen = screen;
    for _ in 0..300 {
        desk.press(KeyCode::Down);
        seen += &desk.screen();
    }
    for id in newer {
        assert!(seen.contains("  LOST") && seen.contains(&id), "{id}\n{}", desk.screen());
    }
    assert!(desk.screen().contains("· PgUp · "), "{}", desk.screen());
    desk.press(KeyCode::PageUp);
    assert!(desk.screen().contains("· PgDn · "), "{}", desk.screen());
}
