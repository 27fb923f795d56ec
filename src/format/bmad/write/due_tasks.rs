//! Finds what is due by the lifecycle of §8.1 and the store's own config (§7.3, §9.1), computes decay (§6.3), and what a
//! compaction drops (§4.3).
//!
//! Records are deleted by age only if the config sets `auto_purge`. An archived session is then
//! deleted after the longest retention of all types.

use std::path::Path;

use crate::format::bmad::manifest_check::moment;
use crate::format::bmad::{Bmad, config};
use crate::format::writing::{
    DueTask, FormatWriter, Result, WriteContext, decay_update, document, removals, with_config,
};
use crate::model::time::{DAY, HOUR};
use crate::model::{
    Change, DecayTable, Entry, Moment, PathText, Role, Session, State, Store, StoredMemory, is_kept,
    path_from_text,
};
use crate::text::json_edit;
use crate::text::json_scanner::Tape;

/// The time without a write after which a session is archived (§8.1).
const IDLE: i64 = 30 * DAY;

pub fn due(context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
    let mut all: Vec<DueTask> = purge(context).into_iter().collect();
    all.extend(purge_archives(context));
    all.extend(idle(context)?);
    all.extend(full(context));
    if with_config(context.store, config::updates_decay) {
        all.extend(decay_update(&Bmad, context));
    }
    Ok(all)
}

/// Deletes live records that are older than the retention of their type.
fn purge(context: &WriteContext<'_>) -> Option<DueTask> {
    let days = with_config(context.store, config::retention)?;
    let store = context.store;
    let is_old = |entry: &&Entry| {
        let memory = store.memory(entry).filter(|_| entry.state == State::Live);
        let is_log = store.document(entry).role == Role::Records && store.session(entry).is_some();
        let created = memory.and_then(|memory| memory.created);
        let kept =
            memory.filter(|memory| !is_kept(memory, context.now)).and_then(|memory| days.of(memory.kind()));
        is_log && created.zip(kept).is_some_and(|(when, days)| context.now > when.plus(days * DAY))
    };
    let own: Vec<Entry> = store.entries.iter().filter(is_old).copied().collect();
    let what = "delete memories that are older than the config allows".into();
    let rule = format!("the config sets auto_purge and keeps {}", days.told());
    (!own.is_empty()).then(|| DueTask { what, rule, records: own.len(), changes: removals(store, &own) })
}

/// Deletes expired archives. Their bytes on disk are in [`WriteContext::compressed_files`].
fn purge_archives(context: &WriteContext<'_>) -> Vec<DueTask> {
    let paths = expired(context.store, context.now);
    let due = |path: std::path::PathBuf| {
        let packed = context.compressed_files.get(&path)?;
        let manifest = path.to_text().replace(".tar.gz", ".manifest.json");
        let beside = document(&context.store.documents, &path_from_text(&manifest));
        let mut changes = vec![Change::remove(&path, packed.as_slice().into())];
        changes.extend(beside.map(|own| Change::remove(&own.path, own.bytes.clone())));
        let what = format!("delete the archived session {}", path.to_text());
        let rule = "an archived session is deleted when the longest retention of the config is over".into();
        Some(DueTask { what, rule, records: 0, changes })
    };
    paths.into_iter().filter_map(due).collect()
}

/// Returns the archives of sessions that are older than the longest retention.
pub fn expired(store: &Store, now: Moment) -> Vec<std::path::PathBuf> {
    let Some(days) = with_config(store, config::retention) else { return Vec::new() };
    let is_over = |path: &Path| {
        let manifest = path.to_text().replace(".tar.gz", ".manifest.json");
        let own = document(&store.documents, &path_from_text(&manifest));
        let since = own.and_then(|own| moment(own, "archived_at"));
        since.zip(days.longest()).is_some_and(|(since, days)| now > since.plus(days * DAY))
    };
    let archives = store.documents.iter().map(|document| &document.path);
    let packed = archives.filter(|path| path.to_text().ends_with(".tar.gz"));
    packed.filter(|path| is_over(path)).cloned().collect()
}

fn idle(context: &WriteContext<'_>) -> Result<Vec<DueTask>> {
    let store = context.store;
    let mut all = Vec::new();
    for (number, session) in store.sessions.iter().enumerate() {
        let live = session.path.starts_with("sessions");
        let last = last_write(store, number as u32, session);
        if live && last.is_some_and(|last| context.now > last.plus(IDLE)) {
            let records = store.entries.iter().filter(|entry| entry.session == Some(number as u32)).count();
            let changes = super::session_archive::archive_session(context, &session.name)?;
            let what = format!("archive {}, idle for 30 days", session.name);
            let rule = "a session that was not written to for 30 days is archived".into();
            all.push(DueTask { what, rule, records, changes });
        }
    }
    Ok(all)
}

fn last_write(store: &Store, number: u32, session: &Session) -> Option<Moment> {
    let own = store.entries.iter().filter(|entry| entry.session == Some(number));
    let records = own.filter_map(|entry| store.memory(entry)?.created).max();
    let manifest = document(&store.documents, &session.path.join("manifest.json"));
    records.max(manifest.and_then(|own| moment(own, "updated_at")))
}

