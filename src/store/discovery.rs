//! Finds stores by content: from a path that the user named, or from the default places.

mod folder_kind;
mod format_detection;
mod moved_places;
mod subfolders;

use std::collections::{BTreeSet, HashSet};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, Item, ItemKind, ItemName, RealDisk};
use crate::format::{self, FORMATS, Format, PlaceBase, Placement, StorePlace};
use crate::model::{AgentHome, KnownBy, PathText, Project, Store};

pub use format_detection::DiskProbe;
use format_detection::{FormatDetector, FormatVerdict, absolute};
pub use moved_places::with_sources;
use subfolders::SubfolderSearch;

/// The most folders that are searched below the working directory, which the user did not name.
const AROUND: usize = 10_000;

/// What is said if the search starts at home, which may have many folders.
pub const BELOW_HOME: &str = "Folders below home are not searched. Projects there are found if an agent's memories at \
                              home name them; else start palimp in the project, or name its folder.";

const ABSENT: &str = "not here";

/// The place of a store that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The store's root folder.
    pub root: PathBuf,
    /// The format's name.
    pub format: &'static str,
    /// The one session that the user pointed at, if any.
    pub session: Option<String>,
    /// The part of the store to read; `None` for all of it.
    pub scope: Option<String>,
    /// How its folder is known.
    pub known_by: KnownBy,
}

impl Place {
    /// Returns the place of a store that is read as a whole.
    pub fn whole(root: PathBuf, format: &'static str) -> Place {
        Place { root, format, session: None, scope: None, known_by: KnownBy::Path }
    }

    /// Returns the place of a store, to read the same part of it again.
    pub fn of(store: &Store) -> Place {
        let (scope, known_by) = (store.scope.clone(), store.known_by.clone());
        Place { scope, known_by, ..Place::whole(store.root.clone(), store.format) }
    }

    /// Returns the place with the scope that these files need: their session, if all are in one.
    pub fn with_files(&self, paths: &[PathBuf]) -> Place {
        let format = format::by_name(self.format);
        let mut sessions = paths.iter().map(|path| format?.session_of(path));
        let first = sessions.next().flatten();
        let session = first.filter(|first| sessions.all(|own| own.as_ref() == Some(first)));
        Place { scope: session, ..Place::whole(self.root.clone(), self.format) }
    }
}

/// A place where palimp looked, and what it found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveryResult {
    /// The folder or file.
    pub path: PathBuf,
    /// The stores in it, or a sentence that says why there is none.
    pub found: Result<Vec<Place>, String>,
    /// True if the path does not exist or the system refuses access.
    pub refused: bool,
    /// Folders at a format's default place that are no stores, with reasons: the path or below it.
    pub near_misses: Vec<(PathBuf, String)>,
    /// Paths that were not searched, with reasons. There may be stores in them.
    pub skipped: Vec<(PathBuf, String)>,
}

impl DiscoveryResult {
    pub fn at(path: &Path, found: Result<Vec<Place>, String>) -> DiscoveryResult {
        DiscoveryResult {
            path: path.to_owned(),
            found,
            refused: false,
            near_misses: Vec::new(),
            skipped: Vec::new(),
        }
    }
}

/// Looks at a store's root, a parent of it, a session's folder or a file. `forced` is from `--as`.
pub fn look_at(path: &Path, forced: Option<&str>) -> DiscoveryResult {
    let disk = &RealDisk;
    // `..` leads to the parent of the real folder, not of the name in the path.
    let climbs = path.components().any(|part| part == std::path::Component::ParentDir);
    let resolved = if climbs { disk.real_path(path).ok() } else { None };
    let path = resolved.as_deref().unwrap_or(path);
    let refused = |why| DiscoveryResult { refused: true, ..DiscoveryResult::at(path, Err(why)) };
    let item = match disk.look(path) {
        Ok(item) => item,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return refused("there is no such file or folder".into());
        }
        Err(error) => return refused(format!("it can't be looked at: {error}")),
    };
    if item.kind == ItemKind::Special {
        return DiscoveryResult::at(
            path,
            Err("neither a folder nor a regular file: it is not opened".into()),
        );
    }
    if item.kind == ItemKind::Folder
        && let Err(error) = disk.names(path, 1)
    {
        return refused(format!("it can't be listed: {error}"));
    }
    let judge = FormatDetector { disk, forced: forced.and_then(crate::format::by_name) };
    let (above, own) = at_or_above(&judge, path, &item);
    if let Some(place) = above {
        return DiscoveryResult::at(path, Ok(vec![place]));
    }
    let mut below = SubfolderSearch::new(&judge, usize::MAX);
    if item.kind == ItemKind::Folder {
        below.look(path);
    }
    let forced = || judge.forced.and_then(|format| by_force(path, &item, format));
    let found = match below.found.is_empty() {
        false => Ok(std::mem::take(&mut below.found)),
        true => forced().map(|place| vec![place]).ok_or_else(|| reason(&judge, path, &item, &own)),
    };
    let refused = found.is_err() && own.refused.is_some();
    DiscoveryResult {
        refused,
        near_misses: below.near_misses,
        skipped: below.skipped,
        ..DiscoveryResult::at(path, found)
    }
}

