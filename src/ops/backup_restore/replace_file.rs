//! Restores a whole file, and names everything that this changes.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use super::CopyFacts;
use super::comparison::{BackupComparison, DifferenceKind, RecordDifference, role};
use crate::format::Format;
use crate::model::plan::{apply, whole_lines};
use crate::model::{Change, PathText, Plan, Role, Span, Verb};
use crate::ops::{Refusal, Result, WriteContext, check, plan, plan_and_after, with_backups, writes};
use crate::store::derived_files;
use crate::store::erase::is_log_or_copy;
use crate::text::lines;

/// Plans to restore the whole file, without what was erased since, and without what was deleted
/// since unless it was chosen. What was written later is lost.
pub fn replace(
    context: &WriteContext<'_>,
    comparison: &BackupComparison,
    chosen: &HashSet<u64>,
    (copy, facts): (&[u8], &CopyFacts),
) -> Result<Plan> {
    let (format, _) = writes(context.store)?;
    let file = &comparison.file;
    if role(format, file) == Role::Index {
        let message = format!("{} is made from the memories: `palimp reindex` rebuilds it.", file.to_text());
        return Err(Refusal::unfit(message));
    }
    let lines = comparison.whole(&context.store.root, chosen);
    let nothing = |lines| Ok(Plan { lines, ..plan(Verb::BackupRestore, context, 0, Vec::new())? });
    let Some(copy) = comparison.without_left_out(format, copy, chosen)? else { return nothing(lines) };
    let current = context.store.document_at(file);
    if current.is_none() && copy.is_empty() && !comparison.items.is_empty() {
        // All of the copy is left out, and the new file would be empty.
        return nothing(lines);
    }
    let change = |bytes: &[u8]| match current {
        Some(now) => Change::rewrite(file, now.bytes.clone(), bytes),
        None => Change::create(file, bytes),
    };
    let copy = facts.gone.without(context, file, &copy)?;
    // Counts inside the file must be those of the records after the restore.
    let after = derived_files::documents_after(context.store, &[change(&copy)], context.now);
    let expected = derived_files::expected_content(context.store, &after, file, context.now);
    let change = change(&expected.unwrap_or(copy.into()));
    if change.is_empty() && change.base.is_some() {
        // An unchanged file needs no backup.
        return nothing(lines);
    }
    let all = with_backups(context, vec![change]);
    let moves = |item: &&RecordDifference| match item.kind {
        DifferenceKind::Deleted => chosen.contains(&item.at),
        DifferenceKind::Elsewhere => !item.has_moved,
        kind => matches!(kind, DifferenceKind::Missing | DifferenceKind::Changed) || kind.is_only_here(),
    };
    let count = comparison.items.iter().filter(moves).count();
    let (mut plan, after) = plan_and_after(Verb::BackupRestore, context, count, all)?;
    plan.lines.extend(lines);
    check(context, &plan, &after).map_err(|refused| because_of(comparison, refused))?;
    Ok(plan)
}

/// What a plan names: first what is lost, because the rest can be restored again. Deleted records only come if they are
/// chosen, and records of other files only if they were not moved there.
const TOLD: [(DifferenceKind, bool); 11] = [
    (DifferenceKind::Newer, true),
    (DifferenceKind::Absent, true),
    (DifferenceKind::Deleted, false),
    (DifferenceKind::Deleted, true),
    (DifferenceKind::Tombstoned, true),
    (DifferenceKind::Changed, true),
    (DifferenceKind::Missing, true),
    (DifferenceKind::Elsewhere, false),
    (DifferenceKind::Elsewhere, true),
    (DifferenceKind::Unreadable, true),
    (DifferenceKind::Erased, true),
];

