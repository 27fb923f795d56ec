//! Finds records by their names: a key, an id, `SESSION/ID` or `STORE/SESSION/ID`.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::cli::{Context, Exit, Failure, Result, load_stores};
use crate::detectors::mask;
use crate::format;
use crate::model::key::{Key, file_digest};
use crate::model::{EntryRef, PathText, Role, Snapshot, State, deleted_from};
use crate::ops::delete::is_held;
use crate::usecase::RecordTracker;

/// At most this many records that share an id are listed.
const CANDIDATES: usize = 20;

/// Returns the record of a key, an id, `SESSION/ID` or `STORE/SESSION/ID`.
pub fn the_one(context: &Context, snapshot: &Snapshot, name: &str) -> Result<EntryRef> {
    let own = the_named(context, snapshot, &[name])?;
    own.first().copied().ok_or_else(|| nothing_named(name))
}

/// Returns the records of a name, to read them: all that share the id in one place.
pub fn named(context: &Context, snapshot: &Snapshot, name: &str) -> Result<Vec<EntryRef>> {
    let several = by_id(snapshot, &[name]).remove(name).unwrap_or_default();
    match several.as_slice() {
        [first, others @ ..] if others.iter().all(|own| same_place(snapshot, *first, *own)) => Ok(several),
        _ => the_named(context, snapshot, &[name]),
    }
}

/// Returns the records of names, each once. An id that several records share names none of them;
/// their keys do. The stores are searched once for all names.
pub(super) fn the_named<S: AsRef<str>>(
    context: &Context,
    snapshot: &Snapshot,
    names: &[S],
) -> Result<Vec<EntryRef>> {
    let by_id = by_id(snapshot, names);
    let mut keyed = KeyLookup::default();
    let mut known: HashSet<&str> = HashSet::new();
    let names = names.iter().map(AsRef::as_ref).filter(|name| known.insert(name));
    let keyed: Vec<(&str, Option<Key>, Option<EntryRef>)> = names
        .map(|name| {
            let key = Key::read(name);
            (name, key, key.and_then(|key| keyed.find(snapshot, &key)))
        })
        .collect();
    let of_id = |name: &str| by_id.get(name).map_or(&[][..], Vec::as_slice);
    let is_lost = |name: &str, at: &Option<EntryRef>| at.is_none() && of_id(name).is_empty();
    let lost = keyed.iter().filter_map(|(name, key, at)| key.filter(|_| is_lost(name, at)));
    let followed = follow(context, snapshot, lost.collect());
    let one = |(name, key, at): (&str, Option<Key>, Option<EntryRef>)| match (at, of_id(name), key) {
        (Some(at), ..) => Ok(at),
        (None, [at], _) => Ok(*at),
        (None, [], None) => Err(nothing_named(name)),
        (None, [], Some(key)) => followed.get(&key).copied().ok_or_else(|| no_such_key(name)),
        (None, several, _) => Err(ambiguous(snapshot, name, several)),
    };
    keyed.into_iter().map(one).collect()
}

/// Finds the records that keys named before palimp's steps changed their states.
fn follow(context: &Context, snapshot: &Snapshot, mut keys: Vec<Key>) -> HashMap<Key, EntryRef> {
    let mut found = HashMap::new();
    let Ok(data) = load_stores::data_folder(context) else { return found };
    for (number, store) in (0_u32..).zip(&snapshot.stores) {
        keys.retain(|key| !found.contains_key(key));
        if keys.is_empty() {
            break;
        }
        let followed = RecordTracker::of(&data, store);
        let own = |key: &Key| Some((*key, EntryRef { store: number, entry: followed.find(key)? }));
        found.extend(keys.iter().filter_map(own));
    }
    found
}

pub fn nothing_named(name: &str) -> Failure {
    Failure::nothing(format!("no memory has the id or key {name:?}."))
}

fn no_such_key(name: &str) -> Failure {
    let why = "no memory has this key any more: it was changed, moved or removed since it was listed";
    Failure::refused(format!("{name}: {why}. Nothing was changed. List the memory again."))
}

fn ambiguous(snapshot: &Snapshot, name: &str, several: &[EntryRef]) -> Failure {
    let is_alone = |&at: &EntryRef| several.iter().filter(|&&own| same_place(snapshot, own, at)).count() == 1;
    let way = match several.iter().take(CANDIDATES).any(is_alone) {
        true => "one of them, or its key",
        false => "one by its key",
    };
    let mut lines =
        vec![format!("{} memories have the id {name:?}. Nothing was changed. Name {way}:", several.len())];
    lines.extend(several.iter().take(CANDIDATES).map(|&at| candidate(snapshot, at)));
    if let Some(more) = several.len().checked_sub(CANDIDATES).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more: `palimp list --json` gives their keys"));
    }
    let mut failure = Failure::lines(Exit::Refused, lines);
    failure.is_ambiguous = true;
    failure
}

/// Returns a line about a record that an id may mean, with what distinguishes it.
fn candidate(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    let (file, line) = (store.document(entry).path.to_text(), store.record(entry).line);
    let title = mask(format::text_of(store, entry).title.raw()).into_owned();
    format!(
        "  {}  key {}  {file}:{line}  {}",
        place(snapshot, at),
        key(snapshot, at),
        title.replace('\n', " ")
    )
}

