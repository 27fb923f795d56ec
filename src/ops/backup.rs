//! `backup`: copies, what they have and the files lack, and bringing that back.

use std::collections::HashSet;
use std::path::Path;

use super::erase::Gone;
use super::{Refusal, Scene, backups, base, check, plan, writes};
use crate::format::writing::document;
use crate::model::{Change, Document, Plan, Role, Store};

/// The documents that are worth a copy: all that holds memories, whole.
pub fn worth(store: &Store) -> impl Iterator<Item = &Document> {
    let wanted = |document: &&Document| {
        let packed = document.path.to_string_lossy().ends_with(".gz")
            || document.path.to_string_lossy().contains("!/");
        matches!(document.role, Role::Records | Role::Tombstones | Role::Metadata | Role::Config) && !packed
    };
    store.documents.iter().map(|document| &**document).filter(wanted)
}

/// Copies of the live files, where the format keeps such.
pub fn create(scene: &Scene<'_>) -> Result<Option<Plan>, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let files: Vec<&Document> = worth(scene.store).collect();
    let copies = writes.backups(scene.store, &files, scene.now);
    if copies.is_empty() {
        return Ok(None);
    }
    plan("backup create", scene, 0, copies).map(Some)
}

/// A record of a backup that the file lacks, or has otherwise.
#[derive(Clone, Debug)]
pub struct Missing {
    /// Its id.
    pub id: Option<String>,
    /// Its line in the backup.
    pub line: u32,
    /// `missing` or `changed`.
    pub change: &'static str,
    /// Its bytes.
    pub raw: Vec<u8>,
}

/// What a copy of `file` has and the file lacks, in its order. What a tombstone names is
/// not missing, and what was erased never comes back.
pub fn missing(scene: &Scene<'_>, file: &Path, copy: &[u8], gone: &Gone) -> Result<Vec<Missing>, Refusal> {
    let (format, _) = writes(scene.store)?;
    let now = document(&scene.store.documents, file);
    let lines: HashSet<&[u8]> =
        now.into_iter().flat_map(|own| own.records.iter().map(|r| own.raw(r))).collect();
    let every = scene.store.documents.iter().flat_map(|own| &own.records);
    let ids: HashSet<&str> = every.filter_map(|record| record.view()?.id.as_deref()).collect();
    let reading = format.read(Role::Records, file, copy, scene.now);
    let erased = gone.wanted(scene);
    let mut found = Vec::new();
    for record in &reading.records {
        let raw = copy.get(record.span.start as usize..record.span.end as usize).unwrap_or_default();
        if lines.contains(raw) || erased.as_ref().is_some_and(|own| own.takes(file, raw, record.view(), None))
        {
            continue;
        }
        let id = record.view().and_then(|view| view.id.as_deref());
        let change = if id.is_some_and(|id| ids.contains(id)) { "changed" } else { "missing" };
        found.push(Missing { id: id.map(str::to_owned), line: record.line, change, raw: raw.to_vec() });
    }
    Ok(found)
}

/// Brings back the records named, or all that the file lacks: at its end, as they were.
pub fn restore(
    scene: &Scene<'_>,
    file: &Path,
    copy: &[u8],
    ids: &[String],
    gone: &Gone,
) -> Result<Plan, Refusal> {
    let all = missing(scene, file, copy, gone)?;
    let wanted = |own: &&Missing| match ids.is_empty() {
        true => own.change == "missing" && own.id.is_some(),
        false => own.id.as_ref().is_some_and(|id| ids.contains(id)) && own.change == "missing",
    };
    let own: Vec<&Missing> = all.iter().filter(wanted).collect();
    let mut lines = Vec::new();
    for record in &own {
        lines.extend(record.raw.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }));
        lines.push(b'\n');
    }
    let stands = document(&scene.store.documents, file).map(base);
    let changes = vec![Change::append(file, lines, stands)];
    let plan = plan("backup restore", scene, own.len(), changes)?;
    check(scene, &plan)?;
    Ok(plan)
}

/// The whole file as it was, but for what was erased since.
pub fn replace(scene: &Scene<'_>, file: &Path, copy: &[u8], gone: &Gone) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let count = missing(scene, file, copy, gone)?.len();
    let copy = &gone.without(scene, file, copy)[..];
    let change = match document(&scene.store.documents, file) {
        Some(now) => Change::rewrite(file, base(now), copy),
        None => Change::create(file, copy),
    };
    let mut all = backups(scene, writes, std::slice::from_ref(&change));
    all.push(change);
    plan("backup restore", scene, count, all)
}
