//! The list shows where a result matches, and `w` names the field.

use super::*;
use crate::query::highlights;

/// Returns the memories of the list as drawn: a row, and the line below it if there is one.
fn rows(desk: &Desk) -> Vec<String> {
    let shown = desk.screen();
    let area = crate::tui::layout::frame(&desk.app).pane(Pane::Memories).unwrap();
    let columns = |line: &str| {
        let cells = line.chars().skip(usize::from(area.x)).take(usize::from(area.width));
        cells.collect::<String>()
    };
    let lines = shown.lines().skip(usize::from(area.y) + 1).take(usize::from(area.height) - 1);
    let mut lines = lines.map(columns);
    let mut rows = Vec::new();
    for hit in desk.app.results.hits.iter().skip(desk.app.list_cursor.top) {
        let Some(mut row) = lines.next() else { break };
        if desk.app.match_lines.get(&hit.at).is_some_and(Option::is_some) {
            let Some(below) = lines.next() else { break };
            row += &below;
        }
        rows.push(row);
    }
    rows
}

#[test]
fn every_hit_shows_where_it_matches_at_every_width() {
    let mut desk = Desk::new(120, 36);
    // Matches in a title, in reasons, in tags, in ids, in names of agents, and in several of them.
    for query in
        ["pool", "roles", "ledger", "retention", "finding-0", "reviewer", "retry ledger", "\"charge twice\""]
    {
        desk.send(Msg::Resize(120, 36));
        desk.enter(&format!("/{query}"));
        assert!(!desk.app.results.hits.is_empty(), "{query}");
        for width in [40, 46, 59, 60, 79, 80, 99, 100, 119, 120, 139, 160, 200]
            .into_iter()
            .step_by(crate::tries::count(4, 1))
        {
            desk.send(Msg::Resize(width, 36));
            update::ready(&mut desk.app);
            for row in rows(&desk) {
                assert!(!highlights(&row, &desk.app.parsed).is_empty(), "{query} {width}: {row}");
            }
        }
    }
}

#[test]
fn the_line_below_a_hit_shows_the_word_that_its_title_lacks() {
    let folder = crate::folder::new();
    let sessions = folder.path().join("memory/sessions/one");
    std::fs::create_dir_all(&sessions).unwrap();
    let long = "x ".repeat(60);
    let texts = [
        "Rotate keys weekly\\nThese are stored in the vault of the team",
        "Rotate it\\nrotate, ROTATE or rotated\\nthe vault",
        &format!("Rotate soon\\nRotate {long}vault"),
        &format!("Rotate late {long}vault"),
    ];
    let line = |(id, text): (usize, &&str)| {
        format!(
            "{{\"id\":\"m{id}\",\"type\":\"finding\",\"timestamp\":\"2026-01-0{}T00:00:00Z\",\
             \"content\":{{\"finding\":\"{text}\"}}}}\n",
            id + 1
        )
    };
    let log: String = texts.iter().enumerate().map(line).collect();
    std::fs::write(sessions.join("memory.jsonl"), log).unwrap();
    let mut desk = Desk::of(folder, 120, 36);
    desk.enter("/rotate vault");
    assert_eq!(desk.app.results.hits.len(), texts.len());
    for width in [40, 46, 80, 100, 120] {
        desk.send(Msg::Resize(width, 36));
        update::ready(&mut desk.app);
        for row in rows(&desk) {
            assert!(row.contains("vault"), "{width}: {row}");
        }
    }
}

#[test]
fn why_names_the_fields_that_matched() {
    let mut desk = Desk::new(120, 36);
    for size in [(120, 36), (160, 44)] {
        desk.restart(size.0, size.1);
        desk.enter("/roles drills store:shop type:decision");
        desk.type_and_see("w+", &["in rationale", "title"]);
    }
}
