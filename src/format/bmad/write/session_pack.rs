//! Packs a session into an archive (§8.3).

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Component, Path};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::logs::{LogBytes, NewFile, stamp};
use super::manifest_build::{manifest, unreadable};
use super::new_session::check_name;
use super::session_unpack::restore_session;
use crate::format::Placement;
use crate::format::bmad::layout;
use crate::format::record_reader::edit_object;
use crate::format::writing::{Refusal, Result};
use crate::model::{Moment, PathText, Role, path_from_text};
use crate::text::json_edit::{apply, put, quoted};

/// Returns the archive of a session and its manifest, with paths relative to the root. The paths of
/// `files` are relative to the session's folder. Locks are not packed. The same files at the same
/// moment give the same bytes.
pub fn archive_session(session: &str, files: &[(&Path, &[u8])], now: Moment) -> Result<Vec<NewFile>> {
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
