//! Upkeep: what is due, what a compaction drops, what fades, and the archive, in one view.

use crate::format::writing::WriteContext;
use crate::model::time::DAY;
use crate::query::{EntryDecay, FadeEnd, FadeForecast};
use crate::tui::state::row_list::{ListRow, UpkeepPart};
use crate::tui::tests::changes::{notice, selected_id};
use crate::tui::tests::*;
use crate::work::ChoreKind;

fn open(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.type_keys("gm");
    desk
}

fn parts(desk: &Desk) -> Vec<(UpkeepPart, usize)> {
    let rows = desk.app.list_view.list.all.iter();
    rows.filter_map(
        |row| if let ListRow::UpkeepPart(part, count) = row { Some((*part, *count)) } else { None },
    )
    .collect()
}

/// Puts the cursor on the first memory that fades of a store of this format.
fn to(desk: &mut Desk, format: &str) -> FadeForecast {
    let snapshot = desk.app.list_view.read_snapshot.clone().unwrap();
    let fits = |of: &FadeForecast| snapshot.get(of.at).0.format == format && of.end != FadeEnd::Kept;
    let number = desk.app.list_view.fading.iter().position(fits).expect("one is in the demo");
    let place = desk.app.list_view.list.each().position(|row| row == ListRow::Fading(number)).unwrap();
    desk.app.list_view.list.cursor.at = place;
    desk.app.list_view.fading[number]
}

#[test]
fn each_part_has_a_heading_with_its_count_and_what_has_nothing_to_do_is_no_row() {
    let mut desk = open(120, 36);
    let parts = parts(&desk);
    let order =
        [UpkeepPart::Due, UpkeepPart::Next, UpkeepPart::Compact, UpkeepPart::Archived, UpkeepPart::Fades];
    assert_eq!(parts.iter().map(|own| own.0).collect::<Vec<_>>(), order, "{}", desk.screen());
    let rows = desk.app.list_view.list.each().count();
    assert_eq!(parts.iter().map(|own| own.1).sum::<usize>(), rows);
    for row in desk.app.list_view.list.each() {
        let ListRow::Chore(at) = row else { continue };
        let chore = &desk.app.list_view.chores[at];
        assert!(chore.task != ChoreKind::Compact || chore.plan.is_some(), "{}", chore.what);
    }
    desk.type_keys("ogg");
    assert!(matches!(desk.app.list_view.row(), Some(ListRow::Fading(0))), "{}", desk.screen());
}

#[test]
fn each_memory_that_fades_is_above_the_floor_now_and_at_it_on_the_day_that_is_told() {
    let desk = open(120, 36);
    let (snapshot, fading) = (desk.app.list_view.read_snapshot.as_ref().unwrap(), &desk.app.list_view.fading);
    assert!(fading.len() > 10 && fading.len() < snapshot.entries().count(), "{}", fading.len());
    let mut before = 0.0;
    for own in fading {
        let (store, entry) = snapshot.get(own.at);
        let at = |now: Moment| EntryDecay::of(store, entry, store.memory(entry).unwrap(), now);
        let floor = at(now()).rule.min;
        assert!(own.end == FadeEnd::Kept || at(now()).now() > floor, "{own:?}");
        let then = now().plus((own.days as i64 + 1) * DAY);
        assert!(own.end == FadeEnd::Kept || (at(then).now() - floor).abs() < 1e-9, "{own:?}");
        assert!((0.0..=30.0).contains(&own.days) && own.days >= before, "{before} before {own:?}");
        before = own.days;
    }
}

#[test]
fn what_fades_is_opened_kept_there_and_seen_to_be_kept_when_one_comes_back() {
    let mut desk = open(120, 36);
    for format in ["session-log", "bmad", "memory-server"] {
        let own = to(&mut desk, format);
        let name = App::name_of(desk.app.list_view.read_snapshot.as_ref().unwrap(), own.at);
        desk.press(KeyCode::Enter);
        assert_eq!((desk.app.screen, selected_id(&desk)), (Screen::Memories, name.clone()), "{format}");
        desk.type_keys("p");
        desk.press(KeyCode::Esc);
        assert_eq!(desk.app.screen, Screen::Upkeep, "{}", notice(&desk));
        let snapshot = desk.app.list_view.read_snapshot.clone().unwrap();
        let kept = desk.app.list_view.fading.iter().find(|own| App::name_of(&snapshot, own.at) == name);
        assert_eq!(kept.map(|own| own.end), Some(FadeEnd::Kept), "{format}: {}", desk.screen());
        desk.type_keys("4u");
        desk.type_keys("gm");
    }
}

#[test]
fn what_is_told_of_the_floor_is_what_a_compaction_does_then() {
    let desk = open(120, 36);
    let snapshot = desk.app.list_view.read_snapshot.as_ref().unwrap();
    let mut counts = [0, 0];
    for own in &desk.app.list_view.fading {
        let (store, entry) = snapshot.get(own.at);
        if store.format != "session-log" || own.end == FadeEnd::Kept {
            continue;
        }
        let context = WriteContext::of(store, now().plus((own.days as i64 + 1) * DAY), [7; 16]);
        let dropped =
            crate::format::by_name(store.format).unwrap().compacted_entries(&context, None).unwrap().unwrap();
        assert_eq!(dropped.contains(entry), own.end == FadeEnd::Goes, "{own:?}");
        counts[usize::from(own.end == FadeEnd::Goes)] += 1;
    }
    assert!(counts[0] > 0, "{counts:?}");
}

#[test]
fn a_memory_is_kept_until_a_day_and_no_longer_and_another_day_takes_its_place() {
    let mut desk = open(120, 36);
    to(&mut desk, "session-log");
    desk.press(KeyCode::Enter);
    let tags = |desk: &Desk| {
        let (store, entry) = desk.app.listed_snapshot.get(desk.app.selected().unwrap());
        let all = store.memory(entry).unwrap().tags().map(str::to_owned).collect::<Vec<_>>();
        all.into_iter().filter(|tag| tag.starts_with("keep-until")).collect::<Vec<_>>()
    };
    let keep = |desk: &mut Desk, until: &str| desk.enter(&format!(":keep until⏎{until}"));
    keep(&mut desk, "40d");
    assert_eq!(tags(&desk), ["keep-until.2026-03-13"]);
    keep(&mut desk, "2027-01-31");
    assert_eq!(tags(&desk), ["keep-until.2027-01-31"]);
    keep(&mut desk, "soon");
    assert!(notice(&desk).starts_with("Until when?"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    keep(&mut desk, "2025-01-01");
    assert!(notice(&desk).starts_with("That day is over"), "{}", notice(&desk));
    desk.press(KeyCode::Esc);
    keep(&mut desk, "no");
    assert!(tags(&desk).is_empty());
}

#[test]
fn an_archived_file_of_markdown_has_its_size() {
    let mut desk = super::loaded::till(120, 36);
    desk.enter("/id:who_decides");
    desk.type_keys("a");
    desk.type_and_see("gm", &["218 B"]);
}
