//! Putting a whole file back as it was: what that comes to is told by name.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::Path;

use super::super::{Refusal, Result, Scene, backups, base, check, plan, plan_and_after, writes};
use super::damage::because_of;
use super::{Comparison, CopyFacts, Item, Kind, role};
use crate::format::Format;
use crate::format::writing::document;
use crate::model::plan::{apply, whole_lines};
use crate::model::{Change, Plan, Role, Span, Tell};
use crate::store::derive;
use crate::store::erase::is_log;
use crate::text::lines;

/// Restores the whole file, without what was erased since, and without what was deleted since unless it was
/// chosen. What was written later is lost.
pub fn replace(
    scene: &Scene<'_>,
    comparison: &Comparison,
    chosen: &HashSet<u64>,
    (copy, facts): (&[u8], &CopyFacts),
) -> Result<Plan> {
    let (format, writes) = writes(scene.store)?;
    let file = &comparison.file;
    if role(format, file) == Role::Index {
        let message = format!("{} is made from the memories: `palimp reindex` rebuilds it.", file.told());
        return Err(Refusal::unfit(message));
    }
    let lines = comparison.whole(&scene.store.root, chosen);
    let Some(copy) = comparison.without_left_out(format, copy, chosen)? else {
        return Ok(Plan { lines, ..plan("backup restore", scene, 0, Vec::new())? });
    };
    let current = document(&scene.store.documents, file);
    if current.is_none() && copy.is_empty() && !comparison.items.is_empty() {
        // An empty file would be made of what is left out.
        return Ok(Plan { lines, ..plan("backup restore", scene, 0, Vec::new())? });
    }
    let change = |bytes: &[u8]| match current {
        Some(now) => Change::rewrite(file, base(now), bytes),
        None => Change::create(file, bytes),
    };
    let copy = facts.gone.without(scene, file, &copy)?;
    // Counts in it are those of the records as they are now.
    let after = derive::after(scene.store, &[change(&copy)], scene.now);
    let change = change(&derive::should_hold(scene.store, &after, file, scene.now).unwrap_or(copy.into()));
    if change.is_empty() && change.base.is_some() {
        // A file that is as it was needs no copy.
        return Ok(Plan { lines, ..plan("backup restore", scene, 0, Vec::new())? });
    }
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    let moves = |item: &&Item| match item.kind {
        Kind::Deleted => chosen.contains(&item.at),
        Kind::Elsewhere => !item.has_moved,
        kind => matches!(kind, Kind::Missing | Kind::Changed) || kind.is_only_here(),
    };
    let count = comparison.items.iter().filter(moves).count();
    let (mut plan, after) = plan_and_after("backup restore", scene, count, all)?;
    plan.lines.extend(lines);
    check(scene, &plan, &after).map_err(|refused| because_of(comparison, refused))?;
    Ok(plan)
}

