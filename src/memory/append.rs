//! Adds records at the cost of their lines: an open store keeps what it knows between additions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::handle::{LastIdMap, LogGenerations, SessionLastIds};
use super::index_writer::IndexWriter;
use super::{Memory, Result};
use crate::disk::host::Host;
use crate::format::tuning::StoreTuning;
use crate::format::writing::RecordDraft;
use crate::format::{self, Format};
use crate::model::plan::effect::MemoryEffect;
use crate::model::{Act, Change, CommitReceipt, Generation, Plan, Snapshot};
use crate::ops;
use crate::store::log_ends::LogEnds;
use crate::store::memory_append;
use crate::usecase::{last_given_id, write_derived, write_kept_open};

impl Memory {
    /// Adds records at the ends of logs in one step, and returns their ids. `None` if that is not enough; nothing is
    /// changed then.
    pub(crate) fn append(&mut self, drafts: &[RecordDraft<'_>]) -> Result<Option<Vec<String>>> {
        let Some(format) = format::by_name(self.place.format) else { return Ok(None) };
        self.meet_index_writer();
        let (last, logs) = self.last_ids(format, drafts)?;
        let left = self.handle_state.vault.take();
        let now = self.now();
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now };
        let ends = LogEnds::of(host.disk, self.store(), last);
        let mut is_read = false;
        let appended = write_kept_open(host, self.store(), left, || {
            // Another palimp may have given the next id before this one had the store.
            if !logs.iter().all(|(session, own)| self.logs_of(session) == *own) {
                return Ok(None);
            }
            let random = |_| self.machine.random();
            let plan = ops::add::append((format, &self.place.root), (&ends, now), &random, drafts)?;
            is_read = plan.as_ref().is_some_and(|plan| self.is_as_read(plan));
            Ok(plan)
        })?;
        let (tuning, last) = (appended.tuning, ends.last());
        self.handle_state.vault = appended.left;
        let Some(CommitReceipt { waits, plan, .. }) = appended.outcome.transpose()? else { return Ok(None) };
        self.handle_state.is_due |= waits;
        self.keep_last(&logs, last, &plan);
        if !(is_read && self.grow(format, &plan)) {
            self.refresh();
        }
        self.handle_state.cache.clear();
        self.wait_with(&tuning, if waits { drafts.len() } else { 0 });
        Ok(Some(plan.effects.iter().map(MemoryEffect::name).collect()))
    }

    /// Notes records whose indexes wait. A full batch is written at once, the rest when the store is idle.
    fn wait_with(&mut self, tuning: &StoreTuning, records: usize) {
        self.handle_state.waiting = self.handle_state.waiting.saturating_add(records);
        if self.handle_state.waiting >= tuning.index_after_records {
            // If this fails, the indexes stay due. The records are already added.
            let _ = self.flush();
        }
        if self.handle_state.is_due
            && records > 0
            && let Some(writer) = &mut self.index_writer
        {
            writer.wait(&self.place, &self.data, tuning.index_after);
        }
    }

    /// Takes over what the index writer did while the store was idle.
    pub(super) fn meet_index_writer(&mut self) {
        if let Some(left) = self.index_writer.as_mut().and_then(|own| own.written()) {
            (self.handle_state.vault, self.handle_state.is_due, self.handle_state.waiting) = (left, false, 0);
        }
    }