/// Returns the records with each name: several if they share an id.
fn by_id<'n, S: AsRef<str>>(snapshot: &Snapshot, names: &'n [S]) -> HashMap<&'n str, Vec<EntryRef>> {
    // The text after a slash may be an id, or a part of one.
    let mut sought: HashMap<&str, Vec<&'n str>> = HashMap::new();
    for name in names.iter().map(AsRef::as_ref) {
        let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        for tail in std::iter::once(name).chain(tails) {
            let own = sought.entry(tail).or_default();
            // A name may be given twice.
            if !own.contains(&name) {
                own.push(name);
            }
        }
    }
    let mut found: HashMap<&str, Vec<EntryRef>> = HashMap::new();
    for at in snapshot.entries() {
        let (store, entry) = snapshot.get(at);
        let id = store.id(entry);
        for name in id.and_then(|id| sought.get(id)).into_iter().flatten() {
            let own = found.entry(name).or_default();
            if !goes_by(snapshot, at, name) {
                continue;
            }
            match own.iter().position(|&known| same_place(snapshot, known, at)) {
                None => own.push(at),
                Some(known) => match precedence(snapshot, at).cmp(&precedence(snapshot, own[known])) {
                    Ordering::Greater => {
                        own.retain(|&known| !same_place(snapshot, known, at));
                        own.push(at);
                    }
                    Ordering::Equal => own.push(at),
                    Ordering::Less => {}
                },
            }
        }
    }
    for (name, own) in &mut found {
        // A name that begins with a session means that session, even if another id reads the same.
        if own.iter().any(|at| is_by_session(snapshot, *at, name)) {
            own.retain(|at| is_by_session(snapshot, *at, name));
        }
    }
    found
}

fn is_by_session(snapshot: &Snapshot, at: EntryRef, name: &str) -> bool {
    let (store, entry) = snapshot.get(at);
    let id = store.id(entry);
    let before = id.and_then(|id| name.strip_suffix(id)?.strip_suffix('/'));
    before.zip(store.session(entry)).is_some_and(|(before, session)| before.ends_with(&session.name))
}

/// Returns which of the records with one id in one place is meant. A live record precedes an archived one. A
/// record that only undo data holds is listed only if it was asked for, so it precedes all.
fn precedence(snapshot: &Snapshot, at: EntryRef) -> u8 {
    let (store, entry) = snapshot.get(at);
    let is_live = entry.state == State::Live && store.document(entry).role == Role::Records;
    if is_held(store, entry) { 2 } else { u8::from(is_live) }
}

#[derive(Default)]
struct KeyLookup {
    /// The documents, by the digests of their names.
    files: Option<HashMap<u32, Vec<(u32, u32)>>>,
    taken: HashSet<EntryRef>,
}

impl KeyLookup {
    /// Returns the record of a key. Of equal records, it is one that no other key has taken.
    fn find(&mut self, snapshot: &Snapshot, key: &Key) -> Option<EntryRef> {
        let files = self.files.get_or_insert_with(|| files(snapshot));
        for &(store, document) in files.get(&key.file)? {
            let own = &snapshot.stores[store as usize];
            let is_free = |entry: &u32| !self.taken.contains(&EntryRef { store, entry: *entry });
            let mut named = own.documents[document as usize]
                .records_of_key(key)
                .filter_map(|r| own.entry_number(document, r));
            if let Some(entry) = named.find(is_free) {
                let at = EntryRef { store, entry };
                self.taken.insert(at);
                return Some(at);
            }
        }
        None
    }
}

fn files(snapshot: &Snapshot) -> HashMap<u32, Vec<(u32, u32)>> {
    let mut files: HashMap<u32, Vec<(u32, u32)>> = HashMap::new();
    for (number, store) in (0..).zip(&snapshot.stores) {
        for (document, own) in (0..).zip(&store.documents) {
            // A record that only undo data holds is named by its former file.
            let names = std::iter::once(&*own.path).chain(deleted_from(&own.path));
            names.for_each(|path| {
                files.entry(file_digest(&store.root, path)).or_default().push((number, document));
            });
        }
    }
    files
}

pub(super) fn key(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    store.key(entry)
}

fn goes_by(snapshot: &Snapshot, at: EntryRef, name: &str) -> bool {
    let (store, entry) = snapshot.get(at);
    let Some(id) = store.id(entry) else { return false };
    let Some(before) = name.strip_suffix(id) else { return false };
    if before.is_empty() {
        return true;
    }
    let Some(before) = before.strip_suffix('/') else { return false };
    let root = store.root.to_text().into_owned();
    let is_store = |named: &str| !named.is_empty() && (root == named || root.ends_with(&format!("/{named}")));
    match store.session(entry).map(|session| session.name.as_str()) {
        None => is_store(before),
        Some(session) if before == session => true,
        Some(session) => before.strip_suffix(session).and_then(|b| b.strip_suffix('/')).is_some_and(is_store),
    }
}

fn same_place(snapshot: &Snapshot, a: EntryRef, b: EntryRef) -> bool {
    let session = |at| snapshot.get(at).1.session;
    a.store == b.store && session(a) == session(b)
}

fn place(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    let id = store.id(entry).unwrap_or_default();
    match store.session(entry) {
        Some(session) => format!("{}/{}/{id}", store.root.to_text(), session.name),
        None => format!("{}/{id}", store.root.to_text()),
    }
}
