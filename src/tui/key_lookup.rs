//! From key events to actions.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::Action;
use super::keymap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMeaning {
    Act(Action),
    /// The start of a sequence: it needs another key.
    Waiting(String),
    Nothing,
}

/// Returns the name of a key, in the spelling of the table of actions.
pub fn name(key: KeyEvent) -> String {
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".into(),
        KeyCode::Esc => "Esc".into(),
        KeyCode::Backspace => "Backspace".into(),
        KeyCode::Delete => "Delete".into(),
        KeyCode::Insert => "Insert".into(),
        KeyCode::Tab => "Tab".into(),
        KeyCode::BackTab => return "S-Tab".into(),
        KeyCode::Up => "Up".into(),
        KeyCode::Down => "Down".into(),
        KeyCode::Left => "Left".into(),
        KeyCode::Right => "Right".into(),
        KeyCode::Home => "Home".into(),
        KeyCode::End => "End".into(),
        KeyCode::PageUp => "PgUp".into(),
        KeyCode::PageDown => "PgDn".into(),
        KeyCode::F(number) => format!("F{number}"),
        _ => return String::new(),
    };
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return format!("Ctrl-{}", plain.to_lowercase());
    }
    if key.modifiers.contains(KeyModifiers::ALT) { format!("Alt-{plain}") } else { plain }
}

/// Parses the name of one key, in the spelling of the table; `None` for a sequence.
pub fn parse_key(own: &str) -> Option<KeyEvent> {
    let mut modifiers = KeyModifiers::NONE;
    let plain = match (own.strip_prefix("Ctrl-"), own.strip_prefix("Alt-")) {
        (Some(rest), _) => {
            modifiers = KeyModifiers::CONTROL;
            rest
        }
        (_, Some(rest)) => {
            modifiers = KeyModifiers::ALT;
            rest
        }
        _ => own,
    };
    let mut chars = plain.chars();
    let code = match (plain, chars.next(), chars.next()) {
        ("Space", ..) => KeyCode::Char(' '),
        ("Enter", ..) => KeyCode::Enter,
        ("Esc", ..) => KeyCode::Esc,
        ("Tab", ..) => KeyCode::Tab,
        ("Backspace", ..) => KeyCode::Backspace,
        ("Delete", ..) => KeyCode::Delete,
        ("Insert", ..) => KeyCode::Insert,
        ("S-Tab", ..) => KeyCode::BackTab,
        ("Up", ..) => KeyCode::Up,
        ("Down", ..) => KeyCode::Down,
        ("Left", ..) => KeyCode::Left,
        ("Right", ..) => KeyCode::Right,
        ("Home", ..) => KeyCode::Home,
        ("End", ..) => KeyCode::End,
        ("PgUp", ..) => KeyCode::PageUp,
        ("PgDn", ..) => KeyCode::PageDown,
        (_, Some('F'), Some(_)) => KeyCode::F(plain[1..].parse().ok()?),
        (_, Some(c), None) => KeyCode::Char(c),
        _ => return None,
    };
    Some(KeyEvent::new(code, modifiers))
}

pub fn lookup(waiting: &str, key: KeyEvent) -> KeyMeaning {
    let own = name(key);
    if own.is_empty() {
        return KeyMeaning::Nothing;
    }
    let keys = if waiting.is_empty() { own } else { format!("{waiting} {own}") };
    let keymap = keymap::in_use();
    match keymap.action(&keys) {
        Some(action) => KeyMeaning::Act(action),
        None if keymap.begins(&keys) => KeyMeaning::Waiting(keys),
        None => KeyMeaning::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_waits_for_its_second_key() {
        let key = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        assert_eq!(lookup("", key('g')), KeyMeaning::Waiting("g".into()));
        assert_eq!(lookup("g", key('g')), KeyMeaning::Act(Action::Top));
        assert_eq!(lookup("g", key('z')), KeyMeaning::Nothing);
    }
}
