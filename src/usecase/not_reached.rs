//! Says what an erasure does not reach.

use super::surroundings;
use crate::model::{NotReached, ProviderKeys};

/// Says what an erasure does not reach, one line for each place and each provider. Untrusted text.
pub fn not_reached_lines(own: &NotReached) -> Vec<String> {
    let mut lines: Vec<String> = own.beside.iter().flat_map(surroundings::told).collect();
    if !own.rotate.is_empty() {
        lines.push("keys that open something until they are replaced, by provider:".into());
        lines.extend(own.rotate.iter().map(ProviderKeys::told).map(|line| format!("  {line}")));
    }
    lines
}
