//! Which records a verb is about: those that are named, or that a query finds.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use super::Context;
use super::args::Chosen;
use super::failure::{Exit, Failure};
use crate::format;
use crate::format::writing::Refusal;
use crate::model::key::{Key, Written, file_digest};
use crate::model::{Entry, EntryRef, Role, Snapshot, State, Store, Tell};
use crate::ops;
use crate::ops::delete::is_held;
use crate::query::{Cancel, Order, Query, Request, search};
use crate::text::secrets::mask;
use crate::work::Difference;

/// So many records that share an id are listed.
const CANDIDATES: usize = 20;

/// The records of a choice. Naming none is wrong usage, and never means all of them; a choice
/// that nothing matches ends the verb.
pub fn records(
    context: &Context,
    snapshot: &Snapshot,
    chosen: &Chosen,
    fits: impl Fn(&Store, &Entry) -> bool,
) -> Result<Vec<EntryRef>, Failure> {
    let mut found: Vec<EntryRef> = Vec::new();
    if !context.shown.is_bound() {
        found = the_named(snapshot, &chosen.ids)?;
    }
    match &chosen.query {
        _ if context.shown.is_bound() => {}
        Some(query) if query.trim().is_empty() => {
            return Err(Failure::new(Exit::Usage, "the query is empty, which never means everything."));
        }
        Some(query) => found.extend(by_query(context, snapshot, query)?),
        None if chosen.ids.is_empty() => {
            return Err(Failure::new(Exit::Usage, "name records by their ids, or with --query."));
        }
        None => {}
    }
    let named = found.len() * usize::from(chosen.query.is_none());
    let found = context.shown.choose(snapshot, found);
    let mut fitting = Vec::new();
    let mut others = Vec::new();
    for (number, at) in found.into_iter().enumerate() {
        let (store, entry) = snapshot.get(at);
        match fits(store, entry) {
            true => fitting.push(at),
            false if number < named && entry.state == State::Broken => return Err(broken(snapshot, at)),
            false => others.push(at),
        }
    }
    fitting.sort();
    fitting.dedup();
    context.shown.keep(snapshot, &fitting);
    match (fitting.is_empty(), others.as_slice()) {
        (false, _) => Ok(fitting),
        (true, _) if context.shown.difference.is_some() => Err(nothing_left(context)),
        (true, []) => Err(Failure::new(Exit::Nothing, "no record matches. Nothing was changed.")),
        (true, [one, ..]) => Err(unfit(snapshot, *one, others.len())),
    }
}

/// The record of a name; where it is asked again, the one that was shown.
pub fn the_shown(context: &Context, snapshot: &Snapshot, name: &str) -> Result<EntryRef, Failure> {
    let at = match context.shown.is_bound() {
        false => the_one(snapshot, name)?,
        true => still(context, snapshot, name)?,
    };
    context.shown.keep(snapshot, &[at]);
    Ok(at)
}

/// The record that was shown, unless its name leads to another by now.
fn still(context: &Context, snapshot: &Snapshot, name: &str) -> Result<EntryRef, Failure> {
    let own = context.shown.choose(snapshot, Vec::new());
    let at = own.first().copied().ok_or_else(|| nothing_left(context))?;
    match the_one(snapshot, name) {
        Ok(other) if other != at => Err(Failure::new(
            Exit::Refused,
            format!(
                "{name:?} leads to another record than the one that was shown. Nothing was changed. (E_CONCURRENT_MOD)"
            ),
        )),
        _ => Ok(at),
    }
}

/// Nothing is left of what was shown.
fn nothing_left(context: &Context) -> Failure {
    let told = context.shown.difference.as_ref().map(Difference::told).unwrap_or_default();
    Failure::new(Exit::Refused, format!("{told}. Nothing of it remains; nothing was changed."))
}

fn broken(snapshot: &Snapshot, at: EntryRef) -> Failure {
    let refusal = Refusal::broken();
    let message =
        format!("{}: {} Nothing was changed. ({})", key(snapshot, at), refusal.message, refusal.code);
    Failure::new(Exit::Refused, message)
}

