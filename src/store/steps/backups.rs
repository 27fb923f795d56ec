//! Backups: copies in a store, and copies in our data.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use chrono::NaiveDateTime;

use crate::disk::put_new;
use crate::format::{self, Placement};
use crate::model::plan::count_with_noun;
use crate::model::{
    Act, BackupCheck, BackupCopy, BackupReason, ChangeKind, Document, JournalLine, Moment, PathText, Role,
    Store, Verb, path_from_text,
};
use crate::store::erase::original;
use crate::store::steps::retention::is_unfinished;
use crate::store::{CommitError, Vault};

/// Lists all backups of a store's files, newest first. Does not read their contents. Fails if our own data can't be
/// read: there may be more backups then.
pub fn list_backups(store: &Store, vault: &Vault<'_>) -> Result<Vec<BackupCopy>, CommitError> {
    let journal = vault.journal()?;
    let made = made(&journal);
    let mut found: Vec<BackupCopy> =
        store.documents.iter().filter_map(|own| in_store(store, own, &made)).collect();
    found.extend(vault.copies(&journal)?);
    found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.path.cmp(&b.path)));
    Ok(found)
}

/// For each file that a step created: the step, its verb, and its length in bytes after our last step.
type FileCreators<'j> = HashMap<&'j Path, (u64, &'j Verb, u64)>;

fn made(journal: &[JournalLine]) -> FileCreators<'_> {
    let mut made = FileCreators::new();
    for line in journal.iter().filter(|line| line.turn.is_none()) {
        for file in &line.files {
            if file.change == ChangeKind::Create {
                made.insert(&*file.path, (line.step, &line.verb, file.bytes_after));
            } else if let Some((.., len)) = made.get_mut(&*file.path) {
                // An erasure also removes memories from backups.
                *len = file.bytes_after;
            }
        }
    }
    made
}

fn in_store(store: &Store, document: &Document, made: &FileCreators<'_>) -> Option<BackupCopy> {
    let name = document.path.file_name()?.to_text();
    let stamp = match name.split_once(".backup") {
        Some((_, stamp)) => stamp,
        None => name.split_once(".bak")?.1,
    };
    let file = copied(&document.path);
    // A backup's name alone proves nothing: the original must be a file of the format.
    let has_original = || store.documents.iter().any(|own| own.path == file && own.role != Role::Other);
    if document.role != Role::Backup && !(document.role == Role::Other && has_original()) {
        return None;
    }
    let own = made.get(&*document.path);
    Some(BackupCopy {
        path: document.path.clone(),
        file,
        at: stamp.strip_prefix('.').and_then(moment),
        bytes: document.len,
        reason: match own {
            Some((_, Verb::BackupCreate, _)) => BackupReason::ByHand,
            Some((step, verb, _)) => BackupReason::Before((*verb).clone(), *step),
            None => BackupReason::Format,
        },
        made: own.map(|(step, _, len)| (*step, *len)),
    })
}

/// Returns the path of the original: beside the backup, or beside the `.backup` folder.
fn copied(path: &Path) -> PathBuf {
    let own = original(path);
    match path.parent() {
        Some(folder) if folder.ends_with(".backup") => {
            let around = folder.parent().unwrap_or_else(|| Path::new(""));
            around.join(own.file_name().unwrap_or_default())
        }
        _ => own,
    }
}

/// Returns the time in a backup's name: its first 14 digits, `YYYYMMDD_HHMMSS`.
fn moment(stamp: &str) -> Option<Moment> {
    let digits: String = stamp.chars().filter(char::is_ascii_digit).take(14).collect();
    let digits = Some(digits).filter(|digits| digits.len() == 14)?;
    let time = NaiveDateTime::parse_from_str(&digits, "%Y%m%d%H%M%S").ok()?;
    Some(Moment(time.and_utc().timestamp_micros()))
}

