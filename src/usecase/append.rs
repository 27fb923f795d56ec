//! Adds records only at the ends of logs: one to a store that was not read, or many in one step.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::command::NewRecord;
use super::failure::Result;
use super::given_ids::last_given_id;
use crate::disk::host::Host;
use crate::disk::{Item, ItemKind};
use crate::format::writing::{Refusal, WriteContext};
use crate::format::{self, Format};
use crate::model::{Bytes, Change, CommitReceipt, Moment, Plan, Store, is_file_name, is_log};
use crate::ops;
use crate::store::commit::{Writer, watch_due};
use crate::store::log_ends::LogEnds;
use crate::store::{Place, empty_store};

/// A log of fewer bytes is read, so that its derived files are right when the verb ends.
const SMALL: usize = 64 << 10;

/// Adds a record to the store at `place`. A process that outlives this one, or the next start,
/// rebuilds the index. Returns `None` if the store has to be read first; then nothing is changed.
pub fn append(place: &Place, new: &NewRecord, host: Host<'_>) -> Result<Option<(Store, CommitReceipt)>> {
    let Some(format) = format::by_name(place.format) else { return Ok(None) };
    let store = empty_store(place);
    let receipt = {
        let Some(writer) = Writer::open_to_append(host, &store)? else { return Ok(None) };
        let last = largest_id(format, place, new, host);
        let ends = LogEnds::of(host.disk, &store, last.into_iter().collect());
        let random = || host.machine.random();
        let drafts = [new.draft()];
        let appended = ops::add::append((format, &place.root), (&ends, host.now), &random, &drafts)?;
        let Some(plan) = appended.filter(|plan| !plan.changes.iter().all(is_small)) else { return Ok(None) };
        writer.commit(&plan)?
    };
    if receipt.waits {
        watch_due(place, host.data);
    }
    Ok(Some((store, receipt)))
}

/// Returns a session, a type and their largest id, if ids are numbered and the session's logs are not small.
fn largest_id(
    format: &dyn Format,
    place: &Place,
    new: &NewRecord,
    host: Host<'_>,
) -> Option<((String, String), String)> {
    let largest = format.own().largest_id?;
    let session = new.session.as_ref().filter(|name| is_file_name(name))?;
    let folder = place.root.join(format.session_paths(session).first()?);
    let items = host.disk.list(&folder).ok()?;
    let is_it =
        |item: &&Item| item.kind == ItemKind::File && item.link.is_none() && is_log(Path::new(&item.name));
    let logs: Vec<&Item> = items.iter().filter(is_it).collect();
    (logs.iter().map(|own| own.generation.len).sum::<u64>() >= SMALL as u64).then_some(())?;
    let read = |own: &&Item| Some(host.disk.read(&folder.join(&own.name), 0, None).ok()?.0);
    let logs: Vec<Vec<u8>> = logs.iter().map(read).collect::<Option<_>>()?;
    Some(((session.clone(), new.kind.clone()), largest(&logs, &new.kind)?))
}

/// Plans to add records in one step. `None` if the format does not add them as lines, or a log gets full.
pub fn plan_all(store: &Store, all: &[NewRecord], host: Host<'_>) -> Result<Option<Plan>> {
    let Some(format) = format::by_name(store.format) else { return Ok(None) };
    let of = |own: &NewRecord| Some((own.session.clone()?, own.kind.clone()));
    let keys: HashSet<(String, String)> = all.iter().filter_map(of).collect();
    let mut last = HashMap::new();
    for (session, kind) in keys {
        let given = last_given_id(host, store, &session, &kind)?;
        last.extend(given.map(|given| ((session, kind), given)));
    }
    let ends = LogEnds::of(host.disk, store, last);
    let drafts: Vec<_> = all.iter().map(NewRecord::draft).collect();
    let random = || host.machine.random();
    let appended = ops::add::append((format, &store.root), (&ends, host.now), &random, &drafts)?;
    if let Some(plan) = &appended {
        // How long the index of all of them is, is known only now.
        let context = WriteContext::of(store, host.now, [0; 16]);
        let base = |path: &Path| store.document_at(path).map(|document| document.bytes.clone());
        let whole = |change: &Change| Change { base: base(&change.path), ..change.clone() };
        let changes = plan.changes.iter().map(whole).collect();
        let (plan, after) = ops::plan_and_after("add", &context, plan.records, changes)?;
        ops::check(&context, &plan, &after)?;
    }
    Ok(appended)
}

/// Adds the records. The store is read again if another program changed it since.
pub fn append_all(store: &Store, all: &[NewRecord], host: Host<'_>) -> Result<Option<CommitReceipt>> {
    let writer = Writer::open(host, store)?;
    let now = writer.load();
    now.whole()?;
    let Some(plan) = plan_all(&now, all, host)? else { return Ok(None) };
    // Ids that palimp makes itself are only known now: a preview can't name them.
    let lines = plan.effects.iter().map(|effect| format!("adds {}", effect.name())).collect();
    let plan = Plan { lines, ..plan };
    let receipt = writer.commit(&plan)?;
    let is_batch = all.len() >= writer.tuning().index_after_records;
    match receipt.waits && !is_batch && !plan.changes.iter().all(is_small) {
        true => watch_due(writer.place(), host.data),
        false => drop(writer.derive_due()),
    }
    Ok(Some(receipt))
}

/// Returns why records can't be added in one step: one can't be added at all, or they need a new file.
pub fn refusal_of_all(store: &Store, all: &[NewRecord], now: Moment) -> Refusal {
    let context = WriteContext::of(store, now, [0; 16]);
    let refused = |(own, number): (&NewRecord, u32)| {
        let why = ops::add::add(&context, &own.draft()).err()?;
        Some(Refusal { message: format!("memory {number} can't be added: {}", why.message), ..why })
    };
    all.iter().zip(1..).find_map(refused).unwrap_or_else(|| {
        let why = "these memories can't be added in one step: some need a file that is not there yet, bring their \
                   own id, or fill their session. Add the first one alone, then the others; if that is refused, too, add each alone.";
        Refusal::unfit(why)
    })
}

fn is_small(change: &Change) -> bool {
    change.base.as_ref().map_or(0, Bytes::len) < SMALL
}
