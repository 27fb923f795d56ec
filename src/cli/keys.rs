//! `palimp keys`: every key of the screens, and what it does.

use super::Context;
use super::failure::{Exit, Failure};
use crate::tui::action::ACTIONS;

/// Prints the keymap.
pub fn run(context: &mut Context) -> Result<Exit, Failure> {
    for known in ACTIONS {
        if context.options.json {
            let row = serde_json::json!({ "action": known.name, "keys": known.keys, "about": known.about });
            context.out.json(&row)?;
        } else {
            context.out.line(&format!("{:16} {:18} {}", known.keys.join("  "), known.name, known.about))?;
        }
    }
    Ok(Exit::Done)
}
