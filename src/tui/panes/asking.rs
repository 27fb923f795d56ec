//! A line that is typed about a memory: tags to add and take away, its importance.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

use crate::text::show::show;
use crate::tui::app::{Aim, App};
use crate::tui::border::framed;
use crate::tui::prompt::Purpose;
use crate::tui::theme::{self, Theme, fit};

/// The widest that it gets, and how high it is.
const SIZE: (u16, u16) = (76, 4);

/// Draws it over the foot of the panes.
pub fn draw(app: &App, frame: &mut Frame<'_>, body: Rect) {
    let Some(prompt) = &app.prompt else { return };
    let Some(aim) = &prompt.aim else { return };
    let (width, height) = (body.width.min(SIZE.0), body.height.min(SIZE.1));
    let x = body.x + (body.width - width) / 2;
    let area = Rect { x, y: body.bottom() - height, width, height };
    let (verb, foot) = match prompt.purpose {
        Purpose::Tag => ("Tag", "+new -old · Enter does it · Esc leaves it"),
        _ => ("Importance of", "0 to 1 · Enter does it · Esc leaves it"),
    };
    let title = format!("{verb} {}", theme::safe(app, &aim.name));
    let inner = framed(app, frame, None, &title, foot, area);
    let theme = Theme::of(app);
    if inner.height == 0 || inner.width < 4 {
        return;
    }
    let room = usize::from(inner.width) - 3;
    let before: String = prompt.text().chars().take(prompt.column()).collect();
    let from = first_shown(&before, room);
    let typed = show(&prompt.text()[from..]).into_owned();
    let line = Line::from(vec![Span::styled("> ", theme.key()), Span::raw(typed)]);
    frame.render_widget(Paragraph::new(line), Rect { height: 1, ..inner });
    let x = inner.x + 2 + show(&before[from..]).width() as u16;
    frame.set_cursor_position(Position { x: x.min(inner.right() - 1), y: inner.y });
    if inner.height > 1 {
        let now = fit(&theme::safe(app, &now(aim, prompt.purpose)), usize::from(inner.width));
        let place = Rect { y: inner.y + 1, height: 1, ..inner };
        frame.render_widget(Paragraph::new(Line::styled(now, theme.dim())), place);
    }
}

/// The first byte to show so that the cursor stands within `room` columns.
fn first_shown(before: &str, room: usize) -> usize {
    let fits = |from: &usize| show(&before[*from..]).width() <= room;
    before.char_indices().map(|(at, _)| at).find(fits).unwrap_or(before.len())
}

/// What the memory has now. Untrusted text.
fn now(aim: &Aim, purpose: Purpose) -> String {
    let Some(at) = aim.one() else { return String::new() };
    let (store, entry) = aim.snapshot.get(at);
    let Some(view) = store.view(entry) else { return String::new() };
    match purpose {
        Purpose::Tag if view.tags.is_empty() => "it has no tags".into(),
        Purpose::Tag => format!("now  {}", view.tags.join("  ")),
        _ => format!("now  {:.2}", view.importance),
    }
}
