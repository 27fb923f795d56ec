//! Statistics: days, weeks, and the memories of a day.

use super::mouse::click;
use super::*;
use crate::model::State;
use crate::query::UsageStatistics;
use crate::tui::statistics_view;

fn open(width: u16, height: u16) -> Desk {
    let mut desk = Desk::new(width, height);
    desk.type_keys(":statistics⏎");
    desk
}

fn counted(desk: &Desk) -> &UsageStatistics {
    &desk.app.statistics.counted.as_ref().unwrap().1
}

/// Returns how many memories are counted on any day.
fn written(desk: &Desk) -> usize {
    counted(desk).days.iter().map(Vec::len).sum()
}

#[test]
fn every_memory_that_says_when_it_was_written_is_counted_on_its_day_and_no_other_is() {
    let desk = open(80, 24);
    let (counted, of_days) = (counted(&desk), written(&desk));
    let own = desk.app.snapshot.entries().filter(|at| {
        let (store, entry) = desk.app.snapshot.get(*at);
        let created = store.memory(entry).and_then(|memory| memory.created);
        let day = |created: Moment| created >= counted.since && created < counted.date(counted.days.len());
        entry.state == State::Live && created.is_some_and(day)
    });
    assert_eq!(of_days, own.count());
    assert!(of_days > 300, "{of_days}");
    let live: usize = counted.types.iter().map(|(_, count)| count).sum();
    assert_eq!(live, counted.stores.iter().map(|own| own.live).sum::<usize>());
}

#[test]
fn enter_lists_just_the_memories_that_the_view_has_for_the_day() {
    let mut desk = open(80, 24);
    while desk.app.statistics.written().len() < 2 {
        desk.type_keys("k");
    }
    let mut own = desk.app.statistics.written().to_vec();
    own.sort();
    desk.press(KeyCode::Enter);
    assert_eq!(desk.app.screen, Screen::Memories);
    let mut listed: Vec<_> = desk.app.results.hits.iter().map(|hit| hit.at).collect();
    listed.sort();
    assert_eq!(listed, own);
}

#[test]
fn esc_leads_from_the_memories_of_a_day_back_to_that_day_and_the_search_of_before_comes_back() {
    let mut desk = Desk::new(80, 24);
    desk.enter("/type:finding");
    desk.type_keys(":statistics⏎k");
    while desk.app.statistics.written().len() < 2 {
        desk.type_keys("k");
    }
    let day = desk.app.statistics.day;
    desk.press(KeyCode::Enter);
    assert!(desk.screen().contains("Esc back to statistics"), "{}", desk.screen());
    // Esc in the text of a memory leads first to the list.
    desk.press(KeyCode::Enter);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Memories);
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.screen, desk.app.statistics.day), (Screen::Statistics, day));
    desk.press(KeyCode::Esc);
    assert_eq!((desk.app.screen, desk.app.query.as_str()), (Screen::Memories, "type:finding"));
    assert!(desk.screen().contains("Esc clear"), "{}", desk.screen());
}

#[test]
fn days_and_weeks_are_gone_by_keys_up_to_today_and_esc_goes_back() {
    let mut desk = open(80, 24);
    let today = desk.app.statistics.today();
    let day = |desk: &Desk| desk.app.statistics.day;
    assert_eq!(day(&desk), today);
    assert!(desk.screen().contains("today, Sunday 1 February"), "{}", desk.screen());
    desk.type_keys("kh");
    assert_eq!(day(&desk), today - 8);
    assert!(desk.screen().contains("Saturday 24 January"), "{}", desk.screen());
    desk.type_keys(&"k".repeat(19));
    assert_eq!(day(&desk), today - 27);
    desk.type_keys("llGj");
    assert_eq!(day(&desk), today);
    desk.type_keys(&"h".repeat(43));
    assert_eq!(day(&desk), 0);
    desk.press(KeyCode::Esc);
    assert_eq!(desk.app.screen, Screen::Memories);
}

#[test]
fn a_click_on_a_day_goes_to_it_and_a_second_one_lists_its_memories() {
    for size in [(120, 36), (80, 24), (40, 12)] {
        let mut desk = open(size.0, size.1);
        let wanted = counted(&desk).days.iter().rposition(|day| day.len() > 1).unwrap();
        let days = statistics_view::parts(&desk.app).days;
        let column = days.x + statistics_view::NAMES + (wanted / 7) as u16 * statistics_view::step(&desk.app);
        let row = days.y + (wanted % 7) as u16;
        click(&mut desk, (column, row));
        assert_eq!(desk.app.statistics.day, wanted);
        click(&mut desk, (column, row));
        assert_eq!(desk.app.screen, Screen::Memories);
        assert!(desk.app.query.starts_with("at:"), "{}", desk.app.query);
    }
}

#[test]
fn what_agents_write_while_the_view_is_open_is_counted_and_the_day_stays_under_the_cursor() {
    let mut desk = Desk::small(80, 24);
    desk.type_keys(":statistics⏎h");
    let (day, before) = (counted(&desk).date(desk.app.statistics.day), written(&desk));
    let file = desk._folder.path().join("shop/memory/sessions/b/memory.jsonl");
    let line = "{\"id\":\"m7\",\"type\":\"finding\",\"timestamp\":\"2026-02-01T10:00:00Z\",\"tags\":[],\
                \"content\":{\"finding\":\"One word more\"}}\n";
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text + line).unwrap();
    desk.send(Msg::StoresChanged);
    assert_eq!(written(&desk), before + 1);
    assert_eq!(counted(&desk).date(desk.app.statistics.day), day);
    desk.type_and_see("G", &["One word more"]);
}
