//! The notes of a store, and their names in an index.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::note_index::NoteIndex;
use super::rules::NoteRules;
use crate::format::entries::entries;
use crate::model::{Document, State, StoredMemory};
use crate::text::json::Json;
use crate::text::json_layout::JsonTree;
use crate::text::wiki_links::target;

/// The notes of a store.
pub struct NoteNames<'a> {
    /// The notes as the checks see them.
    pub notes: NoteIndex<'a>,
    /// The files of each id. If several files have an id, it means the first one.
    pub ids: BTreeMap<&'a str, Vec<(&'a Document, &'a StoredMemory)>>,
}

impl<'a> NoteNames<'a> {
    /// Finds the notes among the files.
    pub fn of(rules: &'static NoteRules, documents: &'a [Arc<Document>]) -> Self {
        let numbered = (0..).zip(documents.iter().map(|document| &**document));
        let own = numbered.filter(|(_, document)| (rules.is_note)(&document.path));
        let notes = NoteIndex::of(rules, documents, &entries(own, None, |_, _| State::Live));
        let mut ids: BTreeMap<&str, Vec<(&Document, &StoredMemory)>> = BTreeMap::new();
        for &(_, document, memory) in &notes.notes {
            ids.entry(memory.id().unwrap_or_default()).or_default().push((document, memory));
        }
        NoteNames { notes, ids }
    }

    /// Returns the id that a name in an index means, or the name itself if there is no such note.
    pub fn meant(&self, name: &str) -> String {
        self.notes.id(target(name)).to_owned()
    }

    /// Returns a name that the reader resolves to that note; if possible the file's name for `are_files`.
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

    /// Returns names of these notes: those in `found` in their order and spelling, then missing
    /// ones, sorted.
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

    /// True if a list names exactly these notes, each once.
    pub fn lists(&self, found: Json<'_>, wanted: &BTreeSet<String>) -> bool {
        let names: Vec<String> =
            found.items().map(|name| self.meant(&name.text().unwrap_or_default())).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        names.len() == wanted.len() && distinct.into_iter().eq(wanted.iter())
    }
}
