//! Text of a store. Anyone may have written it: an agent copies web pages into its memories.

/// Untrusted text. It has no `Display`, so that none is printed by mistake: `text::safe_text` makes it safe for a screen
/// and for standard output.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UntrustedText(Box<str>);

impl UntrustedText {
    /// The text as it is stored: to search it, to compare it, to write it to files, and to make it safe.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// The text as it is stored, to own it. See [`Self::raw`].
    pub fn into_raw(self) -> String {
        self.0.into()
    }
}

impl<T: Into<Box<str>>> From<T> for UntrustedText {
    fn from(text: T) -> Self {
        UntrustedText(text.into())
    }
}
