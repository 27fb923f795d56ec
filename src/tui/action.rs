//! The table of all actions: names, keys, descriptions. Help, palette, hints, `palimp keys` and the
//! keymap are made from it.

use super::{action_synonyms, keymap};
use crate::model::{Entry, EntryRef, Snapshot, Store};
use crate::ops::merge::may_merge;
use crate::ops::move_records::{may_move, other_sessions};
use crate::query::ResultPick;
use crate::tui::state::app::Screen;
use crate::tui::update::importance::IMPORTANCE;
use crate::tui::update::type_category::{CATEGORY, TYPE};
use crate::tui::value_prompt::{ValuePrompt, may_edit, now};
use crate::usecase::ChangeCommand;

/// A row of the table of actions.
pub struct ActionInfo {
    pub action: Action,
    /// The name in the palette.
    pub name: &'static str,
    /// The keys without a preset or settings. Spaces separate the keys of a sequence.
    pub default_keys: &'static [&'static str],
    /// What the action does, in a few words.
    pub about: &'static str,
    /// The verbs that do the same on the command line; empty if it only changes the screens.
    verbs: &'static str,
    /// The pick of memories that the action shows, if it shows one.
    pub pick: Option<&'static ResultPick>,
    /// True if the action works on listed memories, so it waits for the search and until all stores are read.
    pub waits_for_search: bool,
    /// The prompt for a value, if the action sets one.
    pub asks: Option<&'static ValuePrompt>,
}

const MOVE: ValuePrompt = ValuePrompt {
    title: "Move to another session:",
    form: "its name",
    words: |_, snapshot, at| other_sessions(snapshot, at),
    may: may_move,
    now: |store, entry| store.session(entry).map(|own| format!("now  {}", own.name)).unwrap_or_default(),
    command: |text| Ok(ChangeCommand::Move(text.trim().to_owned())),
};

const RENAME: ValuePrompt = ValuePrompt {
    title: "Another id for",
    form: "the new one",
    words: |_, _, _| Vec::new(),
    may: may_edit,
    now: id_now,
    command: |text| Ok(ChangeCommand::Edit(vec![("id".to_owned(), text.trim().to_owned())])),
};

const MERGE: ValuePrompt = ValuePrompt {
    title: "Make one memory of",
    form: "the id of the one that stays",
    words: |_, snapshot, at| ids(snapshot, at),
    may: may_merge,
    now: id_now,
    command: |text| Ok(ChangeCommand::Merge(text.trim().to_owned())),
};

fn id_now(store: &Store, entry: &Entry) -> String {
    now(store, entry, |view| view.id.unwrap_or_default().to_owned())
}

fn ids(snapshot: &Snapshot, at: &[EntryRef]) -> Vec<String> {
    let id = |at: &EntryRef| {
        let (store, entry) = snapshot.get(*at);
        Some(store.view(entry)?.id?.to_owned())
    };
    at.iter().filter_map(id).collect()
}

macro_rules! picked {
    () => {
        None
    };
    ($pick:path) => {
        Some(&$pick)
    };
}

macro_rules! asked {
    () => {
        None
    };
    ($asks:expr) => {
        Some(&$asks)
    };
}

macro_rules! waits {
    () => {
        false
    };
    (waits) => {
        true
    };
}

/// Makes `Action` and `ACTIONS` from rows: name, keys, description, then optionally the verbs, the pick,
/// `waits`, and the prompt for a value.
macro_rules! actions {
    ($($action:ident: $name:literal, [$($key:literal),*], $about:literal $(, $verbs:literal)? $(=> $pick:path)? $(, $waits:ident)? $(, asks $asks:expr)?;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($action,)*
        }

        /// All actions, in the order of [`Action`].
        pub static ACTIONS: &[ActionInfo] = &[$(ActionInfo {
            action: Action::$action,
            name: $name,
            default_keys: &[$($key),*],
            about: $about,
            verbs: concat!("" $(, $verbs)?),
            pick: picked!($($pick)?),
            waits_for_search: waits!($($waits)?),
            asks: asked!($($asks)?),
        },)*];
    };
}

