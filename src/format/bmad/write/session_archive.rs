//! Archives sessions as a whole, and brings them back (§8.3).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::{Bmad, layout};
use super::index_build::index;
use super::logs::LogBytes;
use super::manifest_build::manifest;
use super::session_pack;
use super::session_unpack::restore_session;
use crate::format::live_session::live_session;
use crate::format::writing::{ChangesResult, Refusal, RefusalList, Result, WriteContext, document};
use crate::model::{Change, Code, Document, Entry, Moment, PathText, Role, State, Store, path_from_text};
use crate::text::json_edit::{remove, set};
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
    let made = session_pack::archive_session(name, &bytes, context.now)?;
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
        files.push((MANIFEST.into(), live_manifest(&own.bytes)?));
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

fn live_manifest(archived: &[u8]) -> Result<Vec<u8>> {
    let mut manifest = archived.to_vec();
    for name in ["archived_at", "original_size_bytes", "compressed_size_bytes"] {
        manifest = remove(&manifest, &[name])?;
    }
    Ok(manifest)
}

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
