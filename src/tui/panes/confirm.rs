//! A change that was planned, shown before it is made.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::model::plan::counted;
use crate::tui::app::{App, Confirm};
use crate::tui::border::framed;
use crate::tui::theme::{self, Theme, fit};

/// The widest that it gets, and the highest.
const SIZE: (u16, u16) = (96, 14);

/// Draws it over the foot of the panes, where something waits for a yes.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(confirm) = &app.confirm else { return };
    let told = told(confirm);
    let width = body.width.min(SIZE.0);
    let height = body.height.min(SIZE.1).min(told.len() as u16 + 3);
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let inner =
        framed(app, frame, None, "Nothing is changed yet", "y does it · Esc leaves it as it is", area);
    let room = usize::from(inner.width);
    let theme = Theme::of(app);
    let shown = usize::from(inner.height).saturating_sub(1);
    let mut lines = vec![Line::from(vec![
        Span::styled(fit(&theme::safe(app, &confirm.question), room.saturating_sub(7)), theme.strong()),
        Span::styled("  y / n", theme.key()),
    ])];
    let left = told.len().saturating_sub(shown);
    let cut = if left > 0 { shown.saturating_sub(1) } else { shown };
    lines.extend(told.iter().take(cut).map(|line| Line::raw(fit(&theme::safe(app, line), room))));
    if left > 0 {
        lines.push(Line::styled(format!("  … {}", counted(left as u64 + 1, "more line")), theme.dim()));
    }
    frame.render_widget(Paragraph::new(lines), inner);
}

/// What changes, file by file. Untrusted text.
fn told(confirm: &Confirm) -> Vec<String> {
    let mut lines = Vec::new();
    for (_, plan) in &confirm.planned.plans {
        lines.extend(plan.lines.iter().cloned());
        for change in plan.all().filter(|change| !change.is_empty()) {
            let path = plan.root.join(&change.path);
            let (before, after) = (change.len_before(), change.len_after());
            lines.push(format!("{:8} {}  {before} → {after} B", change.word(), path.display()));
        }
    }
    lines
}
