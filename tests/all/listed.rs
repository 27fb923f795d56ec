//! A store that is read for a list shows and finds the same as a store that is held in memory.

use std::fs;
use std::path::Path;

use palimp::format::{self, is_sensitive};
use palimp::model::{Extent, Moment, Snapshot, Store};
use palimp::ops::export::{ExportFormat, export};
use palimp::query::{CancelToken, Hit, Order, Query, Ranking, Request, TextIndex, search};
use palimp::store::{Place, load_each};
use proptest::prelude::*;

const NOW: Moment = Moment(1_770_000_000_000_000);

/// Texts as JSON spells them: escapes, accents, unusual words.
const TEXTS: [&str; 16] = [
    "The pool of connections",
    "the POOL\\nof\\tconnections",
    "Caf\\u00e9 au lait",
    "Café au lait",
    "CAFE",
    "Stra\\u00dfe",
    "Straße 7",
    "a \\\"quoted\\\" word",
    "C:\\\\pool\\\\new",
    "",
    " ",
    "npool",
    "over/under re-used a.b_c",
    "接続プール",
    "\\ud83d\\ude00 smile",
    "\\u0070ool",
];

const WORDS: [&str; 20] = [
    "pool", "npool", "poo*", "*ol", "p*l", "~pol", "cafe", "café", "strasse", "-pool", "quoted", "new",
    "text", "no text", "\"(no\"", "接続", "re-used", "a.b_c", "tag1", "mem_3",
];
const PHRASES: [&str; 4] = ["\"pool of\"", "\"of connections\"", "\"quoted\" word", "smile OR lait"];

/// A session log with these texts, and broken lines.
fn log(texts: &[(usize, bool)]) -> String {
    let line = |(number, (text, is_whole)): (usize, &(usize, bool))| {
        let line = format!(
            "{{\"id\":\"mem_{number}\",\"timestamp\":\"2026-01-10T12:00:00Z\",\"type\":\"finding\",\
             \"content\":{{\"finding\":\"{}\"}},\"tags\":[\"tag{}\"]}}",
            TEXTS[*text],
            number % 3
        );
        if *is_whole { line + "\n" } else { line[..line.len() - 9].to_owned() + "\n" }
    };
    // Short files would be held in memory.
    let long =
        (0..80).map(|number| format!("{{\"id\":\"long_{number}\",\"text\":\"{}\"}}\n", "x".repeat(1_000)));
    texts.iter().enumerate().map(line).chain(long).collect()
}

fn read(root: &Path, extent: Extent) -> Snapshot {
    let place = Place::whole(root.to_owned(), "session-log");
    Snapshot::of(load_each(&[place], extent, &Snapshot::default(), NOW))
}

fn hits(snapshot: &Snapshot, text: Option<&TextIndex>, query: &str) -> Vec<Hit> {
    let query = Query::parse(query, NOW).unwrap();
    let ranking = Ranking::default();
    let request =
        Request { snapshot, text, query: &query, ranking, order: Order::Rank, all: false, now: NOW };
    search(&request, &CancelToken::default()).unwrap().hits
}

/// Returns everything that is shown of each entry.
fn shown(store: &Store) -> Vec<String> {
    let one = |entry| {
        let (document, record) = (store.document(entry), store.record(entry));
        let lines = format::lines_of(document, entry.record).unwrap();
        let text = format::text_of(store, entry);
        let (key, raw) = (store.key(entry), store.read(entry).unwrap());
        format!("{entry:?} {record:?} {key} {raw:?} {lines:?} {text:?} {}", is_sensitive(store, entry))
    };
    store.entries.iter().map(one).collect()
}

proptest! {
    #![proptest_config(crate::support::tries::config(6, 500))]

    #[test]
    fn what_is_listed_is_what_is_held(texts in proptest::collection::vec((0..TEXTS.len(), any::<bool>()), 1..20)) {
        let folder = crate::support::folder::new();
        let root = folder.path().join("memory");
        fs::create_dir_all(root.join("sessions/s")).unwrap();
        fs::write(root.join("sessions/s/memory.jsonl"), log(&texts)).unwrap();
        let (listed, held) = (read(&root, Extent::Listed), read(&root, Extent::Whole));
        let [one, other] = [&listed, &held].map(|own| &*own.stores[0]);
        prop_assert!(one.documents.iter().any(|own| own.bytes.is_empty() && !own.records.is_empty()));
        prop_assert!(one.whole().is_err());
        prop_assert_eq!(shown(one), shown(other));
        let of_records = |own: &Store| {
            let problems = own.problems.iter().filter(|own| own.record.is_some());
            format!("{:?}", problems.collect::<Vec<_>>())
        };
        prop_assert_eq!(of_records(one), of_records(other));
        let text = TextIndex::build(&held, None, &CancelToken::default()).unwrap();
        for query in WORDS.into_iter().chain(PHRASES) {
            prop_assert_eq!(hits(&listed, None, query), hits(&held, Some(&text), query), "{}", query);
        }
    }
}

#[test]
fn a_log_that_changed_since_shows_what_was_listed_or_says_that_it_changed() {
    let folder = crate::support::folder::new();
    let root = folder.path().join("memory");
    fs::create_dir_all(root.join("sessions/s")).unwrap();
    let path = root.join("sessions/s/memory.jsonl");
    let was = log(&[(0, true), (1, true), (2, true)]);
    let changes: [fn(&str) -> String; 4] = [
        |was| was.to_owned() + "{\"id\":\"more\"}\n",
        |was| was.replacen("The pool", "One pool", 1),
        |_| String::new(),
        |was| was.lines().skip(1).map(|line| line.to_owned() + "\n").collect(),
    ];
    for change in changes {
        fs::write(&path, &was).unwrap();
        let listed = read(&root, Extent::Listed);
        let store = &*listed.stores[0];
        let now = change(&was);
        fs::write(&path, &now).unwrap();
        for entry in &store.entries {
            let span = store.record(entry).span;
            let own = &was[span.range()];
            let is_there = now.get(span.range()) == Some(own);
            assert_eq!(store.read(entry).is_some(), is_there);
            let text = format::text_of(store, entry);
            assert!(is_there || text.title == "(its file has changed since it was read)", "{}", text.title);
        }
    }
}

#[test]
fn a_file_that_changes_while_it_is_listed_is_told_and_nothing_is_invented() {
    let folder = crate::support::folder::new();
    let root = folder.path().join("memory");
    fs::create_dir_all(root.join("sessions/s")).unwrap();
    let path = root.join("sessions/s/memory.jsonl");
    fs::write(&path, log(&[(0, true), (1, true), (2, true)])).unwrap();
    let listed = read(&root, Extent::Listed);
    let entries: Vec<_> = listed.entries().collect();
    fs::write(&path, "").unwrap();
    let out: Vec<u8> = export(&listed, &entries, (ExportFormat::JsonLines, false)).flatten().collect();
    assert_eq!(String::from_utf8_lossy(&out), "");
    let all: Vec<u8> = export(&listed, &entries, (ExportFormat::Json, false)).flatten().collect();
    assert_eq!(String::from_utf8_lossy(&all), "[\n\n]\n");
    assert_eq!(listed.changed().count(), 1);
    // The placeholder for a text that is gone is not found.
    assert_eq!(hits(&listed, None, "changed"), []);
}
