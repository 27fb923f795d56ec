//! The files beside stores: where programs keep them, and which names editors give them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::disk::{Disk, Item, ItemKind, optional};
use crate::format::FORMATS;
use crate::model::{PathText, PatternBase, SurroundingKind, SurroundingPattern};
use crate::store::git_work_tree::git_folders;
use crate::store::instruction_files::instruction_files;

use SurroundingKind::{Editor, GitFile, Import, Instructions, Trash};

/// Folders nested deeper are not searched.
const DEPTH: usize = 32;
const FILES: usize = 1_000_000;

/// Where programs keep such files. Formats name more places.
static PROGRAMS: LazyLock<Vec<SurroundingPattern>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../assets/program_places.json")).unwrap_or_default()
});

/// Where systems keep the settings of programs, below the home folder.
const SETTINGS: [&str; 3] = [".config", "Library/Application Support", "AppData/Roaming"];

/// What files are beside.
#[derive(Clone, Copy, Debug, Default)]
pub struct SearchPlaces<'a> {
    /// The home folder.
    pub home: Option<&'a Path>,
    /// The folders of the stores.
    pub roots: &'a [PathBuf],
    /// The folders of the projects that the stores are about.
    pub projects: &'a [PathBuf],
    /// Folders and files from which agents import memories.
    pub imports: &'a [PathBuf],
}

/// A file beside the stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SurroundingFile {
    /// What it is.
    pub kind: SurroundingKind,
    pub path: PathBuf,
}

/// Returns the files beside stores, each once. Links are not followed.
pub fn files(
    disk: &dyn Disk,
    SearchPlaces { home, roots, projects, imports }: SearchPlaces<'_>,
    trees: &[PathBuf],
    patterns: &[SurroundingPattern],
    unread: &mut Vec<String>,
) -> Vec<SurroundingFile> {
    let mut found =
        SurroundingWalk { disk, found: BTreeMap::new(), unread, limits: [FILES, DEPTH], over: [false; 2] };
    let around = roots.iter().filter_map(|root| root.parent());
    let projects: BTreeSet<&Path> = projects.iter().map(PathBuf::as_path).chain(around).collect();
    for pattern in PROGRAMS.iter().chain(patterns) {
        let bases: Vec<PathBuf> = match pattern.base {
            PatternBase::Home => home.into_iter().map(Path::to_owned).collect(),
            PatternBase::Settings => SETTINGS.iter().filter_map(|path| Some(home?.join(path))).collect(),
            PatternBase::Project => projects.iter().map(|folder| (*folder).to_owned()).collect(),
        };
        for path in pattern.paths.split(' ') {
            let parts: Vec<&str> = path.split('/').collect();
            bases.iter().for_each(|base| found.expand(base, &parts, pattern.kind));
        }
    }
    projects.into_iter().chain(home).for_each(|folder| found.instructions(folder, home));
    for root in roots {
        // An editor puts its files beside the one that it has open.
        found.editor_files(root, 0);
        let around = root.parent().unwrap_or(root);
        found.here(around);
        for name in [".trash", ".Trash"] {
            for path in [root.join(name), around.join(name)] {
                if found.own_kind(&path) == Some(ItemKind::Folder) {
                    found.below(&path, Trash, 0);
                }
            }
        }
    }
    imports.iter().for_each(|own| found.imported(own));
    trees.iter().for_each(|tree| git_folders(disk, tree).iter().for_each(|own| found.below(own, GitFile, 0)));
    found.say_limits();
    // What is in a store is erased there, and not beside it.
    let is_own = |path: &Path, kind: SurroundingKind| {
        !matches!(kind, Editor | GitFile) && roots.iter().any(|root| path.starts_with(root))
    };
    let all = found.found.into_iter().filter(|(path, kind)| !is_own(path, *kind));
    all.map(|(path, kind)| SurroundingFile { kind, path }).collect()
}

struct SurroundingWalk<'a> {
    disk: &'a dyn Disk,
    found: BTreeMap<PathBuf, SurroundingKind>,
    unread: &'a mut Vec<String>,
    /// The most files, and the most levels of folders.
    limits: [usize; 2],
    /// True for each of these limits if something lies beyond it.
    over: [bool; 2],
}

