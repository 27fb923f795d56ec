//! The action `repeat`.

use crate::tui::state::app::{App, ChangeTarget};
use crate::tui::update::running_change::request_change;

/// Makes the last change, of other memories.
pub fn repeat(app: &mut App, aim: ChangeTarget) -> Result<(), String> {
    let wanted = app.changes.last_change.clone().ok_or("nothing was changed yet that could be repeated")?;
    request_change(app, Some(aim), wanted);
    Ok(())
}
