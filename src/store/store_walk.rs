//! Walks a store's folders, and finds problems of the files themselves.

use std::path::{Path, PathBuf};

use super::own_files;
use crate::disk::{Disk, Item, ItemKind, optional};
use crate::format::{Format, Placement};
use crate::model::plan::count_with_noun;
use crate::model::{Code, PathText, Problem, Role, Severity, UnreadPath};
use crate::store::hidden_names::is_ours;
use crate::text::second_version::set_aside;

/// Folders nested deeper than this are not entered; no format needs as many.
const DEPTH: usize = 8;

const OTHER_NAME: &str = "It has a second name elsewhere (a hard link). Added lines are seen there, too. A change that rewrites the file leaves the second name with the old content.";

pub struct StoreFile {
    /// The path relative to the root.
    pub path: PathBuf,
    /// The file's role in the format.
    pub role: Role,
    /// What the system says about it.
    pub item: Item,
}

/// The result of a walk below a root.
#[derive(Default)]
pub struct StoreListing {
    /// The regular files of the format, sorted by path.
    pub files: Vec<StoreFile>,
    /// The folders that were entered, sorted by path, without the root itself.
    pub folders: Vec<PathBuf>,
    /// Problems of files and folders themselves.
    pub problems: Vec<Problem>,
    /// Paths that exist and could not be read.
    pub unread: Vec<UnreadPath>,
    /// palimp's own files, which a reader ignores; those beside the store start with `..`.
    pub own_files: Vec<PathBuf>,
}

/// Walks a store, or only the files that concern one session. Reports links that lead out of the store,
/// but does not follow them. Opens nothing.
pub fn walk(disk: &dyn Disk, root: &Path, format: &dyn Format, only: Option<&str>) -> StoreListing {
    let mut listing = StoreListing::default();
    let real = disk.look(root).and_then(|item| Ok((item, disk.real_path(root)?)));
    match real {
        Ok((item, real_root)) => {
            listing.permissions(Path::new(""), &item, Role::Other);
            StoreWalk { disk, root, real_root, format, only }.folder(Path::new(""), 0, &mut listing);
        }
        Err(error) => listing.unreadable(Path::new(""), &error.to_string()),
    }
    match own_files::own_files_beside(disk, root, format) {
        Ok(own) => listing.own_files.extend(own),
        Err(error) => listing.unreadable(Path::new(".."), &error.to_string()),
    }
    listing.files.sort_by(|a, b| a.path.cmp(&b.path));
    listing.folders.sort();
    if format.about().in_checkout {
        listing.note_modes_once();
    }
    listing
}

/// Returns the files that belong to one session each; none if the format has no files by session.
pub fn session_files(disk: &dyn Disk, root: &Path, format: &dyn Format) -> Vec<PathBuf> {
    if format.session_paths("any").is_empty() {
        return Vec::new();
    }
    let files = walk(disk, root, format, None).files.into_iter().map(|found| found.path);
    files.filter(|path| format.session_of(path).is_some()).collect()
}

struct StoreWalk<'a> {
    disk: &'a dyn Disk,
    root: &'a Path,
    real_root: PathBuf,
    format: &'a dyn Format,
    only: Option<&'a str>,
}

