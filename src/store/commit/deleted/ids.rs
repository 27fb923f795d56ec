//! The ids that deletions in force took out of a store: neither a repair nor quarantine brings them back.

use std::collections::HashMap;
use std::path::Path;

use super::super::turn::History;
use super::super::vault::JournalLine;
use super::super::{CommitError, Vault};
use super::taken::{BRINGING, Taken};
use super::{DELETING, before, session_of};
use crate::format;
use crate::model::{Moment, Role, Store};

/// Each with its session, and the step that deleted it.
#[derive(Debug, Default)]
pub struct DeletedIds(HashMap<String, Vec<(Option<String>, u64)>>);

impl DeletedIds {
    /// As far as undo data tells: what is kept no longer, or can't be read, names nothing.
    ///
    /// # Errors
    ///
    /// If the journal can't be read.
    pub fn of(vault: &Vault<'_>, store: &Store, now: Moment) -> Result<DeletedIds, CommitError> {
        let mut own = DeletedIds::default();
        let Some(format) = format::by_name(store.format) else { return Ok(own) };
        let journal = vault.journal()?;
        let verbs: HashMap<u64, &JournalLine> = journal.iter().map(|line| (line.step, line)).collect();
        let counts = |step: &u64| {
            let verb = verbs.get(step).map_or("", |line| &*line.verb);
            DELETING.contains(&verb) || BRINGING.contains(&verb)
        };
        let (mut taken, mut all) = (Taken::new(format, now), Vec::new());
        let done = History::of(&journal).done.into_iter().rev().map(|(step, _)| step);
        for number in done.filter(counts) {
            let Ok(Some(step)) = vault.step(number) else { continue };
            if taken.see(number, &step) {
                all.extend(
                    step.changes.into_iter().filter_map(|own| Some((number, before(&own)?, own.path))),
                );
            }
        }
        for (step, bytes, path) in all {
            let session = session_of(store, &path).map(|at| store.sessions[at as usize].name.clone());
            for record in format.read(Role::Records, &path, &bytes, now).records {
                let raw = bytes.get(record.span.start as usize..record.span.end as usize).unwrap_or_default();
                let Some(id) = record.view().and_then(|view| view.id) else { continue };
                if taken.next(&path, raw) {
                    own.0.entry(id.to_owned()).or_default().push((session.clone(), step));
                }
            }
        }
        Ok(own)
    }

    /// The step that deleted the memory of a file with that id.
    pub fn step(&self, store: &Store, file: &Path, id: &str) -> Option<u64> {
        let all = self.0.get(id)?;
        let session = session_of(store, file).map(|at| &*store.sessions[at as usize].name);
        all.iter().find(|(own, _)| own.as_deref() == session).map(|(_, step)| *step)
    }
}