/// Finds the store that the path is the root or a part of, by its own name or by its real path.
fn at_or_above(judge: &FormatDetector<'_>, path: &Path, item: &Item) -> (Option<Place>, FormatVerdict) {
    let (mut above, own) = judge.at_or_above(path, item);
    let mut part = absolute(path).into_owned();
    if above.is_none()
        && let Ok(real) = judge.disk.real_path(path)
        && real != part
    {
        above = judge.at_or_above(&real, item).0;
        part = real;
    }
    let place = above.map(|above| {
        let session = session_named(&above.root, &part, item);
        place_of(&above.root, above.format, session)
    });
    (place, own)
}

/// Finds the place with `--as` if the content does not show it. A folder is a store's root. A file is a
/// part of the nearest folder in which the format has this file.
fn by_force(path: &Path, item: &Item, format: &dyn Format) -> Option<Place> {
    if item.kind == ItemKind::Folder {
        return Some(place_of(path, format, None));
    }
    let path = absolute(path);
    let has_it = |root: &&Path| {
        let relative = path.strip_prefix(root).unwrap_or(&path);
        matches!(format.place(relative, false), Placement::File(_))
    };
    let root = path.ancestors().skip(1).find(has_it)?;
    Some(place_of(root, format, session_named(root, &path, item)))
}

/// Returns each store once, with the path or link that named it first.
pub fn unique_places<'a>(places: impl Iterator<Item = &'a Place>) -> Vec<Place> {
    let mut known: HashSet<PathBuf> = HashSet::new();
    let is_new =
        |place: &&Place| known.insert(RealDisk.real_path(&place.root).unwrap_or_else(|_| place.root.clone()));
    places.filter(is_new).cloned().collect()
}

/// Looks at the default places in `folder`, in its parents and in the home folder, where variables and settings move
/// them, and at stores below `folder`.
pub fn look_around(folder: &Path, agents: &AgentHome) -> Vec<DiscoveryResult> {
    let home = agents.home.as_deref();
    let judge = FormatDetector { disk: &RealDisk, forced: None };
    let mut looked: Vec<DiscoveryResult> = within(&judge, folder, home).into_iter().collect();
    for base in folder.ancestors().chain(home) {
        for (format, place) in places_below(Some(base) == home) {
            let expected = if place.base == PlaceBase::Home { Some(base) == home } else { base == folder };
            let is_told = expected && place.path == format.about().usual_place();
            let paths = folders_at(judge.disk, base, Path::new(place.path));
            if is_told && paths.is_empty() {
                looked.push(DiscoveryResult::at(&base.join(place.path), Err(ABSENT.into())));
            }
            // What palimp only reads is not missed: other things of its program may be there.
            let is_missed = format.about().read_only.is_none();
            for path in paths {
                if looked.iter().any(|look| look.path == path) {
                    continue;
                }
                let look = default_place(&judge, &path, format);
                let has_near_miss = is_missed && !look.near_misses.is_empty();
                match look.found.is_ok() || has_near_miss {
                    true => looked.push(look),
                    false if is_told => looked.push(DiscoveryResult { near_misses: Vec::new(), ..look }),
                    false => {}
                }
            }
        }
        if Some(base) == home {
            break;
        }
    }
    moved_places::add(&mut looked, moved_places::of_variables(&RealDisk, agents));
    let projects = projects(&RealDisk, &looked, home);
    add_projects(&judge, &mut looked, &projects);
    if Some(folder) != home {
        looked.extend(nested(&judge, folder, &looked));
    }
    let around = folder.ancestors().take_while(|base| Some(*base) != home);
    let around = around.chain(projects.iter().map(PathBuf::as_path));
    moved_places::add(&mut looked, moved_places::of_settings(&RealDisk, around, agents));
    let roots: HashSet<PathBuf> = places_in(&looked).map(|place| place.root.clone()).collect();
    looked.retain(|look| look.found.is_ok() || !roots.contains(&look.path));
    looked
}