impl StoreWalk<'_> {
    /// True if the folder is one of the store's. One with only palimp's own files is about to go.
    fn folder(&self, relative: &Path, depth: usize, listing: &mut StoreListing) -> bool {
        let items = match optional(self.disk.list(&self.root.join(relative))) {
            Ok(Some(items)) => items,
            // The folder was removed after its parent was listed.
            Ok(None) if depth > 0 => return false,
            outcome => {
                let why = outcome.err().map(|error| error.to_string());
                listing.unreadable(relative, why.as_deref().unwrap_or("it is not there any more"));
                return true;
            }
        };
        let stays = items.is_empty() || !items.iter().all(|item| is_ours(&item.name));
        self.other_names(relative, &items, listing);
        for item in items {
            self.item(relative.join(&item.name), item, depth, listing);
        }
        stays
    }

    /// Reports files with a second name elsewhere: after a rewrite, that name has the old content.
    fn other_names(&self, relative: &Path, items: &[Item], listing: &mut StoreListing) {
        let is_same = |one: &Item, other: &Item| one.generation.inode == other.generation.inode;
        let ours = |item: &Item| items.iter().any(|own| is_ours(&own.name) && is_same(own, item));
        for item in items.iter().filter(|item| item.links > 1 && item.kind == ItemKind::File) {
            let path = relative.join(&item.name);
            let is_content = |role: Role| role.is_content();
            let is_read =
                matches!(self.format.place(&path, false), Placement::File(role) if is_content(role));
            if is_read && item.link.is_none() && !is_ours(&item.name) && !ours(item) {
                listing.problems.push(Problem::of_file(Code::LinkOutside, Severity::Note, path, OTHER_NAME));
            }
        }
    }

    fn item(&self, path: PathBuf, item: Item, depth: usize, listing: &mut StoreListing) {
        let is_of_another = |only: &str| self.format.session_of(&path).is_some_and(|own| own != only);
        if self.only.is_some_and(is_of_another) {
            return;
        }
        if is_ours(&item.name) {
            return listing.own_files.push(path);
        }
        if let Some(target) = &item.link
            && !target.as_ref().is_some_and(|target| target.starts_with(&self.real_root))
        {
            let message = match target {
                Some(target) => format!("It leads to {}; it is not followed.", target.to_text()),
                None => "It leads nowhere.".into(),
            };
            self.not_opened(&path, "it is a link that is not followed", listing);
            return listing.problems.push(Problem::of_file(
                Code::LinkOutside,
                Severity::Warning,
                path,
                message,
            ));
        }
        match (item.kind, self.format.place(&path, item.kind == ItemKind::Folder)) {
            (ItemKind::Special, _) => {
                let message =
                    "It is neither a file nor a folder (a FIFO, device or socket); it is not opened.";
                self.not_opened(&path, "it is neither a file nor a folder", listing);
                listing.problems.push(Problem::of_file(
                    Code::NotARegularFile,
                    Severity::Warning,
                    path,
                    message,
                ));
            }
            (ItemKind::Folder, Placement::Enter) if depth < DEPTH && item.link.is_none() => {
                listing.permissions(&path, &item, Role::Other);
                if self.folder(&path, depth + 1, listing) {
                    listing.folders.push(path);
                }
            }
            (ItemKind::Folder, _) => self.strange_folder(path, listing),
            (ItemKind::File, Placement::File(role)) => {
                listing.permissions(&path, &item, role);
                if role == Role::Temp {
                    let is_version = set_aside(&path).is_some();
                    let code = if is_version { Code::SyncConflict } else { Code::LeftoverTemp };
                    let message =
                        "Another program left it behind. It may have memories that no other file has.";
                    listing.problems.push(Problem::of_file(code, Severity::Warning, &path, message));
                }
                listing.files.push(StoreFile { path, role, item });
            }
            (ItemKind::File, _) if self.format.about().has_other_files => {}
            (ItemKind::File, _) => {
                let message = "The format has no such file. It is kept, but not read.";
                listing.problems.push(Problem::of_file(Code::UnexpectedPlace, Severity::Note, path, message));
            }
        }
    }

    /// Adds a path to the unread ones, if the format has something there that is read.
    fn not_opened(&self, path: &Path, why: &str, listing: &mut StoreListing) {
        let is_content = match self.format.place(path, false) {
            Placement::File(role) => role.is_content(),
            _ => self.format.place(path, true) == Placement::Enter,
        };
        if is_content {
            listing.unread.push(UnreadPath { path: path.to_owned(), why: why.to_owned() });
        }
    }

    fn strange_folder(&self, path: PathBuf, listing: &mut StoreListing) {
        self.not_opened(&path, "it is a folder that palimp does not open", listing);
        let (code, severity, message) = match self.format.place(&path, false) {
            Placement::File(_) => {
                (Code::NotARegularFile, Severity::Warning, "There is a folder where the format has a file.")
            }
            _ if self.format.about().has_other_files => return,
            _ => (
                Code::UnexpectedPlace,
                Severity::Note,
                "The format has no such folder. It is kept, but not read.",
            ),
        };
        listing.problems.push(Problem::of_file(code, severity, path, message));
    }
}

impl StoreListing {
    /// Makes one note of all loose modes: in a checkout they are as git made them.
    fn note_modes_once(&mut self) {
        let is_mode = |own: &Problem| own.code == Code::LoosePermissions;
        let count = self.problems.iter().filter(|own| is_mode(own)).count();
        let mut is_first = true;
        self.problems.retain(|own| !is_mode(own) || std::mem::take(&mut is_first));
        if let Some(first) = self.problems.iter_mut().find(|own| is_mode(own)) {
            first.severity = Severity::Note;
            if count > 1 {
                let others = count_with_noun(count as u64 - 1, "other path");
                first.message = format!("{} The same is true of {others}.", first.message);
            }
        }
    }

    /// Reports a file or folder that exists and can't be read.
    pub fn unreadable(&mut self, path: &Path, why: &str) {
        self.unread.push(UnreadPath { path: path.to_owned(), why: why.to_owned() });
        let message = format!("It can't be read: {why}. Nothing of it is shown.");
        self.problems.push(Problem::of_file(Code::UnreadableFile, Severity::Error, path, message));
    }

    /// Checks modes: files are 0600, folders 0700, and locks may be 0644 (2 §14.1).
    fn permissions(&mut self, path: &Path, item: &Item, role: Role) {
        let allowed = match (item.kind, role) {
            (ItemKind::Folder, _) => 0o700,
            (_, Role::Lock) => 0o644,
            _ => 0o600,
        };
        if item.mode & 0o777 & !allowed != 0 {
            let message = format!("Its mode is {:04o}; it should be {allowed:04o}.", item.mode);
            self.problems.push(Problem::of_file(Code::LoosePermissions, Severity::Warning, path, message));
        }
    }
}
