//! `add` of several records: one step, all of them or none.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use sha2::{Digest, Sha256};
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices};

use super::add::{self, NewRecord, plan_addition, redaction_line, with_number};
use super::{
    Command, CommandRules, Refusal, Result, StoreInput, StorePlan, WriteContext, WriteWay, check,
    plan_and_after, writes,
};
use crate::format::{self, AssemblyInput};
use crate::model::plan::effect::{EffectKind, MemoryEffect};
use crate::model::plan::line_end_for;
use crate::model::{Act, Change, Moment, Plan, Store, Verb};
use crate::store::CommitError;
use crate::store::derived_files::{derived_changes, documents_after, folders_of};
use crate::store::given_ids::last_given_id;
use crate::store::log_ends::LogEnds;

/// Adds records in one step: all of them, or none.
#[derive(Clone, Debug)]
pub struct AddMemories {
    /// The store's number in the snapshot.
    pub store: usize,
    pub records: Vec<NewRecord>,
}

impl Command for AddMemories {
    fn rules(&self) -> CommandRules {
        match self.records.len() {
            1 => CommandRules::of_store(self.store),
            _ => CommandRules { words: ["adding", "add", "added"], ..CommandRules::of_store(self.store) },
        }
    }

    fn plan_store(&self, input: &StoreInput<'_>) -> Result<Vec<StorePlan>, CommitError> {
        if let [record] = self.records.as_slice() {
            let record = record.with_free_id(input.host, input.store)?;
            let plan = add::add(&input.context(), &record.draft())?;
            return Ok(vec![StorePlan { store: input.number, plan, way: WriteWay::PlannedAgain }]);
        }
        let (mut plan, way) = match plan_at_ends(input, &self.records)? {
            // It is made of what is on the disk, which is only sure while no other palimp writes.
            Some(plan) => (plan, WriteWay::PlannedLocked),
            None => (plan_one_by_one(input, &self.records)?, WriteWay::PlannedAgain),
        };
        plan.lines = [plan.additions(), plan.lines].concat();
        Ok(vec![StorePlan { store: input.number, plan, way }])
    }
}

fn random_of(random: [u8; 16], number: u32) -> [u8; 16] {
    let digest: [u8; 32] = Sha256::digest([&random[..], &number.to_le_bytes()].concat()).into();
    std::array::from_fn(|at| digest[at])
}

/// Plans to add records at the ends of logs. `None` if one needs more than that, or a limit is reached.
fn plan_at_ends(input: &StoreInput<'_>, records: &[NewRecord]) -> Result<Option<Plan>, CommitError> {
    let (store, host) = (input.store, input.host);
    let (format, _) = writes(store)?;
    let of = |record: &NewRecord| Some((record.session.clone()?, record.kind.clone()));
    let keys: HashSet<(String, String)> = records.iter().filter_map(of).collect();
    let mut last = HashMap::new();
    for (session, kind) in keys {
        let given = last_given_id(host, store, &session, &kind)?;
        last.extend(given.map(|given| ((session, kind), given)));
    }
    let ends = LogEnds::of(host.disk, store, last);
    let drafts: Vec<_> = records.iter().map(NewRecord::draft).collect();
    let random = |number| random_of(input.random, number);
    let appended = add::append((format, &store.root), (&ends, host.now), &random, &drafts)?;
    Ok(appended.filter(|plan| is_allowed(&input.context(), plan)))
}

/// True if no limit is reached. How long the index of all records is, is known only now.
fn is_allowed(context: &WriteContext<'_>, plan: &Plan) -> bool {
    let base = |path: &Path| context.store.document_at(path).map(|document| document.bytes.clone());
    let whole = |change: &Change| Change { base: base(&change.path), ..change.clone() };
    let changes = plan.changes.iter().map(whole).collect();
    let planned = plan_and_after(Verb::Add, context, plan.records, changes);
    planned.and_then(|(plan, after)| check(context, &plan, &after)).is_ok()
}

/// Plans each record for the store as the one before leaves it, and makes one plan of all.
fn plan_one_by_one(input: &StoreInput<'_>, records: &[NewRecord]) -> Result<Plan, CommitError> {
    let now = input.host.now;
    let mut store = Cow::Borrowed(&**input.store);
    let (mut changes, mut added) = (Vec::new(), Vec::new());
    let (mut evictions, mut redacted, mut count) = (Vec::new(), 0, 0);
    for (number, record) in (1..).zip(records) {
        let context = WriteContext::of(&store, now, random_of(input.random, number));
        let record = record.with_free_id(input.host, &store)?;
        let planned = plan_addition(&context, &record.draft());
        let planned = planned.map_err(|refusal| with_number(refusal, number, records.len()))?;
        count += planned.plan.records;
        redacted += planned.redacted;
        evictions.extend(planned.evictions);
        let is_added = |effect: &&MemoryEffect| effect.kind == EffectKind::Add;
        added.extend(planned.plan.effects.iter().filter(is_added).map(|effect| (number, effect.clone())));
        if number as usize != records.len() {
            let next = store_after(&store, &planned.plan, now)?;
            store = Cow::Owned(next);
        }
        changes.extend(planned.plan.changes);
    }
    let context = input.context();
    let (mut plan, after) = plan_and_after(Verb::Add, &context, count, joined(changes))?;
    check(&context, &plan, &after)?;
    plan.lines.extend(evictions);
    plan.lines.extend(redaction_line(input.store, redacted));
    order_additions(&mut plan, added)?;
    Ok(plan)
}

