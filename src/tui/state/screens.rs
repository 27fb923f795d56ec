//! What can be on the screen: panes of the main view, views that fill it, tabs of the detail.

/// A part of the main view.
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

/// The view that fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// No store was found: where palimp looked, and what to do.
    Welcome,
    /// The main view.
    #[default]
    Memories,
    Problems,
    /// Backups, and what one of them would restore.
    Backups,
    /// What is due to be archived, and what is archived.
    Archive,
    /// What is due, and what a compaction drops.
    Upkeep,
    /// All steps.
    Journal,
    /// What agents wrote since the last visit.
    New,
    /// What looks sensitive.
    Secrets,
    /// What a model gets when an agent starts.
    Loaded,
    /// Two sessions side by side.
    SessionPair,
    /// Something is forgotten, step by step.
    CleanUp,
    /// What was written when, and how the stores grow.
    Statistics,
    /// Two memories side by side.
    Difference,
    Editor,
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
        matches!(self, Screen::Secrets | Screen::New | Screen::Archive | Screen::SessionPair)
    }

    pub fn title(self) -> &'static str {
        match self {
            Screen::Welcome => "First run",
            Screen::Memories => "Memories",
            Screen::Problems => "Problems",
            Screen::Backups => "Backups",
            Screen::Archive => "Archive",
            Screen::Upkeep => "Upkeep",
            Screen::Journal => "Journal",
            Screen::New => "New",
            Screen::Secrets => "Secrets",
            Screen::Loaded => "Loaded",
            Screen::SessionPair => "Sessions",
            Screen::CleanUp => "Clean-up",
            Screen::Statistics => "Statistics",
            Screen::Difference => "Compare",
            Screen::Editor => "Editor",
        }
    }
}

/// What the detail pane shows of a memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    #[default]
    Read,
    Raw,
    References,
    /// The events of the memory's trace, by time.
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
            Tab::Raw => "Raw",
            Tab::References => "References",
            Tab::Timeline => "Timeline",
        }
    }
}
