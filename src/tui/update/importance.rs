//! The action `importance`.

use crate::ops::set_field::may_set;
use crate::tui::value_prompt::{ValuePrompt, now};
use crate::usecase::ChangeCommand;

pub const IMPORTANCE: ValuePrompt = ValuePrompt {
    title: "Importance of",
    form: "0 to 1, or high, medium, low",
    words: |_, _, _| Vec::new(),
    may: |store, entry| may_set(store, entry, "importance"),
    now: |store, entry| now(store, entry, |view| format!("{:.2}", view.importance)),
    command: importance,
};

fn importance(text: &str) -> Result<ChangeCommand, &'static str> {
    let number = match text.trim() {
        "high" => Some(0.9),
        "medium" => Some(0.6),
        "low" => Some(0.3),
        text => text.parse().ok().filter(|number| (0.0..=1.0).contains(number)),
    };
    number
        .map(ChangeCommand::SetImportance)
        .ok_or("The importance is a number from 0 to 1, or high, medium, low.")
}
