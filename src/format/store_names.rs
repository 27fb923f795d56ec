//! Short names for open stores.

use std::collections::HashMap;
use std::path::Path;

use super::by_name;
use super::store_place::fixed_end;
use crate::model::{PathText, ProjectRelation, Snapshot, Store};

/// Folder names that many stores have. They don't distinguish stores.
const PLAIN: [&str; 7] = ["memory", "memories", ".memory", "data", "store", "storage", "agents"];
/// The most folders of a path in a name.
const DEEPEST: usize = 12;

#[derive(Clone, Copy)]
struct NamedStore<'a> {
    root: &'a Path,
    format: &'a str,
    project: Option<&'a Path>,
}

/// Returns different names for stores, in their order. A name is the folder that the store belongs to: `shop` for
/// `shop/.bmad/memory`. Equal ones become the format, the folder with the format, a longer path, or get a number.
/// Untrusted text.
pub fn store_names(snapshot: &Snapshot) -> Vec<String> {
    different(&snapshot.stores.iter().map(|own| NamedStore::of(own)).collect::<Vec<_>>())
}

fn different(stores: &[NamedStore<'_>]) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; stores.len()];
    for level in 0..=DEEPEST {
        let called: Vec<String> = stores.iter().map(|store| store.called(level)).collect();
        let mut counts: HashMap<&str, usize> = HashMap::new();
        called.iter().for_each(|name| *counts.entry(name).or_default() += 1);
        for (name, called) in names.iter_mut().zip(&called) {
            if name.is_none() && counts.get(&**called) == Some(&1) {
                *name = Some(called.clone());
            }
        }
        if names.iter().all(Option::is_some) {
            break;
        }
    }
    let numbered = |(at, (name, store)): (usize, (Option<String>, &NamedStore<'_>))| {
        name.unwrap_or_else(|| format!("{} {}", store.called(0), at + 1))
    };
    names.into_iter().zip(stores).enumerate().map(numbered).collect()
}

impl<'a> NamedStore<'a> {
    fn of(store: &'a Store) -> NamedStore<'a> {
        // What was remembered in a work tree is named after it: the repository may have a store, too.
        let project = store.project.as_ref().map(|project| match &project.relation {
            ProjectRelation::WorkTree { path, .. } => path.as_path(),
            _ => project.path.as_path(),
        });
        NamedStore { root: &store.root, format: store.format, project }
    }

    /// Returns the name at a level: its folder, its format, then longer and longer paths.
    fn called(self, level: usize) -> String {
        let family = self.format.rsplit('/').next().unwrap_or_default();
        match (level, self.project) {
            (0, _) => tail(self.folder(), 1),
            // The family of a format says little without the project.
            (1, Some(project)) if family != self.format => format!("{}/{family}", tail(project, 1)),
            (1, _) => self.format.to_owned(),
            (_, Some(project)) => format!("{}/{family}", tail(project, level - 1)),
            (_, None) => tail(self.root, level),
        }
    }

    fn folder(self) -> &'a Path {
        let place = by_name(self.format).and_then(|format| format.about().place_of(self.root));
        let up = place.map_or(0, |place| fixed_end(place.path));
        let folder = self.project.or_else(|| self.root.ancestors().nth(up)).unwrap_or(self.root);
        let is_plain =
            |path: &&Path| path.file_name().is_some_and(|name| PLAIN.iter().any(|plain| name == *plain));
        let named = |path: &&Path| path.file_name().is_some() && !is_plain(path);
        folder.ancestors().find(named).unwrap_or(folder)
    }
}

fn tail(path: &Path, count: usize) -> String {
    let parts: Vec<String> = path.iter().map(|part| part.to_text().into_owned()).collect();
    parts[parts.len().saturating_sub(count)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(stores: &[(&str, &str)]) -> Vec<String> {
        let store = |&(root, format)| NamedStore { root: Path::new(root), format, project: None };
        different(&stores.iter().map(store).collect::<Vec<_>>())
    }

    #[test]
    fn a_store_has_the_name_of_the_folder_that_it_belongs_to() {
        assert_eq!(
            named(&[("/a/shop/.bmad/memory", "bmad"), ("/a/ops/memory", "session-log")]),
            ["shop", "ops"]
        );
        assert_eq!(named(&[("/a/team/agents/memories", "memory-server")]), ["team"]);
    }

    #[test]
    fn two_stores_have_two_names() {
        let same = [("/a/shop/.bmad/memory", "bmad"), ("/a/shop/memory", "session-log")];
        assert_eq!(named(&same), ["bmad", "session-log"]);
        let same = [("/a/shop/memory", "session-log"), ("/b/shop/memory", "session-log")];
        assert_eq!(named(&same), ["a/shop/memory", "b/shop/memory"]);
        let shop = |root: &'static str| NamedStore {
            project: Some(Path::new("/m/shop")),
            root: Path::new(root),
            format: "markdown/claude",
        };
        let serena = NamedStore { format: "markdown/serena", ..shop("/m/shop/.serena/memories") };
        let other = NamedStore { project: Some(Path::new("/m/web")), ..shop("/c/-m-web/memory") };
        assert_eq!(different(&[shop("/c/-m-shop/memory"), other]), ["shop", "web"]);
        let four =
            [shop("/c/-m-shop/memory"), serena, other, NamedStore { project: other.project, ..serena }];
        assert_eq!(different(&four), ["shop/claude", "shop/serena", "web/claude", "web/serena"]);
        assert_eq!(named(&[("/a", "bmad"), ("/a", "bmad")]), ["a 1", "a 2"]);
    }
}
