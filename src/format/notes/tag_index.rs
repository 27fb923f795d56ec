//! Rebuilds an index of tags from the notes.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::note_index::NoteNames;
use crate::format::json_document::without_mark;
use crate::format::record_reader::with_layout;
use crate::model::Document;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::quoted;
use crate::text::json_layout::{JsonTree, TreeMembers};

type NotesByTag = BTreeMap<String, BTreeSet<String>>;

/// Returns the index of the notes' tags, in the shape and layout of the existing one, or in the
/// usual shape if there is none that can be read.
pub fn tags_index(known: &NoteNames<'_>, existing: Option<&[u8]>) -> Vec<u8> {
    let mut wanted = NotesByTag::new();
    for (_, _, memory) in &known.notes.notes {
        let id = memory.id().unwrap_or_default();
        for tag in memory.tags() {
            wanted.entry(tag.to_string()).or_default().insert(id.to_owned());
        }
    }
    with_layout(existing, |object, layout| {
        let Some(object) = object else {
            let tags = TagIndex { known, wanted: &wanted, are_files: false, are_objects: true };
            let members = vec![(Cow::Borrowed("\"tags\""), JsonTree::Object(tags.members(None, true)))];
            return layout.document(&JsonTree::Object(members));
        };
        let nested = object.get("tags").filter(|tags| tags.kind() == JsonKind::Object);
        let tags = nested.unwrap_or(object);
        let index = TagIndex {
            known,
            wanted: &wanted,
            are_files: names(tags).all(|name| name.ends_with(".md")) && names(tags).next().is_some(),
            are_objects: tags.members().any(|(_, value)| value.kind() == JsonKind::Object)
                || nested.is_some() && !tags.members().any(|(_, value)| value.kind() == JsonKind::Array),
        };
        let members = match nested {
            Some(tags) => index.around(object, tags),
            None => index.members(Some(tags), false),
        };
        layout.document(&JsonTree::Object(members))
    })
}

/// Returns the index of the notes' tags. One that is right keeps its bytes.
pub fn renewed_tags(known: &NoteNames<'_>, current: Option<&Document>) -> Vec<u8> {
    let current = current.map(|own| &*own.bytes);
    let made = tags_index(known, current);
    // One that only differs in layout and the order of members is right.
    let read = |bytes: &[u8]| serde_json::from_slice::<serde_json::Value>(without_mark(bytes)).ok();
    let is_right = |current: &&[u8]| read(current).is_some_and(|now| read(&made) == Some(now));
    current.filter(is_right).map_or(made, <[u8]>::to_vec)
}

fn names<'a>(tags: Json<'a>) -> impl Iterator<Item = Cow<'a, str>> {
    let lists = tags.members().map(|(_, value)| value.get("notes").unwrap_or(value));
    lists.flat_map(|list| list.items()).filter_map(|name| name.text())
}

struct TagIndex<'a> {
    known: &'a NoteNames<'a>,
    wanted: &'a NotesByTag,
    /// True if notes are named by their files.
    are_files: bool,
    /// True if a tag has an object with its notes, false if it has the list itself.
    are_objects: bool,
}

