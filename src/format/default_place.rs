//! The default places of a format's stores, as patterns: `.claude/projects/*/memory`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::FormatInfo;

impl FormatInfo {
    /// Returns all default places, the usual one first. None if its stores are anywhere.
    pub fn places(&self) -> impl Iterator<Item = &'static str> {
        let all = std::iter::once(self.place).chain(self.more_places.iter().copied());
        all.filter(|place| !place.is_empty())
    }

    /// Returns the longest default place that a folder's path ends with, if any.
    pub fn place_of(&self, root: &Path) -> Option<&'static str> {
        self.places().filter(|place| ends_in(root, place)).max_by_key(|place| place.len())
    }

    /// Returns the folder that contains a store at a default place: a project, unless the format's stores are in
    /// the home folder.
    pub fn folder_around(&self, root: &Path) -> Option<PathBuf> {
        let place = self.place_of(root).filter(|place| !self.is_below_home || *place != self.place)?;
        root.ancestors().nth(Path::new(place).iter().count()).map(Path::to_owned)
    }
}

fn ends_in(path: &Path, place: &str) -> bool {
    let mut own = path.iter().rev();
    Path::new(place).iter().rev().all(|part| own.next().is_some_and(|own| is_any(part) || own == part))
}

/// Returns the folders below `base` at a place. `folders` returns the names of the folders in a folder.
pub fn folders_at(base: &Path, place: &str, folders: &dyn Fn(&Path) -> Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = vec![base.to_owned()];
    for part in Path::new(place) {
        found = match is_any(part) {
            true => found.iter().flat_map(|own| folders(own)).collect(),
            false => found.into_iter().map(|own| own.join(part)).collect(),
        };
    }
    found
}

/// Returns the number of folders of a place after its last `*`: the folder there tells stores apart.
pub fn fixed_end(place: &str) -> usize {
    Path::new(place).iter().rev().take_while(|part| !is_any(part)).count()
}

fn is_any(part: &OsStr) -> bool {
    part == "*"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_with_a_star_is_found_in_every_folder() {
        let inner = |folder: &Path| match folder.ends_with("projects") {
            true => vec![folder.join("-a"), folder.join("-b")],
            false => Vec::new(),
        };
        let place = ".claude/projects/*/memory";
        let found = folders_at(Path::new("/home/m"), place, &inner);
        let expected = ["/home/m/.claude/projects/-a/memory", "/home/m/.claude/projects/-b/memory"];
        assert_eq!(found, expected.map(PathBuf::from));
        assert!(found.iter().all(|own| ends_in(own, place)) && fixed_end(place) == 1);
        assert!(!ends_in(Path::new("/projects/x/memory"), place) && ends_in(Path::new("/a/b/c"), "b/c"));
    }
}