actions! {
    Down: "down", ["j", "Down"], "the next line";
    Up: "up", ["k", "Up"], "the previous line";
    HalfPageDown: "half page down", ["Ctrl-d"], "half a page down";
    HalfPageUp: "half page up", ["Ctrl-u"], "half a page up";
    PageDown: "page down", ["PgDn"], "a page down";
    PageUp: "page up", ["PgUp"], "a page up";
    Top: "top", ["g g", "Home"], "the first line";
    Last: "last", ["G", "End"], "the last line";
    NextPane: "next pane", ["Tab"], "the next pane";
    PreviousPane: "previous pane", ["S-Tab"], "the previous pane";
    PaneLeft: "pane left", ["h", "Left"], "the pane to the left";
    PaneRight: "pane right", ["l", "Right"], "the pane to the right";
    SessionsPane: "sessions", ["1"], "stores and sessions";
    FiltersPane: "filters", ["2"], "types, tags and importance of what is listed";
    HealthPane: "health", ["3"], "sizes, problems, secrets, backups";
    MemoriesPane: "memories", ["4"], "the list of memories";
    DetailPane: "detail", ["5"], "the memory under the cursor";
    Zoom: "zoom", ["+"], "this pane alone";
    AllPanes: "all panes", ["_"], "all panes again";
    Open: "open", ["Enter"], "open what is under the cursor", "backup maintain compact";
    Back: "back", ["Esc"], "one level back; clears marks, then the filter";
    Close: "close", ["q"], "close this view; at the root, quit";
    Quit: "quit", ["Q"], "quit";
    Search: "search", ["/"], "search as you type";
    Narrow: "narrow", ["&"], "add to the search";
    FilterLikeThis: "filter like this", ["@"], "only memories of this one's type";
    DropFilter: "drop filter", ["Backspace"], "drop the search term that hides most";
    NextMatch: "next match", ["n"], "the next match";
    PreviousMatch: "previous match", ["N"], "the previous match";
    Toggle: "toggle", ["Space"], "in lists: mark and step; in 1 and 2: filter by this line", waits;
    MarkRange: "mark range", ["v"], "begin a range of marks; once more ends it", waits;
    MarkAll: "mark all", ["*"], "mark all that the search shows", waits;
    InvertMarks: "invert marks", ["~"], "of those shown, mark what has no mark", waits;
    Marked: "marked", ["m"], "the marked ones alone, and back";
    MarkBySearch: "mark by search", [], "mark what a search finds, whatever is shown";
    Order: "order", ["o"], "order by time, rank, importance, size";
    Ranking: "ranking", ["Alt-r"], "rank by product, or by weighted sum";
    Why: "why", ["w"], "why this rank";
    Fold: "fold", ["z a"], "fold or unfold: all facts of a memory, all filters, a store";
    FoldAll: "fold all", ["z M"], "fold all stores";
    UnfoldAll: "unfold all", ["z R"], "unfold all stores";
    ToMiddle: "to the middle", ["z z"], "scroll so that the row is in the middle";
    NextTab: "next tab", ["}"], "read, raw, references, timeline";
    PreviousTab: "previous tab", ["{"], "the tab before";
    Reference: "reference", ["g d"], "go to the memory that this one refers to";
    GoBack: "go back", ["Ctrl-o"], "back to where a reference was followed from";
    NextProblem: "next problem", ["] p"], "the next memory with a problem";
    PreviousProblem: "previous problem", ["[ p"], "the previous memory with a problem";
    NextNew: "next new", ["] n"], "the next memory that is new";
    PreviousNew: "previous new", ["[ n"], "the previous memory that is new";
    NextSecret: "next secret", ["] x"], "the next memory with what looks like a secret";
    PreviousSecret: "previous secret", ["[ x"], "the previous one with what looks like a secret";
    NextMarked: "next marked", ["] m"], "the next marked memory";
    PreviousMarked: "previous marked", ["[ m"], "the previous marked memory";
    NextSession: "next session", ["] s"], "the next memory of another session";
    PreviousSession: "previous session", ["[ s"], "the previous memory of another session";
    Problems: "problems", ["g p"], "every problem of these stores";
    New: "new", ["g n"], "what agents wrote since the last visit, store by store";
    Seen: "seen", ["s"], "in what is new: mark this memory, or the marked ones, as seen";
    AllSeen: "all seen", ["S"], "mark all memories as seen: none is new any more";
    Secrets: "secrets", ["g x"], "what looks sensitive: verdicts, redaction, erasing", "secrets redact", waits;
    CleanUp: "clean-up", ["g c"], "forget a topic, a value or a person everywhere, with a preview and a proof", "forget", waits;
    Real: "real", ["!"], "in secrets: what was found is real", "secrets";
    FalseAlarm: "false alarm", ["f"], "in secrets: it is a false alarm, and is hidden", "secrets";
    Undecided: "undecided", ["-"], "in secrets: it is not decided, whatever was said before", "secrets";
    FalseAlarms: "false alarms", ["A"], "in secrets: show the false alarms, or hide them";
    Redact: "redact", ["x"], "in secrets: a mask, a label or a pseudonym instead of the value", "redact";
    Loaded: "loaded", ["g l"], "what a model gets of each store at the start, and where that is cut", waits;
    Pager: "pager", ["|"], "the memory, or all that a view shows, in $PAGER", waits;
    Export: "export", [], "write what is listed or marked into a file: .md, .csv, .json, .jsonl", "export", waits;
    CopyId: "copy id", ["y i"], "copy the id to the clipboard", waits;
    CopyText: "copy text", ["y t"], "copy the text to the clipboard", waits;
    CopyPath: "copy path", ["y p"], "copy the path and line to the clipboard", waits;
    CopyJson: "copy JSON", ["y j"], "copy the JSON as it is in its file", waits;
    CopyCommand: "copy command", ["y v"], "copy the palimp command that shows it", waits;
    Backups: "backups", ["g r"], "backups: what would come back, and restore it", waits;
    Archived: "archived", ["g a"], "the archive, what would be archived next, and restoring", waits;
    Journal: "journal", ["g u"], "every step, what others did meanwhile, undo of any of them", waits;
    Upkeep: "upkeep", ["g m"], "what is due, which memories and why; do it", waits;
    Statistics: "statistics", ["g s"], "what was written on each day, how the stores grow, types and tags", waits;
    WeekBack: "week back", ["H"], "in statistics: the day a week before; `h` the day before";
    WeekAhead: "week ahead", ["L"], "in statistics: the day a week after; `l` the day after";
    Today: "today", ["0"], "in statistics: today";
    Compact: "compact", [], "what a compaction would drop and why; do it", waits;
    BringBack: "bring back", ["r"], "in the archive and in backups: bring back what is marked", "unarchive backup";
    Difference: "difference", ["="], "two memories side by side: the marked ones, or the marked one and this; once more: their sessions; in backups: all differences", waits;
    ReplaceFile: "replace file", ["W"], "in backups: the whole file as it was", "backup";
    Verify: "verify", ["V"], "in backups: read every byte of each; in the journal: search again for what was erased", "verify-erased";
    Tutor: "tutor", ["g t"], "five tasks with the demo, ticked off as they are done";
    Duplicates: "duplicates", ["g ="], "equal and nearly equal memories, in groups", "duplicates"
        => crate::query::DUPLICATES;
    Forecast: "forecast", ["g f"], "memories that fade to the floor within 90 days, the next first"
        => crate::query::FORECAST;
    AllMemories: "all memories", ["g b"], "the memories";
    Reveal: "reveal", ["X"], "show masked values while the key is held";
    Edit: "edit", ["e"], "the memory as a form, checked while you type", "edit", waits;
    EditText: "edit text", ["E"], "the main text in $EDITOR", "edit", waits;
    Tag: "tag", ["t"], "add and take away tags: new -old", "tag", waits;
    RenameTag: "rename tag", [], "rename or merge a tag everywhere", "tag";
    Pin: "pin", ["p"], "the tag `pinned`, or no longer", "tag", waits;
    KeepUntil: "keep until", ["P"], "keep it from fading until a day, then no longer", "tag", waits;
    Importance: "importance", ["i"], "set it, from 0 to 1 or high, medium, low", "edit", waits, asks IMPORTANCE;
    Type: "type", ["T"], "set the type, where it is a field", "edit", waits, asks TYPE;
    Category: "category", ["C"], "set the category, where there is one", "edit", waits, asks CATEGORY;
    Move: "move", ["M"], "move it to another session of its store", "move", waits, asks MOVE;
    Rename: "rename", [], "give it another id, where that is the name of its file", "edit", waits, asks RENAME;
    Merge: "merge", [], "make the marked ones a part of one of them", "merge", waits, asks MERGE;
    Archive: "archive", ["a"], "move it aside", "archive maintain", waits;
    Delete: "delete", ["d"], "a menu: delete, archive, restore, erase; at first: the demo",
        "delete archive undelete unarchive erase", waits;
    Repeat: "repeat", ["."], "the last change, of what is marked or under the cursor",
        "tag edit archive unarchive delete undelete", waits;
    Undo: "undo", ["u"], "undo the last change", "undo";
    Redo: "redo", ["U"], "redo what was undone last", "redo";
    Theme: "theme", [], "a list of colours: each is shown as you come to it";
    Command: "command", [":"], "any action by its name";
    Help: "help", ["?", "F1"], "every key, to search and to run";
    CommandLine: "command line", [], "verbs without a view: palimp add, init, completions, man";
    Reload: "reload", ["R"], "read the stores again";
    Redraw: "redraw", ["Ctrl-l"], "redraw the screen";
    Suspend: "suspend", ["Ctrl-z"], "back to the shell; `fg` returns";
    Demo: "demo", [], "on the first screen: open the demo", "demo";
    Save: "save", ["F2", "Ctrl-s"], "in the editor: save the form", "edit";
    Fix: "fix", ["Alt-f"], "fix this problem; in the editor this field; among memories: its fixes";
    NextFinding: "next finding", ["Alt-n"], "in the editor: the next field with a problem";
    PreviousFinding: "previous finding", ["Alt-p"], "in the editor: the previous one";
    FieldInEditor: "field in $EDITOR", ["Ctrl-e"], "in the editor: this field in $EDITOR", "edit";
    EditJson: "edit JSON", ["Alt-e"], "the whole memory in $EDITOR, then as a form", "edit";
    UndoTyping: "undo typing", ["Alt-u"], "in the editor: undo what was typed last";
    RedoTyping: "redo typing", ["Alt-U"], "in the editor: type them again";
    AsOnDisk: "as on disk", ["Alt-z"], "in the editor: every field as it is on disk";
    Compare: "compare", ["Alt-c"], "in the editor: before, mine and theirs";
    RevealTyped: "reveal typed", ["Alt-x"], "in the editor: show masked values for a moment";
}

