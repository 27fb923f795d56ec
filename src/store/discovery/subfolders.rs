//! Finds the stores below a folder.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use super::format_detection::{FormatDetector, at_default_place};
use super::{Place, not_ours, place_of};
use crate::disk::ItemKind;
use crate::format::{FORMATS, Format, PlaceBase};

/// How deep below a folder stores of any name are looked for.
const DEPTH: usize = 4;
/// After this number of folders no deeper ones are looked at for default places.
const DEEP: usize = 20_000;
/// Folders with a great number of other programs' files.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".cache", ".venv"];

/// A search for stores below a folder.
pub struct SubfolderSearch<'a> {
    judge: &'a FormatDetector<'a>,
    /// The folders on the way to default places in projects: how deep a store is below a project counts from there.
    ways: Vec<PathBuf>,
    /// Folders in which only default places are looked for.
    deeper: VecDeque<PathBuf>,
    /// The number of folders that were looked at, and its limit.
    seen: usize,
    most: usize,
    pub found: Vec<Place>,
    pub near_misses: Vec<(PathBuf, String)>,
    pub skipped: Vec<(PathBuf, String)>,
}

impl<'a> SubfolderSearch<'a> {
    pub fn new(judge: &'a FormatDetector<'a>, most: usize) -> Self {
        let places = FORMATS.iter().flat_map(|format| format.about().places);
        let fixed = |path: &'static str| Path::new(path.split('*').next().unwrap_or(path)).ancestors();
        let ways =
            places.filter(|place| place.base == PlaceBase::Project).flat_map(|place| fixed(place.path));
        let ways =
            ways.filter(|way| way.as_os_str().as_encoded_bytes().starts_with(b".")).map(Path::to_owned);
        SubfolderSearch {
            judge,
            ways: ways.collect(),
            deeper: VecDeque::new(),
            seen: 0,
            most,
            found: Vec::new(),
            near_misses: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// Finds the stores. Does not look into a store's own folders.
    pub fn look(&mut self, folder: &Path) {
        self.look_into(folder, 0);
        while let Some(folder) = self.deeper.pop_front() {
            self.look_into(&folder, DEPTH);
        }
    }

    fn look_into(&mut self, folder: &Path, depth: usize) {
        let items = self.judge.disk.names(folder, usize::MAX).unwrap_or_else(|error| {
            let why = format!("it can't be listed: {error}");
            self.skipped.extend(self.is_asked_for(folder).then(|| (folder.to_owned(), why)));
            Vec::new()
        });
        let (is_way, most) = (self.is_on_way(folder), if depth < DEPTH { self.most } else { DEEP });
        let inner = items.iter().filter(|item| item.kind == ItemKind::Folder && !item.is_link);
        for item in inner.filter(|item| !SKIPPED.iter().any(|name| item.name == *name)) {
            if self.seen >= most {
                return self.stop(folder, most);
            }
            self.seen += 1;
            let path = folder.join(&item.name);
            let is_on_way = self.is_on_way(&path);
            let inner = if is_on_way { depth } else { depth + 1 };
            let is_hidden = item.name.as_encoded_bytes().starts_with(b".");
            match () {
                () if (inner <= DEPTH || is_way) && self.is_store(&path) => {}
                () if inner < DEPTH => self.look_into(&path, inner),
                () if is_on_way || !is_hidden => self.deeper.push_back(path),
                () => {}
            }
        }
    }

    /// Reports once where the search ended.
    fn stop(&mut self, folder: &Path, most: usize) {
        let ended = format!("the search stopped after {most} folders");
        if !self.skipped.iter().any(|(_, why)| *why == ended) {
            self.skipped.push((folder.to_owned(), ended));
        }
        self.deeper.clear();
    }

    fn is_on_way(&self, path: &Path) -> bool {
        self.ways.iter().any(|way| path.ends_with(way))
    }

    /// True if the user must learn what can't be read: all in a named folder, else only a likely store.
    fn is_asked_for(&self, folder: &Path) -> bool {
        self.most == usize::MAX || FORMATS.iter().any(|format| at_default_place(folder, *format))
    }

    fn is_store(&mut self, path: &Path) -> bool {
        let verdict = self.judge.verdict(path, false);
        if let Some((format, _)) = verdict.store {
            self.found.push(place_of(path, format, None));
            return true;
        }
        // What palimp only reads is not missed: other things of its program may be there.
        let is_missed =
            |format: &&dyn Format| self.judge.is_asked(*format) && format.about().read_only.is_none();
        let mut formats = FORMATS.iter().copied().filter(is_missed);
        if let Some(format) = formats.find(|own| at_default_place(path, *own)) {
            self.near_misses.push((path.to_owned(), not_ours(&verdict, format)));
        }
        // A folder that can't be listed is reported when the search looks into it.
        let is_told = self.is_asked_for(path) && self.judge.disk.names(path, 1).is_ok();
        let refused = verdict.refused.filter(|_| is_told);
        self.skipped.extend(refused.map(|why| (path.to_owned(), why)));
        false
    }
}
