//! A search finds the same with and without folded text.

use std::fs;

use palimp::model::{Extent, Moment, Snapshot};
use palimp::query::{CancelToken, Hit, Order, Query, Ranking, Request, TextIndex, search};
use palimp::store::{Place, load_each};
use proptest::prelude::*;

const NOW: Moment = Moment(1_770_000_000_000_000);

/// Texts as JSON spells them: escapes, accents, unusual words.
const TEXTS: &str = "The pool of connections|the POOL\\nof\\tconnections|Caf\\u00e9 au lait|Café au lait|\
    CAFE|Stra\\u00dfe|Straße 7|a \\\"quoted\\\" word|C:\\\\pool\\\\new|| |npool|over/under re-used a.b_c|\
    接続プール|\\ud83d\\ude00 smile|\\u0070ool";

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
            TEXTS.split('|').nth(*text).unwrap(),
            number % 3
        );
        if *is_whole { line + "\n" } else { line[..line.len() - 9].to_owned() + "\n" }
    };
    let long =
        (0..80).map(|number| format!("{{\"id\":\"long_{number}\",\"text\":\"{}\"}}\n", "x".repeat(1_000)));
    texts.iter().enumerate().map(line).chain(long).collect()
}

fn hits(snapshot: &Snapshot, text: Option<&TextIndex>, query: &str) -> Vec<Hit> {
    let query = Query::parse(query, NOW).unwrap();
    let ranking = Ranking::default();
    let request =
        Request { snapshot, text, query: &query, ranking, order: Order::Rank, all: false, now: NOW };
    search(&request, &CancelToken::default()).unwrap().hits
}

proptest! {
    #![proptest_config(crate::support::tries::config(6, 500))]

    #[test]
    fn a_search_of_the_stored_bytes_finds_what_one_of_the_folded_text_finds(
        texts in proptest::collection::vec((0..16_usize, any::<bool>()), 1..20),
    ) {
        let folder = crate::support::folder::new();
        let root = folder.path().join("memory");
        fs::create_dir_all(root.join("sessions/s")).unwrap();
        fs::write(root.join("sessions/s/memory.jsonl"), log(&texts)).unwrap();
        let place = Place::whole(root, "session-log");
        let snapshot = Snapshot::of(load_each(&[place], Extent::All, &Snapshot::default(), NOW));
        let text = TextIndex::build(&snapshot, None, &CancelToken::default()).unwrap();
        for query in WORDS.into_iter().chain(PHRASES) {
            prop_assert_eq!(hits(&snapshot, None, query), hits(&snapshot, Some(&text), query), "{}", query);
        }
    }
}
