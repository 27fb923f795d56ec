//! Putting a whole file back as it was: what that comes to is told by name.

use super::super::effect::named;
use super::super::erase::Gone;
use super::super::{Refusal, Result, Scene, backups, base, check, plan, plan_and_after, writes};
use super::{Comparison, Item, Kind, role};
use crate::format::writing::document;
use crate::model::{Change, Plan, Role, Tell};
use crate::store::derive;

/// The whole file as it was, but for what was erased since. What was written later is lost.
pub fn replace(scene: &Scene<'_>, comparison: &Comparison, copy: &[u8], gone: &Gone) -> Result<Plan> {
    let (format, writes) = writes(scene.store)?;
    let file = &comparison.file;
    if role(format, file) == Role::Index {
        let message = format!("{} is made from the memories: `palimp reindex` rebuilds it.", file.told());
        return Err(Refusal::unfit(message));
    }
    let current = document(&scene.store.documents, file);
    let change = |bytes: &[u8]| match current {
        Some(now) => Change::rewrite(file, base(now), bytes),
        None => Change::create(file, bytes),
    };
    let copy = gone.without(scene, file, copy)?;
    // Counts in it are those of the records as they are now.
    let after = derive::after(scene.store, &[change(&copy)], scene.now);
    let change = change(&derive::should_hold(scene.store, &after, file, scene.now).unwrap_or(copy.into()));
    if change.is_empty() && change.base.is_some() {
        // A file that is as it was needs no copy.
        return plan("backup restore", scene, 0, Vec::new());
    }
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    let [back, changed, lost] =
        [Kind::Missing, Kind::Changed, Kind::Newer].map(|kind| comparison.count(kind));
    let (mut plan, after) = plan_and_after("backup restore", scene, back + changed + lost, all)?;
    plan.lines.extend(comparison.whole());
    check(scene, &plan, &after)?;
    Ok(plan)
}

impl Comparison {
    /// What putting the whole file back comes to: how many of each, then each by name.
    /// Untrusted text.
    fn whole(&self) -> Vec<String> {
        // What is lost comes first: the rest can be had again.
        let first = [Kind::Newer, Kind::Tombstoned, Kind::Changed, Kind::Missing];
        let rest = [Kind::Elsewhere, Kind::Unreadable, Kind::Erased];
        let all = first.into_iter().chain(rest);
        let parts: Vec<String> = all
            .clone()
            .filter_map(|kind| {
                let count = self.items.iter().filter(|item| item.kind == kind && self.is_told(item)).count();
                (count > 0).then(|| format!("{}{count} {}", kind.sign(), self.fate(kind).0))
            })
            .collect();
        let mut lines = Vec::new();
        lines.extend((!parts.is_empty()).then(|| parts.join(", ")));
        for kind in all {
            let own = self.items.iter().filter(|item| item.kind == kind && self.is_told(item));
            lines.extend(own.map(|item| self.line(item)));
        }
        lines
    }

    /// Whether something becomes of a record when the whole file is put back.
    fn is_told(&self, item: &Item) -> bool {
        item.kind != Kind::Tombstoned || !item.is_as_it_was
    }

    /// What becomes of records of a kind when the whole file is put back, and of one of them.
    fn fate(&self, kind: Kind) -> (&'static str, &'static str) {
        match (kind, self.deletes) {
            (Kind::Newer, true) => {
                ("deletions made later are LOST: the memories are live again", "its deletion is LOST")
            }
            (Kind::Missing, true) => ("deletions are restored", "is deleted again"),
            (Kind::Newer, false) => ("written later are LOST", "LOST"),
            (Kind::Missing, false) => ("are restored", "is restored"),
            (Kind::Changed, _) => ("are changed back", "is changed back"),
            (Kind::Tombstoned, _) => {
                ("are restored as DELETED: a tombstone names them", "is restored as deleted")
            }
            (Kind::Erased, _) => ("were erased, and are not restored", "is not restored"),
            (Kind::Elsewhere, _) => ("are restored, and are in another file too", "is restored"),
            (Kind::Unreadable, _) => ("are restored, and are broken", "is restored, is broken"),
        }
    }

    fn line(&self, item: &Item) -> String {
        // The whole file asks nobody to choose.
        let told = if item.kind == Kind::Changed { "" } else { item.told.as_str() };
        let own = named(&item.title, &[self.fate(item.kind).1, told], item.id.as_deref());
        format!("{} {own}", item.kind.sign())
    }
}
