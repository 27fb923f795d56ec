//! The stores that our own data knows. An interrupted change may leave a store whose files don't
//! show its format: palimp finds and settles it with this registry.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::disk::host::Host;
use crate::disk::{Disk, without_dots};
use crate::format;
use crate::model::Store;
use crate::store::discovery::Place;
use crate::store::steps::{real_of, way_to};
use crate::store::{CommitError, Vault};

const NAME: &str = "store.json";

/// A store, by its relative path from our data: both can be moved together.
#[derive(Serialize, Deserialize)]
struct RegisteredStore {
    #[serde(with = "crate::model::path_text::serde_path")]
    way: PathBuf,
    format: String,
}

/// Returns the stores with an interrupted change, of those whose root `is_asked` accepts.
pub fn interrupted_stores(disk: &dyn Disk, data: &Path, is_asked: &dyn Fn(&Path) -> bool) -> Vec<Place> {
    let folders = disk.list(&data.join("stores")).unwrap_or_default();
    let place = |name: &Path| {
        let (bytes, _) = disk.read(&data.join("stores").join(name).join(NAME), 0, None).ok()?;
        let named: RegisteredStore = serde_json::from_slice(&bytes).ok()?;
        let root = without_dots(&real_of(disk, data).join(named.way));
        let format = format::by_name(&named.format)?.name();
        let is_there = is_asked(&root) && disk.look(&root).is_ok();
        let is_cut = is_there && Vault::open_read_only(disk, data, &root).is_unfinished().unwrap_or(true);
        is_cut.then_some(Place::whole(root, format))
    };
    folders.iter().filter_map(|item| place(Path::new(&item.name))).collect()
}

/// True if no change of the store was interrupted; false if our own data can't be read.
pub fn is_settled(disk: &dyn Disk, data: &Path, root: &Path) -> bool {
    Vault::open_read_only(disk, data, root).is_settled().unwrap_or(false)
}

impl<'a> Vault<'a> {
    /// Opens the folder of a store. Notes which store this is, durably and only once.
    pub fn open_named(host: Host<'a>, store: &Store) -> Result<Vault<'a>, CommitError> {
        let vault = Vault::open(host.disk, host.data, &store.root)?;
        let path = vault.path(NAME);
        if host.disk.look(&path).is_ok() {
            return Ok(vault);
        }
        let way = way_to(&real_of(host.disk, host.data), &real_of(host.disk, &store.root));
        let named = serde_json::to_vec(&RegisteredStore { way, format: store.format.to_owned() });
        let bytes = named.map_err(|error| CommitError::own_data(&path, error.into()))?;
        vault.write_own_file(&path, &bytes).map(|()| vault)
    }
}
