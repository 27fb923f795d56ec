//! One memory on the whole screen, to be read.

use super::reference_go_back;
use crate::tui::action::Action;
use crate::tui::key_lookup::KeyMeaning;
use crate::tui::state::app::{App, Pane, ReadingView};

/// Opens the memory under the cursor. Esc leads back to where it was opened from.
pub fn open(app: &mut App, from: ReadingView) {
    if app.selected().is_none() && app.awaited_memory.is_none() {
        return app.say("There is nothing here to open.");
    }
    app.focus = Pane::Detail;
    if app.reading == ReadingView::No || from == ReadingView::FromView {
        app.reading = from;
    }
}

/// Goes back to the list, with the cursor on the memory that was read, or to the view that it was opened from.
pub fn leave(app: &mut App) {
    app.focus = Pane::Memories;
    if std::mem::take(&mut app.reading) == ReadingView::FromView {
        reference_go_back::back_to_view(app);
    }
}

/// Goes back to the list, because the list no longer has the memory. Another one must not take its place unseen.
pub fn lost(app: &mut App) {
    if std::mem::take(&mut app.reading) != ReadingView::No {
        app.focus = Pane::Memories;
        app.notice.get_or_insert_with(|| "The memory that was read is no longer in this list.".into());
    }
}

/// Returns the meaning that a key has while a memory is read: some lead to the next memory, or back.
pub fn meaning(app: &App, usual: KeyMeaning) -> KeyMeaning {
    match &usual {
        KeyMeaning::Waiting(keys) if app.is_reading() && keys == "]" => KeyMeaning::Act(Action::NextMatch),
        KeyMeaning::Waiting(keys) if app.is_reading() && keys == "[" => {
            KeyMeaning::Act(Action::PreviousMatch)
        }
        KeyMeaning::Act(Action::DropFilter) if app.is_reading() => KeyMeaning::Act(Action::Back),
        _ => usual,
    }
}
