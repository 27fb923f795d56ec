//! Prompts: searches, the palette, the help, and values of memories; and the list of colours.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::tui::colours::ColourPalette;
use crate::tui::state::app::{App, Screen};
use crate::tui::state::prompt::{Prompt, PromptPurpose};
use crate::tui::update::{
    action_dispatch, confirm, editor, field_prompt, key_pressed, list_view, queued_keys, search_query,
    search_results,
};
use crate::tui::{layout, search_completion};

pub fn paste(app: &mut App, text: &str) {
    if app.prompt.is_none() && app.screen == Screen::Editor {
        return editor::typing::paste(app, text);
    }
    if app.prompt.is_none() && app.screen == Screen::CleanUp {
        return app.clean_up.iter_mut().for_each(|own| own.paste(text));
    }
    let Some(prompt) = app.prompt.as_mut().filter(|own| own.purpose != PromptPurpose::Theme) else { return };
    prompt.paste(text);
    typed(app)
}

pub fn key(app: &mut App, key: KeyEvent) {
    let rows = usize::from(layout::frame(app).body.height).saturating_sub(3);
    let Some(prompt) = &mut app.prompt else { return };
    if prompt.purpose == PromptPurpose::Theme {
        return theme_key(app, key);
    }
    let searching = prompt.purpose == PromptPurpose::Search;
    let filtering = prompt.purpose == PromptPurpose::RowFilter;
    let listing = prompt.purpose.is_list();
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    // In every prompt, Ctrl-u clears the text. If there is none, it scrolls.
    let edits = key.code == KeyCode::Char('u') && !prompt.text().is_empty();
    let by = if edits { None } else { confirm::scroll_by_key(key, true, rows) };
    match key.code {
        KeyCode::Char('p') if control && searching => recall(app, true),
        KeyCode::Char('n') if control && searching => recall(app, false),
        KeyCode::Tab | KeyCode::BackTab => {
            complete(app, key.code == KeyCode::Tab);
            typed(app)
        }
        KeyCode::Esc => close(app),
        KeyCode::Enter if searching => {
            app.prompt = None;
            search_results::let_go(app);
            app.search_history.keep(&app.query);
        }
        KeyCode::Enter if filtering => {
            let text = prompt.text();
            app.prompt = None;
            list_view::filter_typed(app, &text, true);
        }
        KeyCode::Enter if listing => run_choice(app),
        KeyCode::Enter => field_prompt::entered(app),
        _ if listing && by.is_some() => {
            let last = prompt.actions().len().saturating_sub(1);
            let at = prompt.choice.at.min(last).saturating_add_signed(by.unwrap_or_default());
            prompt.choice.at = at.min(last);
        }
        KeyCode::Up if searching => recall(app, true),
        KeyCode::Down if searching && app.search_history.is_back() => recall(app, false),
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

fn complete(app: &mut App, ahead: bool) {
    let Some(mut prompt) = app.prompt.take() else { return };
    match prompt.purpose {
        PromptPurpose::Search | PromptPurpose::MarkBySearch => {
            prompt.suggest(|word| search_completion::of(app, word), ahead)
        }
        _ => prompt.complete(ahead),
    }
    app.prompt = Some(prompt);
}

fn recall(app: &mut App, earlier: bool) {
    let Some(prompt) = &mut app.prompt else { return };
    let Some(text) = app.search_history.step(earlier, &prompt.text()) else { return };
    prompt.replace(&text);
    typed(app)
}

fn run_choice(app: &mut App) {
    let chosen = |prompt: &Prompt| prompt.actions().get(prompt.choice.at).map(|known| known.action);
    let action = app.prompt.as_ref().and_then(chosen);
    // An action without a key waits as one with a key does, and the palette stays open.
    let enter = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);
    if action.is_some_and(|action| queued_keys::queue_if_early(app, action, "", enter)) {
        return;
    }
    let (Some(prompt), Some(action)) = (app.prompt.take(), action) else { return };
    action_dispatch::act(app, action);
    let asked = app.prompt.as_mut().filter(|own| own.purpose == PromptPurpose::Export);
    if let (Some(asked), Some((_, file))) = (asked, prompt.text().split_once(' ')) {
        asked.paste(file.trim());
    }
}

/// Closes a prompt. A search or a filter becomes what it was before.
pub fn close(app: &mut App) {
    if app.prompt.as_ref().is_some_and(|own| own.purpose == PromptPurpose::Theme) {
        return leave_themes(app);
    }
    match app.prompt.take() {
        Some(prompt) if prompt.purpose == PromptPurpose::Search => {
            search_query::set_query(app, prompt.former_text)
        }
        Some(prompt) if prompt.purpose == PromptPurpose::RowFilter => {
            list_view::filter_typed(app, &prompt.former_text, true)
        }
        _ => {}
    }
}

fn typed(app: &mut App) {
    let Some(prompt) = &mut app.prompt else { return };
    prompt.choice = Default::default();
    if prompt.purpose == PromptPurpose::RowFilter {
        let text = prompt.text();
        return list_view::filter_typed(app, &text, false);
    }
    if prompt.purpose != PromptPurpose::Search {
        return;
    }
    let text = prompt.text();
    search_query::set_query(app, text)
}

/// Opens the list at the present colours. A screen without colours stays so: the user asked for that.
pub fn open_themes(app: &mut App) {
    if app.palette == ColourPalette::None {
        return app.say(
            "There are no colours: `--no-color` or the variable `NO_COLOR` is set. Start palimp without.",
        );
    }
    let palette = app.palette;
    let prompt = app.open_prompt(PromptPurpose::Theme, "");
    prompt.former_colours = palette;
    prompt.choice.at = ColourPalette::CHOICES.iter().position(|(own, ..)| *own == palette).unwrap_or(0);
}

fn theme_key(app: &mut App, key: KeyEvent) {
    let by = match key.code {
        KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => 1,
        KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => -1,
        KeyCode::Home => isize::MIN,
        KeyCode::End => isize::MAX,
        KeyCode::Enter => 0,
        KeyCode::Esc | KeyCode::Char('q') => return leave_themes(app),
        _ => return,
    };
    let Some(prompt) = &mut app.prompt else { return };
    let last = ColourPalette::CHOICES.len() - 1;
    prompt.choice.at = prompt.choice.at.saturating_add_signed(by).min(last);
    let (palette, name, _) = ColourPalette::CHOICES[prompt.choice.at];
    app.palette = palette;
    // The detail is drawn again in the new colours.
    app.detail_key = None;
    if key.code == KeyCode::Enter {
        app.prompt = None;
        app.say(format!("{name} until palimp ends. `theme = \"{name}\"` in config.toml keeps it."));
    }
}

fn leave_themes(app: &mut App) {
    let Some(prompt) = app.prompt.take() else { return };
    app.palette = prompt.former_colours;
    app.detail_key = None;
}
