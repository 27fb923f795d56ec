//! Finds out if a record has a text that is not lost. The placeholder for a lost text does not count.

use super::Format;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::scan;
use crate::text::json_scanner::Tape;

/// The placeholder for a lost text.
pub const LOST_TEXT: &str = "(lost)";

/// True if the main text is the record's own, and not a substitute that is shown for a missing one.
pub fn has_own_text(format: &(impl Format + ?Sized), record: Json<'_>) -> bool {
    let (text, _) = format.main_text(record);
    if text == record.plain() {
        return false;
    }
    let mut tape = Tape::default();
    match scan(&mut tape, text.as_bytes()) {
        Ok(value) if matches!(value.kind(), JsonKind::Object | JsonKind::Array) => {
            let mut found = false;
            value.each_string(&mut |path, own| {
                let is_role = path.last().is_some_and(|name| matches!(&**name, "role" | "type"));
                found |= !is_role && is_text(&own.plain());
            });
            found
        }
        _ => is_text(&text),
    }
}

/// True if a text has a visible character and is not the placeholder for a lost text.
pub fn is_text(text: &str) -> bool {
    let says = |own: char| !own.is_whitespace() && !own.is_control() && own != char::REPLACEMENT_CHARACTER;
    text.trim() != LOST_TEXT && text.contains(says)
}