fn places_in(looked: &[DiscoveryResult]) -> impl Iterator<Item = &Place> {
    looked.iter().flat_map(|look| look.found.iter().flatten())
}

fn places_below(is_home: bool) -> impl Iterator<Item = (&'static dyn Format, &'static StorePlace)> {
    let of_format = |format: &'static &'static dyn Format| {
        format.about().places.iter().map(move |place| (*format, place))
    };
    FORMATS.iter().flat_map(of_format).filter(move |(_, place)| place.may_be_below(is_home))
}

fn projects(disk: &dyn Disk, looked: &[DiscoveryResult], home: Option<&Path>) -> BTreeSet<PathBuf> {
    let project = |place: &Place| format::by_name(place.format)?.project(&place.root, &DiskProbe::new(disk));
    let folder = |project: Project| project.folder().map(Path::to_owned);
    let folders = places_in(looked).filter_map(project).filter_map(folder);
    folders.filter(|folder| Some(folder.as_path()) != home).collect()
}

fn add_projects(judge: &FormatDetector<'_>, looked: &mut Vec<DiscoveryResult>, projects: &BTreeSet<PathBuf>) {
    let places = projects.iter().flat_map(|base| places_below(false).map(move |place| (base, place)));
    for (base, (format, place)) in places {
        for path in folders_at(judge.disk, base, Path::new(place.path)) {
            if looked.iter().all(|look| look.path != path) {
                let look = default_place(judge, &path, format);
                looked.extend(look.found.is_ok().then_some(look));
            }
        }
    }
}

/// Returns the folders at a default place below `base`, sorted. Links are not followed.
fn folders_at(disk: &dyn Disk, base: &Path, place: &Path) -> Vec<PathBuf> {
    let is_folder = |item: &ItemName| item.kind == ItemKind::Folder && !item.is_link;
    format::folders_at(base, place, &|folder| {
        let items = disk.names(folder, usize::MAX).unwrap_or_default().into_iter();
        items.filter(is_folder).map(|item| folder.join(&item.name)).collect()
    })
}

/// Finds the store that a folder is the root or a part of, also outside the default places.
fn within(judge: &FormatDetector<'_>, folder: &Path, home: Option<&Path>) -> Option<DiscoveryResult> {
    let item = judge.disk.look(folder).ok()?;
    let place = Place { session: None, ..at_or_above(judge, folder, &item).0? };
    // The user does not work in a store around the home folder, unless `folder` is its root.
    let is_around = home.is_some_and(|home| home.starts_with(&place.root) && folder != place.root);
    (!is_around).then(|| DiscoveryResult::at(&place.root.clone(), Ok(vec![place])))
}

/// Finds the stores below a folder that are not in `looked`.
fn nested(judge: &FormatDetector<'_>, folder: &Path, looked: &[DiscoveryResult]) -> Option<DiscoveryResult> {
    let mut below = SubfolderSearch::new(judge, AROUND);
    below.look(folder);
    let known: HashSet<&Path> = places_in(looked).map(|place| place.root.as_path()).collect();
    below.found.retain(|place| !known.contains(place.root.as_path()));
    let is_looked_at = |path: &Path| looked.iter().any(|look| look.path == path);
    below.near_misses.retain(|(path, _)| !is_looked_at(path));
    below.skipped.retain(|(path, _)| !is_looked_at(path));
    let found = if below.found.is_empty() { Err(ABSENT.into()) } else { Ok(below.found) };
    let is_worth = found.is_ok() || !below.near_misses.is_empty() || !below.skipped.is_empty();
    is_worth.then(|| DiscoveryResult {
        near_misses: below.near_misses,
        skipped: below.skipped,
        ..DiscoveryResult::at(folder, found)
    })
}

