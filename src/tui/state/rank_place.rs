//! The place of a rank in the list.

use crate::query::Hit;

#[derive(Clone, Debug, PartialEq)]
pub struct RankPlace {
    pub place: usize,
    /// The memory after it, with its title. Untrusted text.
    pub next: Option<(Hit, String)>,
}
