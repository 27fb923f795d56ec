//! What a user can do: one verb a file, from a store as it was read to a plan. Pure: the
//! time and what is random are parameters, and nothing is written here.

pub mod add;
pub mod archive;
pub mod backup_create;
pub mod backup_restore;
pub mod bulk;
pub mod compact;
pub mod delete;
pub mod edit;
pub mod effect;
pub mod erase;
pub mod export;
pub mod form;
pub mod init;
pub mod progress;
pub mod reindex;
pub mod repair;
pub mod session;
pub mod set_field;
pub mod tag;
pub mod upkeep;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use crate::format::writing::{
    ChangesResult, FieldAssignment, NO_COMPRESSED_FILES, Operation, RecordDraft, Refusal, Result,
    WriteContext,
};
pub use progress::Progress;

use crate::format::writing::{FormatWriter, RefusalList, document};
use crate::format::{Format, Placement, RecordSyntax};
use crate::model::plan::UNDO_LIMIT;
use crate::model::{
    Act, Bytes, Change, Code, Document, Entry, Moment, PathText, Plan, Problem, Role, Severity, State, Store,
    container,
};
use crate::store::derived_files;

/// The documents of a store, in the order of their paths.
type Documents = Vec<Arc<Document>>;

/// The format of a store, as it is written.
pub fn writes(store: &Store) -> Result<(&'static dyn Format, &'static dyn FormatWriter)> {
    let format = form::format_of(store)?;
    Ok((format, format))
}

/// Whether the format and the entry's state let that be done. A plan can still be refused.
pub fn may(store: &Store, entry: &Entry, deed: Operation) -> Result<()> {
    let (_, writes) = writes(store)?;
    match (deed, entry.state) {
        (Operation::Delete, State::Deleted) => return Err(Refusal::unfit("it is already deleted.")),
        (Operation::Edit | Operation::Tag | Operation::Archive, State::Deleted) => {
            return Err(Refusal::unfit("it is deleted: restore it first."));
        }
        (Operation::Archive, State::Archived) => return Err(Refusal::unfit("it is already archived.")),
        (Operation::Edit | Operation::Tag | Operation::Archive, State::Broken) => {
            return Err(Refusal::broken());
        }
        _ => {}
    }
    let document = writable(store, entry)?;
    writes.allows(deed, &document.path).map_err(Refusal::unfit)?;
    match deed {
        Operation::Delete if delete::is_deprecated(store, writes, entry) => {
            Err(Refusal::unfit(delete::DEPRECATED))
        }
        Operation::Archive => writes.may_archive(store, entry),
        _ => Ok(()),
    }
}

/// A plan of changes, with what follows from them.
pub fn plan(
    verb: &'static str,
    scene: &WriteContext<'_>,
    records: usize,
    changes: Vec<Change>,
) -> Result<Plan> {
    Ok(followed(verb, scene, records, changes)?.0)
}

/// The same, and the documents of the store as they are then: [`check`] looks at them.
pub fn plan_and_after(
    verb: &'static str,
    scene: &WriteContext<'_>,
    records: usize,
    changes: Vec<Change>,
) -> Result<(Plan, Documents)> {
    let (plan, after) = followed(verb, scene, records, changes)?;
    let after =
        after.unwrap_or_else(|| derived_files::documents_after(scene.store, &plan.changes, scene.now));
    Ok((plan, after))
}

