//! Which stores our own data knows. A change that was cut short may leave a store in which
//! nothing says what it is: it is found, and settled, by what is known here.

use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::undo_step::{path_of, path_text};
use crate::disk::Disk;
use crate::format;
use crate::store::commit::CommitError;
use crate::store::commit::vault::{Vault, real_of, way_to};
use crate::store::discovery::Place;

/// What names a store within its folder of our data.
const NAME: &str = "store.json";

/// A store, by the way that leads to it from our data: both can be moved together.
#[derive(Serialize, Deserialize)]
struct RegisteredStore {
    way: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    hex: bool,
    format: String,
}

/// The stores with a change that was cut short, of those whose roots are asked about.
pub fn interrupted_stores(disk: &dyn Disk, data: &Path, is_asked: &dyn Fn(&Path) -> bool) -> Vec<Place> {
    let folders = disk.list(&data.join("stores")).unwrap_or_default();
    let place = |name: &Path| {
        let (bytes, _) = disk.read(&data.join("stores").join(name).join(NAME), 0, None).ok()?;
        let named: RegisteredStore = serde_json::from_slice(&bytes).ok()?;
        let root = without_dots(&real_of(disk, data).join(path_of(&named.way, named.hex)?));
        let format = format::by_name(&named.format)?.name();
        let is_there = is_asked(&root) && disk.look(&root).is_ok();
        let is_cut = is_there && Vault::open_read_only(disk, data, &root).is_unfinished().unwrap_or(true);
        is_cut.then_some(Place::whole(root, format))
    };
    folders.iter().filter_map(|item| place(Path::new(&item.name))).collect()
}

/// Whether no change of a store was cut short that has to be looked after; false where that can't be told.
pub fn is_settled(disk: &dyn Disk, data: &Path, root: &Path) -> bool {
    Vault::open_read_only(disk, data, root).is_settled().unwrap_or(false)
}

/// A path without links, made shorter by each `..` in it.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

impl Vault<'_> {
    /// Writes down which store this is, durably, once.
    pub fn name_store(&self, data: &Path, root: &Path, format: &str) -> Result<(), CommitError> {
        let path = self.path(NAME);
        if self.disk().look(&path).is_ok() {
            return Ok(());
        }
        let way = way_to(&real_of(self.disk(), data), &real_of(self.disk(), root));
        let (way, hex) = path_text(&way);
        let named = serde_json::to_vec(&RegisteredStore { way, hex, format: format.to_owned() });
        let bytes = named.map_err(|error| CommitError::own_data(&path, error.into()))?;
        self.write_own_file(&path, &bytes)
    }
}
