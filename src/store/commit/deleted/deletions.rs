//! What deletions in force took out of a store: neither a repair nor quarantine brings it back.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::super::turn::History;
use super::super::vault::JournalLine;
use super::super::{CommitError, Vault};
use super::taken::{BRINGING, Taken};
use super::{DELETING, before, session_of};
use crate::format;
use crate::model::{Moment, Role, Store, is_log};

/// The deletions in force, as far as undo data tells.
#[derive(Debug, Default)]
pub struct Deletions {
    /// Ids, each with its session and the step that deleted it.
    ids: HashMap<String, Vec<(Option<String>, u64)>>,
    /// Documents of which something was deleted, and the last step that did.
    files: HashMap<PathBuf, u64>,
}

impl Deletions {
    /// What is kept no longer, or can't be read, names nothing.
    ///
    /// # Errors
    ///
    /// If the journal can't be read.
    pub fn of(vault: &Vault<'_>, store: &Store, now: Moment) -> Result<Deletions, CommitError> {
        let mut own = Deletions::default();
        let Some(format) = format::by_name(store.format) else { return Ok(own) };
        let journal = vault.journal()?;
        let verbs: HashMap<u64, &JournalLine> = journal.iter().map(|line| (line.step, line)).collect();
        let counts = |step: &u64| {
            let verb = verbs.get(step).map_or("", |line| &*line.verb);
            DELETING.contains(&verb) || BRINGING.contains(&verb)
        };
        let (mut taken, mut all) = (Taken::new(format, now), Vec::new());
        let mut brought: HashSet<PathBuf> = HashSet::new();
        let done = History::of(&journal).done.into_iter().rev().map(|(step, _)| step);
        for number in done.filter(counts) {
            let Ok(Some(step)) = vault.step(number) else { continue };
            let documents = step.changes.iter().map(|own| &own.path).filter(|path| !is_log(path));
            let is_deletion = taken.see(number, &step);
            match is_deletion {
                true => documents.filter(|path| !brought.contains(*path)).for_each(|path| {
                    own.files.entry(path.clone()).or_insert(number);
                }),
                false => brought.extend(documents.cloned()),
            }
            if is_deletion {
                all.extend(
                    step.changes.into_iter().filter_map(|own| Some((number, before(&own)?, own.path))),
                );
            }
        }
        for (step, bytes, path) in all {
            let session = session_of(store, &path).map(|at| store.sessions[at as usize].name.clone());
            for record in format.read(Role::Records, &path, &bytes, now).records {
                let span = record.span.start as usize..record.span.end as usize;
                let raw = if is_log(&path) { bytes.get(span).unwrap_or_default() } else { &bytes[..] };
                let Some(id) = record.view().and_then(|view| view.id) else { continue };
                if taken.next(&path, raw) {
                    own.ids.entry(id.to_owned()).or_default().push((session.clone(), step));
                }
            }
        }
        Ok(own)
    }

    /// The step that deleted memories of a document after that one.
    pub fn step_of_file(&self, file: &Path, after: u64) -> Option<u64> {
        self.files.get(file).copied().filter(|step| *step > after)
    }

    /// The step that deleted the memory of a file with that id.
    pub fn step(&self, store: &Store, file: &Path, id: &str) -> Option<u64> {
        let all = self.ids.get(id)?;
        let session = session_of(store, file).map(|at| &*store.sessions[at as usize].name);
        all.iter().find(|(own, _)| own.as_deref() == session).map(|(_, step)| *step)
    }
}
