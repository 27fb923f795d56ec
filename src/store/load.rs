//! Reads a store: files into documents, documents into a store.

pub mod assemble;
mod newest_files;
mod reuse;
pub mod tail;

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::compressed_files::{self, FileCompression, empty_document};
use super::discovery::{DiskProbe, Place};
use super::store_walk::{self, StoreFile};
use super::{own_files, parallel, parallel_read, referenced_files};
use crate::disk::{self, Disk, RealDisk, optional};
use crate::format::{self, AssemblyInput, Format, LockFact};
use crate::model::snapshot::Generation;
use crate::model::{
    Bytes, Document, Extent, KnownBy, LoadSettings, Moment, Project, Role, Snapshot, Store, UnreadPath,
    is_log,
};
pub use assemble::{empty_store, of_documents};

use assemble::put_together;
use tail::{SHORTEST_TAIL, TAIL, shift, waiting};

/// The largest file beside a store that is read, in bytes.
const BESIDE: u64 = 16 << 20;

/// Reads a store. Reading never fails: what can't be read becomes a problem.
///
/// `previous` is the same store as it was read before; unchanged files are taken from it. With
/// [`Extent::Newest`] only the newest entries are read, from the ends of the files that changed last, and
/// no problems are gathered.
pub fn load(place: &Place, extent: Extent, previous: Option<&Store>, now: Moment) -> Store {
    load_from(&RealDisk, place, extent, previous, now)
}

/// Reads several stores for the screens, side by side. `previous` holds them as they were read before. Of a large log
/// that has grown, only samples of the old part are compared ([`crate::store::has_misread`]).
pub fn load_each(places: &[Place], extent: Extent, previous: &Snapshot, now: Moment) -> Vec<Arc<Store>> {
    let before: HashMap<&Path, &Store> =
        previous.stores.iter().map(|store| (store.root.as_path(), &**store)).collect();
    let tail = (TAIL / places.len().max(1) as u64).max(SHORTEST_TAIL);
    let waits = if extent == Extent::Newest { waiting(places) } else { vec![false; places.len()] };
    let places: Vec<(&Place, bool)> = places.iter().zip(waits).collect();
    parallel::map_parallel(&places, |&(place, waits)| {
        let previous = before.get(place.root.as_path()).copied();
        let given = LoadContext { tail, previous, now, compares_samples: true };
        Arc::new(if waits { empty_store(place) } else { given.load(&RealDisk, place, extent) })
    })
}

/// Reads a store from a disk that the caller chooses.
pub fn load_from(
    disk: &dyn Disk,
    place: &Place,
    extent: Extent,
    previous: Option<&Store>,
    now: Moment,
) -> Store {
    LoadContext { tail: TAIL, previous, now, compares_samples: false }.load(disk, place, extent)
}

struct LoadContext<'a> {
    /// The number of bytes of a file's end that are read for the first screen.
    tail: u64,
    previous: Option<&'a Store>,
    now: Moment,
    /// True if samples of a large log that has grown are enough, and not all of it is compared.
    compares_samples: bool,
}

