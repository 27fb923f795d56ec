//! Typing in the form.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::format;
use crate::tui::editor::text_buffer::TextBuffer;
use crate::tui::editor::{Editor, LinkCompletion, choices, form_layout, is_open};
use crate::tui::state::app::App;
use crate::tui::state::row_list::around;
use crate::tui::update::editor::form_request::changed;
use crate::tui::update::editor::leave::say_choices;

/// At most this many names are offered after `[[`.
const NAMES: usize = 50;

pub fn key(app: &mut App, key: KeyEvent) {
    let Some(editor) = &mut app.editor else { return };
    if key.code == KeyCode::Tab && complete(editor) {
        return changed(app);
    }
    editor.completion = None;
    if moved(editor, key) {
        return;
    }
    let before = editor.text().as_str().len();
    let is_typed = match choices(&editor.own().kind) {
        _ if !is_open(editor.own()) => false,
        words if words.is_empty() => typed(editor, key),
        words => chosen(editor, &words, key),
    };
    // A key that finds nothing to remove changes nothing.
    if is_typed && (before > 0 || !editor.text().as_str().is_empty()) {
        changed(app);
    }
}

/// Undoes or redoes an edit of the focused field.
pub fn reverse(app: &mut App, turn: fn(&mut TextBuffer) -> bool) {
    if app.editor.as_mut().is_some_and(|editor| turn(editor.text())) {
        changed(app)
    }
}

/// Moves the cursor. True if the key moves.
fn moved(editor: &mut Editor, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let is_area = editor.is_area();
    let is_choice = !choices(&editor.own().kind).is_empty();
    match key.code {
        KeyCode::Tab => by_fields(editor, 1),
        KeyCode::BackTab => by_fields(editor, -1),
        KeyCode::Enter if !is_area => by_fields(editor, 1),
        KeyCode::Down => by_rows(editor, 1),
        KeyCode::Up => by_rows(editor, -1),
        KeyCode::PageDown if is_area => drop(editor.text().by_rows(10)),
        KeyCode::PageUp if is_area => drop(editor.text().by_rows(-10)),
        KeyCode::PageDown => by_fields(editor, 5),
        KeyCode::PageUp => by_fields(editor, -5),
        KeyCode::Left | KeyCode::Right if is_choice => return false,
        KeyCode::Left if control => editor.text().word_left(),
        KeyCode::Right if control => editor.text().word_right(),
        KeyCode::Left => editor.text().left(),
        KeyCode::Right => editor.text().right(),
        KeyCode::Home if control => editor.text().first(),
        KeyCode::End if control => editor.text().last(),
        KeyCode::Home => editor.text().row_start(),
        KeyCode::End => editor.text().row_end(),
        _ => return false,
    }
    true
}

fn by_rows(editor: &mut Editor, by: isize) {
    if !editor.is_area() || !editor.text().by_rows(by) {
        by_fields(editor, by);
    }
}

/// Goes to another field. Fields that can't be edited are not skipped, so that all of them can be seen.
fn by_fields(editor: &mut Editor, by: isize) {
    let last = editor.form.fields.len() - 1;
    editor.field = match by {
        1 if editor.field == last => 0,
        -1 if editor.field == 0 => last,
        _ => editor.field.saturating_add_signed(by).min(last),
    };
    editor.row = 0;
}

/// Changes a text. True if the key changes it.
fn typed(editor: &mut Editor, key: KeyEvent) -> bool {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let text = editor.text();
    match key.code {
        KeyCode::Char('w') if control => text.delete_word(),
        KeyCode::Char('u') if control => text.delete_to_start(),
        KeyCode::Char('k') if control => text.delete_to_end(),
        KeyCode::Backspace if control || alt => text.delete_word(),
        KeyCode::Delete if control || alt => text.delete_next_word(),
        KeyCode::Backspace => text.backspace(),
        KeyCode::Delete => text.delete(),
        KeyCode::Enter => text.type_char('\n'),
        KeyCode::Char(c) if !control && !alt => text.type_char(c),
        _ => return false,
    }
    true
}

