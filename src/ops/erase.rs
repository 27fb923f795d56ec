//! `erase`: which records, and with what effect. The commit path makes the changes, also after an
//! interruption.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::undelete::is_held;
use super::{
    Command, CommandRules, Consent, Operation, Refusal, Result, ShownFirst, WriteContext, own_operations,
    writes,
};
use crate::format::writing::{self, ErasablePart};
use crate::model::plan::{apply, whole_lines};
use crate::model::{
    BackupCopy, Code, Entry, JournalLine, Moment, PathText, Problem, Role, Severity, Span, State, Store,
    deleted_from,
};
use crate::store::erase::{
    ErasedContents, ErasureContext, ErasureMarks, ErasureMatcher, ErasurePlan, ErasureTarget, SecretValues,
    clean, set_earlier_names, set_namesakes,
};
use crate::store::write::scrub::{CopyDoubt, ErasureLine, UnreadSources};
use crate::store::{CommitError, Vault};
use crate::text::lines;
use crate::text::needle::Needles;

/// The reason if none is given.
pub const DEFAULT_REASON: &str = "erased";

/// Returns the records as targets of an erasure, with the names that they had before by the journal. Refuses if one of
/// them can't be erased.
pub fn targets(
    context: &WriteContext<'_>,
    entries: &[Entry],
    reason: &str,
    journal: &[JournalLine],
) -> Result<Vec<ErasureTarget>> {
    let (format, writes) = writes(context.store)?;
    writing::reason(reason)?;
    let mut parts: HashMap<u32, HashMap<Span, Vec<u8>>> = HashMap::new();
    let (mut targets, mut known): (Vec<ErasureTarget>, HashMap<ErasureTarget, usize>) = Default::default();
    for entry in entries {
        may_erase(context.store, entry)?;
        let own = context.store.document(entry);
        let path = deleted_from(&own.path).unwrap_or(&own.path);
        let parts = parts.entry(entry.document).or_insert_with(|| {
            let parts = writes.own().eraser.map(|erases| erases.parts(path, &own.bytes));
            let surest = |part: ErasablePart| Some((part.span, part.names.into_iter().next()?));
            parts.unwrap_or_default().into_iter().filter_map(surest).collect()
        });
        let part = parts.get(&context.store.record(entry).span).map(Vec::as_slice);
        let target = ErasureTarget::of(context.store, entry, &context.random, part);
        // Versions of one record differ in their texts.
        let (text, name) = match target.id {
            Some(_) => (target.keyed.clone(), ErasureTarget { keyed: None, ..target.clone() }),
            None => (None, target.clone()),
        };
        let at = *known.entry(name).or_insert(targets.len());
        match targets.get_mut(at) {
            Some(known) => known.versions.extend(text),
            None => targets.push(target),
        }
    }
    set_earlier_names(&mut targets, journal);
    set_namesakes(format, context.store, entries, &context.random, &mut targets);
    Ok(targets)
}

/// Refuses if the record can't be erased.
pub fn may_erase(store: &Store, entry: &Entry) -> Result<()> {
    let (_, writes) = writes(store)?;
    let path = &store.document(entry).path;
    let path = deleted_from(path).unwrap_or(path);
    match writes.own().eraser {
        // A deleted record is only in earlier versions of its document.
        Some(_) if is_held(store, entry) => Ok(()),
        Some(erases) => erases.may_erase(store, entry),
        // A document of many records can't be taken apart.
        None if !is_log_or_packed_log(path) => writes.allows(Operation::Delete, path).map_err(Refusal::unfit),
        None => Ok(()),
    }
}

/// True if an erased value is masked in this record, because its format keeps the record.
pub fn is_masked(store: &Store, entry: &Entry) -> bool {
    may_erase(store, entry).is_err() || is_snapshot(store, entry)
}

/// True if the record repeats others of its store, as a checkpoint does.
pub fn is_snapshot(store: &Store, entry: &Entry) -> bool {
    own_operations(store).eraser.is_some_and(|own| own.is_snapshot(&store.document(entry).path))
}

