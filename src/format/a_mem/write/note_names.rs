//! The notes of a store, and how an index spells their names.

use std::collections::{BTreeMap, BTreeSet};

use super::super::assembly::NoteIndex;
use super::super::layout;
use super::json_text::JsonTree;
use crate::format::AssemblyInput;
use crate::model::{Document, Entry, State, View};
use crate::text::json::Json;
use crate::text::wiki_links::target;

/// The notes of a store.
pub struct NoteNames<'a> {
    /// As the rules of the store see them.
    pub notes: NoteIndex<'a>,
    /// The files of each id; of doubled ids the first is what it names.
    pub ids: BTreeMap<&'a str, Vec<(&'a Document, View<'a>)>>,
}

impl<'a> NoteNames<'a> {
    /// The notes among the files.
    pub fn of(parts: &AssemblyInput<'a>) -> Self {
        let mut entries = Vec::new();
        for (number, document) in parts.documents.iter().enumerate() {
            let count = if layout::kind_of(&document.path) == "note" { document.records.len() } else { 0 };
            entries.extend((0..count).map(|record| Entry {
                document: number as u32,
                record: record as u32,
                session: None,
                state: State::Live,
            }));
        }
        let notes = NoteIndex::of(parts, &entries);
        let mut ids: BTreeMap<&str, Vec<(&Document, View<'_>)>> = BTreeMap::new();
        for &(_, document, view) in &notes.notes {
            ids.entry(view.id.unwrap_or_default()).or_default().push((document, view));
        }
        NoteNames { notes, ids }
    }

    /// The note that an index means by a name, or what stands for a note that is not there.
    pub fn meant(&self, name: &str) -> String {
        self.notes.id(target(name)).to_owned()
    }

    /// A spelling that is read back as that note, the file's name where files are named.
    pub fn spelled(&self, id: &str, are_files: bool) -> String {
        let own = self.ids.get(id).and_then(|files| files.first());
        let file = own.and_then(|(document, _)| document.path.file_name()?.to_str());
        let stem = file.and_then(|file| file.strip_suffix(".md"));
        let ended = format!("{id}.md");
        let by_id = [Some(id), Some(ended.as_str()), stem, file];
        let by_file = [file, Some(ended.as_str()), Some(id), stem];
        let candidates = if are_files { by_file } else { by_id };
        let good = candidates.into_iter().flatten().find(|name| self.meant(name) == id);
        good.unwrap_or(id).to_owned()
    }

    /// The names that mean those notes: in their order and spelling where they are in
    /// `found`, and then what is missing, sorted.
    pub fn listed(
        &self,
        found: &[Json<'_>],
        wanted: &BTreeSet<String>,
        are_files: bool,
    ) -> JsonTree<'static> {
        let mut left = wanted.clone();
        let mut names: Vec<String> = Vec::new();
        for name in found.iter().flat_map(|list| list.items()).filter_map(|name| name.text()) {
            if left.remove(&self.meant(&name)) {
                names.push(name.into_owned());
            }
        }
        names.extend(left.iter().map(|id| self.spelled(id, are_files)));
        JsonTree::texts(&names)
    }

    /// Whether a list names those notes, each once, and nothing else.
    pub fn lists(&self, found: Json<'_>, wanted: &BTreeSet<String>) -> bool {
        let names: Vec<String> =
            found.items().map(|name| self.meant(&name.text().unwrap_or_default())).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        names.len() == wanted.len() && distinct.into_iter().eq(wanted.iter())
    }
}
