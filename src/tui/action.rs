//! Every action: its name, its keys, what it does. Help, palette, hints, `palimp keys`
//! and the keymap are all made from this one table.

use super::app::Screen;

/// Something the user can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    Down,
    Up,
    HalfPageDown,
    HalfPageUp,
    PageDown,
    PageUp,
    First,
    Last,
    NextPane,
    PreviousPane,
    PaneLeft,
    PaneRight,
    SessionsPane,
    FacetsPane,
    HealthPane,
    MemoriesPane,
    DetailPane,
    Zoom,
    Unzoom,
    Open,
    Back,
    Quit,
    QuitNow,
    Search,
    Narrow,
    FilterLikeThis,
    DropFilter,
    NextMatch,
    PreviousMatch,
    Toggle,
    MarkRange,
    MarkAll,
    InvertMarks,
    Marked,
    MarkBySearch,
    Order,
    Ranking,
    Why,
    NextTab,
    PreviousTab,
    Follow,
    GoBack,
    NextProblem,
    PreviousProblem,
    Problems,
    Browse,
    Reveal,
    Palette,
    Help,
    Reload,
    Redraw,
    Suspend,
    Edit,
    EditText,
    Tag,
    RenameTag,
    Pin,
    Importance,
    Type,
    Category,
    Archive,
    Delete,
    Repeat,
    Undo,
    Redo,
    OpenDemo,
    Restore,
    ArchiveView,
    Journal,
    Maintain,
    Compact,
    ChooseAll,
    BringBack,
    Difference,
    ReplaceFile,
    Verify,
    Save,
    Fix,
    NextFinding,
    PreviousFinding,
    FieldInEditor,
    RecordInEditor,
    UndoTyping,
    RedoTyping,
    AsOnDisk,
    Compare,
    RevealTyped,
}

/// What the table knows of an action.
pub struct Known {
    /// Which action.
    pub action: Action,
    /// Its name, as the palette has it.
    pub name: &'static str,
    /// Its keys; two keys one after the other are set apart by a space.
    pub keys: &'static [&'static str],
    /// What it does, in a few words.
    pub about: &'static str,
}

const fn known(
    action: Action,
    name: &'static str,
    keys: &'static [&'static str],
    about: &'static str,
) -> Known {
    Known { action, name, keys, about }
}

