//! The memories that a plan names are those that change: in every format, for every verb, compared with the stores
//! before and after it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use palimp::model::{Entry, Extent, Moment, State, Store};
use palimp::store::{Place, load, look_at};
use serde_json::Value;

use crate::lossless::Chance;
use crate::support::{Verb, folder, tries};

const NOW: &str = "2026-11-20T12:00:00Z";

/// A listed record: its key without its number among equal ones, its file, and whether a tombstone hides it.
type Named = (String, PathBuf, bool);

struct Desk {
    folder: tempfile::TempDir,
    place: Place,
    chance: Chance,
    done: BTreeMap<String, usize>,
}

impl Desk {
    fn store(&self) -> Store {
        load(&self.place, Extent::All, None, now())
    }

    fn run(&self, args: &[String]) -> crate::support::Output {
        let data = self.folder.path().join("data");
        let beside = ["--json", "--yes", "--now", NOW, "--store", self.place.root.to_str().unwrap()];
        let beside = beside.map(str::to_owned).into_iter();
        let data = ["--data-dir".to_owned(), data.to_str().unwrap().to_owned()];
        Verb::new(args.iter().cloned().chain(beside).chain(data)).home(self.folder.path()).run()
    }

    fn some_key(&mut self, store: &Store) -> String {
        let entry = *self.chance.one_of(&store.entries);
        store.key(&entry)
    }

    fn verb(&mut self, store: &Store) -> Vec<String> {
        let keys: Vec<String> = (0..1 + self.chance.below(3)).map(|_| self.some_key(store)).collect();
        let name = |all: &[&str]| all.iter().map(|own| (*own).to_owned()).collect::<Vec<String>>();
        let session = match store.sessions.as_slice() {
            [] => "none".to_owned(),
            all => self.chance.one_of(all).name.clone(),
        };
        let with = |verb: &[&str], rest: &[String]| [name(verb), rest.to_vec()].concat();
        let one = &keys[..1];
        match self.chance.below(24) {
            0 | 1 => with(&["tag", "+seen"], &keys),
            2 | 3 => with(&["edit", "--set", "text=Other words, said at once."], one),
            4 | 5 => with(&["delete"], &keys),
            6 => with(&["delete", "--remove"], &keys),
            7 => with(&["archive"], &keys),
            8 => with(&["unarchive"], &keys),
            9 => with(&["move", "--to", &session], &keys),
            10 => with(&["merge"], &[self.some_key(store), self.some_key(store)]),
            11 => name(&["compact"]),
            12 => name(&["repair", "--all-safe"]),
            13 => name(&["maintain"]),
            14 => with(&["session", "archive"], &[session]),
            15 => with(&["session", "unarchive"], &[session]),
            16 => with(&["erase"], one),
            17 => name(&["redact", "--secrets", "--with", "mask"]),
            18 => with(&["undelete"], &keys),
            19 => name(&["redo"]),
            20 => {
                let kinds: Vec<&str> =
                    store.entries.iter().filter_map(|own| Some(store.memory(own)?.kind())).collect();
                let kind = if kinds.is_empty() { "note" } else { self.chance.one_of(&kinds) };
                let mut add = name(&["add", "--type", kind, "--text", "A memory of this test."]);
                if !store.sessions.is_empty() {
                    add.extend(["--session".to_owned(), session]);
                }
                add
            }
            _ => name(&["undo"]),
        }
    }

    /// Does one change, and compares what it says with what it did.
    fn step(&mut self) {
        let before = self.store();
        if before.entries.is_empty() {
            return;
        }
        let args = self.verb(&before);
        let output = self.run(&args);
        let plans: Vec<Value> =
            output.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let done: Vec<&Value> = plans.iter().filter(|row| row["applied"] == true).collect();
        if done.is_empty() {
            return;
        }
        let after = self.store();
        let [was, is] = [&before, &after].map(seen);
        let (mut gone, mut come) = (without(&was, &is), without(&is, &was));
        // A tombstone takes a memory, and its end brings it back.
        let turned = |own: &Named, of: &[Named]| own.2 && of.contains(&(own.0.clone(), own.1.clone(), false));
        let (brought, taken) = (come.clone(), gone.clone());
        gone.retain(|own| !turned(own, &brought));
        come.retain(|own| !turned(own, &taken));
        let told: Vec<&Value> =
            done.iter().flat_map(|row| row["plan"]["memories"].as_array().unwrap()).collect();
        let bare = |row: &Value| row["key"].as_str().unwrap().split('.').next().unwrap().to_owned();
        let of = |words: &'static [&'static str]| {
            told.iter().filter(move |row| words.contains(&row["effect"].as_str().unwrap()))
        };
        let mut named: Vec<String> = of(&["change", "move", "remove"]).map(|row| bare(row)).collect();
        let mut keys: Vec<String> = gone.iter().map(|(key, ..)| key.clone()).collect();
        named.sort();
        keys.sort();
        let what = format!("{} {args:?}: {told:?}\n{gone:?}\n{come:?}", self.place.format);
        assert_eq!(named, keys, "what changes or goes, {what}");
        // palimp's own archive is no part of the store.
        let is_beside = args[0] == "archive" && self.place.format.starts_with("markdown");
        let stays: &'static [&'static str] =
            if is_beside { &["add", "change"] } else { &["add", "change", "move"] };
        assert_eq!(of(stays).count(), come.len(), "what is there then, {what}");
        *self.done.entry(format!("{} {}", self.place.format, args[0])).or_default() += 1;
    }
}

