//! `palimp stats`: figures, by the names of 2 §15.1.

use serde_json::json;

use super::failure::{Exit, Result};
use super::{Context, open};
use crate::disk::Real;
use crate::model::plan::counted;
use crate::model::{State, Store, Tell};
use crate::store::commit::{LogLine, Vault};
use crate::text::columns::human;

/// Prints figures of every store, and the metrics of all.
pub fn run(context: &mut Context) -> Result {
    let snapshot = open::listing(context)?;
    let stores: Vec<_> = snapshot.stores.iter().map(|store| figures(store)).collect();
    let sum =
        |count: &dyn Fn(&Store) -> u64| -> u64 { snapshot.stores.iter().map(|store| count(store)).sum() };
    let log = log_lines(context, &snapshot.stores);
    let saved: Vec<&LogLine> = log.iter().filter(|line| line.message.ends_with(" saved")).collect();
    let took: Vec<u64> = saved.iter().filter_map(|line| line.metadata.get("duration_ms")?.as_u64()).collect();
    let told = |end: &str| log.iter().filter(|line| line.message.ends_with(end)).count();
    let metrics = json!({
        "memory.operations.write.count": took.len(),
        "memory.operations.write.duration_ms": took.iter().sum::<u64>().checked_div(took.len() as u64),
        "memory.locks.contention.count": told("E_LOCK_TIMEOUT"),
        "memory.compaction.count": saved.iter().filter(|line| line.message.starts_with("compact")).count(),
        "memory.sessions.active": sum(&|store| store.sessions.iter().filter(|own| own.lifecycle != Some("archived")).count() as u64),
        "memory.entries.total": sum(&|store| store.count(State::Live) as u64),
        "memory.size.bytes": sum(&|store| store.bytes),
        "memory.errors.corruption.count": sum(&|store| store.count(State::Broken) as u64),
    });
    if context.options.json {
        context.out.json(&json!({ "stores": stores, "metrics": metrics }))?;
        return Ok(Exit::Done);
    }
    for store in &snapshot.stores {
        let counts =
            [State::Live, State::Archived, State::Deleted, State::Broken].map(|state| store.count(state));
        let line = format!(
            "{}: {} live, {} archived, {} deleted, {} broken, {}, {}",
            store.root.told(),
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            counted(store.sessions.len() as u64, "session"),
            human(store.bytes)
        );
        context.out.line(&line)?;
    }
    for (name, value) in metrics.as_object().into_iter().flatten() {
        context.out.line(&format!("{name:32} {value}"))?;
    }
    Ok(Exit::Done)
}

/// The lines of palimp's own log of these stores.
fn log_lines(context: &Context, stores: &[std::sync::Arc<Store>]) -> Vec<LogLine> {
    let Ok(data) = open::data_folder(context) else { return Vec::new() };
    stores.iter().flat_map(|store| Vault::look(&Real, &data, &store.root).log_lines()).collect()
}

fn figures(store: &Store) -> serde_json::Value {
    let mut kinds = std::collections::BTreeMap::<String, u64>::new();
    for entry in store.entries.iter().filter(|entry| entry.state == State::Live) {
        let kind = store.view(entry).map_or("unknown", |view| view.kind);
        *kinds.entry(kind.to_owned()).or_default() += 1;
    }
    json!({
        "path": store.root.told().into_owned(),
        "format": store.format,
        "sessions": store.sessions.len(),
        "records": store.count(State::Live),
        "archived": store.count(State::Archived),
        "deleted": store.count(State::Deleted),
        "broken": store.count(State::Broken),
        "bytes": store.bytes,
        "by_type": kinds,
    })
}
