//! One store on a disk with palimp's data beside it, and the requests to it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palimp::disk::RealDisk;
use palimp::disk::host::Host;
use palimp::format;
use palimp::model::{EntryRef, Extent, Moment, Snapshot, Store};
use palimp::store::{Place, Vault, load};
use palimp::usecase::{
    self, ChangeRequest, CheckedStore, Command, PlannedChange, RecentSteps, Requester, ReverseLast,
    SilentObserver,
};

use super::stores::Gone;
use crate::support::{Files as Begun, files_below, lasting, run, write};

pub type Files = BTreeMap<PathBuf, Vec<u8>>;

pub struct Desk {
    folder: tempfile::TempDir,
    pub place: Place,
    pub now: Moment,
}

impl Desk {
    pub fn new(format: &'static str, root: &str, files: &Begun) -> Desk {
        let folder = crate::support::folder::new();
        let place = Place::whole(folder.path().join(root), format);
        for (path, bytes) in &files.0 {
            write(&place.root.join(path), bytes);
        }
        Desk { folder, place, now: Moment::parse("2026-02-01T12:00:00Z").unwrap().0 }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn host<'a>(&self, data: &'a Path) -> Host<'a> {
        Host::here(data, self.now)
    }

    pub fn store(&self) -> Arc<Store> {
        self.store_as(Extent::All)
    }

    pub fn store_as(&self, extent: Extent) -> Arc<Store> {
        Arc::new(load(&self.place, extent, None, self.now))
    }

    pub fn checked(&self) -> CheckedStore {
        usecase::check_store(&palimp::disk::RealDisk, Some(&self.data()), &self.store(), self.now)
    }

    pub fn request(&self, command: impl Command, at: &[EntryRef]) -> ChangeRequest {
        let snapshot = Arc::new(Snapshot::of(vec![self.store()]));
        let request =
            ChangeRequest::new(snapshot, Requester::Screen, Arc::new(command), self.data(), self.now);
        ChangeRequest { at: at.to_vec(), name: "it".into(), ..request }
    }

    pub fn plan(&self, command: impl Command, at: &[EntryRef]) -> Result<PlannedChange, String> {
        let data = self.data();
        usecase::plan(self.request(command, at), self.host(&data)).map_err(|failed| failed.told())
    }

    pub fn carry_out(&mut self, planned: PlannedChange) -> Result<(), String> {
        let data = self.data();
        let done = usecase::execute(
            planned,
            self.host(&data),
            &mut RecentSteps::default(),
            &mut SilentObserver,
            false,
        );
        self.now = self.now.plus(60_000_000);
        done.map(drop).map_err(|failed| failed.told())
    }

    pub fn change(&mut self, command: impl Command, at: &[EntryRef]) -> Result<(), String> {
        let planned = self.plan(command, at)?;
        self.carry_out(planned)
    }

    pub fn undo(&mut self) -> Result<(), String> {
        let request = self.request(ReverseLast { is_redo: false }, &[]);
        self.now = self.now.plus(60_000_000);
        usecase::plan_and_execute(&request, &mut RecentSteps::default()).map(drop)
    }

    pub fn verb(&self, words: &[&str]) -> Vec<serde_json::Value> {
        let (root, data, now) = (&self.place.root, self.data(), self.now.to_rfc3339());
        let own = ["--store", root.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--now", &now];
        run([words, &own, &["--as", self.place.format]].concat()).json_lines()
    }

    /// Copies the files with memories into palimp's data, as `backup create` does.
    pub fn back_up(&mut self) {
        let (store, data) = (self.store(), self.data());
        let vault = Vault::open(&RealDisk, &data, &store.root).unwrap();
        for document in palimp::usecase::files_to_back_up(&store) {
            vault.copy(&document.path, &document.bytes, self.now).unwrap();
        }
        self.now = self.now.plus(3_600_000_000);
    }

    /// Notes a memory that was deleted or erased on purpose.
    pub fn gone(&self, at: EntryRef, is_erased: bool) -> Gone {
        let store = self.store();
        let entry = &store.entries[at.entry as usize];
        let id = store.id(entry).map(str::to_owned);
        Gone { id, title: format::title(&store, entry).into_raw(), raw: store.raw(entry).to_vec(), is_erased }
    }

    pub fn path(&self, file: impl AsRef<Path>) -> PathBuf {
        self.place.root.join(file)
    }

    pub fn read(&self, file: impl AsRef<Path>) -> Option<Vec<u8>> {
        fs::read(self.path(file)).ok()
    }

    /// Writes a file as other programs do.
    pub fn write(&self, file: impl AsRef<Path>, bytes: &[u8]) {
        write(&self.path(file), bytes);
    }

    pub fn append(&self, file: &str, more: &[u8]) {
        let bytes = [self.read(file).unwrap_or_default(), more.to_vec()].concat();
        self.write(file, &bytes);
    }

    /// Every file of the store and around it, except locks and copies.
    pub fn files(&self) -> Files {
        lasting(&self.folder.path().join("site"))
    }

    /// Every file, including palimp's data.
    pub fn everything(&self) -> Files {
        files_below(self.folder.path())
    }

    pub fn put_back(&mut self, all: &Files, now: Moment) {
        for item in fs::read_dir(self.folder.path()).unwrap() {
            fs::remove_dir_all(item.unwrap().path()).unwrap();
        }
        all.iter().for_each(|(path, bytes)| write(path, bytes));
        self.now = now;
    }
}
