//! `backup diff` and `backup restore`: compare a copy of a file with the file, and restore records.
//! What a comparison says about a record is what the plan does with it.

mod compare;
pub mod comparison;
mod replace_file;

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::erase::ErasedRecords;
use super::{
    Command, CommandRules, Refusal, Result, StoreInput, StorePlan, WriteContext, WriteWay, check,
    plan_and_after, with_backups,
};
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{BackupCopy, Change, Moment, Plan, Store, Verb};
use crate::store::steps::Deletions;
use crate::store::{CommitError, Vault};
use crate::text::json_edit::on_one_line;

pub use compare::compare;
use comparison::{BackupComparison, DifferenceKind, RecordDifference};
use replace_file::replace;

/// Plans to restore the chosen records of a copy, or the whole file. A missing file that can only
/// be restored as a whole is restored as a whole, since this replaces nothing. The whole file
/// contains deleted records only if they were chosen.
pub fn bring_back(
    context: &WriteContext<'_>,
    comparison: &BackupComparison,
    (chosen, whole): (&HashSet<u64>, bool),
    copy: &[u8],
    facts: &CopyFacts,
) -> Result<Plan> {
    let is_gone = context.store.document_at(&comparison.file).is_none();
    match whole || comparison.whole_only.is_some() && is_gone {
        true => replace(context, comparison, chosen, (copy, facts)),
        false => restore(context, comparison, chosen),
    }
}

/// Plans to restore the records that start at these places in the copy. Missing and deleted ones go
/// to the end of the file, changed ones to their present place.
pub fn restore(
    context: &WriteContext<'_>,
    comparison: &BackupComparison,
    chosen: &HashSet<u64>,
) -> Result<Plan> {
    if let Some(why) = &comparison.whole_only {
        return Err(Refusal::unfit(format!("{why}.")));
    }
    let missing = comparison.to_come(chosen, &[DifferenceKind::Missing, DifferenceKind::Deleted]);
    let changed = comparison.to_come(chosen, &[DifferenceKind::Changed]);
    let lines: Vec<u8> =
        missing.iter().flat_map(|item| on_one_line(&item.was).into_iter().chain([b'\n'])).collect();
    let edits = changed.iter().filter_map(|item| Some((item.place.clone()?, on_one_line(&item.was))));
    let there = context.store.document_at(&comparison.file).map(|own| own.bytes.clone());
    let change = match (&there, changed.is_empty()) {
        (Some(there), false) => {
            Change::edits(&comparison.file, there.clone(), edits.collect()).and_append(&lines)
        }
        _ => Change::append(&comparison.file, lines, there),
    };
    let all = with_backups(context, vec![change]);
    let (mut plan, after) = plan_and_after(Verb::BackupRestore, context, missing.len() + changed.len(), all)?;
    plan.lines.push(told(missing.len(), changed.len(), comparison, chosen));
    plan.lines.extend(comparison.damage.clone());
    plan.lines.extend(left_out(context, comparison, chosen));
    plan.lines.extend(comparison.doubts.iter().cloned());
    check(context, &plan, &after)?;
    Ok(plan)
}

/// Names the records that are not restored, because they were deleted or share an id.
fn left_out(context: &WriteContext<'_>, comparison: &BackupComparison, chosen: &HashSet<u64>) -> Vec<String> {
    let root = &context.store.root;
    let deleted = comparison.deleted().filter(|item| !chosen.contains(&item.at));
    let tombstoned =
        comparison.items.iter().filter(|item| item.kind == DifferenceKind::Tombstoned && !item.is_as_it_was);
    let left = deleted.chain(tombstoned);
    let mut lines: Vec<String> = left.map(|item| comparison.named(root, item, "is left out")).collect();
    let shares = comparison.items.iter().filter(|item| item.can_come && item.shares);
    let line = |item: &RecordDifference| {
        let (key, id) = (comparison.key(root, item)?, item.id.as_deref().unwrap_or_default());
        Some(format!("left out: {id}, as {}: {key}", item.told))
    };
    if *chosen == comparison.by_default() {
        lines.extend(shares.filter(|item| item.kind != DifferenceKind::Deleted).filter_map(line));
    }
    lines
}

