//! What all list views have in common: marks, a filter, an order, a copy, the mouse.

use crossterm::event::MouseEventKind;

use crate::tui::state::row_list::ListRow;
use crate::tui::tests::changes::{files, notice};
use crate::tui::tests::mouse::{click, mouse};
use crate::tui::tests::*;

/// The keys that open the views.
const VIEWS: [&str; 5] = ["r", "gm", "gu", "gp", "gn"];

/// Returns the demo with one step of palimp. The last visit was a week ago.
fn desk(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.enter("/type:learning");
    desk.type_keys("dx");
    desk.press(KeyCode::Esc);
    let roots: Vec<_> = desk.app.snapshot.stores.iter().map(|store| store.root.clone()).collect();
    desk.app.visits.see(&roots, now().plus(-7 * crate::model::time::DAY), false);
    desk
}

fn title(desk: &Desk) -> String {
    desk.screen().lines().find(|line| line.starts_with('▌')).unwrap_or_default().to_owned()
}

#[test]
fn a_filter_shows_the_rows_with_a_text_in_every_view_and_esc_drops_it() {
    let mut desk = desk(120, 36);
    for view in VIEWS {
        desk.type_keys(view);
        let all = desk.app.list_view.list.len();
        let word =
            desk.app.list_view.row().unwrap().text(&desk.app).split_whitespace().last().unwrap().to_owned();
        desk.type_keys(&format!("/{word}"));
        assert!(desk.screen().contains(&format!("/{word}▏")), "{view}: {}", desk.screen());
        desk.press(KeyCode::Enter);
        assert!(title(&desk).contains(&format!("/{word}")), "{view}: {}", desk.screen());
        let found: Vec<String> = desk.app.list_view.list.each().map(|row| row.text(&desk.app)).collect();
        assert!(!found.is_empty() && found.len() <= all, "{view}");
        assert!(
            found.iter().all(|row| row.to_lowercase().contains(&word.to_lowercase())),
            "{view}: {found:?}"
        );
        desk.enter("/no row has this");
        assert!(desk.screen().contains("No row has this text"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.list_view.list.len(), all, "{view}");
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Memories, "{view}");
    }
}

#[test]
fn all_are_marked_inverted_and_shown_alone_or_it_is_said_why_not() {
    let mut desk = desk(120, 36);
    for view in VIEWS {
        desk.type_keys(view);
        desk.type_keys("*");
        let marked = desk.app.list_view.list.marks.len();
        let can = desk.app.list_view.list.each();
        let can = can.filter(|row| crate::tui::list_view::may_mark(&desk.app, *row).is_ok()).count();
        assert_eq!(marked, can, "{view}");
        assert!(
            marked > 0 && title(&desk).contains(&format!("{marked} marked")),
            "{view}: {}",
            desk.screen()
        );
        desk.type_keys(":marked⏎");
        assert_eq!(desk.app.list_view.list.len(), marked, "{view}");
        desk.type_keys(":marked⏎:invert marks⏎");
        assert!(desk.app.list_view.list.marks.is_empty(), "{view}");
        desk.type_keys("ggvjv");
        assert!(desk.app.list_view.list.marks.len() <= 2, "{view}");
    }
}

