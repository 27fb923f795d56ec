//! Derived files of a step: they are made anew when it is taken back, not kept. What is kept is
//! what shows whether they came back byte for byte, and the bytes of little ones.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::format::{DerivedFile, Placement};
use crate::model::bytes::Ranges;
use crate::model::{Act, Bytes, Change, Moment, PathText, Plan, Role};
use crate::store::commit::vault::JournalLine;
use crate::store::commit::vault::undo_step::{DerivedState, digest};
use crate::store::commit::{CommitContext, CommitError};
use crate::store::derived_files;

/// Up to so many bytes of a derived file are kept: to make it anew takes longer.
const SMALL: usize = 1024;
/// The same of a small store, and where records are only added to one that is not large: what
/// distinguishes the file from another is no longer than that, and making it anew takes no time.
const SMALL_BESIDE_FEW: usize = 128;
/// A store of so many bytes has few records.
const FEW: u64 = 256 << 10;
/// Up to so many bytes of a derived file that another wrote in its own way are kept.
const FOREIGN: usize = 64 << 10;
/// So many of the last steps are looked at for the one that wrote a derived file.
const STEPS: usize = 64;

/// What a step keeps of the derived files that a plan changes: their bytes for undo where that
/// is little, or where they can't be made anew as they were and are not large; else what shows
/// them from what is made anew. A plan that changes nothing else is about them.
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
    let adds = plan.changes.iter().all(|change| matches!(change.act, Act::Append(_)));
    let few = if adds { derived_files::LARGE_BUSY_LOG } else { FEW };
    let small = if context.store.bytes <= few { SMALL_BESIDE_FEW } else { SMALL };
    let is_one = |change: &&Change| bytes(change) > small && !plan.changes.is_empty();
    let journal = context.vault.journal()?;
    if plan.derive_after {
        let own = derived_files::beside_logs(context.store, &plan.changes).into_iter();
        let remade = own.map(|own| DerivedState {
            path: own.path.clone(),
            digest: digest(&own.bytes),
            at: written_at(&journal, &own.path, &own.bytes),
        });
        return Ok((Vec::new(), remade.collect()));
    }
    let remade = |change: &Change| {
        let was = change.base.clone().unwrap_or_default();
        DerivedState {
            path: change.path.clone(),
            digest: digest(&was),
            at: written_at(&journal, &change.path, &was),
        }
    };
    let (mut anew, mut kept): (Vec<&Change>, Vec<&Change>) = plan.derived.iter().partition(is_one);
    let is_all_foreign = |own: &[DerivedState]| {
        anew.iter().any(|own| bytes(own) <= FOREIGN) && !comes_back(context, plan, own)
    };
    if is_all_foreign(&anew.iter().map(|own| remade(own)).collect::<Vec<_>>()) {
        let (large, foreign): (Vec<&Change>, Vec<&Change>) =
            anew.into_iter().partition(|own| bytes(own) > FOREIGN);
        anew = large;
        kept.extend(foreign);
    }
    Ok((kept, anew.into_iter().map(remade).collect()))
}

/// The number of bytes at the start of a derived file in which its time of writing is looked for.
const HEAD: u64 = 512;

/// The indexes beside logs of which only the ends are read, with their times of writing. An index that is due
/// already is no state to come back to.
fn beside_ends(context: &CommitContext<'_>, plan: &Plan) -> Result<Vec<DerivedState>, CommitError> {
    let is_due =
        !context.vault.known_due.borrow().is_empty() || !context.vault.derive_due_files()?.is_empty();
    let folders: BTreeSet<&Path> = plan.changes.iter().filter_map(|change| change.path.parent()).collect();
    let index = |folder: &Path| {
        // All formats that have one call it so.
        let path = folder.join("index.json");
        let is_index = context.format.place(&path, false) == Placement::File(Role::Index);
        is_index.then(|| DerivedState { digest: String::new(), at: written(context, &path), path })
    };
    Ok(folders.into_iter().filter(|_| !is_due).filter_map(index).collect())
}

/// The first time in the head of a file.
fn written(context: &CommitContext<'_>, path: &Path) -> Option<String> {
    let (head, _) = context.host.disk.read(&context.path(path), 0, Some(HEAD)).ok()?;
    let head = String::from_utf8_lossy(&head);
    let time = head.split('"').find(|text| Moment::parse(text).is_some());
    time.map(str::to_owned)
}

/// Whether those derived files, made anew when the plan is taken back, are what they are now.
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

/// Makes derived files anew as they will be: byte for byte what they were, where they are what
/// the records give at the time when they were written. A step that was as planned names them all:
/// any other it left as it was, right or not, and so does what takes it back.
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
        // Nobody read it: the time at which it was written is all that is known.
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

/// What derived files are made anew for: what changed, and files that were stale for another reason.
fn touched(plan: &Plan, remade: &[DerivedState]) -> Vec<PathBuf> {
    let changed = plan.changes.iter().map(|change| &change.path);
    changed.chain(remade.iter().map(|own| &own.path)).cloned().collect()
}

/// When those files were written.
fn times(remade: &[DerivedState]) -> BTreeSet<Moment> {
    let times = remade.iter().filter_map(|own| Some(Moment::parse(own.at.as_deref()?)?.0));
    times.collect()
}

/// When a derived file was written by us: by the last step whose time it has, else by the last
/// that changed it. A step that was not as planned does not say what it made anew.
fn written_at(journal: &[JournalLine], path: &Path, bytes: &Bytes) -> Option<String> {
    let has = |line: &&JournalLine| !line.as_planned || line.files.iter().any(|file| file.path == path);
    let mut lines = journal.iter().rev().filter(has).take(STEPS).peekable();
    let last = lines.peek().map(|line| line.at.clone());
    let says = |line: &&JournalLine| {
        let at = Moment::parse(&line.at).map(|(when, _)| when.to_millis());
        at.is_some_and(|at| bytes.has(at.as_bytes()))
    };
    lines.find(says).map(|line| line.at.clone()).or(last)
}
