//! With reduced motion nothing on the screen changes by itself.

use super::changes::{notice, on};
use super::*;
use crate::model::time::DAY;

#[test]
fn ages_stay_until_something_happens() {
    for is_reduced in [true, false] {
        let mut desk = Desk::small(120, 36);
        desk.app.reduced_motion = is_reduced;
        let before = desk.screen();
        update(&mut desk.app, Msg::Tick, now().plus(3 * DAY));
        assert_eq!(desk.screen() == before, is_reduced);
        update(&mut desk.app, Msg::Resize(120, 36), now().plus(3 * DAY));
        assert_ne!(desk.screen(), before);
    }
}

#[test]
fn a_change_that_runs_tells_figures_only_where_motion_is_not_reduced() {
    for is_reduced in [true, false] {
        let mut desk = on("type:decision", 120, 36);
        desk.app.reduced_motion = is_reduced;
        desk.type_keys("*t+seen");
        let enter = Msg::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        let effects = update(&mut desk.app, enter, now());
        let progress = std::sync::Arc::clone(&desk.app.changes.active.as_ref().unwrap().progress);
        let mut told = |done: usize| {
            progress.begin(9);
            (0..done).for_each(|_| progress.step().unwrap());
            update(&mut desk.app, Msg::ShowProgress, now());
            assert!(notice(&desk).ends_with("Esc stops it"), "{}", notice(&desk));
            desk.screen()
        };
        assert_eq!(told(2) == told(7), is_reduced);
        desk.settle(effects);
    }
}
