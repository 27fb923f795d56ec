//! The list of colours. The screen uses the colours under the cursor, so that the user sees them on real
//! contents.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::app::App;
use crate::tui::msg::Effect;
use crate::tui::palette::Palette;
use crate::tui::prompt::{Prompt, Purpose};

/// Opens it at the present colours. A screen without colours stays without: that was asked for.
pub fn open(app: &mut App) {
    if app.palette == Palette::None {
        return app.say(
            "There are no colours: `--no-color` or the variable `NO_COLOR` is set. Start palimp without.",
        );
    }
    let mut prompt = Prompt::new(Purpose::Theme, "", app.screen);
    prompt.colours = app.palette;
    prompt.choice.at = Palette::CHOICES.iter().position(|(own, ..)| *own == app.palette).unwrap_or(0);
    app.prompt = Some(prompt);
}

/// Handles a key while it is open.
pub fn key(app: &mut App, key: KeyEvent) {
    match key.code {
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => app.give(Effect::Redraw),
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
    let last = Palette::CHOICES.len() - 1;
    prompt.choice.at = prompt.choice.at.saturating_add_signed(by).min(last);
    app.palette = Palette::CHOICES[prompt.choice.at].0;
    // Everything that was coloured before is coloured again.
    app.detail_of = None;
}

/// Uses the colours under the cursor until palimp ends, and says how to keep them.
fn keep(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    let (own, name, _) = Palette::CHOICES[prompt.choice.at.min(Palette::CHOICES.len() - 1)];
    app.palette = own;
    app.detail_of = None;
    app.say(format!("{name} until palimp ends. `theme = \"{name}\"` in config.toml keeps it."));
}

/// Restores the former colours.
pub fn leave(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    app.palette = prompt.colours;
    app.detail_of = None;
}
