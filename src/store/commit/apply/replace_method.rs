//! How palimp replaces a file without loss of what other programs do at the same moment.

/// What keeps changes of other programs while a file is replaced, best method first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplaceMethod {
    /// Both files exchange places in one call.
    #[default]
    Exchange,
    /// The old file keeps a second name. A file that replaces it during the rename itself is lost.
    Link,
    /// A copy of the old file. Late appends are lost, too.
    Copy,
}

impl ReplaceMethod {
    /// Returns the word for the journal, `None` for the usual method.
    pub fn word(self) -> Option<String> {
        match self {
            ReplaceMethod::Exchange => None,
            ReplaceMethod::Link => Some("link".to_owned()),
            ReplaceMethod::Copy => Some("copy".to_owned()),
        }
    }
}
