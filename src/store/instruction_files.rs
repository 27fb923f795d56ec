//! Looks for the files of instructions of a project. Nothing is opened that is, by its real path, outside the project and
//! the home folder.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, ItemKind, optional, without_dots};
use crate::format::{ImportRule, InstructionBase, InstructionPlace};
use crate::model::{InstructionContent, InstructionFile, ProjectInstructions};
use crate::text::lines::lines;

/// A longer file is not read.
pub const LARGEST: u64 = 1 << 20;
/// At most this many files of a project are looked at.
pub const MOST: usize = 200;
/// Folders are entered this deep.
const DEEPEST: usize = 4;
/// At most this many names of a folder are looked at.
const NAMES: usize = 2_000;

/// Returns the files at these places. `folder` is the project, or the store if the places are in it.
pub fn instruction_files(
    disk: &dyn Disk,
    folder: &Path,
    home: Option<&Path>,
    places: &[InstructionPlace],
) -> ProjectInstructions {
    let real = |own: &Path| disk.real_path(own).ok();
    let mut reader = InstructionReader {
        disk,
        home,
        allowed: [Some(folder), home].into_iter().flatten().filter_map(real).collect(),
        seen: HashSet::new(),
        found: Vec::new(),
        has_more: false,
    };
    for place in places {
        let base = match place.base {
            InstructionBase::Home => home,
            InstructionBase::Project | InstructionBase::Store => Some(folder),
        };
        base.into_iter().for_each(|base| reader.place(base, place));
    }
    ProjectInstructions {
        folder: folder.to_owned(),
        home: home.map(Path::to_owned),
        files: reader.found,
        has_more: reader.has_more,
    }
}

struct InstructionReader<'a> {
    disk: &'a dyn Disk,
    home: Option<&'a Path>,
    /// The real paths of the folders below which files are opened.
    allowed: Vec<PathBuf>,
    /// The real paths that a program reads.
    seen: HashSet<(&'static str, PathBuf)>,
    found: Vec<InstructionFile>,
    has_more: bool,
}

impl InstructionReader<'_> {
    fn place(&mut self, base: &Path, place: &InstructionPlace) {
        match place.path.rsplit_once("/*") {
            Some((folder, ending)) => self.folder(&base.join(folder), ending, place, 0),
            None => self.file(base.join(place.path), place, 0),
        }
    }

    fn folder(&mut self, folder: &Path, ending: &str, place: &InstructionPlace, deep: usize) {
        let is_within = self.disk.real_path(folder).is_ok_and(|real| self.is_allowed(&real));
        let names = if is_within { self.disk.names(folder, NAMES).unwrap_or_default() } else { Vec::new() };
        self.has_more |= names.len() == NAMES;
        for own in names {
            let path = folder.join(&own.name);
            match own.kind {
                ItemKind::Folder if deep < DEEPEST && !own.is_link => {
                    self.folder(&path, ending, place, deep + 1)
                }
                ItemKind::File if own.name.as_encoded_bytes().ends_with(ending.as_bytes()) => {
                    self.file(path, place, 0);
                }
                _ => {}
            }
        }
    }

    fn is_allowed(&self, real: &Path) -> bool {
        self.allowed.iter().any(|own| real.starts_with(own))
    }

    /// Adds a file, and those that it imports.
    fn file(&mut self, path: PathBuf, place: &InstructionPlace, depth: usize) {
        let real = match optional(self.disk.real_path(&path)) {
            Ok(Some(real)) => real,
            // Most words with `@` are no imports.
            Ok(None) if depth > 0 && path.extension().is_some_and(|own| own == "md") => {
                return self.add(path, place, depth, InstructionContent::Missing);
            }
            Ok(None) => return,
            Err(_) => return self.add(path, place, depth, InstructionContent::Unreadable),
        };
        if !self.seen.insert((place.reader, real.clone())) {
            return;
        }
        if !self.is_allowed(&real) {
            return self.add(path, place, depth, InstructionContent::Outside);
        }
        let Ok(item) = self.disk.look(&real) else { return };
        if item.kind != ItemKind::File {
            return;
        }
        if item.generation.len > LARGEST {
            return self.add(path, place, depth, InstructionContent::Long(item.generation.len));
        }
        if self.found.len() >= MOST {
            self.has_more = true;
            return;
        }
        let Ok((bytes, _)) = self.disk.read(&real, 0, Some(LARGEST)) else {
            return self.add(path, place, depth, InstructionContent::Unreadable);
        };
        let content = InstructionContent::Read { bytes: bytes.len(), lines: lines(&bytes).count() };
        let folder = path.parent().unwrap_or(Path::new("/")).to_owned();
        self.add(path, place, depth, content);
        if let Some(rule) = place.imports.filter(|rule| depth < rule.depth) {
            self.imports(&String::from_utf8_lossy(&bytes), rule, (&folder, place, depth));
        }
    }

    fn imports(
        &mut self,
        text: &str,
        rule: ImportRule,
        (folder, place, depth): (&Path, &InstructionPlace, usize),
    ) {
        for path in (rule.paths)(text) {
            let path = match (path.strip_prefix("~/"), self.home) {
                (Some(rest), Some(home)) => home.join(rest),
                (Some(_), None) => continue,
                (None, _) => folder.join(path),
            };
            self.file(without_dots(&path), place, depth + 1);
        }
    }

    fn add(&mut self, path: PathBuf, place: &InstructionPlace, depth: usize, content: InstructionContent) {
        match self.found.len() < MOST {
            true => self.found.push(InstructionFile { path, reader: place.reader, depth, content }),
            false => self.has_more = true,
        }
    }
}
