//! The pane that explains the rank of a memory, and how the memory fades.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Color;
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::canvas::{Canvas, Points};

use crate::query::{Explanation, Ranking};
use crate::tui::pane_titles::{margins, pane, part};
use crate::tui::state::app::{App, Pane};
use crate::tui::theme::{self, column, put};
use crate::tui::why::{self, RankFactor};

const DAYS: f64 = 90.0;
/// The numbers of days for which the future rank is shown.
const AHEAD: [u32; 3] = [7, 30, 90];
/// From this width on, a sentence explains each factor, and the future rank is beside the decay.
const WIDE: u16 = 60;

pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let why = app.why.as_ref().filter(|why| Some(why.at) == app.selected());
    let explanation = why.and_then(|why| why.explanation.as_ref());
    let title = match explanation {
        Some(own) => format!("w Why {:.2}", own.factors.rank),
        None => "w Why this rank".into(),
    };
    if area.height == 1 {
        let alike = if explanation.is_some() { ", the same for all" } else { "" };
        part(app, frame, [&format!("{title}{alike}"), ""], false, false, area);
        return;
    }
    let place = match (&app.why_place, app.is_whole() && app.listed_snapshot.is_whole()) {
        (Some(place), true) => format!("by rank {} of {}", place.place, app.results.hits.len()),
        _ => String::new(),
    };
    let inner = margins(pane(app, frame, Pane::Why, &title, &place, area));
    let Some(explanation) = explanation else {
        let text = match why {
            Some(_) => "A broken line has no rank. It is listed so that it is seen.",
            None => "…",
        };
        return put(frame, theme::wrap(text, usize::from(inner.width)), inner);
    };
    let mut lines = match inner.width >= WIDE {
        true => sentences(app, explanation, usize::from(inner.width)),
        false => factors(app, explanation, usize::from(inner.width)),
    };
    let width = usize::from(inner.width);
    let has_room = inner.width >= WIDE;
    lines.extend(next(app, explanation, width));
    if has_room {
        let fate = why::fate(explanation, app.now).unwrap_or_default();
        lines.extend(theme::wrap(&fate, width).into_iter().map(Line::from));
    }
    lines.push(Line::styled(ahead(explanation, width), app.palette.dim()));
    let height = (lines.len() as u16).min(inner.height);
    let [upper, curve] = Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(inner);
    put(frame, lines, upper);
    if curve.height >= 3 {
        draw_curves(app, frame, explanation, curve);
    }
}

fn ahead(of: &Explanation, width: usize) -> String {
    let mut said = "rank".to_owned();
    for days in AHEAD {
        let rank = of.factors.rank_in(of.ranking, f64::from(days) * 24.0);
        let part = format!(" in {days} d {rank:.2}");
        if said.len() + part.len() > width {
            break;
        }
        said.push_str(&part);
    }
    said
}

/// Returns the bar of a factor. Four cells are 1.
pub fn bar(value: f64, cells: usize) -> String {
    theme::bar((value.clamp(0.0, 1.5) * 32.0).round() as usize, cells)
}

fn factors(app: &App, of: &Explanation, width: usize) -> Vec<Line<'static>> {
    let cells = if width >= 34 { 6 } else { 0 };
    let row = |(at, factor): (usize, RankFactor)| {
        let sign = match (at, of.ranking) {
            (0, _) => " ",
            (_, Ranking::Product) => "×",
            (_, Ranking::Weighted) => "+",
        };
        let name = column(factor.name, 11);
        let note = column(&theme::safe(app, &factor.note), width.saturating_sub(2 + 5 + 11 + cells));
        Line::from(vec![
            Span::styled(format!("{sign} "), app.palette.dim()),
            Span::raw(format!("{:4.2} {name}", factor.value)),
            Span::styled(note, app.palette.dim()),
            Span::styled(
                if cells > 0 { bar(factor.value, cells) } else { String::new() },
                app.palette.decay(1.0),
            ),
        ])
    };
    let rows = why::factors(of).into_iter().enumerate().map(row);
    let matched = why::fields(of).into_iter().map(|own| theme::safe(app, &own));
    let matched = matched.flat_map(|own| theme::styled_lines(&own, width, app.palette.dim()));
    rows.chain([Line::styled(format!("= {:4.2}", of.factors.rank), app.palette.strong())])
        .chain(matched)
        .collect()
}

/// Returns the formula, to be read aloud, and a sentence for each factor.
fn sentences(app: &App, of: &Explanation, width: usize) -> Vec<Line<'static>> {
    let mut lines: Vec<Line<'static>> =
        theme::styled_lines(&why::formula(of), width, app.palette.strong()).collect();
    for factor in why::factors(of) {
        let said = theme::wrap(&theme::safe(app, &factor.said), width.saturating_sub(24));
        for (at, said) in said.into_iter().enumerate() {
            let head = match at {
                0 => vec![
                    Span::raw(format!("{}{:4.2} ", column(factor.name, 11), factor.value)),
                    Span::styled(bar(factor.value, 7), app.palette.decay(1.0)),
                ],
                _ => vec![Span::raw(" ".repeat(23))],
            };
            lines
                .push(Line::from([head, vec![Span::styled(format!(" {said}"), app.palette.dim())]].concat()));
        }
    }
    lines
}