    /// Returns the last ids of these sessions and types, if ids are numbered, and their logs at this time.
    fn last_ids(
        &mut self,
        format: &dyn Format,
        drafts: &[RecordDraft<'_>],
    ) -> Result<(LastIdMap, Vec<(String, LogGenerations)>)> {
        let (mut last, mut logs) = (LastIdMap::new(), Vec::new());
        let numbered = drafts.iter().filter(|_| format.own().last_id.is_some());
        for (session, kind) in numbered.filter_map(|draft| Some((draft.session?, draft.kind))) {
            let key = (session.to_owned(), kind.to_owned());
            if !last.contains_key(&key)
                && let Some((id, own)) = self.last_id(session, kind)?
            {
                last.insert(key, id);
                logs.push((session.to_owned(), own));
            }
        }
        Ok((last, logs))
    }

    fn last_id(&mut self, session: &str, kind: &str) -> Result<Option<(String, LogGenerations)>> {
        let logs = self.logs_of(session);
        let (now, kept_for) = (self.machine.monotonic(), self.tuning().cache_ttl);
        let is_over = |own: &SessionLastIds| own.logs != logs || now.saturating_sub(own.read) > kept_for;
        if self.handle_state.last.get(session).is_some_and(is_over) {
            self.handle_state.last.remove(session);
        }
        if let Some(id) = self.handle_state.last.get(session).and_then(|own| own.ids.get(kind)) {
            return Ok(Some((id.clone(), logs)));
        }
        if !self.are_read(&logs) {
            self.refresh();
        }
        if !self.are_read(&logs) {
            return Ok(None);
        }
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        Ok(last_given_id(host, self.store(), session, kind)?.map(|id| (id, logs)))
    }

    /// Keeps the last ids of sessions if only this process added to their logs.
    fn keep_last(&mut self, before: &[(String, LogGenerations)], last: LastIdMap, plan: &Plan) {
        for (session, was) in before {
            let logs = self.logs_of(session);
            let known = self.handle_state.last.remove(session);
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
                self.handle_state.last.insert(session.clone(), SessionLastIds { ids, logs, read });
            }
        }
    }

    fn is_as_read(&self, plan: &Plan) -> bool {
        plan.changes.iter().all(|change| {
            let now = self.disk.look(&self.place.root.join(&change.path)).map(|item| item.generation);
            let was = self.store().document_at(&change.path).map(|own| own.generation);
            was.is_some() && now.ok() == was
        })
    }

    fn are_read(&self, logs: &LogGenerations) -> bool {
        let read = |path: &Path| self.store().document_at(path.strip_prefix(&self.place.root).ok()?);
        logs.iter().all(|(path, now)| read(path).is_some_and(|own| own.generation == *now))
    }

    fn logs_of(&self, session: &str) -> LogGenerations {
        let folder = self.place.root.join("sessions").join(session);
        let items = self.disk.list(&folder).unwrap_or_default().into_iter();
        let logs = items.filter(|item| Path::new(&item.name).extension().is_some_and(|end| end == "jsonl"));
        logs.map(|item| (folder.join(&item.name), item.generation)).collect()
    }

    /// Adds the lines of a plan to the store in memory. False if the store has to be read again.
    fn grow(&mut self, format: &dyn Format, plan: &Plan) -> bool {
        let now = self.now();
        let mut stores = std::mem::take(&mut self.snapshot).stores;
        let is_grown = stores.first_mut().and_then(Arc::get_mut).is_some_and(|store| {
            plan.changes.iter().all(|change| {
                let number = store.documents.binary_search_by(|own| own.path.cmp(&change.path));
                let item = self.disk.look(&self.place.root.join(&change.path));
                let (Ok(number), Ok(item)) = (number, item) else { return false };
                memory_append::add(store, (format, number), (added(change), item.generation), now)
            })
        });
        self.snapshot = Snapshot::of(stores);
        is_grown
    }

    /// Rebuilds the indexes and counts that wait since records were added.
    ///
    /// # Errors
    ///
    /// If palimp's own data can't be read or written, or another palimp has the store.
    pub fn flush(&mut self) -> Result {
        self.meet_index_writer();
        if !self.handle_state.is_due {
            return Ok(());
        }
        self.handle_state.vault = None;
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let (is_made, left) = write_derived(host, self.store())?;
        (self.handle_state.vault, self.handle_state.is_due) = (left, !is_made);
        if is_made {
            self.handle_state.waiting = 0;
            self.index_writer.iter_mut().for_each(IndexWriter::done);
        }
        Ok(())
    }

    /// Ends the work with the store, and rebuilds the indexes and counts that wait.
    ///
    /// # Errors
    ///
    /// As [`Memory::flush`]. The next start of palimp then rebuilds them.
    pub fn close(mut self) -> Result {
        self.index_writer.iter_mut().for_each(IndexWriter::end);
        self.flush()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.index_writer.iter_mut().for_each(IndexWriter::end);
        // If this fails, palimp's own data notes that the indexes are due.
        let _ = self.flush();
    }
}

fn added(change: &Change) -> &[u8] {
    match &change.act {
        Act::Append(lines) => lines,
        _ => &[],
    }
}
