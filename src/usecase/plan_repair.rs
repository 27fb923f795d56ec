//! Plans repairs: finds what copies and undo data have of torn memories, and what is in quarantine.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::check_stores;
use super::failure::Result;
use crate::check::{findings, stale_files};
use crate::disk::Disk;
use crate::disk::host::Host;
use crate::model::{Act, Change, Code, PathText, Plan, Problem, Role, Store, Verb};
use crate::ops::command::{Command, CommandRules, CommandScope, StoreInput, StorePlan, WriteWay};
use crate::ops::erase::ErasedRecords;
use crate::ops::repair::{
    self, FileCopy, FixPreview, QuarantineContent, QuarantinePiece, RepairContext, RepairPlan, RepairSources,
    RepairTarget, is_repaired_whole,
};
use crate::ops::{Refusal, WriteContext, may_change};
use crate::store::steps::{Deletions, QuarantinedPiece, StepHistory, list_backups};
use crate::store::{CommitError, Vault};

/// At most this many bytes of copies, and this many steps, are searched for torn memories.
const MOST: u64 = 64 << 20;
const STEPS: usize = 40;

/// A file in quarantine.
pub struct QuarantineFile {
    /// Its path, and the file, the time and the step in which the pieces left the store.
    pub kept: QuarantinedPiece,
    /// The pieces.
    pub of: QuarantineContent,
}

/// Returns what left the files of a store and was not restored by an undo, the oldest first.
/// Fails if the quarantine can't be read.
pub fn in_quarantine(disk: &dyn Disk, data: &Path, store: &Store) -> Result<Vec<QuarantineFile>> {
    let vault = Vault::open_read_only(disk, data, &store.root);
    let mut found = Vec::new();
    let journal = vault.journal()?;
    let history = StepHistory::of(&journal);
    // An erasure takes nothing out: it keeps what other programs wrote meanwhile.
    let is_repair = |step: &u64| journal.iter().any(|line| line.step == *step && !line.verb.is_erasure());
    let is_back = |step: u64| history.undone.iter().chain(&history.left).any(|(other, _)| *other == step);
    for mut kept in vault.quarantined()? {
        if kept.step.is_some_and(is_back) {
            continue;
        }
        kept.step = kept.step.filter(is_repair);
        let read = disk.read(&kept.path, 0, None);
        let (bytes, _) = read.map_err(|error| Refusal::unread(&kept.path.to_text(), &error))?;
        let of = repair::read(&kept.file, &bytes);
        // If everything in it was erased, there is nothing to list.
        if !of.pieces.is_empty() {
            found.push(QuarantineFile { kept, of });
        }
    }
    Ok(found)
}

/// Repairs problems.
#[derive(Clone, Debug)]
pub struct Repair(pub RepairTarget);

impl Command for Repair {
    fn rules(&self) -> CommandRules {
        let words = ["repairing", "repair", "repaired"];
        CommandRules { words, scope: CommandScope::EachStore, ..CommandRules::default() }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let of = (input.store, input.is_only);
        let Some(repair) = plan_repair(input.host, &input.context(), of, &self.0)? else {
            return Ok(Vec::new());
        };
        let nothing = || input.store.whole().map(|whole| Plan::of(Verb::Repair, whole));
        let plan = repair.plan.map_or_else(nothing, Ok).map_err(Refusal::from)?;
        Ok(vec![StorePlan { store: input.number, plan, way: WriteWay::Repaired(repair.quarantined) }])
    }
}

/// Restores what a repair took out of a file.
#[derive(Clone, Debug)]
pub struct QuarantineRestore {
    /// The store's number in its snapshot.
    pub store: usize,
    /// The pieces that left the file.
    pub pieces: Arc<[QuarantinePiece]>,
    /// The step that took them out, if it is known.
    pub step: Option<u64>,
}

