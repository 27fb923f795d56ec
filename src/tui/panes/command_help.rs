//! The palette and the help: all actions, to find by name and to run. The list of colours.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::model::Severity;
use crate::tui::action::{Action, ActionInfo, first};
use crate::tui::colours::ColourPalette;
use crate::tui::pane_titles::{sheet, sheet_area};
use crate::tui::panes::search::typed_line;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::state::row_list::ListCursor;
use crate::tui::theme::{column, fit, put, safe, wrap};
use crate::tui::{layout, possible_changes};

/// On a narrower terminal there is no room for the description beside the name.
const NARROW: usize = 56;

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let is_help = prompt.purpose == PromptPurpose::Help;
    let (title, says) =
        if is_help { ("Help: every key", "type to find") } else { ("Do", "type what is to be done") };
    let inner = sheet(app, frame, title, says, layout::palette(app));
    if inner.height < 2 {
        return;
    }
    typed_line(app, frame, if is_help { " ?" } else { " :" }, (&prompt.line, usize::MAX), inner);
    let high = layout::rows_of_signs(app);
    if is_help && prompt.text().is_empty() {
        put(frame, signs(app), Rect { y: inner.y + 1, height: high, ..inner });
    }
    let foot = layout::rows_of_about(app).min(inner.height - 1 - high);
    let list = Rect { y: inner.y + 1 + high, height: inner.height - 1 - high - foot, ..inner };
    let actions = prompt.actions();
    draw_actions(app, prompt, &actions, frame, list);
    let width = usize::from(list.width).saturating_sub(2);
    let about = actions.get(prompt.choice.at).map_or(Default::default(), |known| {
        why_not(app, known.action).unwrap_or_else(|| known.about.to_owned())
    });
    let lines =
        wrap(&about, width).into_iter().map(|line| Line::styled(format!(" {line}"), app.palette.dim()));
    let below = Rect { y: list.bottom(), height: foot, ..inner };
    put(frame, lines, below);
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

fn draw_actions(app: &App, prompt: &Prompt, actions: &[&ActionInfo], frame: &mut Frame<'_>, area: Rect) {
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
        Some(HelpRow::Heading(heading)) => Line::styled(*heading, app.palette.accent()),
        Some(HelpRow::Action(at)) => actions.get(*at).map_or_else(Line::default, |known| {
            if prompt.purpose == PromptPurpose::Help || width < NARROW {
                explained(app, known, width)
            } else {
                launched(app, known, prompt.can(known.action), width)
            }
        }),
        None => Line::default(),
    };
    super::draw_lines(app, frame, area, ListCursor { at, top, is_held: false }, rows.len(), true, line);
}

fn why_not(app: &App, action: Action) -> Option<String> {
    let why = possible_changes::why_not(app, action).filter(|_| app.screen != Screen::Editor);
    why.map(|why| safe(app, &why))
}

/// Returns an action of the help: keys, name, description and verb. An action without a key has its call. One that can't
/// be done is dim, with the reason.
fn explained(app: &App, known: &ActionInfo, width: usize) -> Line<'static> {
    if width < NARROW {
        // The description is below the list.
        let name = column(known.name, width.saturating_sub(8));
        let keys = column(known.action.key(), 7) + " ";
        return Line::from(vec![
            Span::styled(keys, app.palette.key()),
            Span::styled(name, app.palette.strong()),
        ]);
    }
    let keys = match known.action.keys() {
        [] => ":".to_owned(),
        keys => keys.join("  "),
    };
    let verb = known.action.verb().filter(|_| width >= 100).map(|verb| column(&format!("palimp {verb}"), 24));
    let verb = verb.unwrap_or_else(|| " ".repeat(if width >= 100 { 24 } else { 0 }));
    if let Some(why) = why_not(app, known.action) {
        let line = format!(" {} {} {why}", column(&keys, 13), column(known.name, 18));
        return Line::styled(column(&line, width), app.palette.dim());
    }
    Line::from(vec![
        Span::styled(format!(" {} ", column(&keys, 13)), app.palette.key()),
        Span::styled(column(known.name, 18) + " ", app.palette.strong()),
        Span::raw(column(known.about, width.saturating_sub(34 + verb.len()))),
        Span::styled(verb, app.palette.dim()),
    ])
}

