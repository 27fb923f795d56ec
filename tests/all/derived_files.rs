//! Indexes, counts and manifests: `check` finds each wrong one, and `reindex` makes it like a fresh build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::faulty::Faulty;
use crate::support::files::now;
use palimp::check::stale_files;
use palimp::demo;
use palimp::format::writing::{FieldAssignment, RecordDraft};
use palimp::model::{Code, Entry, Extent, Plan, State, Store};
use palimp::ops::delete::DeleteOptions;
use palimp::ops::{self, Refusal, WriteContext};
use palimp::store::{Place, load_from};
use proptest::prelude::*;
use serde_json::Value;

/// The store is inside a repository, because `agent-memory` has pages around it.
const ROOT: &str = "/repository/.agent-memory";
const AROUND: &str = "/repository";

/// The demo's stores, and those of their derived files that a build from nothing makes.
const STORES: [(&str, &str, &[&str]); 5] = [
    ("session-log", "ops/memory", &["index.json"]),
    ("memory-server", "team/memories", &["index.json"]),
    ("bmad", "shop/.bmad/memory", &["index.json"]),
    ("a-mem", "notes/.chora/memory", &["tags.json", "links.json"]),
    (
        "agent-memory",
        "web/.agent-memory",
        &["README.md", "project-map.md", "current-focus.md", "gotchas.md", "next-steps.md"],
    ),
];
/// Problems that report a wrong derived file.
const TOLD: [Code; 5] =
    [Code::IndexStale, Code::IndexBroken, Code::CountMismatch, Code::ProjectionStale, Code::EntryBlockStale];
/// Members that are times, caches of a moment, or original data.
const LEFT_OUT: [&str; 5] = ["created_at", "last_updated", "current_relevance", "strength", "clusters"];

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn files(root: &str, seed: u64) -> Files {
    let around = Path::new(root).parent().unwrap();
    let own = |(path, bytes): (PathBuf, Vec<u8>)| {
        let inside = path.strip_prefix(root).ok().map(Path::to_owned);
        let beside = || path.strip_prefix(around).ok().map(|own| Path::new("..").join(own));
        let is_beside = |own: &PathBuf| root.ends_with(".agent-memory") && is_page(own);
        let path = inside.or_else(|| beside().filter(is_beside))?;
        let bytes = bare_page(&path, &bytes).unwrap_or(bytes);
        Some((path, bytes))
    };
    demo::stores(seed, now()).into_iter().filter_map(own).collect()
}

/// True for a page beside the store, or the entry file.
fn is_page(path: &Path) -> bool {
    path.starts_with("../docs/agent-memory") || path == Path::new("../README.md")
}

/// Returns the place on the disk of a file in the store, or beside it.
fn place_of(path: &Path) -> PathBuf {
    match path.strip_prefix("..") {
        Ok(beside) => Path::new(AROUND).join(beside),
        Err(_) => Path::new(ROOT).join(path),
    }
}

/// Returns a page without values, of no bundle: a build from nothing starts with it. The entry file
/// has no value but the hash.
fn bare_page(path: &Path, now: &[u8]) -> Option<Vec<u8>> {
    if path == Path::new("../README.md") {
        let text = String::from_utf8_lossy(now);
        let (before, rest) = text.split_once("bundleHash=")?;
        let (_, after) = rest.split_once(' ')?;
        return Some(format!("{before}bundleHash=00 {after}").into_bytes());
    }
    let name = path.strip_prefix("../docs/agent-memory").ok()?.file_stem()?.to_str()?;
    let word = name.to_lowercase();
    Some(format!("<!-- agent-memory:projection file={word} version=3 bundleHash=00 -->\n").into_bytes())
}

fn load(files: &Files, format: &'static str) -> Store {
    let disk = Faulty::new();
    for (path, bytes) in files {
        disk.put(place_of(path), bytes.clone(), 0o600);
    }
    let place = Place::whole(ROOT.into(), format);
    load_from(&disk, &place, Extent::All, None, now())
}

fn context(store: &Store) -> WriteContext<'_> {
    WriteContext::of(store, now(), [7; 16])
}

fn after(files: &Files, plan: &Plan, count: usize) -> Files {
    let mut files = files.clone();
    for change in plan.all().take(count) {
        match change.after() {
            Some(bytes) => files.insert(change.path.clone(), bytes.to_vec()),
            None => files.remove(&change.path),
        };
    }
    files
}

