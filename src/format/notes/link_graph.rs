//! Rebuilds a graph of links from the notes. Strengths and clusters are only in the file itself.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::indexes::{self, NoteLinks, is_of_lists, nodes_of};
use super::note_index::NoteNames;
use super::rules::LINK;
use crate::format::record_reader::with_layout;
use crate::model::{Code, Document};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::quoted;
use crate::text::json_layout::{JsonTree, TreeMembers};
use crate::text::wiki_links::target;

const OUTGOING: [&str; 2] = ["outgoing_links", "outgoing"];
const INCOMING: [&str; 2] = ["incoming_links", "incoming"];

/// Returns the graph of the notes' links, in the shape and layout of the existing one. Strengths,
/// clusters and unknown members stay; nodes of missing notes are dropped. A graph that can't be
/// read is replaced completely: only its kept copy still has the strengths.
pub fn links_graph(known: &NoteNames<'_>, existing: Option<&[u8]>) -> Vec<u8> {
    with_layout(existing, |object, layout| {
        let Some(object) = object else {
            let graph = LinkGraph::of(known, None);
            let nodes = JsonTree::Array(
                graph.new_nodes(&BTreeSet::new()).into_iter().map(|(_, node)| node).collect(),
            );
            let members =
                vec![("\"notes\"".into(), nodes), ("\"clusters\"".into(), JsonTree::Array(Vec::new()))];
            return layout.document(&JsonTree::Object(members));
        };
        if is_of_lists(object) {
            return layout.document(&JsonTree::Object(list_members(known, object)));
        }
        let found =
            object.get("notes").filter(|own| matches!(own.kind(), JsonKind::Array | JsonKind::Object));
        let graph = LinkGraph::of(known, found);
        let mut members: TreeMembers<'_> = Vec::new();
        let mut nodes = Some(graph.nodes(found));
        for (key, value) in object.members() {
            match key.is_text("notes") {
                true => members.extend(nodes.take().map(|nodes| (key.spelled(), nodes))),
                false => members.push((key.spelled(), JsonTree::raw(value))),
            }
        }
        members.splice(0..0, nodes.map(|nodes| ("\"notes\"".into(), nodes)));
        layout.document(&JsonTree::Object(members))
    })
}

/// Returns the graph of the notes' links. One that is right keeps its bytes.
pub fn renewed_links(known: &NoteNames<'_>, current: Option<&Document>) -> Vec<u8> {
    match current {
        Some(own) if is_right(known, own) => own.bytes.to_vec(),
        own => links_graph(known, own.map(|own| &*own.bytes)),
    }
}

/// True if a graph has every link, and no node of a missing note that nothing links to. Some
/// writers leave out notes without links; a graph that has one must have every note. Some add nodes
/// for link targets that are not notes; a graph that has one must have them all.
fn is_right(known: &NoteNames<'_>, index: &Document) -> bool {
    if index.problems.iter().any(|own| own.code == Code::IndexBroken)
        || known.notes.check_links(index).is_some()
    {
        return false;
    }
    let graph = indexes::links(index);
    let listed: BTreeSet<String> = graph.keys().map(|name| known.meant(name)).collect();
    let links = known.notes.links(|_| true);
    let linked: BTreeSet<&str> = links.iter().map(|(_, to)| to.as_str()).collect();
    let has_all = || known.ids.keys().all(|id| listed.contains(*id));
    let is_alone = |links: &NoteLinks| links.outgoing.is_empty() && links.incoming.is_empty();
    let lists_all = graph.is_empty() || graph.values().any(is_alone);
    let is_meant = |id: &String| known.ids.contains_key(id.as_str()) || linked.contains(id.as_str());
    let nodes: BTreeSet<String> = indexes::nodes(index).iter().map(|name| known.meant(name)).collect();
    let is_note = |id: &str| known.ids.contains_key(id);
    let lists_notes = nodes.iter().all(|id| is_note(id));
    let lists_linked = || linked.iter().all(|id| is_note(id) || nodes.contains(*id));
    listed.iter().all(is_meant) && (!lists_all || has_all()) && (lists_notes || lists_linked())
}

struct LinkGraph<'a> {
    known: &'a NoteNames<'a>,
    outgoing: BTreeMap<String, BTreeSet<String>>,
    incoming: BTreeMap<String, BTreeSet<String>>,
    /// True if notes are named by their files.
    are_files: bool,
    /// The names of the two lists. A graph may lack the second.
    names: (&'static str, Option<&'static str>),
}

