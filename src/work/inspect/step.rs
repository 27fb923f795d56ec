//! What one step of the journal changed, file by file.

use std::collections::HashMap;
use std::path::Path;

use super::{Look, StepFile, StepShown};
use crate::format::{Placement, by_name, title, title_of_raw};
use crate::model::{Act, Entry, Moment, Role, Store, Tell};
use crate::store::commit::Account;

/// This many lines of a step are shown of a file.
const SHOWN: usize = 200;

/// The steps of a view that are read with it: so many, and each of so many bytes of files.
const FIRST: usize = 24;
const SMALL: u64 = 8 << 20;

impl Look<'_> {
    /// What the newest steps changed, so that their rows name memories.
    pub(super) fn newest_steps(&self, accounts: &[Account]) -> Vec<StepShown> {
        let all =
            accounts.iter().enumerate().flat_map(|(store, own)| own.rows.iter().map(move |row| (store, row)));
        let is_small = |files: &[crate::store::commit::FileLine]| {
            files.iter().map(|own| own.bytes_before.saturating_add(own.bytes_after)).sum::<u64>() <= SMALL
        };
        let mut all: Vec<_> = all.filter(|(_, row)| is_small(&row.line.files)).collect();
        all.sort_by_key(|(store, row)| std::cmp::Reverse((row.at, *store, row.line.step)));
        all.into_iter().take(FIRST).map(|(store, row)| self.step(store, row.line.step)).collect()
    }

    pub(super) fn step(&self, number: usize, step: u64) -> StepShown {
        let read = self.store(number).and_then(|store| {
            let kept = self.vault(store).step(step).map_err(|error| error.to_string())?;
            kept.ok_or_else(|| {
                "what it replaced is not kept any more: the journal has lengths alone".to_owned()
            })
        });
        let store = self.store(number).ok();
        let files = read.map(|own| {
            let data = own.changes.iter().filter(|change| !change.is_empty());
            let files = data.rev().filter_map(|change| step_file(&change.path, &change.act));
            files.map(|file| StepFile { titles: titles(store, &file, self.now), ..file }).collect()
        });
        StepShown { store: number, step, files }
    }
}

/// The titles of the lines of a file that are memories.
fn titles(store: Option<&std::sync::Arc<Store>>, file: &StepFile, now: Moment) -> Vec<(bool, String)> {
    let Some((store, format)) = store.and_then(|store| Some((store, by_name(store.format)?))) else {
        return Vec::new();
    };
    let path = Path::new(&file.path);
    let role = match format.place(path, false) {
        Placement::File(Role::Tombstones) => return deleted(store, file, now),
        Placement::File(role @ (Role::Records | Role::Archive)) => role,
        _ => return Vec::new(),
    };
    let title = |(came, bytes): &(bool, Vec<u8>)| {
        let records = format.read(role, path, bytes, now).records;
        let record = records.iter().find(|own| own.view().is_some())?;
        Some((*came, title_of_raw(store, path, record, bytes)))
    };
    file.lines.iter().filter_map(title).collect()
}

/// The titles of the memories that a log of deletions names: with a line that came, its memory went.
fn deleted(store: &Store, file: &StepFile, now: Moment) -> Vec<(bool, String)> {
    let path = Path::new(&file.path);
    let Some(format) = by_name(store.format) else { return Vec::new() };
    let beside = |own: &&Entry| store.document(own).path.parent() == path.parent();
    let id = |own: &Entry| Some(store.view(own)?.id?.to_owned());
    let known: HashMap<String, &Entry> =
        store.entries.iter().filter(beside).filter_map(|own| Some((id(own)?, own))).collect();
    let named = |(came, bytes): &(bool, Vec<u8>)| {
        let records = format.read(Role::Tombstones, path, bytes, now).records;
        let id = records.iter().find_map(|own| own.view()?.id)?;
        let gone = || format!("a memory that is gone: {id}");
        Some((!came, known.get(id).map_or_else(gone, |own| title(store, own))))
    };
    file.lines.iter().filter_map(named).collect()
}

/// What a step did to a file, told by what undoes it.
fn step_file(path: &Path, back: &Act) -> Option<StepFile> {
    let (lines, titles) = (Vec::new(), Vec::new());
    let mut file = StepFile { path: path.told().into_owned(), gone: 0, come: 0, lines, titles };
    match back {
        Act::Create(was) => file.take(false, was),
        Act::Remove(made) => file.take(true, made),
        Act::Splice(splices) => {
            for splice in splices {
                file.take(false, &splice.becomes);
                file.take(true, &splice.was);
            }
        }
        Act::Append(was) => file.take(false, was),
        Act::MakeFolder | Act::RemoveFolder | Act::Expire(_) => return None,
    }
    Some(file)
}

impl StepFile {
    fn take(&mut self, came: bool, bytes: &[u8]) {
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match came {
                true => self.come += 1,
                false => self.gone += 1,
            }
            if self.lines.len() < SHOWN {
                self.lines.push((came, line.to_vec()));
            }
        }
    }
}
