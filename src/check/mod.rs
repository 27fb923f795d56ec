//! The problems of stores, for verbs and screens. Pure.

pub mod problem_groups;
pub mod secrets;
pub mod stale_files;

use std::collections::HashMap;
use std::path::Path;

use crate::model::{Document, Problem, Store, short_digest};

/// A problem and the key that names it.
#[derive(Clone, Debug)]
pub struct KeyedProblem<'a> {
    pub problem: &'a Problem,
    /// Stays the same when the store changes elsewhere, and is no other store's. It depends on store, file, code and
    /// id; without an id on the record's content, or on the line.
    pub key: String,
}

/// Returns the problems of a store by file and line, each with its key.
pub fn findings(store: &Store) -> Vec<KeyedProblem<'_>> {
    let mut seen: HashMap<u64, u32> = HashMap::new();
    let documents: HashMap<&Path, &Document> =
        store.documents.iter().map(|own| (&*own.path, &**own)).collect();
    let keys = |problem: &Problem| {
        let document = documents.get(&*problem.file)?;
        let record = problem.record.filter(|own| (*own as usize) < document.records.len())?;
        Some(document.key(&store.root, record).to_string())
    };
    let keyed = |problem| {
        let digest = digest(&store.root, problem, &keys);
        let nth = seen.entry(digest).and_modify(|nth| *nth += 1).or_insert(1);
        let key = if *nth == 1 { format!("{digest:012x}") } else { format!("{digest:012x}-{nth}") };
        KeyedProblem { problem, key }
    };
    store.problems.iter().map(keyed).collect()
}

/// Returns a digest of 48 bits: short enough to type.
fn digest(root: &Path, problem: &Problem, key: &dyn Fn(&Problem) -> Option<String>) -> u64 {
    let place = match (&problem.id, problem.line) {
        (Some(id), _) => id.clone(),
        (None, Some(line)) => key(problem).unwrap_or_else(|| line.to_string()),
        (None, None) => String::new(),
    };
    let [root, file] = [root, &*problem.file].map(|own| own.as_os_str().as_encoded_bytes());
    let parts = [root, file, problem.code.as_str().as_bytes(), place.as_bytes()];
    let bytes = parts.into_iter().flat_map(|part| part.iter().chain(&[0]));
    let wide = short_digest(bytes);
    (wide ^ (wide >> 48)) & 0xffff_ffff_ffff
}
