//! Finds a record after palimp's steps moved or rewrote it as its state changed. Its old key still names it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::Vault;
use super::deleted_from;
use super::step::Step;
use super::vault::{JournalLine, Turn};
use crate::format::{self, Format, Placement};
use crate::model::key::Key;
use crate::model::plan::apply;
use crate::model::{Act, Change, Entry, Moment, Record, Role, Store, View, is_log};
use crate::store::packed::contents;

/// The verbs that change the state of a record and not its contents.
const STATES: [&str; 9] = [
    "delete",
    "undelete",
    "archive",
    "unarchive",
    "session archive",
    "session unarchive",
    "maintain",
    "compact",
    "backup restore",
];

/// Bytes of records, each with their file.
type Pieces = Vec<(PathBuf, Vec<u8>)>;

/// What a step removed from files, and what it added to files.
struct Stage {
    gone: Pieces,
    come: Pieces,
}

/// Finds the record that a key named before palimp's steps changed its state.
pub fn followed(vault: &Vault<'_>, store: &Store, key: &Key, now: Moment) -> Option<Entry> {
    // If there are equal ones, it is not known which one it was.
    let format = format::by_name(store.format).filter(|_| key.of == 1)?;
    let reader = Reader { format, now };
    let mut at: Option<(PathBuf, Vec<u8>)> = None;
    for stage in stages(vault, store).into_iter().rev() {
        let is_it = |path: &Path, raw: &[u8]| match &at {
            Some((own, bytes)) => own == path && bytes == raw,
            None => key.names(&store.root, path, raw),
        };
        let Some((path, raw)) = reader.find(&stage.gone, |path, raw, _| is_it(path, raw)) else { continue };
        let to = reader.counterpart(&stage.come, (&path, &raw));
        at = Some(to.unwrap_or((path, raw)));
    }
    let (path, raw) = at?;
    let has = |entry: &&Entry| *store.raw(entry) == *raw;
    let is_there = |entry: &&Entry| {
        let own = &store.document(entry).path;
        deleted_from(own).unwrap_or(own) == path
    };
    let own = || store.entries.iter().filter(has);
    own().find(is_there).or_else(|| own().next()).copied()
}

/// The steps that changed states, the newest first, if their undo data is kept. A file is followed back only
/// to the last step that changed something else, because its records were different before that.
fn stages(vault: &Vault<'_>, store: &Store) -> Vec<Stage> {
    let mut files: HashMap<PathBuf, Vec<u8>> = HashMap::new();
    let mut stages = Vec::new();
    let journal = vault.journal().unwrap_or_default();
    for number in vault.steps().unwrap_or_default().into_iter().rev() {
        let Ok(Some(step)) = vault.step(number) else { break };
        let own = stage(store, &step, &mut files);
        if STATES.contains(&verb(&journal, &step)) {
            stages.push(own);
        }
    }
    stages
}

/// The verb of a step. An undo or a redo has the verb of the step that it undid or redid.
fn verb<'a>(journal: &'a [JournalLine], step: &'a Step) -> &'a str {
    let line = step.line.turn.and_then(|turn| {
        let (Turn::Undo(number) | Turn::Redo(number)) = turn;
        journal.iter().find(|line| line.step == number)
    });
    &line.unwrap_or(&step.line).verb
}

fn stage(store: &Store, step: &Step, files: &mut HashMap<PathBuf, Vec<u8>>) -> Stage {
    let mut own = Stage { gone: Vec::new(), come: Vec::new() };
    // A backup has the same records, and none of them is one of the store.
    let is_read = |change: &&Change| role(store.format, &change.path).is_some();
    for change in step.changes.iter().filter(is_read) {
        let path = || change.path.clone();
        match &change.act {
            Act::Create(bytes) => {
                own.gone.extend(contents(&change.path, bytes));
                files.insert(path(), bytes.to_vec());
            }
            Act::Remove(bytes) => own.come.extend(contents(&change.path, bytes)),
            Act::Append(lines) => own.gone.push((path(), lines.clone())),
            Act::Splice(splices) if is_log(&change.path) => {
                own.gone.extend(splices.iter().map(|own| (path(), own.becomes.to_vec())));
                own.come.extend(splices.iter().map(|own| (path(), own.was.to_vec())));
            }
            Act::Splice(_) => own.document(store, change, files),
            _ => {}
        }
    }
    own
}

impl Stage {
    /// Records a document that a step rewrote: its bytes after the step and its bytes before it.
    fn document(&mut self, store: &Store, change: &Change, files: &mut HashMap<PathBuf, Vec<u8>>) {
        let now = || store.at_path(&change.path).map(|own| own.bytes.to_vec());
        let after = files.get(&change.path).cloned().or_else(now);
        let (Some(after), Some(splices)) = (after, change.splices()) else { return };
        let fits = |at: u64, was: &[u8]| after.get(at as usize..at as usize + was.len()) == Some(was);
        if splices.iter().all(|own| fits(own.start, &own.was)) {
            let before = apply(&after, &splices);
            files.insert(change.path.clone(), before.clone());
            self.gone.push((change.path.clone(), before));
            self.come.push((change.path.clone(), after));
        }
    }
}

/// The role of a file with memories; `None` for any other file.
fn role(format: &str, path: &Path) -> Option<Role> {
    match format::by_name(format)?.place(path, false) {
        Placement::File(role @ (Role::Records | Role::Archive)) => Some(role),
        _ => None,
    }
}

struct Reader {
    format: &'static dyn Format,
    now: Moment,
}

impl Reader {
    fn find(
        &self,
        pieces: &Pieces,
        is_it: impl Fn(&Path, &[u8], View<'_>) -> bool,
    ) -> Option<(PathBuf, Vec<u8>)> {
        pieces.iter().find_map(|(path, bytes)| {
            let records = self.read(path, bytes);
            records.iter().find_map(|record| {
                let raw = bytes.get(record.span.start as usize..record.span.end as usize)?;
                is_it(path, raw, record.view()?).then(|| (path.clone(), raw.to_vec()))
            })
        })
    }

    fn read(&self, path: &Path, bytes: &[u8]) -> Vec<Record> {
        let role = role(self.format.name(), path);
        role.map(|role| self.format.read(role, path, bytes, self.now).records).unwrap_or_default()
    }

    /// The record that a step made of another one: it has the same id, or the same contents.
    fn counterpart(&self, come: &Pieces, (path, raw): (&Path, &[u8])) -> Option<(PathBuf, Vec<u8>)> {
        let record = self.read(path, raw).into_iter().next()?;
        let id = record.view()?.id.filter(|id| !id.is_empty()).map(str::to_owned);
        let has_id = |view: View<'_>| id.is_some() && view.id == id.as_deref();
        self.find(come, |_, other, _| other == raw).or_else(|| self.find(come, |_, _, view| has_id(view)))
    }
}