/// Returns an action of the palette: name, description and its key; or else why it can't be done, or "not here".
fn launched(app: &App, known: &ActionInfo, can: bool, width: usize) -> Line<'static> {
    if let Some(why) = why_not(app, known.action).filter(|_| !can) {
        let line = format!("{}  {why}", column(known.name, 18));
        return Line::styled(column(&line, width), app.palette.dim());
    }
    let end = if can { known.action.key() } else { "not here" };
    let (name, about) =
        if can { (app.palette.strong(), Style::new()) } else { (app.palette.dim(), app.palette.dim()) };
    let key = if can { app.palette.key() } else { app.palette.dim() };
    Line::from(vec![
        Span::styled(column(known.name, 18) + "  ", name),
        Span::styled(column(known.about, width.saturating_sub(20 + 12)) + "  ", about),
        Span::styled(format!("{end:>10}"), key),
    ])
}

fn signs(app: &App) -> [Line<'static>; 2] {
    let warning = app.palette.severity(Severity::Warning);
    let of_rows = [
        ("▶", app.palette.accent(), " cursor"),
        ("●", app.palette.accent(), " marked"),
        ("✖", app.palette.severity(Severity::Error), " broken"),
        ("!", app.palette.secret(), " secret"),
        ("⚠", warning, " problem"),
        ("+", app.palette.fresh(), " new"),
        ("∅", warning, " unseen"),
        ("★", app.palette.accent(), " pinned"),
    ];
    let of_bars = [
        ("███", app.palette.decay(1.0), " full"),
        ("█▍", app.palette.decay(0.4), " fading"),
        ("▏", app.palette.decay(0.0), " fully faded     letters of types: see 2 Filters"),
    ];
    [&of_rows[..], &of_bars[..]].map(|signs| {
        let spans = |(sign, style, word): &(&str, Style, &'static str)| {
            [Span::styled(format!("  {sign}"), *style), Span::raw(*word)]
        };
        Line::from_iter(signs.iter().flat_map(spans))
    })
}

pub fn draw_themes(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let area = sheet_area(app, ColourPalette::CHOICES.len() + 1);
    let inner = sheet(app, frame, "Theme", "what is around it shows it", area);
    if inner.height < 2 {
        return;
    }
    let width = usize::from(inner.width).saturating_sub(2);
    let row = |at: usize| {
        let Some((_, name, about)) = ColourPalette::CHOICES.get(at) else { return Line::default() };
        let room = width.saturating_sub(20);
        Line::from(vec![Span::styled(column(name, 20), app.palette.strong()), Span::raw(fit(about, room))])
    };
    let list = Rect { height: inner.height - 1, ..inner };
    super::draw_lines(app, frame, list, prompt.choice, ColourPalette::CHOICES.len(), true, row);
    let sample = Rect { y: list.bottom(), height: 1, ..inner };
    let parts = [
        ("▶ cursor ", app.palette.accent()),
        ("✖ error ", app.palette.severity(Severity::Error)),
        ("⚠ warning ", app.palette.severity(Severity::Warning)),
        ("! secret ", app.palette.secret()),
        ("+ new ", app.palette.fresh()),
        ("███ full ", app.palette.decay(1.0)),
        ("match ", app.palette.found()),
        ("dim", app.palette.dim()),
    ];
    let spans = parts.into_iter().map(|(text, style)| Span::styled(text, style));
    put(frame, [Line::from_iter(std::iter::once(Span::raw(" ")).chain(spans))], sample);
}