/// Records were found, and none in a state that this is done to: which, by the first of them.
fn unfit(snapshot: &Snapshot, at: EntryRef, count: usize) -> Failure {
    let (store, entry) = snapshot.get(at);
    let id = store.view(entry).and_then(|view| view.id.as_deref()).map(str::to_owned);
    let id = id.unwrap_or_else(|| key(snapshot, at));
    let state = match entry.state {
        State::Live => "is not set aside: it is live",
        State::Archived => &format!("is archived; {}", ops::way_back(store, entry)),
        State::Deleted => "is deleted; `palimp undelete` takes that back",
        State::Broken => return broken(snapshot, at),
    };
    let more = if count > 1 { format!(" So are {} others.", count - 1) } else { String::new() };
    let more = if entry.state == State::Live { String::new() } else { more };
    Failure::new(Exit::Nothing, format!("{id} {state}.{more} Nothing was changed."))
}

/// Everything that a query finds, whatever its state.
fn by_query(context: &Context, snapshot: &Snapshot, text: &str) -> Result<Vec<EntryRef>, Failure> {
    let query = Query::parse(text, context.now)?;
    let request = Request {
        snapshot,
        text: None,
        query: &query,
        ranking: context.options.ranking(snapshot.stores.iter().map(|store| store.format)),
        order: Order::Time,
        all: true,
        now: context.now,
    };
    let results = search(&request, &Cancel::default()).unwrap_or_default();
    Ok(results.hits.iter().map(|hit| hit.at).collect())
}

/// The chosen records, store by store.
pub fn by_store<'a>(snapshot: &'a Snapshot, chosen: &[EntryRef]) -> Vec<(&'a Store, Vec<Entry>)> {
    let mut stores: Vec<(&Store, Vec<Entry>)> = Vec::new();
    for (number, store) in snapshot.stores.iter().enumerate() {
        let own = chosen.iter().filter(|at| at.store == number as u32);
        let own: Vec<Entry> = own.map(|at| store.entries[at.entry as usize]).collect();
        if !own.is_empty() {
            stores.push((store, own));
        }
    }
    stores
}

/// The record of a key, an id, `SESSION/ID` or `STORE/SESSION/ID`.
pub fn the_one(snapshot: &Snapshot, name: &str) -> Result<EntryRef, Failure> {
    let own = the_named(snapshot, &[name])?;
    own.first().copied().ok_or_else(|| nothing_named(name))
}

/// The records of a name, to be read: all that share the id in one place.
pub fn named(snapshot: &Snapshot, name: &str) -> Result<Vec<EntryRef>, Failure> {
    let several = by_id(snapshot, &[name]).remove(name).unwrap_or_default();
    match several.as_slice() {
        [first, others @ ..] if others.iter().all(|own| same_place(snapshot, *first, *own)) => Ok(several),
        _ => the_named(snapshot, &[name]),
    }
}

/// The records of names, each once. An id that several records share names none of them: their keys
/// do. The stores are gone through once for all names.
fn the_named<S: AsRef<str>>(snapshot: &Snapshot, names: &[S]) -> Result<Vec<EntryRef>, Failure> {
    let by_id = by_id(snapshot, names);
    let mut keyed = Keyed::default();
    let mut known: HashSet<&str> = HashSet::new();
    let mut all = Vec::new();
    for name in names.iter().map(AsRef::as_ref).filter(|name| known.insert(name)) {
        let written = Key::read(name);
        if let Some(Written::Key(key)) = &written
            && let Some(at) = keyed.find(snapshot, key)
        {
            all.push(at);
            continue;
        }
        match (by_id.get(name).map_or(&[][..], Vec::as_slice), written) {
            ([one], _) => all.push(*one),
            ([], None) => return Err(nothing_named(name)),
            ([], Some(written)) => return Err(no_such_key(name, written)),
            (several, _) => return Err(ambiguous(snapshot, name, several)),
        }
    }
    Ok(all)
}

