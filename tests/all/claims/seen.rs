//! Checks the lists and counts of a damaged store.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use palimp::model::{Extent, Role, Snapshot, State, Store};
use palimp::query::{
    CancelToken, Order, Query, Ranking, Request, Results, UsageStatistics, pick_duplicates, search,
};
use palimp::work::StoreTally;

use super::Judge;
use super::memories::{Memory, all, fields};
use super::stores::log;

impl Judge<'_> {
    /// Compares lists and counts with the bytes and with each other.
    pub fn sees(&mut self, known: &[Vec<u8>]) {
        let store = self.desk.store();
        let whole = all(&store);
        for (name, extent) in [("listed", Extent::All), ("judged", Extent::All)] {
            let other = all(&self.desk.store_as(extent));
            self.holds(other == whole, "every way of reading lists the same", || {
                let differs = whole.iter().zip(&other).find(|(one, two)| one != two);
                format!("{name}: {} and {}, first {differs:?}", whole.len(), other.len())
            });
        }
        self.counts(&store, &whole);
        self.lists_what_is_intact(&whole, known);
        self.keeps_the_deleted(&store, &whole);
        self.calls_equal_what_is(&store);
    }

    fn counts(&mut self, store: &Arc<Store>, whole: &[Memory]) {
        let snapshot = Snapshot::of(vec![Arc::clone(store)]);
        let (tally, held) =
            (StoreTally::of(store), UsageStatistics::of(&snapshot, self.desk.now).stores.remove(0));
        let of = |state: State| whole.iter().filter(|own| own.state == state.as_str()).count();
        let states = [State::Live, State::Archived, State::Deleted, State::Broken];
        let counts = states.map(of);
        let told = [
            [tally.listed - tally.broken, tally.archived, tally.deleted, tally.broken],
            [held.live, held.archived, held.deleted, held.broken],
            states.map(|state| store.count(state)),
        ];
        self.holds(told.iter().all(|own| *own == counts), "all counts agree", || {
            format!("{counts:?} and {told:?}")
        });
        let listed = self.results(&snapshot).map_or(0, |own| own.hits.len());
        self.holds(listed == tally.listed, "a search for nothing lists what is counted", || {
            format!("{listed} of {}", tally.listed)
        });
        for entry in store.entries.iter().filter(|own| own.state == State::Broken) {
            let has_problem = store.problems_of(entry).next().is_some();
            self.holds(has_problem, "check names what is broken", || {
                String::from_utf8_lossy(&store.raw(entry)).into_owned()
            });
        }
    }

    /// The verbs print the number of the listed memories.
    pub fn prints(&mut self) {
        let whole = all(&self.desk.store());
        let [listed, counted, held] =
            [&["list", "--json", "--all"][..], &["stats", "--json"], &["stores", "--json"]]
                .map(|own| self.desk.verb(own));
        let states =
            [("records", "live"), ("archived", "archived"), ("deleted", "deleted"), ("broken", "broken")];
        for (name, state) in states {
            let count = whole.iter().filter(|own| own.state == state).count();
            let rows = listed.iter().filter(|row| row["state"] == state).count();
            let told = [&counted[0]["stores"][0][name], &held[0][name]]
                .map(|own| own.as_u64().unwrap_or(u64::MAX) as usize);
            // Deleted memories that are only in backups or undo data are listed and counted.
            let is_listed = rows == count || state == "deleted" && rows > count;
            self.holds(
                is_listed && told == [rows; 2],
                "list, stats and stores print the same counts",
                || format!("{state}: {count}, list {rows}, stats and stores {told:?}"),
            );
        }
        let found = self.desk.verb(&["check", "--json", "--all"]);
        let broken = whole.iter().filter(|own| own.state == "broken").count();
        let lines: std::collections::BTreeSet<String> = found
            .iter()
            .filter(|row| row["line"].is_u64())
            .map(|row| format!("{}:{}", row["file"], row["line"]))
            .collect();
        self.holds(lines.len() >= broken.min(1), "check prints what is broken", || {
            format!("{broken}: {lines:?}")
        });
    }

    fn results(&self, snapshot: &Snapshot) -> Option<Results> {
        let query = Query::parse("", self.desk.now).ok()?;
        let request = Request {
            snapshot,
            text: None,
            query: &query,
            ranking: Ranking::default(),
            order: Order::Importance,
            all: false,
            now: self.desk.now,
        };
        search(&request, &CancelToken::default())
    }

    /// Every line that was written completely and is in the log is listed.
    fn lists_what_is_intact(&mut self, whole: &[Memory], known: &[Vec<u8>]) {
        let file = log(self.desk.place.format);
        let bytes = self.desk.read(file).unwrap_or_default();
        for line in known.iter().filter(|line| memchr::memmem::find(&bytes, line).is_some()) {
            let is_it = |own: &&Memory| own.file == Path::new(file) && own.raw == *line;
            let is_listed = whole.iter().find(is_it).is_some_and(|own| own.state != State::Broken.as_str());
            self.holds(is_listed, "every intact memory is listed", || {
                String::from_utf8_lossy(line).into_owned()
            });
        }
    }

    /// A memory that a legible tombstone names is deleted, and an erased memory is gone.
    fn keeps_the_deleted(&mut self, store: &Store, whole: &[Memory]) {
        let deletions = store.documents.iter().filter(|own| own.role == Role::Tombstones);
        let named: Vec<u8> = deletions.flat_map(|own| own.bytes.to_vec()).collect();
        let all = self.gone;
        for gone in all {
            let quoted = format!("\"{}\"", gone.id.clone().unwrap_or_default());
            if memchr::memmem::find(&named, quoted.as_bytes()).is_none() {
                continue;
            }
            let back = whole.iter().find(|own| own.is_live && own.is(gone));
            self.holds(back.is_none(), "a tombstone with a legible id deletes", || gone.title.clone());
        }
    }

    /// A memory that is marked as equal to the first of its group differs only in id, checksum and accesses.
    fn calls_equal_what_is(&mut self, store: &Arc<Store>) {
        let snapshot = Snapshot::of(vec![Arc::clone(store)]);
        let Some(results) = self.results(&snapshot) else { return };
        let Some(found) = pick_duplicates(&snapshot, results, &CancelToken::default()) else { return };
        let picked = found.picked.clone().unwrap_or_default();
        let mut first = None;
        for (hit, figure) in found.hits.iter().zip(&picked.figures) {
            let raw = store.raw(snapshot.get(hit.at).1).to_vec();
            if figure.starts_with('×') {
                first = Some(raw);
            } else if picked.marked.contains(&hit.at) {
                let one = first.clone().unwrap_or_default();
                let is_equal = raw == one || told(&raw).is_some_and(|own| Some(own) == told(&one));
                self.holds(is_equal, "what is called equal is equal in every field", || {
                    format!("{}\n    {}", String::from_utf8_lossy(&one), String::from_utf8_lossy(&raw))
                });
            }
        }
    }
}

/// Returns the contents of a record, except how often it was read.
fn told(raw: &[u8]) -> Option<HashMap<String, serde_json::Value>> {
    let own = fields(raw).or_else(|| note(std::str::from_utf8(raw).ok()?))?;
    Some(
        own.into_iter()
            .filter(|(name, _)| !matches!(name.as_str(), "access_count" | "last_accessed" | "accessed_at"))
            .collect(),
    )
}

fn note(text: &str) -> Option<HashMap<String, serde_json::Value>> {
    let is_told = |line: &&str| !line.starts_with("id:") && !line.starts_with("note_id:");
    let lines =
        text.starts_with("---").then(|| text.lines().filter(is_told).collect::<Vec<_>>().join("\n"))?;
    Some(HashMap::from([("lines".to_owned(), lines.into())]))
}