/// Compacts sessions that have the size at which the config demands it.
fn full(context: &WriteContext<'_>) -> Vec<DueTask> {
    let store = context.store;
    let (size, compacts) =
        with_config(store, |config| (config::size_limits(config).1, config::compacts(config)));
    let full = store.sessions.iter().filter(|session| compacts && session.size >= size);
    let due = |session: &Session| {
        let goes = compacted(context, &session.path);
        let what = format!("compact {}", session.name);
        let rule = format!("the session is as full as the config allows: {}", Bmad.compaction_rule(store));
        let changes = removals(store, &goes);
        (!goes.is_empty()).then_some(DueTask { what, rule, records: goes.len(), changes })
    };
    full.filter_map(due).collect()
}

/// Returns the members that update the cached decay of a record (§6.3), if it has changed.
pub fn faded(context: &WriteContext<'_>, entry: &Entry) -> Vec<(&'static str, String)> {
    let store = context.store;
    let is_log = store.document(entry).role == Role::Records && store.session(entry).is_some();
    let Some(memory) = store.memory(entry).filter(|_| is_log) else { return Vec::new() };
    let factor = factor(memory, store.decay(entry), context.now);
    let mut tape = Tape::default();
    let raw = store.raw(entry);
    let Ok(record) = json_edit::scan(&mut tape, &raw) else { return Vec::new() };
    let stored = record.get("decay_factor").and_then(|value| value.number());
    let is_recent = record
        .get("last_decay_update")
        .and_then(|value| value.number())
        .is_some_and(|millis| context.now.0 as f64 / 1000.0 - millis < (INTERVAL / 1000) as f64);
    if is_recent || stored.is_some_and(|stored| (stored - factor).abs() < 5e-5) {
        return Vec::new();
    }
    let updated = match record.get("last_decay_update").and_then(|value| value.text()) {
        Some(_) => json_edit::quoted(&context.now.to_rfc3339()),
        None => context.now.0.div_euclid(1000).to_string(),
    };
    vec![("decay_factor", format!("{factor:.4}")), ("last_decay_update", updated)]
}

/// The interval of decay updates (§6.2).
const INTERVAL: i64 = 24 * HOUR;

/// The weights of decay, importance and access in the relevance (§5.3). Without a query the text
/// counts the same for all records.
const WEIGHTS: [f64; 3] = [0.3, 0.2, 0.1];
/// The access score of a record without an access time (§5.3).
const ACCESS: f64 = 0.5;

/// Returns the decay factor of a record at `now`: the half-life of its type, slowed by access and
/// importance, between the floor and 1.
pub fn factor(memory: &StoredMemory, decay: &DecayTable, now: Moment) -> f64 {
    let rule = decay.rule(memory.kind());
    let boost = 1.0 + 0.1 * memory.access_count as f64 + 0.2 * memory.importance;
    rule.factor(memory.created.map(|created| now.hours_since(created)), boost)
}

/// Returns the indices of the records that a compaction drops, in order: all but the share `keep` with the highest
/// relevance. `entries` has type and relevance of each. Preferences always stay. Among equals, the first ones stay.
pub fn compaction(entries: &[(&str, f64)], keep: f64) -> Vec<usize> {
    let kept = (entries.len() as f64 * keep).floor() as usize;
    let order = |relevance: f64| if relevance.is_nan() { f64::NEG_INFINITY } else { relevance };
    let mut ranked: Vec<(usize, &(&str, f64))> = entries.iter().enumerate().collect();
    ranked.sort_by(|(_, (_, a)), (_, (_, b))| order(*b).total_cmp(&order(*a)));
    let dropped = ranked.into_iter().skip(kept).filter(|(_, (kind, _))| *kind != "preference");
    let mut dropped: Vec<usize> = dropped.map(|(at, _)| at).collect();
    dropped.sort_unstable();
    dropped
}

/// Returns the memories that a compaction of the session in `folder` drops. Pinned memories stay.
pub fn compacted(context: &WriteContext<'_>, folder: &Path) -> Vec<Entry> {
    let store = context.store;
    let in_session =
        |entry: &Entry| entry.state == State::Live && store.document(entry).path.starts_with(folder);
    let live: Vec<(Entry, &StoredMemory)> = store
        .entries
        .iter()
        .copied()
        .filter(in_session)
        .filter_map(|entry| Some((entry, store.memory(&entry)?)))
        .collect();
    let weigh =
        |&(entry, memory)| (StoredMemory::kind(memory), relevance(store, &entry, memory, context.now));
    let weighed: Vec<(&str, f64)> = live.iter().map(weigh).collect();
    let keep = with_config(store, config::keep_share);
    let dropped = compaction(&weighed, keep).into_iter().filter_map(|at| live.get(at));
    dropped.filter(|(_, memory)| !is_kept(memory, context.now)).map(|(entry, _)| *entry).collect()
}

/// Returns the relevance of §5.3 without a query.
fn relevance(store: &Store, entry: &Entry, memory: &StoredMemory, now: Moment) -> f64 {
    let decay = factor(memory, store.decay(entry), now);
    let access =
        memory.accessed.map_or(ACCESS, |accessed| (-0.05 * now.hours_since(accessed).max(0.0)).exp());
    let [time, importance, last] = WEIGHTS;
    time * decay + importance * memory.importance + last * access
}
