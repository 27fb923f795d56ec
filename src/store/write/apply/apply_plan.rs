//! Applies a plan, lock by lock.

use std::path::Path;

use super::ApplyProgress;
use crate::disk::ItemKind;
use crate::model::{Act, Change, Lock, Plan, Verb};
use crate::store::lock::WaitPolicy;
use crate::store::steps::UndoStep;
use crate::store::write::apply::record_digests::{remaining_equals, takes_any};
use crate::store::write::apply::{ApplyContext, LostRace, StagedChange, step_folders};
use crate::store::write::{CommitContext, CommitError};

/// How often a change is fitted to a file that other programs keep changing.
const TRIES: usize = 40;
/// After this many attempts it is fitted under the lock, and all late lines are taken over.
const PATIENT: usize = 2;
/// The reason why a change is given up after all attempts.
pub const KEPT_CHANGING: &str = "other programs keep changing it";
/// The reason why derived files are not put in place.
pub const CHANGED: &str = "its memories changed";

struct LockGroup<'a> {
    lock: Lock,
    changes: Vec<(&'a Change, bool)>,
    /// The files that its derived files are made from, with their planned lengths.
    made_of: Vec<(&'a Path, u64)>,
    exact: bool,
    /// True if records of logs leave or are blanked where they are: lines that others add fit behind them.
    is_erasure: bool,
}

/// Applies a plan. `kept` is its undo data, saved again before a change that had to be fitted.
pub fn apply_plan(
    context: &CommitContext<'_>,
    plan: &Plan,
    carried: &mut ApplyProgress,
    kept: Option<(u64, &mut UndoStep)>,
) -> Result<(), CommitError> {
    let outcome = carry_sets(context, plan, carried, kept);
    context.replaced.borrow_mut().append(&mut carried.replaced);
    outcome
}

fn carry_sets(
    context: &CommitContext<'_>,
    plan: &Plan,
    carried: &mut ApplyProgress,
    mut kept: Option<(u64, &mut UndoStep)>,
) -> Result<(), CommitError> {
    refuse_links(context, plan)?;
    // A plan that only rebuilds derived files is about these files.
    let of = if plan.changes.is_empty() { &plan.derived } else { &plan.changes };
    let files = of.iter().filter(|change| !matches!(change.act, Act::MakeFolder | Act::RemoveFolder));
    carried.touched = files.map(|change| change.path.clone()).collect();
    carried.derive = plan.derive_after || plan.derive_later;
    for set in sets(context, plan) {
        let keep = &mut |path: &Path, inverse: Option<Change>| {
            let Some((number, step)) = &mut kept else { return Ok(()) };
            let own = step.changes.iter().position(|change| change.path == path);
            match (own, inverse) {
                (Some(at), Some(inverse)) => {
                    if let Some(after) = &inverse.base {
                        step.twins.retain(|own| Path::new(&own.0) != path);
                        step.twins.extend(remaining_equals(&inverse, after));
                    }
                    step.changes[at] = Change { base: None, ..inverse };
                }
                (Some(at), None) => drop(step.changes.remove(at)),
                (None, _) => {}
            }
            context.keep(*number, step)
        };
        carry_set(context, &set, carried, keep)?;
    }
    // They were not empty before.
    let gone = plan.all().filter(|change| change.act == Act::RemoveFolder);
    step_folders::remove_folders(context, gone, carried)
}

/// Refuses to write through a link (a file or a folder above it), or to a pipe or a device.
fn refuse_links(context: &CommitContext<'_>, plan: &Plan) -> Result<(), CommitError> {
    let inside = plan.all().filter(|change| !change.is_empty() && !change.path.starts_with(".."));
    for change in inside {
        let (path, depth) = (context.path(&change.path), change.path.components().count());
        for place in path.ancestors().take(depth) {
            let Some(item) = context.item_at(place)? else { continue };
            let what = match (item.link, item.kind) {
                (Some(_), _) => "it is a link: palimp does not write through it",
                (None, ItemKind::Special) => {
                    "it is a pipe, a device or a socket: palimp does not write to it. Move it away first"
                }
                _ => continue,
            };
            return Err(CommitError::NotWritten(place.to_owned(), what));
        }
    }
    Ok(())
}

/// Applies derived changes, if the files they are made from still have the planned lengths.
pub fn apply_derived(context: &CommitContext<'_>, plan: &Plan) -> Result<(), CommitError> {
    let mut carried = ApplyProgress::default();
    for set in sets(context, plan) {
        carry_set(context, &set, &mut carried, &mut |_, _| Ok(()))?;
        if carried.derive {
            return Err(CommitError::moved(&context.place.root, CHANGED));
        }
    }
    Ok(())
}

/// Makes and applies derived files under their one lock, so that lock users can't change the sources.
pub fn apply_derived_locked(
    context: &CommitContext<'_>,
    files: &[&Path],
    make: &dyn Fn() -> Vec<Change>,
) -> Result<(), CommitError> {
    let host = context.host;
    let held = context.lock(files)?;
    let changes = make();
    let own = |change: &Change| StagedChange::of(change, true, context.format, context.path(&change.path));
    let mut ready: Vec<StagedChange> = changes.iter().filter(|change| !change.is_empty()).map(own).collect();
    let mut carried = ApplyProgress::default();
    let mut apply_context = ApplyContext { host, exact: false, only_adds: false, carried: &mut carried };
    let outcome = ready.iter_mut().try_for_each(|own| apply_context.prepare(own)).and_then(|()| {
        let is_made = apply_context.catch_up(&mut ready, true)?
            && apply_context.apply(&mut ready, &|| held.still_ours())? == LostRace::No
            && !apply_context.carried.derive;
        if is_made { Ok(()) } else { Err(CommitError::moved(&context.place.root, CHANGED)) }
    });
    held.release();
    ready.iter_mut().for_each(|own| own.drop_temp(host.disk));
    outcome
}

fn sets<'a>(context: &CommitContext<'_>, plan: &'a Plan) -> Vec<LockGroup<'a>> {
    let mut sets: Vec<LockGroup<'a>> = Vec::new();
    let data = plan.changes.iter().map(|change| (change, false));
    for (change, derived) in data.chain(plan.derived.iter().map(|change| (change, true))) {
        if change.is_empty() {
            continue;
        }
        let lock = context.format.lock(&[&change.path]);
        let fits = |set: &&mut LockGroup<'a>| is_one(&set.lock, &lock);
        // A derived change joins the last set under its lock. Data keeps its order.
        let last = if derived { sets.iter_mut().rev().find(fits) } else { sets.last_mut().filter(fits) };
        match last {
            Some(set) => set.changes.push((change, derived)),
            None => sets.push(LockGroup {
                lock,
                changes: vec![(change, derived)],
                made_of: Vec::new(),
                exact: plan.exact,
                is_erasure: plan.verb == Verb::Erase,
            }),
        }
    }
    for set in sets.iter_mut().filter(|set| set.changes.iter().any(|(_, derived)| *derived)) {
        let own = plan.inputs.iter().filter(|(file, _)| is_one(&context.format.lock(&[file]), &set.lock));
        set.made_of = own.map(|(file, len)| (file.as_path(), *len)).collect();
    }
    sets
}

/// True if two locks are equal, or share their first file and are taken together.
fn is_one(a: &Lock, b: &Lock) -> bool {
    match (a, b) {
        (Lock::Exclusive(a), Lock::Exclusive(b)) => a.first() == b.first(),
        (a, b) => a == b,
    }
}

/// Saves the undo data of a file's change again, or drops it (`None`) if nothing was changed. If
/// the undo data has a known base, its equal records are counted again, too.
pub type UndoUpdate<'k> = dyn FnMut(&Path, Option<Change>) -> Result<(), CommitError> + 'k;

fn carry_set(
    context: &CommitContext<'_>,
    set: &LockGroup<'_>,
    carried: &mut ApplyProgress,
    keep: &mut UndoUpdate<'_>,
) -> Result<(), CommitError> {
    let own = |&(change, derived): &(&Change, bool)| {
        let own = StagedChange::of(change, derived, context.format, context.path(&change.path));
        // Others may append to a log from which records go, even if the format forbids to adapt its changes.
        let is_in_place = set.is_erasure && own.grows && matches!(own.act, Act::Splice(_));
        StagedChange { exact: own.exact && !is_in_place, ..own }
    };
    let mut ready: Vec<StagedChange> = set.changes.iter().map(own).collect();
    let only_adds = ready.iter().all(|own| own.is_new() || matches!(own.act, Act::Append(_)));
    let mut apply_context = ApplyContext { host: context.host, exact: set.exact, only_adds, carried };
    // New files need no lock: no other program knows them yet. Derived files do: their sources must
    // not have changed.
    let known = ready.iter().position(|own| !own.is_new()).unwrap_or(ready.len());
    let outcome = ready[..known]
        .iter_mut()
        .try_for_each(|own| if apply_context.make(own)? { Ok(()) } else { keep(&own.relative, None) })
        .and_then(|()| commit_set(context, &set.made_of, &mut apply_context, &mut ready[known..], keep));
    ready.iter_mut().for_each(|own| own.drop_temp(context.host.disk));
    outcome
}

fn commit_set(
    context: &CommitContext<'_>,
    made_of: &[(&Path, u64)],
    apply_context: &mut ApplyContext<'_, '_>,
    ready: &mut [StagedChange],
    keep: &mut UndoUpdate<'_>,
) -> Result<(), CommitError> {
    let Some(first) = ready.first().map(|own| own.path.clone()) else { return Ok(()) };
    for attempt in 0..TRIES {
        let is_last = attempt >= PATIENT;
        ready.iter_mut().for_each(|own| apply_context.wait_for_line_end(own));
        if !is_last {
            ready.iter_mut().try_for_each(|own| apply_context.prepare(own))?;
        }
        let files: Vec<&Path> = ready.iter().map(|own| own.relative.as_path()).collect();
        // Lines that are only added need not wait until the lock settles.
        let settles = !apply_context.only_adds;
        let held = context.lock_as(&files, WaitPolicy { settles, ..context.patience() })?;
        if is_last {
            // Programs that take the lock wait, so these files don't change while changes are fitted.
            apply_context.rebase_changes(ready, keep)?;
            ready.iter_mut().try_for_each(|own| apply_context.prepare(own))?;
        }
        let mut is_as_made = true;
        for (file, len) in made_of {
            is_as_made &= apply_context.len(&context.path(file))? == Some(*len);
        }
        if !is_as_made {
            apply_context.carried.touched.extend(made_of.iter().map(|(file, _)| file.to_path_buf()));
            apply_context.carried.met_others = true;
            apply_context.drop_derived(ready);
        }
        let fits = apply_context.catch_up(ready, is_last)?;
        if fits {
            ready.iter_mut().try_for_each(|own| count_again(own, keep))?;
        }
        let lost = fits && apply_context.apply(ready, &|| held.still_ours())? == LostRace::Yes;
        held.release();
        if fits && !lost {
            apply_context.tidy(ready);
            context.make_durable(&mut apply_context.carried.not_durable)?;
            let changed = ready.iter().filter(|own| matches!(own.act, Act::Splice(_)) && !own.is_as_planned);
            let lens = |own: &StagedChange| {
                let change = own.change();
                (own.relative.clone(), change.len_before(), change.len_after())
            };
            apply_context.carried.changed_lens.extend(changed.map(lens));
            return Ok(());
        }
        if !fits && attempt + 1 < PATIENT {
            apply_context.rebase_changes(ready, keep)?;
        }
    }
    Err(CommitError::moved(&first, KEPT_CHANGING))
}

/// Counts the remaining equal records again if others wrote to the file since the last count.
fn count_again(own: &mut StagedChange, keep: &mut UndoUpdate<'_>) -> Result<(), CommitError> {
    if own.derived || !matches!(own.act, Act::Splice(_)) {
        return Ok(());
    }
    let base = own.base();
    let grown = own.counted.replace(base.len()).filter(|counted| *counted <= base.len());
    let grown = grown.map(|counted| &base[counted..base.len()]);
    let change = own.change();
    match grown {
        Some(grown) if grown.is_empty() || !takes_any(&change, grown) => Ok(()),
        _ => keep(&own.relative, Some(change.inverse())),
    }
}
