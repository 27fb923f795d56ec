//! Finds out which format a folder has: all formats are asked, and the best fit wins.

use std::borrow::Cow;
use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::disk::{Disk, Item, ItemKind, ItemName, is_absent};
use crate::format::detection::{FolderProbe, FormatFit};
use crate::format::{FORMATS, Format, Placement};
use crate::model::PathText;

/// The most names of one folder that detection looks at.
const NAMES: usize = 4_096;
/// The largest file that detection reads as a whole, in bytes.
const LARGEST: u64 = 1 << 20;
/// How many levels above a file or folder its store is looked for: as deep as stores are read.
const ABOVE: usize = 8;

/// What detection says about a folder.
pub struct FormatVerdict {
    /// The format that fits best, and how well.
    pub store: Option<(&'static dyn Format, FormatFit)>,
    /// Why each of the other formats does not fit, as sentences.
    pub why: Vec<(&'static dyn Format, String)>,
    /// Those of the other formats for which something speaks nevertheless.
    pub near: Vec<&'static str>,
    /// The first thing that the system did not let palimp look at, as a sentence.
    pub refused: Option<String>,
}

/// A store that was found at a path or above it.
pub struct EnclosingStore {
    pub root: PathBuf,
    pub format: &'static dyn Format,
}

/// How well a folder fits as the root of the named path, from worst to best: whether it fits by
/// more than its place, how much in it is unknown, how sure the fit is, how far above it is.
type FitRank = (bool, Reverse<usize>, u8, usize);

/// Finds out which store a folder is.
pub struct FormatDetector<'a> {
    pub disk: &'a dyn Disk,
    /// The format that the user gave.
    pub forced: Option<&'static dyn Format>,
}

impl FormatDetector<'_> {
    pub fn is_asked(&self, format: &dyn Format) -> bool {
        self.forced.is_none_or(|forced| format.is_meant(forced.name()))
    }

    /// Judges one folder as the root of a store. `named` is true if the user named this very
    /// folder: if the user also gave that format, a likely fit suffices.
    pub fn verdict(&self, root: &Path, named: bool) -> FormatVerdict {
        let glance = DiskProbe::new(self.disk);
        let mut fits: Vec<(&'static dyn Format, FormatFit, bool)> = Vec::new();
        let (mut why, mut near) = (Vec::new(), Vec::new());
        for format in FORMATS.iter().copied().filter(|own| self.is_asked(*own)) {
            let at_home = at_default_place(root, format);
            let evidence = (format.about().evidence)(root, &glance);
            let is_given = self.forced.is_some_and(|forced| forced.name() == format.name());
            match evidence.fit(at_home || named && is_given) {
                Ok(fit) => fits.push((format, fit, at_home)),
                Err(reason) => {
                    near.extend((reason != evidence.lacks).then_some(format.name()));
                    why.push((format, reason));
                }
            }
        }
        // The surest first; of equally sure ones the one at its default place, then the fuller one.
        fits.sort_by_key(|&(_, fit, at_home)| Reverse((fit.tier(), at_home, fit)));
        let store = match fits.as_slice() {
            [(first, fit, own), (second, other, its), ..] if (fit, own) == (other, its) => {
                let names = (first.name(), second.name());
                let both = format!("it looks like {} and like {}: say which with --as", names.0, names.1);
                near.push(first.name());
                why.push((*first, both));
                None
            }
            [(format, fit, _), ..] => Some((*format, *fit)),
            [] => None,
        };
        FormatVerdict { store, why, near, refused: glance.refused.into_inner() }
    }

    /// Returns the store that the path is the root or a part of. The layout with such a part that
    /// knows most of the content wins, then the outermost.
    pub fn at_or_above(&self, path: &Path, item: &Item) -> (Option<EnclosingStore>, FormatVerdict) {
        let path = absolute(path);
        let is_folder = item.kind == ItemKind::Folder;
        let folder = if is_folder { path.as_ref() } else { path.parent().unwrap_or(&path) };
        let own = self.verdict(folder, true);
        let inner =
            if is_folder { self.disk.names(&path, usize::MAX).unwrap_or_default() } else { Vec::new() };
        let part = NamedPart { path: &path, is_folder, inner: &inner };
        let mut best: Option<(FitRank, EnclosingStore)> = None;
        for (up, root) in folder.ancestors().take(ABOVE + 1).enumerate() {
            if up > 0 && !FORMATS.iter().any(|format| part.belongs(root, *format)) {
                continue;
            }
            let outer;
            let verdict = if up == 0 {
                &own
            } else {
                outer = self.verdict(root, false);
                &outer
            };
            let Some((format, fit)) = verdict.store else { continue };
            if up == 0 || part.belongs(root, format) {
                let strange = Reverse(part.strange(root, format));
                let rank = (fit >= FormatFit::Named(0), strange, fit.tier(), up);
                if best.as_ref().is_none_or(|(other, _)| *other < rank) {
                    best = Some((rank, EnclosingStore { root: root.to_owned(), format }));
                }
            }
        }
        (best.map(|(_, above)| above), own)
    }
}

struct NamedPart<'a> {
    path: &'a Path,
    is_folder: bool,
    /// The items directly in it, if it is a folder.
    inner: &'a [ItemName],
}

