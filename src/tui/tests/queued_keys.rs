//! Keys that are pressed before the search is answered.

use std::sync::Arc;

use super::*;
use crate::model::{Extent, Snapshot};
use crate::store::load_each;
use crate::work::{Job, LoadedStores};

const OLDEST: &str = "what ranks first";

/// Types a search. Returns its effects, so it is not answered yet.
fn ask(desk: &mut Desk, query: &str) -> Vec<Effect> {
    only_type(desk, &format!("/{query}⏎"))
}

/// Types keys; `⏎` is Enter. Returns their effects, which are not carried out yet.
pub(super) fn only_type(desk: &mut Desk, keys: &str) -> Vec<Effect> {
    let code = |c| if c == '⏎' { KeyCode::Enter } else { KeyCode::Char(c) };
    keys.chars().flat_map(|c| press(desk, code(c))).collect()
}

/// Presses a key. Returns its effects, which are not carried out yet.
pub(super) fn press(desk: &mut Desk, code: KeyCode) -> Vec<Effect> {
    update(&mut desk.app, Msg::Key(KeyEvent::new(code, KeyModifiers::NONE)), now())
}

#[test]
fn a_change_that_is_pressed_before_the_search_is_answered_is_of_what_the_search_finds() {
    let mut desk = Desk::new(120, 36);
    let first = selected_title(&desk);
    let effects = ask(&mut desk, "type:learning");
    assert!(only_type(&mut desk, "t+early⏎").is_empty());
    assert!(desk.screen().contains("This waits for the search."), "{}", desk.screen());
    assert_eq!(selected_title(&desk), first);
    desk.settle(effects);
    let found = selected_title(&super::changes::on("type:learning", 120, 36));
    assert_ne!(found, first);
    assert!(desk.screen().contains(&format!("Tagged {}", &found[..20])), "{}", desk.screen());
}

#[test]
fn moves_and_changes_typed_at_once_with_a_search_mean_the_rows_that_it_finds() {
    let slow = {
        let mut desk = Desk::new(120, 36);
        desk.enter("ggjjjjjjjj/retries");
        desk.type_keys("j");
        selected_title(&desk)
    };
    let mut desk = Desk::new(120, 36);
    desk.type_keys("ggjjjjjjjj");
    let effects = ask(&mut desk, "retries");
    assert!(only_type(&mut desk, "jd").is_empty());
    desk.settle(effects);
    assert_eq!(selected_title(&desk), slow);
    assert!(desk.app.delete_menu.is_some());
}

#[test]
fn where_the_shown_time_stands_still_ctrl_c_waits_by_the_time_that_goes_on() {
    let mut desk = Desk::new(120, 36);
    let still = desk.time();
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    let mut quits = |after: i64| {
        desk.app.monotonic_now.0 += after;
        let effects = update::take(&mut desk.app, Msg::Key(ctrl_c), still);
        assert_eq!(desk.app.now, still);
        effects.iter().any(|effect| matches!(effect, Effect::Quit))
    };
    assert!(!quits(0) && !quits(2_000_000) && quits(500_000));
}

#[test]
fn digits_go_to_panes_at_once() {
    let mut desk = Desk::new(120, 36);
    let panes = [Pane::Sessions, Pane::Filters, Pane::Health, Pane::Memories, Pane::Detail];
    for (digit, pane) in "12345".chars().zip(panes) {
        press(&mut desk, KeyCode::Char(digit));
        assert_eq!(desk.app.focus, pane);
    }
}

#[test]
fn esc_and_ctrl_c_drop_keys_that_wait_for_the_search() {
    let ctrl_c = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    for key in [KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), ctrl_c] {
        let mut desk = Desk::new(120, 36);
        let effects = ask(&mut desk, "type:learning");
        only_type(&mut desk, "pjdx");
        assert_eq!((desk.app.list_cursor.at, desk.app.queued_keys.len()), (0, 4), "a move waits");
        update(&mut desk.app, Msg::Key(key), now());
        desk.settle(effects);
        assert!(desk.app.delete_menu.is_none() && desk.app.query == "type:learning");
        assert!(desk.app.undo_count == 0);
    }
}

/// Returns a store whose newest memories are shown while the rest is not read yet, and the effects that read
/// it. The memory that ranks first is the oldest one.
fn just_opened() -> (Desk, Vec<Effect>) {
    let line = |at: usize, text: &str, importance: f64| {
        format!(
            "{{\"id\":\"m{at}\",\"type\":\"finding\",\"timestamp\":\"2026-01-05T00:00:00Z\",\"tags\":[\"pool\"],\"importance\":{importance},\
             \"content\":{{\"finding\":\"{text}\"}}}}\n"
        )
    };
    let later: String = (0..600).map(|at| line(at, &format!("a later one, number {at}"), 0.5)).collect();
    let log = line(600, OLDEST, 1.0) + &later;
    let mut desk = Desk::of_files(&[("memory/sessions/a/memory.jsonl", &log)], (120, 36));
    assert!(selected_title(&desk).contains(OLDEST), "{}", desk.screen());
    let app = App::new(&options(desk.app.places.clone()), (120, 36), now());
    desk.app = App { data: desk.app.data.clone(), ..app };
    let stores = load_each(&desk.app.places, Extent::Newest, &Snapshot::default(), now());
    let first = LoadedStores { snapshot: Arc::new(Snapshot::of(stores)), counts: Vec::new(), changes: 0 };
    let effects = update::open(&mut desk.app, first);
    let (reload, now): (Vec<_>, Vec<_>) =
        effects.into_iter().partition(|effect| matches!(effect, Effect::Job(Job::Load { .. })));
    desk.settle(now);
    assert!(!desk.app.listed_snapshot.is_whole());
    (desk, reload)
}

