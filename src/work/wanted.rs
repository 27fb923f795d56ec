//! What can be asked for, and what it is called.

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Tags are added and taken away.
    Tag {
        /// These come.
        add: Vec<String>,
        /// These go.
        remove: Vec<String>,
    },
    /// The importance is set.
    Importance(f64),
    /// The main text is this.
    Text(String),
    /// It is moved aside.
    Archive,
    /// It is brought back.
    Unarchive,
    /// It is deleted.
    Delete,
    /// Its deletion is taken back.
    Undelete,
    /// The last step is taken back.
    Undo,
    /// What was taken back last is done again.
    Redo,
}

impl Wanted {
    /// What is going on while it is done.
    pub fn going_on(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagging",
            Wanted::Importance(_) => "setting the importance of",
            Wanted::Text(_) => "saving",
            Wanted::Archive => "archiving",
            Wanted::Unarchive => "bringing back",
            Wanted::Delete => "deleting",
            Wanted::Undelete => "restoring",
            Wanted::Undo => "taking back the last change",
            Wanted::Redo => "doing again what was taken back",
        }
    }

    /// The verb, as a question has it.
    pub fn verb(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tag",
            Wanted::Importance(_) => "set the importance of",
            Wanted::Text(_) => "save",
            Wanted::Archive => "archive",
            Wanted::Unarchive => "bring back",
            Wanted::Delete => "delete",
            Wanted::Undelete => "restore",
            Wanted::Undo => "undo",
            Wanted::Redo => "redo",
        }
    }

    /// What was done, once it is.
    pub fn done(&self) -> &'static str {
        match self {
            Wanted::Tag { .. } => "tagged",
            Wanted::Importance(_) => "set the importance of",
            Wanted::Text(_) => "saved",
            Wanted::Archive => "archived",
            Wanted::Unarchive => "brought back",
            Wanted::Delete => "deleted",
            Wanted::Undelete => "restored",
            Wanted::Undo => "took back",
            Wanted::Redo => "did again",
        }
    }
}
