//! A fix as it is proposed: what it does, why, and how sure that is.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::line_damage;
use crate::check::stale_files;
use crate::model::{Change, Code, Plan, Problem, Store};

/// A replacement of bytes of a file.
pub(super) type ByteEdit = (Range<usize>, Vec<u8>);

/// What can be done about a problem.
#[derive(Clone, Debug)]
pub struct ProblemFix {
    /// What it does, in a few words, as `check` tells it.
    pub title: String,
    /// Why that is thought to be right, in a sentence. May quote the store: untrusted text.
    pub reason: String,
    /// How sure it is, in per cent.
    pub confidence: u8,
    /// Whether it can lose nothing.
    pub is_safe: bool,
    pub(super) act: FixAction,
}

/// How it is carried out.
#[derive(Clone, Debug)]
pub(super) enum FixAction {
    /// What is derived is made anew, all of it.
    Rebuild,
    /// A file is edited; what leaves it.
    Edits(PathBuf, Vec<ByteEdit>, Vec<QuarantinePiece>),
    /// Files are changed, or go; what leaves them.
    Files(Vec<Change>, Vec<QuarantinePiece>),
}

impl FixAction {
    /// The lines that come to a file, where it is changed so.
    pub(super) fn added(&self) -> Option<Vec<u8>> {
        let FixAction::Files(changes, _) = self else { return None };
        changes.iter().find_map(|own| match &own.act {
            crate::model::Act::Append(lines) => Some(lines.clone()),
            _ => None,
        })
    }
}

/// What leaves a file, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuarantinePiece {
    /// The file.
    pub file: PathBuf,
    /// Where it was.
    pub at: u64,
    /// Which line that was.
    pub line: u32,
    /// The problem for which it leaves.
    pub code: Code,
    /// Itself.
    pub bytes: Vec<u8>,
}

/// What a repair does, and what it takes out of the files, to be kept in quarantine first.
#[derive(Clone, Debug, Default)]
pub struct RepairPlan {
    /// The changes.
    pub plan: Option<Plan>,
    /// The exact bytes that leave the store.
    pub quarantined: Vec<QuarantinePiece>,
}

impl ProblemFix {
    /// One that is carried out by edits.
    pub(super) fn edit(
        title: &str,
        confidence: u8,
        reason: impl Into<String>,
        (file, edits, out): (&Path, Vec<ByteEdit>, Vec<QuarantinePiece>),
    ) -> ProblemFix {
        let act = FixAction::Edits(file.to_owned(), edits, out);
        ProblemFix { title: title.into(), reason: reason.into(), confidence, is_safe: false, act }
    }

    /// The same, where it can lose nothing.
    pub(super) fn safe(self) -> ProblemFix {
        ProblemFix { is_safe: true, confidence: 100, ..self }
    }

    pub(super) fn rebuild() -> ProblemFix {
        ProblemFix {
            title: "rebuild it from the memories".into(),
            reason: "It is made from them, and holds nothing else.".into(),
            confidence: 100,
            is_safe: true,
            act: FixAction::Rebuild,
        }
    }
}

/// How a problem can be repaired, as far as its kind tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repairability {
    /// So, without a loss.
    Safe(&'static str),
    /// There is something to choose from.
    Choose,
    /// It has to be edited.
    ByHand,
}

/// What the kind of a problem tells of its fixes, without a look at the bytes. `anew` are the files that
/// `reindex` would make anew.
pub fn ease(store: &Store, problem: &Problem, anew: &HashSet<&Path>) -> Repairability {
    if stale_files::is_repaired(problem, anew) {
        return Repairability::Safe("rebuild it from the memories");
    }
    if matches!(problem.code, Code::LeftoverTemp | Code::ArchiveBroken) {
        return Repairability::Choose;
    }
    let Some(document) = store.document_at(&problem.file) else { return Repairability::ByHand };
    if !line_damage::is_log(document) {
        let is_broken = problem.code == Code::InvalidUtf8 || problem.code == Code::NulBytes;
        let is_choice = is_broken || matches!(problem.code, Code::BadJson | Code::ConflictMarkers);
        return if is_choice { Repairability::Choose } else { Repairability::ByHand };
    }
    let record = problem.record.and_then(|number| document.records.get(number as usize));
    let is_broken = record.is_some_and(|own| own.view().is_none());
    match line_damage::safe_title(problem.code) {
        Some(title) if !is_broken => Repairability::Safe(title),
        _ if is_broken || matches!(problem.code, Code::DuplicateId) => Repairability::Choose,
        _ => Repairability::ByHand,
    }
}
