//! What stores hold, in numbers.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::model::{Code, Moment, Role, Severity, State, Store, UNSEEN};
use crate::query::most_first;

/// At most this many of the newest entries are known.
const NEWEST: usize = 1_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreTally {
    /// The number of listed entries, by session.
    pub sessions: Vec<usize>,
    /// The number of listed entries that belong to no session, by type.
    pub kinds: Vec<(String, usize)>,
    /// The types of all entries, each once. Untrusted text.
    pub all_kinds: Vec<String>,
    pub listed: usize,
    /// The number of listed entries with what looks like a secret: as many as `is:sensitive` finds.
    pub sensitive: usize,
    /// The number of entries of which a model gets nothing because of a limit: as many as `is:unseen` finds.
    pub unseen: usize,
    pub broken: usize,
    pub archived: usize,
    pub deleted: usize,
    pub backups: usize,
    /// The number of errors, warnings and notes.
    pub problems: [usize; 3],
    /// The worst problem of each session's files.
    pub worst: Vec<Option<Severity>>,
    pub stale_locks: usize,
    /// When the newest listed entries were written, and their numbers, newest first.
    pub newest: Vec<(Moment, u32)>,
    /// The numbers of the files that no agent changed since palimp wrote them.
    pub as_palimp_left: Vec<u32>,
    /// The tags of listed entries, most used first. Untrusted text.
    pub tags: Vec<(String, usize)>,
}

impl StoreTally {
    pub fn count_problems(&mut self, store: &Store) {
        self.problems = store.problem_counts();
        let paths = store.sessions.iter().map(|session| session.path.as_path());
        let numbers: HashMap<&Path, usize> = paths.zip(0..).collect();
        self.worst = vec![None; store.sessions.len()];
        for problem in &store.problems {
            let session = problem.file.ancestors().find_map(|folder| numbers.get(folder));
            if let Some(worst) = session.and_then(|&number| self.worst.get_mut(number)) {
                *worst = Some(worst.map_or(problem.severity, |before| before.min(problem.severity)));
            }
        }
    }

    pub fn of(store: &Store) -> StoreTally {
        let mut tally = StoreTally { sessions: vec![0; store.sessions.len()], ..StoreTally::default() };
        let mut tags: HashMap<&str, usize> = HashMap::new();
        let mut kinds: HashSet<&str> = HashSet::new();
        for (number, entry) in store.entries.iter().enumerate() {
            match entry.state {
                State::Archived => tally.archived += 1,
                State::Deleted => tally.deleted += 1,
                State::Broken => tally.broken += 1,
                State::Live => {}
            }
            let memory = store.memory(entry);
            kinds.extend(memory.iter().map(|memory| memory.kind()));
            if matches!(entry.state, State::Live | State::Broken) {
                tally.listed += 1;
                let time = store.time_with(entry, memory.and_then(|memory| memory.created));
                tally.newest.extend(time.map(|time| (time.at, number as u32)));
                if tally.newest.len() >= 2 * NEWEST {
                    tally.keep_newest();
                }
                tally.sensitive += usize::from(crate::format::is_sensitive(store, entry));
                let own_tags = memory.iter().flat_map(|memory| memory.tags());
                own_tags.for_each(|tag| *tags.entry(tag).or_default() += 1);
                match entry.session.and_then(|session| tally.sessions.get_mut(session as usize)) {
                    Some(count) => *count += 1,
                    None => {
                        let kind = memory.map_or("broken", |memory| memory.kind());
                        match tally.kinds.iter_mut().find(|(known, _)| known == kind) {
                            Some((_, count)) => *count += 1,
                            None => tally.kinds.push((kind.to_owned(), 1)),
                        }
                    }
                }
            }
        }
        tally.unseen = store.facts.iter().filter(|(_, name, _)| *name == UNSEEN).count();
        tally.keep_newest();
        tally.all_kinds = kinds.into_iter().map(str::to_owned).collect();
        tally.backups = store.documents.iter().filter(|document| document.role == Role::Backup).count();
        tally.count_problems(store);
        tally.stale_locks = store.problems.iter().filter(|problem| problem.code == Code::StaleLock).count();
        tally.tags = most_first(tags);
        tally
    }

    fn keep_newest(&mut self) {
        self.newest.sort_unstable_by(|one, other| other.cmp(one));
        self.newest.truncate(NEWEST);
    }
}
