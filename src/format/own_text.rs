//! Whether a record has a text that was not lost. The placeholder for a lost text does not count.

use super::Format;
use crate::text::edit::scan;
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// The placeholder for a lost text.
pub const LOST: &str = "(lost)";

/// Whether the main text of a record is its text, and not a substitute that is shown when there is none.
pub fn says(format: &(impl Format + ?Sized), record: Json<'_>) -> bool {
    let (text, _) = format.main_text(record);
    if text == record.plain() {
        return false;
    }
    let mut tape = Tape::default();
    match scan(&mut tape, text.as_bytes()) {
        Ok(value) if matches!(value.kind(), Kind::Object | Kind::Array) => {
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

/// Whether a text has a visible character and is not the placeholder for a lost text.
pub fn is_text(text: &str) -> bool {
    let says = |own: char| !own.is_whitespace() && !own.is_control() && own != char::REPLACEMENT_CHARACTER;
    text.trim() != LOST && text.contains(says)
}