fn nothing_named(name: &str) -> Failure {
    Failure::new(Exit::Nothing, format!("no record is named {name:?}."))
}

fn no_such_key(name: &str, written: Written) -> Failure {
    let why = match written {
        Written::Key(_) => {
            "no record has this key any more: since it was listed it was changed, moved to another file or \
             removed"
        }
        Written::OfAPlace => {
            "this key is of an older version, and names a place where another record may be by now"
        }
    };
    Failure::new(Exit::Refused, format!("{name}: {why}. Nothing was changed. List the record again."))
}

fn ambiguous(snapshot: &Snapshot, name: &str, several: &[EntryRef]) -> Failure {
    let is_alone = |&at: &EntryRef| several.iter().filter(|&&own| same_place(snapshot, own, at)).count() == 1;
    let way = match several.iter().take(CANDIDATES).any(is_alone) {
        true => "one of them, or its key",
        false => "one by its key",
    };
    let mut lines =
        vec![format!("{name:?} is the id of {} records. Nothing was changed. Name {way}:", several.len())];
    lines.extend(several.iter().take(CANDIDATES).map(|&at| candidate(snapshot, at)));
    if let Some(more) = several.len().checked_sub(CANDIDATES).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more: `palimp list --json` gives their keys"));
    }
    let mut failure = Failure::new(Exit::Refused, lines.join("\n"));
    failure.is_ambiguous = true;
    failure
}

/// A record that an id may mean, with what tells it apart.
fn candidate(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    let (file, line) = (store.document(entry).path.told(), store.record(entry).line);
    let title = mask(&format::text_of(store, entry).title).into_owned();
    format!(
        "  {}  key {}  {file}:{line}  {}",
        place(snapshot, at),
        key(snapshot, at),
        title.replace('\n', " ")
    )
}