fn subjects(store: &Store) -> Vec<Entry> {
    let is_one = |own: &&Entry| {
        let file = &store.documents[own.document as usize].path;
        own.state == State::Live && (store.format != "agent-memory" || file == Path::new("state.json"))
    };
    store.entries.iter().filter(is_one).copied().collect()
}

/// Edits a bundle or deletes parts of it. A bundle has no tags, and nothing is added to it.
fn deed_of_bundle(
    context: &WriteContext<'_>,
    entry: Entry,
    which: usize,
    text: &str,
) -> Result<Plan, Refusal> {
    let has_title = |own: &&str| ["gotchas", "nextSteps"].contains(own);
    let kind = context.store.memory(&entry).map(|view| view.kind().to_string()).unwrap_or_default();
    let name = if Some(&*kind).filter(has_title).is_some() { "title" } else { "summary" };
    match which {
        0 | 1 => ops::edit::edit(context, &entry, &[FieldAssignment { name, value: text }]),
        _ => ops::delete::delete(
            context,
            &[entry],
            &DeleteOptions { remove: which == 2, ..DeleteOptions::default() },
        ),
    }
}

fn deed(context: &WriteContext<'_>, entry: Entry, which: usize, text: &str) -> Result<Plan, Refusal> {
    match which {
        _ if context.store.format == "agent-memory" => deed_of_bundle(context, entry, which, text),
        0 => ops::edit::edit(context, &entry, &[FieldAssignment { name: "text", value: text }]),
        1 => crate::support::plans::tag(context, &[entry], &["brandnew".to_owned()], &[]),
        2 => ops::delete::delete(
            context,
            &[entry],
            &DeleteOptions { remove: true, ..DeleteOptions::default() },
        ),
        _ => {
            let session = context.store.session(&entry).map(|own| own.name.clone());
            let kind = context.store.memory(&entry).map(|view| view.kind().to_string()).unwrap_or_default();
            let draft = RecordDraft {
                session: session.as_deref(),
                kind: &kind,
                text: Some(text),
                ..RecordDraft::default()
            };
            ops::add::add(context, &draft)
        }
    }
}

/// True for a note without links in a graph. A graph may list it or leave it out.
fn is_alone(node: &Value) -> bool {
    let is_empty = |list: &str| node.get(list).and_then(Value::as_array).is_some_and(Vec::is_empty);
    is_empty("outgoing_links") && is_empty("incoming_links")
}

fn said(bytes: &[u8]) -> Value {
    fn sorted(value: Value) -> Value {
        match value {
            Value::Array(items) => {
                let items = items.into_iter().filter(|item| !is_alone(item));
                let mut items: Vec<Value> = items.map(sorted).collect();
                items.sort_by_key(Value::to_string);
                Value::Array(items)
            }
            Value::Object(members) => {
                let kept = members.into_iter().filter(|(name, _)| !LEFT_OUT.contains(&name.as_str()));
                kept.map(|(name, value)| (name, sorted(value))).collect()
            }
            other => other,
        }
    }
    let text = || Value::String(String::from_utf8_lossy(bytes).into_owned());
    serde_json::from_slice(bytes).map_or_else(|_| text(), sorted)
}

fn fresh(files: &Files, format: &'static str, names: &[&str]) -> Files {
    let is_derived = |path: &Path| path.file_name().is_some_and(|name| names.iter().any(|own| name == *own));
    // A missing page stays missing: the build starts from a page without values.
    let begun = |(path, bytes): (&PathBuf, &Vec<u8>)| match is_derived(path) {
        true => Some((path.clone(), bare_page(path, bytes)?)),
        false => Some((path.clone(), bytes.clone())),
    };
    let without: Files = files.iter().filter_map(begun).collect();
    let store = load(&without, format);
    let made = stale_files::stale_files(&store, now()).into_iter().filter(|change| is_derived(&change.path));
    made.filter_map(|change| Some((change.path.clone(), change.after()?.to_vec()))).collect()
}

fn told(store: &Store) -> BTreeSet<PathBuf> {
    let more = stale_files::problems(store, &stale_files::stale_files(store, now()));
    let all = store.problems.iter().chain(&more).filter(|problem| TOLD.contains(&problem.code));
    all.map(|problem| problem.file.clone()).collect()
}