impl Command for QuarantineRestore {
    fn rules(&self) -> CommandRules {
        let words = ["restoring", "restore", "restored"];
        CommandRules { words, ..CommandRules::of_store(self.store) }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        let (host, store) = (input.host, input.store);
        let vault = Vault::open_read_only(host.disk, host.data, &store.root);
        let deleted = Deletions::of(&vault, store, host.now)?;
        let erased = ErasedRecords::of_store(&vault)?;
        let sources = RepairSources { erased, deleted, ..RepairSources::default() };
        let context = input.context();
        let context = RepairContext::of(&context, &sources, []);
        Ok(input.planned(repair::restored(&context, &self.pieces, self.step)?))
    }
}

/// Plans a repair of a store with all its problems. Returns `None` if the store has none of the
/// chosen problems; other stores may have them.
fn plan_repair(
    host: Host<'_>,
    context: &WriteContext<'_>,
    (store, is_one): (&Arc<Store>, bool),
    which: &RepairTarget,
) -> Result<Option<RepairPlan>, CommitError> {
    if let Err(refusal) = may_change(store)
        && !matches!(which, RepairTarget::Chosen(_))
    {
        return if is_one { Err(refusal.into()) } else { Ok(None) };
    }
    if *which == RepairTarget::AllSafe {
        let erased = ErasedRecords::of_store(&Vault::open_read_only(host.disk, host.data, &store.root))?;
        let material = RepairSources { erased, ..RepairSources::default() };
        return Ok(Some(repair::chosen(&RepairContext::of(context, &material, []), which)?));
    }
    let checked = check_stores::check_store(host.disk, Some(host.data), store, context.now);
    let chosen = match which {
        RepairTarget::Chosen(all) if !is_one => {
            let known: HashSet<String> = findings(&checked.store).into_iter().map(|own| own.key).collect();
            RepairTarget::Chosen(all.iter().filter(|(name, _)| known.contains(name)).cloned().collect())
        }
        _ => which.clone(),
    };
    if matches!(&chosen, RepairTarget::Chosen(all) if all.is_empty()) {
        return Ok(None);
    }
    let context = WriteContext { store: &checked.store, ..*context };
    let material = repair_sources(host, &checked.store, &checked.store.problems)?;
    Ok(Some(repair::chosen(&RepairContext::of(&context, &material, checked.rebuilt()), &chosen)?))
}

/// Returns the fixes of one problem, and its lines after each fix. A repair refuses none of them.
/// Fails if palimp's own data about the store can't be read, or the problem does not exist any more.
pub fn fixes_of(host: Host<'_>, store: &Arc<Store>, of: &Problem) -> Result<FixPreview> {
    let kept = repair_sources(host, store, std::slice::from_ref(of))?;
    // A problem of a memory is not about a derived file.
    let rebuilt = if of.record.is_none() { stale_files::stale_files(store, host.now) } else { Vec::new() };
    let context = WriteContext::of(store, host.now, [0; 16]);
    Ok(RepairContext::of(&context, &kept, rebuilt.iter().map(|change| &*change.path)).beside(of))
}

