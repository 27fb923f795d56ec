//! Unpacks an archived session. Nothing in the archive is trusted before it is checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::logs::NewFile;
use super::new_session::check_name;
use super::session_archive::{is_lock, logs_of};
use crate::format::record_reader::object_of;
use crate::format::writing::{Refusal, Result};
use crate::model::PathText;
use crate::text::json_scanner::Tape;
use crate::text::unpack::gunzip;

/// The largest number of entries in an archive.
const ENTRIES: usize = 10_000;
/// The largest unpacked size, in bytes.
const UNPACKED: u64 = 64 << 20;
/// The largest ratio of unpacked to packed size.
const RATIO: u64 = 100;
/// The longest path in an archive, in bytes.
const LONGEST_PATH: usize = 1_024;
/// The largest number of parts in such a path.
const DEPTH: usize = 32;
/// The size of a block in bytes. Headers and files of an archive take up whole blocks.
const BLOCK: usize = 512;

fn broken(why: impl Display) -> Refusal {
    Refusal::corrupt(format!("The archive is broken: {why}."))
}

fn too_large(most: impl Display) -> Refusal {
    let lifted = "If you trust it, --allow-large lifts that limit.";
    Refusal::too_large(format!("The archive unpacks to more than {most}. {lifted}"))
}

/// Refuses a path that is absolute, leads up, is outside the session's folder, or is too long.
fn bad_path(path: &str) -> Refusal {
    Refusal::corrupt(format!("{path:?} in the archive is not a plain path within the session's folder."))
}

fn bad_manifest(why: &str) -> Refusal {
    Refusal::corrupt(format!("The archive's manifest can't be read: {why}"))
}

fn other_session(name: &str) -> Refusal {
    Refusal::corrupt(format!("The archive is of the session {name:?}."))
}

/// Returns the files of an archived session, without locks, with paths below its folder. `manifest`
/// is the one beside the archive; it must name this session and the right size. `allow_large` lifts
/// the limits of size, but no other check.
pub fn restore_session(
    session: &str,
    tar_gz: &[u8],
    manifest: Option<&[u8]>,
    allow_large: bool,
) -> Result<Vec<NewFile>> {
    check_name(session)?;
    let tar = unpacked(tar_gz, allow_large)?;
    let files = rooted(session, entries(&tar)?)?;
    let logs = logs_of(files.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice())));
    let own = files.get(Path::new("manifest.json"));
    if logs.is_empty() && own.is_none() {
        return Err(Refusal::corrupt("The archive holds nothing of a session."));
    }
    // The session's own manifest may be broken. The session was archived with this problem.
    if let Some(Ok((told, _))) = own.map(|bytes| claims(bytes)) {
        is_of(told.as_deref(), session)?;
    }
    if let Some(manifest) = manifest {
        let (told, size) = claims(manifest)?;
        if told.is_none() {
            return Err(bad_manifest("It names no session."));
        }
        is_of(told.as_deref(), session)?;
        let found: u64 = logs.iter().map(|log| log.bytes.len() as u64).sum();
        let whole: u64 = files.values().map(|bytes| bytes.len() as u64).sum();
        if let Some(told) = size.filter(|told| ![found, whole].contains(told)) {
            let message =
                format!("The manifest says that the session has {told} bytes, and the archive has {found}.");
            return Err(Refusal::corrupt(message));
        }
    }
    Ok(files.into_iter().filter(|(path, _)| !is_lock(session, path)).collect())
}

/// Refuses two entries with one path, or a file where another entry needs a folder.
fn twice(path: &str) -> Refusal {
    Refusal::corrupt(format!("{path:?} is in the archive twice."))
}

/// Returns the session and the size that a manifest names.
fn claims(manifest: &[u8]) -> Result<(Option<String>, Option<u64>)> {
    let mut tape = Tape::default();
    let object = object_of(&mut tape, manifest).map_err(|why| bad_manifest(&why))?;
    let session = object.get("session_id").and_then(|own| own.text()).map(Into::into);
    Ok((session, object.get("original_size_bytes").and_then(|size| size.count())))
}

fn is_of(told: Option<&str>, session: &str) -> Result<()> {
    told.filter(|own| *own != session).map_or(Ok(()), |own| Err(other_session(own)))
}

fn unpacked(tar_gz: &[u8], allow_large: bool) -> Result<Vec<u8>> {
    let dense = (tar_gz.len() as u64).saturating_mul(RATIO).max(1);
    let limit = if allow_large { u64::MAX } else { dense.min(UNPACKED) };
    let unpacked = gunzip(tar_gz, limit);
    match unpacked.fault {
        None => Ok(unpacked.content),
        Some(why) if (unpacked.content.len() as u64) < limit => Err(broken(why)),
        Some(_) if limit == UNPACKED => Err(too_large(format_args!("{UNPACKED} bytes"))),
        Some(_) => Err(too_large(format_args!("{RATIO} times its size"))),
    }
}

