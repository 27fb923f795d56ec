//! A line that the user types for memories: tags, importance, type, category, a search that marks.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::search::first_shown;
use crate::model::Keep;
use crate::text::safe_text::{display_width, sanitize};
use crate::tui::pane_titles::{margins, sheet, sheet_area};
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::theme::{self, Theme, fit};
use crate::tui::why;

/// Rows for the typed text, the current value, and the words that fit.
const ROWS: usize = 3;

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let Some(prompt) = &app.prompt else { return };
    let name = prompt.target.as_ref().map_or("", |aim| aim.name.as_str());
    let (verb, form) = match prompt.purpose {
        PromptPurpose::Tag => ("Tag", "new -old"),
        PromptPurpose::KeepUntil => {
            ("Keep from fading", "until 2027-01-31, or for 90d, 8w, 6m, 1y; no ends it")
        }
        PromptPurpose::RenameTag => ("Rename a tag everywhere", "old=new"),
        PromptPurpose::MarkBySearch => ("Mark by search", "as in a search"),
        PromptPurpose::Export => ("Export", "a new file: name.md, .csv, .json or .jsonl"),
        purpose => purpose.asks().map_or(("", ""), |asks| (asks.title, asks.form)),
    };
    let title = format!("{verb} {}", theme::safe(app, name));
    let inner = margins(sheet(app, frame, title.trim_end(), form, sheet_area(app, ROWS)));
    let theme = Theme::of(app);
    if inner.height == 0 || inner.width < 4 {
        return;
    }
    let room = usize::from(inner.width) - 3;
    let before = prompt.line.before_cursor();
    let from = first_shown(&before, before.len(), room);
    let typed = sanitize(&prompt.text()[from..]).into_owned();
    let line = Line::from(vec![Span::styled("> ", theme.key()), Span::raw(typed)]);
    frame.render_widget(Paragraph::new(line), Rect { height: 1, ..inner });
    let x = inner.x + 2 + display_width(&sanitize(&before[from..])) as u16;
    frame.set_cursor_position(Position { x: x.min(inner.right() - 1), y: inner.y });
    if inner.height > 1 {
        let now = prompt.target.as_ref().map(|aim| now(aim, prompt.purpose)).unwrap_or_default();
        let now = fit(&theme::safe(app, &now), usize::from(inner.width));
        let place = Rect { y: inner.y + 1, height: 1, ..inner };
        frame.render_widget(Paragraph::new(Line::styled(now, theme.dim())), place);
    }
    if inner.height > 2 {
        let place = Rect { y: inner.y + 2, height: 1, ..inner };
        frame.render_widget(Paragraph::new(fitting(app, prompt, usize::from(inner.width))), place);
    }
}

/// Returns the words that fit, from the current one on.
fn fitting(app: &App, prompt: &Prompt, width: usize) -> Line<'static> {
    let theme = Theme::of(app);
    let (fit, at) = prompt.fitting();
    let mut spans = Vec::new();
    let mut room = width;
    for (number, word) in fit.iter().enumerate().skip(at.unwrap_or_default()) {
        let word = format!("{}  ", theme::safe(app, word));
        let Some(left) = room.checked_sub(display_width(&word)) else { break };
        room = left;
        let style = if at == Some(number) { theme.strong() } else { theme.dim() };
        spans.push(Span::styled(word, style));
    }
    Line::from(spans)
}

/// Untrusted text.
fn now(aim: &ChangeTarget, purpose: PromptPurpose) -> String {
    let Some(at) = aim.one() else {
        return match aim.hidden.len() {
            0 => String::new(),
            count => format!("{count} of them are hidden by the filter"),
        };
    };
    let (store, entry) = aim.snapshot.get(at);
    let Some(memory) = store.memory(entry) else { return String::new() };
    match purpose {
        PromptPurpose::Tag if memory.tags().len() == 0 => "it has no tags".into(),
        PromptPurpose::Tag => format!("now  {}", memory.joined_tags("  ")),
        PromptPurpose::Export => String::new(),
        PromptPurpose::KeepUntil => why::kept(Keep::of(memory.tags())),
        _ => purpose.asks().map(|asks| (asks.now)(store, entry)).unwrap_or_default(),
    }
}
