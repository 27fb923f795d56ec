//! The list views: backups, journal, problems, new memories, upkeep.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{ProjectInstructions, Snapshot};
use crate::ops::repair::Repairability;
use crate::query::FadeForecast;
use crate::tui::state::row_list::{ListRow, RowList};
use crate::usecase::{FindingList, JournalView, ListedLine, StoreBudget, Triage, Visits};
use crate::work::{ArchiveBatch, BackupRow, Chore, OpenedBackup, StepDetail};

#[derive(Default)]
pub struct ListView {
    pub list: RowList,
    /// The list about the row under the cursor, if there is one.
    pub details: RowList,
    /// True if `details` has the keys, not `list`.
    pub in_details: bool,
    /// Lines of text about the row under the cursor. Untrusted text.
    pub text: Vec<String>,
    pub top: usize,
    /// The lines of the problem under the cursor, before and after each fix.
    pub fixes: Option<ProblemFixes>,
    /// The key of the row that `details`, `text` and `fixes` are about.
    pub details_of: Option<String>,
    /// True if the rows were made again after the details.
    pub is_stale: bool,
    pub backups: BackupsView,
    pub journal: JournalScreen,
    pub findings: FindingsView,
    /// What a model gets of each store.
    pub budgets: Vec<StoreBudget>,
    pub loaded_lines: Vec<ListedLine>,
    /// The files of instructions that it gets beside them.
    pub instructions: Vec<ProjectInstructions>,
    /// What is due, what fades, and what is archived, in `read_snapshot`. Upkeep shows it.
    pub chores: Vec<Chore>,
    pub fading: Vec<FadeForecast>,
    pub batches: Vec<ArchiveBatch>,
    pub read_snapshot: Option<Arc<Snapshot>>,
    /// The keys of the problems before an undo. The cursor goes to the first one that comes back.
    pub before_undo: Option<HashSet<String>>,
    /// The visits before each time that the user marked memories as seen, for undo.
    pub seen_before: Vec<Visits>,
}

impl ListView {
    pub fn row(&self) -> Option<ListRow> {
        self.list.selected()
    }

    /// Returns what Esc removes next: one thing at a time, the innermost first.
    pub fn esc(&self) -> EscStep {
        let own = self.focused();
        match () {
            () if self.backups.difference => EscStep::Difference,
            () if own.range.is_some() => EscStep::Range,
            () if own.only_marked => EscStep::Only,
            () if !own.filter.is_empty() => EscStep::Filter,
            () if self.in_details => EscStep::Details,
            () if !own.marks.is_empty() => EscStep::Marks,
            () => EscStep::View,
        }
    }

    pub fn focused(&self) -> &RowList {
        if self.in_details { &self.details } else { &self.list }
    }

    pub fn focused_mut(&mut self) -> &mut RowList {
        if self.in_details { &mut self.details } else { &mut self.list }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscStep {
    Difference,
    Range,
    Only,
    Filter,
    Details,
    Marks,
    View,
}

impl EscStep {
    pub fn hint(self) -> &'static str {
        match self {
            EscStep::Difference => "back to the list",
            EscStep::Range => "cancel",
            EscStep::Only => "all again",
            EscStep::Filter => "drop the filter",
            EscStep::Marks => "clear marks",
            EscStep::Details | EscStep::View => "back",
        }
    }
}

#[derive(Default)]
pub struct BackupsView {
    /// `None` until they are read.
    pub list: Option<Vec<BackupRow>>,
    pub opened: Option<OpenedBackup>,
    /// The backup that is being opened: its store and path.
    pub opening: Option<(usize, PathBuf)>,
    /// True if the full difference of the memory under the cursor is shown.
    pub difference: bool,
    /// While all backups are verified one by one: those that are done.
    pub verifying: Option<HashSet<(usize, PathBuf)>>,
    /// Why the last backup could not be opened.
    pub failed: Option<String>,
    /// The search for an intact backup. That backup is then offered first.
    pub intact_search: Option<IntactBackupSearch>,
}

#[derive(Clone, Copy, Default)]
pub struct IntactBackupSearch {
    pub looked: usize,
    /// True if the user wants to open the backup that is found.
    pub opens: bool,
}

#[derive(Default)]
pub struct JournalScreen {
    /// One per store; `None` until they are read.
    pub accounts: Option<Vec<JournalView>>,
    /// The changes of the steps that were read.
    pub shown: Vec<StepDetail>,
    /// Stores and steps whose erased values were searched for again, with the result in lines.
    pub checks: Vec<(usize, u64, Vec<String>)>,
}

#[derive(Default)]
pub struct FindingsView {
    /// `None` until they are read.
    pub list: Option<FindingList>,
    pub failure: Option<String>,
    /// The user's verdicts on values.
    pub triage: Triage,
    pub shows_false_alarms: bool,
}

pub struct ListedProblem {
    pub store: usize,
    /// The index in the problems of its store.
    pub at: usize,
    pub repair: Repairability,
}

/// The line of a problem, and its fixes. Untrusted text.
#[derive(Default)]
pub struct ProblemFixes {
    pub bytes: usize,
    pub before: String,
    pub ways: Vec<FixOption>,
    /// The index of the fix that the user chose.
    pub chosen: Option<usize>,
}

pub struct FixOption {
    pub title: String,
    pub reason: String,
    pub is_safe: bool,
    /// The line after the fix, empty if it is removed; `None` if the fix changes something else.
    pub after: Option<String>,
}
