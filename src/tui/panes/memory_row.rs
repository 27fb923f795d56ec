//! One row of the list of memories: signs, decay, type, title, place, and a figure.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::model::{EntryRef, State, StoredMemory};
use crate::query::{Hit, Order};
use crate::text::columns::human_size;
use crate::tui::list_view::new;
use crate::tui::memory_columns::{DECAY, MemoryColumns};
use crate::tui::memory_sign::{pointer, secret_beside, sign_of};
use crate::tui::record_text::title_of;
use crate::tui::state::app::{App, Pane};
use crate::tui::state::marks::ListScope;
use crate::tui::theme::{self, Theme, column};
use crate::tui::type_letters;
use crate::tui::update::set_off;

/// True if all rows on screen show the same decay: then the bars say nothing.
pub fn fade_alike(app: &App, rows: usize) -> bool {
    let mut shown =
        app.results.hits.iter().skip(app.list_cursor.top).take(rows).filter(|hit| hit.rank.is_some());
    let first = shown.next().map(bar);
    shown.all(|hit| Some(bar(hit)) == first)
}

pub fn line(
    app: &App,
    hit: &Hit,
    at: usize,
    columns: &MemoryColumns,
    in_range: bool,
    alike: bool,
) -> Line<'static> {
    let theme = Theme::of(app);
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let memory = store.memory(entry);
    let has_cursor = at == app.list_cursor.at;
    let is_chosen = has_cursor && (app.focus == Pane::Memories || app.prompt.is_some());
    let chosen = if is_chosen { theme.chosen() } else { Style::new() };
    let base = match entry.state {
        State::Deleted => Style::new().add_modifier(Modifier::CROSSED_OUT),
        State::Archived => theme.dim(),
        _ => Style::new(),
    };
    let pointer = pointer(app.marks.has(hit.at), in_range, has_cursor, is_chosen);
    let (mark, mark_style) = sign_of(app, store, entry, new::is_new(app, hit.at));
    let mut spans = vec![Span::styled(pointer, theme.accent()), Span::styled(mark, mark_style)];
    let (secret, secret_style) = secret_beside(app, mark, store, entry);
    spans.push(Span::styled(secret, secret_style));
    if columns.decay {
        let style = if alike { theme.dim() } else { theme.decay(hit.decay) };
        spans.push(Span::styled(bar(hit), style));
        spans.push(Span::raw(" "));
    }
    let kind = memory.map_or("", |memory| memory.kind());
    if columns.kind {
        spans.push(Span::styled(format!("{} ", type_letters::letter(app, kind)), theme.kind(kind)));
    }
    let title = match app.distinct_titles.rows.get(&hit.at) {
        Some(shown) => shown.clone(),
        None => theme::safe(app, &title_of(app, hit.at)),
    };
    let title = column(&title, columns.text.saturating_sub(1)) + " ";
    spans.extend(set_off(app, &title, base.patch(chosen)));
    spans
        .extend(beside(app, hit.at, memory, columns).into_iter().map(|text| Span::styled(text, theme.dim())));
    if columns.figure > 0 {
        let style = if is_chosen { chosen } else { theme.dim() };
        spans.push(Span::styled(format!("{:>1$}", figure(app, hit, at), columns.figure), style));
    }
    match app.error {
        Some(_) => Line::from(spans).patch_style(theme.dim()),
        None => Line::from(spans),
    }
}

/// Returns the store, or the session if there is only one store; on a wide screen also session, agent, tags.
fn beside(app: &App, at: EntryRef, view: Option<&StoredMemory>, columns: &MemoryColumns) -> Vec<String> {
    let (store, entry) = app.listed_snapshot.get(at);
    let session = store.session(entry).map_or("", |session| session.name.as_str());
    let place = columns.stores.get(at.store as usize).map_or(session, String::as_str);
    let agent = view.and_then(|memory| memory.facets().find(|(name, _)| *name == "agent"));
    let agent = agent.map_or("", |(_, agent)| agent);
    let tags = view.map(|memory| memory.joined_tags(" ")).unwrap_or_default();
    [(place, columns.place), (session, columns.session), (agent, columns.agent), (&tags, columns.tags)]
        .into_iter()
        .filter(|(_, width)| *width > 0)
        .map(|(text, width)| column(&theme::safe(app, text), width - 1) + " ")
        .collect()
}

/// Returns the figure that the list is ordered by: an age, a rank, a size.
fn figure(app: &App, hit: &Hit, at: usize) -> String {
    if let (ListScope::Picked(_), Some(picked)) = (app.marks.shown(), app.results.picked.as_ref())
        && let Some(figure) = picked.figures.get(at)
    {
        return figure.to_string();
    }
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let memory = store.memory(entry);
    match app.order() {
        Order::Time | Order::Oldest => store.time_of(entry).map_or("?".into(), |time| time.age_at(app.now)),
        Order::Rank => hit.rank.map_or("—".into(), |rank| format!("{rank:.2}")),
        Order::Importance => memory.map_or("—".into(), |memory| format!("{:.2}", memory.importance)),
        Order::Size => human_size(store.record(entry).span.len()).replace(' ', ""),
    }
}

/// Returns the line below the row, with the match of the search. Safe text.
pub fn found_line(app: &App, found: &str, columns: &MemoryColumns) -> Line<'static> {
    let mut spans = vec![Span::raw(" ".repeat(columns.before()))];
    spans.extend(set_off(app, found, Theme::of(app).dim()));
    Line::from(spans)
}

/// Returns the decay bar: three cells, in eighths.
fn bar(hit: &Hit) -> String {
    if hit.rank.is_none() {
        return "   ".into();
    }
    let eighths = (hit.decay.clamp(0.0, 1.0) * 24.0).round().max(1.0) as usize;
    let part = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8];
    column(&("█".repeat(eighths / 8) + part), DECAY - 1)
}