impl NamedPart<'_> {
    /// True if a store of that format with that root has such a file or folder.
    fn belongs(&self, root: &Path, format: &dyn Format) -> bool {
        let Ok(relative) = self.path.strip_prefix(root) else { return false };
        match format.place(relative, self.is_folder) {
            Placement::Enter => true,
            Placement::File(_) => !self.is_folder,
            Placement::Unexpected => false,
        }
    }

    /// Returns how many items in it such a store does not know.
    fn strange(&self, root: &Path, format: &dyn Format) -> usize {
        let Ok(relative) = self.path.strip_prefix(root) else { return usize::MAX };
        let is_strange = |item: &&ItemName| {
            let path = relative.join(&item.name);
            let is_visible = !item.name.as_encoded_bytes().starts_with(b".");
            is_visible && format.place(&path, item.kind == ItemKind::Folder) == Placement::Unexpected
        };
        self.inner.iter().take(NAMES).filter(is_strange).count()
    }
}

/// True at the format's default place. If two places end alike (`memory`, `.own/memory`), the
/// longer counts.
pub fn at_default_place(root: &Path, format: &dyn Format) -> bool {
    let root = absolute(root);
    let length = |format: &dyn Format| format.about().place_of(&root).map(|place| place.path.len());
    let longest = length(format);
    longest.is_some() && FORMATS.iter().all(|other| length(*other) <= longest)
}

/// Returns the path from the root of the file system.
pub fn absolute(path: &Path) -> Cow<'_, Path> {
    match path.is_absolute() {
        true => Cow::Borrowed(path),
        false => std::path::absolute(path).map_or(Cow::Borrowed(path), Cow::Owned),
    }
}

/// Files of at most this many bytes are read once.
const SMALL: u64 = 64 << 10;

/// Reads a disk for detection. Lists each folder once.
pub struct DiskProbe<'a> {
    disk: &'a dyn Disk,
    listed: RefCell<BTreeMap<PathBuf, Rc<Vec<ItemName>>>>,
    /// The small files that were read: formats ask for the same ones.
    small: RefCell<BTreeMap<PathBuf, Rc<Vec<u8>>>>,
    refused: RefCell<Option<String>>,
}

impl<'a> DiskProbe<'a> {
    /// Returns a probe that has read nothing yet.
    pub fn new(disk: &'a dyn Disk) -> Self {
        let (listed, small, refused) = Default::default();
        DiskProbe { disk, listed, small, refused }
    }

