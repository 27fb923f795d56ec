//! Two memories side by side, or above one another. The words that differ are underlined.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::difference::{self, BESIDE, DifferenceRow, SIDES, name_width, rows};
use crate::tui::found_words::in_ranges;
use crate::tui::layout;
use crate::tui::pane_titles::part;
use crate::tui::possible_changes::can;
use crate::tui::state::app::App;
use crate::tui::state::memory_difference::MemoryDifference;
use crate::tui::theme::{self, column, fit, put};

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(own) = &app.difference else { return };
    let body = layout::frame(app).body;
    let upper = Rect { height: body.height.saturating_sub(difference::foot_rows(app)), ..body };
    let areas = if body.width < BESIDE {
        let height = upper.height / 2;
        [Rect { height, ..upper }, Rect { y: upper.y + height, height: upper.height - height, ..upper }]
    } else {
        let width = (upper.width - 1) / 2;
        let x = upper.x + width + 1;
        [Rect { width, ..upper }, Rect { x, width: upper.right() - x, ..upper }]
    };
    let rows = rows(app, own);
    for (side, area) in areas.into_iter().enumerate() {
        let at = own.memories[side];
        let (store, entry) = own.snapshot.get(at);
        let kind = store.memory(entry).map_or("broken", |memory| memory.kind());
        let text = format!("{}  {kind} · {}", SIDES[side], app.store_name(at.store as usize));
        let age = store.time_of(entry).map_or(String::new(), |time| time.age_at(app.now));
        let has_keys = own.side == side && !layout::has_dialog(app);
        let rule = area.x == 0 && side == 1;
        let inner = part(app, frame, [&theme::safe(app, &text), &age], has_keys, rule, area);
        let last = rows.len().saturating_sub(difference::shown(app));
        let shown = rows.iter().skip(own.rows.top.min(last)).take(usize::from(inner.height));
        put(frame, shown.map(|row| line(app, own, row, side)), inner);
    }
    let foot = Rect { y: upper.bottom(), height: body.height - upper.height, ..body };
    put(frame, in_common(app, own, &foot), foot);
}

fn line(app: &App, own: &MemoryDifference, row: &DifferenceRow, side: usize) -> Line<'static> {
    let Some(part) = own.parts.get(row.part) else { return Line::default() };
    let sign = match row.is_first && own.current_part == Some(row.part) {
        true => "▶",
        false if app.ascii && part.pair.differs() && row.sides[side].is_some() => ["-", "+"][side],
        false => " ",
    };
    let mut spans = vec![Span::styled(format!("{sign} "), app.palette.accent())];
    if !part.name.is_empty() {
        let name = if row.is_first { part.name.rsplit('.').next().unwrap_or(&part.name) } else { "" };
        spans.push(Span::styled(column(name, name_width(app)) + " ", app.palette.dim()));
    }
    if let Some((text, from)) = &row.sides[side] {
        let here = |range: &Range<usize>| range.start.saturating_sub(*from)..range.end.saturating_sub(*from);
        let differing: Vec<_> = part.pair.differing[side].iter().map(here).collect();
        spans.extend(in_ranges(app, text, &differing, Style::new()));
    }
    Line::from(spans)
}

fn in_common(app: &App, own: &MemoryDifference, area: &Rect) -> Vec<Line<'static>> {
    let (percent, lines) = own.text_in_common();
    let (same, mut differ) = (own.fields(false), own.fields(true));
    let text = match lines {
        0 => String::new(),
        1 => "1 line of the text".to_owned(),
        lines => format!("{lines} lines of the text"),
    };
    if lines > 0 {
        differ.insert(0, &text);
    }
    let of_text = format!("text {percent} %");
    let of_text = (percent > 0).then_some(of_text.as_str());
    let same: Vec<&str> = of_text.into_iter().chain(same).collect();
    let width = usize::from(area.width);
    let room = width.saturating_sub(" same:    differ: ".len());
    let in_two = area.height > 1;
    let differ = listed(&differ, if in_two { width.saturating_sub(9) } else { room * 2 / 3 });
    let same = listed(
        &same,
        if in_two { width.saturating_sub(7) } else { room.saturating_sub(theme::width(&differ)) },
    );
    let lines = match in_two {
        true => vec![format!(" same: {same}"), format!(" differ: {differ}")],
        false => vec![format!(" same: {same}   differ: {differ}")],
    };
    lines.into_iter().map(|line| Line::styled(fit(&line, width), app.palette.dim())).collect()
}

/// Returns as many names as fit, and the number of the others.
fn listed(names: &[&str], room: usize) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let more = |shown: usize| match names.len() - shown {
        0 => String::new(),
        rest => format!(" and {rest} more"),
    };
    let told = |shown: usize| names[..shown].join(", ") + &more(shown);
    (1..=names.len())
        .rev()
        .map(told)
        .find(|own| theme::width(own) <= room)
        .unwrap_or_else(|| told(1.min(names.len())))
}

pub fn hints(app: &App) -> Vec<Hint> {
    let mut hints = vec![hint("Tab", "other side")];
    if app.difference.as_ref().is_some_and(|own| !own.differing().is_empty()) {
        hints.push(hint("nN", "difference"));
    }
    let changes = [(Action::Edit, "edit"), (Action::Delete, "remove…"), (Action::Tag, "tag")];
    hints.extend(
        changes.into_iter().filter(|(action, _)| can(app, *action)).map(|(action, what)| act(action, what)),
    );
    hints.extend(can(app, Action::Merge).then(|| hint(&Action::Merge.call(), "make one of both")));
    hints.extend([hint("Enter", "open"), hint("Esc", "back")]);
    hints
}
