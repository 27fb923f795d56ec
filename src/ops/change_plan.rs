//! Plans of changes: what may be written, and the derived files that follow.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Operation, Refusal, Result, WriteContext};
use crate::format::writing::{DeletionKind, FormatWriter, OwnOperations, RefusalList, document};
use crate::format::{self, Format, Placement, RecordSyntax};
use crate::model::plan::change::UNDO_LIMIT;
use crate::model::{
    Act, Change, ChangeKind, Code, Document, Entry, PathText, Plan, Problem, Role, Severity, State, Store,
    Verb, container, deleted_from,
};
use crate::store::derived_files;
use crate::store::plan_effects::effects;

/// The documents of a store, sorted by path.
pub type Documents = Vec<Arc<Document>>;

/// Why a memory of palimp's own archive can't be changed.
pub const ASIDE: &str = "it is archived, outside the store: bring it back first.";

/// Returns the format of a store, and its writer.
pub fn writes(store: &Store) -> Result<(&'static dyn Format, &'static dyn FormatWriter)> {
    let format = format::by_name(store.format).ok_or_else(|| Refusal::unfit("the format is not known."))?;
    Ok((format, format))
}

/// Returns what the format of a store has of its own; nothing if it is not known.
pub(super) fn own_operations(store: &Store) -> OwnOperations {
    writes(store).map(|(_, writes)| writes.own()).unwrap_or_default()
}

/// Refuses a store that palimp only reads.
pub fn may_change(store: &Store) -> Result<()> {
    let (format, _) = writes(store)?;
    format.about().read_only.map_or(Ok(()), |why| Err(Refusal::unfit(why)))
}

/// Checks that the format and the entry's state allow `operation`. The plan can still be refused.
pub fn may(store: &Store, entry: &Entry, operation: Operation) -> Result<()> {
    may_change(store)?;
    let (_, writes) = writes(store)?;
    let needs_text =
        matches!(operation, Operation::Edit | Operation::Rename | Operation::Tag | Operation::Archive);
    let is_aside = deleted_from(&store.document(entry).path).is_some();
    let why = match (operation, entry.state) {
        (_, State::Archived) if is_aside => Some(Refusal::unfit(ASIDE)),
        (Operation::Delete, State::Deleted) => Some(Refusal::unfit("it is already deleted.")),
        (_, State::Deleted) if needs_text => Some(Refusal::unfit("it is deleted: restore it first.")),
        (Operation::Archive, State::Archived) => Some(Refusal::unfit("it is already archived.")),
        (_, State::Broken) if needs_text => Some(Refusal::broken()),
        _ => None,
    };
    why.map_or(Ok(()), Err)?;
    let document = writable(store, entry)?;
    writes.allows(operation, &document.path).map_err(Refusal::unfit)?;
    match operation {
        Operation::Delete if is_deprecated(store, entry) => Err(Refusal::unfit(DEPRECATED)),
        Operation::Archive => writes.may_archive(store, entry),
        _ => Ok(()),
    }
}

/// Makes a plan of `changes` and of the changes of derived files that follow from them.
pub fn plan(verb: Verb, context: &WriteContext<'_>, records: usize, changes: Vec<Change>) -> Result<Plan> {
    Ok(plan_and_after(verb, context, records, changes)?.0)
}

