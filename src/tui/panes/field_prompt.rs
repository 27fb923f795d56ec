//! A line that the user types for memories: tags, importance, type, category, a search that marks.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::search::typed_line;
use crate::model::Keep;
use crate::text::safe_text::display_width;
use crate::tui::pane_titles::{margins, sheet, sheet_area};
use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::theme::{self, fit, put};
use crate::tui::why;

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
    if inner.height == 0 || inner.width < 4 {
        return;
    }
    typed_line(app, frame, "> ", (&prompt.line, usize::from(inner.width) - 3), inner);
    if inner.height > 1 {
        let now = prompt.target.as_ref().map(|aim| now(aim, prompt.purpose)).unwrap_or_default();
        let now = fit(&theme::safe(app, &now), usize::from(inner.width));
        let place = Rect { y: inner.y + 1, height: 1, ..inner };
        put(frame, [Line::styled(now, app.palette.dim())], place);
    }
    if inner.height > 2 {
        let place = Rect { y: inner.y + 2, height: 1, ..inner };
        put(frame, [fitting(app, prompt, usize::from(inner.width))], place);
    }
}

fn fitting(app: &App, prompt: &Prompt, width: usize) -> Line<'static> {
    let (fit, at) = prompt.fitting();
    let mut spans = Vec::new();
    let mut room = width;
    for (number, word) in fit.iter().enumerate().skip(at.unwrap_or_default()) {
        let word = format!("{}  ", theme::safe(app, word));
        let Some(left) = room.checked_sub(display_width(&word)) else { break };
        room = left;
        let style = if at == Some(number) { app.palette.strong() } else { app.palette.dim() };
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
