//! Narrow and low terminals cut only unimportant parts. Counts lead to as many rows as they say.

use crossterm::event::KeyCode;

use crate::tui::action::following;
use crate::tui::panes::health::{self, HealthLink};
use crate::tui::state::app::{Pane, Screen};
use crate::tui::tests::{Desk, Msg};

#[test]
fn every_figure_of_the_health_leads_to_so_many_rows() {
    let mut desk = Desk::new(120, 36);
    let mut shown = 0;
    for at in 0..health::rows(&desk.app).len() {
        let row = health::rows(&desk.app).swap_remove(at);
        desk.type_keys("gb3gg");
        desk.enter(&"j".repeat(at));
        let rows = match desk.app.screen {
            Screen::Memories => desk.app.results.hits.len(),
            _ => desk.app.list_view.list.len(),
        };
        assert!(rows > 0, "{}: {}", row.text, desk.screen());
        let figure = row.text.split(' ').next().and_then(|word| word.parse::<usize>().ok());
        let is_size = matches!(row.link, HealthLink::View(crate::tui::action::Action::Statistics));
        if let Some(figure) = figure.filter(|_| !is_size) {
            assert_eq!(rows, figure, "{}: {}", row.text, desk.screen());
            shown += 1;
        }
        desk.press(KeyCode::Esc);
    }
    assert!(shown >= 5, "{shown}");
}

#[test]
fn a_heading_of_problems_counts_what_the_filter_shows_below_it() {
    let mut desk = Desk::new(80, 24);
    desk.enter("gp/safe");
    let shown = desk.app.list_view.list.len();
    let screen = desk.screen();
    let counted = screen
        .lines()
        .filter(|line| ["✖ errors", "⚠ warnings", "· notes"].iter().any(|own| line.contains(own)));
    let counted = counted.filter_map(|line| line.split_whitespace().last()?.parse::<usize>().ok());
    assert!(shown > 0 && counted.sum::<usize>() == shown, "{screen}");
}

#[test]
fn every_key_that_may_follow_is_in_sight_on_a_low_terminal() {
    for waiting in ["g", "z"] {
        let mut desk = Desk::small(40, 12);
        desk.type_keys(waiting);
        desk.send(Msg::ShowNextKeys);
        let screen = desk.screen();
        for (key, known) in following(Screen::Memories, waiting) {
            let name: String = known.name.chars().take(4).collect();
            assert!(screen.contains(&format!("{key} ")), "{key} {name}: {screen}");
        }
        assert!(screen.contains("Esc cancels"), "{screen}");
        desk.press(KeyCode::Esc);
        assert!(!desk.screen().contains("Esc cancels"), "{}", desk.screen());
    }
}

#[test]
fn the_tutor_shows_the_next_task_on_a_low_terminal() {
    let mut desk = Desk::new(40, 12);
    desk.app.demo = Some(desk._folder.path().to_owned());
    desk.type_keys(":tutor⏎");
    let screen = desk.screen();
    assert!(screen.contains("Tutor  0 of 5   :tutor hides it") && screen.contains("then Enter"), "{screen}");
    desk.enter("/retries");
    assert!(desk.screen().contains("press w"), "{}", desk.screen());
}

#[test]
fn a_pane_that_has_the_whole_screen_is_not_zoomed_and_esc_leaves_it() {
    let mut desk = Desk::small(40, 12);
    for keys in ["5+", "w+"] {
        desk.type_and_see(keys, &["has the whole screen"]);
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.focus, Pane::Memories, "{}", desk.screen());
    }
}

#[test]
fn on_the_smallest_screen_every_choice_of_the_removal_is_named_and_enter_says_what_is_missing() {
    let mut desk = Desk::small(20, 5);
    desk.type_keys("d");
    for name in ["x delete", "a archive", "e erase"] {
        assert!(desk.screen().contains(name), "{}", desk.screen());
    }
    desk.enter("e");
    assert!(desk.screen().contains("Type it first"), "{}", desk.screen());
}