impl LoadContext<'_> {
    fn load(self, disk: &dyn Disk, place: &Place, extent: Extent) -> Store {
        let Some(format) = format::by_name(place.format) else {
            return unread(place, disk);
        };
        let now = self.now;
        let mut listing = match extent {
            Extent::Newest => newest_files::newest(disk, &place.root, format),
            _ => store_walk::walk(disk, &place.root, format, place.scope.as_deref()),
        };
        let loader = Loader { disk, root: &place.root, format, extent, given: self };
        let mut unread = Vec::new();
        let documents = match extent {
            Extent::Newest => loader.tails(&listing.files, &mut unread),
            _ => loader.whole(&listing.files, &mut unread),
        };
        let locks = loader.locks(&listing.files, &mut unread);
        let beside = (extent != Extent::Newest).then(|| loader.beside(&mut unread)).flatten();
        unread.iter().for_each(|(path, error)| listing.unreadable(path, &error.to_string()));
        let load_settings = load_settings(disk, &place.root, format);
        let (folders, outside_files) = (&listing.folders, beside.as_deref());
        let parts = AssemblyInput {
            documents: &documents,
            folders,
            locks: &locks,
            outside_files,
            load_settings: &load_settings,
        };
        let mut assembly = format.assemble(&parts, now);
        let probe = DiskProbe::new(disk);
        if extent != Extent::Newest {
            assembly.problems.extend(referenced_files::missing(disk, &place.root, format, &documents));
            format.drop_links_elsewhere(&mut assembly.problems, &place.root, &probe);
        }
        if extent == Extent::Memories {
            assembly.problems.retain(|own| own.record.is_some());
        }
        let store = put_together(place, format, extent, listing, documents, assembly);
        let known = loader.given.previous.and_then(|store| store.project.clone());
        let project = match &place.known_by {
            KnownBy::Setting(Some(folder)) => Some(Project::at(folder.clone(), true)),
            _ => known.filter(|project| project.is_there).or_else(|| format.project(&place.root, &probe)),
        };
        let is_asked = extent != Extent::Newest && place.known_by == KnownBy::Path;
        let unloaded = || format.unloaded(&place.root, project.as_ref(), &probe);
        let unloaded = is_asked.then(unloaded).flatten();
        Store { outside_files: beside.unwrap_or_default(), project, unloaded, load_settings, ..store }
    }
}

/// Files that exist and could not be read.
type UnreadFiles = Vec<(PathBuf, io::Error)>;

struct Loader<'a> {
    disk: &'a dyn Disk,
    root: &'a Path,
    format: &'a dyn Format,
    extent: Extent,
    given: LoadContext<'a>,
}

