//! The names that programs give the folders of what they remember about a project: its path with `-` for signs.
//!
//! Claude Code and Qwen Code turn all but letters and digits of ASCII into `-`, and cut a name after 200 characters, with a
//! hash (documentation of Claude Code, page "sessions", 2026). Older versions kept `_` and others
//! (anthropics/claude-code#54255, 2026-04). Letters of drives come in either case (#39413, 2026-03).

use std::path::Path;

use crate::model::PathText;
use crate::model::project::is_of_windows;

/// A longer name is cut.
const LONGEST: usize = 200;

/// Returns the name that today's versions give the folder of a project; `None` if it has a hash.
pub fn slug_of(project: &Path) -> Option<String> {
    Some(folded(&project.to_text()).collect::<String>()).filter(|slug| slug.len() <= LONGEST)
}

/// Returns the names that versions give or gave the folder of a project, without those that have a hash.
pub fn spellings(project: &Path) -> Vec<String> {
    let text = project.to_text();
    let with_line = text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' });
    let mut all = vec![folded(&text).collect(), with_line.collect(), text.replace(['/', '\\', ':'], "-")];
    if is_of_windows(project) {
        let other = |name: &String| {
            [name[..1].to_lowercase(), name[..1].to_uppercase()].map(|drive| drive + &name[1..])
        };
        all = all.iter().flat_map(other).collect();
    }
    all.sort();
    all.dedup();
    all.retain(|name| name.len() <= LONGEST);
    all
}

/// True if a folder of this name may be that of a project, also in an older spelling.
pub fn is_slug_of(name: &str, project: &Path) -> bool {
    let text = project.to_text();
    let has_drive = is_of_windows(project);
    let is_same = |one: char, other: char| one == other || has_drive && one.eq_ignore_ascii_case(&other);
    let (mut one, mut other) = (folded(name), folded(&text));
    for _ in 0..LONGEST {
        match (one.next(), other.next()) {
            (None, None) => return true,
            (Some(one), Some(other)) if is_same(one, other) => {}
            _ => return false,
        }
    }
    one.next().is_some() == other.next().is_some()
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
            ("C:\\git\\x", vec!["C--git-x", "c--git-x"]),
            (&*long, cut.iter().map(String::as_str).collect()),
        ] {
            for name in names {
                assert!(is_slug_of(name, Path::new(path)) && is_slug(name), "{name}");
            }
        }
        assert_eq!(slug_of(Path::new("/home/m/my_shop.d")).as_deref(), Some("-home-m-my-shop-d"));
        assert_eq!(slug_of(Path::new(&long)), None);
        let both = |path: &str| spellings(Path::new(path)).join(" ");
        assert_eq!(both("/m/my_shop.d"), "-m-my-shop-d -m-my_shop-d -m-my_shop.d");
        assert_eq!(both("c:\\git"), "C--git c--git");
        assert!(!is_slug_of("-home-m-My-shop", Path::new("/home/m/my_shop")));
        assert!(!is_slug_of("-home-m-my-shop", Path::new("/home/m/my_shop/web")));
        assert!(!is_slug("shop") && !is_slug("c-shop"));
    }
}