/// Like [`plan`]. Also returns the store's documents after the plan, for [`check`].
pub fn plan_and_after(
    verb: Verb,
    context: &WriteContext<'_>,
    records: usize,
    changes: Vec<Change>,
) -> Result<(Plan, Documents)> {
    let store = context.store;
    if changes.iter().any(|change| !change.is_empty()) {
        may_change(store)?;
    }
    let mut plan = Plan::of(verb, store.whole()?);
    plan.records = records;
    let mut changes = one_a_file(changes.into_iter().filter(|change| !change.is_empty()));
    // Old copies are removed last, so that undo restores them first.
    changes.sort_by_key(|change| matches!(change.act, Act::Expire(_)));
    if let Some(notices) = own_operations(store).plan_notices {
        plan.lines = notices(store, &changes);
    }
    let touched: Vec<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
    plan.derive_after = derived_files::is_written_to(store, &changes, context.now);
    let after = derived_files::documents_after(store, &changes, context.now);
    plan.effects = effects(store, &changes, &after);
    if !plan.derive_after {
        plan.derived = derived_files::derived_changes(store, &after, &touched, context.now);
        plan.inputs = derived_files::derivation_inputs(store, &touched);
    } else {
        let beside = derived_files::beside_logs(store, &changes);
        let names: Vec<_> = beside.iter().map(|own| own.path.to_text()).collect();
        let names = if names.is_empty() { "its indexes".to_owned() } else { names.join(", ") };
        plan.lines.push(format!(
            "a large log was written to within the last second: {names} are rebuilt after the change"
        ));
    }
    plan.lines.extend(store.notes_on_replaced(&changes));
    plan.changes = changes;
    plan.lines.extend(not_undone(&plan));
    let is_joined = join_derived(&mut plan);
    let after =
        if is_joined { derived_files::documents_after(store, &plan.changes, context.now) } else { after };
    // Fails if a part of the store could not be read while the plan was made.
    store.whole()?;
    Ok((plan, after))
}

/// Returns the documents after a plan, with its derived files, which a limit may count.
pub fn with_derived(context: &WriteContext<'_>, plan: &Plan, after: &[Arc<Document>]) -> Documents {
    let touched = || -> Vec<PathBuf> { plan.changes.iter().map(|own| own.path.clone()).collect() };
    let made = || derived_files::derived_changes(context.store, after, &touched(), context.now);
    let derived = if plan.derive_after { Cow::Owned(made()) } else { Cow::Borrowed(&plan.derived) };
    let mut all = after.to_vec();
    for (path, bytes) in derived.iter().filter_map(|own| Some((&own.path, own.after()?))) {
        let of = |role| Arc::new(Document::of_bytes(path.clone(), role, bytes));
        match all.binary_search_by(|own| own.path.cmp(path)) {
            Ok(at) => all[at] = of(all[at].role),
            Err(at) => all.insert(at, of(Role::Index)),
        }
    }
    all
}

/// Returns how an archived record comes back, as the end of a sentence.
pub fn way_back(store: &Store, entry: &Entry) -> String {
    let session = store.session(entry).map(|session| session.name.as_str());
    writes(store).map(|(_, writes)| writes.unarchive_hint(session)).unwrap_or_default()
}

/// Returns the notice of a plan that is too large to be undone.
pub fn not_undone(plan: &Plan) -> Option<String> {
    let megabytes = UNDO_LIMIT >> 20;
    plan.is_too_large_to_undo().then(|| {
        format!("this can't be undone: it replaces more than the {megabytes} MB that are kept for undo")
    })
}

/// Puts the derived content of a new file into the change that creates it: a file is changed only once, and
/// no count has to be repaired later behind the user's back. True if there was such a file.
fn join_derived(plan: &mut Plan) -> bool {
    let count = plan.derived.len();
    let changes = &mut plan.changes;
    let places: HashMap<PathBuf, usize> =
        changes.iter().enumerate().rev().map(|(at, own)| (own.path.clone(), at)).collect();
    plan.derived.retain(|derived| {
        let own = places.get(&derived.path).and_then(|at| changes.get_mut(*at));
        let Some(own) = own else { return true };
        if let (Act::Create(bytes), Some(right)) = (&mut own.act, derived.after()) {
            *bytes = right;
        }
        false
    });
    plan.derived.len() < count
}

/// Joins all changes of a file into one. Separate changes would each start from the same old bytes, and the
/// undo of one would find the lines of the other.
fn one_a_file(changes: impl Iterator<Item = Change>) -> Vec<Change> {
    let mut all: Vec<Change> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for change in changes {
        let place = *places.entry(change.path.clone()).or_insert(all.len());
        match all.get_mut(place).map(|own| (own.clone().join(&change), own)) {
            Some((Some(joined), own)) => *own = joined,
            _ => all.push(change),
        }
    }
    all
}

/// Refuses a plan that breaks the schema or exceeds a limit where this was not so before. `after` are the
/// documents after the plan. Problems that only move to another file are no reason to refuse.
pub fn check(context: &WriteContext<'_>, plan: &Plan, after: &[Arc<Document>]) -> Result<()> {
    check_for(context, (plan, after), &[], &breaks)
}

