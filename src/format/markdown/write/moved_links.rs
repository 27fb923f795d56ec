//! The links to a file that gets another path, or becomes a part of another file.

use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::format::markdown::assembly::fold;
use crate::format::markdown::family::Family;
use crate::format::markdown::references::{TextLink, links_in, mem_names, relative};
use crate::format::markdown::{layout, topic_file};
use crate::format::notes::note_file::stem;
use crate::model::{Entry, PathText, Store};
use crate::text::front_matter::{Note, YamlField};
use crate::text::part_range::part_range;
use crate::text::wiki_links;

/// A file whose memory is found elsewhere from now on.
pub struct MovedFile<'a> {
    pub family: &'static Family,
    pub old: &'a Path,
    pub new: PathBuf,
    /// What a link that leads to it is called from now on.
    pub id: String,
    /// The folded names by which links lead to it before, and no longer after.
    pub left: HashSet<String>,
    /// The folded ids and names of all other memories: a link that names one leads there.
    pub others: HashSet<String>,
}

/// Returns the folded names by which links lead to a file.
pub fn folded_names(family: &Family, text: &str, path: &Path) -> HashSet<String> {
    let note = Note::read(text);
    let name = note.field("name").map(YamlField::line_text);
    let id = layout::id_of(family, path);
    let names = topic_file::names_of(path, &id, name.as_deref());
    names.iter().chain([&id]).map(|name| fold(name)).collect()
}

/// Returns the folded ids and names of the memories that `is_other` accepts.
pub fn names_of_others(store: &Store, is_other: &dyn Fn(&Entry) -> bool) -> HashSet<String> {
    let views = store.entries.iter().filter(|own| is_other(own)).filter_map(|own| store.memory(own));
    let names = views.flat_map(|memory| memory.id().into_iter().chain(memory.names().map(|name| name.text)));
    names.map(fold).collect()
}

/// Returns the text of a file with links that lead to the same files from another folder.
pub fn from_folder(text: &str, before: &Path, after: &Path) -> String {
    let mut new = text.to_owned();
    let links = links_in(text).into_iter().filter(|link| !link.is_name && before != after);
    for link in links.collect::<Vec<_>>().into_iter().rev() {
        if let Some(path) = link.path(before) {
            let target = relative(after, &path).replace(' ', "%20");
            new.replace_range(part_range(text, link.target), &target);
        }
    }
    new
}

impl<'a> MovedFile<'a> {
    /// A file with its old and its new path, and its text before and where it is found after.
    pub fn of(
        family: &'static Family,
        (old, before): (&'a Path, &str),
        (new, after): (PathBuf, &str),
        others: HashSet<String>,
    ) -> MovedFile<'a> {
        let after = folded_names(family, after, &new);
        let left = folded_names(family, before, old).into_iter().filter(|name| !after.contains(name));
        MovedFile { family, old, id: layout::id_of(family, &new), new, left: left.collect(), others }
    }

    /// Returns a text of a file with links that lead to the new place.
    pub fn followed(&self, text: &str, file: &Path) -> String {
        let mut new = text.to_owned();
        for (range, becomes) in self.edits(text, file).into_iter().rev() {
            new.replace_range(range, &becomes);
        }
        new
    }

    /// Returns the edits that make the links of a text lead to the new place, in their order.
    fn edits(&self, text: &str, file: &Path) -> Vec<(Range<usize>, String)> {
        let mut edits = Vec::new();
        edits.extend(links_in(text).iter().flat_map(|link| self.file_link_edits(text, link, file)));
        if self.family.has_mem_references {
            let old = fold(&self.old.with_extension("").to_text());
            let names = mem_names(text).filter(|name| fold(name) == old);
            edits.extend(names.map(|name| (part_range(text, name), self.id.clone())));
        }
        wiki_links::links(text, &mut |link| {
            let target = wiki_links::target(link);
            if self.left.contains(&fold(target)) && !self.others.contains(&fold(target)) {
                edits.push((part_range(text, target), self.id.clone()));
            }
        });
        edits.sort_by_key(|(range, _)| range.start);
        // What one edit replaces is not changed by another.
        let mut end = 0;
        edits.retain(|(range, _)| {
            let is_apart = range.start >= end;
            end = if is_apart { range.end } else { end };
            is_apart
        });
        edits
    }

    /// Returns the edits of a link to a file, or of its name. A title that is the old name follows.
    fn file_link_edits(&self, text: &str, link: &TextLink<'_>, file: &Path) -> Vec<(Range<usize>, String)> {
        let before = file.parent().unwrap_or(Path::new(""));
        let after = if file == self.old { self.new.parent().unwrap_or(Path::new("")) } else { before };
        let Some(path) = link.path(before) else { return Vec::new() };
        let to = if path == self.old { &self.new } else { &path };
        // Links of the file itself lead elsewhere from its new folder. A name may be that of any file.
        if to == &path && (before == after || link.is_name) {
            return Vec::new();
        }
        let place = part_range(text, link.target);
        let becomes = relative(after, to);
        if link.is_name {
            return vec![(place, becomes)];
        }
        let mut edits = vec![(place, becomes.replace(' ', "%20"))];
        if let Some(title) = link.title().filter(|title| path == self.old && *title == stem(self.old)) {
            edits.insert(0, (part_range(text, title), stem(&self.new)));
        }
        edits
    }
}