/// True if nothing can identify the record after its erasure: it has no id, or is a part of a document.
pub fn is_nameless(store: &Store, entry: &Entry) -> bool {
    let own = store.document(entry);
    let span = store.record(entry).span;
    let parts = own_operations(store).eraser.map(|erases| erases.parts(&own.path, &own.bytes));
    parts.iter().flatten().any(|part| part.span == span) || store.id(entry).is_none_or(str::is_empty)
}

fn is_log_or_packed_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_text();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")
}

/// Plans an erasure. `contents` is what the store, and the data kept beside it, say about the records.
pub fn plan(
    context: &WriteContext<'_>,
    wanted: &ErasureMatcher<'_>,
    contents: &ErasedContents,
    kept: &UnreadSources<'_>,
    reason: &str,
) -> Result<ErasurePlan, CommitError> {
    let mut removal = ErasureContext {
        context,
        matcher: wanted,
        contents,
        copies: kept,
        reason,
        began: None,
        begun_files: &[],
    }
    .removal()?;
    removal.plan.lines.splice(0..0, of_shared_ids(context.store, wanted));
    let logs = context.store.documents.iter().filter(|own| is_log_or_packed_log(&own.path));
    let told = |own: String| {
        format!(
            "erase too, an intact memory on the broken line (`palimp repair` gives it its own line first): {own}"
        )
    };
    removal.plan.lines.extend(logs.flat_map(|own| wanted.on_chosen(own)).map(told));
    let removes = &mut removal.plan;
    if let Some(notices) = own_operations(context.store).plan_notices {
        removes.lines.extend(notices(context.store, &removes.changes));
    }
    removes.lines.extend(context.store.notes_on_replaced(&removes.changes));
    removes.lines.extend(context.store.notes_on_replaced(&removes.derived));
    Ok(removal)
}

/// Returns lines for erased records that share their id. The plan has lines for those that stay, too.
fn of_shared_ids(store: &Store, wanted: &ErasureMatcher<'_>) -> Vec<String> {
    let goes = |entry: &&Entry| {
        let memory = store.memory(entry);
        memory.and_then(|memory| memory.id()).is_some_and(|id| wanted.is_shared(id))
            && wanted.is_erased(&store.document(entry).path, &store.raw(entry), memory, None)
    };
    let told = |entry: &Entry| {
        let (own, line) = (store.document(entry), store.record(entry).line);
        format!("erase, of the memories with this id: {}:{line}", own.path.to_text())
    };
    store.entries.iter().filter(goes).map(told).collect()
}

/// The records that were erased from a store, for operations that restore records.
#[derive(Clone, Default)]
pub struct ErasedRecords {
    targets: Vec<ErasureTarget>,
    /// The step that erased an id, and its time.
    steps: HashMap<String, (u64, String)>,
    /// Why the copy may hold an erased record that nothing can identify.
    doubt: Option<(CopyDoubt, String)>,
}

impl ErasedRecords {
    /// Reads the erasure list of a store.
    /// Without it, what was erased could come back.
    pub fn of_store(vault: &Vault<'_>) -> Result<ErasedRecords, CommitError> {
        Ok(ErasedRecords::of_lines(vault.erasure_list()?))
    }

    /// Makes it from the lines of the erasure list, with the step and the time of each.
    pub fn of_lines(lines: Vec<ErasureLine>) -> ErasedRecords {
        let named = lines.iter().filter_map(|line| {
            let id = line.record.name()?.to_owned();
            Some((id, (line.step, line.at.clone())))
        });
        let targets = lines.iter().map(|line| line.record.clone()).collect();
        ErasedRecords { targets, steps: named.collect(), doubt: None }
    }

    /// Returns when a record with this id was erased, and by which step, in a few words.
    pub fn told(&self, id: Option<&str>) -> Option<String> {
        let (step, at) = self.steps.get(id?)?;
        Some(format!("erased {} by step {step}: it can't be restored", to_minute(at)))
    }