impl<'a> LinkGraph<'a> {
    fn of(known: &'a NoteNames<'a>, found: Option<Json<'_>>) -> Self {
        let nodes: Vec<_> = found.into_iter().flat_map(nodes_of).collect();
        let lists = |names: [&'static str; 2]| {
            names.into_iter().find(|name| nodes.iter().any(|(.., node)| node.get(name).is_some()))
        };
        let (out, into) = (lists(OUTGOING), lists(INCOMING));
        let declared = known.notes.links(|relation| relation != LINK);
        let all = known.notes.links(|_| true);
        let mut listed = BTreeSet::new();
        let mut named = Vec::new();
        for (_, name, node) in &nodes {
            named.push(name.clone());
            let id = known.meant(name);
            for (names, is_out) in [(OUTGOING, true), (INCOMING, false)] {
                for other in texts(*node, names) {
                    let other_id = known.meant(&other);
                    listed.insert(if is_out { (id.clone(), other_id) } else { (other_id, id.clone()) });
                    named.push(other);
                }
            }
        }
        let has_links_of_text = listed.iter().any(|link| all.contains(link) && !declared.contains(link));
        let links = if nodes.is_empty() || has_links_of_text { all } else { declared };
        let mut graph = LinkGraph {
            known,
            outgoing: BTreeMap::new(),
            incoming: BTreeMap::new(),
            are_files: !named.is_empty() && named.iter().all(|name| name.ends_with(".md")),
            names: (
                out.unwrap_or(OUTGOING[0]),
                if out.is_some() { into } else { into.or(Some(INCOMING[0])) },
            ),
        };
        for (from, to) in links {
            graph.outgoing.entry(from.clone()).or_default().insert(to.clone());
            graph.incoming.entry(to).or_default().insert(from);
        }
        graph
    }

    /// Returns the existing nodes of existing notes, then the missing nodes.
    fn nodes<'j>(&self, found: Option<Json<'j>>) -> JsonTree<'j> {
        let is_keyed = found.is_some_and(|found| found.kind() == JsonKind::Object);
        let mut nodes: Vec<(String, Cow<'j, str>, JsonTree<'j>)> = Vec::new();
        let mut places: BTreeMap<String, usize> = BTreeMap::new();
        for (key, name, node) in found.into_iter().flat_map(nodes_of) {
            let id = self.known.meant(&name);
            if !self.known.ids.contains_key(id.as_str()) {
                continue;
            }
            let key = key.map(|key| key.spelled()).unwrap_or_default();
            let tree = self.node(node, &id, &name, is_keyed);
            // If a note has several nodes, the last one counts.
            match places.get(&id).and_then(|at: &usize| nodes.get_mut(*at)) {
                Some(first) => *first = (id, key, tree),
                None => {
                    places.insert(id.clone(), nodes.len());
                    nodes.push((id, key, tree));
                }
            }
        }
        let done = nodes.iter().map(|(id, ..)| id.clone()).collect();
        let new = self.new_nodes(&done);
        if is_keyed {
            let mut members: TreeMembers<'j> = nodes.into_iter().map(|(_, key, node)| (key, node)).collect();
            members.extend(new.into_iter().map(|(name, node)| {
                let lists = match node {
                    JsonTree::Object(members) => JsonTree::Object(members.into_iter().skip(1).collect()),
                    other => other,
                };
                (Cow::Owned(quoted(&name)), lists)
            }));
            return JsonTree::Object(members);
        }
        let kept = nodes.into_iter().map(|(.., node)| node);
        JsonTree::Array(kept.chain(new.into_iter().map(|(_, node)| node)).collect())
    }

    fn new_nodes(&self, done: &BTreeSet<String>) -> Vec<(String, JsonTree<'static>)> {
        let missing = self.known.ids.keys().filter(|id| !done.contains(**id));
        let node = |id: &str| {
            let name = self.known.spelled(id, self.are_files);
            let mut members: TreeMembers<'static> = vec![("\"id\"".into(), JsonTree::plain(quoted(&name)))];
            let lists = [(Some(self.names.0), &self.outgoing), (self.names.1, &self.incoming)];
            for (list, links) in lists {
                let list = list.map(|list| (Cow::Owned(quoted(list)), self.list(&[], links.get(id))));
                members.extend(list);
            }
            (name, JsonTree::Object(members))
        };
        missing.map(|id| node(id)).collect()
    }

    fn list(&self, found: &[Json<'_>], wanted: Option<&BTreeSet<String>>) -> JsonTree<'static> {
        self.known.listed(found, wanted.unwrap_or(&BTreeSet::new()), self.are_files)
    }

    /// Returns an existing node with correct lists. A correct node keeps its bytes.
    fn node<'j>(&self, node: Json<'j>, id: &str, name: &str, is_keyed: bool) -> JsonTree<'j> {
        let nothing = BTreeSet::new();
        let sides =
            [(OUTGOING, &self.outgoing, Some(self.names.0)), (INCOMING, &self.incoming, self.names.1)];
        let is_right = sides.iter().all(|(names, links, list)| {
            let lists: Vec<Json<'_>> = names.iter().filter_map(|name| node.get(name)).collect();
            match lists.as_slice() {
                [] => list.is_none(),
                [one] => self.known.lists(*one, links.get(id).unwrap_or(&nothing)),
                _ => false,
            }
        });
        if is_right && node.kind() == JsonKind::Object {
            return JsonTree::raw(node);
        }
        let mut members: TreeMembers<'j> = Vec::new();
        let mut done: BTreeSet<usize> = BTreeSet::new();
        for (key, value) in node.members() {
            let side = sides.iter().position(|(names, ..)| names.iter().any(|name| key.is_text(name)));
            match side.and_then(|side| Some((side, sides.get(side)?))) {
                Some((side, (names, links, _))) if done.insert(side) => {
                    let lists: Vec<Json<'_>> = names.iter().filter_map(|name| node.get(name)).collect();
                    members.push((key.spelled(), self.list(&lists, links.get(id))));
                }
                Some(_) => {}
                None => members.push((key.spelled(), JsonTree::raw(value))),
            }
        }
        if members.is_empty() && !is_keyed {
            members.push(("\"id\"".into(), JsonTree::plain(quoted(name))));
        }
        for (side, (_, links, list)) in sides.iter().enumerate() {
            let list = list.filter(|_| !done.contains(&side));
            members.extend(list.map(|list| (Cow::Owned(quoted(list)), self.list(&[], links.get(id)))));
        }
        JsonTree::Object(members)
    }
}

