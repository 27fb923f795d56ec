//! A store at one moment, as far as the tests compare it.

use super::*;

pub(super) struct Look {
    pub(super) files: Bytes,
    pub(super) folders: BTreeSet<PathBuf>,
    pub(super) ids: BTreeSet<String>,
    pub(super) tombstones: BTreeSet<String>,
    pub(super) problems: BTreeSet<(PathBuf, Code)>,
}

impl Look {
    pub(super) fn of(disk: &Faulty, format: &'static str) -> Look {
        let inside = |path: PathBuf| path.strip_prefix(ROOT).ok().map(Path::to_owned);
        let files = disk.files().into_iter().filter_map(|(path, bytes)| Some((inside(path)?, bytes)));
        let counts = |path: &Path| {
            let name = path.file_name().unwrap_or_default();
            !is_ours(name) && name != "lock" && name != ".lock"
        };
        let store = load(disk, format);
        Look {
            files: files.filter(|(path, _)| counts(path)).collect(),
            folders: disk.folders().into_iter().filter_map(inside).collect(),
            // An index does not have memories that a compaction removed from the log.
            tombstones: tombstones(&store).intersection(&ids(&store)).cloned().collect(),
            ids: ids(&store),
            problems: problems(&store),
        }
    }
}

pub(super) fn ids(store: &Store) -> BTreeSet<String> {
    let of = |entry| store.id(entry).map(str::to_owned);
    store.entries.iter().filter(|entry| entry.state != State::Broken).filter_map(of).collect()
}

pub(super) fn tombstones(store: &Store) -> BTreeSet<String> {
    let files = store.documents.iter().filter(|own| own.role == Role::Tombstones);
    let records = files.flat_map(|own| &own.records);
    records.filter_map(|record| record.id().map(str::to_owned)).collect()
}

pub(super) fn problems(store: &Store) -> BTreeSet<(PathBuf, Code)> {
    // The process of a stale lock is known only by its number, which the disk does not know.
    let own = store.problems.iter().filter(|problem| problem.code != Code::StaleLock);
    own.map(|problem| (problem.file.clone(), problem.code)).collect()
}

/// True for bytes that an interrupted append may leave: a part of the lines, with zeros for the rest.
pub(super) fn is_torn(torn: &[u8], lines: &[u8]) -> bool {
    torn.len() <= lines.len() && torn.iter().zip(lines).all(|(there, own)| there == own || *there == 0)
}

/// Returns a derived file without values of the moment, and without deleted memories.
pub(super) fn content(bytes: Option<&Vec<u8>>, deleted: &BTreeSet<String>) -> Option<Value> {
    let mut value: Value = serde_json::from_slice(bytes?).ok()?;
    tidy(&mut value, deleted);
    Some(value)
}

pub(super) fn tidy(value: &mut Value, deleted: &BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for name in ["last_updated", "current_relevance", "total_size_bytes", "total_storage_bytes"] {
                members.remove(name);
            }
            members.values_mut().for_each(|own| tidy(own, deleted));
            members.retain(|name, own| {
                !deleted.contains(name) && own.as_array().is_none_or(|own| !own.is_empty())
            });
        }
        Value::Array(items) => items.retain(|item| !item.as_str().is_some_and(|id| deleted.contains(id))),
        _ => {}
    }
}

pub(super) fn shown(bytes: Option<&Vec<u8>>) -> String {
    match bytes {
        None => "absent".into(),
        Some(bytes) => format!("{} bytes, ending in {:?}", bytes.len(), {
            let tail = &bytes[bytes.len().saturating_sub(60)..];
            String::from_utf8_lossy(tail).into_owned()
        }),
    }
}
