//! Reads the ends of a store's logs: all that adding a line needs, however long they are.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::{Disk, Item, ItemKind, optional};
use crate::format::writing::{AppendLookup, RecordDraft};
use crate::model::{Bytes, Document, Role, Store};

/// The largest small file, and the largest file whose lines are counted, in bytes.
const SMALL: u64 = 1 << 20;
const COUNTED: u64 = 16 << 20;

/// The number of bytes of a log's end that are read first, and at most. They hold its last two lines.
const FIRST: u64 = 4 << 10;
const MOST: u64 = 4 << 20;

/// Reads the end of a log, with its last two lines, as part of the whole; `None` if it is absent. Fails if it is no
/// regular file, it can't be read, or its last lines are longer than 4 MiB.
pub fn read(disk: &dyn Disk, path: &Path) -> io::Result<Option<Bytes>> {
    let Some(item) = look(disk, path)? else { return Ok(None) };
    let mut most = FIRST;
    loop {
        let from = item.generation.len.saturating_sub(most);
        let (bytes, _) = disk.read(path, from, None)?;
        if from == 0 || memchr::memchr_iter(b'\n', &bytes).nth(2).is_some() {
            return Ok(Some(Bytes::end_of_file(from as usize + bytes.len(), bytes)));
        }
        if most >= MOST {
            return Err(io::Error::other("its last lines are too long"));
        }
        most = (most * 8).min(MOST);
    }
}

/// Looks at a regular file; `None` if it is absent. Fails if it is something else, or can't be looked at.
pub fn look(disk: &dyn Disk, path: &Path) -> io::Result<Option<Item>> {
    match optional(disk.look(path))? {
        Some(item) if item.kind != ItemKind::File || item.link.is_some() => {
            Err(io::Error::other("it is not a regular file"))
        }
        item => Ok(item),
    }
}

/// Facts about a store on disk that need no look into long logs.
pub struct LogEnds<'a> {
    disk: &'a dyn Disk,
    store: &'a Store,
    /// The ids that were given last, by session and type.
    last: RefCell<HashMap<(String, String), String>>,
    /// The bytes and lines that will be added to each log.
    added: RefCell<HashMap<PathBuf, (u64, usize)>>,
    ids: RefCell<HashSet<String>>,
    /// The content and state of files at the first look: each added record asks again.
    texts: RefCell<HashMap<PathBuf, Option<Vec<u8>>>>,
    items: RefCell<HashMap<PathBuf, Option<Item>>>,
    /// The ids of the records that were read, filled when first needed.
    known: OnceCell<HashSet<(&'a Path, &'a str)>>,
}

impl<'a> LogEnds<'a> {
    /// Starts from what was read of a store, which may be nothing, and the ids that were given last.
    pub fn of(disk: &'a dyn Disk, store: &'a Store, last: HashMap<(String, String), String>) -> LogEnds<'a> {
        let (added, ids, texts, items, known) = Default::default();
        LogEnds { disk, store, last: last.into(), added, ids, texts, items, known }
    }

    /// Returns the ids that were given last, including those of records that will be added.
    pub fn last(self) -> HashMap<(String, String), String> {
        self.last.into_inner()
    }

    fn path(&self, file: &Path) -> PathBuf {
        self.store.root.join(file)
    }

    fn item(&self, file: &Path) -> io::Result<Option<Item>> {
        if let Some(item) = self.items.borrow().get(file) {
            return Ok(item.clone());
        }
        let item = look(self.disk, &self.path(file))?;
        self.items.borrow_mut().insert(file.to_owned(), item.clone());
        Ok(item)
    }

    fn known(&self) -> &HashSet<(&'a Path, &'a str)> {
        let of = |document: &'a Arc<Document>| {
            let ids = document.records.iter().filter_map(|record| record.id());
            ids.map(move |id| (document.path.as_path(), id))
        };
        self.known.get_or_init(|| self.store.documents.iter().flat_map(of).collect())
    }

    fn is_as_read(&self, log: &Path) -> bool {
        let now = self.item(log).ok().flatten();
        let was = self.store.document_at(log);
        matches!((now, was), (Some(now), Some(was)) if now.generation == was.generation && was.offset == 0)
    }
}

impl AppendLookup for LogEnds<'_> {
    fn small(&self, file: &Path) -> io::Result<Option<Vec<u8>>> {
        if let Some(text) = self.texts.borrow().get(file) {
            return Ok(text.clone());
        }
        let text = match self.item(file)? {
            Some(item) if item.generation.len > SMALL => return Err(io::Error::other("it is large")),
            Some(_) => Some(self.disk.read(&self.path(file), 0, Some(SMALL))?.0),
            None => None,
        };
        self.texts.borrow_mut().insert(file.to_owned(), text.clone());
        Ok(text)
    }

    fn len(&self, file: &Path) -> io::Result<Option<u64>> {
        let more = self.added.borrow().get(file).map_or(0, |own| own.0);
        Ok(self.item(file)?.map(|item| item.generation.len + more))
    }

    fn count(&self, file: &Path) -> io::Result<Option<usize>> {
        let more = self.added.borrow().get(file).map_or(0, |own| own.1);
        let Some(item) = self.item(file)? else { return Ok(None) };
        match self.store.document_at(file) {
            Some(own) if own.generation == item.generation => Ok(Some(own.records.len() + more)),
            _ if item.generation.len > COUNTED => Err(io::Error::other("it is large")),
            _ => {
                let (bytes, _) = self.disk.read(&self.path(file), 0, Some(COUNTED))?;
                Ok(Some(memchr::memchr_iter(b'\n', &bytes).count() + more))
            }
        }
    }

    fn is_folder(&self, folder: &Path) -> bool {
        let item = self.disk.look(&self.path(folder));
        item.is_ok_and(|item| item.kind == ItemKind::Folder && item.link.is_none())
    }

    fn last_id(&self, session: &str, kind: &str) -> Option<String> {
        self.last.borrow().get(&(session.to_owned(), kind.to_owned())).cloned()
    }

    fn has_id(&self, log: Option<&Path>, id: &str) -> Option<bool> {
        if self.ids.borrow().contains(id) {
            return Some(true);
        }
        let mut logs = self.store.documents.iter().filter(|own| own.role == Role::Records);
        let is_known = match log {
            Some(log) => self.is_as_read(log),
            None => !self.store.documents.is_empty() && logs.all(|own| self.is_as_read(&own.path)),
        };
        let has = || match log {
            Some(log) => self.known().contains(&(log, id)),
            None => self.known().iter().any(|(_, own)| *own == id),
        };
        is_known.then(has)
    }

    fn end(&self, log: &Path) -> io::Result<Option<Bytes>> {
        read(self.disk, &self.path(log))
    }

    fn added(&self, draft: &RecordDraft<'_>, id: Option<&str>, lines: &[(PathBuf, Vec<u8>)]) {
        for (path, line) in lines {
            let mut added = self.added.borrow_mut();
            let own = added.entry(path.clone()).or_default();
            *own = (own.0 + line.len() as u64, own.1 + 1);
        }
        let Some(id) = id else { return };
        self.ids.borrow_mut().insert(id.to_owned());
        // Only sessions and types with numbered ids have a last id.
        let key = draft.session.map(|session| (session.to_owned(), draft.kind.to_owned()));
        let mut all = self.last.borrow_mut();
        if let Some(last) = key.and_then(|key| all.get_mut(&key)) {
            *last = id.to_owned();
        }
    }
}
