//! The menu to remove memories promises only what happens.

use super::marks::search;
use super::*;

#[test]
fn the_menu_promises_no_more_than_its_plan_does() {
    let mut desk = Desk::new(120, 36);
    let mut counts = [0, 0];
    for (topic, _) in desk.app.facets.types.clone() {
        search(&mut desk, &format!("type:{topic}"));
        desk.type_keys("d");
        let Some(menu) = &desk.app.delete_menu else { continue };
        let Some(about) = menu.lines.iter().find(|own| own.key == 'X').map(|own| own.about.clone()) else {
            desk.press(KeyCode::Esc);
            continue;
        };
        let count: usize = about.split(' ').find_map(|word| word.parse().ok()).unwrap();
        desk.type_keys("X");
        let records = desk.app.confirm.as_ref().map_or(0, |own| own.planned.records());
        assert!(records <= count, "{topic}: {about}, and {records} are deleted");
        assert!(
            records == count || about.starts_with("up to "),
            "{topic}: {about}, and {records} are deleted"
        );
        counts[usize::from(records < count)] += 1;
        desk.press(KeyCode::Esc);
    }
    assert!(counts[0] > 0 && counts[1] > 0, "{counts:?}");
}
