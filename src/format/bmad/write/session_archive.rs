//! Archives sessions as a whole, and brings them back (§8.3).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Component, Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::super::{Bmad, layout};
use super::index_build::index;
use super::logs::{LogBytes, NewFile, stamp};
use super::manifest_build::{manifest, unreadable};
use super::new_session::check_name;
use super::session_unpack::restore_session;
use crate::format::record_reader::edit_object;
use crate::format::writing::{ChangesResult, Refusal, RefusalList, Result, WriteContext, document};
use crate::format::{Placement, live_session};
use crate::model::{Change, Code, Document, Entry, Moment, PathText, Role, State, Store, path_from_text};
use crate::text::json_edit::{apply, put, quoted, remove, set};
use crate::text::shell_quote;
use crate::text::unpack::TarMember;

/// Archives the sessions of these records. They must be all live records of each session.
pub fn archive(context: &WriteContext<'_>, entries: &[Entry]) -> ChangesResult {
    let store = context.store;
    let chosen: BTreeSet<u32> = entries.iter().filter_map(|entry| entry.session).collect();
    let mut changes: Vec<Change> = Vec::new();
    let mut faults = RefusalList::default();
    for number in chosen {
        let is_own = |entry: &&Entry| entry.session == Some(number) && entry.state == State::Live;
        let all = store.entries.iter().filter(is_own).count();
        let own: BTreeSet<(u32, u32)> =
            entries.iter().filter(is_own).map(|entry| (entry.document, entry.record)).collect();
        let Some(session) = store.sessions.get(number as usize) else { continue };
        if own.len() < all {
            let refusal = Refusal::unfit(format!(
                "only whole sessions are archived, and these are {} of the {all} memories of {}. \
                 `palimp session archive {}` archives all of them.",
                own.len(),
                session.name,
                shell_quote::word(&session.name)
            ));
            faults.refuse(entries.iter().filter(is_own).copied().collect(), refusal);
            continue;
        }
        for change in archive_session(context, &session.name)? {
            let is_there = changes.iter().any(|known| known.path == change.path);
            changes.extend((!is_there).then_some(change));
        }
    }
    faults.finish()?;
    Ok(changes)
}

/// Makes the archive and its manifest, then removes the session's files and folder.
pub fn archive_session(context: &WriteContext<'_>, name: &str) -> ChangesResult {
    let folder = &live_session(&Bmad, context.store, name)?.path;
    no_stranger(context.store, folder)?;
    let mut packed: Vec<(&Path, &Document)> = Vec::new();
    for file in context.store.documents.iter().filter(|own| own.role != Role::Lock) {
        let Ok(path) = file.path.strip_prefix(folder) else { continue };
        if file.offset > 0 || file.bytes.len() as u64 != file.len || file.role == Role::Temp {
            return Err(stays(&file.path, "was not read"));
        }
        packed.push((path, file));
    }
    let bytes: Vec<(&Path, &[u8])> = packed.iter().map(|(path, file)| (*path, &*file.bytes)).collect();
    let made = packed_session(name, &bytes, context.now)?;
    if let Some((path, _)) = made.iter().find(|(path, _)| document(&context.store.documents, path).is_some())
    {
        return Err(Refusal::unfit(format!(
            "{} already exists: bring it back or move it away first.",
            path.to_text()
        )));
    }
    let has_room = context.store.documents.iter().any(|own| own.path.starts_with("archive"));
    let room = (!has_room).then(|| Change::make_folder("archive"));
    let made = made.into_iter().map(|(path, bytes)| Change::create(path, bytes));
    let removed = packed.into_iter().map(|(_, file)| Change::remove(&file.path, file.bytes.clone()));
    Ok(room.into_iter().chain(made).chain(removed).chain([Change::remove_folder(folder)]).collect())
}

