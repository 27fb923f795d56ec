//! Repeating the last change: only a change that was made is repeated.

use crossterm::event::KeyCode;

use super::changes::notice;
use super::queued_keys::only_type;
use super::{Desk, Msg, selected_title};
use crate::work::JobResult;

#[test]
fn what_was_refused_or_canceled_is_not_repeated() {
    let mut desk = Desk::small(120, 36);
    let none = "nothing was changed yet that could be repeated";
    let tag = only_type(&mut desk, "t+refused⏎");
    assert!(!tag.is_empty());
    desk.send(Msg::Done(JobResult::ChangeDone(Box::new(Err("The disk is full.".into())))));
    desk.type_keys(":repeat⏎");
    assert!(notice(&desk).contains(none), "{}", desk.screen());
    desk.enter("  ggt+canceled");
    assert!(desk.app.confirm.is_some(), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys(":repeat⏎");
    assert!(notice(&desk).contains(none), "{}", desk.screen());
    // The change that was made before stays the last one.
    desk.press(KeyCode::Esc);
    assert!(desk.app.marks.is_empty());
    desk.enter("t+made");
    only_type(&mut desk, "jt+refused⏎");
    desk.send(Msg::Done(JobResult::ChangeDone(Box::new(Err("The disk is full.".into())))));
    desk.type_keys(":repeat⏎");
    desk.type_keys("/tag:made");
    assert_eq!(desk.app.results.hits.len(), 2, "{}", desk.screen());
}

#[test]
fn a_repeat_waits_for_the_change_before_it_and_goes_with_it_where_that_is_refused() {
    let mut desk = Desk::small(120, 36);
    let effects = only_type(&mut desk, "t+once⏎j:repeat⏎");
    assert!(notice(&desk).contains("waits for the change before"), "{}", desk.screen());
    let second = selected_title(&desk);
    desk.settle(effects);
    assert!(notice(&desk).contains(second.trim_matches('"')), "{}", desk.screen());
    desk.press(KeyCode::Esc);
    desk.type_keys("/tag:once");
    assert_eq!(desk.app.results.hits.len(), 2, "{}", desk.screen());
    desk.press(KeyCode::Esc);
    only_type(&mut desk, "t+twice⏎j:repeat⏎");
    desk.send(Msg::Done(JobResult::ChangeDone(Box::new(Err("The disk is full.".into())))));
    assert!(desk.app.queued_keys.is_empty() && desk.app.change_count == 0, "{}", desk.screen());
    assert!(notice(&desk).contains("The disk is full."), "{}", desk.screen());
}
