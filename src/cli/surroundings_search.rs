//! The search beside the stores, with its progress on a terminal.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::{Context, load_stores};
use crate::disk::host::Host;
use crate::model::{Snapshot, SurroundingReport};
use crate::store::erase::SecretValues;
use crate::store::surroundings::{ByteProgress, SoughtTexts};
use crate::text::columns::human_size;
use crate::usecase::{PlannedChange, surroundings};

/// A search that takes longer shows its progress, this often.
const OFTEN: Duration = Duration::from_millis(500);

/// Searches beside the stores for what a planned erasure takes away, and adds what is found to the
/// plan. `words` are those of the topic that is erased, if it is one.
pub fn search_surroundings(context: &Context, planned: &mut PlannedChange, words: &[String]) {
    let (data, home) = (planned.request.data.clone(), load_stores::home());
    let host = Host::here(&data, context.now);
    with_progress(|progress| {
        surroundings::search_surroundings(host, home.as_deref(), planned, words, progress);
    });
}

/// Searches beside the stores for values.
pub fn search_values(
    context: &Context,
    (data, snapshot): (&Path, &Snapshot),
    values: &SecretValues,
) -> SurroundingReport {
    let host = Host::here(data, context.now);
    let home = load_stores::home();
    let sought = SoughtTexts::of_values(values.all().iter().map(|own| own.to_vec()).collect());
    with_progress(|progress| surroundings::search(host, home.as_deref(), snapshot, &sought, progress))
}

/// Calls `search`, and shows on a terminal how far it is.
pub fn with_progress<T>(search: impl FnOnce(ByteProgress<'_>) -> T) -> T {
    let shown = Mutex::new((0_u64, Instant::now(), false));
    let is_terminal = std::io::stderr().is_terminal();
    let progress = |bytes: u64| {
        let Ok(mut own) = shown.lock() else { return true };
        own.0 += bytes;
        if is_terminal && own.1.elapsed() >= OFTEN {
            (own.1, own.2) = (Instant::now(), true);
            let searched = human_size(own.0);
            let _ =
                write!(std::io::stderr(), "\rpalimp: searched {searched} beside the stores, Ctrl-C stops   ");
        }
        true
    };
    let outcome = search(&progress);
    if shown.lock().is_ok_and(|own| own.2) {
        let _ = writeln!(std::io::stderr());
    }
    outcome
}