impl TagIndex<'_> {
    /// Returns the members around the object of tags. Counts and tags by note are derived, too.
    fn around<'j>(&self, object: Json<'j>, tags: Json<'j>) -> TreeMembers<'j> {
        let mut members: TreeMembers<'j> = Vec::new();
        let is_list = |value: Json<'_>| value.kind() == JsonKind::Array;
        for (key, value) in object.members() {
            let name = key.text().unwrap_or_default();
            let tree = match (&*name, value.kind()) {
                ("tags", JsonKind::Object) if value.span() == tags.span() => {
                    JsonTree::Object(self.members(Some(tags), true))
                }
                // If `tags` is there twice, the last one counts.
                ("tags", _) => continue,
                ("total_tags", JsonKind::Number) => JsonTree::plain(self.wanted.len()),
                ("total_notes", JsonKind::Number) => JsonTree::plain(self.known.ids.len()),
                ("notes", JsonKind::Object) if value.members().all(|(_, value)| is_list(value)) => {
                    JsonTree::Object(self.turned(value))
                }
                _ => JsonTree::raw(value),
            };
            members.push((key.spelled(), tree));
        }
        members
    }

    /// Returns the tags of each note, by its name.
    fn turned<'j>(&self, found: Json<'j>) -> TreeMembers<'j> {
        let mut left: BTreeSet<&str> = self.known.ids.keys().copied().collect();
        let are_files = found.members().all(|(key, _)| key.text().is_some_and(|name| name.ends_with(".md")));
        let mut members: TreeMembers<'j> = Vec::new();
        for (key, value) in found.members() {
            let id = self.known.meant(&key.text().unwrap_or_default());
            if left.remove(id.as_str()) {
                let tags = self.tags_of(&id);
                let own: Vec<Cow<'_, str>> = value.items().filter_map(|tag| tag.text()).collect();
                let is_same = own.len() == tags.len() && own.iter().all(|tag| tags.iter().any(|t| t == tag));
                members.push((
                    key.spelled(),
                    if is_same { JsonTree::raw(value) } else { JsonTree::texts(&tags) },
                ));
            }
        }
        for id in left {
            let name = quoted(&self.known.spelled(id, are_files));
            members.push((Cow::Owned(name), JsonTree::texts(&self.tags_of(id))));
        }
        members
    }

    /// Returns a note's tags, each once, in the note's order.
    fn tags_of(&self, id: &str) -> Vec<String> {
        let own = self.known.ids.get(id).into_iter().flatten();
        let mut seen = BTreeSet::new();
        let tags = own.flat_map(|(_, memory)| memory.tags().map(|tag| tag.to_string()));
        tags.filter(|tag| seen.insert(tag.clone())).collect()
    }

    fn members<'j>(&self, found: Option<Json<'j>>, is_nested: bool) -> TreeMembers<'j> {
        let nothing = BTreeSet::new();
        let mut members: TreeMembers<'j> = Vec::new();
        let mut done = BTreeSet::new();
        let named = |tags: Json<'j>| {
            tags.members().map(|(key, value)| (key.text().unwrap_or_default().into_owned(), (key, value)))
        };
        // If a tag is there twice, the last one counts.
        let last: BTreeMap<String, (Json<'j>, Json<'j>)> = found.into_iter().flat_map(named).collect();
        for (tag, _) in found.into_iter().flat_map(named) {
            let Some(&(key, value)) = last.get(&tag).filter(|_| !done.contains(&tag)) else { continue };
            let wanted = self.wanted.get(&tag).unwrap_or(&nothing);
            let tree = match value.kind() {
                JsonKind::Array if wanted.is_empty() => None,
                JsonKind::Array if self.known.lists(value, wanted) => Some(JsonTree::raw(value)),
                JsonKind::Array => Some(self.known.listed(&[value], wanted, self.are_files)),
                JsonKind::Object => self.object(value, wanted),
                _ if wanted.is_empty() => Some(JsonTree::raw(value)),
                _ => Some(self.new_value(&tag, wanted, is_nested)),
            };
            members.extend(tree.map(|tree| (key.spelled(), tree)));
            done.insert(tag);
        }
        for (tag, wanted) in self.wanted.iter().filter(|(tag, _)| !done.contains(*tag)) {
            members.push((Cow::Owned(quoted(tag)), self.new_value(tag, wanted, is_nested)));
        }
        members
    }

    fn new_value(&self, tag: &str, wanted: &BTreeSet<String>, is_nested: bool) -> JsonTree<'static> {
        let names = self.known.listed(&[], wanted, self.are_files);
        // At the top level, an object called `tags` would be read as the object of all tags.
        if !self.are_objects || !is_nested && tag == "tags" {
            return names;
        }
        let count = JsonTree::plain(wanted.len());
        JsonTree::Object(vec![("\"note_count\"".into(), count), ("\"notes\"".into(), names)])
    }

    /// Returns a tag's object with its notes. `None` if no note has the tag and it has nothing else.
    fn object<'j>(&self, value: Json<'j>, wanted: &BTreeSet<String>) -> Option<JsonTree<'j>> {
        let is_derived = |key: Json<'_>| key.is_text("note_count") || key.is_text("notes");
        if wanted.is_empty() && value.members().all(|(key, _)| is_derived(key)) {
            return None;
        }
        let list = value.get("notes");
        let count = value.get("note_count");
        let is_counted = count.is_none_or(|count| count.count() == Some(wanted.len() as u64));
        if is_counted && list.is_some_and(|list| self.known.lists(list, wanted)) {
            return Some(JsonTree::raw(value));
        }
        let found: Vec<Json<'_>> = list.into_iter().collect();
        let names = || self.known.listed(&found, wanted, self.are_files);
        let mut members: TreeMembers<'j> = Vec::new();
        let mut done = BTreeSet::new();
        for (key, value) in value.members() {
            let tree = match key.text().as_deref() {
                Some(name @ ("notes" | "note_count")) if !done.insert(name.to_owned()) => continue,
                Some("notes") => names(),
                Some("note_count") => JsonTree::plain(wanted.len()),
                _ => JsonTree::raw(value),
            };
            members.push((key.spelled(), tree));
        }
        if list.is_none() {
            members.push(("\"notes\"".into(), names()));
        }
        Some(JsonTree::Object(members))
    }
}
