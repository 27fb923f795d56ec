//! Where stores are: by content, from a path that the user named or from the default
//! places.

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Item, ItemKind, Real};
use crate::format::glance::{Glance, HEAD};
use crate::format::{FORMATS, Format};

/// How many names of one folder detection looks at.
const NAMES: usize = 4_096;
/// How deep below a named folder stores are looked for, and in how many folders at most.
const DEPTH: usize = 4;
const FOLDERS: usize = 4_000;
/// In how many below the working directory, which nobody named.
const FOLDERS_AROUND: usize = 1_000;
/// Folders that hold other programs' things in great number.
const SKIPPED: [&str; 5] = [".git", "node_modules", "target", ".cache", ".venv"];

/// What is said of a default place where nothing stands.
const ABSENT: &str = "not here";

/// A place where a store was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The store's root folder.
    pub root: PathBuf,
    /// The format's name.
    pub format: &'static str,
    /// The one session that the user pointed at, if they pointed at one.
    pub session: Option<String>,
}

/// Where the program looked, and what it found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The folder or file.
    pub path: PathBuf,
    /// The stores in it, or why there is none (a sentence).
    pub found: Result<Vec<Place>, String>,
    /// Whether the system refused to say.
    pub refused: bool,
    /// Folders that stand where a format has its stores and are none, with the reason:
    /// within the place, or the place itself.
    pub alike: Vec<(PathBuf, String)>,
}

/// Looks at a path that the user named: a store's root, a parent of it, a session's
/// folder or a single file. `forced` is the format of `--as`.
pub fn look_at(path: &Path, forced: Option<&str>) -> Looked {
    let disk = &Real;
    // `..` leads where the folder stands, not where its name says.
    let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
    let resolved = if climbs { disk.real_path(path).ok() } else { None };
    let path = resolved.as_deref().unwrap_or(path);
    let looked = |found| Looked { path: path.to_owned(), found, refused: false, alike: Vec::new() };
    let item = match disk.look(path) {
        Ok(item) => item,
        Err(error) => {
            return Looked { refused: true, ..looked(Err(format!("it can't be looked at: {error}"))) };
        }
    };
    if item.kind == ItemKind::Special {
        return looked(Err("it is neither a folder nor a regular file, and is not opened".into()));
    }
    if item.kind == ItemKind::Folder
        && let Err(error) = disk.list(path)
    {
        return Looked { refused: true, ..looked(Err(format!("it can't be listed: {error}"))) };
    }
    let format = forced.and_then(crate::format::by_name);
    let mut why = Vec::new();
    let found = at_or_above(disk, path, &item, format, &mut why).map(|place| vec![place]);
    let mut nested =
        Nested { disk, forced: format, seen: 0, most: FOLDERS, found: Vec::new(), alike: Vec::new() };
    let found = found.or_else(|| {
        nested.below(path, 0);
        (!nested.found.is_empty()).then(|| std::mem::take(&mut nested.found))
    });
    Looked { alike: nested.alike, ..looked(found.ok_or_else(|| reason(path, &item, why))) }
}

/// The places, each store once, by whichever path or link it was named first.
pub fn once<'a>(places: impl Iterator<Item = &'a Place>) -> Vec<Place> {
    let mut real: Vec<PathBuf> = Vec::new();
    let mut own = Vec::new();
    for place in places {
        let root = Real.real_path(&place.root).unwrap_or_else(|_| place.root.clone());
        if !real.contains(&root) {
            real.push(root);
            own.push(place.clone());
        }
    }
    own
}

/// Looks at the default places: those from `folder` upward, and those in `home`; and at
/// what is nested below `folder`.
pub fn look_around(folder: &Path, home: Option<&Path>) -> Vec<Looked> {
    let disk = &Real;
    let mut looked: Vec<Looked> = Vec::new();
    for base in folder.ancestors().chain(home) {
        for format in FORMATS {
            let path = base.join(format.default_place());
            if looked.iter().any(|look| look.path == path) {
                continue;
            }
            let found = default_place(disk, &path, *format);
            let expected = if is_of_home(*format) { Some(base) == home } else { base == folder };
            let is_alike = found.as_ref().is_err_and(|why| why != ABSENT);
            if found.is_ok() || expected || is_alike {
                let why = found.as_ref().err().filter(|_| is_alike).cloned();
                let alike = why.map(|why| (path.clone(), why)).into_iter().collect();
                looked.push(Looked { path, found, refused: false, alike });
            }
        }
        if Some(base) == home {
            break;
        }
    }
    if Some(folder) != home {
        looked.extend(nested(disk, folder, &looked));
    }
    let roots: Vec<PathBuf> =
        looked.iter().flat_map(|look| look.found.iter().flatten()).map(|place| place.root.clone()).collect();
    looked.retain(|look| look.found.is_ok() || !roots.contains(&look.path));
    looked
}

