//! What can be on the screen: panes of the main view, views that fill it, tabs of the detail.

/// A part of the main view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    Sessions,
    Facets,
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
    Browse,
    /// Every problem.
    Problems,
    /// Backups, and what would come back of one.
    Restore,
    /// What is due to be archived, and what is.
    Archive,
    /// What is due, and what a compaction drops.
    Upkeep,
    /// Every step.
    Journal,
    /// What agents wrote since the last visit.
    New,
    /// Two sessions side by side.
    Sessions,
    /// What was written when, and how the stores grow.
    Statistics,
    /// Two memories beside each other.
    Compare,
    /// The form of one memory.
    Edit,
}

impl Pane {
    /// What people call it.
    pub fn title(self) -> &'static str {
        match self {
            Pane::Sessions => "Stores",
            Pane::Facets => "Filters",
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
            Screen::Browse => "Memories",
            Screen::Problems => "Problems",
            Screen::Restore => "Backups",
            Screen::Archive => "Archive",
            Screen::Upkeep => "Upkeep",
            Screen::Journal => "Journal",
            Screen::New => "New",
            Screen::Sessions => "Sessions",
            Screen::Statistics => "Statistics",
            Screen::Compare => "Compare",
            Screen::Edit => "Editor",
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