impl Action {
    /// Returns its row of the table.
    pub fn info(self) -> &'static ActionInfo {
        &ACTIONS[self as usize]
    }

    /// Returns other words for the action, so that the palette finds it by them, too.
    pub fn words(self) -> String {
        format!("{} {}", action_synonyms::of(self), self.info().verbs)
    }

    pub fn verbs(self) -> Vec<&'static str> {
        self.info().verbs.split_whitespace().collect()
    }

    /// Returns the verb with the action's name, or the only verb.
    pub fn verb(self) -> Option<&'static str> {
        let verbs = self.verbs();
        let own = verbs.iter().find(|own| **own == self.info().name);
        own.or(verbs.first().filter(|_| verbs.len() == 1)).copied()
    }

    /// True if it opens a field to change a memory.
    pub fn opens_input(self) -> bool {
        matches!(
            self,
            Action::Edit
                | Action::EditText
                | Action::EditJson
                | Action::Tag
                | Action::KeepUntil
                | Action::CleanUp
        ) || self.info().asks.is_some()
    }

    /// True if it only moves or opens another view. The palette lists such actions last.
    pub fn is_navigation(self) -> bool {
        self as usize <= Action::DetailPane as usize
            || matches!(
                self,
                Action::Open
                    | Action::Back
                    | Action::Close
                    | Action::Quit
                    | Action::Toggle
                    | Action::NextMatch
                    | Action::PreviousMatch
                    | Action::Command
                    | Action::Help
                    | Action::Reload
                    | Action::Redraw
                    | Action::Suspend
            )
    }

    /// Returns its keys in the keymap in use.
    pub fn keys(self) -> &'static [String] {
        keymap::in_use().of(self)
    }

    /// Returns the first of its keys, for hints.
    pub fn key(self) -> &'static str {
        self.keys().first().map_or("", String::as_str)
    }
}