/// Chooses a word. True if the key chooses one.
fn chosen(editor: &mut Editor, words: &[String], key: KeyEvent) -> bool {
    let own = words.iter().position(|word| word == editor.texts[editor.field].as_str());
    let many = words.len();
    let next = match key.code {
        KeyCode::Right | KeyCode::Char(' ') => around(own, many, true),
        KeyCode::Left => around(own, many, false),
        KeyCode::Char(c) if (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
            let from = own.map_or(0, |own| own + 1);
            let mut round = (from..many).chain(0..from);
            match round.find(|at| words[*at].starts_with(c)) {
                Some(at) => at,
                None => return false,
            }
        }
        _ => return false,
    };
    editor.text().set(&words[next]);
    true
}

/// Inserts a paste as one edit. A text of one line stays on one line.
pub fn paste(app: &mut App, pasted: &str) {
    let Some(editor) = &mut app.editor else { return };
    let takes = is_open(editor.own()) && choices(&editor.own().kind).is_empty();
    if editor.found_draft.is_some() {
        return say_choices(app);
    }
    if pasted.is_empty() || !takes || editor.conflict.is_some() || editor.saving {
        return;
    }
    editor.completion = None;
    match editor.is_area() {
        true => editor.text().paste(pasted),
        false => editor.text().paste(&pasted.replace(['\n', '\r'], " ")),
    }
    changed(app)
}

/// Completes the name of a note after `[[`. False if no name is being typed.
fn complete(editor: &mut Editor) -> bool {
    if let Some(completion) = &mut editor.completion {
        completion.at = (completion.at + 1) % completion.names.len().max(1);
        return put_name(editor);
    }
    let (store, entry) = editor.snapshot.get(editor.at);
    if !format::is_markdown(store, entry) || editor.own().name != "text" {
        return false;
    }
    let text = &editor.texts[editor.field];
    let before = &text.as_str()[..text.cursor()];
    let Some(open) = before.rfind("[[").filter(|at| !before[*at..].contains([']', '\n'])) else {
        return false;
    };
    let typed = &before[open + 2..];
    let ids = store.entries.iter().filter_map(|entry| store.memory(entry));
    let notes = ids.filter(|memory| memory.kind() == "note").filter_map(|memory| memory.id());
    let mut names: Vec<String> = notes.filter(|id| id.contains(typed)).map(str::to_owned).collect();
    names.sort_by_key(|name| (!name.starts_with(typed), name.clone()));
    names.dedup();
    names.truncate(NAMES);
    if names.is_empty() {
        return false;
    }
    editor.completion = Some(LinkCompletion { names, at: 0, from: open + 2 });
    put_name(editor)
}

fn put_name(editor: &mut Editor) -> bool {
    let Some(completion) = editor.completion.clone() else { return false };
    let name = format!("{}]]", completion.names[completion.at]);
    let text = editor.text();
    let rest = &text.as_str()[text.cursor()..];
    // The closing brackets are not doubled.
    let end = text.cursor() + if rest.starts_with("]]") { 2 } else { 0 };
    text.replace(completion.from..end, &name);
    true
}

/// Wraps the focused field, and scrolls so that its cursor is on screen.
pub fn refresh(app: &mut App) {
    let form = form_layout::areas(app).form;
    let (width, height) = (form.width.saturating_sub(2), form.height.saturating_sub(1));
    let Some(editor) = &mut app.editor else { return };
    let (_, width) = form_layout::columns(editor, width);
    let is_area = editor.is_area();
    editor.text().wrap(if is_area { width } else { usize::MAX / 2 });
    let shown = form_layout::rows_of_own(editor, height);
    let (row, _) = editor.texts[editor.field].place();
    let last = editor.texts[editor.field].len().saturating_sub(shown);
    editor.row = editor.row.clamp((row + 1).saturating_sub(shown), row).min(last.max(row));
    editor.top = editor.top.min(editor.field);
    let used = |editor: &Editor| {
        (editor.top..=editor.field).map(|at| form_layout::height_of(editor, at, height)).sum::<usize>()
    };
    while editor.top < editor.field && used(editor) > usize::from(height) {
        editor.top += 1;
    }
}