fn default_place(judge: &FormatDetector<'_>, path: &Path, format: &dyn Format) -> DiscoveryResult {
    if !judge.disk.look(path).is_ok_and(|item| item.kind == ItemKind::Folder) {
        return DiscoveryResult::at(path, Err(ABSENT.into()));
    }
    let verdict = judge.verdict(path, judge.forced.is_some());
    if let Some((format, _)) = verdict.store {
        return DiscoveryResult::at(path, Ok(vec![place_of(path, format, None)]));
    }
    let why = not_ours(&verdict, format);
    let unseen = verdict.refused.into_iter().map(|why| (path.to_owned(), why)).collect();
    DiscoveryResult {
        near_misses: vec![(path.to_owned(), why.clone())],
        skipped: unseen,
        ..DiscoveryResult::at(path, Err(why))
    }
}

/// Says why a folder at a format's default place is not a store.
fn not_ours(verdict: &FormatVerdict, format: &dyn Format) -> String {
    let own = verdict.why.iter().rfind(|(other, _)| other.name() == format.name());
    // A path that can't be looked at is a likelier reason than a missing file.
    let why = verdict.refused.as_ref().or(own.map(|(_, why)| why));
    format!("not a memory store: {}", why.map_or("it holds something else", |why| why.as_str()))
}

/// Makes the root absolute: a store has one name and its records one key, however the user names it.
fn place_of(root: &Path, format: &dyn Format, session: Option<String>) -> Place {
    Place { session, ..Place::whole(absolute(root).into_owned(), format.name()) }
}

fn session_named(root: &Path, path: &Path, item: &Item) -> Option<String> {
    let mut parts = path.strip_prefix(root).ok()?.iter();
    (parts.next()? == "sessions").then_some(())?;
    let session = parts.next()?;
    // A file directly in `sessions/` is no session.
    (item.kind == ItemKind::Folder || parts.next().is_some()).then(|| session.to_text().into_owned())
}

/// Says what a path is and why it leads to no store.
fn reason(judge: &FormatDetector<'_>, path: &Path, item: &Item, own: &FormatVerdict) -> String {
    if let Some(refused) = &own.refused {
        return format!("no store was found in it: {refused}");
    }
    if item.kind == ItemKind::File {
        let folder = absolute(path).parent().unwrap_or(path).to_text().into_owned();
        return format!("a file, and the folder that it is in ({folder}) is no memory store");
    }
    if judge.forced.is_some() {
        let why: Vec<&str> = own.why.iter().map(|(_, why)| why.as_str()).collect();
        return format!("no store is in it ({})", why.join("; "));
    }
    let near = own.why.iter().filter(|(format, _)| own.near.contains(&format.name()));
    let near: Vec<String> = near.map(|(format, why)| format!("not {}: {why}", format.name())).collect();
    match near.is_empty() {
        true => contents(judge, path),
        false => format!("no memory store ({}){}. {NAME_IT}", near.join("; "), kind_of(judge, path)),
    }
}

/// The most names of a folder's files that a message shows.
const NAMED: usize = 3;

const NAME_IT: &str = "If it is one, name its format with --as";

/// Describes a folder that has nothing of a store in it. The text is untrusted.
fn contents(judge: &FormatDetector<'_>, folder: &Path) -> String {
    let items = judge.disk.names(folder, usize::MAX).unwrap_or_default();
    if items.is_empty() {
        return "an empty folder. `palimp init` makes a store in it".into();
    }
    let mut names: Vec<String> =
        items.iter().map(|item| Path::new(&item.name).to_text().into_owned()).collect();
    names.sort();
    let more = if names.len() > NAMED { ", …" } else { "" };
    let named = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let what = if names.len() == 1 {
        "1 file or folder".into()
    } else {
        format!("{} files and folders", names.len())
    };
    format!("a folder with {what} ({named}{more}), and no memory store{}. {NAME_IT}", kind_of(judge, folder))
}

/// Returns what a folder seems to be, as a part of a sentence.
fn kind_of(judge: &FormatDetector<'_>, folder: &Path) -> String {
    let items = judge.disk.names(folder, usize::MAX).unwrap_or_default();
    let seems = folder_kind::seems_to_be(judge.disk, &absolute(folder), &items);
    seems.map_or(String::new(), |what| format!(": it seems to be {what}"))
}
