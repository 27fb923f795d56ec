//! Carrying a plan out: lock by lock.

use std::path::{Path, PathBuf};

use super::create_files::CreatedItem;
use crate::disk::ItemKind;
use crate::model::bytes::Ranges;
use crate::model::{Act, Change, Lock, Plan};
use crate::store::commit::apply::restore_attributes::LostAttributes;
use crate::store::commit::apply::{ApplyContext, LostRace, StagedChange};
use crate::store::commit::handover::rescue::ReplacedFile;
use crate::store::commit::history::equal_records::{remaining_equals, takes_any};
use crate::store::commit::vault::undo_step::UndoStep;
use crate::store::commit::{CommitError, ReplaceMethod, Writer};

/// So often a change is fitted to a file that others keep changing.
const TRIES: usize = 40;
/// After so many it is fitted to it under the lock, and the last lines of others are taken over.
const PATIENT: usize = 2;
/// Why it is not made then.
pub(in crate::store::commit) const KEPT_CHANGING: &str = "other programs keep changing it";
/// Why what is derived is not put in its place.
pub(in crate::store::commit) const CHANGED: &str = "its memories changed";

/// How far a plan was carried out.
#[derive(Default)]
pub struct ApplyProgress {
    /// Whether a file that holds memories has been changed, or may have been.
    pub began: bool,
    /// Whether that is so of one that was there before.
    pub began_there: bool,
    /// Whether that is so of a file that is derived from them.
    pub began_derived: bool,
    /// New files and folders that were made before a lock was taken.
    pub created: Vec<CreatedItem>,
    /// Whether derived files have to be made anew, because files were not as planned.
    pub derive: bool,
    /// Whether others wrote to a file meanwhile.
    pub met_others: bool,
    /// The files that were changed, relative to the root.
    pub touched: Vec<PathBuf>,
    /// Second names of files that were replaced.
    pub replaced: Vec<ReplacedFile>,
    /// What was added to a file, by its whole path, where it cuts a line in two that another began in
    /// that moment.
    pub splitting: Vec<(PathBuf, Vec<u8>)>,
    /// The weakest guard that a file was replaced under.
    pub guard: ReplaceMethod,
    /// What went otherwise than it was shown.
    pub notes: Vec<String>,
    /// What could not be given back to what came back.
    pub lacking: LostAttributes,
    /// The lengths, before and after, of files that others changed since the plan was made.
    pub changed_lens: Vec<(PathBuf, u64, u64)>,
}

/// Changes under one lock.
struct LockGroup<'a> {
    lock: Lock,
    changes: Vec<(&'a Change, bool)>,
    /// What its derived files were made of, with the lengths then.
    made_of: Vec<(&'a Path, u64)>,
    exact: bool,
}

/// Carries a plan out. What is `kept` takes it back; where a change had to be fitted to a
/// file that others had changed, it is kept anew before that change is made.
pub fn apply_plan(
    writer: &Writer<'_>,
    plan: &Plan,
    carried: &mut ApplyProgress,
    kept: Option<(u64, &mut UndoStep)>,
) -> Result<(), CommitError> {
    let outcome = carry_sets(writer, plan, carried, kept);
    writer.replaced.borrow_mut().append(&mut carried.replaced);
    outcome
}

fn carry_sets(
    writer: &Writer<'_>,
    plan: &Plan,
    carried: &mut ApplyProgress,
    mut kept: Option<(u64, &mut UndoStep)>,
) -> Result<(), CommitError> {
    refuse_links(writer, plan)?;
    // What only makes anew what is derived is about those files.
    let of = if plan.changes.is_empty() { &plan.derived } else { &plan.changes };
    let files = of.iter().filter(|change| !matches!(change.act, Act::MakeFolder | Act::RemoveFolder));
    carried.touched = files.map(|change| change.path.clone()).collect();
    carried.derive = plan.derive_after || plan.derive_later;
    for set in sets(writer, plan) {
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
            writer.vault().keep(*number, step)
        };
        carry_set(writer, &set, carried, keep)?;
    }
    writer.tidy(plan, carried)
}

