//! Prompts: searches, the palette, the help, and what is typed about memories.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{act, arrive, colours, confirm, editor, fields, filter, key_pressed, list_view};
use crate::tui::app::{App, Screen};
use crate::tui::layout;
use crate::tui::msg::Effect;
use crate::tui::prompt::{Prompt, Purpose};
use crate::tui::suggest;

/// Opens a prompt.
pub fn open(app: &mut App, purpose: Purpose, text: &str) {
    if purpose == Purpose::Search && app.screen != Screen::Browse {
        return;
    }
    app.prompt = Some(Prompt::new(purpose, text, app.screen));
}

/// Opens the palette.
pub fn launch(app: &mut App) {
    let offered = super::launch::order(app);
    open(app, Purpose::Palette, "");
    if let Some(prompt) = &mut app.prompt {
        prompt.launch = Some(offered);
    }
}

/// Text that is pasted.
pub fn paste(app: &mut App, text: &str) {
    if app.prompt.is_none() && app.screen == Screen::Edit {
        return editor::paste(app, text);
    }
    let Some(prompt) = app.prompt.as_mut().filter(|own| own.purpose != Purpose::Theme) else { return };
    prompt.paste(text);
    typed(app)
}

/// A key while a prompt is open.
pub fn key(app: &mut App, key: KeyEvent) {
    let rows = usize::from(layout::frame(app).body.height).saturating_sub(3);
    let Some(prompt) = &mut app.prompt else { return };
    if prompt.purpose == Purpose::Theme {
        return colours::key(app, key);
    }
    let searching = prompt.purpose == Purpose::Search;
    let filtering = prompt.purpose == Purpose::Rows;
    let listing = prompt.purpose.is_list();
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    // What is typed begins anew with Ctrl-u, as in every prompt, until there is nothing of it.
    let edits = key.code == KeyCode::Char('u') && !prompt.text().is_empty();
    let by = if edits { None } else { confirm::scrolled(key, true, rows) };
    match key.code {
        KeyCode::Char('l') if control => app.give(Effect::Redraw),
        KeyCode::Char('p') if control && searching => recall(app, true),
        KeyCode::Char('n') if control && searching => recall(app, false),
        KeyCode::Tab | KeyCode::BackTab => {
            complete(app, key.code == KeyCode::Tab);
            typed(app)
        }
        KeyCode::Esc => close(app),
        KeyCode::Enter if searching => {
            app.prompt = None;
            arrive::let_go(app);
            app.asked_before.keep(&app.query);
        }
        KeyCode::Enter if filtering => {
            let text = prompt.text();
            app.prompt = None;
            list_view::filter_typed(app, &text, true);
        }
        KeyCode::Enter if listing => run_choice(app),
        KeyCode::Enter => fields::entered(app),
        _ if listing && by.is_some() => move_choice(app, by.unwrap_or_default()),
        KeyCode::Up if searching => recall(app, true),
        KeyCode::Down if searching && app.asked_before.is_back() => recall(app, false),
        KeyCode::Down if searching => {
            app.prompt = None;
            key_pressed(app, key)
        }
        _ => {
            prompt.key(key);
            typed(app)
        }
    }
}

/// Completes the word before the cursor.
fn complete(app: &mut App, ahead: bool) {
    let Some(mut prompt) = app.prompt.take() else { return };
    match prompt.purpose {
        Purpose::Search | Purpose::MarkBySearch => prompt.suggest(|word| suggest::of(app, word), ahead),
        _ => prompt.complete(ahead),
    }
    app.prompt = Some(prompt);
}

/// Brings back an earlier search, or a later one.
fn recall(app: &mut App, earlier: bool) {
    let Some(prompt) = &mut app.prompt else { return };
    let Some(text) = app.asked_before.step(earlier, &prompt.text()) else { return };
    prompt.replace(&text);
    typed(app)
}

fn move_choice(app: &mut App, by: isize) {
    if let Some(prompt) = &mut app.prompt {
        let last = prompt.actions().len().saturating_sub(1);
        prompt.choice.at = prompt.choice.at.min(last).saturating_add_signed(by).min(last);
    }
}

fn run_choice(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    let Some(action) = prompt.actions().get(prompt.choice.at).map(|known| known.action) else { return };
    act::act(app, action);
    let asked = app.prompt.as_mut().filter(|own| own.purpose == Purpose::Export);
    if let (Some(asked), Some((_, file))) = (asked, prompt.text().split_once(' ')) {
        asked.paste(file.trim());
    }
}

/// Leaves a prompt; a search that was being typed becomes what it was before.
pub fn close(app: &mut App) {
    if app.prompt.as_ref().is_some_and(|own| own.purpose == Purpose::Theme) {
        return colours::leave(app);
    }
    match app.prompt.take() {
        Some(prompt) if prompt.purpose == Purpose::Search => filter::ask(app, prompt.before),
        Some(prompt) if prompt.purpose == Purpose::Rows => list_view::filter_typed(app, &prompt.before, true),
        _ => {}
    }
}

/// What was typed is searched for at once.
fn typed(app: &mut App) {
    let Some(prompt) = &mut app.prompt else { return };
    prompt.choice = Default::default();
    if prompt.purpose == Purpose::Rows {
        let text = prompt.text();
        return list_view::filter_typed(app, &text, false);
    }
    if prompt.purpose != Purpose::Search {
        return;
    }
    let text = prompt.text();
    filter::ask(app, text)
}
