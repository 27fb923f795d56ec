//! Where values are that are to be erased, and which names forbid it.

use crate::detectors::MASK;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::disk::host::Host;
use crate::disk::{Disk, ItemKind};
use crate::model::{Change, Document, Entry, PathText, Plan, Role, Store};
use crate::ops::Refusal;
use crate::store::erase::{ErasedValues, is_log_or_copy};
use crate::store::write::scrub::files_with;
use crate::store::{FileCompression, Vault};

/// The file of the saved rules of clean-ups, in palimp's own data.
pub const RULES_FILE: &str = "clean-up-rules.json";

/// Refuses values that a saved rule holds: the rule would keep them.
pub fn refuse_rules(host: Host<'_>, values: &ErasedValues) -> Result<(), Refusal> {
    let path = host.data.join(RULES_FILE);
    let has = || host.disk.read(&path, 0, None).is_ok_and(|(bytes, _)| values.any(&bytes));
    if values.is_empty() || !has() {
        return Ok(());
    }
    Err(Refusal::unfit(
        "a saved rule holds the value: `palimp forget --rules` lists them, and --remove-rule NAME removes one.",
    ))
}

/// At most this many files are named.
const NAMED: usize = 20;

/// Refuses values that are part of a name, or a word of the format: an erasure keeps these.
pub fn refuse_names(disk: &dyn Disk, store: &Store, values: &ErasedValues) -> Result<(), Refusal> {
    if values.is_empty() {
        return Ok(());
    }
    let has = |name: &str| values.any(name.as_bytes());
    let is_file = || names_below(disk, &store.root, 0, &has);
    let is_session = || store.sessions.iter().any(|own| has(&own.name));
    let id = || {
        let ids = store.entries.iter().filter_map(|entry| Some((entry, store.id(entry)?)));
        ids.into_iter().find(|(_, id)| has(id)).map(|(entry, _)| store.key(entry))
    };
    let what = match () {
        () if is_file() => "the name of a file, a folder or a link in the store".to_owned(),
        () if is_session() => "the name of a session".to_owned(),
        () => match id() {
            Some(key) => format!("the id of the memory {key}"),
            None if values.are_names() && is_word(store, values) => {
                return Err(Refusal::unfit("the value is a word of the format, and other memories need it."));
            }
            None => return Ok(()),
        },
    };
    Err(Refusal::unfit(format!("{what} holds the value, and an erasure keeps names: change the name first.")))
}

/// True if a name below a folder, or the target of a link, has a value.
fn names_below(disk: &dyn Disk, folder: &Path, depth: usize, has: &dyn Fn(&str) -> bool) -> bool {
    let items = if depth < DEPTH { disk.list(folder).unwrap_or_default() } else { Vec::new() };
    items.iter().filter(|item| item.name != ".git").any(|item| {
        let is_named = |name: &Path| has(&name.to_text());
        is_named(Path::new(&item.name))
            || item.link.iter().flatten().any(|to| is_named(to))
            || item.kind == ItemKind::Folder
                && item.link.is_none()
                && names_below(disk, &folder.join(&item.name), depth + 1, has)
    })
}

/// Folders nested deeper are not looked into: the search reports them.
const DEPTH: usize = 64;

/// True if a value is the type of a memory, or the name of a member of a document or a memory. Of an index, the rebuilt one
/// shows it: the index has words of memories as names.
fn is_word(store: &Store, values: &ErasedValues) -> bool {
    let is_kind =
        |entry: &Entry| store.memory(entry).is_some_and(|memory| values.is_value(memory.kind().as_bytes()));
    let is_asked = |own: &Document| own.role != Role::Index && !is_log_or_copy(&own.path);
    let mut documents = store.documents.iter().filter(|own| is_asked(own));
    store.entries.iter().any(|own| is_kind(own) || values.are_names_in(&store.raw(own)))
        || documents.any(|own| values.are_names_in(&own.bytes))
}

/// Returns the path of a file that the format keeps beside the store.
pub fn path_beside(store: &Store, relative: &Path) -> PathBuf {
    store.root.parent().unwrap_or(&store.root).join(relative)
}

/// A file that holds a value.
pub struct FileWithValue {
    /// Its path: relative, if it is in the store.
    path: PathBuf,
    /// True if it is in the store, and the value can't be masked in it.
    is_binary: bool,
}

impl FileWithValue {
    /// Returns its path as text. Untrusted text.
    pub fn name(&self) -> String {
        self.path.to_text().into_owned()
    }
}

/// Returns the files that hold a value now, in the store and in palimp's data about it, and lines about those that could
/// not be searched.
pub fn places(host: Host<'_>, store: &Store, values: &ErasedValues) -> (Vec<FileWithValue>, Vec<String>) {
    if values.is_empty() {
        return Default::default();
    }
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let [within, own] = [&store.root, &vault.path("")].map(|folder| files_with(host.disk, folder, values));
    let beside = store.outside_files.iter().map(|(path, _)| path_beside(store, path));
    let beside =
        beside.filter(|path| host.disk.read(path, 0, None).is_ok_and(|(bytes, _)| values.any(&bytes)));
    let all = within.0.into_iter().chain(beside).chain(own.0);
    let place = |path: PathBuf| {
        let is_binary = path.starts_with(&store.root) && stays_in(host.disk, &path, values);
        FileWithValue { path: path.strip_prefix(&store.root).unwrap_or(&path).to_owned(), is_binary }
    };
    (all.map(place).collect(), [within.1, own.1].concat())
}

/// True if a value can't be masked in a file. A packed file is unpacked first.
fn stays_in(disk: &dyn Disk, path: &Path, values: &ErasedValues) -> bool {
    let read = || disk.read(path, 0, None).ok();
    FileCompression::of(path).is_none()
        && !is_log_or_copy(path)
        && read().is_some_and(|(bytes, _)| values.any(&bytes) && values.masked(&bytes).is_none())
}

/// Returns lines about the places, and about the values that are masked where they are.
pub fn lines(plan: &Plan, places: &[FileWithValue]) -> Vec<String> {
    let masks = [MASK.to_owned(), MASK.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect()];
    let found = |bytes: &[u8], mask: &str| memchr::memmem::find_iter(bytes, mask.as_bytes()).count();
    let count = |bytes: &[u8]| masks.iter().map(|mask| found(bytes, mask)).sum::<usize>();
    let is_masked = |change: &Change| {
        let before = change.base.as_ref().map_or(0, |own| count(own));
        change.after().is_some_and(|after| count(&after) > before)
    };
    let masked = plan.all().filter(|change| is_masked(change));
    let mut lines: Vec<String> =
        masked.map(|change| format!("mask the value in {}", change.path.to_text())).collect();
    if !places.is_empty() {
        lines.push(format!(
            "the value is in {}:",
            crate::model::plan::count_with_noun(places.len() as u64, "file")
        ));
        let changes: HashSet<&Path> = plan.all().map(|own| &*own.path).collect();
        let stays = |own: &FileWithValue| own.is_binary && !changes.contains(&*own.path);
        // Only the first are named to people.
        let (binary, others): (Vec<_>, Vec<_>) = places.iter().partition(|own| stays(own));
        let keeps = |own: &&FileWithValue| format!("  {}: it is no text, and keeps the value", own.name());
        let named = binary.iter().map(keeps).chain(others.iter().map(|own| format!("  {}", own.name())));
        lines.extend(named.take(NAMED));
        lines.extend((places.len() > NAMED).then(|| format!("  and {} more", places.len() - NAMED)));
    }
    lines
}
