//! The table of all actions: names, keys, descriptions. Help, palette, hints, `palimp keys` and the
//! keymap are made from it.

use std::sync::Arc;

use crate::ops::copy_records::{CopyMemories, may_copy, places};
use crate::ops::edit::may_rename;
use crate::ops::move_records::{MoveMemories, may_move, other_sessions};
use crate::query::ResultPick;
use crate::tui::keymap;
use crate::tui::state::app::Screen;
use crate::tui::value_prompt::{CATEGORY, IMPORTANCE, TYPE, ValuePrompt, now};
use crate::usecase::EditMemory;

pub struct ActionInfo {
    pub action: Action,
    pub heading: &'static str,
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
    pub asks: Option<&'static ValuePrompt>,
}

const MOVE: ValuePrompt = ValuePrompt {
    title: "Move to another session:",
    form: "its name",
    words: |_, snapshot, at| other_sessions(snapshot, at),
    may: may_move,
    now: |store, entry| store.session(entry).map(|own| format!("now  {}", own.name)).unwrap_or_default(),
    command: |text| Ok(Arc::new(MoveMemories { to: text.trim().to_owned() })),
};

const COPY: ValuePrompt = ValuePrompt {
    title: "Copy to another session:",
    form: "its name; in Markdown a folder, or `.`",
    words: |_, snapshot, at| places(snapshot, at),
    may: may_copy,
    command: |text| Ok(Arc::new(CopyMemories { to: text.trim().to_owned() })),
    ..MOVE
};

const RENAME: ValuePrompt = ValuePrompt {
    title: "Another id for",
    form: "the new one",
    words: |_, _, _| Vec::new(),
    may: may_rename,
    now: |store, entry| now(store, entry, |view| view.id().unwrap_or_default().to_owned()),
    command: |text| Ok(Arc::new(EditMemory::rename(text.trim().to_owned()))),
};

