//! What the backups offer, and how they tell a memory.

use crossterm::event::{KeyCode, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::back::{lost_nine, open_older};
use super::changes::notice;
use super::{Desk, Msg};

#[test]
fn a_damaged_backup_does_not_offer_to_replace_a_file_and_says_why() {
    let mut desk = Desk::new(160, 36);
    desk.type_keys("gr");
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("The backup is damaged"), "{}", desk.screen());
    assert!(!desk.screen().contains("replace file"), "{}", desk.screen());
    desk.type_keys("W");
    assert!(desk.app.confirm.is_none());
    assert!(notice(&desk).contains("the backup is damaged, so it does not replace"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    desk.type_keys("j");
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("W replace file"), "{}", desk.screen());
    desk.type_keys("W");
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
fn an_open_backup_shows_below_its_memories_what_the_one_under_the_cursor_says() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("grj");
    desk.press(KeyCode::Enter);
    let below = |desk: &Desk| -> String {
        let screen = desk.screen();
        screen
            .split_once("─ Difference   − now   + in the backup")
            .map_or(String::new(), |(_, own)| own.into())
    };
    let first = below(&desk);
    assert!(first.contains("Retry budget is 3") && first.contains("category"), "{}", desk.screen());
    desk.type_keys("jj");
    assert!(below(&desk).contains("~ importance high → medium"), "{}", desk.screen());
    // The rows keep their cursor, and a click on one goes to it.
    desk.type_keys("gg");
    let row = desk.screen().lines().position(|line| line.contains("~ Use uv, not pip")).unwrap();
    let event = MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 10,
        row: row as u16,
        modifiers: KeyModifiers::NONE,
    };
    desk.send(Msg::Mouse(event));
    assert_eq!(desk.app.view.within.cursor.at, 2);
    // Where there is little room the rows have it.
    desk.app.size = (80, 24);
    desk.type_keys("k");
    assert!(below(&desk).is_empty(), "{}", desk.screen());
}