/// Bytes that were removed from a file and are kept in quarantine.
pub struct QuarantinedPiece {
    /// Where it is kept.
    pub path: PathBuf,
    /// The file that they were removed from.
    pub file: PathBuf,
    /// When they were removed, if the name says so.
    pub at: Option<Moment>,
    /// The step that removed them, or the erasure during which they came, if known.
    pub step: Option<u64>,
}

impl Vault<'_> {
    /// Copies a file of the store into our data, durably.
    pub fn copy(&self, file: &Path, bytes: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        self.put("backups", file, bytes, now)
    }

    /// Keeps bytes that leave the store, unchanged and durably.
    pub fn quarantine(
        &self,
        file: &Path,
        (at, step): (u64, Option<u64>),
        bytes: &[u8],
        now: Moment,
    ) -> Result<PathBuf, CommitError> {
        let step = step.map(|step| format!("+{step}")).unwrap_or_default();
        let name = format!("{}@{at}{step}", file.to_text());
        self.put("quarantine", &path_from_text(&name), bytes, now)
    }

    /// Adds the number of the step that removed the bytes to the name of a quarantined file. Fails if the file can't
    /// be renamed: only the number is lost.
    pub fn quarantined_by(&self, kept: &Path, step: u64) -> Result<(), CommitError> {
        let name = kept.file_name().and_then(|name| name.to_str());
        let Some((name, stamp)) = name.and_then(|name| name.rsplit_once(".backup.")) else { return Ok(()) };
        let to = kept.with_file_name(format!("{name}+{step}.backup.{stamp}"));
        self.disk.rename(kept, &to).map_err(|error| CommitError::own_data(&to, error))
    }

    /// Lists the quarantined pieces, oldest first.
    pub fn quarantined(&self) -> Result<Vec<QuarantinedPiece>, CommitError> {
        let folder = self.path("quarantine");
        let items = self.items("quarantine")?.into_iter();
        let own = items.filter(|item| !is_unfinished(Path::new(&item.name))).filter_map(|item| {
            let (name, stamp) = item.name.to_str()?.rsplit_once(".backup.")?;
            let (name, place) = name.rsplit_once('@').unwrap_or((name, ""));
            let file = file_in_name(name);
            let step = place.split_once('+').and_then(|(_, step)| step.parse().ok());
            Some(QuarantinedPiece { path: folder.join(&item.name), file, at: moment(stamp), step })
        });
        let mut found: Vec<_> = own.collect();
        found.sort_by(|a, b| (a.at, &a.path).cmp(&(b.at, &b.path)));
        Ok(found)
    }

    /// Keeps a text that could not be saved.
    pub fn draft(&self, name: &Path, text: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        self.put("drafts", name, text, now)
    }

    fn put(&self, folder: &str, file: &Path, bytes: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        let folder = self.folder(folder)?;
        let name = file.to_text().replace('%', "%25").replace('/', "%2F");
        let stamp = now.to_pattern("%Y%m%d_%H%M%S");
        for number in 0..1000 {
            let suffix = if number == 0 { String::new() } else { format!("_{number}") };
            let path = folder.join(format!("{name}.backup.{stamp}{suffix}"));
            match self.write_as(&path, bytes, |temp| put_new(self.disk, temp, &path)) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                outcome => {
                    return outcome
                        .map(|()| path.clone())
                        .map_err(|error| CommitError::own_data(&path, error));
                }
            }
        }
        Err(CommitError::own_data(&folder, std::io::ErrorKind::AlreadyExists.into()))
    }

    fn copies(&self, journal: &[JournalLine]) -> Result<Vec<BackupCopy>, CommitError> {
        let folder = self.path("backups");
        let items = self.items("backups")?;
        let made = copied_first(journal);
        let copy = |item: &crate::disk::Item| {
            if is_unfinished(Path::new(&item.name)) {
                return None;
            }
            let (name, stamp) = item.name.to_str()?.rsplit_once(".backup.")?;
            let file = file_in_name(name);
            let at = moment(stamp);
            let step = at.and_then(|at| made.get(&(second(at), &*file)));
            let reason =
                step.map_or(BackupReason::ByHand, |step| BackupReason::Before(Verb::BackupRestore, *step));
            let path = folder.join(&item.name);
            Some(BackupCopy { path, file, at, bytes: item.generation.len, reason, made: None })
        };
        Ok(items.iter().filter_map(copy).collect())
    }
}

