//! Second versions of a file, by the names that other programs give them.

use std::path::{Path, PathBuf};

/// What Syncthing, ownCloud, Dropbox, Nextcloud, Seafile and pCloud put behind the name of a file that they set aside.
/// From docs.syncthing.net, opencloud-eu/docs conflict-files.md, rcfa/pCloudSync-deconflict, read 2026-11-29.
const MARKS: [&str; 4] = [".sync-conflict-", "_conflict-", "(", "["];
/// How they call it in the languages of Dropbox, in lower case.
const WORDS: [&str; 7] = ["conflict", "in konflikt", "n conflit", "m conflit", "冲突副本", "衝突", "競合"];

/// Returns the name of the file of which an editor or a merge left this older version beside it.
pub fn without_editors_mark(name: &str) -> Option<&str> {
    ["~", ".orig"].iter().find_map(|mark| name.strip_suffix(mark)).filter(|name| !name.is_empty())
}

/// Returns the file beside which a sync program set this one aside. A name of words alone, such as
/// `a (conflict of interest)`, is none.
pub fn set_aside(path: &Path) -> Option<PathBuf> {
    path.to_str().filter(|path| path.contains("onfli") || !path.is_ascii())?;
    first(path, |rest| {
        let rest = rest.to_ascii_lowercase();
        let is_sure = rest.contains("conflicted") || rest.contains(|c: char| c.is_ascii_digit());
        is_sure
            && MARKS.iter().any(|mark| rest.starts_with(mark))
            && WORDS.iter().any(|word| rest.contains(word))
    })
}

/// Returns the file that this one may be a second version of. Only their texts show whether it is: `a 2` (iCloud),
/// `a (1)` (Google Drive), `a copy` (Finder), `a - Copy` (Windows), `a-DESKTOP-1A2B` (OneDrive adds the computer).
pub fn maybe_second(path: &Path) -> Option<PathBuf> {
    first(path, |rest| {
        let number =
            rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).or(rest.strip_prefix(' '));
        let is_of_host = |c: &u8| c.is_ascii_uppercase() || c.is_ascii_digit() || *c == b'-';
        let is_host =
            |name: &[u8]| name.len() > 3 && name[0].is_ascii_uppercase() && name.iter().all(is_of_host);
        matches!(rest, " copy" | " - Copy")
            || number.is_some_and(|number| number.len() <= 3 && number.parse::<u16>().is_ok())
            || rest.strip_prefix('-').is_some_and(|name| is_host(name.as_bytes()))
    })
}

/// Returns the file whose name is the start of this one's, up to the first rest that is the mark of a second version.
fn first(path: &Path, is_mark: impl Fn(&str) -> bool) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let at = stem.char_indices().map(|(at, _)| at).skip(1).find(|at| is_mark(&stem[*at..]))?;
    let end = path.extension().and_then(|end| end.to_str()).map(|end| format!(".{end}")).unwrap_or_default();
    Some(path.with_file_name(format!("{}{end}", stem[..at].trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_second_versions_lead_to_the_first_and_plain_names_do_not() {
        let named = |find: fn(&Path) -> Option<PathBuf>, name: &str| {
            find(&Path::new("sub").join(name)).map(|path| path.to_str().unwrap().to_owned())
        };
        let second = "a b.sync-conflict-20260102-101010-ABCDEFG§a b (conflicted copy 2026-01-02)§\
            a b (Mia's conflicted copy)§a b (DESKTOP-1 conflict 2026-01-02)§\
            a b (SFConflict mia@x.org 2026-01-02-10-10-10)§a b_conflict-20260102-101010§a b [conflicted]§\
            a b[Conflict 1]§a b (Mias in Konflikt stehende Kopie 2026-01-02)§\
            a b (Copie en conflit de Mia 2026-01-02)§a b (Mia 的冲突副本 2026-01-02)§a b (Mia の競合コピー 2026-01-02)";
        for name in second.split('§').map(|name| format!("{name}.md")) {
            assert_eq!(named(set_aside, &name).as_deref(), Some("sub/a b.md"), "{name}");
        }
        for name in ["a b 2.md", "a b (1).md", "a b copy.md", "a b - Copy.md", "a b-LAPTOP-9.md"] {
            assert_eq!(named(maybe_second, name).as_deref(), Some("sub/a b.md"), "{name}");
        }
        for name in
            ["a (conflict of interest)", "merge_conflict", "a_conflict-free", "2 (2026)", "plan-2026", "2"]
        {
            assert_eq!([set_aside, maybe_second].map(|find| named(find, name)), [None, None], "{name}");
        }
    }
}
