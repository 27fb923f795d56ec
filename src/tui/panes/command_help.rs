//! The palette and the help: all actions, to find by name and to run.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::Severity;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::action::ActionInfo;
use crate::tui::layout;
use crate::tui::pane_titles::sheet;
use crate::tui::state::app::App;
use crate::tui::state::prompt::PromptPurpose;
use crate::tui::theme::{Theme, column, wrap};

/// On a narrower terminal there is no room for the description beside the name.
const NARROW: usize = 56;

/// Draws the palette or the help over the panes.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let is_help = prompt.purpose == PromptPurpose::Help;
    let (title, says) =
        if is_help { ("Help: every key", "type to find") } else { ("Do", "type what is to be done") };
    let inner = sheet(app, frame, title, says, layout::palette(app));
    if inner.height < 2 {
        return;
    }
    let theme = Theme::of(app);
    let typed = sanitize(&prompt.text()).into_owned();
    let before = if is_help { " ?" } else { " :" };
    let line = Line::from(vec![Span::styled(before, theme.key()), Span::raw(typed.clone())]);
    frame.render_widget(Paragraph::new(line), Rect { height: 1, ..inner });
    let before: String = prompt.text().chars().take(prompt.column()).collect();
    let x = inner.x + (2 + display_width(&sanitize(&before)) as u16).min(inner.width - 1);
    frame.set_cursor_position(Position { x, y: inner.y });
    let actions = prompt.actions();
    let signs =
        if prompt.purpose == PromptPurpose::Help && typed.is_empty() { signs(&theme) } else { Vec::new() };
    let high = layout::rows_of_signs(app);
    let head = Rect { y: inner.y + 1, height: high, ..inner };
    frame.render_widget(Paragraph::new(signs), head);
    let foot = layout::rows_of_about(app).min(inner.height - 1 - high);
    let list = Rect { y: inner.y + 1 + high, height: inner.height - 1 - high - foot, ..inner };
    let width = usize::from(list.width).saturating_sub(2);
    let verbs = if width >= 100 && is_help { 24 } else { 0 };
    let row = |at: usize| {
        let Some(known) = actions.get(at) else { return Line::default() };
        if width < NARROW {
            // The description is below the list.
            let name = column(known.name, width.saturating_sub(8));
            let keys = column(known.action.key(), 7) + " ";
            return Line::from(vec![Span::styled(keys, theme.key()), Span::styled(name, theme.strong())]);
        }
        if !is_help {
            return launched(&theme, known, prompt.can(known.action), width);
        }
        let verb = known.action.verb().map_or(String::new(), |verb| format!("palimp {verb}"));
        let verb = if verbs > 0 { column(&verb, verbs) } else { String::new() };
        Line::from(vec![
            Span::styled(column(&known.action.keys().join("  "), 14) + " ", theme.key()),
            Span::styled(column(known.name, 18) + " ", theme.strong()),
            Span::raw(column(known.about, width.saturating_sub(34 + verbs))),
            Span::styled(verb, theme.dim()),
        ])
    };
    super::draw_lines(frame, &theme, list, prompt.choice, actions.len(), true, row);
    let about = actions.get(prompt.choice.at).map_or("", |known| known.about);
    let lines = wrap(about, width).into_iter().map(|line| Line::styled(format!(" {line}"), theme.dim()));
    let below = Rect { y: list.bottom(), height: foot, ..inner };
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), below);
}

/// Returns an action of the palette: name, description, and its key or "not here".
fn launched(theme: &Theme, known: &ActionInfo, can: bool, width: usize) -> Line<'static> {
    let end = if can { known.action.key() } else { "not here" };
    let (name, about) = if can { (theme.strong(), Style::new()) } else { (theme.dim(), theme.dim()) };
    let key = if can { theme.key() } else { theme.dim() };
    Line::from(vec![
        Span::styled(column(known.name, 18) + "  ", name),
        Span::styled(column(known.about, width.saturating_sub(20 + 12)) + "  ", about),
        Span::styled(format!("{end:>10}"), key),
    ])
}

fn signs(theme: &Theme) -> Vec<Line<'static>> {
    let sign = |sign: &'static str, style| Span::styled(format!("  {sign}"), style);
    let error = theme.severity(Severity::Error);
    vec![
        Line::from(vec![
            sign("▶", theme.accent()),
            Span::raw(" cursor"),
            sign("●", theme.accent()),
            Span::raw(" marked"),
            sign("✖", error),
            Span::raw(" broken"),
            sign("!", theme.secret()),
            Span::raw(" secret"),
            sign("⚠", theme.severity(Severity::Warning)),
            Span::raw(" problem"),
            sign("+", theme.fresh()),
            Span::raw(" new"),
            sign("∅", theme.severity(Severity::Warning)),
            Span::raw(" unseen"),
            sign("★", theme.accent()),
            Span::raw(" pinned"),
        ]),
        Line::from(vec![
            sign("███", theme.decay(1.0)),
            Span::raw(" full"),
            sign("█▍", theme.decay(0.4)),
            Span::raw(" fading"),
            sign("▏", theme.decay(0.0)),
            Span::raw(" at the floor     letters of types: see 2 Filters"),
        ]),
    ]
}