/// Refuses what would be written through a link, be it the file or a folder on its way, and
/// what would be written to a pipe or a device.
fn refuse_links(writer: &Writer<'_>, plan: &Plan) -> Result<(), CommitError> {
    let inside = plan.all().filter(|change| !change.is_empty() && !change.path.starts_with(".."));
    for change in inside {
        let (path, depth) = (writer.path(&change.path), change.path.components().count());
        for place in path.ancestors().take(depth) {
            let Some(item) = writer.item_at(place)? else { continue };
            let what = match (item.link, item.kind) {
                (Some(_), _) => "it is a link: palimp does not write through it",
                (None, ItemKind::Special) => {
                    "it is a pipe, a device or a socket: palimp does not write to it. Move it away first"
                }
                _ => continue,
            };
            return Err(CommitError::NotWritten { file: place.to_owned(), what });
        }
    }
    Ok(())
}

/// Carries out what is derived, if the files that it was made of still have those lengths.
pub fn apply_derived(writer: &Writer<'_>, plan: &Plan) -> Result<(), CommitError> {
    let mut carried = ApplyProgress::default();
    for set in sets(writer, plan) {
        carry_set(writer, &set, &mut carried, &mut |_, _| Ok(()))?;
        if carried.derive {
            return Err(CommitError::moved(&writer.place.root, CHANGED));
        }
    }
    Ok(())
}

/// Carries out what is derived and shares one lock, as it is made under that lock: whoever keeps
/// to it changes nothing that it is made of meanwhile.
pub fn apply_derived_locked(
    writer: &Writer<'_>,
    files: &[&Path],
    make: &dyn Fn() -> Vec<Change>,
) -> Result<(), CommitError> {
    let host = writer.host;
    let protocol = writer.protocol(files);
    let held = writer.lock(files)?;
    let changes = make();
    let own = |change: &Change| StagedChange::of(change, true, writer.format, writer.path(&change.path));
    let mut ready: Vec<StagedChange> = changes.iter().filter(|change| !change.is_empty()).map(own).collect();
    let mut carried = ApplyProgress::default();
    let locks = protocol.files().to_vec();
    let mut scene = ApplyContext { host, locks, exact: false, carried: &mut carried };
    let outcome = ready.iter_mut().try_for_each(|own| scene.prepare(own)).and_then(|()| {
        let is_made = scene.catch_up(&mut ready, true)?
            && scene.apply(&mut ready, &|| held.still_ours())? == LostRace::No
            && !scene.carried.derive;
        if is_made { Ok(()) } else { Err(CommitError::moved(&writer.place.root, CHANGED)) }
    });
    held.release();
    ready.iter_mut().for_each(|own| own.drop_temp(host.disk));
    outcome
}

fn sets<'a>(writer: &Writer<'_>, plan: &'a Plan) -> Vec<LockGroup<'a>> {
    let mut sets: Vec<LockGroup<'a>> = Vec::new();
    let data = plan.changes.iter().map(|change| (change, false));
    for (change, derived) in data.chain(plan.derived.iter().map(|change| (change, true))) {
        if change.is_empty() {
            continue;
        }
        let lock = writer.format.lock(&[&change.path]);
        let fits = |set: &&mut LockGroup<'a>| is_one(&set.lock, &lock);
        // What is derived joins the last set under its lock; data keeps its order.
        let last = match derived {
            true => sets.iter_mut().rev().find(fits),
            false => sets.last_mut().filter(fits),
        };
        match last {
            Some(set) => set.changes.push((change, derived)),
            None => sets.push(LockGroup {
                lock,
                changes: vec![(change, derived)],
                made_of: Vec::new(),
                exact: plan.exact,
            }),
        }
    }
    for set in sets.iter_mut().filter(|set| set.changes.iter().any(|(_, derived)| *derived)) {
        let own = plan.inputs.iter().filter(|(file, _)| is_one(&writer.format.lock(&[file]), &set.lock));
        set.made_of = own.map(|(file, len)| (file.as_path(), *len)).collect();
    }
    sets
}

/// Whether two locks are one, or have a file in common and are taken together.
fn is_one(a: &Lock, b: &Lock) -> bool {
    match (a, b) {
        (Lock::Exclusive(a), Lock::Exclusive(b)) => a.first() == b.first(),
        (a, b) => a == b,
    }
}

/// Keeps anew what takes the change of a file back; nothing does where nothing was changed. Where it
/// starts from known bytes, the equal records in them are counted anew, too.
pub type UndoUpdate<'k> = dyn FnMut(&Path, Option<Change>) -> Result<(), CommitError> + 'k;