/// Returns copies of the damaged files of a store, and what was erased from it, as far as these problems need it.
/// Fails if palimp's own data about the store can't be read. Without it, erased memories could be restored.
pub fn repair_sources(
    host: Host<'_>,
    store: &Store,
    problems: &[Problem],
) -> Result<RepairSources, CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let mut sources = RepairSources { erased: ErasedRecords::of_store(&vault)?, ..RepairSources::default() };
    let is_broken = |code: Code| {
        is_repaired_whole(code) || matches!(code, Code::TornLine | Code::LeftoverTemp | Code::RawNewline)
    };
    let broken = problems.iter().filter(|problem| is_broken(problem.code));
    let damaged: HashSet<&Path> = broken.map(|problem| &*problem.file).collect();
    let is_damaged = |file: &Path| damaged.contains(file);
    // A memory that shares an id may get another one, which no memory must have had.
    if !damaged.is_empty() || problems.iter().any(|problem| problem.code == Code::DuplicateId) {
        sources.deleted = Deletions::of(&vault, store, host.now)?;
    }
    let mut room = MOST;
    let is_raw = |code| matches!(code, Code::LeftoverTemp | Code::ArchiveBroken | Code::SyncConflict);
    for file in problems.iter().filter(|problem| is_raw(problem.code)).map(|problem| &problem.file) {
        let is_small = store.document_at(file).is_some_and(|file| file.generation.len <= room);
        let read = is_small.then(|| host.disk.read(&store.root.join(file), 0, None));
        let Some(Ok((bytes, _))) = read else { continue };
        room -= (bytes.len() as u64).min(room);
        sources.temp_files.insert(file.clone(), bytes);
    }
    for copy in list_backups(store, &vault)?.into_iter().filter(|copy| is_damaged(&copy.file)) {
        // A copy that may hold erased memories is not read.
        let is_doubtful = ErasedRecords::out_of(store, &vault, &copy)?.doubts(false).is_some();
        if is_doubtful || copy.bytes > room {
            continue;
        }
        let Ok((bytes, _)) = host.disk.read(&store.root.join(&copy.path), 0, None) else { continue };
        room -= copy.bytes.min(room);
        let from = copy.at.map_or("the backup".into(), |at| format!("the backup of {}", at.to_minute()));
        sources.copies.push(FileCopy { file: copy.file, from, bytes, is_whole: true });
    }
    let history = StepHistory::of(&vault.journal()?);
    let taken_back: HashSet<u64> =
        history.undone.iter().chain(&history.left).map(|(step, _)| *step).collect();
    // Logs from which a later step removed tombstones. The tombstones of earlier steps may be among them.
    let mut undeleted: HashSet<PathBuf> = HashSet::new();
    for number in vault.steps()?.into_iter().rev().take(STEPS) {
        // A step that can't be read has nothing to give. What a step removed on purpose is not restored.
        let Ok(Some(step)) = vault.step(number) else { continue };
        if matches!(
            step.line.verb,
            Verb::Delete | Verb::Erase | Verb::Compact | Verb::Archive | Verb::Maintain
        ) {
            let counts = |file: &Path| is_damaged(file) && !undeleted.contains(file);
            if !taken_back.contains(&number) {
                sources.tombstones.extend(tombstones(store, number, &step.changes, &counts));
            }
            continue;
        }
        if step.line.verb == Verb::Undelete && !taken_back.contains(&number) {
            undeleted.extend(step.changes.iter().map(|change| change.path.clone()));
        }
        for change in step.changes.iter().filter(|change| is_damaged(&change.path)) {
            let (bytes, is_whole) = undo_bytes(&change.act);
            if bytes.is_empty() || bytes.len() as u64 > room {
                continue;
            }
            room -= bytes.len() as u64;
            let from = format!("the undo data of step {number}");
            sources.copies.push(FileCopy { file: change.path.clone(), from, bytes, is_whole });
        }
    }
    Ok(sources)
}

fn tombstones(
    store: &Store,
    step: u64,
    changes: &[Change],
    is_damaged: &dyn Fn(&Path) -> bool,
) -> Vec<FileCopy> {
    let is_log = |path: &Path| store.document_at(path).is_some_and(|file| file.role == Role::Tombstones);
    let copy = |change: &Change| {
        let from = format!("the undo data of step {step}");
        FileCopy { file: change.path.clone(), from, bytes: undo_bytes(&change.act).0, is_whole: false }
    };
    changes.iter().filter(|own| is_log(&own.path) && is_damaged(&own.path)).map(copy).collect()
}

/// Returns what a change in undo data has of its file, and whether that is the complete file.
fn undo_bytes(act: &Act) -> (Vec<u8>, bool) {
    match act {
        Act::Create(bytes) | Act::Remove(bytes) => (bytes.to_vec(), true),
        Act::Append(bytes) => (bytes.clone(), false),
        Act::Splice(splices) => {
            let parts = splices.iter().flat_map(|splice| [splice.becomes.to_vec(), splice.was.to_vec()]);
            let ended =
                parts.map(|part| if part.ends_with(b"\n") { part } else { [part, b"\n".to_vec()].concat() });
            (ended.collect::<Vec<_>>().concat(), false)
        }
        _ => (Vec::new(), false),
    }
}
