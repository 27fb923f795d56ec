//! The view of what a model gets when an agent starts.

use crossterm::event::KeyCode;

use super::Desk;
use crate::tui::state::app::Screen;

/// Returns a folder of Claude Code whose index is cut.
fn desk(width: u16, height: u16) -> Desk {
    let folder = crate::folder::new();
    let index = format!("- [a](a.md) — one\n{}- the newest correction\n", "- x\n".repeat(199));
    crate::disk::write_new(&folder.path().join("MEMORY.md"), index.as_bytes()).unwrap();
    let topic = "---\nname: a\ndescription: about a\n---\n\nText.\n";
    crate::disk::write_new(&folder.path().join("a.md"), topic.as_bytes()).unwrap();
    Desk::of(folder, width, height)
}

#[test]
fn the_line_from_which_on_the_model_sees_nothing_is_two_keys_away() {
    for (width, height) in [(120, 36), (80, 24)] {
        let mut desk = desk(width, height);
        desk.type_keys("gl");
        assert_eq!(desk.app.screen, Screen::Loaded);
        let screen = desk.screen();
        assert!(screen.contains("MEMORY.md") && screen.contains("up to line 200"), "{screen}");
        assert!(screen.contains("The model never sees line 201"), "{screen}");
        assert!(screen.contains("the newest correction") && screen.contains("not loaded"), "{screen}");
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Memories);
    }
}

#[test]
fn stores_that_no_program_loads_say_so() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("gl");
    assert!(desk.screen().contains("No program loads memories of these stores by itself."));
}