#[test]
fn a_change_that_is_pressed_before_the_stores_are_read_is_of_the_memory_that_was_seen() {
    let (mut desk, reload) = just_opened();
    let seen = selected_title(&desk);
    assert!(!seen.contains(OLDEST));
    assert!(press(&mut desk, KeyCode::Char('p')).is_empty());
    assert!(desk.screen().contains("This waits until all stores are read."), "{}", desk.screen());
    desk.settle(reload);
    assert_eq!(selected_title(&desk), seen);
    assert!(desk.app.undo_count > 0 && desk.app.queued_keys.is_empty(), "{}", desk.screen());
}

#[test]
fn a_memory_that_is_gone_when_the_stores_are_read_leaves_no_key_for_another() {
    let (mut desk, reload) = just_opened();
    assert!(press(&mut desk, KeyCode::Char('p')).is_empty());
    let (store, _) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
    std::fs::remove_dir_all(&store.root).unwrap();
    desk.settle(reload);
    assert!(desk.app.undo_count == 0 && desk.app.queued_keys.is_empty(), "{}", desk.screen());
    assert!(desk.screen().contains("is gone: nothing was done."), "{}", desk.screen());
}

#[test]
fn keys_for_a_pane_that_is_not_read_yet_do_what_they_do_typed_slowly() {
    let (mut desk, reload) = just_opened();
    only_type(&mut desk, "3jj⏎");
    assert!(desk.screen().contains("This waits until all stores are read."), "{}", desk.screen());
    desk.settle(reload);
    let quick = (desk.app.screen, desk.app.focus, desk.app.query.clone(), desk.app.health_cursor.at);
    let (mut desk, reload) = just_opened();
    desk.settle(reload);
    desk.type_keys("3jj⏎");
    assert_eq!((desk.app.screen, desk.app.focus, desk.app.query.clone(), desk.app.health_cursor.at), quick);
    assert_eq!(desk.app.screen, Screen::Statistics, "{}", desk.screen());
}

#[test]
fn an_action_without_a_key_waits_for_the_search_too() {
    let mut desk = Desk::new(120, 36);
    let effects = ask(&mut desk, "type:learning");
    only_type(&mut desk, ":invert marks⏎");
    assert!(desk.app.marks.is_empty(), "{}", desk.screen());
    desk.settle(effects);
    assert!(desk.app.prompt.is_none() && desk.app.marks.count() > 0, "{}", desk.screen());
    let found = super::changes::on("type:learning", 120, 36).app.results.hits.len();
    assert_eq!(desk.app.marks.count(), found);
}

#[test]
fn all_keys_of_a_sequence_wait_together() {
    let (mut desk, reload) = just_opened();
    let file = desk._folder.path().join("memory/sessions/a/memory.jsonl");
    let before = std::fs::read(&file).unwrap();
    for way in ["yp", "yt", "yi"] {
        assert!(only_type(&mut desk, way).is_empty(), "{way}");
    }
    assert_eq!(desk.app.queued_keys.len(), 6);
    desk.settle(reload);
    assert!(desk.app.queued_keys.is_empty() && desk.app.prompt.is_none(), "{}", desk.screen());
    assert!(desk.app.marks.range.is_none() && desk.app.undo_count == 0, "{}", desk.screen());
    assert_eq!(std::fs::read(&file).unwrap(), before);
}

#[test]
fn a_view_that_needs_all_stores_waits_for_them() {
    let (mut desk, reload) = just_opened();
    only_type(&mut desk, "gu");
    assert_eq!(desk.app.screen, Screen::Memories);
    desk.settle(reload);
    assert_eq!(desk.app.screen, Screen::Journal, "{}", desk.screen());
}

#[test]
fn keys_that_come_before_a_view_is_read_are_pressed_in_their_order_once_it_is() {
    let mut desk = Desk::new(120, 36);
    for keys in ["t+one", "jt+two"] {
        desk.enter(keys);
    }
    for (view, keys) in [("r", "jj"), ("r", "G"), ("gu", "vj"), ("gm", "j"), ("gm", "j ")] {
        desk.type_keys(view);
        let slowly = |desk: &Desk| {
            let list = &desk.app.list_view.list;
            (list.cursor.at, list.marks.clone(), list.range, desk.app.screen, list.len())
        };
        desk.type_keys(keys);
        let expected = slowly(&desk);
        desk.press(KeyCode::Esc);
        desk.type_keys("gb");
        let effects = only_type(&mut desk, &format!("{view}{keys}"));
        assert!(
            desk.screen().contains("This waits until the view is read."),
            "{view}{keys}: {}",
            desk.screen()
        );
        desk.settle(effects);
        assert_eq!(slowly(&desk), expected, "{view}{keys}");
        assert!(expected.4 > 1, "{view}");
        desk.press(KeyCode::Esc);
        desk.type_keys("gb");
    }
}

#[test]
fn keys_that_come_before_a_backup_is_opened_wait_for_it_and_esc_drops_them() {
    let mut desk = Desk::new(120, 36);
    desk.type_keys("r");
    let effects = only_type(&mut desk, "⏎G");
    let is_read = |desk: &Desk| desk.app.list_view.details.len() > 1;
    assert!(!is_read(&desk) && !desk.app.queued_keys.is_empty());
    desk.settle(effects);
    let own = &desk.app.list_view.details;
    assert!(is_read(&desk) && own.cursor.at + 1 == own.len(), "{}", desk.screen());
    desk.type_keys("gb");
    let effects = only_type(&mut desk, "rk");
    press(&mut desk, KeyCode::Esc);
    desk.settle(effects);
    assert_eq!(
        (desk.app.screen, desk.app.list_view.list.cursor.at),
        (Screen::Backups, 1),
        "at the intact one"
    );
}
