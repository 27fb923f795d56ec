//! The five on-disk formats. One folder each; they never import one another.

use crate::model::{Entry, RecordText, Store};

/// What a search looks in, unfolded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Searched {
    /// Title, tags and id.
    pub head: Vec<String>,
    /// Every other string value, except ids of other records, times and checksums.
    pub body: Vec<String>,
}

/// An entry's title, text and fields.
pub fn text_of(store: &Store, entry: &Entry) -> RecordText {
    let _ = (store, entry);
    RecordText::default()
}

/// What a search looks in for an entry. A broken record has its bytes as body.
pub fn searched_of(store: &Store, entry: &Entry) -> Searched {
    let _ = (store, entry);
    Searched::default()
}
