//! `palimp stats`: figures, by the names of 2 §15.1.

use serde_json::json;

use super::failure::{Exit, Result};
use super::{Context, open};
use crate::disk::Real;
use crate::model::plan::counted;
use crate::model::{Store, Tell};
use crate::query::{Held, Statistics};
use crate::store::commit::{LogLine, Vault};
use crate::text::columns::human;

/// Prints figures of every store, and the metrics of all.
pub fn run(context: &mut Context) -> Result {
    let snapshot = open::listing(context)?;
    let statistics = Statistics::of(&snapshot, context.now);
    let held = || snapshot.stores.iter().zip(&statistics.stores);
    let stores: Vec<_> = held().map(|(store, held)| figures(store, held)).collect();
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
        "memory.entries.total": statistics.stores.iter().map(|held| held.live).sum::<usize>(),
        "memory.size.bytes": sum(&|store| store.bytes),
        "memory.errors.corruption.count": statistics.stores.iter().map(|held| held.broken).sum::<usize>(),
    });
    if context.options.json {
        context.out.json(&json!({ "stores": stores, "metrics": metrics }))?;
        return Ok(Exit::Done);
    }
    for (store, held) in held() {
        let Held { live, archived, deleted, broken, .. } = held;
        let line = format!(
            "{}: {live} live, {archived} archived, {deleted} deleted, {broken} broken, {}, {}",
            store.root.told(),
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

fn figures(store: &Store, held: &Held) -> serde_json::Value {
    let types: serde_json::Map<String, serde_json::Value> =
        held.types.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
    let Held { live, archived, deleted, broken, .. } = held;
    json!({
        "path": store.root.told().into_owned(),
        "format": store.format,
        "sessions": store.sessions.len(),
        "records": live,
        "archived": archived,
        "deleted": deleted,
        "broken": broken,
        "bytes": store.bytes,
        "by_type": types,
    })
}