fn next(app: &App, of: &Explanation, width: usize) -> Vec<Line<'static>> {
    let Some((hit, title)) = app.why_place.as_ref().and_then(|place| place.next.as_ref()) else {
        return Vec::new();
    };
    let rank = hit.rank.unwrap_or_default();
    let (store, entry) = app.listed_snapshot.get(hit.at);
    let importance = store.memory(entry).map_or(0.0, |memory| memory.importance);
    let needed = if rank > 0.0 { importance * of.factors.rank / rank } else { f64::INFINITY };
    let room = width * 2;
    let tail = match of.ranking {
        Ranking::Product if needed < 0.995 && width >= usize::from(WIDE) => {
            format!(". Its importance is {importance:.2}; above {needed:.2} it would come before this one.")
        }
        _ => format!(" (importance {importance:.2})"),
    };
    let title = theme::fit(&theme::safe(app, title), room.saturating_sub(tail.len() + 12));
    let said = format!("Next, {rank:.2}: {title}{tail}");
    theme::styled_lines(&said, width, app.palette.dim()).collect()
}

/// Draws decay over time, with a mark for today. If there is room, the rank from today on is beside it.
fn draw_curves(app: &App, frame: &mut Frame<'_>, of: &Explanation, area: Rect) {
    let own = &of.factors;
    let age = own.fading.age_hours.unwrap_or_default().max(0.0) / 24.0;
    let today = if age < 1.0 { "today".to_owned() } else { format!("day {age:.0}") };
    let floor = why::floor(of, app.now).unwrap_or_default();
    let decay = |day: f64| own.fading.at(Some(day * 24.0));
    let decay = DecayCurve {
        name: "decay",
        days: DAYS.max(age * 1.25),
        top: 1.0,
        today: age,
        at: &decay,
        below: [today, floor],
    };
    if area.width < WIDE {
        return decay.draw(app, frame, area);
    }
    let rank = |day: f64| own.rank_in(of.ranking, day * 24.0);
    let last = format!("in {DAYS:.0} days {:.2}", rank(DAYS));
    // The maximum rank is 1.5.
    let top = if own.rank > 1.0 { 1.5 } else { 1.0 };
    let below = ["today".to_owned(), last];
    let rank = DecayCurve { name: "rank", days: DAYS, top, today: 0.0, at: &rank, below };
    let [left, _, right] =
        Layout::horizontal([Constraint::Fill(1), Constraint::Length(2), Constraint::Fill(1)]).areas(area);
    decay.draw(app, frame, left);
    rank.draw(app, frame, right);
}

/// A value that changes over time, on a scale from 0.
struct DecayCurve<'a> {
    name: &'static str,
    days: f64,
    top: f64,
    today: f64,
    at: &'a dyn Fn(f64) -> f64,
    /// The labels of the first and the last time.
    below: [String; 2],
}

const SCALE: u16 = 4;

impl DecayCurve<'_> {
    fn draw(&self, app: &App, frame: &mut Frame<'_>, area: Rect) {
        let (x, width) = (area.x + SCALE.min(area.width), area.width.saturating_sub(SCALE));
        let plot = Rect { x, width, height: area.height - 1, ..area };
        let steps = u32::from(plot.width) * 2;
        let day = |step: u32| self.days * f64::from(step) / f64::from(steps.max(1));
        let curve: Vec<(f64, f64)> = (0..=steps).map(|step| (day(step), (self.at)(day(step)))).collect();
        let line = app.palette.good().fg.unwrap_or(Color::Reset);
        let top = self.top * 1.05;
        let canvas =
            Canvas::default().marker(Marker::Braille).x_bounds([0.0, self.days]).y_bounds([0.0, top]).paint(
                |ctx| {
                    ctx.draw(&Points { coords: &curve, color: line });
                    ctx.print(
                        self.today,
                        (self.at)(self.today),
                        Line::from(Span::styled("●", app.palette.accent())),
                    );
                },
            );
        frame.render_widget(canvas, plot);
        let scale = |at: u16| match at {
            0 => format!("{:>3}┤", self.top),
            at if at + 1 == plot.height => format!("{:>3}┼", 0),
            _ => "   ┤".into(),
        };
        let scale = (0..plot.height).map(|at| Line::styled(scale(at), app.palette.dim()));
        put(frame, scale, Rect { width: area.width.min(SCALE), height: plot.height, ..area });
        let name = Line::styled(self.name, app.palette.dim()).right_aligned();
        put(frame, [name], Rect { height: 1, ..plot });
        let [left, right] = &self.below;
        let gap = usize::from(area.width).saturating_sub(theme::width(left) + theme::width(right));
        let axis = if gap > 0 { format!("{left}{}{right}", " ".repeat(gap)) } else { left.clone() };
        let below = Rect { y: area.bottom() - 1, height: 1, ..area };
        put(frame, [Line::styled(axis, app.palette.dim())], below);
    }
}
