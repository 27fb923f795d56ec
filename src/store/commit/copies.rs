//! Backups: those in a store's own folder for them, and those in our data.

use std::path::{Path, PathBuf};

use super::{CommitError, Vault};
use crate::model::plan::PRIVATE;
use crate::model::{Moment, Role, Store};

/// A copy of a file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copy {
    /// Where it stands: relative to the store's root, or whole where it is in our data.
    pub path: PathBuf,
    /// The file that it is a copy of, relative to the store's root.
    pub file: PathBuf,
    /// When it was made, if its name says so.
    pub at: Option<Moment>,
    /// Its length.
    pub bytes: u64,
}

/// Every copy of a store's files, the newest first.
pub fn copies(store: &Store, vault: &Vault<'_>) -> Vec<Copy> {
    let own = store.documents.iter().filter(|document| document.role == Role::Backup);
    let mut found: Vec<Copy> = own
        .filter_map(|document| {
            let name = document.path.file_name()?.to_str()?;
            let (file, stamp) = name.split_once(".backup")?;
            let at = stamp.strip_prefix('.').and_then(moment);
            Some(Copy { path: document.path.clone(), file: file.into(), at, bytes: document.len })
        })
        .collect();
    found.extend(vault.copies());
    found.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.path.cmp(&b.path)));
    found
}

/// The time in a name: `YYYYMMDD_HHMMSS`, whatever follows it.
fn moment(stamp: &str) -> Option<Moment> {
    let digits: Vec<char> = stamp.chars().filter(char::is_ascii_digit).take(14).collect();
    if digits.len() < 14 {
        return None;
    }
    let part = |from: usize, to: usize| digits[from..to].iter().collect::<String>();
    let text = format!(
        "{}-{}-{}T{}:{}:{}Z",
        part(0, 4),
        part(4, 6),
        part(6, 8),
        part(8, 10),
        part(10, 12),
        part(12, 14)
    );
    Moment::parse(&text).map(|(when, _)| when)
}

impl Vault<'_> {
    /// Copies a file of the store into our data, durably.
    pub fn copy(&self, file: &Path, bytes: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        self.put("backups", file, bytes, now)
    }

    /// Keeps bytes that leave the store, durably, as they were.
    pub fn quarantine(
        &self,
        file: &Path,
        at: u64,
        bytes: &[u8],
        now: Moment,
    ) -> Result<PathBuf, CommitError> {
        let name = format!("{}@{at}", file.display());
        self.put("quarantine", Path::new(&name), bytes, now)
    }

    /// Keeps what somebody wrote and could not be saved.
    pub(super) fn draft(&self, text: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        self.put("drafts", Path::new("memory.md"), text, now)
    }

    fn put(&self, folder: &str, file: &Path, bytes: &[u8], now: Moment) -> Result<PathBuf, CommitError> {
        let folder = self.folder(folder)?;
        let name = file.to_string_lossy().replace('%', "%25").replace('/', "%2F");
        let stamp = now.to_pattern("%Y%m%d_%H%M%S");
        for number in 0..1000 {
            let suffix = if number == 0 { String::new() } else { format!("_{number}") };
            let path = folder.join(format!("{name}.backup.{stamp}{suffix}"));
            match self.disk().create(&path, PRIVATE) {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(error) => return Err(CommitError::own_data(&path, error)),
                Ok(mut out) => {
                    let written = out.write(bytes).and_then(|()| out.sync());
                    written
                        .and_then(|()| self.disk().sync_folder(&folder))
                        .map_err(|error| CommitError::own_data(&path, error))?;
                    return Ok(path);
                }
            }
        }
        Err(CommitError::own_data(&folder, std::io::ErrorKind::AlreadyExists.into()))
    }

    fn copies(&self) -> Vec<Copy> {
        let folder = self.path("backups");
        let items = self.disk().list(&folder).unwrap_or_default();
        let copy = |item: &crate::disk::Item| {
            let (name, stamp) = item.name.to_str()?.rsplit_once(".backup.")?;
            let file = name.replace("%2F", "/").replace("%25", "%");
            let path = folder.join(&item.name);
            Some(Copy { path, file: file.into(), at: moment(stamp), bytes: item.generation.len })
        };
        items.iter().filter_map(copy).collect()
    }
}
