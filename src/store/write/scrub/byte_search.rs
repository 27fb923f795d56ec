//! Searches every byte of all files below a folder, also of palimp's own and of unread files.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::{Disk, ItemKind};
use crate::model::PathText;
use crate::model::snapshot::Generation;
use crate::store::erase::{ERASE_UNPACK_LIMIT, ErasedValues};
use crate::store::hidden_names::is_ours;
use crate::text::needle::Needles;
use crate::text::unpack::{gunzip, untar};

/// Folders nested deeper are reported as not searched.
const DEPTH: usize = 64;
/// The limit of compressions inside a compressed file.
pub(super) const PACKED: usize = 3;
/// How a gzip file begins (RFC 1952, 2.3.1).
pub(super) const GZIP: &[u8] = &[0x1f, 0x8b, 8];

/// Result of the search of one folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchReport {
    /// The folder.
    pub place: String,
    /// The number of searched files.
    pub files: u64,
    /// The number of files that hold erased content or could not be searched.
    pub left: u64,
    #[serde(skip)]
    pub(super) found: Vec<ByteHit>,
    /// True if one of them is palimp's own file, which palimp must remove.
    #[serde(skip)]
    pub(super) has_ours: bool,
    /// The numbers of the contents that are left.
    #[serde(skip)]
    pub(super) contents: BTreeSet<usize>,
    #[serde(skip)]
    folder: PathBuf,
    /// The states of the files when they were read.
    #[serde(skip)]
    states: HashMap<PathBuf, Generation>,
}

/// A file or folder that holds erased content or could not be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ByteHit {
    pub(super) path: PathBuf,
    pub(super) why: String,
}

#[derive(Clone, Copy)]
pub(super) struct SearchTerms<'n> {
    pub(super) needles: &'n Needles,
    /// Names that repeat erased content. They may stay, but they are reported.
    pub(super) names: &'n Needles,
    /// Values that are erased everywhere.
    pub(super) values: &'n ErasedValues,
}

impl SearchTerms<'_> {
    /// Returns why the bytes fail the search, if they do.
    pub(super) fn says(self, bytes: &[u8]) -> Option<String> {
        self.found(bytes).or_else(|| self.named(bytes))
    }

    /// Returns why the bytes fail the search for contents and values.
    pub(super) fn found(self, bytes: &[u8]) -> Option<String> {
        let has = |own: &[u8]| self.needles.any(own) || !self.values.is_empty() && self.values.any(own);
        says(bytes, &has).map(Unclean::why)
    }

    fn named(self, bytes: &[u8]) -> Option<String> {
        (!self.names.is_empty())
            .then(|| says(bytes, &|bytes| self.names.any(bytes)))?
            .map(|_| REPEATED.to_owned())
    }

    /// Returns the path up to its first part below the folder that has one of the names.
    fn called(self, folder: &Path, path: &Path) -> Option<PathBuf> {
        let below = path.strip_prefix(folder).ok()?;
        let has = |name: &[u8]| self.names.any(name) || !self.values.is_empty() && self.values.any(name);
        let is_called = |part: &OsStr| has(part.to_text().as_bytes());
        let count = below.iter().position(is_called)? + 1;
        Some(folder.join(below.iter().take(count).collect::<PathBuf>()))
    }
}

pub(super) fn search(disk: &dyn Disk, folder: &Path, look: SearchTerms<'_>) -> SearchReport {
    let mut searched = SearchReport::of(folder);
    each_file(disk, folder, 0, &mut |path, outcome| searched.add(disk, path, outcome, look));
    searched
}

