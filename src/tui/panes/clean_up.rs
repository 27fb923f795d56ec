//! The clean-up, step by step: what, scope, preview, proof. The question is a sheet over the preview.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::search::first_shown;
use crate::detectors::mask;
use crate::model::PathText;
use crate::model::plan::count_with_noun;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::clean_up_lines::{self, areas};
use crate::tui::hint::{Hint, hint};
use crate::tui::layout;
use crate::tui::pane_titles::{PaneTitle, margins, part, whole};
use crate::tui::state::app::App;
use crate::tui::state::clean_up::{CleanUp, CleanUpField, CleanUpReason, CleanUpStep};
use crate::tui::theme::{self, Theme, column, fit};
use crate::usecase::clean_up::CleanUpAction;

/// The column of the names of fields.
const LABEL: usize = 9;
const STEPS: [&str; 5] = ["what", "scope", "preview", "confirm", "proof"];

/// Returns the title: all steps, and which one it is.
pub fn title(app: &App, width: u16) -> String {
    let step = app.clean_up.as_ref().map_or(CleanUpStep::What, |own| own.step);
    let at = match step {
        CleanUpStep::What => 0,
        CleanUpStep::Scope => 1,
        CleanUpStep::Preview => 2 + usize::from(app.confirm.is_some()),
        CleanUpStep::Proof => 4,
    };
    if width < 100 {
        return format!("clean-up  {} of 5: {}", at + 1, STEPS[at]);
    }
    let one = |(number, name): (usize, &&str)| match number == at {
        true => format!("▶{} {name}", number + 1),
        false => format!(" {} {name}", number + 1),
    };
    format!("clean-up  {}", STEPS.iter().enumerate().map(one).collect::<Vec<_>>().join(" "))
}

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(own) = &app.clean_up else { return };
    let body = layout::frame(app).body;
    match own.step {
        CleanUpStep::What => draw_what(app, own, frame, body),
        CleanUpStep::Scope => draw_scope(app, own, frame, body),
        CleanUpStep::Preview => draw_preview(app, own, frame),
        CleanUpStep::Proof => draw_proof(app, own, frame, body),
    }
}

fn draw_what(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let inner = margins(whole(app, frame, "What is to be forgotten", "all that is given must fit", area));
    if inner.height == 0 || inner.width < 20 {
        return;
    }
    let room = usize::from(inner.width) - LABEL - 1;
    let mut lines = Vec::new();
    for (number, field) in CleanUpField::ALL.into_iter().enumerate() {
        let is_own = number == own.field;
        let line = &own.lines[number];
        let before = line.before_cursor();
        let from = first_shown(&before, before.len(), room);
        let shown = match field {
            CleanUpField::Value => "•".repeat(line.text().chars().count().min(room)),
            _ => sanitize(&line.text()[from..]).into_owned(),
        };
        if is_own {
            let left = match field {
                CleanUpField::Value => line.column().min(room),
                _ => display_width(&sanitize(&before[from..])),
            };
            let x = (inner.x + LABEL as u16 + left as u16).min(inner.right() - 1);
            let y = inner.y + lines.len() as u16;
            if y < inner.bottom() && !layout::has_dialog(app) {
                frame.set_cursor_position(Position { x, y });
            }
        }
        let (sign, style) = if is_own { ("▶", theme.strong()) } else { (" ", Style::new()) };
        let label = Span::styled(column(&format!("{sign}{}", field.label()), LABEL), style);
        lines.push(Line::from(vec![label, Span::raw(fit(&shown, room))]));
        if is_own {
            let about = format!("{}{}", " ".repeat(LABEL), fit(field.about(), room));
            lines.push(Line::styled(about, theme.dim()));
        }
    }
    lines.push(Line::default());
    lines.extend(failure(app, own, usize::from(inner.width)));
    lines.extend(saved_rules(app, own, usize::from(inner.width)));
    lines.extend(steps_told(app, usize::from(inner.width)));
    frame.render_widget(Paragraph::new(lines), inner);
}

fn failure(app: &App, own: &CleanUp, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let lines = own.failure.iter().flat_map(|why| theme::wrap(&theme::safe(app, &mask(why)), width.max(1)));
    lines.map(|line| Line::styled(line, theme.wrong())).collect()
}

fn steps_told(app: &App, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let told = [
        "2 scope: in which stores it is erased.",
        "3 preview: every memory that goes, where its copies are, and what else on this machine has it.",
        "4 confirm: nothing is changed before you have typed it.",
        "5 proof: every byte of these stores and of palimp's own data is searched again.",
    ];
    let lines = told.iter().flat_map(|line| theme::wrap(line, width.max(1)));
    std::iter::once(Line::default()).chain(lines.map(|line| Line::styled(line, theme.dim()))).collect()
}