fn wrong(files: &Files, format: &'static str, names: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    let store = load(files, format);
    let told = told(&store);
    for (path, right) in fresh(files, format, names) {
        if files.get(&path).is_some_and(|own| said(own) != said(&right)) && !told.contains(&path) {
            wrong.push(format!("{}: not seen", path.display()));
        }
    }
    let plan = ops::reindex::reindex(&context(&store)).unwrap();
    let repaired = after(files, &plan, usize::MAX);
    let store = load(&repaired, format);
    let left = self::told(&store).into_iter().filter(|path| fresh_again(path, &repaired));
    wrong.extend(left.map(|path| format!("{}: still told after reindex", path.display())));
    for (path, right) in fresh(&repaired, format, names) {
        if repaired.get(&path).is_none_or(|own| said(own) != said(&right)) {
            wrong.push(format!(
                "{}: not as a fresh build\n{}",
                path.display(),
                difference(&repaired[&path], &right)
            ));
        }
    }
    wrong
}

/// True for a file that `reindex` writes; archives and traces are not.
fn fresh_again(path: &Path, files: &Files) -> bool {
    files.contains_key(path)
        && !path.starts_with("archive")
        && (is_page(path) || path.extension().is_some_and(|end| end == "json"))
}

fn difference(own: &[u8], right: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> BTreeSet<String> {
        serde_json::to_string_pretty(&said(bytes)).unwrap_or_default().lines().map(str::to_owned).collect()
    };
    let (own, right) = (lines(own), lines(right));
    let some: Vec<&String> = own.symmetric_difference(&right).take(8).collect();
    format!("{some:?}")
}

#[test]
fn a_safe_repair_of_one_file_makes_stale_files_of_others_anew_as_well() {
    let (format, root, _) = STORES[0];
    let mut files = self::files(root, 1);
    files = after(&files, &ops::reindex::reindex(&context(&load(&files, format))).unwrap(), usize::MAX);
    let is_index = |path: &&PathBuf| path.starts_with("sessions") && path.ends_with("index.json");
    let index = files.keys().find(is_index).unwrap().clone();
    files.insert(index.clone(), b"{}".to_vec());
    let is_elsewhere = |path: &Path| {
        path.extension().is_some_and(|end| end == "jsonl")
            && path.starts_with("sessions")
            && path.parent() != index.parent()
    };
    let log = files.keys().find(|path| is_elsewhere(path)).unwrap().clone();
    files.get_mut(&log).unwrap().extend(b"{\"id\":\"torn");
    let store = load(&files, format);
    assert!(told(&store).contains(&index));
    let repair = crate::support::plans::all_safe(&context(&store)).unwrap();
    let repaired = load(&after(&files, &repair.plan.unwrap(), usize::MAX), format);
    assert!(!told(&repaired).contains(&index));
}

#[test]
fn a_page_of_a_state_that_is_gone_is_rebuilt() {
    let (format, root, names) = STORES[4];
    let mut files = self::files(root, 1);
    files = after(&files, &ops::reindex::reindex(&context(&load(&files, format))).unwrap(), usize::MAX);
    let page = files.get_mut(Path::new("../docs/agent-memory/README.md")).unwrap();
    let now = String::from_utf8(page.clone()).unwrap();
    *page = now.replace("Last generated: 2026", "Last generated: 2025").into_bytes();
    assert_ne!(*page, now.into_bytes());
    assert_eq!(wrong(&files, format, names), Vec::<String>::new());
}

proptest! {
    #![proptest_config(crate::support::tries::config(4, 600))]

    #[test]
    fn after_a_change_cut_short_anywhere_every_stale_file_is_seen_and_made_anew(
        which in 0..STORES.len(),
        seed in 1_u64..4,
        at in any::<proptest::sample::Index>(),
        deed in 0_usize..4,
        text in proptest::sample::select(vec!["entirely other wording zebra", "retry", "x"]),
        done in any::<proptest::sample::Index>(),
    ) {
        let (format, root, names) = STORES[which];
        // Another writer's index may leave out words: this test is about palimp's own.
        let mut files = self::files(root, seed);
        files.retain(|path, _| format != "bmad" || path.file_name().is_none_or(|name| name != "index.json"));
        let files = after(&files, &ops::reindex::reindex(&context(&load(&files, format))).unwrap(), usize::MAX);
        prop_assert_eq!(wrong(&files, format, names), Vec::<String>::new());
        let store = load(&files, format);
        let live = subjects(&store);
        let entry = live[at.index(live.len())];
        if let Ok(plan) = self::deed(&context(&store), entry, deed, text) {
            let count = plan.all().count();
            let files = after(&files, &plan, done.index(count + 1));
            prop_assert_eq!(wrong(&files, format, names), Vec::<String>::new(), "deed {}", deed);
        }
    }
}
