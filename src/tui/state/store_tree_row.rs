//! A row of the tree of stores and sessions.

use crate::model::Severity;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTreeRow {
    /// The index of the store; `None` for all stores.
    pub store: Option<usize>,
    /// The session or type below the store; `None` for the store itself. Untrusted text.
    pub name: Option<String>,
    pub is_session: bool,
    pub count: Option<usize>,
    /// The worst severity of its problems, errors or warnings, and how many of them its store has.
    pub worst: Option<(Severity, usize)>,
}

/// Returns a term for a field and its value, in quotes if the value is not one plain word.
pub fn term(field: &str, value: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if !value.is_empty() && value.chars().all(plain) && !value.starts_with('-') {
        return format!("{field}:{value}");
    }
    format!("{field}:\"{}\"", value.replace(['"', '\\'], "*"))
}