/// The stores below a folder that are not among those that were looked at.
fn nested(disk: &dyn Disk, folder: &Path, looked: &[Looked]) -> Option<Looked> {
    let mut nested =
        Nested { disk, forced: None, seen: 0, most: FOLDERS_AROUND, found: Vec::new(), alike: Vec::new() };
    nested.below(folder, 0);
    let known: Vec<&Place> = looked.iter().flat_map(|look| look.found.iter().flatten()).collect();
    nested.found.retain(|place| !known.iter().any(|own| own.root == place.root));
    nested.alike.retain(|(path, _)| !looked.iter().any(|look| look.path == *path));
    let path = folder.to_owned();
    let found = if nested.found.is_empty() { Err(ABSENT.into()) } else { Ok(nested.found) };
    let is_worth = found.is_ok() || !nested.alike.is_empty();
    is_worth.then_some(Looked { path, found, refused: false, alike: nested.alike })
}

/// `memory-server` stands below the home folder, the others below a project.
fn is_of_home(format: &dyn Format) -> bool {
    format.name() == "memory-server"
}

fn default_place(disk: &dyn Disk, path: &Path, format: &dyn Format) -> Result<Vec<Place>, String> {
    match disk.look(path) {
        Ok(item) if item.kind == ItemKind::Folder => {
            let why = |why| format!("not one of ours, because {why}");
            recognised(disk, path, format, true).map(|()| vec![place_of(path, format, None)]).map_err(why)
        }
        _ => Err(ABSENT.into()),
    }
}

/// Roots are absolute, so that a store has one name and its records one key from wherever
/// it is named.
fn place_of(root: &Path, format: &dyn Format, session: Option<String>) -> Place {
    let root = std::path::absolute(root).unwrap_or_else(|_| root.to_owned());
    Place { root, format: format.name(), session }
}

/// The store whose root is the path, or a folder that it stands in.
fn at_or_above(
    disk: &dyn Disk,
    path: &Path,
    item: &Item,
    forced: Option<&dyn Format>,
    why: &mut Vec<String>,
) -> Option<Place> {
    let folder = if item.kind == ItemKind::Folder { path } else { path.parent()? };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    // The session's folder and what stands between it and the root: two folders up.
    for (up, root) in climb(folder).into_iter().enumerate() {
        for format in
            FORMATS.iter().copied().filter(|f| forced.is_none_or(|forced| forced.name() == f.name()))
        {
            // What a folder is called costs nothing; what it holds is looked up.
            if !belongs(&root, path, format, up) {
                continue;
            }
            let named = forced.is_some() && up == 0;
            match recognised(disk, &root, format, named || at_default_place(&root, format)) {
                Ok(()) => {
                    return Some(place_of(&root, format, session_named(&root, path)));
                }
                Err(reason) if up == 0 && named => why.push(reason),
                Err(reason) if up == 0 => why.push(format!("not {}: {reason}", format.name())),
                _ => {}
            }
        }
    }
    // `--as` settles it where the names do not.
    forced.filter(|_| item.kind == ItemKind::Folder).map(|format| place_of(folder, format, None))
}

/// The folder and the three above it, made absolute where the path is relative and short.
fn climb(folder: &Path) -> Vec<PathBuf> {
    let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut roots = vec![folder.to_owned()];
    roots.extend(absolute.ancestors().skip(1).take(3).map(Path::to_owned));
    roots
}

/// Whether a path below a root is one that the format knows; the root itself is.
fn belongs(root: &Path, path: &Path, format: &dyn Format, up: usize) -> bool {
    use crate::format::Placement;
    if up == 0 {
        return true;
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Ok(relative) = absolute.strip_prefix(root) else { return false };
    format.place(relative, true) == Placement::Enter || format.place(relative, false) != Placement::Unexpected
}

fn session_named(root: &Path, path: &Path) -> Option<String> {
    let root = std::path::absolute(root).ok()?;
    let absolute = std::path::absolute(path).ok()?;
    let relative = absolute.strip_prefix(root).ok()?.to_owned();
    let mut parts = relative.iter();
    (parts.next()? == "sessions").then_some(())?;
    parts.next().map(|name| name.to_string_lossy().into_owned())
}

/// Of two default places that end alike (`memory`, `.bmad/memory`) the longer one is meant.
fn at_default_place(root: &Path, format: &dyn Format) -> bool {
    let Ok(root) = std::path::absolute(root) else { return false };
    let own = format.default_place();
    let longer = |other: &&&dyn Format| other.default_place().len() > own.len();
    root.ends_with(own) && !FORMATS.iter().filter(longer).any(|other| root.ends_with(other.default_place()))
}

/// A look at what lies below a folder.
struct Nested<'a> {
    disk: &'a dyn Disk,
    forced: Option<&'a dyn Format>,
    /// How many folders were looked at, and how many may be.
    seen: usize,
    most: usize,
    found: Vec<Place>,
    alike: Vec<(PathBuf, String)>,
}