    /// Returns a matcher for the erased records; `None` if nothing was ever erased.
    pub fn wanted(&self, store: &Store, now: Moment) -> Option<ErasureMatcher<'_>> {
        let (format, _) = writes(store).ok()?;
        (!self.targets.is_empty()).then(|| ErasureMatcher::before(format, store, &self.targets, now))
    }

    /// Returns problems for memories that got the id of an erased one, which has a tombstone that hides them.
    pub fn hidden(&self, store: &Store, now: Moment) -> Vec<Problem> {
        let has_tombstones = own_operations(store).tombstone.is_some();
        let wanted = if has_tombstones { self.wanted(store, now) } else { None };
        let Some(wanted) = wanted else { return Vec::new() };
        let hidden = self.hidden_by_erasures(store);
        let said = store.problems.iter().filter(|problem| problem.code == Code::HiddenMemory);
        let said: HashSet<(&Path, Option<u32>)> =
            said.map(|problem| (&*problem.file, problem.line)).collect();
        let problem = |entry: &Entry| {
            let (file, memory) = (&*store.document(entry).path, store.memory(entry)?);
            let (id, line) = (memory.id()?, store.record(entry).line);
            let is_left = !hidden.contains(&(entry.session?, id))
                || wanted.is_shared(id)
                || said.contains(&(file, Some(line)))
                || wanted.is_erased_again(file, &store.raw(entry), Some(memory));
            let message = "It was written under the id of an erased memory, which hides it.";
            let problem = Problem::of_file(Code::HiddenMemory, Severity::Warning, file, message);
            (!is_left).then(|| problem.at_line(line).of_record(entry.record, Some(id)))
        };
        store.entries.iter().filter(|entry| entry.state == State::Deleted).filter_map(problem).collect()
    }

    /// Returns the sessions' numbers and the ids that only the tombstone of an erasure hides: none is later.
    fn hidden_by_erasures<'s>(&'s self, store: &'s Store) -> HashSet<(u32, &'s str)> {
        let numbers: HashMap<&str, u32> =
            (0..).zip(&store.sessions).map(|(number, session)| (&*session.name, number)).collect();
        let mut hidden: HashSet<(u32, &str)> = HashSet::new();
        for target in &self.targets {
            let session = target.session.as_deref().and_then(|session| numbers.get(session));
            hidden.extend(session.copied().zip(target.id.as_deref()));
        }
        for document in store.documents.iter().filter(|document| document.role == Role::Tombstones) {
            let session = (0..).zip(&store.sessions).find(|(_, own)| document.path.starts_with(&own.path));
            let Some((session, _)) = session else { continue };
            for record in &document.records {
                let Some(id) = record.named_id() else { continue };
                let erased = self.steps.get(id).and_then(|(_, at)| Moment::of(at));
                if record.memory().is_some_and(|memory| memory.created > erased) {
                    hidden.remove(&(session, id));
                }
            }
        }
        hidden
    }

    /// Returns problems for erased records that were written again.
    pub fn written_again(&self, store: &Store, now: Moment) -> Vec<Problem> {
        let Some(wanted) = self.wanted(store, now) else { return Vec::new() };
        // Where a tombstone hides another text, that is said.
        let has_tombstones = wanted.format.own().tombstone.is_some();
        let mut problems = Vec::new();
        for own in store.documents.iter().filter(|own| matches!(own.role, Role::Records | Role::Archive)) {
            for (number, record) in (0..).zip(&own.records) {
                let raw = own.raw(record);
                let is_other = wanted.has_other_text(&own.path, &raw, record.memory());
                let has_time = record.memory().is_some_and(|memory| memory.created.is_some());
                let may_be_it = !is_other || has_time && !has_tombstones;
                if !may_be_it || !wanted.is_erased(&own.path, &raw, record.memory(), None) {
                    continue;
                }
                let by = record.memory().and_then(|memory| memory.agent());
                let by = by.map(|agent| format!(" by {agent}")).unwrap_or_default();
                let message = match is_other {
                    true => format!(
                        "It has the id and the time of an erased memory, and another text{by}. If it is that one, erase it again."
                    ),
                    false => format!("It was erased and then written again{by}. Erase it again."),
                };
                let problem = Problem::of_file(Code::ErasedAnew, Severity::Warning, &own.path, &message);
                problems.push(problem.at_line(record.line).of_record(number, record.id()));
            }
        }
        problems
    }

    /// Returns the erased records of a store, for a restore from one of its copies.
    pub fn out_of(store: &Store, vault: &Vault<'_>, copy: &BackupCopy) -> Result<ErasedRecords, CommitError> {
        let erased = vault.erasure_list()?;
        let doubt = vault.doubt(&store.root, copy, &erased);
        let doubt = doubt.map(|own| {
            let (step, at) = (own.step, to_minute(&own.at));
            let told =
                format!("step {step} erased a memory without an id {at}, and did not search this copy");
            (own, told)
        });
        Ok(ErasedRecords { doubt, ..ErasedRecords::of_lines(erased) })
    }

    /// Returns why a record that only the copy has may be an erased one, although no name shows this.
    pub fn doubts(&self, has_id: bool) -> Option<&str> {
        self.doubt.as_ref().filter(|(doubt, _)| doubt.of_parts || !has_id).map(|(_, told)| &**told)
    }

    /// Returns a copy of a file without records that were or may be erased. Refuses if that is not possible.
    pub fn without(&self, context: &WriteContext<'_>, file: &Path, copy: &[u8]) -> Result<Vec<u8>> {
        let Some(wanted) = self.wanted(context.store, context.now) else { return Ok(copy.to_vec()) };
        let none = Needles::default();
        let marks = ErasureMarks { main: &none, parts: &none, reason: DEFAULT_REASON, is_live: false };
        let holds = |why: &str| Refusal::unfit(format!("the copy holds what was erased: {why}"));
        let cleaned = clean(&wanted, file, copy, marks).map_err(|refusal| holds(&refusal.message))?;
        let Some(copy) = cleaned.left(copy) else {
            return Err(holds(&format!("{} can't be restored.", file.to_text())));
        };
        let holds_records = matches!(wanted.role(file), Role::Records | Role::Archive);
        let Some((_, told)) = self.doubt.as_ref().filter(|_| holds_records) else { return Ok(copy) };
        let now = writing::document(&context.store.documents, file);
        let present: HashSet<Cow<'_, [u8]>> =
            now.into_iter().flat_map(|now| now.records.iter().map(|own| now.raw(own))).collect();
        let records = wanted.read(file, &copy, None);
        let doubtful = records.iter().filter(|own| {
            let raw = copy.get(own.span.range()).unwrap_or_default();
            let has_id = own.memory().is_some_and(|memory| memory.id().is_some());
            self.doubts(has_id).is_some() && !present.contains(raw)
        });
        let spans: Vec<Span> = doubtful.map(|own| own.span).collect();
        match (spans.is_empty(), is_log_or_packed_log(file) && !wanted.format.forbids_rebase(file)) {
            (true, _) => Ok(copy),
            (false, true) => Ok(apply(&copy, &whole_lines(&copy, lines::removal_edits(&copy, &spans)))),
            (false, false) => {
                let file = file.to_text();
                Err(Refusal::unfit(format!("{told}: {file} may hold it, and can't be taken apart.")))
            }
        }
    }
}

fn to_minute(at: &str) -> String {
    Moment::parse(at).map_or_else(|| at.to_owned(), |(when, _)| when.to_minute())
}

/// Erases memories with every copy, or values wherever they are. Its plan is made of the files on disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraseOptions {
    /// The reason: a code, not a sentence.
    pub reason: Option<String>,
    /// Values that are erased wherever they are, in every store that is open.
    pub values: SecretValues,
    /// True if memories with a value stay, and it is masked in them.
    pub keeps_memories: bool,
}

impl EraseOptions {
    /// The reason, or the usual one.
    pub fn reason(&self) -> &str {
        self.reason.as_deref().unwrap_or(DEFAULT_REASON)
    }
}

impl Command for EraseOptions {
    fn rules(&self) -> CommandRules {
        let words = match self.keeps_memories {
            true => ["purging", "purge", "purged"],
            false => ["erasing", "erase", "erased"],
        };
        let (shown_first, consent) = (ShownFirst::Always, Consent::Typed);
        CommandRules { words, hides_texts: true, shown_first, consent, ..CommandRules::default() }
    }

    fn check_allowed(&self, _: &Store, _: &Entry) -> Result<()> {
        Ok(())
    }
}
