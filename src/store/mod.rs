//! Finding stores and loading them.

use std::path::{Path, PathBuf};

use crate::model::{Extent, Moment, Store};

/// A place where a store was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The store's root folder.
    pub root: PathBuf,
    /// The format's name.
    pub format: &'static str,
    /// The one session that the user pointed at, if they pointed at one.
    pub session: Option<String>,
    /// Whether this version reads the format's records.
    pub readable: bool,
}

/// Where the program looked, and what it found there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// The folder or file.
    pub path: PathBuf,
    /// The stores in it, or why there is none (a sentence).
    pub found: Result<Vec<Place>, String>,
}

/// Looks at a path that the user named: a store's root, a parent of it, a session's
/// folder or a single file. `forced` is the format of `--as`.
pub fn look_at(path: &Path, forced: Option<&str>) -> Looked {
    let _ = forced;
    Looked { path: path.to_owned(), found: Err("not written yet".into()) }
}

/// Looks at the default places: those from `folder` upward, and those in `home`.
pub fn look_around(folder: &Path, home: Option<&Path>) -> Vec<Looked> {
    let _ = (folder, home);
    Vec::new()
}

/// Reads a store. Reading never fails: what can't be read becomes a problem.
///
/// `previous` is the same store as it was read before; files that have not changed
/// since are taken from it. With [`Extent::Tail`] only the newest entries are read,
/// from the ends of the files that changed last, and no problems are gathered.
pub fn load(place: &Place, extent: Extent, previous: Option<&Store>, now: Moment) -> Store {
    let _ = (place, extent, previous, now);
    unimplemented!()
}
