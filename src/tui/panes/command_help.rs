//! The palette and the help: all actions, to find by name and to run. The list of colours.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::Severity;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::action::{Action, ActionInfo, first};
use crate::tui::colours::ColourPalette;
use crate::tui::pane_titles::{sheet, sheet_area};
use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::state::row_list::ListCursor;
use crate::tui::theme::{Theme, column, fit, safe, wrap};
use crate::tui::{layout, possible_changes};

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
    draw_typed(prompt, frame, &theme, inner);
    let signs = if is_help && prompt.text().is_empty() { signs(&theme) } else { Vec::new() };
    let high = layout::rows_of_signs(app);
    let head = Rect { y: inner.y + 1, height: high, ..inner };
    frame.render_widget(Paragraph::new(signs), head);
    let foot = layout::rows_of_about(app).min(inner.height - 1 - high);
    let list = Rect { y: inner.y + 1 + high, height: inner.height - 1 - high - foot, ..inner };
    let actions = prompt.actions();
    draw_actions(app, prompt, &actions, frame, list);
    let width = usize::from(list.width).saturating_sub(2);
    let about = actions.get(prompt.choice.at).map_or(Default::default(), |known| {
        why_not(app, known.action).unwrap_or_else(|| known.about.to_owned())
    });
    let lines = wrap(&about, width).into_iter().map(|line| Line::styled(format!(" {line}"), theme.dim()));
    let below = Rect { y: list.bottom(), height: foot, ..inner };
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), below);
}

fn draw_typed(prompt: &Prompt, frame: &mut Frame<'_>, theme: &Theme, inner: Rect) {
    let sign = if prompt.purpose == PromptPurpose::Help { " ?" } else { " :" };
    let typed = sanitize(&prompt.text()).into_owned();
    let line = Line::from(vec![Span::styled(sign, theme.key()), Span::raw(typed)]);
    frame.render_widget(Paragraph::new(line), Rect { height: 1, ..inner });
    let before = prompt.line.before_cursor();
    let x = inner.x + (2 + display_width(&sanitize(&before)) as u16).min(inner.width - 1);
    frame.set_cursor_position(Position { x, y: inner.y });
}

