//! Reads JSON indexes of tags and links. They are derived from the notes; the notes always win. Only
//! strengths and clusters exist nowhere else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::format::json_document::with_object;
use crate::format::record_reader::{self, Reading};
use crate::model::{Code, Document};
use crate::text::json::{Json, JsonKind};
use crate::text::wiki_links::target;

/// Reads an index. Its content is compared with the notes when the store is assembled.
pub fn read(path: &Path, bytes: &[u8]) -> Reading {
    record_reader::object(path, bytes, Code::IndexBroken, &|_| Vec::new())
}

/// Returns the notes of each tag: `{"tags": {tag: {"notes": [id]}}}`. The list may replace the
/// inner object, and the outer member may be missing.
pub fn tags(index: &Document) -> BTreeMap<String, BTreeSet<String>> {
    with_object(&index.bytes, |object| {
        let tags = object.get("tags").filter(|tags| tags.kind() == JsonKind::Object).unwrap_or(object);
        let notes = |value: Json<'_>| {
            let list = value.get("notes").unwrap_or(value);
            list.items().filter_map(|id| Some(target(&id.text()?).to_owned())).collect()
        };
        tags.members()
            .map(|(tag, value)| (tag.text().unwrap_or_default().into_owned(), notes(value)))
            .collect()
    })
    .unwrap_or_default()
}

/// The data of one note in a graph of links.
#[derive(Debug, Default, PartialEq)]
pub struct NoteLinks {
    /// The notes that it links to.
    pub outgoing: BTreeSet<String>,
    /// The notes that link to it.
    pub incoming: BTreeSet<String>,
    /// From 0 (tangential) to 1 (essential), as the file spells it.
    pub strength: Option<String>,
}

/// Returns the data of each note. `notes` is a list of objects with an `id`, or an object by id or file.
pub fn links(index: &Document) -> BTreeMap<String, NoteLinks> {
    with_object(&index.bytes, |object| {
        let Some(notes) = object.get("notes") else { return BTreeMap::new() };
        let mut links: BTreeMap<String, NoteLinks> =
            nodes_of(notes).map(|(_, id, note)| (target(&id).to_owned(), links_of(note))).collect();
        for (key, from) in object.get("backlinks").into_iter().flat_map(|backlinks| backlinks.members()) {
            let id = target(&key.text().unwrap_or_default()).to_owned();
            links.entry(id).or_default().incoming.extend(texts(from));
        }
        links
    })
    .unwrap_or_default()
}

/// Returns the names of the graph's nodes. `backlinks` is left out: its names may not be notes.
pub fn nodes(index: &Document) -> Vec<String> {
    with_object(&index.bytes, |object| {
        object.get("notes").into_iter().flat_map(nodes_of).map(|(_, name, _)| name).collect()
    })
    .unwrap_or_default()
}

/// Returns the nodes of a graph, each with its key, if it has one, and its name.
pub fn nodes_of<'a>(notes: Json<'a>) -> impl Iterator<Item = (Option<Json<'a>>, String, Json<'a>)> + use<'a> {
    let listed = notes.items().filter_map(|node| Some((None, node.get("id")?.text()?.into_owned(), node)));
    let keyed = notes.members().filter_map(|(key, node)| Some((Some(key), key.text()?.into_owned(), node)));
    listed.chain(keyed)
}

fn links_of(note: Json<'_>) -> NoteLinks {
    // A note's value may be the list of its links.
    if note.kind() == JsonKind::Array {
        return NoteLinks { outgoing: texts(note).collect(), ..NoteLinks::default() };
    }
    let ids =
        |names: [&str; 2]| names.into_iter().filter_map(|name| note.get(name)).flat_map(texts).collect();
    NoteLinks {
        outgoing: ids(["outgoing_links", "outgoing"]),
        incoming: ids(["incoming_links", "incoming"]),
        strength: note.get("strength").filter(|strength| strength.number().is_some()).map(|own| own.plain()),
    }
}

fn texts<'a>(list: Json<'a>) -> impl Iterator<Item = String> + use<'a> {
    list.items().filter_map(|id| Some(target(&id.text()?).to_owned()))
}

/// Returns the keys of `notes` if the graph has the form `{"notes": {FILE: [LINK]}}`, else `None`.
pub fn list_names(index: &Document) -> Option<Vec<String>> {
    with_object(&index.bytes, |object| {
        let notes = object.get("notes").filter(|_| is_of_lists(object))?;
        Some(notes.members().filter_map(|(key, _)| Some(key.text()?.into_owned())).collect())
    })
    .unwrap_or_default()
}

/// True if a graph has a list of links for each note, instead of an object.
pub fn is_of_lists(object: Json<'_>) -> bool {
    let Some(notes) = object.get("notes").filter(|notes| notes.kind() == JsonKind::Object) else {
        return false;
    };
    let mut values = notes.members().map(|(_, value)| value.kind()).peekable();
    match values.peek() {
        Some(_) => values.all(|kind| kind == JsonKind::Array),
        None => object.get("backlinks").is_some_and(|own| own.kind() == JsonKind::Object),
    }
}

/// Returns the clusters, each with its notes.
pub fn clusters(index: &Document) -> Vec<(String, Vec<String>)> {
    with_object(&index.bytes, |object| {
        let clusters = object.get("clusters").into_iter().flat_map(|clusters| clusters.items());
        let read = |cluster: Json<'_>| {
            let notes = cluster.get("notes").into_iter().flat_map(|notes| notes.items());
            let ids = notes.filter_map(|id| Some(target(&id.text()?).to_owned()));
            Some((cluster.get("name")?.text()?.into_owned(), ids.collect()))
        };
        clusters.filter_map(read).collect()
    })
    .unwrap_or_default()
}