/// Refuses files that the format does not know: they would stay behind in the session's folder.
fn no_stranger(store: &Store, folder: &Path) -> Result<()> {
    let is_below = |file: &Path| file != folder && file.starts_with(folder);
    let mut below = store.problems.iter().filter(|problem| is_below(&problem.file));
    match below.find(|problem| document(&store.documents, &problem.file).is_none()) {
        Some(problem) if problem.code == Code::NotARegularFile => {
            Err(stays(&problem.file, "is not a regular file"))
        }
        Some(problem) => Err(stays(&problem.file, "is none of the session's files")),
        None => Ok(()),
    }
}

fn stays(file: &Path, why: &str) -> Refusal {
    Refusal::unfit(format!("{} {why}, and would not be archived: move it away first.", file.to_text()))
}

/// Makes the session's files, then removes the archive and its manifest.
pub fn unarchive_session(
    context: &WriteContext<'_>,
    name: &str,
    allow_large: bool,
    packed: &[u8],
) -> ChangesResult {
    let documents = &context.store.documents;
    let [archive, manifest] = layout::archive_files(name);
    if document(documents, &archive).is_none() {
        return Err(Refusal::no_session(name));
    }
    let folder = Path::new("sessions").join(path_from_text(name));
    if documents.iter().any(|own| own.path.starts_with(&folder)) {
        return Err(Refusal::unfit(format!(
            "the session {name} is there as a folder too, which would be overwritten: archive it under another name, or delete it, first."
        )));
    }
    let manifest = document(documents, &manifest);
    let mut files = restore_session(name, packed, manifest.map(|own| &*own.bytes), allow_large)?;
    // Some archivers leave it out. Then only the one beside the archive exists.
    if let Some(own) = manifest.filter(|_| !files.iter().any(|(path, _)| path == Path::new(MANIFEST))) {
        let only_archived = ["archived_at", "original_size_bytes", "compressed_size_bytes"];
        let live = only_archived.iter().try_fold(own.bytes.to_vec(), |live, name| remove(&live, &[*name]))?;
        files.push((MANIFEST.into(), live));
    }
    let paths = files.iter().map(|(path, _)| folder.join(path));
    let within: BTreeSet<PathBuf> =
        paths.flat_map(|path| path.ancestors().skip(1).map(Path::to_owned).collect::<Vec<_>>()).collect();
    let folders = within.into_iter().filter(|path| path.starts_with(&folder)).map(Change::make_folder);
    let made = files.into_iter().map(|(path, bytes)| Change::create(folder.join(path), bytes));
    let removed = [Change::remove(archive, packed.into())];
    let manifest = manifest.map(|own| Change::remove(&own.path, own.bytes.clone()));
    Ok(folders.chain(made).chain(removed).chain(manifest).collect())
}

const MANIFEST: &str = "manifest.json";

/// Rebuilds index and manifest inside a session's archive from its logs.
pub fn rederived(archive: &Path, members: &mut [TarMember], now: Moment) -> Result<()> {
    let Some((session, _)) = layout::session_of(archive) else { return Ok(()) };
    let of = |members: &[TarMember], name: &str| members.iter().position(|own| own.path.ends_with(name));
    for name in ["index.json", "manifest.json"] {
        let Some(at) = of(members, name) else { continue };
        let logs = logs_within(members);
        let current = &members[at].bytes;
        let new = match name {
            "index.json" => index(Some(current), &session, &logs, now),
            _ => manifest(Some(current), &session, &logs, now, false)?,
        };
        members[at].bytes = new;
    }
    Ok(())
}

fn logs_within(members: &[TarMember]) -> Vec<LogBytes<'_>> {
    members.iter().filter_map(|own| LogBytes::new(&own.path, &own.bytes)).collect()
}

/// Corrects counts and sizes in the manifest beside an archive.
pub fn beside_archive(
    context: &WriteContext<'_>,
    archive: &Path,
    members: &[TarMember],
    len: u64,
) -> ChangesResult {
    let Some((session, _)) = layout::session_of(archive) else { return Ok(Vec::new()) };
    let path = archive.with_file_name(format!("{session}.manifest.json"));
    let Some(own) = document(&context.store.documents, &path) else { return Ok(Vec::new()) };
    let logs = logs_within(members);
    let size: usize = members
        .iter()
        .filter(|own| LogBytes::new(&own.path, &own.bytes).is_some())
        .map(|own| own.bytes.len())
        .sum();
    let counted = manifest(Some(&own.bytes), &session, &logs, context.now, false)?;
    let sized = set(&counted, &["original_size_bytes"], &size.to_string())?;
    let sized = set(&sized, &["compressed_size_bytes"], &len.to_string())?;
    Ok(vec![Change::rewrite(path, own.bytes.clone(), sized)])
}