/// Actions that exist only in the editor, also while the user types.
pub const EDITOR_ACTIONS: [Action; 11] = [
    Action::Save,
    Action::Fix,
    Action::NextFinding,
    Action::PreviousFinding,
    Action::FieldInEditor,
    Action::EditJson,
    Action::UndoTyping,
    Action::RedoTyping,
    Action::AsOnDisk,
    Action::Compare,
    Action::RevealTyped,
];

/// True if the help can run an action in a view. No other view may open over what is typed into a form or a clean-up.
pub fn runs_in(screen: Screen, action: Action) -> bool {
    let anywhere =
        matches!(action, Action::Quit | Action::Redraw | Action::Suspend | Action::Help | Action::Theme);
    match screen {
        Screen::Editor => anywhere || EDITOR_ACTIONS.contains(&action),
        Screen::CleanUp => anywhere,
        _ => true,
    }
}

/// Actions of a view that the palette and the help list first.
fn own(screen: Screen) -> &'static [Action] {
    match screen {
        Screen::Editor => &EDITOR_ACTIONS,
        Screen::Backups => {
            &[Action::Open, Action::BringBack, Action::ReplaceFile, Action::Difference, Action::Verify]
        }
        Screen::Archive => &[Action::BringBack, Action::Archive],
        Screen::Upkeep => &[Action::Open],
        Screen::Journal => &[Action::Open, Action::Undo, Action::Redo, Action::Verify],
        Screen::Secrets => &[
            Action::Open,
            Action::Real,
            Action::FalseAlarm,
            Action::Undecided,
            Action::Redact,
            Action::Delete,
            Action::FalseAlarms,
        ],
        Screen::New => &[Action::Seen, Action::AllSeen, Action::Open],
        Screen::SessionPair | Screen::Loaded => &[Action::Open],
        Screen::Statistics => &[Action::WeekBack, Action::WeekAhead, Action::Today, Action::Open],
        Screen::Difference => &[Action::NextPane, Action::NextMatch, Action::PreviousMatch, Action::Open],
        Screen::Welcome => &[Action::Demo],
        Screen::Problems => &[Action::Fix, Action::Open],
        Screen::Memories | Screen::CleanUp => &[],
    }
}