/// Like [`check`], for `brought` records from the documents of `from`. Their problems there are no reason to refuse.
pub fn check_brought(
    context: &WriteContext<'_>,
    both: (&Plan, &[Arc<Document>]),
    (from, brought): (&Store, &[Entry]),
) -> Result<()> {
    let from = from.by_document(brought);
    check_for(context, both, &from.iter().map(|(own, _)| &**own).collect::<Vec<_>>(), &breaks)
}

pub fn breaks(problem: &Problem) -> bool {
    let limits = [Code::TooLong, Code::LimitExceeded, Code::NoTimezone, Code::BadTimestamp];
    problem.severity == Severity::Error || limits.contains(&problem.code)
}

pub fn check_for(
    context: &WriteContext<'_>,
    (plan, after): (&Plan, &[Arc<Document>]),
    from: &[&Document],
    ours: &dyn Fn(&Problem) -> bool,
) -> Result<()> {
    let (_, writes) = writes(context.store)?;
    let paths: HashSet<&Path> = plan.changes.iter().map(|own| &*own.path).collect();
    let changed = |document: &&Arc<Document>| paths.contains(&*document.path);
    let mut old: Vec<&Document> = context.store.documents.iter().filter(changed).map(|own| &**own).collect();
    // A copy of another file has the same problems as the other file.
    let copied = plan.changes.iter().filter(|change| change.base.is_none());
    let origin = |path: &Path| writes.own().origin?(path);
    let origins = copied.filter_map(|change| document(&context.store.documents, origin(&change.path)?));
    old.extend(origins.chain(from.iter().copied()));
    let new: Vec<&Document> = after.iter().filter(changed).map(|own| &**own).collect();
    let mut faults = RefusalList::default();
    if let Some(problem) = worse(&old, &new, ours) {
        own_faults(context.store, &old, &new, ours, &mut faults);
        if faults.is_none() {
            return Err(refused_for(problem));
        }
    }
    // A new memory may take a session over its limit though a compaction makes the log shorter.
    let is_longer = |change: &&Change| {
        plan.verb == Verb::Add
            || change.len_after() > change.base.as_ref().map_or(0, |base| base.len() as u64)
    };
    let changes = plan.changes.iter().filter(|change| !change.path.starts_with(".."));
    let grown: Vec<&Change> = changes.filter(is_longer).collect();
    let after = if grown.is_empty() { after.to_vec() } else { with_derived(context, plan, after) };
    for change in grown {
        if let Err(refusal) = writes.limits(context.store, &after, &change.path) {
            faults.refuse(entries_of(context.store, &change.path), refusal);
        }
    }
    faults.finish()
}

pub fn refused_for(problem: &Problem) -> Refusal {
    let message = format!("{} ({})", problem.message, problem.code.as_str());
    match problem.code {
        Code::TooLong | Code::LimitExceeded => Refusal::too_large(message),
        _ => Refusal::invalid(message),
    }
}

/// Refuses the records that have a new problem, in files whose number of records stays the same.
fn own_faults(
    store: &Store,
    old: &[&Document],
    new: &[&Document],
    ours: &dyn Fn(&Problem) -> bool,
    faults: &mut RefusalList,
) {
    let count = |own: &Document| {
        let mut counts: HashMap<(u32, Code), usize> = HashMap::new();
        let of_records = own.problems.iter().filter(|problem| ours(problem));
        of_records.filter_map(|problem| Some((problem.record?, problem.code))).for_each(|at| {
            *counts.entry(at).or_default() += 1;
        });
        counts
    };
    for (number, is) in (0..).zip(&store.documents) {
        let was = old.iter().find(|own| own.path == is.path);
        let will = new.iter().find(|own| own.path == is.path);
        let (Some(was), Some(will)) = (was, will) else { continue };
        if was.records.len() != will.records.len() {
            continue;
        }
        let (before, after) = (count(was), count(will));
        for problem in will.problems.iter().filter(|problem| ours(problem)) {
            let Some(record) = problem.record else { continue };
            let at = (record, problem.code);
            if after.get(&at) > before.get(&at)
                && let Some(entry) = store.entry_number(number, record)
            {
                faults.refuse(vec![store.entries[entry as usize]], refused_for(problem));
            }
        }
    }
}