/// The parts of an entry's path, and its bytes if it is a file.
type ArchiveEntry<'a> = (Vec<String>, Option<&'a [u8]>);

fn entries(tar: &[u8]) -> Result<Vec<ArchiveEntry<'_>>> {
    // Blocks of zeros end an archive. An archive that was cut between two files lacks them.
    if !tar.last_chunk::<BLOCK>().is_some_and(|last| last.iter().all(|byte| *byte == 0)) {
        return Err(broken("its end is missing"));
    }
    let mut archive = tar::Archive::new(tar);
    let mut found = Vec::new();
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        if found.len() == ENTRIES {
            return Err(Refusal::too_large(format!("The archive has more than {ENTRIES} entries.")));
        }
        let path = entry.path_bytes().into_owned();
        let kind = entry.header().entry_type();
        if let Some(kind) = neither_file_nor_folder(kind) {
            let path = String::from_utf8_lossy(&path);
            let message = format!("{path:?} in the archive is {kind}; only files and folders are unpacked.");
            return Err(Refusal::corrupt(message));
        }
        let parts = parts(&path, kind.is_dir())?;
        let (start, size) = (entry.raw_file_position(), entry.size());
        let end = start.checked_add(size).filter(|end| *end <= tar.len() as u64);
        let Some(bytes) = end.and_then(|end| tar.get(start as usize..end as usize)) else {
            return Err(broken("it ends within a file"));
        };
        found.push((parts, (!kind.is_dir()).then_some(bytes)));
    }
    let mut rest = Vec::new();
    archive.into_inner().read_to_end(&mut rest).map_err(broken)?;
    if rest.iter().all(|byte| *byte == 0) { Ok(found) } else { Err(broken("something follows its end")) }
}

fn neither_file_nor_folder(kind: tar::EntryType) -> Option<&'static str> {
    use tar::EntryType;
    match kind {
        EntryType::Regular | EntryType::Directory => None,
        EntryType::Link | EntryType::Symlink => Some("a link"),
        EntryType::Char | EntryType::Block => Some("a device"),
        EntryType::Fifo => Some("a pipe"),
        _ => Some("of another kind"),
    }
}

/// Returns the parts of a path. Refuses a path that does not only lead down.
fn parts(path: &[u8], is_folder: bool) -> Result<Vec<String>> {
    let shown = path.get(..LONGEST_PATH).unwrap_or(path);
    let refused = || bad_path(&String::from_utf8_lossy(shown));
    let text = std::str::from_utf8(path).map_err(|_| refused())?;
    let hostile = |c: char| c == '\\' || c.is_control();
    if text.is_empty() || text.len() > LONGEST_PATH || text.starts_with('/') || text.contains(hostile) {
        return Err(refused());
    }
    let named = if is_folder { text.trim_end_matches('/') } else { text };
    let parts: Vec<&str> = named.split('/').filter(|part| *part != ".").collect();
    // A file needs a name. A folder may be `.`, the packed folder itself.
    let names_none = parts.is_empty() && !is_folder;
    if parts.len() > DEPTH || names_none || parts.iter().any(|part| part.is_empty() || *part == "..") {
        return Err(refused());
    }
    Ok(parts.into_iter().map(str::to_owned).collect())
}

/// Returns the files with paths below the session's folder. An archive has this folder for all
/// files or none.
fn rooted(session: &str, entries: Vec<ArchiveEntry<'_>>) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let inside = entries.iter().any(|(parts, _)| parts.first().is_some_and(|part| part == session));
    let at_top = entries.iter().any(|(parts, bytes)| parts.len() == 1 && bytes.is_some());
    let mut files: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for (parts, bytes) in entries {
        let mut own = parts.as_slice();
        if inside {
            own = match own.split_first() {
                Some((first, rest)) if first == session => rest,
                None => continue,
                _ => return Err(bad_path(&parts.join("/"))),
            };
        } else if !at_top && let Some(first) = own.first() {
            return Err(other_session(first));
        }
        let path: PathBuf = own.iter().collect();
        let twice = || twice(&parts.join("/"));
        match bytes {
            None => drop(folders.insert(path)),
            Some(_) if own.is_empty() => return Err(bad_path(&parts.join("/"))),
            Some(bytes) if files.insert(path, bytes.to_vec()).is_some() => return Err(twice()),
            Some(_) => {}
        }
    }
    // A path can't be both a file and a folder.
    let within = files.keys().flat_map(|path| path.ancestors().skip(1));
    let mut needed = folders.iter().flat_map(|path| path.ancestors()).chain(within);
    match needed.find(|path| files.contains_key(*path)) {
        Some(path) => Err(twice(&path.to_text())),
        None => Ok(files),
    }
}