fn saved_rules(app: &App, own: &CleanUp, width: usize) -> Vec<Line<'static>> {
    let theme = Theme::of(app);
    let Some(Ok(rules)) = &own.rules else { return Vec::new() };
    let lines = rules.all().map(|(name, rule)| format!("  {name}: {}", rule.told()));
    let lines: Vec<String> = lines.collect();
    let head = (!lines.is_empty()).then(|| "Saved rules:".to_owned());
    let lines = head.into_iter().chain(lines);
    lines.map(|line| Line::styled(fit(&theme::safe(app, &line), width), theme.dim())).collect()
}

fn draw_scope(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let chosen = own.chosen.iter().filter(|chosen| **chosen).count();
    let right = format!("{chosen} of {} stores", own.chosen.len());
    let inner = margins(whole(app, frame, "Where it is searched and erased", &right, area));
    let beside = "Beside them it is searched and counted, never changed: transcripts and databases of agents, \
        histories of shells, files of editors, the trash, and git.";
    let beside: Vec<String> = theme::wrap(beside, usize::from(inner.width).max(1));
    let below = failure(app, own, usize::from(inner.width));
    let rows = usize::from(inner.height).saturating_sub(beside.len() + below.len() + 1).max(1);
    let top = own.store.at.saturating_sub(rows.saturating_sub(1));
    let mut lines: Vec<Line<'static>> = Vec::new();
    for (number, store) in own.listed.stores.iter().enumerate().skip(top).take(rows) {
        let sign = if own.chosen.get(number) == Some(&true) { "[x]" } else { "[ ]" };
        let path = theme::safe(app, &store.root.to_text());
        let name = theme::safe(app, own.names.get(number).map_or("", String::as_str));
        let count = app.tallies.get(number).map_or(store.entries.len(), |tally| tally.listed);
        let text = format!("{sign} {} {count:>6}  {path}", column(&name, 14));
        let line = Line::raw(fit(&text, usize::from(inner.width)));
        lines.push(if number == own.store.at { theme.under_cursor(line) } else { line });
    }
    lines.push(Line::default());
    lines.extend(beside.into_iter().map(|line| Line::styled(line, theme.dim())));
    lines.extend(below);
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_preview(app: &App, own: &CleanUp, frame: &mut Frame<'_>) {
    let areas = areas(app);
    draw_rule(app, own, frame, areas.rule);
    draw_rows(app, own, frame, areas.list);
    draw_text(app, frame, ("Where copies are", &clean_up_lines::copies(own)), areas.copies);
    draw_text(app, frame, ("After this, and not reached", &clean_up_lines::after(own)), areas.after);
}

fn draw_rule(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let lines = clean_up_lines::rule(own);
    if area.height < 4 {
        let parts = lines.iter().map(|(name, text)| format!("{name} {text}"));
        let text = mask(&parts.collect::<Vec<_>>().join(" · ")).into_owned();
        let lines = theme::wrap(&theme::safe(app, &text), usize::from(area.width.saturating_sub(2)).max(1));
        let lines: Vec<Line<'static>> = lines.into_iter().map(Line::raw).collect();
        return frame.render_widget(Paragraph::new(lines), margins(area));
    }
    let title = PaneTitle { text: "Rule", right: "", has_keys: false, rule: false };
    let inner = margins(part(app, frame, &title, area));
    let room = usize::from(inner.width).saturating_sub(LABEL).max(1);
    let mut shown: Vec<Line<'static>> = Vec::new();
    for (name, text) in lines {
        for (number, line) in theme::wrap(&theme::safe(app, &mask(&text)), room).into_iter().enumerate() {
            let label = column(if number == 0 { name } else { "" }, LABEL);
            shown.push(Line::from(vec![Span::styled(label, theme.dim()), Span::raw(line)]));
        }
    }
    frame.render_widget(Paragraph::new(shown), inner);
}

fn draw_rows(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let theme = Theme::of(app);
    let copies = own.rows.iter().filter(|row| row.reason == CleanUpReason::Copy).count();
    let go = if own.count() == 1 { "goes" } else { "go" };
    let all = count_with_noun(own.rows.len() as u64, "memory");
    let copies = match copies {
        0 => String::new(),
        1 => ", with a copy".into(),
        _ => format!(", with {copies} copies"),
    };
    let title = format!("Preview  {} of {all} {go}{copies}", own.count());
    let near = own.rows.iter().filter(|row| matches!(row.reason, CleanUpReason::Near(_))).count();
    let right = match near {
        0 => String::new(),
        1 => "1 near-copy, below".into(),
        _ => format!("{near} near-copies, below"),
    };
    let title = PaneTitle { text: &title, right: &right, has_keys: app.confirm.is_none(), rule: false };
    let inner = part(app, frame, &title, area);
    if own.rows.is_empty() {
        let why = match own.plan {
            Some(_) => "No memory fits. What backups and undo data have is named below.",
            None => "Looking for it …",
        };
        return frame.render_widget(Paragraph::new(Line::styled(why, theme.dim())), margins(inner));
    }
    let width = usize::from(inner.width);
    let shown = own.rows.iter().enumerate().skip(own.row.top).take(usize::from(inner.height));
    let line = |(number, row)| {
        let [sign, kind, store, date, text, why] =
            clean_up_lines::row(own, row).map(|own| theme::safe(app, &own));
        let is_wide = width >= 70;
        let head = match is_wide {
            true => format!(" {sign} {} {}{date:>11} ", column(&kind, 10), column(&store, 10)),
            false => format!(" {sign} {} ", column(&kind, 8)),
        };
        let why = if why.is_empty() { why } else { format!("  {why}") };
        let room = width.saturating_sub(theme::width(&head) + theme::width(&why));
        let style = if row.goes { Style::new() } else { theme.dim() };
        let text = column(&fit(&text, room), room);
        let line = Line::from(vec![
            Span::styled(head, style),
            Span::styled(text, style),
            Span::styled(why, theme.dim()),
        ]);
        if number == own.row.at && app.confirm.is_none() { theme.under_cursor(line) } else { line }
    };
    let lines: Vec<Line<'static>> = shown.map(line).collect();
    frame.render_widget(Paragraph::new(lines), inner);
}

fn draw_text(app: &App, frame: &mut Frame<'_>, (title, lines): (&str, &[String]), area: Rect) {
    if area.height < 2 {
        return;
    }
    let title = PaneTitle { text: title, right: "", has_keys: false, rule: area.x == 0 };
    let inner = margins(part(app, frame, &title, area));
    let width = usize::from(inner.width).max(1);
    let rows = usize::from(inner.height);
    let wrapped: Vec<String> =
        lines.iter().flat_map(|line| theme::wrap(&theme::safe(app, &mask(line)), width)).collect();
    let more = wrapped.len().saturating_sub(rows);
    let shown = wrapped.into_iter().take(if more > 0 { rows.saturating_sub(1) } else { rows });
    let mut shown: Vec<Line<'static>> = shown.map(Line::raw).collect();
    if more > 0 {
        let told = format!("… {} more lines: the question shows all", more + 1);
        shown.push(Line::styled(told, Theme::of(app).dim()));
    }
    frame.render_widget(Paragraph::new(shown), inner);
}

fn draw_proof(app: &App, own: &CleanUp, frame: &mut Frame<'_>, area: Rect) {
    let (lines, rows) = clean_up_lines::proof(app);
    let top = own.top.min(lines.len().saturating_sub(rows));
    let right = super::confirm::place(top, rows, lines.len());
    let inner = margins(whole(app, frame, "Proof", right.trim_end_matches(" · "), area));
    let shown: Vec<Line<'static>> = lines.into_iter().skip(top).take(rows).map(Line::raw).collect();
    frame.render_widget(Paragraph::new(shown), inner);
}

pub fn hints(own: &CleanUp) -> Vec<Hint> {
    match own.step {
        CleanUpStep::What => {
            vec![hint("Enter", "go on"), hint("Tab", "next field"), hint("Esc", "leave, nothing is done")]
        }
        CleanUpStep::Scope => {
            // At first all are in.
            let all = own.chosen.contains(&false).then(|| hint("*", "all"));
            let mut hints = vec![hint("Enter", "look for it"), hint("Space", "in, out")];
            hints.extend(all.into_iter().chain([hint("Esc", "back")]));
            hints
        }
        CleanUpStep::Preview => {
            let action = match own.action {
                CleanUpAction::Erase => hint("t", "delete instead"),
                CleanUpAction::Delete => hint("t", "erase instead"),
            };
            let is_any = |is_of: fn(CleanUpReason) -> bool| own.rows.iter().any(|row| is_of(row.reason));
            let near = is_any(|own| matches!(own, CleanUpReason::Near(_)));
            let pinned = is_any(|own| own == CleanUpReason::Pinned);
            let mut hints = vec![hint("Enter", "confirm…"), hint("Space", "in, out")];
            hints.extend(near.then(|| hint("N", "near-copies")));
            hints.extend(pinned.then(|| hint("P", "pinned")));
            hints.extend((!own.typed(CleanUpField::Kind).is_empty()).then(|| hint("f", "false alarm")));
            hints.extend([action, hint("R", "look again"), hint("Esc", "back")]);
            hints
        }
        CleanUpStep::Proof => {
            vec![hint("Enter", "done"), hint("V", "check it later: journal"), hint("jk", "scroll")]
        }
    }
}