/// Every action there is.
pub static ACTIONS: &[Known] = &[
    known(Action::Down, "down", &["j", "Down"], "next line; `6j` to `99j` goes 6 to 99 down"),
    known(Action::Up, "up", &["k", "Up"], "previous line"),
    known(Action::HalfPageDown, "half page down", &["Ctrl-d"], "half a page down"),
    known(Action::HalfPageUp, "half page up", &["Ctrl-u"], "half a page up"),
    known(Action::PageDown, "page down", &["PgDn"], "a page down"),
    known(Action::PageUp, "page up", &["PgUp"], "a page up"),
    known(Action::First, "first", &["g g", "Home"], "the first line"),
    known(Action::Last, "last", &["G", "End"], "the last line"),
    known(Action::NextPane, "next pane", &["Tab"], "the next pane"),
    known(Action::PreviousPane, "previous pane", &["S-Tab"], "the previous pane"),
    known(Action::PaneLeft, "pane left", &["h", "Left"], "the pane to the left"),
    known(Action::PaneRight, "pane right", &["l", "Right"], "the pane to the right"),
    known(Action::SessionsPane, "sessions", &["1"], "stores and sessions"),
    known(Action::FacetsPane, "filters", &["2"], "types, tags and importance of what is listed"),
    known(Action::HealthPane, "health", &["3"], "sizes, problems, secrets, backups"),
    known(Action::MemoriesPane, "memories", &["4"], "the list of memories"),
    known(Action::DetailPane, "detail", &["5"], "the memory under the cursor"),
    known(Action::Zoom, "zoom", &["+"], "this pane alone"),
    known(Action::Unzoom, "all panes", &["_"], "all panes again"),
    known(Action::Open, "open", &["Enter"], "open what is under the cursor"),
    known(Action::Back, "back", &["Esc"], "one level back; clears marks, then the filter"),
    known(Action::Quit, "close", &["q"], "close this view; at the root, quit"),
    known(Action::QuitNow, "quit", &["Q"], "quit"),
    known(Action::Search, "search", &["/"], "search as you type"),
    known(Action::Narrow, "narrow", &["&"], "add to the search"),
    known(Action::FilterLikeThis, "filter like this", &["@"], "only memories of this one's type"),
    known(Action::DropFilter, "drop filter", &["Backspace"], "drop the search term that hides most"),
    known(Action::NextMatch, "next match", &["n"], "the next match"),
    known(Action::PreviousMatch, "previous match", &["N"], "the previous match"),
    known(Action::Toggle, "toggle", &["Space"], "in 4: mark and step; in 1 and 2: filter by this line"),
    known(Action::MarkRange, "mark range", &["v"], "begin a range of marks; once more ends it"),
    known(Action::MarkAll, "mark all", &["*"], "mark all that the search shows"),
    known(Action::InvertMarks, "invert marks", &["~"], "of those shown, mark what has no mark"),
    known(Action::Marked, "marked", &["m"], "the marked ones alone, and back"),
    known(Action::MarkBySearch, "mark by search", &[], "mark what a search finds, whatever is shown"),
    known(Action::Order, "order", &["o"], "order by time, rank, importance, size"),
    known(Action::Ranking, "ranking", &["Alt-r"], "rank by product, or by weighted sum"),
    known(Action::Why, "why", &["w"], "why this rank"),
    known(Action::NextTab, "next tab", &["}"], "read, raw, references, timeline"),
    known(Action::PreviousTab, "previous tab", &["{"], "the tab before"),
    known(Action::Follow, "follow reference", &["g d"], "go to the memory that this one refers to"),
    known(Action::GoBack, "go back", &["Ctrl-o"], "back to where a reference was followed from"),
    known(Action::NextProblem, "next problem", &["] p"], "the next memory with a problem"),
    known(Action::PreviousProblem, "previous problem", &["[ p"], "the previous memory with a problem"),
    known(Action::Problems, "problems", &["g p"], "every problem of these stores"),
    known(Action::Restore, "backups", &["g r"], "backups: what would come back, and restore it"),
    known(
        Action::ArchiveView,
        "archived",
        &["g a"],
        "the archive, what would be archived next, and restoring",
    ),
    known(Action::Journal, "journal", &["g u"], "every step, what others did meanwhile, undo of any of them"),
    known(Action::Maintain, "maintain", &["g m"], "what is due, which memories and why; do it"),
    known(Action::Compact, "compact", &[], "what a compaction would drop and why; do it"),
    known(
        Action::ChooseAll,
        "choose all",
        &["A"],
        "in backups, archive, upkeep: choose all of this list, or none",
    ),
    known(Action::BringBack, "bring back", &["r"], "in the archive: bring back what is chosen"),
    known(Action::Difference, "difference", &["="], "in backups: all differences"),
    known(Action::ReplaceFile, "replace file", &["W"], "in backups: the whole file as it was"),
    known(Action::Verify, "verify", &["V"], "in backups: read every byte of each"),
    known(Action::Browse, "browse", &["g b"], "the memories"),
    known(Action::Reveal, "reveal", &["X"], "show masked values while the key is held"),
    known(Action::Edit, "edit", &["e"], "the memory as a form, checked while you type"),
    known(Action::EditText, "edit text", &["E"], "the main text in $EDITOR"),
    known(Action::Tag, "tag", &["t"], "add and take away tags: +new -old"),
    known(Action::RenameTag, "rename tag", &[], "rename or merge a tag everywhere"),
    known(Action::Pin, "pin", &["p"], "the tag `pinned`, or no longer"),
    known(Action::Importance, "importance", &["i"], "set it, from 0 to 1 or high, medium, low"),
    known(Action::Type, "type", &["T"], "set the type, where it is a field"),
    known(Action::Category, "category", &["C"], "set the category, where there is one"),
    known(Action::Archive, "archive", &["a"], "move it aside"),
    known(Action::Delete, "delete", &["d"], "a menu: delete, archive, restore, erase; at first: the demo"),
    known(Action::Repeat, "repeat", &["."], "the last change, of what is marked or under the cursor"),
    known(Action::Undo, "undo", &["u"], "undo the last change"),
    known(Action::Redo, "redo", &["U"], "redo what was undone last"),
    known(Action::Palette, "command", &[":"], "any action by its name"),
    known(Action::Help, "help", &["?", "F1"], "every key, to search and to run"),
    known(Action::Reload, "reload", &["R"], "read the stores again"),
    known(Action::Redraw, "redraw", &["Ctrl-l"], "redraw the screen"),
    known(Action::Suspend, "suspend", &["Ctrl-z"], "back to the shell; `fg` returns"),
    known(Action::OpenDemo, "demo", &[], "on the first screen: open the demo"),
    known(Action::Save, "save", &["F2", "Ctrl-s"], "in the editor: save the form"),
    known(Action::Fix, "fix", &["Alt-f"], "in the editor: fix this field"),
    known(Action::NextFinding, "next finding", &["Alt-n"], "in the editor: the next field with a problem"),
    known(Action::PreviousFinding, "previous finding", &["Alt-p"], "in the editor: the previous one"),
    known(Action::FieldInEditor, "field in $EDITOR", &["Ctrl-e"], "in the editor: this field in $EDITOR"),
    known(Action::RecordInEditor, "edit record", &["Alt-e"], "the whole record in $EDITOR, then as a form"),
    known(Action::UndoTyping, "undo typing", &["Alt-u"], "in the editor: undo what was typed last"),
    known(Action::RedoTyping, "redo typing", &["Alt-U"], "in the editor: type them again"),
    known(Action::AsOnDisk, "as on disk", &["Alt-z"], "in the editor: every field as it is on disk"),
    known(Action::Compare, "compare", &["Alt-c"], "in the editor: before, mine and theirs"),
    known(Action::RevealTyped, "reveal typed", &["Alt-x"], "in the editor: show masked values for a moment"),
];

