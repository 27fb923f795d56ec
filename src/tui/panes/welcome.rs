//! The first run: where palimp looked for stores, and what the user can do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::model::PathText;
use crate::store::BELOW_HOME;
use crate::tui::action::Action;
use crate::tui::pane_titles::{margins, whole};
use crate::tui::state::app::App;
use crate::tui::theme::{self, put, wrap};

/// A lower screen shows first what the user can do.
const LOW: u16 = 16;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let inner = margins(whole(app, frame, "No memory store was found", "", area));
    let width = usize::from(inner.width).saturating_sub(2);
    let (places, keys) = (places(app, width), keys(app, width));
    let promise = match app.is_readonly() {
        true => "Read-only: none of your files is changed. Nothing leaves this machine.",
        false => {
            "Nothing is written until you change something, and what a change replaces is kept first. Nothing leaves this machine."
        }
    };
    let promise = wrap(promise, width).into_iter().map(Line::from).collect();
    let parts = if area.height < LOW { [keys, places, promise] } else { [places, keys, promise] };
    put(frame, parts.join(&Line::default()), inner);
}

fn places(app: &App, width: usize) -> Vec<Line<'static>> {
    let mut lines = vec!["These places were looked at:".to_owned()];
    for look in &app.searched_places {
        let why = look.found.as_ref().err().map_or("", String::as_str);
        lines.push(format!("· {}   {why}", look.path.to_text()));
        let alike = look.near_misses.iter().filter(|(path, _)| *path != look.path);
        lines.extend(alike.map(|(path, why)| format!("· {}   {why}", path.to_text())));
    }
    lines.extend(app.is_at_home().then(|| BELOW_HOME.to_owned()));
    lines.iter().flat_map(|line| wrap(&theme::safe(app, line), width)).map(Line::from).collect()
}

fn keys(app: &App, width: usize) -> Vec<Line<'static>> {
    let keys = [
        (Action::Delete.key(), "open the demo: several hundred made-up memories in a temporary folder"),
        (Action::Help.key(), "every key"),
        (Action::Close.key(), "quit; then `palimp FOLDER` opens a store that is elsewhere"),
    ];
    let line = |(key, what): (&'static str, &str)| {
        theme::hanging(&format!(" {key}  "), app.palette.key(), what, width.saturating_sub(key.len() + 3))
    };
    keys.into_iter().flat_map(line).collect()
}