/// Actions that exist in single views only.
const VIEW_ACTIONS: [Action; 13] = [
    Action::BringBack,
    Action::ReplaceFile,
    Action::Verify,
    Action::WeekBack,
    Action::WeekAhead,
    Action::Today,
    Action::Seen,
    Action::Demo,
    Action::Real,
    Action::FalseAlarm,
    Action::Undecided,
    Action::FalseAlarms,
    Action::Redact,
];

/// True if a view can do an action.
pub fn exists_in(screen: Screen, action: Action) -> bool {
    let shared = [Action::Fix, Action::EditJson];
    let is_own = own(screen).contains(&action);
    let of_others =
        VIEW_ACTIONS.contains(&action) || EDITOR_ACTIONS.contains(&action) && !shared.contains(&action);
    is_own || !of_others
}

/// Returns the actions that the palette and the help list in a view: first its own, then all others
/// that can be run there, in the order of the table.
pub fn offered(screen: Screen) -> Vec<&'static ActionInfo> {
    let own = own(screen);
    let first = own.iter().map(|action| action.info());
    let can_run = |known: &&ActionInfo| runs_in(screen, known.action);
    let others = ACTIONS.iter().filter(|known| !own.contains(&known.action)).filter(can_run);
    first.chain(others).collect()
}
