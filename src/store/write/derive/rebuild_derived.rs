//! Derived files of a step: undo rebuilds them. Undo data has the bytes of small ones only, and
//! digests that show whether the old bytes came back.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::format::{DerivedFile, Placement};
use crate::model::{Act, Bytes, Change, JournalLine, Moment, PathText, Plan, Role};
use crate::store::derived_files;
use crate::store::steps::undo_step::{DerivedState, digest};
use crate::store::write::{CommitContext, CommitError};

/// The limit, in bytes, of derived changes that are kept: a digest takes as much space.
const SMALL: usize = 128;
/// The limit, in bytes, of derived changes that are kept if another program wrote the file.
const FOREIGN: usize = 64 << 10;
/// How many of the last steps are searched for the one that wrote a derived file.
const STEPS: usize = 64;

/// Returns what a step keeps of the derived files that a plan changes. It keeps small changes, and
/// those up to a limit if a rebuild can't restore the old bytes. It keeps a state of the
/// others, to compare a rebuild with. If the plan has no other changes, it keeps all derived ones.
pub fn kept_of_derived<'p>(
    context: &CommitContext<'_>,
    plan: &'p Plan,
) -> Result<(Vec<&'p Change>, Vec<DerivedState>), CommitError> {
    if plan.derive_later {
        return Ok((Vec::new(), beside_ends(context, plan)?));
    }
    let bytes = |change: &Change| match &change.act {
        Act::Splice(splices) => splices.iter().map(|own| own.was.len() + own.becomes.len()).sum(),
        _ => 0,
    };
    let is_one = |change: &&Change| bytes(change) > SMALL && !plan.changes.is_empty();
    let journal = context.vault.journal()?;
    let state = |path: &Path, was: &Bytes| DerivedState {
        path: path.to_owned(),
        digest: digest(was),
        at: written_at(&journal, path, was),
    };
    if plan.derive_after {
        let own = derived_files::beside_logs(context.store, &plan.changes).into_iter();
        return Ok((Vec::new(), own.map(|own| state(&own.path, &own.bytes)).collect()));
    }
    let remade = |change: &Change| state(&change.path, &change.base.clone().unwrap_or_default());
    let (mut rebuilt, mut kept): (Vec<&Change>, Vec<&Change>) = plan.derived.iter().partition(is_one);
    let is_all_foreign = |own: &[DerivedState]| {
        rebuilt.iter().any(|own| bytes(own) <= FOREIGN) && !comes_back(context, plan, own)
    };
    if is_all_foreign(&rebuilt.iter().map(|own| remade(own)).collect::<Vec<_>>()) {
        let (large, foreign): (Vec<&Change>, Vec<&Change>) =
            rebuilt.into_iter().partition(|own| bytes(own) > FOREIGN);
        rebuilt = large;
        kept.extend(foreign);
    }
    Ok((kept, rebuilt.into_iter().map(remade).collect()))
}

/// True if a derived file still has the bytes that it had before the step.
pub fn is_as_before(context: &CommitContext<'_>, own: &DerivedState) -> bool {
    context.read(&own.path).is_ok_and(|now| digest(&now.unwrap_or_default().into()) == own.digest)
}

/// How many bytes at the start of a derived file are searched for its time of writing.
const HEAD: u64 = 512;

/// Returns the indexes beside logs of which only the ends are read, with their times of writing.
/// Returns none if an index is already due: undo should not restore a stale index.
fn beside_ends(context: &CommitContext<'_>, plan: &Plan) -> Result<Vec<DerivedState>, CommitError> {
    let is_due = !context.vault.derive_due_files()?.is_empty();
    let folders: BTreeSet<&Path> = plan.changes.iter().filter_map(|change| change.path.parent()).collect();
    let index = |folder: &Path| {
        // All formats with an index use this name.
        let path = folder.join("index.json");
        let is_index = context.format.place(&path, false) == Placement::File(Role::Index);
        is_index.then(|| DerivedState { digest: String::new(), at: written(context, &path), path })
    };
    Ok(folders.into_iter().filter(|_| !is_due).filter_map(index).collect())
}

/// Returns the first time in the head of a file.
fn written(context: &CommitContext<'_>, path: &Path) -> Option<String> {
    let (head, _) = context.host.disk.read(&context.path(path), 0, Some(HEAD)).ok()?;
    let head = String::from_utf8_lossy(&head);
    let time = head.split('"').find(|text| Moment::parse(text).is_some());
    time.map(str::to_owned)
}

