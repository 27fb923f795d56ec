//! Adding records for what their lines cost: an open store keeps what it knows from one to the next.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::cache::Cache;
use super::index_writer::IndexWriter;
use super::{Memory, Result};
use crate::format::tuning::Tuning;
use crate::format::writing::Draft;
use crate::format::{self, Format};
use crate::model::{Act, Change, Generation, Plan, Snapshot};
use crate::ops;
use crate::ops::add::Appended;
use crate::store::appended;
use crate::store::commit::{Host, Receipt, VaultState, Writer};
use crate::store::ends::LogEnds;

/// What an open store knows between two changes.
#[derive(Default)]
pub(super) struct Known {
    /// Our own data, as this process left it.
    pub vault: Option<VaultState>,
    /// The ids that were given last, by session.
    last: HashMap<String, LastIds>,
    /// Whether derived files wait to be rebuilt, and since how many records.
    pub is_due: bool,
    waiting: usize,
    /// Memories that were asked for.
    pub cache: Cache,
    /// Whether records were added to logs that are too large to be held: they are read when they are asked
    /// for.
    pub is_behind: bool,
}

/// Ids that were given last, by session and type.
type LastBy = HashMap<(String, String), String>;

/// The logs of a session, and how they are.
type Logs = Vec<(PathBuf, Generation)>;

/// The ids that memories of a session were given last, by type, and its logs as they were then.
struct LastIds {
    ids: HashMap<String, String>,
    logs: Logs,
    /// When they were read, by the clock that never goes back.
    read: Duration,
}

/// Records that were added by the ends of logs alone: what they are called, and what became of the plan.
pub(crate) struct Made {
    pub names: Vec<String>,
    pub receipt: Receipt,
}

impl Memory {
    /// Adds records by the ends of logs alone, in one step. None where that takes more; nothing is changed
    /// then.
    pub(crate) fn append(&mut self, drafts: &[Draft<'_>]) -> Result<Option<Made>> {
        let Some(format) = format::by_name(self.place.format) else { return Ok(None) };
        self.meet_index_writer();
        let (last, logs) = self.last_ids(format, drafts);
        let left = self.known.vault.take();
        let (outcome, left, last, is_read, tuning) = {
            let now = self.now();
            let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now };
            let again =
                left.map(|left| Writer::open_as_left(host, self.store(), &left)).transpose()?.flatten();
            let writer = match again {
                Some(writer) => writer,
                None => Writer::open(host, self.store())?,
            };
            let ends = LogEnds::of(host.disk, self.store(), last);
            let random = || self.machine.random();
            let of = (format, &*self.place.root);
            // Another palimp may have given the next id before this one had the store.
            let is_last = logs.iter().all(|(session, own)| self.logs_of(session) == *own);
            let appended = match is_last {
                true => ops::add::append(of, (&ends, now), &random, drafts)?,
                false => None,
            };
            let is_read = appended.as_ref().is_some_and(|own| self.is_as_read(&own.plan));
            let commit = |Appended { plan, names }: Appended| {
                writer.commit(&plan).map(|receipt| Made { names, receipt })
            };
            let outcome = appended.map(commit);
            // What is not settled has to be looked after by the next change.
            let is_settled = match &outcome {
                Some(made) => made.as_ref().is_ok_and(|made| made.receipt.is_journalled),
                None => true,
            };
            (
                outcome,
                is_settled.then(|| writer.left()).flatten(),
                ends.last(),
                is_read,
                writer.tuning().clone(),
            )
        };
        self.known.vault = left;
        let Some(made) = outcome.transpose()? else { return Ok(None) };
        let waits = made.receipt.waits;
        self.known.is_due |= waits;
        let plan = &made.receipt.plan;
        self.keep_last(&logs, last, plan);
        let is_large =
            |change: &Change| self.store().at_path(&change.path).is_some_and(|own| own.on_demand.is_some());
        match plan.changes.iter().any(is_large) {
            true => self.known.is_behind = true,
            false if is_read && self.grow(format, plan) => {}
            false => self.refresh(),
        }
        self.known.cache.clear();
        self.wait_with(&tuning, if waits { drafts.len() } else { 0 });
        Ok(Some(made))
    }

    /// Indexes wait for that number of records more. They are written at once if that fills a batch, else when the
    /// store is idle.
    fn wait_with(&mut self, tuning: &Tuning, records: usize) {
        self.known.waiting = self.known.waiting.saturating_add(records);
        if self.known.waiting >= tuning.index_after_records {
            // What can't be written now stays due: the records are added.
            let _ = self.flush();
        }
        if self.known.is_due
            && records > 0
            && let Some(writer) = &mut self.index_writer
        {
            writer.wait(&self.place, &self.data, tuning.index_after);
        }
    }

    /// Takes note of what was written while the store was idle.
    pub(super) fn meet_index_writer(&mut self) {
        if let Some(left) = self.index_writer.as_mut().and_then(|own| own.written()) {
            (self.known.vault, self.known.is_due, self.known.waiting) = (left, false, 0);
        }
    }

