//! What the backups offer, and how they tell a memory.

use crossterm::event::KeyCode;

use super::Desk;
use super::back::{lost_nine, open_older};
use super::changes::notice;

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