impl Action {
    /// What the table knows of it.
    pub fn known(self) -> Option<&'static Known> {
        ACTIONS.iter().find(|known| known.action == self)
    }

    /// The verbs that do the same on the command line; none for what changes the screens alone.
    pub fn verbs(self) -> &'static [&'static str] {
        match self {
            Action::Edit | Action::Save => &["edit"],
            Action::EditText | Action::FieldInEditor | Action::RecordInEditor => &["edit"],
            Action::Importance | Action::Type | Action::Category => &["edit"],
            Action::Tag | Action::RenameTag | Action::Pin => &["tag"],
            Action::Archive => &["archive", "maintain"],
            Action::Delete => &["delete", "archive", "undelete", "unarchive", "erase"],
            Action::Repeat => &["tag", "edit", "archive", "unarchive", "delete", "undelete"],
            Action::Undo => &["undo"],
            Action::Redo => &["redo"],
            Action::OpenDemo => &["demo"],
            Action::Open => &["backup", "maintain", "compact"],
            Action::BringBack => &["unarchive", "backup"],
            Action::ReplaceFile => &["backup"],
            Action::Down | Action::Up | Action::HalfPageDown | Action::HalfPageUp => &[],
            Action::PageDown | Action::PageUp | Action::First | Action::Last => &[],
            Action::NextPane | Action::PreviousPane | Action::PaneLeft | Action::PaneRight => &[],
            Action::SessionsPane | Action::FacetsPane | Action::HealthPane => &[],
            Action::MemoriesPane | Action::DetailPane | Action::Zoom | Action::Unzoom => &[],
            Action::Back | Action::Quit | Action::QuitNow | Action::Suspend => &[],
            Action::Search | Action::Narrow | Action::FilterLikeThis | Action::DropFilter => &[],
            Action::NextMatch | Action::PreviousMatch | Action::Order | Action::Ranking => &[],
            Action::Toggle | Action::MarkRange | Action::MarkAll | Action::InvertMarks => &[],
            Action::Marked | Action::MarkBySearch | Action::ChooseAll => &[],
            Action::Why | Action::NextTab | Action::PreviousTab | Action::Follow | Action::GoBack => &[],
            Action::NextProblem | Action::PreviousProblem | Action::Problems | Action::Browse => &[],
            Action::Reveal | Action::Palette | Action::Help | Action::Reload | Action::Redraw => &[],
            // These views only show; what is done in them has its own key.
            Action::Restore | Action::ArchiveView | Action::Journal => &[],
            Action::Maintain | Action::Compact | Action::Difference | Action::Verify => &[],
            // These change what was typed, and nothing on disk.
            Action::Fix | Action::NextFinding | Action::PreviousFinding => &[],
            Action::UndoTyping | Action::RedoTyping | Action::AsOnDisk => &[],
            Action::Compare | Action::RevealTyped => &[],
        }
    }

    /// The first of its keys, for hints.
    pub fn key(self) -> &'static str {
        self.known().and_then(|known| known.keys.first()).copied().unwrap_or_default()
    }
}

/// The actions that are done in the editor alone, and while typing.
pub const IN_EDITOR: [Action; 11] = [
    Action::Save,
    Action::Fix,
    Action::NextFinding,
    Action::PreviousFinding,
    Action::FieldInEditor,
    Action::RecordInEditor,
    Action::UndoTyping,
    Action::RedoTyping,
    Action::AsOnDisk,
    Action::Compare,
    Action::RevealTyped,
];

/// Whether an action can be run from the help while a form is open: no other view opens over it.
pub fn may_in_editor(action: Action) -> bool {
    IN_EDITOR.contains(&action)
        || matches!(action, Action::QuitNow | Action::Redraw | Action::Suspend | Action::Help)
}

/// The actions that a view has beside those of every view.
fn own(screen: Screen) -> &'static [Action] {
    match screen {
        Screen::Edit => &IN_EDITOR,
        Screen::Restore => {
            &[Action::ChooseAll, Action::Open, Action::ReplaceFile, Action::Difference, Action::Verify]
        }
        Screen::Archive => &[Action::ChooseAll, Action::BringBack, Action::Archive],
        Screen::Upkeep => &[Action::ChooseAll, Action::Open],
        Screen::Journal => &[Action::Open, Action::Undo, Action::Redo],
        Screen::Welcome => &[Action::OpenDemo],
        Screen::Browse | Screen::Problems => &[],
    }
}

/// The actions that the palette and the help list in a view: its own first, then every other
/// that can be run there, in the order of the table.
pub fn offered(screen: Screen) -> Vec<&'static Known> {
    let own = own(screen);
    let first = own.iter().filter_map(|action| action.known());
    let can_run = |known: &&Known| screen != Screen::Edit || may_in_editor(known.action);
    let others = ACTIONS.iter().filter(|known| !own.contains(&known.action)).filter(can_run);
    first.chain(others).collect()
}