impl Loader<'_> {
    fn whole(&self, files: &[StoreFile], unread: &mut UnreadFiles) -> Vec<Arc<Document>> {
        let mut documents = Vec::with_capacity(files.len());
        let mut room = compressed_files::STORE_UNPACK_LIMIT;
        for found in files {
            if let Some(unchanged) = self.unchanged(found) {
                documents.extend(unchanged);
                continue;
            }
            match self.documents(found, &mut room) {
                // None if the file was removed after its folder was listed.
                Ok(own) => documents.extend(own.into_iter().flatten().map(|own| self.reuse_if_equal(own))),
                Err(error) => unread.push((found.path.clone(), error)),
            }
        }
        documents.sort_by(|a, b| a.path.cmp(&b.path));
        documents
    }

    /// Reads a file, and the files in it if it is an archive.
    fn documents(&self, found: &StoreFile, room: &mut u64) -> io::Result<Option<Vec<Document>>> {
        if let Some(grown) = self.grown(found) {
            return Ok(Some(vec![grown]));
        }
        // `locks` reads their content.
        if found.role == Role::Lock {
            return Ok(Some(vec![empty_document(found, found.item.generation)]));
        }
        // If content is not shown, it must only be readable.
        let is_index = found.role == Role::Index && self.extent == Extent::Memories;
        let limit = if found.role.is_content() && !is_index { None } else { Some(0) };
        let Some((bytes, generation)) = self.bytes(found, 0, limit)? else { return Ok(None) };
        Ok(Some(match FileCompression::of(&found.path) {
            _ if limit.is_some() => vec![empty_document(found, found.item.generation)],
            None => vec![self.read(found, bytes, 0, generation)],
            Some(packing) => packing.documents(found, &bytes, generation, room, self.format, self.given.now),
        }))
    }

    fn bytes(
        &self,
        found: &StoreFile,
        from: u64,
        limit: Option<u64>,
    ) -> io::Result<Option<(Vec<u8>, Generation)>> {
        optional(self.disk.read(&self.root.join(&found.path), from, limit))
    }

    fn read(
        &self,
        found: &StoreFile,
        bytes: impl Into<Bytes>,
        offset: u64,
        generation: Generation,
    ) -> Document {
        let bytes = bytes.into();
        let (role, path, now) = (found.role, &*found.path, self.given.now);
        let reading = match self.extent {
            Extent::Texts if !is_log(path) => self.format.read_records(role, path, &bytes, now),
            _ => parallel_read::read(self.format, (role, path, &bytes), now),
        };
        let len = offset + bytes.len() as u64;
        let mut document = Document {
            bytes,
            offset,
            len,
            records: reading.records,
            problems: reading.problems,
            ..empty_document(found, generation)
        };
        if offset > 0 {
            shift(&mut document);
        }
        document
    }

    /// Reads the format's files outside the store. Links out of the folder around it are not followed.
    fn beside(&self, unread: &mut UnreadFiles) -> Option<Vec<(PathBuf, Bytes)>> {
        let names = self.format.about().outside_files;
        let around = own_files::around(self.root, self.format).filter(|_| !names.is_empty())?;
        let mut found = Vec::new();
        for name in names {
            match self.one_beside(around, name) {
                Ok(bytes) => found.extend(bytes.map(|bytes| (PathBuf::from(name), bytes.into()))),
                Err(error) => unread.push((Path::new("..").join(name), error)),
            }
        }
        Some(found)
    }

    /// Reads a file in the folder around the store; none if it leads out of that folder.
    fn one_beside(&self, around: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        let read = || {
            let path = self.disk.real_path(&around.join(name))?;
            if !path.starts_with(self.disk.real_path(around)?) {
                return Ok(None);
            }
            let (bytes, _) = self.disk.read(&path, 0, Some(BESIDE + 1))?;
            if bytes.len() as u64 > BESIDE {
                return Err(io::Error::other("it is larger than 16 MiB"));
            }
            Ok(Some(bytes))
        };
        optional(read()).map(Option::flatten)
    }

    fn locks(&self, files: &[StoreFile], unread: &mut UnreadFiles) -> Vec<LockFact> {
        let mut facts = Vec::new();
        for found in files.iter().filter(|found| found.role == Role::Lock) {
            match self.bytes(found, 0, Some(4096)) {
                Ok(Some((bytes, generation))) => {
                    let holder_alive = process_number(&bytes).map(disk::is_alive);
                    let modified = Moment((generation.modified / 1000) as i64);
                    facts.push(LockFact { path: found.path.clone(), bytes, modified, holder_alive });
                }
                Ok(None) => {}
                Err(error) => unread.push((found.path.clone(), error)),
            }
        }
        facts
    }
}

/// Returns the process number in a lock: the one after `pid` (a timestamp may come first), or the first.
fn process_number(bytes: &[u8]) -> Option<i32> {
    let named = memchr::memmem::find(bytes, b"\"pid\"").unwrap_or(0);
    let bytes = bytes.get(named..)?;
    let start = bytes.iter().position(u8::is_ascii_digit)?;
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&bytes[start..start + digits]).ok()?.parse().ok()
}

/// Returns a store of a format that this version does not know.
fn unread(place: &Place, disk: &dyn Disk) -> Store {
    let modified = disk.look(&place.root).ok().map(|item| Moment((item.generation.modified / 1000) as i64));
    let why = format!("{} is not a format that this version knows", place.format);
    let unread = vec![UnreadPath { path: PathBuf::new(), why }];
    Store { extent: Extent::All, modified, unread, ..empty_store(place) }
}

/// The largest file of settings that is read, in bytes.
const SETTINGS: u64 = 1 << 20;

/// Returns the settings of a store; none if its format knows of none.
pub fn load_settings(disk: &dyn Disk, root: &Path, format: &dyn Format) -> LoadSettings {
    format.load_settings(root, &|path| match optional(disk.read(path, 0, Some(SETTINGS + 1))) {
        Ok(None) => None,
        Ok(Some((bytes, _))) if bytes.len() as u64 <= SETTINGS => Some(Ok(bytes)),
        Ok(Some(_)) => Some(Err("it is larger than 1 MiB".to_owned())),
        Err(error) => Some(Err(error.to_string())),
    })
}