fn entries_of(store: &Store, path: &Path) -> Vec<Entry> {
    store.entries.iter().filter(|entry| store.document(entry).path == path).copied().collect()
}

/// Returns a problem of `ours` that the new documents have more often than the old ones.
fn worse<'a>(
    old: &[&Document],
    new: &[&'a Document],
    ours: &dyn Fn(&Problem) -> bool,
) -> Option<&'a Problem> {
    let mut known: BTreeMap<Code, i64> = BTreeMap::new();
    for problem in old.iter().flat_map(|old| &old.problems) {
        *known.entry(problem.code).or_default() += 1;
    }
    let mut found = None;
    for problem in new.iter().flat_map(|new| &new.problems).filter(|own| ours(own)) {
        let left = known.entry(problem.code).or_default();
        *left -= 1;
        if *left < 0 {
            found = Some(problem);
        }
    }
    found
}

/// Returns the document of an entry. Refuses it if it is in an archive or was not read completely.
pub fn writable<'a>(store: &'a Store, entry: &Entry) -> Result<&'a Document> {
    let document = store.document(entry);
    let name = document.path.to_text();
    match document.offset {
        _ if container(&document.path).is_some() || name.ends_with(".gz") || name.ends_with(".tgz") => {
            let message = format!("it is in the archive {name}: unarchive it first.");
            Err(Refusal::new("E_SESSION_ARCHIVED", message))
        }
        0 => Ok(document),
        _ => Err(Refusal::unfit("the store has not been read completely yet.")),
    }
}

/// Refuses if the store's config is damaged: with default settings, too much could be removed.
pub fn config_is_known(store: &Store) -> Result<()> {
    let (format, _) = writes(store)?;
    let is_config = |file: &Path| format.place(file, false) == Placement::File(Role::Config);
    let mut errors = store.problems.iter().filter(|own| own.severity == Severity::Error);
    let Some(broken) = errors.find(|own| is_config(&own.file)) else { return Ok(()) };
    let file = broken.file.to_text();
    let why = format!("{file} can't be read, and it says what should be removed: repair it first.");
    Err(Refusal::corrupt(why))
}

/// True if the record of the entry is JSON.
pub fn is_json(store: &Store, entry: &Entry) -> bool {
    writes(store).is_ok_and(|(format, _)| format.syntax(&store.document(entry).path) == RecordSyntax::Json)
}

/// Returns the changes, after those that copy live files before they are rewritten, if the format keeps copies.
pub fn with_backups(context: &WriteContext<'_>, changes: Vec<Change>) -> Vec<Change> {
    let Some(back_up) = own_operations(context.store).back_up else { return changes };
    let rewritten =
        changes.iter().filter(|change| change.kind() == ChangeKind::Rewrite && !change.is_empty());
    let rewritten: HashSet<&Path> = rewritten.map(|change| &*change.path).collect();
    let spliced =
        |document: &&Arc<Document>| document.role == Role::Records && rewritten.contains(&*document.path);
    let files: Vec<&Document> = context.store.documents.iter().filter(spliced).map(|own| &**own).collect();
    back_up(context.store, &files, context.now).into_iter().chain(changes).collect()
}

pub fn session_folder<'a>(store: &'a Store, name: &str) -> Result<&'a Path> {
    let session = store.sessions.iter().find(|session| session.name == name);
    session.map(|session| session.path.as_path()).ok_or_else(|| Refusal::no_session(name))
}

/// Why a record is not deleted if it is deprecated and its format keeps it.
pub const DEPRECATED: &str = "it is already deprecated; --remove removes the file itself.";

/// True if a deletion would only deprecate a record that is deprecated already.
pub fn is_deprecated(store: &Store, entry: &Entry) -> bool {
    let is_kept =
        |writes: &dyn FormatWriter| writes.deletion(&store.document(entry).path) == DeletionKind::Deprecated;
    let is_faded = store.memory(entry).is_some_and(|memory| memory.faded);
    is_faded && writes(store).is_ok_and(|(_, writes)| is_kept(writes))
}