impl Nested<'_> {
    /// Finds the stores, nearest first; a store's own folders are not looked into.
    fn below(&mut self, folder: &Path, depth: usize) {
        let Ok(items) = self.disk.list(folder) else { return };
        let inner = items.iter().filter(|item| item.kind == ItemKind::Folder && item.link.is_none());
        for item in inner.filter(|item| !SKIPPED.iter().any(|name| item.name == *name)) {
            self.seen += 1;
            if self.seen > self.most {
                return;
            }
            let path = folder.join(&item.name);
            let forced = self.forced;
            let formats =
                FORMATS.iter().copied().filter(|own| forced.is_none_or(|forced| forced.name() == own.name()));
            let mut is_store = false;
            // `.bmad/memory` ends in `memory` too: the longest name says whose place it is.
            let mut alike: Option<(usize, String)> = None;
            for format in formats {
                let expected = at_default_place(&path, format);
                match recognised(self.disk, &path, format, expected) {
                    Ok(()) => {
                        self.found.push(place_of(&path, format, None));
                        is_store = true;
                        break;
                    }
                    Err(why) if expected => {
                        let long = format.default_place().len();
                        alike = alike.filter(|(other, _)| *other > long).or(Some((long, why)));
                    }
                    Err(_) => {}
                }
            }
            if is_store {
                continue;
            }
            self.alike
                .extend(alike.map(|(_, why)| (path.clone(), format!("not one of ours, because {why}"))));
            if depth + 1 < DEPTH {
                self.below(&path, depth + 1);
            }
        }
    }
}

fn reason(path: &Path, item: &Item, why: Vec<String>) -> String {
    if item.kind == ItemKind::File {
        let folder = path.parent().unwrap_or(path).display();
        return format!("it is a file, and the folder that it stands in ({folder}) is no store");
    }
    if why.is_empty() {
        "no store stands in it".into()
    } else {
        format!("no store stands in it ({})", why.join("; "))
    }
}

fn recognised(disk: &dyn Disk, root: &Path, format: &dyn Format, names_suffice: bool) -> Result<(), String> {
    let glance = DiskGlance { disk, names_suffice, refused: RefCell::new(None) };
    let outcome = format.recognise(root, &glance);
    // What could not be looked at is a likelier reason than what was not there.
    outcome.map_err(|why| glance.refused.into_inner().unwrap_or(why))
}

/// A glance at the real disk, or at one of a test.
struct DiskGlance<'a> {
    disk: &'a dyn Disk,
    names_suffice: bool,
    /// The first thing that the system did not let us look at, as a sentence.
    refused: RefCell<Option<String>>,
}

impl DiskGlance<'_> {
    fn names(&self, folder: &Path, kind: ItemKind) -> Vec<String> {
        let items = self.disk.list(folder).unwrap_or_else(|error| {
            self.note(folder, &error);
            Vec::new()
        });
        let named = items.into_iter().filter(|item| item.kind == kind).take(NAMES);
        named.map(|item| item.name.to_string_lossy().into_owned()).collect()
    }

    fn note(&self, path: &Path, error: &io::Error) {
        let absent = matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
        let mut refused = self.refused.borrow_mut();
        if !absent && refused.is_none() {
            *refused = Some(format!("{} can't be read: {error}", path.display()));
        }
    }
}

impl Glance for DiskGlance<'_> {
    fn names_suffice(&self) -> bool {
        self.names_suffice
    }

    fn folders(&self, folder: &Path) -> Vec<String> {
        self.names(folder, ItemKind::Folder)
    }

    fn files(&self, folder: &Path) -> Vec<String> {
        self.names(folder, ItemKind::File)
    }

    fn head(&self, file: &Path) -> Option<Vec<u8>> {
        let item = self.disk.look(file).ok()?;
        if item.kind != ItemKind::File {
            return None;
        }
        let read = self.disk.read(file, 0, Some(HEAD as u64));
        read.inspect_err(|error| self.note(file, error)).ok().map(|(bytes, _)| bytes)
    }
}
