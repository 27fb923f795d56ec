//! `Enter` on a memory opens it on the whole screen, and one reads on from there.

use crossterm::event::KeyCode;

use crate::tui::layout;
use crate::tui::panes::memory_row::MemoryColumns;
use crate::tui::tests::changes::notice;
use crate::tui::tests::*;

const SIZES: [(u16, u16); 4] = [(120, 36), (80, 24), (200, 50), (40, 12)];

fn topic(title: &str) -> String {
    format!("---\nname: n\ndescription: {title}\n---\n\nUse it.\n\n## How\n\n- once\n")
}

#[test]
fn enter_shows_the_memory_alone_and_three_keys_lead_back_to_its_row() {
    for (width, height) in SIZES {
        for back in [KeyCode::Esc, KeyCode::Char('q'), KeyCode::Backspace] {
            let mut desk = Desk::small(width, height);
            desk.enter("jj");
            let frame = layout::frame(&desk.app);
            assert_eq!(frame.panes, [(Pane::Detail, frame.body)], "{width}x{height}");
            assert!(desk.screen().contains("Read 3 of "), "{}", desk.screen());
            desk.press(back);
            assert_eq!((desk.app.focus, desk.app.list_cursor.at), (Pane::Memories, 2), "{back:?}");
            assert!(layout::frame(&desk.app).pane(Pane::Memories).is_some(), "{width}x{height}");
        }
    }
}

#[test]
fn one_turns_to_the_next_memory_and_the_one_before_and_changes_what_is_read() {
    let mut desk = Desk::new(120, 36);
    desk.enter("");
    desk.type_keys("]]n[");
    assert_eq!((desk.app.list_cursor.at, desk.app.is_reading()), (2, true));
    let title = selected_title(&desk);
    desk.type_keys("e");
    assert_eq!(desk.app.screen, Screen::Editor);
    desk.press(KeyCode::Esc);
    assert!(desk.app.is_reading() && selected_title(&desk) == title, "{}", desk.screen());
    desk.type_keys("dx");
    assert!(notice(&desk).contains("u"), "{}", notice(&desk));
    assert_eq!(desk.app.focus, Pane::Memories, "another memory took its place");
    desk.type_keys("u");
    desk.enter("");
    desk.type_keys("/pool");
    assert!(layout::frame(&desk.app).pane(Pane::Memories).is_some(), "{}", desk.screen());
}

#[test]
fn what_an_agent_removes_while_it_is_read_gives_way_to_the_list() {
    let index = "- [a](a.md) — x\n- [b](b.md) — y\n".to_owned();
    let files = &[
        ("shop/.claude/memory/MEMORY.md", index),
        ("shop/.claude/memory/a.md", topic("one")),
        ("shop/.claude/memory/b.md", topic("two")),
    ];
    let mut desk = Desk::of_files(files, (80, 24));
    desk.enter("");
    std::fs::remove_file(desk.file()).unwrap();
    desk.send(Msg::StoresChanged);
    assert!(desk.app.focus == Pane::Memories && notice(&desk).contains("no longer"), "{}", desk.screen());
}

#[test]
fn a_memory_of_another_view_is_read_and_left_for_that_view() {
    let mut desk = Desk::new(80, 24);
    for keys in ["gp", "gx"] {
        desk.type_keys(keys);
        let view = desk.app.screen;
        desk.press(KeyCode::Enter);
        assert!(desk.app.is_reading(), "{}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, view);
        desk.press(KeyCode::Esc);
    }
}

#[test]
fn a_memory_opened_before_its_search_is_answered_is_the_one_that_is_found() {
    let mut desk = Desk::new(80, 24);
    desk.type_keys("/retries");
    let mut effects = desk.take(Msg::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE)));
    effects.extend(desk.take(Msg::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE))));
    desk.settle(effects);
    assert!(desk.app.is_reading() && notice(&desk).is_empty(), "{}", desk.screen());
}

#[test]
fn a_note_is_read_with_its_title_and_without_signs_of_markdown() {
    let files = &[
        ("shop/.claude/memory/MEMORY.md", "- [a](a.md) — x\n".to_owned()),
        ("shop/.claude/memory/a.md", topic("the pool is small")),
    ];
    let mut desk = Desk::of_files(files, (120, 36));
    desk.enter("");
    let screen = desk.screen();
    let lines: Vec<&str> = screen.lines().map(str::trim).skip(2).take(6).collect();
    assert_eq!(lines, ["the pool is small", "", "Use it.", "", "How", "• once"]);
    assert!(!screen.contains("description: the pool"), "{screen}");
}

#[test]
fn at_120_columns_a_title_has_56_and_names_of_stores_differ_where_they_are_cut() {
    let names = ["my-long-name-of-a-shop-a", "my-long-name-of-a-shop-b"];
    let files: Vec<(String, String)> =
        names.iter().map(|name| (format!("{name}/.claude/memory/MEMORY.md"), topic("x"))).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    for (width, height) in [(80, 24), (120, 36), (140, 36), (200, 50)] {
        let mut desk = Desk::of_files(&files, (width, height));
        let area = layout::frame(&desk.app).pane(Pane::Memories).unwrap();
        let columns = MemoryColumns::of(&desk.app, usize::from(area.width));
        assert!(columns.text > 56, "{} at {width}x{height}", columns.text);
        let screen = desk.screen();
        let rows: Vec<&str> = screen.lines().filter(|line| line.contains("███")).collect();
        let ends = |end: &str| rows.iter().any(|row| row.contains(end));
        assert!(ends("… a") || ends("a/") || ends("-a "), "{screen}");
        assert!(ends("… b") || ends("b/") || ends("-b "), "{screen}");
        desk.type_keys("1");
        let stores = desk.screen();
        let mut tree: Vec<&str> = stores.lines().filter(|line| line.contains("▸ my")).collect();
        tree.dedup_by_key(|line| line.split('│').next());
        assert_eq!(tree.len(), 2, "{stores}");
    }
}

#[test]
fn reasons_of_a_rank_that_all_have_are_one_row_until_they_are_asked_for() {
    let files = &[
        ("shop/.claude/memory/MEMORY.md", "- [a](a.md) — x\n- [b](b.md) — y\n".to_owned()),
        ("shop/.claude/memory/a.md", topic("one")),
        ("shop/.claude/memory/b.md", topic("two")),
    ];
    let mut desk = Desk::of_files(files, (160, 40));
    assert!(desk.screen().contains("w Why 0.50, the same for all"), "{}", desk.screen());
    desk.type_and_see("w", &["importance"]);
    assert!(!Desk::new(160, 40).screen().contains("the same for all"));
}
