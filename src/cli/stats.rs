//! `palimp stats`: figures, by the names of 2 §15.1.

use serde_json::json;

use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::model::{State, Store};

/// Prints figures of every store, and the metrics of all.
pub fn run(context: &mut Context) -> Result<Exit, Failure> {
    let snapshot = open::snapshot(context)?;
    let stores: Vec<_> = snapshot.stores.iter().map(|store| figures(store)).collect();
    let sum =
        |count: &dyn Fn(&Store) -> u64| -> u64 { snapshot.stores.iter().map(|store| count(store)).sum() };
    let metrics = json!({
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
            "{}: {} live, {} archived, {} deleted, {} broken, {} sessions, {} bytes",
            store.root.display(),
            counts[0],
            counts[1],
            counts[2],
            counts[3],
            store.sessions.len(),
            store.bytes
        );
        context.out.line(&line)?;
    }
    for (name, value) in metrics.as_object().into_iter().flatten() {
        context.out.line(&format!("{name:32} {value}"))?;
    }
    Ok(Exit::Done)
}

fn figures(store: &Store) -> serde_json::Value {
    let mut kinds = std::collections::BTreeMap::<String, u64>::new();
    for entry in store.entries.iter().filter(|entry| entry.state == State::Live) {
        let kind = store.view(entry).map_or("unknown", |view| &view.kind);
        *kinds.entry(kind.to_owned()).or_default() += 1;
    }
    json!({
        "path": store.root.display().to_string(),
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
