//! Statistics: what was written on which day, how the stores grow, types and tags.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::format;
use crate::model::EntryRef;
use crate::query::{StoreCounts, TagUse, UsageStatistics};
use crate::text::columns::human_size;
use crate::tui::action::{Action, Hint, act, hint};
use crate::tui::pane_titles::{margins, part, whole};
use crate::tui::panes::why::bar;
use crate::tui::state::app::App;
use crate::tui::statistics_view::{self, NAMES, StatisticsAreas, step};
use crate::tui::theme::{self, column, fit, put};
use crate::tui::type_letters;
use crate::tui::value_prompt::field;

/// The days of the week that have a name before their row.
const NAMED: [(usize, &str); 4] = [(0, "Mon"), (2, "Wed"), (4, "Fri"), (6, "Sun")];
/// The signs of a day, each with the minimum number of memories.
const LEVELS: [(usize, char); 4] = [(20, '█'), (5, '▒'), (1, '░'), (0, '·')];
const STEPS: [char; 7] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'];
/// The minimum and maximum width of the column of types. Tags are beside it if they have as much room.
const COLUMN: [usize; 2] = [23, 36];

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let parts = statistics_view::parts(app);
    let stores = if app.store_names.len() > 1 { "all stores" } else { "" };
    let title = whole(app, frame, &format!("Statistics  {stores}"), "26 weeks", parts.title);
    let Some((_, counted)) = &app.statistics.counted else {
        let area = Rect { height: 1, ..margins(Rect { height: parts.written.height, ..parts.written }) };
        put(frame, ["counting …"], Rect { y: title.y, ..area });
        return;
    };
    days(app, counted, frame, &parts);
    let lines = figures(app, counted, usize::from(parts.figures.width), usize::from(parts.figures.height));
    put(frame, lines, parts.figures);
    written(app, counted, frame, parts.written);
}

fn days(app: &App, counted: &UsageStatistics, frame: &mut Frame<'_>, parts: &StatisticsAreas) {
    let months = months(counted, app, usize::from(parts.months.width));
    put(frame, [Line::styled(months, app.palette.dim())], parts.months);
    let step = usize::from(step(app));
    let cell = |day: usize| {
        let Some(written) = counted.days.get(day) else { return Span::raw("") };
        let (sign, style) = match day == app.statistics.day {
            true => ('◉', app.palette.accent()),
            false => {
                let level = LEVELS.iter().find(|(from, _)| written.len() >= *from);
                let style = if written.is_empty() { app.palette.dim() } else { app.palette.good() };
                (level.map_or('·', |(_, sign)| *sign), style)
            }
        };
        Span::styled(format!("{sign:<step$}"), style)
    };
    let row = |weekday: usize| {
        let name = NAMED.iter().find(|(own, _)| *own == weekday).map_or("", |(_, name)| name);
        let name =
            Span::styled(format!(" {name:<width$}", width = usize::from(NAMES) - 1), app.palette.dim());
        let cells = (weekday..counted.days.len()).step_by(7).map(cell);
        Line::from(std::iter::once(name).chain(cells).collect::<Vec<_>>())
    };
    put(frame, (0..7).map(row), parts.days);
    let legend = "· 0  ░ 1-4  ▒ 5-19  █ 20 a day";
    let legend = Line::styled(format!(" {legend}"), app.palette.dim());
    put(frame, [legend], parts.legend);
}

fn months(counted: &UsageStatistics, app: &App, width: usize) -> String {
    let mut line = " ".repeat(usize::from(NAMES));
    for week in 0..counted.days.len().div_ceil(7) {
        let first =
            (week * 7..week * 7 + 7).map(|day| counted.date(day)).find(|day| day.to_pattern("%d") == "01");
        let place = usize::from(NAMES) + week * usize::from(step(app));
        if let Some(month) = first.filter(|_| theme::width(&line) <= place && place + 3 <= width) {
            line = column(&line, place) + &month.to_pattern("%b ");
        }
    }
    line
}

fn figures(app: &App, counted: &UsageStatistics, width: usize, height: usize) -> Vec<Line<'static>> {
    let head = |name: &str, text: String| {
        Line::from(vec![
            Span::styled(format!("{name:8}"), app.palette.dim()),
            Span::raw(fit(&text, width.saturating_sub(8))),
        ])
    };
    let bytes: u64 = app.snapshot.stores.iter().map(|store| store.bytes).sum();
    let weeks: Vec<u64> = counted.bytes.iter().skip(counted.bytes.len() - 16).copied().collect();
    let growth = format!("{}  +{} a week", curve(&weeks), human_size(counted.weekly()));
    let mut lines = vec![head("size", human_size(bytes)), head("growth", growth)];
    lines.extend(filling(app, counted).map(|text| head("full", text)));
    let sum = |count: fn(&StoreCounts) -> usize| counted.stores.iter().map(count).sum::<usize>();
    let times =
        [(sum(|store| store.by_file_time), "by their file"), (sum(|store| store.timeless), "unknown")];
    let times = times.into_iter().filter(|(count, _)| *count > 0);
    let times: Vec<String> = times.map(|(count, what)| format!("{count} {what}")).collect();
    lines.extend((!times.is_empty()).then(|| head("time", times.join(", "))));
    let rows = height.saturating_sub(lines.len() + 1);
    let each = if width >= 2 * COLUMN[0] { (width / 2 + 1).min(COLUMN[1]) } else { width.min(COLUMN[1]) };
    let has_tags = width >= 2 * COLUMN[0] && !counted.tags.is_empty();
    let tags = match (has_tags, width - each) {
        (false, _) => "",
        (true, ..27) => "tag, 26 weeks",
        (true, _) => "tag, with its last 26 weeks",
    };
    let heads = format!("{}{tags}", column("type", each));
    lines.push(Line::styled(heads, app.palette.dim()));
    let most = counted.types.first().map_or(1, |(_, count)| *count).max(1);
    for row in 0..rows {
        let kind = counted.types.get(row).map(|(kind, count)| type_row(app, kind, *count, most, each));
        let tag = counted.tags.get(row).filter(|_| has_tags).map(|tag| tag_row(app, tag, width - each));
        let blank = || vec![Span::raw(" ".repeat(each))];
        let (kind, tag) = (kind.unwrap_or_else(blank), tag.unwrap_or_default());
        lines.push(Line::from([kind, tag].concat()));
    }
    lines
}