/// The same; without the documents where they were not needed, or where the plan makes others.
fn followed(
    verb: &'static str,
    scene: &WriteContext<'_>,
    records: usize,
    changes: Vec<Change>,
) -> Result<(Plan, Option<Documents>)> {
    let store = scene.store;
    let mut plan = Plan::of(verb, store.whole()?);
    plan.records = records;
    let mut changes = one_a_file(changes.into_iter().filter(|change| !change.is_empty()));
    // Old copies go last, so that they are the first to come back.
    changes.sort_by_key(|change| matches!(change.act, Act::Expire(_)));
    if let Ok((_, writes)) = writes(store) {
        plan.lines = writes.plan_notices(store, &changes);
    }
    let touched: Vec<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
    // What is derived can't be made of one record.
    plan.derive_later = store.is_of_one_record();
    plan.derive_after = !plan.derive_later && derived_files::is_written_to(store, &changes, scene.now);
    let after = (!plan.derive_after).then(|| derived_files::documents_after(store, &changes, scene.now));
    if let Some(after) = after.as_ref().filter(|_| !plan.derive_later) {
        plan.derived = derived_files::derived_changes(store, after, &touched, scene.now);
        plan.inputs = derived_files::derivation_inputs(store, &touched);
    }
    if plan.derive_after {
        let names: Vec<String> = derived_files::beside_logs(store, &changes)
            .iter()
            .map(|own| own.path.to_text().into_owned())
            .collect();
        plan.lines.push(format!(
            "a large log was written to within the last second: {} rebuilt after the change",
            if names.is_empty() { "its indexes are".to_owned() } else { format!("{} are", names.join(", ")) }
        ));
    }
    plan.lines.extend(store.other_names(&changes));
    plan.changes = changes;
    plan.lines.extend(not_undone(&plan));
    let is_joined = join_derived(&mut plan);
    // What was gone while it was planned is not planned on.
    store.whole()?;
    Ok((plan, after.filter(|_| !is_joined)))
}

/// How an archived record comes back, as the end of a sentence about it.
pub fn way_back(store: &Store, entry: &Entry) -> String {
    let session = store.session(entry).map(|session| session.name.as_str());
    writes(store).map(|(_, writes)| writes.unarchive_hint(session)).unwrap_or_default()
}

/// A plan of changes from which nothing follows: what they bring, or take away, is whole.
pub fn plan_as_it_is(
    verb: &'static str,
    scene: &WriteContext<'_>,
    records: usize,
    changes: Vec<Change>,
) -> Result<Plan> {
    let plan = Plan { records, changes, ..Plan::of(verb, scene.store.whole()?) };
    let lines = scene.store.other_names(&plan.changes).chain(not_undone(&plan)).collect();
    Ok(Plan { lines, ..plan })
}

/// What is said of a plan that is too large to be undone.
fn not_undone(plan: &Plan) -> Option<String> {
    let megabytes = UNDO_LIMIT >> 20;
    plan.is_too_large_to_undo().then(|| {
        format!("this can't be undone: it replaces more than the {megabytes} MB that are kept for undo")
    })
}

/// A file is changed once. One that is made gets at once what is derived for it: a count
/// that is right only later would be repaired behind the user's back. Whether there was one.
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

/// Refuses what would break the schema, or exceed a limit, where it was not so before; the store holds
/// the documents `after` the plan. What moves from one file to another brings its problems along, and
/// that is no reason to refuse.
pub fn check(scene: &WriteContext<'_>, plan: &Plan, after: &[Arc<Document>]) -> Result<()> {
    check_for(scene, (plan, after), &[], &breaks)
}

/// The same where records come back out of those documents: what was wrong with them is no reason
/// to refuse, either.
pub fn check_brought(
    scene: &WriteContext<'_>,
    both: (&Plan, &[Arc<Document>]),
    from: &[&Document],
) -> Result<()> {
    check_for(scene, both, from, &breaks)
}

fn breaks(problem: &Problem) -> bool {
    let limits = [Code::TooLong, Code::LimitExceeded, Code::NoTimezone, Code::BadTimestamp];
    problem.severity == Severity::Error || limits.contains(&problem.code)
}

/// Refuses what would break the schema where it was not so before: what `check` calls an error.
pub fn check_errors(scene: &WriteContext<'_>, plan: &Plan, after: &[Arc<Document>]) -> Result<()> {
    check_for(scene, (plan, after), &[], &|problem| problem.severity == Severity::Error)
}

fn check_for(
    scene: &WriteContext<'_>,
    (plan, after): (&Plan, &[Arc<Document>]),
    from: &[&Document],
    ours: &dyn Fn(&Problem) -> bool,
) -> Result<()> {
    let (_, writes) = writes(scene.store)?;
    let paths: HashSet<&Path> = plan.changes.iter().map(|own| &*own.path).collect();
    let changed = |document: &&Arc<Document>| paths.contains(&*document.path);
    let mut old: Vec<&Document> = scene.store.documents.iter().filter(changed).map(|own| &**own).collect();
    // A file that is a copy of another has its faults, too.
    let copied = plan.changes.iter().filter(|change| change.base.is_none());
    let origins = copied.filter_map(|change| document(&scene.store.documents, writes.origin(&change.path)?));
    old.extend(origins.chain(from.iter().copied()));
    let new: Vec<&Document> = after.iter().filter(changed).map(|own| &**own).collect();
    let mut faults = RefusalList::default();
    if let Some(problem) = worse(&old, &new, ours) {
        own_faults(scene.store, &old, &new, ours, &mut faults);
        if faults.is_none() {
            return Err(refused_for(problem));
        }
    }
    for change in plan.changes.iter().filter(|change| !change.path.starts_with("..")) {
        let grows = change.len_after() > change.base.as_ref().map_or(0, |base| base.len() as u64);
        if grows && let Err(refusal) = writes.limits(scene.store, after, &change.path) {
            faults.refuse(entries_of(scene.store, &change.path), refusal);
        }
    }
    faults.finish()
}

