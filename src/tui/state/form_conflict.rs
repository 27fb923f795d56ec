//! A form whose memory another program changed.

/// Which text a field gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldChoice {
    /// The text that the user typed.
    Mine,
    /// The text that is on disk.
    Theirs,
    /// Both: one text after the other, or the items of both lists.
    Both,
}

#[derive(Clone, Debug)]
pub struct ConflictField {
    pub name: String,
    pub before: String,
    pub mine: String,
    pub theirs: String,
    pub side: FieldChoice,
    /// True if both sides changed it, so that the user has to choose.
    pub is_contested: bool,
    pub is_list: bool,
}

/// The fields that differ, and the one under the cursor.
#[derive(Clone, Debug, Default)]
pub struct FormConflict {
    pub fields: Vec<ConflictField>,
    pub at: usize,
    /// True if the typed text is saved as a new memory, and the memory on disk stays as it is.
    pub saves_copy: bool,
}