/// Returns the files below a folder that hold a value, also packed, and lines about those that may hold one.
pub fn files_with(disk: &dyn Disk, folder: &Path, values: &ErasedValues) -> (Vec<PathBuf>, Vec<String>) {
    let (mut found, mut unsearched) = (Vec::new(), Vec::new());
    each_file(disk, folder, 0, &mut |path, outcome| {
        let read = outcome.and_then(|()| disk.read(path, 0, None));
        match read.map(|(bytes, _)| says(&bytes, &|bytes| values.any(bytes))) {
            Ok(None) => {}
            Ok(Some(Unclean::Holds(_))) => found.push(path.to_owned()),
            Ok(Some(Unclean::Unsearched(why))) => unsearched.push(line(path, &why)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => unsearched.push(line(path, &format!("it can't be searched: {error}"))),
        }
    });
    (found, unsearched)
}

/// Searches these files in the folder around a store. `None` if there are none.
pub(super) fn search_beside(
    disk: &dyn Disk,
    folder: &Path,
    files: impl Iterator<Item = PathBuf>,
    look: SearchTerms<'_>,
) -> Option<SearchReport> {
    let mut searched = SearchReport::of(folder);
    files.for_each(|file| searched.add(disk, &file, Ok(()), look));
    Some(searched).filter(|own| own.files > 0)
}

impl SearchReport {
    pub(super) fn of(folder: &Path) -> SearchReport {
        let (place, folder) = (folder.to_text().into_owned(), folder.to_owned());
        SearchReport { place, folder, ..SearchReport::default() }
    }

    pub(super) fn add(
        &mut self,
        disk: &dyn Disk,
        path: &Path,
        outcome: std::io::Result<()>,
        look: SearchTerms<'_>,
    ) {
        let is_ours = path.file_name().is_some_and(is_ours);
        let read = outcome.and_then(|()| disk.read(path, 0, None));
        // Another program removed it meanwhile, such as its lock.
        if read.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
            return;
        }
        self.files += 1;
        match read {
            Ok((bytes, state)) => {
                self.states.insert(path.to_owned(), state);
                match (look.found(&bytes), look.named(&bytes), look.called(&self.folder, path)) {
                    (Some(why), ..) => {
                        self.has_ours |= is_ours;
                        self.find(path.to_owned(), why);
                        each_content(&bytes, PACKED, &mut |own| {
                            self.contents.extend(look.needles.which(own))
                        });
                    }
                    (None, Some(why), _) => self.find(path.to_owned(), why),
                    (None, None, Some(part)) => self.find(part, CALLED.to_owned()),
                    (None, None, None) => {}
                }
            }
            Err(error) => {
                self.has_ours |= is_ours;
                self.find(path.to_owned(), format!("it can't be searched: {error}"));
            }
        }
    }

    /// Searches what was written below the folder since the search.
    pub(super) fn search_new(&mut self, disk: &dyn Disk, look: SearchTerms<'_>) {
        let (folder, files) = (self.folder.clone(), self.files);
        each_file(disk, &folder, 0, &mut |path, outcome| {
            let state = disk.look(path).ok().map(|item| item.generation);
            if outcome.is_ok() && state.as_ref() != self.states.get(path) {
                self.add(disk, path, outcome, look);
            }
        });
        self.files = files;
    }

    pub(super) fn find(&mut self, path: PathBuf, why: String) {
        if self.found.iter().all(|own| own.path != path) {
            self.left += 1;
            self.found.push(ByteHit { path, why });
        }
    }

    pub(super) fn told(&self) -> impl Iterator<Item = String> + '_ {
        self.found.iter().map(|own| line(&own.path, &own.why))
    }
}

pub(super) fn line(path: &Path, why: &str) -> String {
    format!("{}: {why}", path.to_text())
}

/// Visits every regular file below a folder, and each folder that can't be searched, with the error.
/// Doesn't follow links, because their targets are elsewhere.
pub fn each_file(
    disk: &dyn Disk,
    folder: &Path,
    depth: usize,
    see: &mut dyn FnMut(&Path, std::io::Result<()>),
) {
    let items = match disk.list(folder) {
        Ok(items) if depth < DEPTH => items,
        Ok(_) => return see(folder, Err(std::io::Error::other("its folders are nested too deeply"))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
        Err(error) => return see(folder, Err(error)),
    };
    for item in items.iter().filter(|item| item.link.is_none()) {
        let path = folder.join(&item.name);
        match item.kind {
            ItemKind::File => see(&path, Ok(())),
            ItemKind::Folder => each_file(disk, &path, depth + 1, see),
            ItemKind::Special => {}
        }
    }
}

const REPEATED: &str = "an id in it repeats what was erased";
const CALLED: &str = "its name repeats what was erased";

/// Why bytes fail the search.
enum Unclean {
    Holds(&'static str),
    Unsearched(String),
}

impl Unclean {
    fn why(self) -> String {
        match self {
            Unclean::Holds(why) => why.to_owned(),
            Unclean::Unsearched(why) => why,
        }
    }
}

/// Returns why the bytes fail the search, if they do.
fn says(bytes: &[u8], has: &dyn Fn(&[u8]) -> bool) -> Option<Unclean> {
    let mut holds = None;
    let unsearched = each_content(bytes, PACKED, &mut |content| {
        if holds.is_none() && has(content) {
            holds = Some(match std::ptr::eq(content, bytes) {
                true => "it still has what was to be erased",
                false => "it still has what was to be erased, compressed",
            });
        }
    });
    holds.map(Unclean::Holds).or(unsearched.map(Unclean::Unsearched))
}

/// Passes a file's bytes, and what is packed in it, to `see`. Returns why not all, if so. `depth` limits nesting.
pub(super) fn each_content(bytes: &[u8], depth: usize, see: &mut dyn FnMut(&[u8])) -> Option<String> {
    see(bytes);
    if !bytes.starts_with(GZIP) {
        return None;
    }
    if depth == 0 {
        return Some("it is compressed too often to be searched".to_owned());
    }
    let unpacked = gunzip(bytes, ERASE_UNPACK_LIMIT);
    let why = each_content(&unpacked.content, depth - 1, see);
    let short = |fault| format!("it can't be unpacked to its end ({fault}), and was not searched completely");
    let why = unpacked.fault.map(short).or(why);
    let members = untar(bytes, ERASE_UNPACK_LIMIT).content;
    let packed = members.iter().filter(|member| member.bytes.starts_with(GZIP));
    packed.filter_map(|member| each_content(&member.bytes, depth - 1, see)).fold(why, |_, other| Some(other))
}