fn told(missing: usize, changed: usize, comparison: &BackupComparison, chosen: &HashSet<u64>) -> String {
    let now = comparison.records;
    let (newer, absent) = (comparison.count(DifferenceKind::Newer), comparison.count(DifferenceKind::Absent));
    let left = comparison.deleted().filter(|item| !chosen.contains(&item.at)).count();
    let mut parts = vec![format!("+{missing} to restore")];
    parts.extend((changed > 0).then(|| format!("~{changed} to change back")));
    parts.extend((left > 0).then(|| format!("⊘{left} deleted since are left out")));
    parts.extend((newer > 0).then(|| format!("−{newer} newer are kept")));
    parts.extend((absent > 0).then(|| format!("−{absent} that the backup lacks are kept")));
    format!("{}: {now} → {}", parts.join(", "), count_with_noun((now + missing) as u64, "memory"))
}

/// Facts about a copy besides its bytes.
#[derive(Default)]
pub struct CopyFacts {
    /// The records that were erased from the store.
    pub gone: ErasedRecords,
    /// The records that were deleted and not restored since.
    pub deleted: Arc<Deletions>,
    /// When the copy was made.
    pub at: Option<Moment>,
    /// True if the copy was longer when it was made.
    pub is_cut: bool,
}

impl CopyFacts {
    /// Reads the facts from palimp's data.
    /// Without them, erased memories could be restored.
    pub fn of(
        store: &Store,
        vault: &Vault<'_>,
        (copy, bytes): (&BackupCopy, &[u8]),
        deleted: Arc<Deletions>,
    ) -> Result<CopyFacts, CommitError> {
        Ok(CopyFacts {
            gone: ErasedRecords::out_of(store, vault, copy)?,
            deleted,
            at: copy.at,
            is_cut: copy.made.is_some_and(|(_, len)| len > bytes.len() as u64),
        })
    }

    /// True if a step was made after the copy, or one of the two times is unknown.
    pub fn is_since(&self, step: u64) -> bool {
        match (self.deleted.at(step), self.at) {
            (Some(own), Some(copy)) => own >= copy,
            _ => true,
        }
    }
}

/// Restores from a copy of a file.
#[derive(Clone, PartialEq)]
pub struct BackupRestore {
    /// The store's number in its snapshot.
    pub store: usize,
    pub copy: BackupCopy,
    /// Its bytes, as they were shown.
    pub bytes: Arc<[u8]>,
    /// The starts of the chosen records in the copy; for the whole file, of the deleted ones to restore.
    pub chosen: HashSet<u64>,
    /// True if the whole file is restored.
    pub whole: bool,
}

impl BackupRestore {
    /// Compares the copy with its file.
    pub fn compared(
        &self,
        store: &Store,
        host: Host<'_>,
    ) -> Result<(BackupComparison, CopyFacts), CommitError> {
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        let deleted = Arc::new(Deletions::of(&vault, store, host.now)?);
        let facts = CopyFacts::of(store, &vault, (&self.copy, &self.bytes), deleted)?;
        let context = WriteContext::of(store, host.now, [0; 16]);
        Ok((compare(&context, &self.copy.file, &self.bytes, &facts)?, facts))
    }
}

impl std::fmt::Debug for BackupRestore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let chosen: BTreeSet<&u64> = self.chosen.iter().collect();
        write!(f, "BackupRestore({:?}, {chosen:?}, {})", self.copy.path, self.whole)
    }
}

impl Command for BackupRestore {
    fn rules(&self) -> CommandRules {
        let words = match self.whole {
            true => ["restoring", "replace the whole of", "replaced the whole of"],
            false => ["restoring", "restore", "restored"],
        };
        // The plan of a whole file names each memory itself.
        CommandRules { words, names_each: !self.whole, ..CommandRules::of_store(self.store) }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let (compared, facts) = self.compared(input.store, input.host)?;
        let which = (&self.chosen, self.whole);
        let plan = bring_back(&input.context(), &compared, which, &self.bytes, &facts)?;
        Ok(vec![StorePlan { store: input.number, plan, way: WriteWay::Restored }])
    }
}
