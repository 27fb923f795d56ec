//! Whether a record says anything: what stands for a text that is lost is none.

use super::Format;
use crate::text::edit::scan;
use crate::text::json::{Json, Kind};
use crate::text::scan::Tape;

/// What stands for a text of which nothing is left.
pub const LOST: &str = "(lost)";

/// Whether the main text of a record is a text, and not what is shown where there is none.
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

/// Whether a text says anything: what stands for what is lost does not.
pub fn is_text(text: &str) -> bool {
    let says = |own: char| !own.is_whitespace() && !own.is_control() && own != char::REPLACEMENT_CHARACTER;
    text.trim() != LOST && text.contains(says)
}
