//! Short names for open stores.

use std::collections::HashMap;
use std::path::Path;

use super::by_name;
use super::default_place::fixed_end;
use crate::model::PathText;

/// Folder names that many stores have. They don't distinguish stores.
const PLAIN: [&str; 7] = ["memory", "memories", ".memory", "data", "store", "storage", "agents"];
/// The most folders of a path in a name.
const DEEPEST: usize = 12;

/// Returns different names for stores (folder and format). A name is the folder that the store
/// belongs to: `shop` for `shop/.bmad/memory`. Equal ones become the format, a longer path, or get
/// a number. Untrusted text.
pub fn store_names(stores: &[(&Path, &str)]) -> Vec<String> {
    let mut names: Vec<Option<String>> = vec![None; stores.len()];
    for level in 0..=DEEPEST {
        let called: Vec<String> = stores.iter().map(|&store| called(store, level)).collect();
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
    let numbered = |(at, (name, &store)): (usize, (Option<String>, &(&Path, &str)))| {
        name.unwrap_or_else(|| format!("{} {}", called(store, 0), at + 1))
    };
    names.into_iter().zip(stores).enumerate().map(numbered).collect()
}

/// Returns the name of a store at a level: its folder, its format, then longer and longer paths.
fn called((root, format): (&Path, &str), level: usize) -> String {
    match level {
        0 => tail(folder_of(root, format), 1),
        1 => format.to_owned(),
        _ => tail(root, level),
    }
}

fn folder_of<'a>(root: &'a Path, format: &str) -> &'a Path {
    let place = by_name(format).and_then(|format| format.about().place_of(root));
    let up = place.map_or(0, fixed_end);
    let folder = root.ancestors().nth(up).unwrap_or(root);
    let is_plain =
        |path: &&Path| path.file_name().is_some_and(|name| PLAIN.iter().any(|plain| name == *plain));
    let named = |path: &&Path| path.file_name().is_some() && !is_plain(path);
    folder.ancestors().find(named).unwrap_or(folder)
}

fn tail(path: &Path, count: usize) -> String {
    let parts: Vec<String> = path.iter().map(|part| part.to_text().into_owned()).collect();
    parts[parts.len().saturating_sub(count)..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(stores: &[(&str, &str)]) -> Vec<String> {
        let stores: Vec<(&Path, &str)> =
            stores.iter().map(|(root, format)| (Path::new(root), *format)).collect();
        store_names(&stores)
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
        assert_eq!(named(&[("/a", "bmad"), ("/a", "bmad")]), ["a 1", "a 2"]);
    }
}
