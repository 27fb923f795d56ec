//! A key and what it does.

use crate::tui::action::Action;

pub type Hint = (String, String);

pub fn hint(keys: &str, what: &str) -> Hint {
    (keys.to_owned(), what.to_owned())
}

pub fn act(action: Action, what: &str) -> Hint {
    hint(action.key(), what)
}