/// True if a rebuild at undo gives these derived files their present bytes.
fn comes_back(context: &CommitContext<'_>, plan: &Plan, remade: &[DerivedState]) -> bool {
    let store = context.store;
    let touched = touched(plan, remade);
    let documents = derived_files::documents_after(store, &plan.derived, context.host.now);
    let is_again = |made: &[DerivedFile], own: &DerivedState| {
        let now = store.document_at(&own.path).map(|document| &document.bytes);
        // A file that can't be made from the present memories can't be restored by making it, either.
        made.iter().any(|other| other.path == own.path && now == Some(&other.bytes))
    };
    times(remade).into_iter().any(|when| {
        let made = derived_files::make_derived(store, &documents, &touched, when);
        remade.iter().all(|own| is_again(&made, own))
    })
}

/// Rebuilds derived files for the state after the plan. They get their old bytes if the records
/// give these for the time of writing. A step that went as planned names all its derived files: it
/// left all others unchanged, right or not, and so does its undo.
pub fn rebuild_derived(
    context: &CommitContext<'_>,
    plan: &mut Plan,
    remade: &[DerivedState],
    is_planned: bool,
) {
    let store = context.store;
    let touched = touched(plan, remade);
    let after = derived_files::documents_after(store, &plan.changes, context.host.now);
    let at = |when: Moment| -> HashMap<PathBuf, Change> {
        let derived = derived_files::derived_changes(store, &after, &touched, when);
        derived.into_iter().map(|change| (change.path.clone(), change)).collect()
    };
    let is_as_it_was = |made: &HashMap<PathBuf, Change>, own: &DerivedState| match made.get(&own.path) {
        // The file was not read: only its time of writing is known.
        _ if own.digest.is_empty() => true,
        Some(change) => change.after().is_some_and(|bytes| digest(&bytes) == own.digest),
        None => store.documents.iter().any(|file| file.path == own.path && digest(&file.bytes) == own.digest),
    };
    let is_as_they_were = |made: &HashMap<PathBuf, Change>| remade.iter().all(|own| is_as_it_was(made, own));
    let made = times(remade).into_iter().map(at).find(is_as_they_were);
    let made = made.unwrap_or_else(|| at(context.host.now));
    for own in remade.iter().filter(|own| !is_as_it_was(&made, own)) {
        plan.lines
            .push(format!("{} is rebuilt from the memories; its old bytes are not kept", own.path.to_text()));
    }
    let is_named = |own: &Change| !is_planned || remade.iter().any(|other| other.path == own.path);
    let is_due =
        |own: &Change| is_named(own) && !own.is_empty() && plan.all().all(|other| other.path != own.path);
    let mut derived: Vec<Change> = made.into_values().filter(is_due).collect();
    derived.sort_by(|one, other| one.path.cmp(&other.path));
    plan.derived.extend(derived);
    plan.inputs = derived_files::derivation_inputs(store, &touched);
}

/// Returns the paths to rebuild for: changed files, and files that were stale for other reasons.
fn touched(plan: &Plan, remade: &[DerivedState]) -> Vec<PathBuf> {
    let changed = plan.changes.iter().map(|change| &change.path);
    changed.chain(remade.iter().map(|own| &own.path)).cloned().collect()
}

fn times(remade: &[DerivedState]) -> BTreeSet<Moment> {
    let times = remade.iter().filter_map(|own| Some(Moment::parse(own.at.as_deref()?)?.0));
    times.collect()
}

/// Returns when palimp wrote a derived file: the time of the last step that occurs in the file, else of the
/// last step that changed it. A step that did not go as planned does not name what it rebuilt.
fn written_at(journal: &[JournalLine], path: &Path, bytes: &Bytes) -> Option<String> {
    let has = |line: &&JournalLine| !line.as_planned || line.files.iter().any(|file| file.path == path);
    let mut lines = journal.iter().rev().filter(has).take(STEPS).peekable();
    let last = lines.peek().map(|line| line.at.clone());
    let says = |line: &&JournalLine| {
        let at = Moment::parse(&line.at).map(|(when, _)| when.to_millis());
        at.is_some_and(|at| memchr::memmem::find(bytes, at.as_bytes()).is_some())
    };
    lines.find(says).map(|line| line.at.clone()).or(last)
}
