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

/// Which view fills the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Screen {
    /// Nothing was found: what was looked for, and what to do.
    Welcome,
    /// Sessions, memories, detail.
    #[default]
    Memories,
    /// Every problem.
    Problems,
    /// Backups, and what would come back of one.
    Backups,
    /// What is due to be archived, and what is.
    Archive,
    /// What is due, and what a compaction drops.
    Upkeep,
    /// Every step.
    Journal,
    /// What agents wrote since the last visit.
    New,
    /// Two sessions side by side.
    SessionPair,
    /// What was written when, and how the stores grow.
    Statistics,
    /// Two memories beside each other.
    Difference,
    /// The form of one memory.
    Editor,
}

impl Pane {
    /// What people call it.
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
    /// What people call it.
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
            Screen::SessionPair => "Sessions",
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
    /// The events of its trace, in order of time.
    Timeline,
}

impl Tab {
    /// Whether it is a list of memories, with a cursor.
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
