//! A proposed fix: what it does, why, and how sure it is.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::check::stale_files;
use crate::format::writing::Repairability;
use crate::model::{Act, Change, Code, Document, Plan, Problem, Role, Store, container};
use crate::ops::own_operations;

pub(super) type ByteEdit = (Range<usize>, Vec<u8>);

/// The edits of a file, and the pieces that leave it.
pub(super) type FileEdits<'p> = (&'p Path, Vec<ByteEdit>, Vec<QuarantinePiece>);

#[derive(Clone, Debug)]
pub struct ProblemFix {
    /// What it does, in a few words, as `check` shows it.
    pub title: String,
    /// Why it is probably right, in a sentence. May quote the store: untrusted text.
    pub reason: String,
    /// How sure it is, in per cent.
    pub confidence: u8,
    /// True if it can lose nothing.
    pub is_safe: bool,
    pub(super) act: FixAction,
}

#[derive(Clone, Debug)]
pub(super) enum FixAction {
    /// Rebuilds all derived files.
    Rebuild,
    /// Edits a file. The pieces leave the file, or parts of it move to the new one.
    Edits(PathBuf, Vec<ByteEdit>, Vec<QuarantinePiece>, Option<Change>),
    /// Changes or removes files. The pieces leave them.
    Files(Vec<Change>, Vec<QuarantinePiece>),
}

/// Returns the lines that changes append to a file, if they do.
pub(super) fn added_lines(changes: &[Change]) -> Option<&[u8]> {
    changes.iter().find_map(|own| match &own.act {
        Act::Append(lines) => Some(&**lines),
        _ => None,
    })
}

/// Bytes that leave a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinePiece {
    pub file: PathBuf,
    /// The position of the first byte in the file.
    pub at: u64,
    /// The line number.
    pub line: u32,
    /// The code of the problem that is repaired.
    pub code: Code,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl QuarantinePiece {
    /// Returns all bytes of a file with a problem.
    pub fn whole(problem: &Problem, bytes: Vec<u8>) -> QuarantinePiece {
        QuarantinePiece { file: problem.file.clone(), at: 0, line: 0, code: problem.code, bytes }
    }
}

/// A repair: its changes, and the bytes that go from the files to quarantine first.
#[derive(Clone, Debug, Default)]
pub struct RepairPlan {
    /// The changes.
    pub plan: Option<Plan>,
    /// The exact bytes that leave the store.
    pub quarantined: Vec<QuarantinePiece>,
}

impl ProblemFix {
    pub(super) fn of(title: &str, confidence: u8, reason: impl Into<String>, act: FixAction) -> ProblemFix {
        ProblemFix { title: title.into(), reason: reason.into(), confidence, is_safe: false, act }
    }

    pub(super) fn edit(
        title: &str,
        confidence: u8,
        reason: impl Into<String>,
        (file, edits, out): FileEdits<'_>,
    ) -> ProblemFix {
        ProblemFix::of(title, confidence, reason, FixAction::Edits(file.to_owned(), edits, out, None))
    }

    pub(super) fn safe(self) -> ProblemFix {
        ProblemFix { is_safe: true, confidence: 100, ..self }
    }

    pub(super) fn rebuild() -> ProblemFix {
        let reason = "It is made from them, and holds nothing else.";
        ProblemFix::of("rebuild it from the memories", 100, reason, FixAction::Rebuild).safe()
    }
}

/// Returns how a problem can be repaired, without a look at the bytes. `rebuilt` are the files that
/// `reindex` would rebuild.
pub fn ease(store: &Store, problem: &Problem, rebuilt: &HashSet<&Path>) -> Repairability {
    if stale_files::is_repaired(problem, rebuilt) {
        return Repairability::Safe("rebuild it from the memories");
    }
    if matches!(problem.code, Code::LeftoverTemp | Code::ArchiveBroken | Code::SyncConflict) {
        return Repairability::Choose;
    }
    match own_operations(store).fixes.map_or(Repairability::ByHand, |own| (own.ease)(store, problem)) {
        Repairability::ByHand => {}
        known => return known,
    }
    let Some(document) = store.document_at(&problem.file) else { return Repairability::ByHand };
    if !is_repaired_by_line(document) {
        let is_broken = problem.code == Code::InvalidUtf8 || problem.code == Code::NulBytes;
        let is_choice = is_broken || matches!(problem.code, Code::BadJson | Code::ConflictMarkers);
        return if is_choice { Repairability::Choose } else { Repairability::ByHand };
    }
    let record = problem.record.and_then(|number| document.records.get(number as usize));
    let is_broken = record.is_some_and(|own| own.memory().is_none());
    match safe_fix(problem.code) {
        Some((title, _)) if !is_broken => Repairability::Safe(title),
        _ if is_broken || matches!(problem.code, Code::DuplicateId) => Repairability::Choose,
        _ => Repairability::ByHand,
    }
}

/// True if a document is a log that is repaired line by line.
pub fn is_repaired_by_line(document: &Document) -> bool {
    matches!(document.role, Role::Records | Role::Tombstones | Role::Archive)
        && crate::model::is_log(&document.path)
        && container(&document.path).is_none()
}

/// Returns the title of the safe fix of a problem with this code, and why it loses nothing. The line must allow the fix.
pub(super) fn safe_fix(code: Code) -> Option<(&'static str, &'static str)> {
    const WHOLE: &str = "Every whole memory stays as it is, and what is broken stays beside it.";
    Some(match code {
        Code::TornLine | Code::BadJson | Code::InvalidUtf8 => {
            ("give each whole memory a line of its own", WHOLE)
        }
        Code::GluedRecords => ("give each memory a line of its own", WHOLE),
        Code::ExtraBrace => ("remove the extra closing brace", WHOLE),
        Code::MultiLineRecord => ("put the memory on one line", "Only line breaks between its members go."),
        Code::NulBytes => ("remove the NUL bytes", WHOLE),
        Code::ByteOrderMark => ("remove the byte order mark", WHOLE),
        Code::NoFinalNewline => ("end the last line", "The next memory can't be appended to the line then."),
        Code::NoTimezone => ("append Z (UTC)", "It is read as UTC already."),
        _ => return None,
    })
}
