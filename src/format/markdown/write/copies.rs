//! Copies files that are memories, each with its line in the index.
//!
//! Choices where the facts are silent:
//! - A copy goes to a folder of the store that has memories; `.` is the store's own.
//! - The first copy of a name ends in `-2`, the next one in `-3`: the file, and `name` or `title` in its front matter. So
//!   no link to the original leads to the copy.
//! - Its line is that of the original with the new path, below it. If the original has none for itself, it is that of a
//!   new topic.
//! - Links in the copy to memories lead where those of the original lead. Other links keep their text.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::index_edit;
use super::moved_links::{MovedFile, folded_names, from_folder, names_of_others};
use crate::format;
use crate::format::markdown::assembly::fold;
use crate::format::markdown::families::family;
use crate::format::markdown::family::Family;
use crate::format::notes::edit::text_of;
use crate::format::notes::note_file::stem;
use crate::format::writing::{ChangesResult, Refusal, Result, WriteContext};
use crate::model::{Change, Document, Entry, PathText, Role, Store};
use crate::text::front_matter::Note;
use crate::text::front_matter::edit::{NewYamlValue, set_line};

/// The store's own folder.
const OWN: &str = ".";

/// Returns the folders of a store that have memories, and its own.
pub fn folders(store: &Store) -> Vec<String> {
    let files = store.documents.iter().filter(|document| document.role == Role::Records);
    let folders = files.filter_map(|document| document.path.parent()).map(PathText::to_text);
    let below = folders.filter(|folder| !folder.is_empty()).map(std::borrow::Cow::into_owned);
    let below: BTreeSet<String> = below.collect();
    std::iter::once(OWN.to_owned()).chain(below).collect()
}

/// Returns the changes that copy files to a folder, and add their lines to the index.
pub fn copied(
    context: &WriteContext<'_>,
    entries: &[Entry],
    to: &str,
    given: &HashSet<String>,
) -> ChangesResult {
    let store = context.store;
    let family = family(store).ok_or_else(|| Refusal::unfit("the format is not known."))?;
    let folder = folder_of(store, to)?;
    let mut taken = names_of_others(store, &|_| true);
    taken.extend(given.iter().flat_map(|id| [id, id.rsplit('/').next().unwrap_or(id)]).map(fold));
    let (mut changes, mut lines) = (Vec::new(), Vec::new());
    for entry in entries {
        let document = store.document(entry);
        let (path, text) = copy(family, (store, document), &folder, &taken)?;
        taken.extend(folded_names(family, &text, &path));
        if let Some(index) = family.index {
            let others = names_of_others(store, &|other| other != entry);
            let copy =
                MovedFile::of(family, (&document.path, text_of(document)?), (path.clone(), &text), others);
            lines.push(index_line((store, index), entry, &copy)?);
        }
        changes.push(Change::create(path, text.into_bytes()));
    }
    let index = family.index.map(|index| index_edit::with_lines(store, index, lines)).transpose()?;
    changes.extend(index);
    Ok(changes)
}

fn folder_of(store: &Store, to: &str) -> Result<PathBuf> {
    let name = to.strip_prefix("./").unwrap_or(to).trim_end_matches('/');
    let name = if name.is_empty() { OWN } else { name };
    match folders(store).iter().any(|own| own == name) {
        true if name == OWN => Ok(PathBuf::new()),
        true => Ok(name.into()),
        false => Err(Refusal::new(
            "E_SESSION_NOT_FOUND",
            format!("there is no folder {to:?} with memories in it; `.` is that of the store itself."),
        )),
    }
}

/// Returns the path and the text of a copy with the first free name.
fn copy(
    family: &'static Family,
    (store, document): (&Store, &Document),
    folder: &Path,
    taken: &HashSet<String>,
) -> Result<(PathBuf, String)> {
    let text = text_of(document)?;
    let note = Note::read(text);
    let named = ["name", "title"].into_iter().find_map(|field| Some((field, note.field(field)?.line_text())));
    let text = from_folder(text, document.path.parent().unwrap_or(Path::new("")), folder);
    for number in 2.. {
        let path = folder.join(format!("{}-{number}.md", stem(&document.path)));
        let text = match &named {
            Some((field, name)) if !name.is_empty() => {
                set_line(&text, field, NewYamlValue::Text(&format!("{name}-{number}")))?
            }
            _ => text.clone(),
        };
        let is_file = |other: &Document| other.path.to_text().eq_ignore_ascii_case(&path.to_text());
        if folded_names(family, &text, &path).is_disjoint(taken)
            && !store.documents.iter().any(|own| is_file(own))
        {
            return Ok((path, text));
        }
    }
    Err(Refusal::unfit("there is no other name for it."))
}

/// Returns the line of a copy, and where it goes.
fn index_line(
    (store, index): (&Store, &str),
    entry: &Entry,
    copy: &MovedFile<'_>,
) -> Result<(usize, String)> {
    let text = index_edit::index_text(store, index)?;
    Ok(match index_edit::lines_to(text, &[copy.old]).first() {
        Some(line) => {
            let own = text.get(line.range()).unwrap_or_default().trim_end_matches(['\r', '\n']);
            (line.end as usize, copy.followed(own, Path::new(index)))
        }
        None => {
            let line = index_edit::line(&copy.new, format::title(store, entry).raw());
            (index_edit::end_of_lines(text), line)
        }
    })
}