macro_rules! given {
    () => {
        None
    };
    ($it:expr) => {
        Some(&$it)
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

/// Makes `Action` and `ACTIONS` from rows under headings: name, keys, description, then optionally the verbs,
/// the pick, `waits`, and the prompt for a value.
macro_rules! actions {
    ($($heading:literal { $($action:ident: $name:literal, [$($key:literal),*], $about:literal $(, $verbs:literal)? $(=> $pick:path)? $(, $waits:ident)? $(, asks $asks:expr)?;)* })*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Action {
            $($($action,)*)*
        }

        /// All actions, in the order of [`Action`].
        pub static ACTIONS: &[ActionInfo] = &[$($(ActionInfo {
            action: Action::$action,
            heading: $heading,
            name: $name,
            default_keys: &[$($key),*],
            about: $about,
            verbs: concat!("" $(, $verbs)?),
            pick: given!($($pick)?),
            waits_for_search: waits!($($waits)?),
            asks: given!($($asks)?),
        },)*)*];
    };
}

// An action without keys is found by its name in the palette. At most 70 actions have keys, and at most
// 10 keys begin with `g`.
actions! {
    "Move" {
        Down: "down", ["j", "Down"], "the next line";
        Up: "up", ["k", "Up"], "the previous line";
        PageDown: "page down", ["PgDn", "Ctrl-d"], "a page down";
        PageUp: "page up", ["PgUp", "Ctrl-u"], "a page up";
        Top: "top", ["g g", "Home"], "the first line";
        Last: "last", ["G", "End"], "the last line";
        NextPane: "next pane", ["Tab"], "the next pane";
        PreviousPane: "previous pane", ["S-Tab"], "the previous pane";
        PaneLeft: "pane left", ["h", "Left"], "the pane to the left";
        PaneRight: "pane right", ["l", "Right"], "the pane to the right";
        SessionsPane: "sessions", ["1"], "stores and sessions";
        FiltersPane: "filters", ["2"], "types, tags and importance of what is listed";
        HealthPane: "health", ["3"], "sizes, problems, secrets, backups";
        MemoriesPane: "memories", ["4", "g b"], "the list of memories";
        DetailPane: "detail", ["5"], "the memory under the cursor";
        Zoom: "zoom", ["+"], "this pane alone, or all panes again";
        Open: "open", ["Enter"], "read the memory, or open what is under the cursor; in upkeep: do what is due", "backup maintain compact";
        Back: "back", ["Esc"], "one level back; clears marks, then the filter";
        Close: "close", ["q"], "close this view; at the root, quit";
        Quit: "quit", ["Q"], "quit";
        Reference: "reference", ["g d"], "go to the memory that this one refers to";
        GoBack: "go back", ["Ctrl-o"], "back to where a reference was followed from";
        NextProblem: "next problem", ["] p", "Alt-n"], "the next memory with a problem; in the editor: the next field";
        PreviousProblem: "previous problem", ["[ p", "Alt-p"], "the memory or field with a problem before";
    }
    "Find" {
        Search: "search", ["/"], "search as you type; in other lists: filter the rows";
        ThisProject: "this project", ["P"], "only the memories of this project, or of the store under the cursor, and all again";
        DropFilter: "drop filter", ["Backspace"], "drop the search term that hides most";
        NextMatch: "next match", ["n"], "the next memory of the list; while one is read, ] does the same";
        PreviousMatch: "previous match", ["N"], "the memory before; while one is read, [ does the same";
        Order: "order", ["o"], "order by time, rank, importance, size";
        Ranking: "ranking", [], "rank by product, or by weighted sum";
    }
    "Mark" {
        Toggle: "toggle", ["Space"], "in lists: mark; in 1 and 2: filter by this line", waits;
        MarkRange: "mark range", ["v"], "begin a range of marks; once more ends it", waits;
        MarkAll: "mark all", ["*"], "mark all that the search shows", waits;
        InvertMarks: "invert marks", [], "of those shown, mark what has no mark", waits;
        Marked: "marked", [], "the marked ones alone, and back";
        MarkBySearch: "mark by search", [], "mark what a search finds, whatever is shown";
    }
    "Read" {
        Why: "why", ["w"], "why this rank";
        Fold: "fold", ["z a"], "fold or unfold: all fields of a memory, all filters, a store";
        FoldAll: "fold all", [], "fold all stores";
        UnfoldAll: "unfold all", [], "unfold all stores";
        NextTab: "next tab", ["}"], "read, as it is in the file, references, timeline";
        Difference: "difference", ["=", "Alt-c"], "two memories side by side: the marked ones, or the marked one and this; with no mark: what is there twice; in backups and in the editor: all differences", waits;
        Reveal: "reveal", ["X", "Alt-x"], "show masked values while the key is held";
        Pager: "pager", [], "the memory, or all that a view shows, in $PAGER", waits;
        CopyId: "copy id", ["y i"], "copy the id to the clipboard", waits;
        CopyText: "copy text", ["y t"], "copy the text to the clipboard", waits;
        CopyPath: "copy path", ["y p"], "copy the path and line to the clipboard", waits;
        CopyJson: "copy JSON", [], "copy the JSON as it is in its file", waits;
        CopyCommand: "copy command", [], "copy the palimp command that shows it", waits;
        Export: "export", [], "write what is listed or marked into a file: .md, .csv, .json, .jsonl", "export", waits;
    }
    "Change" {
        Edit: "edit", ["e"], "the memory as a form, checked while you type", "edit", waits;
        EditText: "edit text", ["E", "Ctrl-e"], "the main text in $EDITOR; in the editor: this field", "edit", waits;
        EditJson: "edit JSON", [], "the whole memory in $EDITOR, then as a form", "edit", waits;
        Tag: "tag", ["t"], "add and take away tags: new -old", "tag", waits;
        RenameTag: "rename tag", [], "rename or merge a tag everywhere", "tag";
        Pin: "pin", ["p"], "the tag `pinned`, or no longer", "tag", waits;
        KeepUntil: "keep until", [], "keep it from fading until a day, then no longer", "tag", waits;
        Importance: "importance", ["i"], "set it, from 0 to 1 or high, medium, low", "edit", waits, asks IMPORTANCE;
        Type: "type", [], "set the type, where it is a field", "edit", waits, asks TYPE;
        Category: "category", [], "set the category, where there is one", "edit", waits, asks CATEGORY;
        Move: "move", [], "move it to another session of its store", "move", waits, asks MOVE;
        Copy: "copy", [], "copy it to another session of its store", "copy", waits, asks COPY;
        Rename: "rename", [], "give it another id, where that is the name of its file", "edit", waits, asks RENAME;
        Merge: "merge", [], "make one memory of the marked ones, or of two duplicates, with a preview of its text", "merge", waits;
        Fix: "fix", ["F", "Alt-f"], "repair this problem; in the editor this field; among memories: its repairs";
    }
    "Remove and undo" {
        Archive: "archive", ["a"], "move it aside", "archive maintain", waits;
        Delete: "delete", ["d"], "a menu: delete, archive, restore, erase; at first: the demo",
            "delete archive undelete unarchive erase", waits;
        BringBack: "bring back", ["r"], "in upkeep and in backups: bring back what is marked; elsewhere: the backups", "unarchive backup", waits;
        ReplaceFile: "replace file", [], "in backups: the whole file as it was", "backup";
        Repeat: "repeat", [], "the last change, of what is marked or under the cursor",
            "tag edit archive unarchive delete undelete", waits;
        Undo: "undo", ["u", "Alt-u"], "undo the last change; in the editor: what was typed last", "undo";
        Redo: "redo", ["U", "Alt-U"], "redo what was undone last", "redo";
    }
    "Views" {
        New: "new", ["g n"], "what agents wrote since the last visit, store by store";
        Problems: "problems", ["g p"], "every problem of these stores";
        Upkeep: "upkeep", ["g m"], "what is due, what fades next, what a compaction drops, and the archive", waits;
        Loaded: "loaded", ["g l"], "what a model gets of each store at the start, and where that is cut", waits;
        Secrets: "secrets", ["g x"], "what looks sensitive: real or not, masking, erasing", "secrets redact", waits;
        CleanUp: "clean-up", ["g c"], "forget a topic, a value or a person everywhere, with a preview and a proof", "forget", waits;
        Journal: "journal", ["g u"], "every change by palimp, what others did meanwhile, undo of any", waits;
        Backups: "backups", [], "backups: what would come back, and restore it", waits;
        Duplicates: "duplicates", [], "equal and nearly equal memories, in groups", "duplicates"
            => crate::query::DUPLICATES;
        Statistics: "statistics", [], "what was written on each day, how the stores grow, types and tags", waits;
        Tutor: "tutor", [], "five tasks with the demo, ticked off as they are done";
    }
    "In one view alone" {
        Seen: "seen", ["s"], "in what is new: mark this memory, or the marked ones, as seen";
        AllSeen: "all seen", [], "mark all memories as seen: none is new any more";
        Real: "real", ["!"], "in secrets: what was found is real", "secrets";
        FalseAlarm: "false alarm", ["f"], "in secrets: it is a false alarm, and is hidden", "secrets";
        Undecided: "undecided", [], "in secrets: it is not decided, whatever was said before", "secrets";
        FalseAlarms: "false alarms", [], "in secrets: show the false alarms, or hide them";
        Redact: "redact", ["x"], "in secrets: a mask, a label or a pseudonym instead of the value", "redact";
        Verify: "verify", [], "in backups: read every byte of each; in the journal: search again for what was erased", "verify-erased";
        Save: "save", ["F2", "Ctrl-s"], "in the editor: save the form", "edit";
        AsOnDisk: "as on disk", [], "in the editor: every field as it is on disk";
        Demo: "demo", [], "on the first screen: open the demo", "demo";
    }
    "Program" {
        Command: "command", [":"], "any action by its name";
        Help: "help", ["?", "F1"], "every key, to search and to run";
        CommandLine: "command line", [], "verbs without a view: palimp add, init, completions, man";
        Theme: "theme", [], "a list of colours: each is shown as you come to it";
        Reload: "reload", ["R"], "read the stores again";
        Redraw: "redraw", ["Ctrl-l"], "redraw the screen";
        Suspend: "suspend", ["Ctrl-z"], "back to the shell; `fg` returns";
    }
}

impl Action {
    pub fn info(self) -> &'static ActionInfo {
        &ACTIONS[self as usize]
    }

    /// Returns other words for the action, so that the palette finds it by them, too.
    pub fn words(self) -> String {
        let synonyms = synonyms().find(|(own, _)| *own == self.info().name).map_or("", |(_, words)| words);
        format!("{synonyms} {}", self.info().verbs)
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
        self.info().heading == "Move"
            || matches!(
                self,
                Action::Toggle
                    | Action::NextMatch
                    | Action::PreviousMatch
                    | Action::Command
                    | Action::Help
                    | Action::Reload
                    | Action::Redraw
                    | Action::Suspend
            )
    }

    pub fn keys(self) -> &'static [String] {
        keymap::in_use().of(self)
    }

    pub fn key(self) -> &'static str {
        self.keys().first().map_or("", String::as_str)
    }

    /// Returns its key, or else what to type for the palette.
    pub fn call(self) -> String {
        match self.key() {
            "" => format!(":{}", self.info().name),
            key => key.to_owned(),
        }
    }

    /// Returns its first key that is not text, for the editor.
    pub fn editor_key(self) -> &'static str {
        let is_text = |key: &&String| key.chars().count() == 1 || key.contains(' ');
        self.keys().iter().find(|key| !is_text(key)).map_or("", String::as_str)
    }
}

