//! A default place of stores, as data.

/// What the path of a default place is relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceBase {
    /// The home folder. The memories are about no project, unless a file beside them names one.
    Home,
    /// A project, which the memories are about; also the home folder.
    Project,
}

/// A default place of stores.
#[derive(Clone, Copy, Debug)]
pub struct StorePlace {
    /// What the path is relative to.
    pub base: PlaceBase,
    /// The path. `*` is any one folder, `a*` one whose name starts with `a`.
    pub path: &'static str,
    /// The program that reads the memories there.
    pub reader: &'static str,
    /// The variables of the environment that move it, each with the number of leading folders that its value replaces.
    pub moved_by: &'static [(&'static str, usize)],
}

impl StorePlace {
    /// Creates a place below the home folder.
    pub const fn home(path: &'static str, reader: &'static str) -> StorePlace {
        StorePlace { base: PlaceBase::Home, path, reader, moved_by: &[] }
    }

    /// Creates a place below a project.
    pub const fn project(path: &'static str, reader: &'static str) -> StorePlace {
        StorePlace { base: PlaceBase::Project, path, reader, moved_by: &[] }
    }

    /// Adds the variables that move it.
    pub const fn moved_by(self, moved_by: &'static [(&'static str, usize)]) -> StorePlace {
        StorePlace { moved_by, ..self }
    }

    /// True if it may be below this folder. Folders with a `*` are listed only in the home folder.
    pub fn may_be_below(&self, is_home: bool) -> bool {
        is_home || self.base == PlaceBase::Project || !self.path.contains('*')
    }
}