fn seen(store: &Store) -> Vec<Named> {
    let named = |entry: &Entry| {
        let key = store.key(entry);
        let path = store.document(entry).path.clone();
        (key.split('.').next().unwrap().to_owned(), path, entry.state == State::Deleted)
    };
    store.entries.iter().map(named).collect()
}

fn without(all: &[Named], others: &[Named]) -> Vec<Named> {
    let mut others: Vec<&Named> = others.iter().collect();
    let mut left = all.to_vec();
    left.retain(|own| {
        let at = others.iter().position(|other| *other == own);
        at.map(|at| others.swap_remove(at)).is_none()
    });
    left
}

fn now() -> Moment {
    Moment::parse(NOW).unwrap().0
}

fn lay_out(folder: &Path) {
    for (path, bytes) in palimp::demo::files(1, now()) {
        palimp::disk::write_new(&folder.join(path), &bytes).unwrap();
    }
}

fn places(root: &Path) -> Vec<Place> {
    look_at(root, None).found.unwrap()
}

#[test]
fn the_memories_that_a_plan_names_are_those_that_change() {
    let mut done: BTreeMap<String, usize> = BTreeMap::new();
    let all = folder::new();
    lay_out(&all.path().join("demo"));
    for place in places(&all.path().join("demo")) {
        for round in 0..tries::count(1, 20) {
            let own = folder::new();
            lay_out(&own.path().join("demo"));
            let root = own.path().join(place.root.strip_prefix(all.path()).unwrap());
            let chance = Chance::new(tries::seed() + round * 100 + done.len() as u64);
            let mut desk =
                Desk { folder: own, place: Place::whole(root, place.format), chance, done: BTreeMap::new() };
            for _ in 0..tries::count(25, 40) {
                desk.step();
            }
            desk.done.into_iter().for_each(|(verb, count)| *done.entry(verb).or_default() += count);
        }
    }
    if tries::is_long() {
        eprintln!("{} plans: {done:#?}", done.values().sum::<usize>());
    }
    for verb in ["edit", "delete", "undo"] {
        assert!(done.keys().any(|own| own.ends_with(verb)), "{verb} was never done: {done:?}");
    }
}

#[test]
fn what_adds_a_memory_says_the_id_that_it_gave() {
    let all = folder::new();
    lay_out(&all.path().join("demo"));
    for (format, store, kind, session) in [
        ("session-log", "ops/memory", "decision", Some("oauth_spike")),
        ("memory-server", "team/memories", "learning", None),
        ("markdown", "till/.claude/memory", "project", None),
    ] {
        let root = all.path().join("demo").join(store);
        let place = Place::whole(root, format);
        let own = folder::new();
        let desk = Desk { folder: own, place, chance: Chance::new(1), done: BTreeMap::new() };
        let session = session.iter().flat_map(|name| ["--session", name]);
        let args = ["add", "--type", kind, "--text", "Said once."].into_iter().chain(session);
        let output = desk.run(&args.map(str::to_owned).collect::<Vec<_>>()).expect_status(0);
        let memories = output.json_lines()[0]["plan"]["memories"].clone();
        let after = desk.store();
        let is_it = |entry: &&Entry| palimp::format::title(&after, entry).raw() == "Said once.";
        let entry = after.entries.iter().find(is_it).unwrap();
        let id = after.memory(entry).unwrap().id();
        assert_eq!(memories.as_array().unwrap().len(), 1, "{format}: {memories}");
        assert_eq!(
            (memories[0]["effect"].as_str(), memories[0]["id"].as_str()),
            (Some("add"), id),
            "{format}"
        );
        assert_eq!(memories[0]["key"].as_str(), Some(&*after.key(entry)), "{format}");
    }
}
