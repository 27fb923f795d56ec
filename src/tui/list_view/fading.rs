//! Memories that fade to the floor soon, as rows of upkeep.

use ratatui::text::Line;

use super::list_cell::ListCell;
use super::{RowDetails, archive};
use crate::format;
use crate::model::EntryRef;
use crate::query::{FadeEnd, FadeForecast};
use crate::tui::action::Action;
use crate::tui::list_view::details_text::text_lines;
use crate::tui::state::app::App;
use crate::tui::theme::{self, Theme};
use crate::tui::type_letters;

fn forecast(app: &App, at: usize) -> Option<&FadeForecast> {
    app.list_view.fading.get(at)
}

pub fn memory(app: &App, at: usize) -> Option<EntryRef> {
    forecast(app, at).map(|own| own.at)
}

pub fn key(app: &App, at: usize) -> String {
    memory(app, at).map_or(String::new(), |at| format!("fades {}", archive::key(app, at)))
}

fn days(fading: &FadeForecast) -> String {
    if fading.days < 1.0 { "<1 d".to_owned() } else { format!("{:.0} d", fading.days) }
}

pub fn cells(app: &App, at: usize) -> Vec<ListCell> {
    let Some(fading) = forecast(app, at) else { return Vec::new() };
    let theme = Theme::of(app);
    let named = archive::entry(app, fading.at, |store, entry| {
        (format::title(store, entry), store.memory(entry).map_or("", |memory| memory.kind()).to_owned())
    });
    let Some((title, kind)) = named else { return Vec::new() };
    let end = match fading.end {
        FadeEnd::Kept => "kept".to_owned(),
        FadeEnd::Ranked(rank) => format!("rank {rank:.2}"),
        FadeEnd::Goes => "then goes".into(),
    };
    vec![
        ListCell::right(days(fading), 6).styled(theme.dim()).close(),
        ListCell::left(type_letters::letter(app, &kind), 1).styled(theme.kind(&kind)).from(30).close(),
        ListCell::rest(title),
        ListCell::right(end, 9).styled(theme.dim()).from(50),
        ListCell::store(app, fading.at.store as usize),
    ]
}

/// Says when a memory fades and what happens to it then, above its text.
pub fn about(app: &App, at: usize, width: usize) -> RowDetails {
    let Some(fading) = forecast(app, at) else { return RowDetails::default() };
    let [open, pin, raise] = [Action::Open, Action::Pin, Action::Importance].map(Action::call);
    let keeps = format!("{open} opens it: there {pin} pins it, and {raise} raises its importance.");
    let said = match fading.end {
        FadeEnd::Kept => "It is kept: it does not fade.".to_owned(),
        FadeEnd::Ranked(rank) => {
            format!("In {} it has faded fully. It stays, ranked {rank:.2}. {keeps}", days(fading))
        }
        FadeEnd::Goes => {
            format!("In {} it has faded fully, and a compaction removes it. {keeps}", days(fading))
        }
    };
    let style = Theme::of(app).dim();
    let head = theme::wrap(&said, width).into_iter().map(|line| Line::styled(line, style));
    let lines = head.chain([Line::default()]).chain(text_lines(app, width)).collect();
    RowDetails { title: "Detail".into(), right: app.store_name(fading.at.store as usize).to_owned(), lines }
}
