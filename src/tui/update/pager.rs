//! Shows a memory or a whole view in the user's pager. The text is made from what is drawn, so it
//! is as safe and as masked.

use crate::tui::message::Effect;
use crate::tui::state::app::{App, Screen};
use crate::tui::update::{detail, keep_in_view, ready};
use crate::tui::view::{drawn, plain};
use crate::work::PagerInput;

const ROWS: u16 = 4_000;

pub fn page(app: &mut App) {
    let text = match (app.screen, app.selected()) {
        (Screen::Memories, None) => return app.say("There is nothing here to page through."),
        (Screen::Memories, Some(at)) => {
            let lines = detail::lines(app, at, app.shown_tab(), usize::from(app.size.0));
            lines.iter().map(|line| line.to_string().trim_end().to_owned() + "\n").collect()
        }
        _ => whole(app),
    };
    app.push_effect(Effect::OpenPager(PagerInput::Text(text)));
}

/// Draws the view on a long page, and returns it without the first and last row.
fn whole(app: &mut App) -> String {
    let size = app.size;
    app.size.1 = ROWS;
    keep_in_view(app);
    ready(app);
    let drawn = plain(&drawn(app));
    app.size = size;
    keep_in_view(app);
    let rows: Vec<&str> = drawn.lines().skip(1).take(usize::from(ROWS) - 2).collect();
    without_gaps(&rows)
}

/// Joins rows. Only the first of several empty rows stays, and none at the end.
fn without_gaps(rows: &[&str]) -> String {
    let is_empty = |row: &str| row.chars().all(|c| matches!(c, ' ' | '│' | '|'));
    let mut text = String::new();
    for (at, row) in rows.iter().enumerate() {
        let follows = at > 0 && is_empty(rows[at - 1]);
        if !(is_empty(row) && (follows || rows[at..].iter().all(|row| is_empty(row)))) {
            text.push_str(row);
            text.push('\n');
        }
    }
    text
}
