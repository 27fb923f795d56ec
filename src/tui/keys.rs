//! From key events to actions.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::action::{ACTIONS, Action};

/// What a key, after those that wait, comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// An action.
    Act(Action),
    /// The start of a sequence: these keys wait for another.
    Waiting(String),
    /// Nothing.
    Nothing,
}

/// The name of a key as the table of actions spells it.
pub fn name(key: KeyEvent) -> String {
    let plain = match key.code {
        KeyCode::Char(' ') => "Space".to_owned(),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".into(),
        KeyCode::Esc => "Esc".into(),
        KeyCode::Backspace => "Backspace".into(),
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

/// The key of a name as the table spells it; none for several keys.
pub fn of_name(own: &str) -> Option<KeyEvent> {
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
        (_, Some('F'), Some(_)) => KeyCode::F(plain[1..].parse().ok()?),
        (_, Some(c), None) => KeyCode::Char(c),
        _ => return None,
    };
    Some(KeyEvent::new(code, modifiers))
}

/// What a key comes to after the keys that wait.
pub fn press(waiting: &str, key: KeyEvent) -> Pressed {
    let own = name(key);
    if own.is_empty() {
        return Pressed::Nothing;
    }
    let keys = if waiting.is_empty() { own } else { format!("{waiting} {own}") };
    let bound =
        |keys: &str| ACTIONS.iter().find(|known| known.keys.contains(&keys)).map(|known| known.action);
    if let Some(action) = bound(&keys) {
        return Pressed::Act(action);
    }
    let start = format!("{keys} ");
    if ACTIONS.iter().any(|known| known.keys.iter().any(|bound| bound.starts_with(&start))) {
        return Pressed::Waiting(keys);
    }
    Pressed::Nothing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things() {
        let keys: Vec<&str> = ACTIONS.iter().flat_map(|known| known.keys).copied().collect();
        for (index, key) in keys.iter().enumerate() {
            assert!(!keys[index + 1..].contains(key), "{key} is bound twice");
            let start = format!("{key} ");
            assert!(
                !keys.iter().any(|other| other.starts_with(&start)),
                "{key} is bound and starts a sequence"
            );
        }
    }

    #[test]
    fn a_sequence_waits_for_its_second_key() {
        let key = |c| KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
        assert_eq!(press("", key('g')), Pressed::Waiting("g".into()));
        assert_eq!(press("g", key('g')), Pressed::Act(Action::First));
        assert_eq!(press("g", key('z')), Pressed::Nothing);
    }
}