    fn items(&self, folder: &Path) -> Rc<Vec<ItemName>> {
        if let Some(known) = self.listed.borrow().get(folder) {
            return Rc::clone(known);
        }
        // A folder may have ten thousand files, so none is looked up.
        let items = if self.is_absent(folder) { Ok(Vec::new()) } else { self.disk.names(folder, usize::MAX) };
        let items = Rc::new(items.unwrap_or_else(|error| {
            self.note(folder, &error);
            Vec::new()
        }));
        self.listed.borrow_mut().insert(folder.to_owned(), Rc::clone(&items));
        items
    }

    /// True if the listing of its folder is known and does not have it.
    fn is_absent(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let listed = self.listed.borrow();
        listed.get(folder).is_some_and(|items| !items.iter().any(|item| item.name == name))
    }

    fn names(&self, folder: &Path, kind: ItemKind) -> Vec<OsString> {
        let items = self.items(folder);
        items.iter().filter(|item| item.kind == kind).take(NAMES).map(|item| item.name.clone()).collect()
    }

    /// True if a folder contains an item of this kind. Lists no folder: it may have thousands of others.
    fn has(&self, folder: &Path, name: &str, kind: ItemKind) -> bool {
        if let Some(items) = self.listed.borrow().get(folder) {
            return items.iter().any(|item| item.kind == kind && item.name == name);
        }
        let path = folder.join(name);
        let looked = self.disk.look(&path).inspect_err(|error| self.note(&path, error));
        looked.is_ok_and(|item| item.kind == kind)
    }

    /// Reads a part of a regular file: the place where it starts depends on the length.
    fn read(&self, file: &Path, from: impl Fn(u64) -> u64, limit: u64) -> Option<Vec<u8>> {
        if self.is_absent(file) {
            return None;
        }
        let known = self.small.borrow().get(file).cloned();
        let small = match known {
            Some(known) => known,
            None => {
                let noted = |error: &io::Error| self.note(file, error);
                let look = self.disk.look(file).inspect_err(noted).ok()?;
                let (len, is_file) = (look.generation.len, look.kind == ItemKind::File);
                let read = |from, limit| self.disk.read(file, from, Some(limit)).inspect_err(noted);
                if !is_file || len > SMALL {
                    return is_file.then(|| Some(read(from(len), limit).ok()?.0)).flatten();
                }
                let small = Rc::new(read(0, SMALL).ok()?.0);
                self.small.borrow_mut().insert(file.to_owned(), Rc::clone(&small));
                small
            }
        };
        let rest = &small[from(small.len() as u64) as usize..];
        Some(rest[..rest.len().min(limit as usize)].to_vec())
    }

    fn note(&self, path: &Path, error: &io::Error) {
        let absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        let mut refused = self.refused.borrow_mut();
        if !absent && refused.is_none() {
            *refused = Some(format!("{} can't be read: {error}", path.to_text()));
        }
    }
}

impl FolderProbe for DiskProbe<'_> {
    fn folders(&self, folder: &Path) -> Vec<OsString> {
        self.names(folder, ItemKind::Folder)
    }

    fn files(&self, folder: &Path) -> Vec<OsString> {
        self.names(folder, ItemKind::File)
    }

    fn has_folder(&self, folder: &Path, name: &str) -> bool {
        self.has(folder, name, ItemKind::Folder)
    }

    fn has_file(&self, folder: &Path, name: &str) -> bool {
        self.has(folder, name, ItemKind::File)
    }

    fn part(&self, file: &Path, most: usize, is_end: bool) -> Option<Vec<u8>> {
        let most = most as u64;
        self.read(file, |len| if is_end { len.saturating_sub(most) } else { 0 }, most)
    }

    fn whole(&self, file: &Path) -> Option<Vec<u8>> {
        self.read(file, |_| 0, LARGEST + 1).filter(|bytes| bytes.len() as u64 <= LARGEST)
    }

    fn is_gone(&self, path: &Path) -> bool {
        is_absent(self.disk, path)
    }
}