fn carry_set(
    writer: &Writer<'_>,
    set: &LockGroup<'_>,
    carried: &mut ApplyProgress,
    keep: &mut UndoUpdate<'_>,
) -> Result<(), CommitError> {
    let own = |&(change, derived): &(&Change, bool)| {
        StagedChange::of(change, derived, writer.format, writer.path(&change.path))
    };
    let mut ready: Vec<StagedChange> = set.changes.iter().map(own).collect();
    let mut scene = ApplyContext { host: writer.host, locks: Vec::new(), exact: set.exact, carried };
    // Files are made first, without a lock: nobody knows them yet. What is derived waits for
    // the lock: what it is made of must not have changed.
    let known = ready.iter().position(|own| !own.is_new()).unwrap_or(ready.len());
    let outcome = ready[..known]
        .iter_mut()
        .try_for_each(|own| match scene.make(own)? {
            true => Ok(()),
            false => keep(&own.relative, None),
        })
        .and_then(|()| commit_set(writer, &set.made_of, &mut scene, &mut ready[known..], keep));
    ready.iter_mut().for_each(|own| own.drop_temp(writer.host.disk));
    outcome
}

fn commit_set(
    writer: &Writer<'_>,
    made_of: &[(&Path, u64)],
    scene: &mut ApplyContext<'_, '_>,
    ready: &mut [StagedChange],
    keep: &mut UndoUpdate<'_>,
) -> Result<(), CommitError> {
    let Some(first) = ready.first().map(|own| own.path.clone()) else { return Ok(()) };
    for attempt in 0..TRIES {
        let is_last = attempt >= PATIENT;
        ready.iter_mut().for_each(|own| scene.wait_for_line_end(own));
        if !is_last {
            ready.iter_mut().try_for_each(|own| scene.prepare(own))?;
        }
        let files: Vec<&Path> = ready.iter().map(|own| own.relative.as_path()).collect();
        let protocol = writer.protocol(&files);
        let adds = ready.iter().all(|own| matches!(own.act, Act::Append(_)));
        let held = match adds {
            true => writer.lock_to_add(&files)?,
            false => writer.lock(&files)?,
        };
        if is_last {
            // Whoever keeps to the lock waits now: nobody else changes what is fitted to.
            scene.rebase_changes(ready, keep)?;
            ready.iter_mut().try_for_each(|own| scene.prepare(own))?;
        }
        let mut is_as_made = true;
        for (file, len) in made_of {
            is_as_made &= scene.len(&writer.path(file))? == Some(*len);
        }
        if !is_as_made {
            scene.carried.touched.extend(made_of.iter().map(|(file, _)| file.to_path_buf()));
            scene.carried.met_others = true;
            scene.drop_derived(ready);
        }
        scene.locks = protocol.files().to_vec();
        let fits = scene.catch_up(ready, is_last)?;
        if fits {
            ready.iter_mut().try_for_each(|own| count_again(own, keep))?;
        }
        let lost = fits && scene.apply(ready, &|| held.still_ours())? == LostRace::Yes;
        held.release();
        if fits && !lost {
            scene.tidy(ready);
            let changed = ready.iter().filter(|own| matches!(own.act, Act::Splice(_)) && !own.is_as_planned);
            let lens = |own: &StagedChange| {
                let change = own.change();
                (own.relative.clone(), change.len_before(), change.len_after())
            };
            scene.carried.changed_lens.extend(changed.map(lens));
            return Ok(());
        }
        if !fits && attempt + 1 < PATIENT {
            scene.rebase_changes(ready, keep)?;
        }
    }
    Err(CommitError::moved(&first, KEPT_CHANGING))
}

/// Counts again the records that stay and are equal to those that go, where others wrote to the file
/// since they were counted.
fn count_again(own: &mut StagedChange, keep: &mut UndoUpdate<'_>) -> Result<(), CommitError> {
    if own.derived || !matches!(own.act, Act::Splice(_)) {
        return Ok(());
    }
    let base = own.base();
    let grown = own.counted.replace(base.len()).filter(|counted| *counted <= base.len());
    let grown = grown.map(|counted| base.at(counted..base.len()));
    let change = own.change();
    match grown {
        Some(grown) if grown.is_empty() || !takes_any(&change, &grown) => Ok(()),
        _ => keep(&own.relative, Some(change.inverse())),
    }
}