    /// The ids that were given last to memories of those sessions and types, where ids are numbered, and the
    /// logs of those sessions as they are then.
    fn last_ids(&mut self, format: &dyn Format, drafts: &[Draft<'_>]) -> (LastBy, Vec<(String, Logs)>) {
        let (mut last, mut logs) = (LastBy::new(), Vec::new());
        let numbered = drafts.iter().filter(|_| format.numbers_ids());
        for (session, kind) in numbered.filter_map(|draft| Some((draft.session?, draft.kind))) {
            let key = (session.to_owned(), kind.to_owned());
            if !last.contains_key(&key)
                && let Some((id, own)) = self.last_id(format, session, kind)
            {
                last.insert(key, id);
                logs.push((session.to_owned(), own));
            }
        }
        (last, logs)
    }

    fn last_id(&mut self, format: &dyn Format, session: &str, kind: &str) -> Option<(String, Logs)> {
        let logs = self.logs_of(session);
        let (now, kept_for) = (self.machine.monotonic(), self.tuning().kept_for);
        let is_over = |own: &LastIds| own.logs != logs || now.saturating_sub(own.read) > kept_for;
        if self.known.last.get(session).is_some_and(is_over) {
            self.known.last.remove(session);
        }
        if let Some(id) = self.known.last.get(session).and_then(|own| own.ids.get(kind)) {
            return Some((id.clone(), logs));
        }
        if !self.are_read(&logs) {
            self.refresh();
        }
        if !self.are_read(&logs) {
            return None;
        }
        Some((format.last_id(self.store(), session, kind)?, logs))
    }

    /// Keeps the last ids of sessions to whose logs nobody but this process added.
    fn keep_last(&mut self, before: &[(String, Logs)], last: LastBy, plan: &Plan) {
        for (session, was) in before {
            let logs = self.logs_of(session);
            let known = self.known.last.remove(session);
            let read = known.as_ref().map_or_else(|| self.machine.monotonic(), |own| own.read);
            let known = known.map(|own| own.ids).unwrap_or_default();
            let is_ours = |((_, was), (path, now)): (&(PathBuf, Generation), &(PathBuf, Generation))| {
                let own = plan.changes.iter().find(|change| self.place.root.join(&change.path) == *path);
                let grew = own.map_or(0, |change| added(change).len() as u64);
                (was.device, was.inode, was.len + grew) == (now.device, now.inode, now.len)
            };
            if was.len() == logs.len() && was.iter().zip(&logs).all(is_ours) {
                let own = last.iter().filter(|((of, _), _)| of == session);
                let own = own.map(|((_, kind), id)| (kind.clone(), id.clone()));
                let ids = known.into_iter().chain(own).collect();
                self.known.last.insert(session.clone(), LastIds { ids, logs, read });
            }
        }
    }

    /// Whether the logs that a plan adds to are as they were read.
    fn is_as_read(&self, plan: &Plan) -> bool {
        plan.changes.iter().all(|change| {
            let now = self.disk.look(&self.place.root.join(&change.path)).map(|item| item.generation);
            let was = self.store().at_path(&change.path).map(|own| own.generation);
            was.is_some() && now.ok() == was
        })
    }

    fn are_read(&self, logs: &Logs) -> bool {
        let read = |path: &Path| self.store().at_path(path.strip_prefix(&self.place.root).ok()?);
        logs.iter().all(|(path, now)| read(path).is_some_and(|own| own.generation == *now))
    }

    /// The logs of a session, as they are.
    fn logs_of(&self, session: &str) -> Logs {
        let folder = self.place.root.join("sessions").join(session);
        let items = self.disk.list(&folder).unwrap_or_default().into_iter();
        let logs = items.filter(|item| Path::new(&item.name).extension().is_some_and(|end| end == "jsonl"));
        logs.map(|item| (folder.join(&item.name), item.generation)).collect()
    }

    /// Adds the lines of a plan to the store as it was read. False where it has to be read again.
    fn grow(&mut self, format: &dyn Format, plan: &Plan) -> bool {
        let now = self.now();
        let mut stores = std::mem::take(&mut self.snapshot).stores;
        let is_grown = stores.first_mut().and_then(Arc::get_mut).is_some_and(|store| {
            plan.changes.iter().all(|change| {
                let number = store.documents.binary_search_by(|own| own.path.cmp(&change.path));
                let item = self.disk.look(&self.place.root.join(&change.path));
                let (Ok(number), Ok(item)) = (number, item) else { return false };
                appended::add(store, (format, number), (added(change), item.generation), now)
            })
        });
        self.snapshot = Snapshot::of(stores);
        is_grown
    }

    /// Rebuilds the indexes and counts that wait for it since records were added.
    ///
    /// # Errors
    ///
    /// If our own data can't be read or written, or another palimp has the store.
    pub fn flush(&mut self) -> Result {
        self.meet_index_writer();
        if !self.known.is_due {
            return Ok(());
        }
        self.known.vault = None;
        let (left, is_made) = {
            let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
            let writer = Writer::open(host, self.store())?;
            let is_made = writer.derive_due();
            (writer.left(), is_made)
        };
        (self.known.vault, self.known.is_due) = (left, !is_made);
        if is_made {
            self.known.waiting = 0;
            self.index_writer.iter_mut().for_each(IndexWriter::done);
        }
        Ok(())
    }

    /// Ends the work with the store: indexes and counts that wait are rebuilt.
    ///
    /// # Errors
    ///
    /// If our own data can't be read or written, or another palimp has the store. The next start of palimp
    /// rebuilds them then.
    pub fn close(mut self) -> Result {
        self.index_writer.iter_mut().for_each(IndexWriter::end);
        self.flush()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.index_writer.iter_mut().for_each(IndexWriter::end);
        // What can't be rebuilt now is noted as due.
        let _ = self.flush();
    }
}

/// The lines that a change adds.
fn added(change: &Change) -> &[u8] {
    match &change.act {
        Act::Append(lines) => lines,
        _ => &[],
    }
}