impl BackupComparison {
    /// Returns the copy without the records that are left out; `None` if nothing remains.
    fn without_left_out<'c>(
        &self,
        format: &dyn Format,
        copy: &'c [u8],
        chosen: &HashSet<u64>,
    ) -> Result<Option<Cow<'c, [u8]>>> {
        let is_left = |item: &&RecordDifference| match item.kind {
            DifferenceKind::Deleted => !chosen.contains(&item.at),
            DifferenceKind::Elsewhere => item.has_moved,
            _ => false,
        };
        let mut spans: Vec<Span> = self.items.iter().filter(is_left).map(RecordDifference::span).collect();
        spans.sort_by_key(|span| span.start);
        let Some(first) = spans.first() else { return Ok(Some(copy.into())) };
        if is_log_or_copy(&self.file) {
            let splices = whole_lines(copy, lines::removal_edits(copy, &spans));
            return Ok(Some(apply(copy, &splices).into()));
        }
        let around = [copy.get(..first.start as usize), copy.get(first.end as usize..)];
        if around.iter().all(|own| own.is_some_and(|own| own.trim_ascii().is_empty())) {
            return Ok(None);
        }
        let file = self.file.to_text();
        let whole = || Refusal::unfit(format!("{file} holds what was deleted, and can't be taken apart."));
        let erases = format.own().eraser.ok_or_else(whole)?;
        Ok(Some(erases.without(&self.file, copy, &spans)?.into()))
    }

    /// Says what a restore of the whole file does: first counts, then each record. Untrusted text.
    fn whole(&self, root: &Path, chosen: &HashSet<u64>) -> Vec<String> {
        let of = |&(kind, comes): &(DifferenceKind, bool)| {
            let comes_so = move |item: &&RecordDifference| match kind {
                DifferenceKind::Deleted => chosen.contains(&item.at) == comes,
                DifferenceKind::Elsewhere => item.has_moved != comes,
                _ => true,
            };
            let is_it = move |item: &&RecordDifference| item.kind == kind && self.is_told(item);
            self.items.iter().filter(is_it).filter(comes_so)
        };
        let part = |own: &(DifferenceKind, bool)| {
            let count = of(own).count();
            (count > 0).then(|| format!("{}{count} {}", own.0.sign(), self.fate(*own).0))
        };
        let parts: Vec<String> = TOLD.iter().filter_map(part).collect();
        let mut lines = Vec::new();
        lines.extend((!parts.is_empty()).then(|| parts.join(", ")));
        for own in &TOLD {
            lines.extend(of(own).map(|item| self.line(root, item, self.fate(*own).1)));
        }
        lines.extend(self.damage.clone());
        lines.extend(self.doubts.iter().cloned());
        lines
    }

    /// True if the restore of the whole file changes something about the record.
    fn is_told(&self, item: &RecordDifference) -> bool {
        item.kind != DifferenceKind::Tombstoned || !item.is_as_it_was
    }

    /// Returns what the restore of the whole file does to several records of a kind, and to one.
    fn fate(&self, (kind, comes): (DifferenceKind, bool)) -> (&'static str, &'static str) {
        match (kind, self.deletes) {
            (DifferenceKind::Deleted, _) if comes => ("were deleted, and are restored", "is restored"),
            (DifferenceKind::Deleted, _) => ("were deleted, and are left out", "is left out"),
            (DifferenceKind::Newer, true) => {
                ("deletions made later are LOST: the memories are live again", "its deletion is LOST")
            }
            (DifferenceKind::Absent, true) => (
                "deletions that the backup lacks are LOST: the memories are live again",
                "its deletion is LOST",
            ),
            (DifferenceKind::Missing, true) => ("deletions are restored", "is deleted again"),
            (DifferenceKind::Newer, false) => ("written later are LOST", "LOST"),
            (DifferenceKind::Absent, false) => ("that the backup lacks are LOST", "LOST"),
            (DifferenceKind::Missing, false) => ("are restored", "is restored"),
            (DifferenceKind::Changed, _) => ("are changed back", "is changed back"),
            (DifferenceKind::Tombstoned, _) => {
                ("are restored as DELETED: a tombstone names them", "is restored as deleted")
            }
            (DifferenceKind::Erased, _) => ("were erased, and are not restored", "is not restored"),
            (DifferenceKind::Elsewhere, _) if !comes => {
                ("are in another file now, and are left out", "is left out")
            }
            (DifferenceKind::Elsewhere, _) => ("are restored, and are in another file too", "is restored"),
            (DifferenceKind::Unreadable, _) => ("are restored, and are broken", "is restored, is broken"),
        }
    }

    fn line(&self, root: &Path, item: &RecordDifference, fate: &str) -> String {
        let mut item = item.clone();
        if item.kind == DifferenceKind::Changed {
            // The whole file is restored without a choice, so the text about the choice is wrong here.
            item.told.clear();
        }
        self.named(root, &item, fate)
    }
}

/// Adds the backup's damage to a refusal of a restore, as the reason.
fn because_of(comparison: &BackupComparison, refused: Refusal) -> Refusal {
    let Some(damage) = &comparison.damage else { return refused };
    let can_come = comparison.whole_only.is_none() && comparison.items.iter().any(|item| item.can_come);
    let way =
        if can_come { " Without --replace, intact memories of the backup can be restored." } else { "" };
    let message = format!("{}: {}{way}", damage.trim_start_matches("✖ "), refused.message);
    Refusal { message, ..refused }
}
