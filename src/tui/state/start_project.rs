//! The project that palimp was started in. Its memories come first.

use std::path::Path;

use crate::model::{Project, Snapshot};

/// The project that palimp was started in, if a store is of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StartProject {
    /// The name of its folder. Untrusted text.
    pub name: String,
    pub project: Option<Project>,
    /// For each store, true if it is of this project. Empty if there is none.
    pub stores: Vec<bool>,
}

impl StartProject {
    /// Finds the innermost project that a folder is in. The home folder is none, because it is around all of them.
    pub fn of(folder: &Path, home: Option<&Path>, snapshot: &Snapshot) -> StartProject {
        let is_around =
            |path: &&Path| folder.starts_with(path) && home.is_none_or(|home| !home.starts_with(path));
        let depth = |project: &Project| {
            let paths = [Some(project.path.as_path()), project.folder()];
            paths.into_iter().flatten().filter(is_around).map(|path| path.components().count()).max()
        };
        let projects = snapshot.stores.iter().filter_map(|store| store.project.as_ref());
        let innermost =
            projects.filter_map(|project| Some((depth(project)?, project))).max_by_key(|(depth, _)| *depth);
        let Some((_, start)) = innermost else { return StartProject::default() };
        let stores = snapshot.stores.iter().map(|store| store.is_of(start)).collect();
        StartProject { name: start.name(), project: Some(start.clone()), stores }
    }

    pub fn has(&self, store: usize) -> bool {
        self.stores.get(store).copied().unwrap_or_default()
    }

    /// True if some stores are of this project and others are not.
    pub fn is_part(&self) -> bool {
        self.stores.contains(&true) && self.stores.contains(&false)
    }
}
