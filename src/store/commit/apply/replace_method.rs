//! How what another program does to a file in the moment of its replacement is held.

/// What holds what others put in a file's place while it is replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplaceMethod {
    /// The two change places at once.
    #[default]
    Exchange,
    /// A second name of the file; what replaces it within the very rename is not held.
    Link,
    /// A copy of the file; late appends to it are not held either.
    Copy,
}

impl ReplaceMethod {
    /// As the journal says it, where it is not the usual one.
    pub fn word(self) -> Option<String> {
        match self {
            ReplaceMethod::Exchange => None,
            ReplaceMethod::Link => Some("link".to_owned()),
            ReplaceMethod::Copy => Some("copy".to_owned()),
        }
    }
}
