//! The names that programs give the folders of what they remember about a project: its path with `-` for signs.
//!
//! Claude Code and Qwen Code turn all but letters and digits of ASCII into `-`, and cut a name after 200 characters, with a
//! hash (documentation of Claude Code, page "sessions", 2026). Older versions kept `_` and others
//! (anthropics/claude-code#54255, 2026-04). Letters of drives come in either case (#39413, 2026-03), and paths of Windows have
//! no case.

use std::path::Path;

use crate::model::PathText;
use crate::model::project::is_of_windows;

/// A longer name is cut.
const LONGEST: usize = 200;

/// Returns the name that today's versions give the folder of a project; `None` if it has a hash.
pub fn slug_of(project: &Path) -> Option<String> {
    Some(folded(&project.to_text()).collect::<String>()).filter(|slug| slug.len() <= LONGEST)
}

/// True if a folder of this name may be that of a project, also in an older spelling.
pub fn is_slug_of(name: &str, project: &Path) -> bool {
    let (text, has_cases) = (project.to_text(), !is_of_windows(project));
    let key = |c: char| if has_cases { c } else { c.to_ascii_lowercase() };
    let (mut one, mut other) = (folded(name).map(key), folded(&text).map(key));
    let is_alike = one.by_ref().take(LONGEST).eq(other.by_ref().take(LONGEST));
    // What follows in a longer name is a hash.
    is_alike && one.next().is_some() == other.next().is_some()
}

/// True if a name may be that of the folder of a project, whose path is absolute.
pub fn is_slug(name: &str) -> bool {
    let after_drive = name.strip_prefix(|c: char| c.is_ascii_alphabetic());
    name.starts_with('-') || after_drive.is_some_and(|rest| rest.starts_with("--"))
}

/// JavaScript replaces each of the two units of a sign beyond the first plane.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let one = |c: char| if c.is_ascii_alphanumeric() { (c, 1) } else { ('-', c.len_utf16()) };
    text.chars().map(one).flat_map(|(c, count)| std::iter::repeat_n(c, count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_project_is_known_and_no_other_project() {
        let long = format!("/home/m/{}", "deep/".repeat(60));
        let cut =
            ["0a", "9z"].map(|end| format!("{}-{end}", folded(&long).take(LONGEST).collect::<String>()));
        for (path, names) in [
            ("/home/m/my_shop.d", vec!["-home-m-my-shop-d", "-home-m-my_shop-d", "-home-m-my_shop.d"]),
            ("/home/é/a b", vec!["-home---a-b", "-home-é-a b"]),
            ("C:\\git\\x", vec!["C--git-x", "c--git-x", "c--Git-X"]),
            (&*long, cut.iter().map(String::as_str).collect()),
        ] {
            for name in names {
                assert!(is_slug_of(name, Path::new(path)) && is_slug(name), "{name}");
            }
        }
        assert_eq!(slug_of(Path::new("/home/m/my_shop.d")).as_deref(), Some("-home-m-my-shop-d"));
        assert_eq!(slug_of(Path::new(&long)), None);
        assert!(!is_slug_of("-home-m-My-shop", Path::new("/home/m/my_shop")));
        assert!(!is_slug_of("-home-m-my-shop", Path::new("/home/m/my_shop/web")));
        assert!(!is_slug("shop") && !is_slug("c-shop"));
    }
}