/// The records that go by each name: several where they share an id.
fn by_id<'n, S: AsRef<str>>(snapshot: &Snapshot, names: &'n [S]) -> HashMap<&'n str, Vec<EntryRef>> {
    // What stands behind a slash may be an id, or a part of one.
    let mut sought: HashMap<&str, Vec<&'n str>> = HashMap::new();
    for name in names.iter().map(AsRef::as_ref) {
        let tails = name.match_indices('/').map(|(at, _)| &name[at + 1..]);
        std::iter::once(name).chain(tails).for_each(|tail| sought.entry(tail).or_default().push(name));
    }
    let mut found: HashMap<&str, Vec<EntryRef>> = HashMap::new();
    for at in snapshot.entries() {
        let (store, entry) = snapshot.get(at);
        let id = store.view(entry).and_then(|view| view.id.as_deref());
        for name in id.and_then(|id| sought.get(id)).into_iter().flatten() {
            let own = found.entry(name).or_default();
            if !goes_by(snapshot, at, name) {
                continue;
            }
            match own.iter().position(|&known| same_place(snapshot, known, at)) {
                None => own.push(at),
                Some(known) => match standing(snapshot, at).cmp(&standing(snapshot, own[known])) {
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
    found
}

/// Which of the records of one id in one place are meant by it. A live record goes before an
/// archived one. Where what only undo data holds was asked for, it is meant, though another has
/// its name by now.
fn standing(snapshot: &Snapshot, at: EntryRef) -> u8 {
    let (store, entry) = snapshot.get(at);
    let is_live = entry.state == State::Live && store.document(entry).role == Role::Records;
    if is_held(store, entry) { 2 } else { u8::from(is_live) }
}

/// Finds records by their keys.
#[derive(Default)]
struct Keyed {
    /// The documents, by the digest of their names.
    files: Option<HashMap<u32, Vec<(u32, u32)>>>,
    taken: HashSet<EntryRef>,
}

impl Keyed {
    /// The record of a key; of equal ones that no other key of this choice has taken.
    fn find(&mut self, snapshot: &Snapshot, key: &Key) -> Option<EntryRef> {
        let files = self.files.get_or_insert_with(|| files(snapshot));
        for &(store, document) in files.get(&key.file)? {
            let own = &snapshot.stores[store as usize];
            let is_free = |entry: &u32| !self.taken.contains(&EntryRef { store, entry: *entry });
            let mut named =
                own.documents[document as usize].of_key(key).filter_map(|r| own.place(document, r));
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
            files.entry(file_digest(&store.root, &own.path)).or_default().push((number, document));
        }
    }
    files
}

fn key(snapshot: &Snapshot, at: EntryRef) -> String {
    let (store, entry) = snapshot.get(at);
    store.key(entry)
}

fn goes_by(snapshot: &Snapshot, at: EntryRef, name: &str) -> bool {
    let (store, entry) = snapshot.get(at);
    let Some(id) = store.view(entry).and_then(|view| view.id.as_deref()) else { return false };
    let Some(before) = name.strip_suffix(id) else { return false };
    if before.is_empty() {
        return true;
    }
    let Some(before) = before.strip_suffix('/') else { return false };
    let root = store.root.told().into_owned();
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
    let id = store.view(entry).and_then(|view| view.id.as_deref()).unwrap_or_default();
    match store.session(entry) {
        Some(session) => format!("{}/{}/{id}", store.root.told(), session.name),
        None => format!("{}/{id}", store.root.told()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::path::Path;

    use clap::CommandFactory;

    use crate::cli::{Args, Exit, run};

    /// Every verb that takes a selection, with what else it needs.
    fn selecting() -> Vec<(String, Vec<&'static str>)> {
        let command = Args::command();
        let takes = |verb: &&clap::Command| verb.get_arguments().any(|own| own.get_long() == Some("query"));
        let needs = |verb: &clap::Command| match verb.get_name() {
            "tag" => vec!["+new"],
            "edit" => vec!["--set", "importance=0.9"],
            _ => Vec::new(),
        };
        command
            .get_subcommands()
            .filter(takes)
            .map(|verb| (verb.get_name().to_owned(), needs(verb)))
            .collect()
    }

    fn exit(folder: &Path, verb: &str, words: &[&str]) -> Exit {
        let (store, data) = (folder.join("store"), folder.join("data"));
        let options = ["--store", store.to_str().unwrap(), "--data-dir", data.to_str().unwrap(), "--yes"];
        let all = [&["palimp", verb][..], words, &options].concat().into_iter().map(OsString::from);
        Args::read(all).map_or(Exit::Usage, run)
    }

    #[test]
    fn a_verb_with_nothing_chosen_changes_nothing_and_its_status_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("store/sessions/s/memory.jsonl");
        let line = "{\"id\":\"m\",\"session_id\":\"s\",\"type\":\"conversation\",\"timestamp\":\"2026-01-01T00:00:00Z\",\
                    \"content\":{\"role\":\"user\",\"message\":\"first\"}}\n";
        crate::disk::write_new(&log, line.as_bytes()).unwrap();
        crate::disk::write_new(&folder.path().join("store/config.json"), b"{\"version\":\"1.0\"}").unwrap();
        let verbs = selecting();
        assert!(verbs.len() >= 7, "{verbs:?}");
        for (verb, needs) in &verbs {
            let with = |more: &[&'static str]| exit(folder.path(), verb, &[&needs[..], more].concat());
            assert_eq!(with(&["--query", "tag:no_such_tag"]), Exit::Nothing, "{verb}");
            assert_eq!(with(&[]), Exit::Usage, "{verb}");
            assert_eq!(with(&["--query", ""]), Exit::Usage, "{verb}");
            assert_eq!(with(&["--query", "  "]), Exit::Usage, "{verb}");
            assert_eq!(with(&["no_such_id"]), Exit::Nothing, "{verb}");
            assert_eq!(std::fs::read_to_string(&log).unwrap(), line, "{verb}");
        }
    }
}