#[test]
fn each_esc_takes_one_thing_away_and_the_hint_says_which() {
    let mut desk = desk(120, 36);
    let hint = |desk: &Desk| desk.screen().lines().last().unwrap_or_default().to_owned();
    for view in VIEWS {
        desk.type_keys(view);
        let all = desk.app.list_view.list.len();
        let word =
            desk.app.list_view.row().unwrap().text(&desk.app).split_whitespace().last().unwrap().to_owned();
        desk.enter(&format!("*/{word}"));
        desk.type_keys(":marked⏎v");
        let found = desk.app.list_view.list.len();
        assert!(hint(&desk).contains("Esc cancel"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert!(hint(&desk).contains("Esc all again"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert!(!desk.app.list_view.list.only_marked && desk.app.list_view.list.len() >= found, "{view}");
        assert!(hint(&desk).contains("Esc drop the filter"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.list_view.list.len(), all, "{view}");
        assert!(hint(&desk).contains("Esc clear marks"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert!(desk.app.list_view.list.marks.is_empty(), "{view}");
        assert!(hint(&desk).contains("Esc back"), "{view}: {}", desk.screen());
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Memories, "{view}");
    }
}

#[test]
fn the_order_turns_and_the_cursor_stays_on_its_row() {
    let mut desk = desk(120, 36);
    for view in VIEWS {
        desk.type_keys(view);
        desk.type_keys("j");
        let own = desk.app.list_view.row().map(|row| row.key(&desk.app));
        let before = title(&desk);
        desk.type_keys("o");
        assert!(notice(&desk).starts_with("The order is: "), "{view}: {}", notice(&desk));
        assert_ne!(title(&desk), before, "{view}");
        assert_eq!(desk.app.list_view.row().map(|row| row.key(&desk.app)), own, "{view}");
    }
}

#[test]
fn y_copies_titles_and_paths_of_rows() {
    let mut desk = desk(120, 36);
    for view in VIEWS {
        desk.type_keys(view);
        for (keys, told) in [("yt", "Copied"), ("yp", "Copied"), (":copy JSON⏎", "In this view y t")] {
            desk.type_keys(keys);
            assert!(notice(&desk).starts_with(told), "{view} {keys}: {}", notice(&desk));
        }
    }
}

#[test]
fn a_click_goes_to_a_row_and_the_wheel_moves_what_is_under_it() {
    let mut desk = desk(120, 36);
    for view in VIEWS {
        desk.type_keys(view);
        let (list, below) = crate::tui::layout::list_view(&desk.app);
        let all = &desk.app.list_view.list;
        let last = all.len().min(3) - 1;
        let place = all.all.iter().position(|row| Some(*row) == all.row(last)).unwrap();
        desk.app.last_click = None;
        click(&mut desk, (list.x + 4, list.y + 1 + place as u16));
        assert_eq!(desk.app.list_view.list.cursor.at, last, "{view}: {}", desk.screen());
        mouse(&mut desk, MouseEventKind::ScrollDown, (below.x + 1, below.y + 1));
        let own = &desk.app.list_view;
        assert_eq!((own.list.cursor.at, own.in_details), (last, false), "{view}");
    }
}

#[test]
fn marks_stay_on_their_rows_when_an_agent_writes() {
    let mut desk = desk(120, 36);
    desk.type_keys("gp");
    desk.type_keys("jj  ");
    let marked = desk.app.list_view.list.marks.clone();
    let own = desk.app.list_view.row().map(|row| row.key(&desk.app));
    assert_eq!(marked.len(), 2);
    let file = desk._folder.path().join("team/memories/learnings.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + "{\"id\":\"torn").unwrap();
    desk.send(Msg::StoresChanged);
    assert_eq!(desk.app.list_view.list.marks, marked);
    assert_eq!(desk.app.list_view.row().map(|row| row.key(&desk.app)), own);
}

#[test]
fn what_is_new_is_seen_one_by_one_and_undone() {
    let mut desk = desk(120, 36);
    let before = files(&desk);
    desk.type_keys("gn");
    let all = desk.app.list_view.list.len();
    assert!(all > 3 && title(&desk).contains("New since 25 January"), "{}", desk.screen());
    desk.type_keys("s");
    assert_eq!(desk.app.list_view.list.len(), all - 1);
    desk.type_keys("  s");
    assert_eq!(desk.app.list_view.list.len(), all - 3, "the marked ones");
    desk.type_and_see(":all seen⏎", &["Nothing is new."]);
    desk.type_keys("uuu");
    assert_eq!(desk.app.list_view.list.len(), all);
    desk.type_keys("u");
    assert!(notice(&desk).contains("Nothing was marked as seen"), "{}", notice(&desk));
    assert_eq!(super::changes::differing(&before, &files(&desk)), Vec::<std::path::PathBuf>::new());
}

#[test]
fn enter_on_what_is_new_opens_its_memory_and_esc_leads_back() {
    let mut desk = desk(120, 36);
    desk.type_keys("gnj");
    let Some(ListRow::New(at)) = desk.app.list_view.row() else { panic!("{}", desk.screen()) };
    let title = App::quoted_title(&desk.app.snapshot, at);
    desk.press(KeyCode::Enter);
    assert_eq!((desk.app.screen, selected_title(&desk)), (Screen::Memories, title));
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.screen, desk.app.list_view.row()), (Screen::New, Some(ListRow::New(at))));
}

#[test]
fn an_empty_list_has_no_second_part_and_no_key_that_leads_there() {
    let mut desk = Desk::new(80, 24);
    desk.type_keys("gu");
    let screen = desk.screen();
    assert!(screen.contains("Nothing was changed with palimp yet"), "{screen}");
    assert!(!screen.contains('─') && !screen.contains("Tab "), "{screen}");
    desk.press(KeyCode::Tab);
    assert!(!desk.app.list_view.in_details, "{}", desk.screen());
}

#[test]
fn the_journal_tells_a_pin_from_its_end_and_names_the_tags_that_were_given() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("pp");
    desk.enter("t+reviewed -retries");
    desk.type_keys("gu");
    let screen = desk.screen();
    for told in [" pinned Send one", " unpinned Send one", " tagged +reviewed −retries: Send one"] {
        assert!(screen.contains(told), "{told}: {screen}");
    }
}

#[test]
fn the_journal_names_memories_by_their_titles_and_an_undo_is_applied_as_every_step_is() {
    for store in &["ops", "team", "notes", "shop"][..crate::tries::count(2, 4)] {
        let mut desk = Desk::new(120, 36);
        super::marks::search(&mut desk, &format!("store:{store} is:live"));
        let title = super::selected_title(&desk);
        let title = &title.trim_matches('"')[..12];
        desk.type_keys("dx");
        if desk.app.confirm.is_some() {
            desk.agree();
        }
        desk.type_keys("ugu");
        let screen = desk.screen();
        assert!(screen.contains("✓") && screen.contains("step 2"), "{store}: {screen}");
        assert!(screen.contains("undid step 1") && screen.contains("undone by step 2"), "{store}: {screen}");
        assert_eq!(screen.matches('↶').count(), 1, "{store}: {screen}");
        assert!(screen.matches(title).count() >= 3, "{store}: {screen}");
        for json in ["{\"", "updated:"] {
            assert!(!screen.contains(json), "{store}: {screen}");
        }
        desk.type_keys("j");
        assert!(!desk.screen().contains("{\""), "{store}: {}", desk.screen());
    }
}
