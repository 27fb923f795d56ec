//! Adds records at the cost of their lines: an open store keeps what it knows between additions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::handle::{LastIdMap, LogGenerations, SessionLastIds};
use super::{Memory, Result};
use crate::disk::host::Host;
use crate::format::writing::RecordDraft;
use crate::format::{self, Format};
use crate::model::plan::effect::MemoryEffect;
use crate::model::{Act, Change, CommitReceipt, Generation, Plan, Snapshot};
use crate::ops;
use crate::store::log_ends::LogEnds;
use crate::store::memory_append;
use crate::usecase::{Appended, last_given_id, make_batch_durable, write_at_ends, write_derived};

impl Memory {
    /// Adds records at the ends of logs in one step, and returns their ids. `None` if that is not enough; nothing is
    /// changed then.
    pub(crate) fn append(&mut self, drafts: &[RecordDraft<'_>]) -> Result<Option<Vec<String>>> {
        let Some(format) = format::by_name(self.place.format) else { return Ok(None) };
        let (last, logs) = self.last_ids(format, drafts)?;
        let now = self.now();
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now };
        let ends = LogEnds::of(host.disk, self.store(), last);
        let mut is_read = false;
        let appended = write_at_ends(host, self.store(), self.options.durability, || {
            // Another palimp may have given the next id before this one had the store.
            if !logs.iter().all(|(session, own)| self.logs_of(session) == *own) {
                return Ok(None);
            }
            let random = |_| self.machine.random();
            let plan = ops::add::append((format, &self.place.root), (&ends, now), &random, drafts)?;
            is_read = plan.as_ref().is_some_and(|plan| self.is_as_read(plan));
            Ok(plan)
        })?;
        let last = ends.last();
        let Some(Appended { receipt, not_durable }) = appended else { return Ok(None) };
        let CommitReceipt { waits, plan, .. } = receipt;
        self.handle_state.not_durable.extend(not_durable);
        if waits && !self.handle_state.is_due {
            (self.handle_state.is_due, self.handle_state.due_since) = (true, self.machine.monotonic());
        }
        self.keep_last(&logs, last, &plan);
        if !(is_read && self.grow(format, &plan)) {
            self.refresh();
        }
        self.wait_with(if waits { drafts.len() } else { 0 });
        Ok(Some(plan.effects.iter().map(MemoryEffect::name).collect()))
    }

    /// Notes records whose indexes wait. They are written when the batch is full, and when they have waited as long as the
    /// store's config says (2 §7.1).
    fn wait_with(&mut self, records: usize) {
        let tuning = self.tuning();
        let state = &mut self.handle_state;
        state.waiting = state.waiting.saturating_add(records);
        let waited = self.machine.monotonic().saturating_sub(state.due_since);
        if state.waiting >= tuning.index_after_records || state.is_due && waited >= tuning.index_after {
            // If this fails, the indexes stay due. The records are already added.
            let _ = self.flush();
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
        let is_over = |own: &SessionLastIds| own.logs != logs;
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
                self.handle_state.last.insert(session.clone(), SessionLastIds { ids, logs });
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

    /// Makes a batch of records durable ([`Durability`](crate::memory::Durability)), and rebuilds indexes and counts.
    /// Fails if palimp's own data can't be read or written, or another palimp has the store.
    pub fn flush(&mut self) -> Result {
        if !self.handle_state.not_durable.is_empty() {
            let files: Vec<PathBuf> = self.handle_state.not_durable.iter().cloned().collect();
            let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
            make_batch_durable(host, self.store(), &files)?;
            self.handle_state.not_durable.clear();
        }
        if !self.handle_state.is_due {
            return Ok(());
        }
        let host = Host { disk: &*self.disk, machine: &*self.machine, data: &self.data, now: self.now() };
        let is_made = write_derived(host, self.store())?;
        self.handle_state.is_due = !is_made;
        if is_made {
            self.handle_state.waiting = 0;
        }
        Ok(())
    }

    /// Ends the work with the store, and rebuilds the indexes and counts that wait.
    /// Fails as [`Memory::flush`]. The next start of palimp then rebuilds them.
    pub fn close(mut self) -> Result {
        self.flush()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
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