/// A row of the list: an action by its number, or a heading.
#[derive(Clone, Copy, PartialEq)]
enum HelpRow {
    Heading(&'static str),
    Action(usize),
}

/// Returns the rows. The help has headings until something is typed; what holds in this view comes first.
fn rows(prompt: &Prompt, actions: &[&ActionInfo]) -> Vec<HelpRow> {
    let has_headings = prompt.purpose == PromptPurpose::Help && prompt.text().is_empty();
    let here = first(prompt.opened_over).len();
    let (mut rows, mut before) = (Vec::new(), "");
    for (at, known) in actions.iter().enumerate() {
        let heading = if at < here { "In this view" } else { known.heading };
        if has_headings && heading != before {
            rows.push(HelpRow::Heading(heading));
            before = heading;
        }
        rows.push(HelpRow::Action(at));
    }
    rows
}

fn draw_actions(
    app: &App,
    prompt: &Prompt,
    actions: &[&'static ActionInfo],
    frame: &mut Frame<'_>,
    area: Rect,
) {
    let theme = &Theme::of(app);
    let rows = rows(prompt, actions);
    let at = rows.iter().position(|row| *row == HelpRow::Action(prompt.choice.at)).unwrap_or_default();
    let height = usize::from(area.height);
    // The headings have no place in the list of choices, so the cursor stays in the middle.
    let top = match rows.len() == actions.len() {
        true => prompt.choice.top,
        false => at.saturating_sub(height / 2).min(rows.len().saturating_sub(height)),
    };
    let width = usize::from(area.width).saturating_sub(2);
    let line = |at: usize| match rows.get(at) {
        Some(HelpRow::Heading(heading)) => Line::styled(*heading, theme.accent()),
        Some(HelpRow::Action(at)) => actions.get(*at).map_or_else(Line::default, |known| {
            let why = why_not(app, known.action);
            if prompt.purpose == PromptPurpose::Help || width < NARROW {
                explained(theme, known, why, width)
            } else {
                launched(theme, known, (prompt.can(known.action), why), width)
            }
        }),
        None => Line::default(),
    };
    super::draw_lines(frame, theme, area, ListCursor { at, top, is_held: false }, rows.len(), true, line);
}

fn why_not(app: &App, action: Action) -> Option<String> {
    let why = possible_changes::why_not(app, action).filter(|_| app.screen != Screen::Editor);
    why.map(|why| safe(app, &why))
}

/// Returns an action of the help: keys, name, description and verb. An action without a key has its call. One that can't
/// be done is dim, with the reason.
fn explained(theme: &Theme, known: &ActionInfo, why: Option<String>, width: usize) -> Line<'static> {
    if width < NARROW {
        // The description is below the list.
        let name = column(known.name, width.saturating_sub(8));
        let keys = column(known.action.key(), 7) + " ";
        return Line::from(vec![Span::styled(keys, theme.key()), Span::styled(name, theme.strong())]);
    }
    let keys = match known.action.keys() {
        [] => ":".to_owned(),
        keys => keys.join("  "),
    };
    let verb = known.action.verb().filter(|_| width >= 100).map(|verb| column(&format!("palimp {verb}"), 24));
    let verb = verb.unwrap_or_else(|| " ".repeat(if width >= 100 { 24 } else { 0 }));
    if let Some(why) = why {
        let line = format!(" {} {} {why}", column(&keys, 13), column(known.name, 18));
        return Line::styled(column(&line, width), theme.dim());
    }
    Line::from(vec![
        Span::styled(format!(" {} ", column(&keys, 13)), theme.key()),
        Span::styled(column(known.name, 18) + " ", theme.strong()),
        Span::raw(column(known.about, width.saturating_sub(34 + verb.len()))),
        Span::styled(verb, theme.dim()),
    ])
}

/// Returns an action of the palette: name, description and its key; or else why it can't be done, or "not here".
fn launched(
    theme: &Theme,
    known: &ActionInfo,
    (can, why): (bool, Option<String>),
    width: usize,
) -> Line<'static> {
    if let Some(why) = why.filter(|_| !can) {
        let line = format!("{}  {why}", column(known.name, 18));
        return Line::styled(column(&line, width), theme.dim());
    }
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
            Span::raw(" fully faded     letters of types: see 2 Filters"),
        ]),
    ]
}

pub fn draw_themes(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let area = sheet_area(app, ColourPalette::CHOICES.len() + 1);
    let inner = sheet(app, frame, "Theme", "what is around it shows it", area);
    if inner.height < 2 {
        return;
    }
    let theme = Theme::of(app);
    let width = usize::from(inner.width).saturating_sub(2);
    let row = |at: usize| {
        let Some((_, name, about)) = ColourPalette::CHOICES.get(at) else { return Line::default() };
        let room = width.saturating_sub(20);
        Line::from(vec![Span::styled(column(name, 20), theme.strong()), Span::raw(fit(about, room))])
    };
    let list = Rect { height: inner.height - 1, ..inner };
    crate::tui::panes::draw_lines(
        frame,
        &theme,
        list,
        prompt.choice,
        ColourPalette::CHOICES.len(),
        true,
        row,
    );
    let sample = Rect { y: list.bottom(), height: 1, ..inner };
    frame.render_widget(Paragraph::new(sample_of(&theme)), sample);
}

fn sample_of(theme: &Theme) -> Line<'static> {
    let parts = [
        ("▶ cursor ", theme.accent()),
        ("✖ error ", theme.severity(Severity::Error)),
        ("⚠ warning ", theme.severity(Severity::Warning)),
        ("! secret ", theme.secret()),
        ("+ new ", theme.fresh()),
        ("███ full ", theme.decay(1.0)),
        ("match ", theme.found()),
        ("dim", theme.dim()),
    ];
    let spans = parts.into_iter().map(|(text, style)| Span::styled(text, style));
    Line::from(std::iter::once(Span::raw(" ")).chain(spans).collect::<Vec<_>>())
}
