//! Finds memories of a store that say nearly the same, but with different dates or numbers.

use crate::detectors::mask;
use crate::model::{Code, Problem, Severity, Store};
use crate::query::{CancelToken, ContradictingPair, contradictions};

/// The most memories of a store that are compared.
const COMPARED: u32 = 20_000;

/// Returns a note for each memory that contradicts an earlier one.
pub fn problems(store: &Store) -> Vec<Problem> {
    let all = 0..(store.entries.len() as u32).min(COMPARED);
    let pairs = contradictions(store, all, &CancelToken::default()).unwrap_or_default();
    pairs.iter().filter_map(|pair| problem(store, pair)).collect()
}

fn problem(store: &Store, (one, other, contradiction): &ContradictingPair) -> Option<Problem> {
    let (first, own) = (store.entries.get(*one as usize)?, store.entries.get(*other as usize)?);
    let id = |entry| store.view(entry).and_then(|view| view.id);
    let first = id(first).map_or_else(|| store.key(first), str::to_owned);
    let message =
        format!("It says nearly the same as {:?}, but with {}.", mask(&first), mask(&contradiction.told()));
    let file = &store.document(own).path;
    let problem = Problem::of_file(Code::ContradictingDates, Severity::Note, file, message);
    Some(problem.at_line(store.record(own).line).of_record(own.record, id(own)))
}
