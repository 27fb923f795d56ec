//! What can be on the screen: panes of the main view, views that fill it, tabs of the detail.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    Sessions,
    Filters,
    Health,
    #[default]
    Memories,
    Detail,
    Why,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// The main view. Without a store it says where palimp looked, and what to do.
    #[default]
    Memories,
    Problems,
    /// Backups, and what one of them would restore.
    Backups,
    /// What is due now and next, what fades, what a compaction drops, and what is archived.
    Upkeep,
    Journal,
    /// What agents wrote since the last visit.
    New,
    Secrets,
    /// What a model gets when an agent starts.
    Loaded,
    /// Something is forgotten, step by step.
    CleanUp,
    /// What was written when, and how the stores grow.
    Statistics,
    Difference,
    /// The last one: a test counts the views by it.
    Editor,
}

/// Whether one memory has the whole screen, to be read, and where Esc leads from there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadingView {
    #[default]
    No,
    FromList,
    /// It was opened from a row of another view.
    FromView,
}

impl Pane {
    pub fn title(self) -> &'static str {
        match self {
            Pane::Sessions => "Stores",
            Pane::Filters => "Filters",
            Pane::Health => "Health",
            Pane::Memories => "Memories",
            Pane::Detail => "Detail",
            Pane::Why => "Why",
        }
    }
}

impl Screen {
    /// True if it is a list whose rows are memories, or are in memories, so that these can be removed from there.
    pub fn lists_memories(self) -> bool {
        matches!(self, Screen::Secrets | Screen::New | Screen::Upkeep | Screen::Problems | Screen::Loaded)
    }

    pub fn title(self) -> &'static str {
        match self {
            Screen::Memories => "Memories",
            Screen::Problems => "Problems",
            Screen::Backups => "Backups",
            Screen::Upkeep => "Upkeep",
            Screen::Journal => "Journal",
            Screen::New => "New",
            Screen::Secrets => "Secrets",
            Screen::Loaded => "Loaded",
            Screen::CleanUp => "Clean-up",
            Screen::Statistics => "Statistics",
            Screen::Difference => "Compare",
            Screen::Editor => "Editor",
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Read,
    Raw,
    References,
    Timeline,
}

impl Tab {
    /// True if it is a list of memories with a cursor.
    pub fn is_list(self) -> bool {
        matches!(self, Tab::References | Tab::Timeline)
    }

    pub fn title(self) -> &'static str {
        match self {
            Tab::Read => "Read",
            Tab::Raw => "In the file",
            Tab::References => "References",
            Tab::Timeline => "Timeline",
        }
    }
}
