//! A change that was planned, shown before it is made.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::plan::counted;
use crate::tui::app::App;
use crate::tui::border::framed;
use crate::tui::bulk::{Confirm, Typed};
use crate::tui::theme::{self, Theme, fit};

/// The widest that it gets, and the highest.
const SIZE: (u16, u16) = (96, 14);

/// Draws it over the foot of the panes, where something waits for a yes.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(confirm) = &app.confirm else { return };
    let width = body.width.min(SIZE.0);
    let room = usize::from(width.saturating_sub(2));
    let theme = Theme::of(app);
    let head = head(app, confirm, room);
    let told: Vec<String> = told(confirm).iter().map(|line| fit(&theme::safe(app, line), room)).collect();
    let height = height(body, confirm, head.len() + told.len());
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let foot = match confirm.typed {
        Some(_) => "typed, then Enter · Esc leaves it as it is",
        None => "y does it · Esc leaves it as it is",
    };
    let inner = framed(app, frame, None, "Nothing is changed yet", foot, area);
    let typed = confirm.typed.as_ref().map(|typed| line_to_type(&theme, typed));
    let shown = usize::from(inner.height).saturating_sub(head.len() + usize::from(typed.is_some()));
    let mut lines: Vec<Line<'static>> =
        head.into_iter().map(|line| Line::styled(line, theme.strong())).collect();
    let top = confirm.top.min(told.len().saturating_sub(shown));
    let left = (told.len() - top).saturating_sub(shown);
    let cut = if left > 0 { shown.saturating_sub(1) } else { shown };
    lines.extend(told.into_iter().skip(top).take(cut).map(Line::raw));
    if left > 0 && shown > 0 {
        lines.push(Line::styled(format!("  … {}: ↓", counted(left as u64 + 1, "more line")), theme.dim()));
    }
    lines.extend(typed);
    frame.render_widget(Paragraph::new(lines), inner);
}

fn height(body: Rect, confirm: &Confirm, lines: usize) -> u16 {
    let wanted = lines + usize::from(confirm.typed.is_some());
    body.height.min(SIZE.1).min(wanted as u16 + 2)
}

/// The first line of what a plan tells that can be on screen with its last one.
pub fn last_top(app: &App, body: Rect) -> usize {
    let Some(confirm) = &app.confirm else { return 0 };
    let room = usize::from(body.width.min(SIZE.0).saturating_sub(2));
    let (head, told) = (head(app, confirm, room).len(), told(confirm).len());
    let inner = usize::from(height(body, confirm, head + told).saturating_sub(2));
    told.saturating_sub(inner.saturating_sub(head + usize::from(confirm.typed.is_some())))
}

/// The question, and what answers it.
fn head(app: &App, confirm: &Confirm, room: usize) -> Vec<String> {
    let answers = if confirm.typed.is_some() { "" } else { "  y / n" };
    theme::wrap(&theme::safe(app, &format!("{}{answers}", confirm.question)), room)
}

/// What has to be typed, and what was.
fn line_to_type(theme: &Theme, typed: &Typed) -> Line<'static> {
    let is_right = typed.so_far.trim() == typed.wanted;
    let after = if is_right { "▏ Enter erases" } else { "▏" };
    Line::from(vec![
        Span::styled(format!("Nothing takes it back. Type `{}`: ", typed.wanted), theme.key()),
        Span::raw(format!("{}{after}", typed.so_far)),
    ])
}

/// What changes, and what does not: the first memories, what is left out, and file by file.
/// Untrusted text.
fn told(confirm: &Confirm) -> Vec<String> {
    let planned = &confirm.planned;
    let mut lines = planned.left_out();
    lines.extend(planned.first.iter().map(|line| format!("  {line}")));
    let more = planned.records().saturating_sub(planned.first.len());
    if more > 0 && !planned.first.is_empty() {
        lines.push(format!("  … and {more} more"));
    }
    if !planned.erasures.is_empty() {
        lines.push("Undo steps, drafts and backups that hold them go too.".into());
    }
    let plans = planned.plans.iter().map(|(_, plan)| plan);
    for plan in plans.chain(planned.erasures.iter().map(|own| &own.plan)) {
        lines.extend(plan.lines.iter().cloned());
        for change in plan.all().filter(|change| !change.is_empty()) {
            let path = plan.root.join(&change.path);
            let (before, after) = (change.len_before(), change.len_after());
            lines.push(format!("{:8} {}  {before} → {after} B", change.word(), path.display()));
        }
    }
    lines
}
