//! Opens a prompt.

use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};

pub fn open(app: &mut App, purpose: PromptPurpose, text: &str) {
    if purpose == PromptPurpose::Search && app.screen != Screen::Memories {
        return;
    }
    app.prompt = Some(Prompt::new(purpose, text, app.screen));
}
