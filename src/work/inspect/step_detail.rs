//! What one step of the journal changed, file by file.

use std::collections::HashMap;
use std::path::Path;

use super::{Inspector, StepDetail, StepFile};
use crate::disk::host::Host;
use crate::format::{Placement, by_name, title, title_of_raw};
use crate::model::{Act, Entry, FileLine, Moment, PathText, Role, Store};
use crate::usecase::{JournalView, inverse_of_step, receipt_lines};

/// At most this many lines of a file are shown.
const SHOWN: usize = 200;

/// At most this many steps are read with a view, each with at most this many bytes of files.
const FIRST: usize = 24;
const SMALL: u64 = 8 << 20;

impl Inspector<'_> {
    /// Reads what the newest steps changed, so that their rows name memories.
    pub(super) fn newest_steps(&self, accounts: &[JournalView]) -> Vec<StepDetail> {
        let all =
            accounts.iter().enumerate().flat_map(|(store, own)| own.rows.iter().map(move |row| (store, row)));
        let is_small = |files: &[FileLine]| {
            files.iter().map(|own| own.bytes_before.saturating_add(own.bytes_after)).sum::<u64>() <= SMALL
        };
        let mut all: Vec<_> = all.filter(|(_, row)| is_small(&row.line.files)).collect();
        all.sort_by_key(|(store, row)| std::cmp::Reverse((row.at, *store, row.line.step)));
        all.into_iter().take(FIRST).map(|(store, row)| self.step(store, row.line.step)).collect()
    }

    pub(super) fn step(&self, number: usize, step: u64) -> StepDetail {
        let read = self.store(number).and_then(|store| inverse_of_step(self.data, &store.root, step));
        let store = self.store(number).ok();
        let files = read.map(|own| {
            let data = own.iter().filter(|change| !change.is_empty());
            let files = data.rev().filter_map(|change| step_file(&change.path, &change.act));
            files.map(|file| named(store, file, self.now)).collect()
        });
        let host = Host::here(self.data, self.now);
        let receipt = store.map(|store| receipt_lines(host, &store.root, step));
        // A receipt that can't be read is one more thing to say about the step.
        let receipt = receipt.and_then(|read| read.unwrap_or_else(|why| Some(vec![why])));
        StepDetail { store: number, step, files, receipt }
    }
}

/// Returns the file with the titles of its lines that are memories, and the tags that these got and lost.
fn named(store: Option<&std::sync::Arc<Store>>, file: StepFile, now: Moment) -> StepFile {
    let Some((store, format)) = store.and_then(|store| Some((store, by_name(store.format)?))) else {
        return file;
    };
    let path = Path::new(&file.path);
    let role = match format.place(path, false) {
        Placement::File(Role::Tombstones) => return StepFile { titles: deleted(store, &file, now), ..file },
        Placement::File(role @ (Role::Records | Role::Archive)) => role,
        // A copy of a file is no change of its memories.
        Placement::File(Role::Backup) => return StepFile { lines: Vec::new(), ..file },
        _ => return file,
    };
    if path.extension().is_none_or(|end| end != "jsonl") {
        return of_one(store, file, role, now);
    }
    let mut titles = Vec::new();
    let mut tagged: HashMap<(String, String), i32> = HashMap::new();
    for (came, bytes) in &file.lines {
        let records = format.read(role, path, bytes, now).records;
        let Some((record, memory)) = records.iter().find_map(|own| Some((own, own.memory()?))) else {
            continue;
        };
        titles.push((*came, title_of_raw(store, path, record, bytes).into_raw()));
        for tag in memory.tags() {
            let id = memory.id().unwrap_or_default().to_owned();
            *tagged.entry((id, tag.to_string())).or_default() += if *came { 1 } else { -1 };
        }
    }
    // If some lines are unknown, a tag can seem to be gone although the memory has it.
    let is_whole = file.lines.len() == file.gone + file.come;
    let changed = tagged.into_iter().filter(|(_, by)| is_whole && *by != 0);
    let mut tags: Vec<(bool, String)> = changed.map(|((_, tag), by)| (by > 0, tag)).collect();
    tags.sort_unstable_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    tags.dedup();
    StepFile { titles, tags, ..file }
}

/// Returns a file that is one memory with its title, or with its old title if it is gone.
fn of_one(store: &Store, file: StepFile, role: Role, now: Moment) -> StepFile {
    let path = Path::new(&file.path);
    let is_own = |own: &&Entry| store.document(own).path == path;
    let mut own = store.entries.iter().filter(is_own);
    let title = match (own.next(), own.next()) {
        (Some(one), None) => title(store, one),
        (Some(_), Some(_)) => return file,
        (None, _) => {
            let gone: Vec<&[u8]> = file.lines.iter().map(|(_, line)| &line[..]).collect();
            let bytes = gone.join(&b'\n');
            let Some(format) = by_name(store.format) else { return file };
            let records = format.read(role, path, &bytes, now).records;
            let Some(record) = records.first() else { return file };
            title_of_raw(store, path, record, &bytes)
        }
    };
    let signs = [(file.gone > 0, false), (file.come > 0, true)];
    let titles =
        signs.into_iter().filter(|(is, _)| *is).map(|(_, came)| (came, title.raw().to_owned())).collect();
    StepFile { titles, ..file }
}

/// An added line of a log of deletions removes its memory.
fn deleted(store: &Store, file: &StepFile, now: Moment) -> Vec<(bool, String)> {
    let path = Path::new(&file.path);
    let Some(format) = by_name(store.format) else { return Vec::new() };
    let beside = |own: &&Entry| store.document(own).path.parent() == path.parent();
    let id = |own: &Entry| Some(store.id(own)?.to_owned());
    let known: HashMap<String, &Entry> =
        store.entries.iter().filter(beside).filter_map(|own| Some((id(own)?, own))).collect();
    let named = |(came, bytes): &(bool, Vec<u8>)| {
        let records = format.read(Role::Tombstones, path, bytes, now).records;
        let id = records.iter().find_map(|own| own.named_id())?;
        let gone = || format!("a memory that is gone: {id}");
        Some((!came, known.get(id).map_or_else(gone, |own| title(store, own).into_raw())))
    };
    file.lines.iter().filter_map(named).collect()
}

/// Returns what a step did to a file, by the act that undoes it.
fn step_file(path: &Path, back: &Act) -> Option<StepFile> {
    let (lines, titles, tags) = (Vec::new(), Vec::new(), Vec::new());
    let mut file = StepFile { path: path.to_text().into_owned(), gone: 0, come: 0, lines, titles, tags };
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
