//! `palimp stats`: counts and sizes, by the names of 2 §15.1.

use std::sync::Arc;

use serde_json::json;

use super::{Context, Exit, ReadScope, Result, load_stores};
use crate::disk::host::Host;
use crate::format::with_family;
use crate::model::plan::count_with_noun;
use crate::model::{JournalLine, Lifecycle, PathText, State, Store, Verb};
use crate::query::{StoreCounts, UsageStatistics};
use crate::text::columns::human_size;
use crate::usecase::{set_aside_count, steps_of};

/// Prints the numbers of each store and of all stores, in words or by the names of the metrics.
pub fn run(context: &mut Context, is_metrics: bool) -> Result {
    let snapshot = load_stores::memories(context, ReadScope::All)?;
    context.unread.archives(&snapshot);
    let mut statistics = UsageStatistics::of(&snapshot, context.now);
    let data = load_stores::data_folder(context).ok();
    for (store, counts) in snapshot.stores.iter().zip(&mut statistics.stores) {
        let aside = set_aside_count(store, data.as_deref().map(|data| Host::here(data, context.now)));
        (counts.archived, counts.deleted) = (aside.archived, aside.deleted);
    }
    let counts = || snapshot.stores.iter().zip(&statistics.stores);
    let stores: Vec<_> = counts().map(|(store, counts)| figures(store, counts)).collect();
    let sum =
        |count: &dyn Fn(&Store) -> u64| -> u64 { snapshot.stores.iter().map(|store| count(store)).sum() };
    let steps = steps(context, &snapshot.stores);
    let metrics = json!({
        "memory.operations.write.count": steps.len(),
        "memory.compaction.count": steps.iter().filter(|step| step.verb == Verb::Compact).count(),
        "memory.sessions.active": sum(&|store| store.sessions.iter().filter(|own| own.lifecycle != Some(Lifecycle::Archived)).count() as u64),
        "memory.entries.total": statistics.stores.iter().map(|counts| counts.live).sum::<usize>(),
        "memory.size.bytes": sum(&|store| store.bytes),
        "memory.errors.corruption.count": statistics.stores.iter().map(|counts| counts.broken).sum::<usize>(),
    });
    if context.options.json {
        context.out.json(&json!({ "stores": stores, "metrics": metrics }))?;
        return Ok(Exit::Done);
    }
    if is_metrics {
        for (name, value) in metrics.as_object().into_iter().flatten() {
            context.out.line(&format!("{name:36} {value}"))?;
        }
        return Ok(Exit::Done);
    }
    for (store, counts) in counts() {
        in_words(store, counts).iter().try_for_each(|line| context.out.line(line))?;
    }
    Ok(in_all(&snapshot.stores, steps.len()).iter().try_for_each(|line| context.out.line(line))?)
        .map(|()| Exit::Done)
}

fn steps(context: &Context, stores: &[Arc<Store>]) -> Vec<JournalLine> {
    let Ok(data) = load_stores::data_folder(context) else { return Vec::new() };
    let of_store = |store: &Arc<Store>| {
        steps_of(&data, store).unwrap_or_else(|failed| {
            context.unread.line(format!("{}: {}", store.root.to_text(), failed.message));
            Vec::new()
        })
    };
    stores.iter().flat_map(of_store).collect()
}

/// Says how much one store holds in each state and of each type.
fn in_words(store: &Store, counts: &StoreCounts) -> Vec<String> {
    let StoreCounts { live, archived, deleted, broken, by_file_time, timeless, types } = counts;
    let others = [
        (*archived, "archived"),
        (*deleted, "deleted"),
        (*broken, "broken"),
        (*by_file_time, "by the time of their file"),
        (*timeless, "without a known time"),
    ];
    let others =
        others.iter().filter(|(count, _)| *count > 0).map(|(count, state)| format!("{count} {state}"));
    let sessions = Some(store.sessions.len() as u64).filter(|count| *count > 0);
    let sessions = sessions.map(|count| count_with_noun(count, "session"));
    let parts =
        [format!("{live} live")].into_iter().chain(others).chain(sessions).chain([human_size(store.bytes)]);
    let parts: Vec<String> = parts.collect();
    let head = format!("{} ({}): {}", store.root.to_text(), store.format, parts.join(", "));
    let types: Vec<String> = types.iter().map(|(name, count)| format!("{name} {count}")).collect();
    [head].into_iter().chain((!types.is_empty()).then(|| format!("  {}", types.join(", ")))).collect()
}

/// Says the numbers of all stores together, and how many steps palimp made there.
fn in_all(stores: &[Arc<Store>], steps: usize) -> Vec<String> {
    let mut lines = Vec::new();
    if stores.len() > 1 {
        let sum = |state| stores.iter().map(|store| store.count(state)).sum::<usize>();
        let (live, broken) = (sum(State::Live), sum(State::Broken));
        let bytes = human_size(stores.iter().map(|store| store.bytes).sum());
        let stores = count_with_noun(stores.len() as u64, "store");
        let memories = count_with_noun((live + broken) as u64, "memory");
        let broken = if broken > 0 { format!(" ({broken} broken)") } else { String::new() };
        lines.push(format!("{stores}: {memories}{broken}, {bytes}"));
    }
    lines.push(match steps {
        0 => "palimp has changed nothing yet".to_owned(),
        count => format!("palimp made {}", count_with_noun(count as u64, "step")),
    });
    lines
}

fn figures(store: &Store, counts: &StoreCounts) -> serde_json::Value {
    let types: serde_json::Map<String, serde_json::Value> =
        counts.types.iter().map(|(name, count)| (name.clone(), json!(count))).collect();
    let StoreCounts { live, archived, deleted, broken, by_file_time, timeless, .. } = counts;
    let (format, family) = with_family(store.format);
    let mut figures = json!({
        "path": store.root.to_text().into_owned(),
        "format": format,
        "sessions": store.sessions.len(),
        "records": live,
        "archived": archived,
        "deleted": deleted,
        "broken": broken,
        "bytes": store.bytes,
        "by_type": types,
        "by_file_time": by_file_time,
        "without_time": timeless,
    });
    if let Some(family) = family {
        figures["family"] = json!(family);
    }
    figures
}
