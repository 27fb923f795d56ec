//! The notes of a store, checks of its indexes against them, and their names in an index.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::indexes::{self, NoteLinks};
use super::rules::{LINK, NoteRules};
use crate::format::entries::{entries, problem_of};
use crate::format::id_index::IdIndex;
use crate::model::{Code, Document, Entry, PathText, Problem, Severity, State, StoredMemory};
use crate::text::json::Json;
use crate::text::json_layout::JsonTree;
use crate::text::wiki_links::target;

const NAMED: usize = 5;

/// The notes of the store. The indexes are checked against them.
pub struct NoteIndex<'a> {
    rules: &'static NoteRules,
    /// Each note with its index among the entries.
    pub notes: Vec<(u32, &'a Document, &'a StoredMemory)>,
    /// From any name of a note to its id.
    pub ids: HashMap<&'a str, &'a str>,
}

impl<'a> NoteIndex<'a> {
    /// Finds the notes among the entries.
    pub fn of(rules: &'static NoteRules, documents: &'a [Arc<Document>], entries: &[Entry]) -> Self {
        let mut notes = Vec::new();
        let mut ids = HashMap::new();
        for (index, entry) in entries.iter().enumerate() {
            let document = &*documents[entry.document as usize];
            let is_note = (rules.is_note)(&document.path);
            let memory = document.records[entry.record as usize].memory().filter(|_| is_note);
            let Some((memory, id)) = memory.and_then(|memory| Some((memory, memory.id()?))) else { continue };
            notes.push((index as u32, document, memory));
            ids.entry(id).or_insert(id);
            memory.names().for_each(|name| {
                ids.entry(name.text).or_insert(id);
            });
        }
        NoteIndex { rules, notes, ids }
    }

    /// Returns the id of the note with that name, or the name itself if there is no such note.
    pub fn id<'b>(&'b self, name: &'b str) -> &'b str {
        self.ids.get(name).copied().unwrap_or(name)
    }

    /// Returns a problem of each note whose id another has.
    pub fn duplicates(&self) -> Vec<Problem> {
        let mut ids = IdIndex::of(self.notes.len());
        let mut problems = Vec::new();
        for &(_, document, memory) in &self.notes {
            let id = memory.id().unwrap_or_default();
            let Some((before, _)) = ids.first(id, document, 1) else { continue };
            let message = format!("Same id as {}.", before.path.to_text());
            problems.push(problem_of(document, 0, (Code::DuplicateId, Severity::Warning, message)));
        }
        problems
    }

    /// Returns a problem if an index of tags disagrees with the notes.
    pub fn check_tags(&self, index: &Document) -> Option<Problem> {
        let listed = indexes::tags(index);
        let listed: BTreeSet<(&str, &str)> = listed
            .iter()
            .flat_map(|(tag, notes)| notes.iter().map(move |note| (tag.as_str(), self.id(note))))
            .collect();
        let of_note = |(_, _, memory): &(u32, &Document, &'a StoredMemory)| {
            let id = memory.id().unwrap_or_default();
            memory.tags().map(move |tag| (tag, id)).collect::<Vec<_>>()
        };
        let own: BTreeSet<(&str, &str)> = self.notes.iter().flat_map(of_note).collect();
        let named = |(tag, note): &(&str, &str)| format!("{tag} of {note}");
        stale(index, &listed, &own, named)
    }

    /// Returns a problem if a graph of links disagrees with the notes.
    pub fn check_links(&self, index: &Document) -> Option<Problem> {
        let graph = indexes::links(index);
        let both = |(id, links): (&'a str, &NoteLinks)| {
            let outgoing = links.outgoing.iter().map(move |to| (id.to_owned(), self.id(to).to_owned()));
            let incoming = links.incoming.iter().map(move |from| (self.id(from).to_owned(), id.to_owned()));
            outgoing.chain(incoming).collect::<Vec<_>>()
        };
        let known = graph.iter().filter_map(|(id, links)| Some((self.ids.get(id.as_str()).copied()?, links)));
        let listed: BTreeSet<(String, String)> = known.flat_map(both).collect();
        // Writers may leave out links that are only in the text.
        let (all, declared) = (self.links(|_| true), self.links(|relation| relation != LINK));
        let mut own: BTreeSet<_> = declared.iter().chain(listed.intersection(&all)).cloned().collect();
        if let Some(names) = indexes::list_names(index) {
            let is_listed = self.scope(names.iter().map(|name| name.as_str().into()));
            own.retain(|(from, _)| is_listed(from));
        }
        let named = |(from, to): &(String, String)| format!("{from} to {to}");
        stale(index, &listed, &own, named)
    }

    /// Tests if an index with these names covers a note. If its notes are all in the folder of the
    /// index, its writer ignores other folders.
    pub fn scope<'n>(&self, names: impl Iterator<Item = Cow<'n, str>>) -> impl Fn(&str) -> bool {
        let is_beside = |document: &Document| {
            document.path.parent().is_some_and(|folder| folder.ends_with(self.rules.folder))
        };
        let beside: HashSet<&str> = self
            .notes
            .iter()
            .filter(|(_, document, _)| is_beside(document))
            .filter_map(|(.., memory)| memory.id())
            .collect();
        let mut names = names.map(|name| self.id(target(&name)).to_owned());
        let is_beside = !beside.is_empty() && names.all(|id| beside.contains(&*id) || !self.has(&id));
        move |id| !is_beside || beside.contains(id)
    }

    fn has(&self, id: &str) -> bool {
        self.notes.iter().any(|(.., memory)| memory.id() == Some(id))
    }

    fn is_link(&self, relation: &str) -> bool {
        let mut links = self.rules.relations.iter().filter(|own| own.is_link);
        relation == LINK || links.any(|own| own.name == relation)
    }

    /// Returns the links of these relations. Dangling ones are included: the graph lists them, too.
    pub fn links(&self, is_meant: impl Fn(&str) -> bool) -> BTreeSet<(String, String)> {
        let of_note = |(_, _, memory): &(u32, &Document, &'a StoredMemory)| {
            let id = memory.id().unwrap_or_default().to_owned();
            let links =
                memory.references().filter(|own| self.is_link(own.relation) && is_meant(own.relation));
            links.map(|own| (id.clone(), self.id(own.to.text).to_owned())).collect::<Vec<_>>()
        };
        self.notes.iter().flat_map(of_note).collect()
    }
}

fn stale<T: Ord>(
    index: &Document,
    listed: &BTreeSet<T>,
    own: &BTreeSet<T>,
    named: impl Fn(&T) -> String,
) -> Option<Problem> {
    if index.problems.iter().any(|problem| problem.code == Code::IndexBroken) || listed == own {
        return None;
    }
    let some = |items: Vec<&T>, what: &str| {
        let names: Vec<String> = items.iter().take(NAMED).map(|item| named(item)).collect();
        let more = if items.len() > NAMED { ", …" } else { "" };
        (!items.is_empty()).then(|| format!("{} {what} ({}{more})", items.len(), names.join(", ")))
    };
    let missing = some(own.difference(listed).collect(), "missing");
    let surplus = some(listed.difference(own).collect(), "extra");
    let parts: Vec<String> = missing.into_iter().chain(surplus).collect();
    let message =
        format!("The index disagrees with the notes: {}. It is rebuilt from them.", parts.join("; "));
    Some(Problem::of_file(Code::IndexStale, Severity::Warning, &index.path, message))
}

/// The notes of a store with their files, for writers of indexes.
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