/// Returns the archive of a session and its manifest, with paths relative to the root. The paths of
/// `files` are relative to the session's folder. Locks are not packed. The same files at the same
/// moment give the same bytes.
pub fn packed_session(session: &str, files: &[(&Path, &[u8])], now: Moment) -> Result<Vec<NewFile>> {
    check_name(session)?;
    let mut packed: BTreeMap<&Path, &[u8]> = BTreeMap::new();
    for &(path, bytes) in files.iter().filter(|(path, _)| !is_lock(session, path)) {
        let refused = || {
            let path = path.to_text();
            let message = "can't be archived: it does not name a file of its own below the session.";
            Err(Refusal::unfit(format!("{path:?} {message}")))
        };
        let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        if !plain || path.as_os_str().is_empty() || packed.insert(path, bytes).is_some() {
            return refused();
        }
        // A path can't be both a file and a folder.
        if path.ancestors().skip(1).any(|folder| files.iter().any(|(other, _)| *other == folder)) {
            return refused();
        }
    }
    let logs = logs_of(packed.iter().map(|(path, bytes)| (*path, *bytes)));
    let size: usize = logs.iter().map(|log| log.bytes.len()).sum();
    let tar_gz = pack(session, &packed, now).map_err(|error| lost(&error.to_string()))?;
    let stored = packed.get(Path::new("manifest.json")).copied();
    let stored = match stored {
        Some(stored) => stored.to_vec(),
        None => manifest(None, session, &logs, now, false)?,
    };
    let members = [
        ("archived_at", quoted(&stamp(now))),
        ("original_size_bytes", size.to_string()),
        ("compressed_size_bytes", tar_gz.len().to_string()),
    ];
    let archived =
        edit_object(&stored, |body, object| apply(body, put(object, &members))).map_err(unreadable)?;
    // Archiving removes the session's folder. So the archive must restore exactly the same files.
    let back =
        restore_session(session, &tar_gz, Some(&archived), true).map_err(|refusal| lost(&refusal.message))?;
    let same = back.iter().map(|(path, bytes)| (path.as_path(), bytes.as_slice()));
    if !same.eq(packed) {
        return Err(lost("Its archive would unpack to other files."));
    }
    let [packed, beside] = layout::archive_files(session);
    Ok(vec![(packed, tar_gz), (beside, archived)])
}

fn lost(why: &str) -> Refusal {
    Refusal::unfit(format!("The session can't be archived: {why}"))
}

pub(super) fn logs_of<'a>(files: impl Iterator<Item = (&'a Path, &'a [u8])>) -> Vec<LogBytes<'a>> {
    let top = files.filter(|(path, _)| path.components().count() == 1);
    top.filter_map(|(path, bytes)| LogBytes::new(path, bytes)).collect()
}

/// True if a path below a session's folder is a lock. Locks belong to a process, not to the session.
pub(super) fn is_lock(session: &str, path: &Path) -> bool {
    let path = Path::new("sessions").join(path_from_text(session)).join(path);
    layout::place(&path, false) == Placement::File(Role::Lock)
}

fn pack(session: &str, files: &BTreeMap<&Path, &[u8]>, now: Moment) -> std::io::Result<Vec<u8>> {
    let mut tar = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::default()));
    for (path, bytes) in files {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(u64::try_from(now.0.div_euclid(1_000_000)).unwrap_or_default());
        tar.append_data(&mut header, path_from_text(session).join(path), *bytes)?;
    }
    let mut gzip = tar.into_inner()?;
    gzip.flush()?;
    gzip.finish()
}
