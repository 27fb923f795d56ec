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

const NAMED: [(KeyCode, &str); 16] = [
    (KeyCode::Char(' '), "Space"),
    (KeyCode::Enter, "Enter"),
    (KeyCode::Esc, "Esc"),
    (KeyCode::Backspace, "Backspace"),
    (KeyCode::Delete, "Delete"),
    (KeyCode::Insert, "Insert"),
    (KeyCode::Tab, "Tab"),
    (KeyCode::BackTab, "S-Tab"),
    (KeyCode::Up, "Up"),
    (KeyCode::Down, "Down"),
    (KeyCode::Left, "Left"),
    (KeyCode::Right, "Right"),
    (KeyCode::Home, "Home"),
    (KeyCode::End, "End"),
    (KeyCode::PageUp, "PgUp"),
    (KeyCode::PageDown, "PgDn"),
];

/// Returns the name of a key, in the spelling of the table of actions.
pub fn name(key: KeyEvent) -> String {
    let named = NAMED.iter().find(|(code, _)| *code == key.code).map(|(_, name)| (*name).to_owned());
    let plain = match (named, key.code) {
        (Some(name), KeyCode::BackTab) => return name,
        (Some(name), _) => name,
        (None, KeyCode::Char(c)) => c.to_string(),
        (None, KeyCode::F(number)) => format!("F{number}"),
        _ => return String::new(),
    };
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return format!("Ctrl-{}", plain.to_lowercase());
    }
    if key.modifiers.contains(KeyModifiers::ALT) { format!("Alt-{plain}") } else { plain }
}

/// Parses the name of one key, in the spelling of the table; `None` for a sequence.
pub fn parse_key(own: &str) -> Option<KeyEvent> {
    let (modifiers, plain) = match (own.strip_prefix("Ctrl-"), own.strip_prefix("Alt-")) {
        (Some(rest), _) => (KeyModifiers::CONTROL, rest),
        (_, Some(rest)) => (KeyModifiers::ALT, rest),
        _ => (KeyModifiers::NONE, own),
    };
    let mut chars = plain.chars();
    let named = NAMED.iter().find(|(_, name)| *name == plain).map(|(code, _)| *code);
    let code = match (named, chars.next(), chars.next()) {
        (Some(code), ..) => code,
        (None, Some('F'), Some(_)) => KeyCode::F(plain[1..].parse().ok()?),
        (None, Some(c), None) => KeyCode::Char(c),
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