impl Comparison {
    /// The copy without the deleted records that were not chosen, and without those that another file has
    /// now, or `None` if nothing is left.
    fn without_left_out<'c>(
        &self,
        format: &dyn Format,
        copy: &'c [u8],
        chosen: &HashSet<u64>,
    ) -> Result<Option<Cow<'c, [u8]>>> {
        let is_left = |item: &&Item| match item.kind {
            Kind::Deleted => !chosen.contains(&item.at),
            Kind::Elsewhere => item.has_moved,
            _ => false,
        };
        let mut spans: Vec<Span> = self.items.iter().filter(is_left).map(Item::span).collect();
        spans.sort_by_key(|span| span.start);
        let Some(first) = spans.first() else { return Ok(Some(copy.into())) };
        if is_log(&self.file) {
            let splices = whole_lines(copy, lines::holes(copy, &spans));
            return Ok(Some(apply(copy, &splices).into()));
        }
        let is_all = copy.get(..first.start as usize).is_some_and(|own| own.trim_ascii().is_empty())
            && copy.get(first.end as usize..).is_some_and(|own| own.trim_ascii().is_empty());
        if is_all {
            return Ok(None);
        }
        let file = self.file.told();
        let whole = || Refusal::unfit(format!("{file} holds what was deleted, and can't be taken apart."));
        let erases = format.erases().ok_or_else(whole)?;
        Ok(Some(erases.without(&self.file, copy, &spans)?.into()))
    }

    /// What putting the whole file back comes to: how many of each, then each by name.
    /// Untrusted text.
    fn whole(&self, root: &Path, chosen: &HashSet<u64>) -> Vec<String> {
        // The plan first names what is lost, because the rest can be restored again. Deleted records only come
        // if they are chosen, and records of other files only if they were not moved there.
        let first =
            [(Kind::Newer, true), (Kind::Absent, true), (Kind::Deleted, false), (Kind::Deleted, true)];
        let then = [Kind::Tombstoned, Kind::Changed, Kind::Missing].map(|kind| (kind, true));
        let rest = [
            (Kind::Elsewhere, false),
            (Kind::Elsewhere, true),
            (Kind::Unreadable, true),
            (Kind::Erased, true),
        ];
        let all: Vec<_> = first.into_iter().chain(then).chain(rest).collect();
        let of = |&(kind, comes): &(Kind, bool)| {
            let comes_so = move |item: &&Item| match kind {
                Kind::Deleted => chosen.contains(&item.at) == comes,
                Kind::Elsewhere => item.has_moved != comes,
                _ => true,
            };
            let is_it = move |item: &&Item| item.kind == kind && self.is_told(item);
            self.items.iter().filter(is_it).filter(comes_so)
        };
        let part = |own: &(Kind, bool)| {
            let count = of(own).count();
            (count > 0).then(|| format!("{}{count} {}", own.0.sign(), self.fate(*own).0))
        };
        let parts: Vec<String> = all.iter().filter_map(part).collect();
        let mut lines = Vec::new();
        lines.extend((!parts.is_empty()).then(|| parts.join(", ")));
        for own in &all {
            lines.extend(of(own).map(|item| self.line(root, item, self.fate(*own).1)));
        }
        lines.extend(self.damage.clone());
        lines.extend(self.doubts.iter().cloned());
        lines
    }

    /// Whether something becomes of a record when the whole file is put back.
    fn is_told(&self, item: &Item) -> bool {
        item.kind != Kind::Tombstoned || !item.is_as_it_was
    }

    /// What becomes of records of a kind when the whole file is put back, and of one of them.
    fn fate(&self, (kind, comes): (Kind, bool)) -> (&'static str, &'static str) {
        match (kind, self.deletes) {
            (Kind::Deleted, _) if comes => ("were deleted, and are restored", "is restored"),
            (Kind::Deleted, _) => ("were deleted, and are left out", "is left out"),
            (Kind::Newer, true) => {
                ("deletions made later are LOST: the memories are live again", "its deletion is LOST")
            }
            (Kind::Absent, true) => (
                "deletions that the backup lacks are LOST: the memories are live again",
                "its deletion is LOST",
            ),
            (Kind::Missing, true) => ("deletions are restored", "is deleted again"),
            (Kind::Newer, false) => ("written later are LOST", "LOST"),
            (Kind::Absent, false) => ("that the backup lacks are LOST", "LOST"),
            (Kind::Missing, false) => ("are restored", "is restored"),
            (Kind::Changed, _) => ("are changed back", "is changed back"),
            (Kind::Tombstoned, _) => {
                ("are restored as DELETED: a tombstone names them", "is restored as deleted")
            }
            (Kind::Erased, _) => ("were erased, and are not restored", "is not restored"),
            (Kind::Elsewhere, _) if !comes => ("are in another file now, and are left out", "is left out"),
            (Kind::Elsewhere, _) => ("are restored, and are in another file too", "is restored"),
            (Kind::Unreadable, _) => ("are restored, and are broken", "is restored, is broken"),
        }
    }

    fn line(&self, root: &Path, item: &Item, fate: &str) -> String {
        match item.kind {
            // A whole file needs no choice.
            Kind::Changed => self.named(root, &Item { told: String::new(), ..item.clone() }, fate),
            _ => self.named(root, item, fate),
        }
    }
}