fn texts(node: Json<'_>, names: [&str; 2]) -> Vec<String> {
    let lists = names.into_iter().filter_map(|name| node.get(name));
    let texts = lists.flat_map(|list| list.items()).filter_map(|name| name.text());
    texts.map(Cow::into_owned).filter(|name| !target(name).is_empty()).collect()
}

type LinkSets = BTreeMap<String, BTreeSet<String>>;

/// Returns the members of a graph by lists, rebuilt from the notes: in `notes` the links of each file, in `backlinks` the
/// files that link to each target, and totals. Other members stay.
fn list_members<'j>(known: &NoteNames<'_>, object: Json<'j>) -> TreeMembers<'j> {
    let notes = object.get("notes");
    let own = LinkLists::of(known, notes);
    let mut members: TreeMembers<'j> = Vec::new();
    for (key, value) in object.members() {
        let tree = match (&*key.text().unwrap_or_default(), value.kind()) {
            ("notes", JsonKind::Object) => JsonTree::Object(own.lists(value, &own.outgoing, true)),
            ("backlinks", JsonKind::Object) => JsonTree::Object(own.lists(value, &own.incoming, false)),
            ("total_notes", JsonKind::Number) => JsonTree::plain(own.outgoing.len()),
            ("total_links", JsonKind::Number) => {
                JsonTree::plain(own.outgoing.values().map(BTreeSet::len).sum::<usize>())
            }
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
        let keys = || notes.into_iter().flat_map(|notes| notes.members()).filter_map(|(key, _)| key.text());
        let has_files = keys().all(|key| key.ends_with(".md"));
        let is_listed = known.notes.scope(keys());
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

    /// Returns a list for each key: existing keys in their order, then missing ones. A note is
    /// named as in the keys of `notes`, a link target as in the links.
    fn lists<'j>(&self, found: Json<'j>, wanted: &LinkSets, of_notes: bool) -> TreeMembers<'j> {
        let (links, keys) = self.are_files;
        let (in_lists, in_keys) = if of_notes { (links, keys) } else { (keys, links) };
        let mut left: BTreeSet<&str> = wanted.keys().map(String::as_str).collect();
        let mut members: TreeMembers<'j> = Vec::new();
        for (key, value) in found.members() {
            let id = self.known.meant(&key.text().unwrap_or_default());
            let Some(own) = wanted.get(&id).filter(|_| left.remove(id.as_str())) else { continue };
            let is_right = value.kind() == JsonKind::Array && self.known.lists(value, own);
            let tree = match is_right {
                true => JsonTree::raw(value),
                false => self.known.listed(&[value], own, in_lists),
            };
            members.push((key.spelled(), tree));
        }
        for id in left {
            let own = wanted.get(id).map(|own| self.known.listed(&[], own, in_lists));
            let name = self.known.spelled(id, in_keys);
            members.extend(own.map(|own| (Cow::Owned(quoted(&name)), own)));
        }
        members
    }
}
