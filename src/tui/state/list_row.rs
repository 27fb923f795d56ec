//! A row of a list view.

use crate::detectors::Kind;
use crate::model::{EntryRef, Severity};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpkeepPart {
    Due,
    Next,
    Compact,
    Archived,
    Fades,
}

/// What a row is about. Indexes point into the data that the view has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRow {
    Backup(usize),
    /// A memory of the backup that is open.
    Item(usize),
    /// A task that is due now or soon, or a compaction.
    Chore(usize),
    /// A memory that the task is about.
    Touched(usize),
    /// A part of upkeep, and how many rows it has.
    UpkeepPart(UpkeepPart, usize),
    /// A memory that fades to the floor soon.
    Fading(usize),
    /// The file or folder of the archived memories below.
    Batch(usize),
    Archived(EntryRef),
    /// A step: its store, and its index in that store's journal.
    Step(usize, usize),
    /// What other programs did after a step.
    Others(usize, usize),
    /// A file whose length differs from what the last step left.
    Moved(usize, usize),
    /// A part of the journal that can't be read.
    Fault(usize, usize),
    /// A severity, and how many problems have it.
    Severity(Severity, usize),
    /// The store and file of a problem, and of the problems below.
    File(usize),
    Problem(usize),
    /// A store, and how many new memories it has.
    Store(usize, usize),
    New(EntryRef),
    /// A kind of findings, and how many there are.
    FindingKind(Kind, usize),
    /// The store and file of a finding and of those below, and how many there are.
    FindingFile(usize, usize),
    /// How many findings are false alarms.
    FalseAlarms(usize),
    Finding(usize),
    /// A store of which something is loaded at the start of an agent.
    LoadedStore(usize),
    /// A file of such a store: its number, and that of the file.
    Loaded(usize, usize),
    /// A line of the file under the cursor.
    LoadedLine(usize),
    /// A project that has files of instructions.
    InstructedProject(usize),
    /// A file of instructions of such a project: its number, and that of the file.
    Instruction(usize, usize),
}