fn refused_for(problem: &Problem) -> Refusal {
    let message = format!("{} ({})", problem.message, problem.code.as_str());
    match problem.code {
        Code::TooLong | Code::LimitExceeded => Refusal::too_large(message),
        _ => Refusal::invalid(message),
    }
}

/// The records of files in which none came or went that have a problem they did not have.
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

/// A problem that the new documents have more often than the old ones, and that is one of `ours`.
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

/// The document of an entry as something that can be written: refused for what is in an
/// archive, or was only seen.
pub fn writable<'a>(store: &'a Store, entry: &Entry) -> Result<&'a Document> {
    let document = store.document(entry);
    let name = document.path.to_text();
    let packed = container(&document.path).is_some() || name.ends_with(".gz") || name.ends_with(".tgz");
    if packed {
        let message = format!("it is in the archive {name}: unarchive it first.");
        return Err(Refusal::new("E_SESSION_ARCHIVED", message));
    }
    if document.offset > 0 && document.record_reader.is_none() {
        return Err(Refusal::unfit("the store has not been read completely yet."));
    }
    Ok(document)
}

/// The bytes of a document that a change starts from.
pub fn base(document: &Document) -> Bytes {
    document.bytes.clone()
}

/// Refuses where the store's config is damaged: it says what goes and what stays, and
/// the format's own values in its place would let go what it keeps.
pub fn config_is_known(store: &Store) -> Result<()> {
    let (format, _) = writes(store)?;
    let is_config = |file: &Path| format.place(file, false) == Placement::File(Role::Config);
    let mut broken =
        store.problems.iter().filter(|own| own.severity == Severity::Error && is_config(&own.file));
    match broken.next().map(|own| &*own.file) {
        Some(file) => Err(Refusal::corrupt(format!(
            "{} can't be read, and it says what should be removed: repair it first.",
            file.to_text()
        ))),
        None => Ok(()),
    }
}

/// Whether an entry's record is JSON.
pub fn is_json(format: &dyn Format, store: &Store, entry: &Entry) -> bool {
    format.syntax(&store.document(entry).path) == RecordSyntax::Json
}

/// Entries by the document that they are in.
pub fn by_document(store: &Store, entries: &[Entry]) -> Vec<(Arc<Document>, Vec<Entry>)> {
    let mut files: BTreeMap<u32, Vec<Entry>> = BTreeMap::new();
    for entry in entries {
        files.entry(entry.document).or_default().push(*entry);
    }
    files.into_iter().map(|(at, own)| (Arc::clone(&store.documents[at as usize]), own)).collect()
}

/// Copies of live files before they are changed, where the format keeps such.
pub fn backups(scene: &WriteContext<'_>, writes: &dyn FormatWriter, changes: &[Change]) -> Vec<Change> {
    let rewritten = changes.iter().filter(|change| change.word() == "rewrite" && !change.is_empty());
    let rewritten: HashSet<&Path> = rewritten.map(|change| &*change.path).collect();
    let spliced =
        |document: &&Arc<Document>| document.role == Role::Records && rewritten.contains(&*document.path);
    let files: Vec<&Document> = scene.store.documents.iter().filter(spliced).map(|own| &**own).collect();
    writes.backups(scene.store, &files, scene.now)
}

/// The path of a session's folder.
pub fn session_folder<'a>(store: &'a Store, name: &str) -> Result<&'a Path> {
    let session = store.sessions.iter().find(|session| session.name == name);
    session.map(|session| session.path.as_path()).ok_or_else(|| Refusal::no_session(name))
}

/// What a moment is called in messages.
pub fn when(moment: Moment) -> String {
    moment.to_minute()
}
