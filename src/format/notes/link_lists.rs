//! A graph of links by lists: in `notes` the links of each file, in `backlinks` the files that link to
//! each target, and totals.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::note_names::NoteNames;
use super::rules::LINK;
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::quoted;
use crate::text::json_layout::{JsonTree, TreeMembers};

type LinkSets = BTreeMap<String, BTreeSet<String>>;

/// Returns the members of such a graph, rebuilt from the notes. Other members stay.
pub fn members<'j>(known: &NoteNames<'_>, object: Json<'j>) -> TreeMembers<'j> {
    let notes = object.get("notes");
    let own = LinkLists::of(known, notes);
    let mut members: TreeMembers<'j> = Vec::new();
    for (key, value) in object.members() {
        let tree = match (&*key.text().unwrap_or_default(), value.kind()) {
            ("notes", JsonKind::Object) => JsonTree::Object(own.lists(value, &own.outgoing, true)),
            ("backlinks", JsonKind::Object) => JsonTree::Object(own.lists(value, &own.incoming, false)),
            ("total_notes", JsonKind::Number) => JsonTree::plain(own.outgoing.len()),
            ("total_links", JsonKind::Number) => JsonTree::plain(own.total()),
            _ => JsonTree::raw(value),
        };
        members.push((key.spelled(), tree));
    }
    members
}

/// The notes in such a graph, and the links of each.
struct LinkLists<'a> {
    known: &'a NoteNames<'a>,
    /// By note, its links. Notes without links are included.
    outgoing: LinkSets,
    /// By link target, the notes that link to it.
    incoming: LinkSets,
    /// True if links name files; true if keys name files.
    are_files: (bool, bool),
}

impl<'a> LinkLists<'a> {
    fn of(known: &'a NoteNames<'a>, notes: Option<Json<'_>>) -> LinkLists<'a> {
        let listed: Vec<Json<'_>> =
            notes.iter().flat_map(|notes| notes.members()).map(|(_, to)| to).collect();
        let named: Vec<Cow<'_, str>> =
            listed.iter().flat_map(|list| list.items()).filter_map(|name| name.text()).collect();
        let keys = notes.iter().flat_map(|notes| notes.members()).filter_map(|(key, _)| key.text());
        let has_files = keys.into_iter().all(|key| key.ends_with(".md"));
        let names = notes.iter().flat_map(|notes| notes.members()).filter_map(|(key, _)| key.text());
        let is_listed = known.notes.scope(names);
        let mut outgoing: LinkSets = known
            .ids
            .keys()
            .filter(|id| is_listed(id))
            .map(|id| ((*id).to_owned(), BTreeSet::new()))
            .collect();
        let mut incoming = LinkSets::new();
        // Writers of this shape only read the front matter.
        for (from, to) in known.notes.links(|relation| relation != LINK) {
            if let Some(own) = outgoing.get_mut(&from) {
                own.insert(to.clone());
                incoming.entry(to).or_default().insert(from);
            }
        }
        let are_files = !named.is_empty() && named.iter().all(|name| name.ends_with(".md"));
        LinkLists { known, outgoing, incoming, are_files: (are_files, has_files) }
    }

    fn total(&self) -> usize {
        self.outgoing.values().map(BTreeSet::len).sum()
    }

    /// Returns a list for each key: existing keys in their order, then missing ones. A note is
    /// named as in the keys of `notes`, a link target as in the links.
    fn lists<'j>(&self, found: Json<'j>, wanted: &LinkSets, of_notes: bool) -> TreeMembers<'j> {
        let mut left: BTreeSet<&str> = wanted.keys().map(String::as_str).collect();
        let mut members: TreeMembers<'j> = Vec::new();
        for (key, value) in found.members() {
            let id = self.known.meant(&key.text().unwrap_or_default());
            let Some(own) = wanted.get(&id).filter(|_| left.remove(id.as_str())) else { continue };
            let is_right = value.kind() == JsonKind::Array && self.known.lists(value, own);
            let tree = match is_right {
                true => JsonTree::raw(value),
                false => self.known.listed(
                    &[value],
                    own,
                    if of_notes { self.are_files.0 } else { self.are_files.1 },
                ),
            };
            members.push((key.spelled(), tree));
        }
        for id in left {
            let own = wanted.get(id).map(|own| {
                self.known.listed(&[], own, if of_notes { self.are_files.0 } else { self.are_files.1 })
            });
            let name = self.known.spelled(id, if of_notes { self.are_files.1 } else { self.are_files.0 });
            members.extend(own.map(|own| (Cow::Owned(quoted(&name)), own)));
        }
        members
    }
}
