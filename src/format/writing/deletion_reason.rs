//! The reason of a deletion. It must be a code, because it stays after the content is gone.

use super::{Refusal, Result};

/// The reason of a deletion if none is given.
pub const DELETION_REASON: &str = "user_request";

/// True if a reason is a code, which can't repeat the content.
pub fn is_code(reason: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    !reason.is_empty() && reason.len() <= 64 && reason.chars().all(fits)
}

/// Returns the reason if it is a code.
pub fn reason(reason: &str) -> Result<&str> {
    match is_code(reason) {
        true => Ok(reason),
        false => Err(Refusal::invalid(format!(
            "a reason is a code of letters, digits, - _ and ., not a sentence. {reason:?} is not such a code."
        ))),
    }
}