/// Says when the session that grows fastest will be full.
fn filling(app: &App, counted: &UsageStatistics) -> Option<String> {
    const LONG: f64 = 36_500.0;
    let own = counted.filling?;
    let (snapshot, _) = app.statistics.counted.as_ref()?;
    let session = snapshot.stores.get(own.store)?.sessions.get(own.session)?;
    let when = match own.days {
        LONG.. => return None,
        730.0.. => format!("{:.0} years", own.days / 365.0),
        60.0.. => format!("{:.0} months", own.days / 30.0),
        _ => format!("{:.0} days", own.days),
    };
    Some(format!("in {when}: session {}", theme::safe(app, &session.name)))
}

fn type_row(app: &App, kind: &str, count: usize, most: usize, width: usize) -> Vec<Span<'static>> {
    let bar = bar(count as f64 / most as f64, 5);
    let name = width.saturating_sub(2 + 5 + 5);
    vec![
        Span::styled(format!("{} ", type_letters::letter(app, kind)), app.palette.kind(kind)),
        Span::raw(column(&theme::safe(app, kind), name)),
        Span::raw(format!("{count:>4} ")),
        Span::styled(bar, app.palette.good()),
    ]
}

fn tag_row(app: &App, tag: &TagUse, width: usize) -> Vec<Span<'static>> {
    let each = if width >= COLUMN[1] { 2 } else { 7 };
    let weeks: Vec<u64> = tag.weeks.chunks(each).map(|some| some.iter().sum::<usize>() as u64).collect();
    let name = width.saturating_sub(weeks.len() + 6).min(COLUMN[0] - 3);
    vec![
        Span::raw(column(&theme::safe(app, &tag.name), name)),
        Span::styled(format!(" {}", curve(&weeks)), app.palette.good()),
        Span::raw(format!("{:>5}", tag.count)),
    ]
}

/// Draws figures as a curve in one row, scaled to the largest.
fn curve(figures: &[u64]) -> String {
    let most = figures.iter().max().copied().unwrap_or(0).max(1);
    let last = STEPS.len() as u64 - 1;
    let step = |figure: &u64| STEPS.get((figure * last).div_ceil(most) as usize).copied().unwrap_or('▁');
    figures.iter().map(step).collect()
}

fn written(app: &App, counts: &UsageStatistics, frame: &mut Frame<'_>, area: Rect) {
    let own = app.statistics.written();
    let date = counts.date(app.statistics.day);
    let day = if app.statistics.day == app.statistics.today() { "today, " } else { "" };
    let title = format!("{day}{}", date.to_pattern("%A %-d %B"));
    let right = format!("{} written", own.len());
    let inner = part(app, frame, [&title, &right], false, true, area);
    let lines = own.iter().skip(app.statistics.top).take(usize::from(inner.height));
    let width = usize::from(inner.width);
    let mut lines: Vec<Line<'static>> = lines.map(|at| memory(app, *at, width)).collect();
    if own.is_empty() {
        lines.push(Line::styled(" Nothing was written on this day.", app.palette.dim()));
    }
    put(frame, lines, inner);
}

fn memory(app: &App, at: EntryRef, width: usize) -> Line<'static> {
    let Some((snapshot, _)) = &app.statistics.counted else { return Line::default() };
    let (store, entry) = snapshot.get(at);
    let Some(memory) = store.memory(entry) else { return Line::default() };
    let agent = field(memory, "agent").unwrap_or_default();
    let time = store.time_with(entry, memory.created);
    let time =
        time.map(|time| format!("{:>1}{} ", time.mark(), time.at.to_pattern("%H:%M"))).unwrap_or_default();
    let (agents, stores) = if width >= 60 { (12, 9) } else { (0, 0) };
    let stores = if app.store_names.len() > 1 { stores } else { 0 };
    let title = &format::title(store, entry);
    let text = width.saturating_sub(1 + 6 + agents + 2 + stores + 1);
    Line::from(vec![
        Span::styled(time, app.palette.dim()),
        Span::styled(column(&theme::safe(app, agent), agents), app.palette.dim()),
        Span::styled(
            format!("{} ", type_letters::letter(app, memory.kind())),
            app.palette.kind(memory.kind()),
        ),
        Span::raw(column(&theme::safe(app, title.raw()), text)),
        Span::styled(
            column(&theme::safe(app, &format!(" {}", app.store_name(at.store as usize))), stores),
            app.palette.dim(),
        ),
    ])
}

pub fn hints(app: &App) -> Vec<Hint> {
    let mut hints = vec![hint("jk", "day"), hint("hl", "week")];
    if app.statistics.day < app.statistics.today() {
        hints.push(act(Action::Last, "today"));
    }
    if !app.statistics.written().is_empty() {
        hints.push(act(Action::Open, "show them"));
    }
    hints.push(hint("Esc", "back"));
    hints
}