impl SurroundingWalk<'_> {
    fn add(&mut self, path: PathBuf, kind: SurroundingKind) {
        if self.found.len() < self.limits[0] {
            self.found.entry(path).or_insert(kind);
        } else if !self.found.contains_key(&path) {
            self.over[0] = true;
        }
    }

    /// True if the folders in a folder at this depth are searched, too.
    fn goes_below(&mut self, depth: usize) -> bool {
        self.over[1] |= depth >= self.limits[1];
        depth < self.limits[1]
    }

    fn say_limits(&mut self) {
        let [files, levels] = self.limits;
        if self.over[0] {
            self.unread.push(format!("files beyond the first {files}"));
        }
        if self.over[1] {
            self.unread.push(format!("folders more than {levels} levels deep"));
        }
    }

    fn items(&mut self, folder: &Path) -> Vec<Item> {
        let listed = optional(self.disk.list(folder)).unwrap_or_else(|error| {
            self.unread.push(format!("{}: {error}", folder.to_text()));
            None
        });
        listed.into_iter().flatten().filter(|own| own.link.is_none()).collect()
    }

    /// Returns what is at a path; `None` if nothing is, or a link.
    fn own_kind(&self, path: &Path) -> Option<ItemKind> {
        let items = self.disk.names(path.parent()?, usize::MAX).ok()?;
        let is_there = items.iter().any(|own| Some(own.name.as_os_str()) == path.file_name());
        let item = self.disk.look(path).ok().filter(|_| is_there)?;
        let is_same = self.disk.real_path(path).ok()?
            == self.disk.real_path(path.parent()?).ok()?.join(path.file_name()?);
        is_same.then_some(item.kind)
    }

    /// Adds what agents read as instructions in a folder, also what that imports.
    fn instructions(&mut self, folder: &Path, home: Option<&Path>) {
        let disk = self.disk;
        let mut places: Vec<_> = FORMATS.iter().map(|format| format.about().instructions).collect();
        places.dedup_by_key(|places| places.as_ptr());
        for file in places.into_iter().flat_map(|places| instruction_files(disk, folder, home, places).files)
        {
            if self.own_kind(&file.path) == Some(ItemKind::File) {
                self.add(file.path, Instructions);
            }
        }
    }

    /// Adds the files that the parts of a pattern name below a folder.
    fn expand(&mut self, folder: &Path, parts: &[&str], kind: SurroundingKind) {
        let Some((first, rest)) = parts.split_first() else { return };
        if *first == "**" {
            return match rest {
                [] => self.below(folder, kind, 0),
                _ => self.named_below(folder, rest, kind, 0),
            };
        }
        if !first.contains('*') {
            let path = folder.join(first);
            return match (rest, self.own_kind(&path)) {
                ([], Some(ItemKind::File)) => self.add(path, kind),
                ([_, ..], Some(ItemKind::Folder)) => self.expand(&path, rest, kind),
                _ => {}
            };
        }
        for item in self.items(folder).into_iter().filter(|own| fits(&own.name, first)) {
            let path = folder.join(&item.name);
            match (rest, item.kind) {
                ([], ItemKind::File) => self.add(path, kind),
                ([_, ..], ItemKind::Folder) => self.expand(&path, rest, kind),
                _ => {}
            }
        }
    }

    /// Adds files in a folder and below, by the last parts of a pattern.
    fn named_below(&mut self, folder: &Path, rest: &[&str], kind: SurroundingKind, depth: usize) {
        self.expand(folder, rest, kind);
        for item in self.items(folder) {
            if item.kind == ItemKind::Folder && self.goes_below(depth) {
                self.named_below(&folder.join(&item.name), rest, kind, depth + 1);
            }
        }
    }

    /// Adds the files in a folder and below. In a folder of git not the objects, which are packed and searched with the
    /// help of git. Large files that are kept outside the objects are as they are.
    fn below(&mut self, folder: &Path, kind: SurroundingKind, depth: usize) {
        let has_objects = kind == GitFile && folder.file_name().is_none_or(|own| own != "lfs");
        for item in self.items(folder) {
            let path = folder.join(&item.name);
            match item.kind {
                ItemKind::File => self.add(path, kind),
                ItemKind::Folder if has_objects && item.name == "objects" => {}
                ItemKind::Folder if self.goes_below(depth) => self.below(&path, kind, depth + 1),
                _ => {}
            }
        }
    }

    /// Adds what an agent imports: a file, or all in a folder.
    fn imported(&mut self, path: &Path) {
        match self.own_kind(path) {
            Some(ItemKind::File) => self.add(path.to_owned(), Import),
            Some(ItemKind::Folder) => self.below(path, Import, 0),
            _ => {}
        }
    }

    fn here(&mut self, folder: &Path) {
        for item in self.items(folder) {
            if item.kind == ItemKind::File && is_of_editor(&item.name) {
                self.add(folder.join(&item.name), Editor);
            }
        }
    }

    fn editor_files(&mut self, folder: &Path, depth: usize) {
        self.here(folder);
        for item in self.items(folder) {
            if item.kind == ItemKind::Folder && self.goes_below(depth) {
                self.editor_files(&folder.join(&item.name), depth + 1);
            }
        }
    }
}