/// Actions that the editor has, also while the user types.
pub const EDITOR_ACTIONS: [Action; 11] = [
    Action::Save,
    Action::Fix,
    Action::NextProblem,
    Action::PreviousProblem,
    Action::EditText,
    Action::EditJson,
    Action::Undo,
    Action::Redo,
    Action::AsOnDisk,
    Action::Difference,
    Action::Reveal,
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
pub fn first(screen: Screen) -> &'static [Action] {
    match screen {
        Screen::Editor => &EDITOR_ACTIONS,
        Screen::Backups => {
            &[Action::Open, Action::BringBack, Action::ReplaceFile, Action::Difference, Action::Verify]
        }
        Screen::Upkeep => &[Action::Open, Action::BringBack, Action::Delete],
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
        Screen::New => &[Action::Seen, Action::AllSeen, Action::Open, Action::Edit, Action::Delete],
        Screen::Loaded => &[Action::Open, Action::Fix, Action::Edit, Action::Delete],
        Screen::Statistics => &[Action::Open],
        Screen::Difference => {
            &[Action::NextPane, Action::NextMatch, Action::PreviousMatch, Action::Open, Action::Merge]
        }
        Screen::Problems => &[Action::Fix, Action::Open, Action::Edit, Action::Delete],
        Screen::Memories => &[
            Action::Search,
            Action::Open,
            Action::Toggle,
            Action::Edit,
            Action::Tag,
            Action::Pin,
            Action::Delete,
            Action::Undo,
            Action::Fix,
            Action::Why,
        ],
        Screen::CleanUp => &[],
    }
}