/// Returns the path that `put` wrote as a name.
pub fn file_in_name(name: &str) -> PathBuf {
    path_from_text(&name.replace("%2F", "/").replace("%25", "%"))
}

fn second(when: Moment) -> i64 {
    when.0.div_euclid(1_000_000)
}

/// Returns the steps that copied a file first, by the second in the backup's name and the file.
fn copied_first(journal: &[JournalLine]) -> HashMap<(i64, &Path), u64> {
    let lines = journal.iter().rev().filter(|line| line.verb == Verb::BackupRestore && line.turn.is_none());
    let timed = lines.filter_map(|line| Some((line, second(Moment::parse(&line.at)?.0))));
    timed.flat_map(|(line, at)| line.files.iter().map(move |own| ((at, &*own.path), line.step))).collect()
}

/// Checks that the bytes are the copied ones, if those are known, and that the format can read all.
pub fn verify_backup(
    (copy, bytes): (&BackupCopy, &[u8]),
    store: &Store,
    vault: &Vault<'_>,
    now: Moment,
) -> BackupCheck {
    let wrong = |found: String| BackupCheck { is_whole: false, found };
    if let Some((_, len)) = copy.made.filter(|(_, len)| *len != bytes.len() as u64) {
        return wrong(format!("it has {} bytes, and had {len} when it was made", bytes.len()));
    }
    let same = is_as_kept(copy, vault, bytes);
    if same == Some(false) {
        return wrong("its bytes are not the ones that were copied".into());
    }
    let known = if same.is_some() { "the bytes that were copied, " } else { "" };
    match reads(store, &copy.file, bytes, now) {
        Ok(records) => BackupCheck {
            is_whole: true,
            found: format!("{known}{}", count_with_noun(records as u64, "memory")),
        },
        Err(broken) => wrong(format!("{known}{}", count_with_noun(broken as u64, "broken memory"))),
    }
}

/// True if these are the bytes that the step copied; `None` if the copied bytes are not known, or an erasure changed the
/// copy since.
fn is_as_kept(copy: &BackupCopy, vault: &Vault<'_>, bytes: &[u8]) -> Option<bool> {
    let number = match (&copy.reason, copy.made) {
        (_, Some((number, _))) => number,
        (BackupReason::Before(_, number), None) => *number,
        _ => return None,
    };
    let is_of_copy = |line: &JournalLine| line.files.iter().any(|own| own.path == copy.path);
    let journal = vault.journal().ok()?;
    if journal.iter().any(|line| line.step > number && line.verb.is_erasure() && is_of_copy(line)) {
        return None;
    }
    let step = vault.step(number).ok().flatten()?;
    step.changes.iter().filter(|change| change.path == copy.path).find_map(|change| match &change.act {
        Act::Remove(was) => Some(**was == *bytes),
        _ => None,
    })
}

/// Returns the number of records in a copy of `file`, or the number of broken ones.
fn reads(store: &Store, file: &Path, copy: &[u8], now: Moment) -> Result<usize, usize> {
    let Some(format) = format::by_name(store.format) else { return Ok(0) };
    let role = match format.place(file, false) {
        Placement::File(role) => role,
        _ => Role::Records,
    };
    let records = format.read(role, file, copy, now).records;
    let broken = records.iter().filter(|record| record.memory().is_none()).count();
    if broken > 0 { Err(broken) } else { Ok(records.len()) }
}