fn store_after(store: &Store, plan: &Plan, now: Moment) -> Result<Store> {
    let (format, _) = writes(store)?;
    let mut changes: Vec<Change> = plan.all().cloned().collect();
    if plan.derive_after {
        let touched: Vec<_> = changes.iter().map(|change| change.path.clone()).collect();
        changes.extend(derived_changes(store, &documents_after(store, &changes, now), &touched, now));
    }
    let documents = documents_after(store, &changes, now);
    let folders = folders_of(&documents);
    let parts =
        AssemblyInput { load_settings: &store.load_settings, ..AssemblyInput::of(&documents, &folders) };
    let format::Assembly { sessions, entries, mut facts, decay, problems } = format.assemble(&parts, now);
    facts.sort();
    let problems: Vec<_> = documents.iter().flat_map(|own| own.problems.clone()).chain(problems).collect();
    let decay = decay.unwrap_or_else(|| store.decay.clone());
    let after = Store { documents, sessions, entries, facts, decay, problems: Vec::new(), ..store.clone() };
    Ok(after.with_problems(problems))
}

/// Makes one change of all changes of a file. They follow each other.
fn joined(changes: Vec<Change>) -> Vec<Change> {
    let mut files: Vec<(Change, Change)> = Vec::new();
    for change in changes {
        match files.iter_mut().find(|(first, _)| first.path == change.path) {
            Some((_, last)) => *last = change,
            None => files.push((change.clone(), change)),
        }
    }
    files.into_iter().map(|(first, last)| from_first_to_last(first, last)).collect()
}

fn from_first_to_last(first: Change, last: Change) -> Change {
    let (path, mode) = (&first.path, first.mode);
    let change = match (&first.base, last.after()) {
        // Of a folder, or of a copy that is too old.
        (None, None) => return first,
        (Some(base), None) => Change::remove(path, base.clone()),
        (None, Some(bytes)) if matches!(first.act, Act::Append(_)) => {
            Change::append(path, bytes.to_vec(), None)
        }
        (None, Some(bytes)) => Change::create(path, bytes),
        (Some(base), Some(bytes)) => {
            let grown = bytes.strip_prefix(&**base);
            let lines = grown.and_then(|lines| lines.strip_prefix(line_end_for(base)));
            match lines {
                Some(lines) => Change::append(path, lines, Some(base.clone())),
                None => Change::edits(path, base.clone(), edits_of_lines(base, &bytes)),
            }
        }
    };
    Change { mode, ..change }
}

/// Returns the edits of lines that make `after` of `base`.
fn edits_of_lines(base: &[u8], after: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let lines = |bytes| -> Vec<&[u8]> { <[u8]>::split_inclusive(bytes, is_line_end).collect() };
    let (old, new) = (lines(base), lines(after));
    let len = |lines: &[&[u8]]| lines.iter().map(|line| line.len()).sum::<usize>();
    let edit = |own: &DiffOp| {
        let start = len(&old[..own.old_range().start]);
        (start..start + len(&old[own.old_range()]), new[own.new_range()].concat())
    };
    let all = capture_diff_slices(Algorithm::Myers, &old, &new);
    all.iter().filter(|own| own.tag() != DiffTag::Equal).map(edit).collect()
}

fn is_line_end(byte: &u8) -> bool {
    *byte == b'\n'
}

/// Puts the additions of a plan into the order of the records. Refuses if a compaction for a later record would remove
/// one of them.
fn order_additions(plan: &mut Plan, added: Vec<(u32, MemoryEffect)>) -> Result<()> {
    let all = std::mem::take(&mut plan.effects);
    let (mut left, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|effect| effect.kind == EffectKind::Add);
    plan.effects = others;
    for (number, own) in added {
        let is_it = |effect: &MemoryEffect| effect.file == own.file && effect.name() == own.name();
        let Some(at) = left.iter().position(is_it) else {
            return Err(Refusal::too_large(format!(
                "memory {number}: a compaction would remove it to make room for those after it. Add fewer at a time."
            )));
        };
        plan.effects.push(left.remove(at));
    }
    plan.effects.extend(left);
    Ok(())
}