pub fn exists_in(screen: Screen, action: Action) -> bool {
    match action {
        Action::CopyId | Action::CopyJson | Action::CopyCommand => {
            matches!(screen, Screen::Memories | Screen::Difference)
        }
        Action::AllSeen | Action::Demo => true,
        Action::ReplaceFile => first(screen).contains(&action),
        _ => first(screen).contains(&action) || action.info().heading != "In one view alone",
    }
}

/// Returns the actions of a view whose keys begin with these, with the keys that follow.
pub fn following(screen: Screen, waiting: &str) -> Vec<(&'static str, &'static ActionInfo)> {
    let follow = |keys: &'static str| keys.strip_prefix(waiting)?.strip_prefix(' ');
    let rest = |known: &ActionInfo| known.action.keys().iter().find_map(|keys| follow(keys));
    let known = ACTIONS.iter().filter(|known| exists_in(screen, known.action));
    known.filter_map(|known| Some((rest(known)?, known))).collect()
}

/// Returns the actions that the palette and the help list in a view: first its own, then all others
/// that can be run there, in the order of the table.
pub fn offered(screen: Screen) -> Vec<&'static ActionInfo> {
    let own = first(screen);
    let can_run = |known: &&ActionInfo| runs_in(screen, known.action);
    let others = ACTIONS.iter().filter(|known| !own.contains(&known.action)).filter(can_run);
    own.iter().map(|action| action.info()).chain(others).collect()
}

pub type Hint = (String, String);

pub fn hint(keys: &str, what: &str) -> Hint {
    (keys.to_owned(), what.to_owned())
}

pub fn act(action: Action, what: &str) -> Hint {
    hint(action.key(), what)
}

/// Returns the names of actions with other words for them.
fn synonyms() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../../assets/synonyms.txt").lines().filter_map(|line| line.split_once(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_of_actions() {
        let is_action = |name: &str| ACTIONS.iter().any(|known| known.name == name);
        assert_eq!(synonyms().filter(|(name, _)| is_action(name)).count(), 46);
    }
}