/// True for the names of swap files, backups and auto-saves: `.a.md.swp`, `a.md~`, `#a.md#`, `.a.md.un~`.
fn is_of_editor(name: &OsStr) -> bool {
    let name = name.to_text();
    let is_swap =
        name.starts_with('.') && [".swp", ".swo", ".swn", ".kate-swp"].iter().any(|end| name.ends_with(end));
    is_swap
        || name.len() > 1 && name.ends_with('~')
        || name.len() > 2 && name.starts_with('#') && name.ends_with('#')
}

/// True if a name fits a part of a pattern, in which each `*` is any text.
fn fits(name: &OsStr, pattern: &str) -> bool {
    let name = name.to_text();
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(end) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::{RealDisk, write_new};

    #[test]
    fn files_are_found_by_where_programs_keep_them_and_by_how_editors_name_them() {
        let folder = crate::folder::new();
        let home = folder.path();
        let made = ".bash_history .local/share/Trash/files/deep/a.md .agent/projects/x/one.jsonl \
            .agent/projects/x/memory/a.md .agent/projects/x/memory/.a.md.swp .agent/projects/x/memory/a.md~ \
            .agent/sessions/2026/01/r.jsonl other.txt";
        for path in made.split(' ') {
            write_new(&home.join(path), b"x").unwrap();
        }
        let patterns = [
            SurroundingPattern::new(SurroundingKind::Transcript, ".agent/projects/*/*.jsonl"),
            SurroundingPattern::new(SurroundingKind::Transcript, ".agent/sessions/**/*.jsonl"),
        ];
        let roots = [home.join(".agent/projects/x/memory")];
        let mut unread = Vec::new();
        let places = SearchPlaces { home: Some(home), roots: &roots, ..SearchPlaces::default() };
        let all = files(&RealDisk, places, &[], &patterns, &mut unread);
        let names: Vec<String> =
            all.iter().map(|own| own.path.strip_prefix(home).unwrap().to_text().into_owned()).collect();
        let expected = ".agent/projects/x/memory/.a.md.swp .agent/projects/x/memory/a.md~ \
            .agent/projects/x/one.jsonl .agent/sessions/2026/01/r.jsonl .bash_history \
            .local/share/Trash/files/deep/a.md";
        assert_eq!(names, expected.split(' ').collect::<Vec<_>>());
        assert!(unread.is_empty());
    }

    #[test]
    fn each_place_of_a_program_is_searched_and_has_its_kind() {
        let folder = crate::folder::new();
        let (home, project) = (folder.path(), folder.path().join("work/shop"));
        let base = |base: PatternBase| match base {
            PatternBase::Home => home.to_owned(),
            PatternBase::Settings => home.join(SETTINGS[0]),
            PatternBase::Project => project.clone(),
        };
        let path = |path: &str| path.replace("**", "a/b").replace('*', "x");
        let files_of = |pattern: &SurroundingPattern| {
            let paths = pattern.paths.split(' ');
            paths.map(|file| (base(pattern.base).join(path(file)), pattern.kind)).collect::<Vec<_>>()
        };
        let mut made = PROGRAMS.iter().flat_map(files_of).collect::<Vec<_>>();
        assert!(made.len() > 120, "{}", made.len());
        let places = FORMATS.iter().flat_map(|format| format.about().instructions);
        let instructions = places.map(|place| match place.base {
            crate::format::InstructionBase::Home => (home.join(path(place.path)), Instructions),
            _ => (project.join(path(place.path)), Instructions),
        });
        made.extend(instructions);
        // A place may be a file or a folder.
        made.retain(|(file, _)| file.exists() || write_new(file, b"x").is_ok());
        let projects = [project.clone()];
        let places = SearchPlaces { home: Some(home), projects: &projects, ..SearchPlaces::default() };
        let mut unread = Vec::new();
        let all = files(&RealDisk, places, &[], &[], &mut unread);
        for (path, kind) in &made {
            let found: Vec<_> = all.iter().filter(|file| file.path == *path).map(|file| file.kind).collect();
            assert_eq!(found, [*kind], "{path:?}");
        }
        assert!(unread.is_empty());
    }

    #[test]
    fn files_of_git_are_found_but_for_its_objects_also_of_a_further_work_tree() {
        let folder = crate::folder::new();
        let home = folder.path();
        let made = "HEAD worktrees/w/HEAD COMMIT_EDITMSG logs/HEAD objects/ab/cd lfs/objects/12/34 \
            modules/m/objects/1";
        for path in made.split(' ') {
            write_new(&home.join("own/.git").join(path), b"x").unwrap();
        }
        write_new(&home.join("own/.git/worktrees/w/commondir"), b"../..\n").unwrap();
        write_new(
            &home.join("other/.git"),
            format!("gitdir: {}/own/.git/worktrees/w\n", home.display()).as_bytes(),
        )
        .unwrap();
        let expected =
            "COMMIT_EDITMSG HEAD lfs/objects/12/34 logs/HEAD worktrees/w/HEAD worktrees/w/commondir";
        for tree in ["own", "other"].map(|own| home.join(own)) {
            let mut unread = Vec::new();
            let roots = [tree];
            let places = SearchPlaces { roots: &roots, ..SearchPlaces::default() };
            let all = files(&RealDisk, places, &roots, &[], &mut unread);
            let git = home.join("own/.git");
            let names: Vec<_> = all.iter().map(|own| own.path.strip_prefix(&git).unwrap()).collect();
            assert_eq!(names, expected.split(' ').map(Path::new).collect::<Vec<_>>());
            assert!(unread.is_empty());
        }
    }

    #[test]
    fn files_and_folders_beyond_a_limit_are_said_once() {
        let folder = crate::folder::new();
        for path in ["a.log", "b.log", "c.log", "one/two/d.log", "one/three/e.log"] {
            write_new(&folder.path().join(path), b"x").unwrap();
        }
        let found = |limits: [usize; 2]| {
            let mut unread = Vec::new();
            let unread = &mut unread;
            let found = BTreeMap::new();
            let mut walk = SurroundingWalk { disk: &RealDisk, found, unread, limits, over: [false; 2] };
            walk.below(folder.path(), Trash, 0);
            walk.below(folder.path(), Trash, 0);
            walk.say_limits();
            (walk.found.len(), unread.clone())
        };
        assert_eq!(found([5, 2]), (5, Vec::new()));
        assert_eq!(found([2, 2]), (2, vec!["files beyond the first 2".to_owned()]));
        assert_eq!(found([5, 1]), (3, vec!["folders more than 1 levels deep".to_owned()]));
    }

    #[test]
    fn stars_are_any_text() {
        let fits = |name: &str, pattern: &str| super::fits(OsStr::new(name), pattern);
        assert!(fits("memories_1.sqlite", "*.sqlite*") && fits("memories_1.sqlite-wal", "*.sqlite*"));
        assert!(fits("a.jsonl", "*.jsonl") && fits("same", "same") && fits("state.db-shm", "state.db*"));
        assert!(!fits("a.json", "*.jsonl") && !fits("same2", "same") && !fits("sqlite", "*.sqlite*"));
    }
}
