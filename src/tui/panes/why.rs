//! Why a memory ranks as it does, and how it fades.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use ratatui::widgets::canvas::{Canvas, Points};

use crate::query::{Explanation, Ranking, WEIGHTS};
use crate::tui::app::{App, Pane};
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme};

/// The curve covers so many days at least.
const DAYS: f64 = 90.0;

/// Draws the factors and the decay curve.
pub fn draw(app: &App, frame: &mut Frame<'_>, area: Rect) {
    let why = app.why.as_ref().filter(|why| Some(why.at) == app.selected());
    let explanation = why.and_then(|why| why.explanation.as_ref());
    let title = match explanation {
        Some(explanation) => format!("w Why {:.2}", explanation.factors.rank),
        None => "w Why this rank".into(),
    };
    let inner = framed(app, frame, Some(Pane::Why), &title, "", area);
    let Some(explanation) = explanation else {
        let text = match why {
            Some(_) => "A broken record has no rank; it is listed so that it is seen.",
            None => "…",
        };
        let lines: Vec<Line<'_>> =
            theme::wrap(text, usize::from(inner.width)).into_iter().map(Line::from).collect();
        return frame.render_widget(Paragraph::new(lines), inner);
    };
    let mut lines = factors(app, explanation);
    let later = why.map(|why| why.later.as_slice()).unwrap_or_default();
    let ahead: Vec<String> = later.iter().map(|(days, rank)| format!("in {days} d {rank:.2}")).collect();
    lines.push(Line::from(ahead.join("  ")));
    let height = (lines.len() as u16).min(inner.height);
    let [upper, curve] = Layout::vertical([Constraint::Length(height), Constraint::Min(0)]).areas(inner);
    frame.render_widget(Paragraph::new(lines), upper);
    if curve.height >= 2 {
        draw_curve(app, frame, explanation, curve);
    }
}

fn factors(app: &App, of: &Explanation) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let fading = of.factors.fading;
    let half_life = match fading.rule.half_life_hours {
        _ if fading.faded => "deprecated".into(),
        None => "never fades".into(),
        Some(hours) if fading.boost > 1.0 => format!("half-life {:.0} d ×{:.2}", hours / 24.0, fading.boost),
        Some(hours) => format!("half-life {:.0} d", hours / 24.0),
    };
    let age = fading
        .age_hours
        .map_or("no date".into(), |hours| format!("{:.0} d old, {half_life}", hours.max(0.0) / 24.0));
    let [text, time, weight, access] = WEIGHTS;
    let rows = match of.ranking {
        Ranking::Product => [
            ("match", of.factors.matched, String::new()),
            ("importance", of.factors.importance, String::new()),
            ("decay", of.factors.decay, age),
            ("recency", of.factors.recency, "1.5 within a day".into()),
        ],
        Ranking::Weighted => [
            ("text", of.factors.matched, format!("×{text}")),
            ("time", of.factors.decay, format!("×{time}  {age}")),
            ("importance", of.factors.importance, format!("×{weight}")),
            ("access", of.factors.access, format!("×{access}")),
        ],
    };
    let line = |(name, value, note): (&'static str, f64, String)| {
        Line::from(vec![
            Span::styled(format!("{name:11}"), theme.dim()),
            Span::raw(format!("{value:4.2} ")),
            Span::styled(note, theme.dim()),
        ])
    };
    let mut lines: Vec<Line<'static>> = rows.into_iter().map(line).collect();
    for word in of.words.iter().take(3) {
        let said = format!("  {:?} {:.1}, in {} of {}", word.word, word.hit, word.df, word.n);
        lines.push(Line::styled(theme::safe(app, &said), theme.dim()));
    }
    lines
}

/// Decay over time, with today marked.
fn draw_curve(app: &App, frame: &mut Frame<'_>, of: &Explanation, area: Rect) {
    let age = of.factors.fading.age_hours.unwrap_or_default().max(0.0) / 24.0;
    let days = DAYS.max(age * 1.25);
    let steps = u32::from(area.width) * 2;
    let at = |step: u32| days * f64::from(step) / f64::from(steps.max(1));
    let curve: Vec<(f64, f64)> =
        (0..=steps).map(|step| (at(step), of.factors.fading.at(Some(at(step) * 24.0)))).collect();
    let colour = |colour| if app.colours { colour } else { Color::Reset };
    let canvas =
        Canvas::default().marker(Marker::Braille).x_bounds([0.0, days]).y_bounds([0.0, 1.05]).paint(|ctx| {
            ctx.draw(&Points { coords: &curve, color: colour(Color::Green) });
            let today = Span::styled("●", Style::new().fg(colour(Color::Yellow)));
            ctx.print(age, of.factors.fading.at(Some(age * 24.0)), Line::from(today));
            ctx.print(
                0.0,
                0.0,
                Line::styled(
                    format!("0{:>1$}", format!("{days:.0} d"), usize::from(area.width) - 1),
                    Theme::of(app).dim(),
                ),
            );
        });
    frame.render_widget(canvas, area);
}
