//! The list of colours. The screen uses the colours under the cursor, as a preview on real contents.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::colours::ColourPalette;
use crate::tui::message::Effect;
use crate::tui::state::app::App;
use crate::tui::state::prompt::{Prompt, PromptPurpose};

/// Opens the list at the present colours. A screen without colours stays so: the user asked for that.
pub fn open(app: &mut App) {
    if app.palette == ColourPalette::None {
        return app.say(
            "There are no colours: `--no-color` or the variable `NO_COLOR` is set. Start palimp without.",
        );
    }
    let mut prompt = Prompt::new(PromptPurpose::Theme, "", app.screen);
    prompt.former_colours = app.palette;
    prompt.choice.at = ColourPalette::CHOICES.iter().position(|(own, ..)| *own == app.palette).unwrap_or(0);
    app.prompt = Some(prompt);
}

pub fn key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            app.push_effect(Effect::Redraw)
        }
        KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => step(app, 1),
        KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => step(app, -1),
        KeyCode::Home => step(app, isize::MIN),
        KeyCode::End => step(app, isize::MAX),
        KeyCode::Enter => keep(app),
        KeyCode::Esc | KeyCode::Char('q') => leave(app),
        _ => {}
    }
}

fn step(app: &mut App, by: isize) {
    let Some(prompt) = &mut app.prompt else { return };
    let last = ColourPalette::CHOICES.len() - 1;
    prompt.choice.at = prompt.choice.at.saturating_add_signed(by).min(last);
    app.palette = ColourPalette::CHOICES[prompt.choice.at].0;
    // The detail is drawn again in the new colours.
    app.detail_key = None;
}

/// Uses the colours under the cursor until palimp ends, and says how to keep them.
fn keep(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    let (own, name, _) = ColourPalette::CHOICES[prompt.choice.at.min(ColourPalette::CHOICES.len() - 1)];
    app.palette = own;
    app.detail_key = None;
    app.say(format!("{name} until palimp ends. `theme = \"{name}\"` in config.toml keeps it."));
}

pub fn leave(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    app.palette = prompt.former_colours;
    app.detail_key = None;
}
