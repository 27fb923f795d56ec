//! Plans an erasure and carries it out, in the same way for the verb and the screens.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use crate::disk::host::Host;
use crate::format::text_of;
use crate::model::path_text::deleted_from;
use crate::model::plan::count_with_noun;
use crate::model::{Entry, Extent, JournalLine, PathText, Plan, Store, Verb};
use crate::ops::bulk::{SkippedRecords, add_skipped, make_for_allowed};
use crate::ops::erase::{
    EraseOptions, ErasedRecords, is_masked, is_nameless, may_erase, plan as planned, targets,
};
use crate::ops::undelete::is_held;
use crate::ops::{self, Progress, WriteContext};
use crate::store::erase::{ErasedContents, ErasedValues, ErasureMatcher, ErasureTarget};
use crate::store::write::scrub::{count_versions, dropped_steps, gather};
use crate::store::{CommitError, Place, Vault, load_from, steps};
use crate::usecase::planned_change::{LostRecord, PlannedErasure, name_of};
use crate::usecase::value_places::{self, FileWithValue, places, refuse_names, refuse_rules};

/// A shorter word of an id says nothing about the content.
const SHORTEST_WORD: usize = 4;

/// The note if a memory was erased while the user wrote about it.
pub const ERASED_MEANWHILE: &str =
    "the memory was erased meanwhile, or looks like one that was: no copy of it is kept";

/// True if a memory was erased since it was read, because text about it may repeat its content. A memory that
/// nothing identifies counts as erased if one like it was erased, and it is not in the store any more.
pub fn is_erased(host: Host<'_>, store: &Store, entry: &Entry) -> Result<bool, CommitError> {
    let erased = Vault::open_read_only(host.disk, host.data, &store.root).erasure_list()?;
    let may_be = erased.iter().any(|line| may_be(&line.record, store, entry)) && is_nameless(store, entry);
    if may_be && !is_still_there(host, store, entry)? {
        return Ok(true);
    }
    let raw = store.raw(entry);
    let gone = ErasedRecords::of_lines(erased);
    let path = &store.document(entry).path;
    let takes = |own: ErasureMatcher<'_>| own.is_erased(path, &raw, store.memory(entry), None);
    Ok(gone.wanted(store, host.now).is_some_and(takes))
}

/// Keeps what is written about a memory; `None` if the memory was erased. An erasure removes what
/// was kept before it. What is kept too late is dropped here.
pub fn unless_erased<T>(
    host: Host<'_>,
    of: (&Store, &Entry),
    keep: impl FnOnce() -> T,
    drop: impl FnOnce(T),
) -> Result<Option<T>, CommitError> {
    if is_erased(host, of.0, of.1)? {
        return Ok(None);
    }
    let kept = keep();
    match is_erased(host, of.0, of.1) {
        Ok(false) => Ok(Some(kept)),
        outcome => {
            drop(kept);
            outcome.map(|_| None)
        }
    }
}

/// True if an erased record without an id was in the file of the entry, or had the same name in
/// another: a part is in every version of its document.
fn may_be(erased: &ErasureTarget, store: &Store, entry: &Entry) -> bool {
    let id = store.id(entry);
    let is_called_so = erased.was.is_some() && erased.was.as_deref() == id;
    erased.id.is_none() && (erased.file == store.document(entry).path || is_called_so)
}

/// True if the store on disk has a record with the same bytes.
fn is_still_there(host: Host<'_>, store: &Store, entry: &Entry) -> Result<bool, CommitError> {
    let now = load_from(host.disk, &Place::of(store), Extent::All, Some(store), host.now);
    let raw = store.raw(entry);
    Ok(now.entries.iter().any(|own| *now.raw(own) == *raw))
}

/// Plans an erasure; nothing is written. Records that can't be erased are left out. With `each`,
/// the erasure is refused if one of them can't be erased.
pub fn plan_erasure(
    host: Host<'_>,
    context: &WriteContext<'_>,
    store: &Arc<Store>,
    entries: &[Entry],
    (asked, each): (&EraseOptions, bool),
    progress: &Progress,
) -> Result<PlannedErasure, CommitError> {
    let reason = asked.reason();
    let values = ErasedValues::of(asked.values.all());
    refuse_names(host.disk, store, &values)?;
    refuse_rules(host, &values)?;
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let (targets, left) = chosen_targets((context, &vault.journal()?), entries, (asked, each), progress)?;
    let gone = if asked.keeps_memories { &[] } else { entries };
    let telling: Vec<String> = gone.iter().filter_map(|entry| telling_id(store, entry)).collect();
    // Records that only palimp's own data holds are targets, but the plan is only about files.
    let listed = store;
    let store = &match ops::delete::holds_deleted(store) {
        true => Arc::new(ops::delete::as_read(store).into_owned()),
        false => Arc::clone(store),
    };
    let context = &WriteContext { store, ..*context };
    let (places, unsearched) = places(host, store, &values);
    let unsearched = unsearched.into_iter().map(|own| format!("not searched for the value: {own}"));
    if targets.is_empty() && places.is_empty() {
        let plan = Plan { lines: unsearched.collect(), ..Plan::of(Verb::Erase, store.whole()?) };
        let (store, values) = (Arc::clone(store), asked.values.clone());
        return Ok(PlannedErasure { store, values, plan, left, ..PlannedErasure::default() });
    }
    ops::may_change(store)?;
    let format = ops::writes(store)?.0;
    let wanted = ErasureMatcher::of(format, store, &targets, host.now)
        .with_values(asked.values.all(), asked.keeps_memories);
    let mut contents = ErasedContents::default();
    let gathered = gather(host.disk, store, &vault, &wanted, &mut contents, &Default::default())?;
    progress.go_on()?;
    let removal = planned(context, &wanted, &contents, &gathered, reason)?;
    let steps = dropped_steps(&vault, &wanted, &removal.search_texts)?;
    // A deleted memory stays only in what is purged.
    let stays = |entry: &&Entry| !(asked.keeps_memories && is_held(listed, entry));
    let chosen: Vec<Entry> = entries.iter().filter(stays).copied().collect();
    let lost = lost_records(host, listed, &chosen, &wanted, &steps)?;
    let mut plan = removal.plan;
    if asked.keeps_memories {
        plan.records = plan.touched_entries().count();
    }
    let copies = copies(store, entries, &wanted);
    plan.lines.extend(copy_lines(store, &copies, &plan.with_torn));
    plan.lines.extend(kept(&count_versions(store, &wanted, &gathered)?));
    plan.lines.extend(lost_lines(&lost));
    plan.lines.extend(telling);
    let (left, kept) = if values.is_empty() { (left, Vec::new()) } else { (Vec::new(), left) };
    plan.lines.extend(kept.iter().flat_map(|own| &own.which).map(|entry| {
        // A short or common value that was detected is not erased by itself, so it stays here.
        let how = match (values.any(&store.raw(entry)), asked.keeps_memories) {
            (true, _) => "with the value masked",
            (false, true) => {
                "as it is, as its value is short or common (`palimp redact` masks it here alone)"
            }
            (false, false) => "as it is: its format keeps it",
        };
        format!("stays, {how}: {}", name_of(store, entry))
    }));
    plan.lines.extend(value_places::lines(&plan, &places));
    plan.lines.extend(unsearched);
    let loses_value = |entry: &Entry| asked.keeps_memories && values.any(&store.raw(entry));
    let kept = kept.into_iter().flat_map(|own| own.which).filter(|own| !loses_value(own)).collect();
    Ok(PlannedErasure {
        store: Arc::clone(store),
        targets,
        values: asked.values.clone(),
        keeps_memories: asked.keeps_memories,
        places: places.iter().map(FileWithValue::name).collect(),
        plan,
        left,
        kept,
        copies,
        lost,
        steps,
    })
}

/// Returns the records that can be erased as targets, and the others. With `each`, refuses if one can't be. A
/// record that holds a value and can't be erased stays, and the value in it is masked.
fn chosen_targets(
    (context, journal): (&WriteContext<'_>, &[JournalLine]),
    entries: &[Entry],
    (asked, each): (&EraseOptions, bool),
    progress: &Progress,
) -> Result<(Vec<ErasureTarget>, Vec<SkippedRecords>), CommitError> {
    let make = |own: &[Entry]| progress.go_on().and_then(|()| targets(context, own, asked.reason(), journal));
    // What is short or common is no reason to erase a memory that stays.
    if !asked.values.is_empty() || asked.keeps_memories {
        let mut left = Vec::new();
        let (chosen, masked): (Vec<Entry>, Vec<Entry>) =
            entries.iter().partition(|entry| !asked.keeps_memories && !is_masked(context.store, entry));
        // What only undo data or backups hold is no memory that stays.
        let stay: Vec<Entry> = masked.into_iter().filter(|entry| !is_held(context.store, entry)).collect();
        if !stay.is_empty() {
            add_skipped(&mut left, &stay, "its format keeps it");
        }
        return Ok((make(&chosen)?, left));
    }
    if each {
        return Ok((make(entries)?, Vec::new()));
    }
    let may = |entry: &Entry| progress.step().and_then(|()| may_erase(context.store, entry));
    let sifted = make_for_allowed(entries, &may, &make)?;
    Ok((sifted.result.unwrap_or_default(), sifted.skipped))
}

/// Returns the records that are erased with the chosen ones: copies that say the same, and older versions in
/// archives.
fn copies(store: &Store, chosen: &[Entry], wanted: &ErasureMatcher<'_>) -> Vec<Entry> {
    let chosen: HashSet<(u32, u32)> = chosen.iter().map(|own| (own.document, own.record)).collect();
    let is_copy = |own: &&Entry| {
        !chosen.contains(&(own.document, own.record))
            && wanted.is_erased(&store.document(own).path, &store.raw(own), store.memory(own), None)
    };
    store.entries.iter().filter(is_copy).copied().collect()
}

/// Returns lines about these. The first line is their number. Empty if there are none. May quote the store.
fn copy_lines(store: &Store, copies: &[Entry], with_torn: &[String]) -> Vec<String> {
    let head = match copies.len() {
        0 => None,
        1 => Some("with a copy that says the same:".to_owned()),
        count => Some(format!("with {count} copies that say the same:")),
    };
    let line = |own: &Entry| {
        let (name, line) = (name_of(store, own), store.record(own).line);
        let place = format!("{}:{line}", store.document(own).path.to_text());
        let torn = match store.memory(own) {
            Some(_) => "",
            None if with_torn.contains(&place) => {
                ", a broken line that names it, with what may be part of it"
            }
            None => ", a broken line that names it; intact memories after it stay",
        };
        format!("erase {name}  {place}{torn}")
    };
    head.into_iter().chain(copies.iter().map(line)).collect()
}

/// Returns the deleted records that can't be restored after undo data of these steps is dropped. Chosen and erased ones
/// are not among them.
fn lost_records(
    host: Host<'_>,
    store: &Store,
    chosen: &[Entry],
    wanted: &ErasureMatcher<'_>,
    dropped: &BTreeSet<u64>,
) -> Result<Vec<LostRecord>, CommitError> {
    if dropped.is_empty() {
        return Ok(Vec::new());
    }
    let before = match ops::delete::holds_deleted(store) {
        true => Cow::Borrowed(store),
        false => Cow::Owned(steps::with_deleted(host, store, &BTreeSet::new())?),
    };
    let after = steps::with_deleted(host, store, dropped)?;
    let stays: HashSet<String> = after.entries.iter().map(|own| after.key(own)).collect();
    let chosen: HashSet<String> = chosen.iter().map(|own| store.key(own)).collect();
    let is_lost = |(entry, key): &(&Entry, String)| {
        let path = &before.document(entry).path;
        let path = deleted_from(path).unwrap_or(path);
        !stays.contains(key)
            && !chosen.contains(key)
            && !wanted.is_erased(path, &before.raw(entry), before.memory(entry), None)
    };
    let all = before.entries.iter().map(|entry| (entry, before.key(entry)));
    Ok(all.filter(is_lost).map(|(entry, key)| LostRecord { name: name_of(&before, entry), key }).collect())
}

/// Returns lines about these. Empty if there are none. May quote the store.
fn lost_lines(lost: &[LostRecord]) -> Vec<String> {
    if lost.is_empty() {
        return Vec::new();
    }
    let memories = count_with_noun(lost.len() as u64, "deleted memory");
    let head = format!(
        "with {memories}, which can't be restored then: undo data of them has something that is erased"
    );
    let named = lost.iter().take(NAMED).map(|own| format!("  {}", own.name));
    let more = lost.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!("  and {more} more"));
    std::iter::once(head).chain(named).chain(more).collect()
}

/// At most this many files with copies, or memories, are named.
const NAMED: usize = 20;

/// Returns lines about what backups and palimp's own data hold of the erased records. The first
/// line is their number.
fn kept(found: &BTreeMap<String, usize>) -> Vec<String> {
    let count: usize = found.values().sum();
    if count == 0 {
        return Vec::new();
    }
    let copies = if count == 1 { "copy or earlier version" } else { "copies or earlier versions" };
    let mut lines = vec![format!("with {count} {copies} in backups and palimp's own data:")];
    lines.extend(found.iter().take(NAMED).map(|(place, count)| format!("erase {count} in {place}")));
    let more = found.len().saturating_sub(NAMED);
    lines.extend((more > 0).then(|| format!("and in {} more", count_with_noun(more as u64, "file"))));
    lines
}

/// Returns a note about an id that repeats words of the record. An erasure does not treat such an
/// id as content: it stays where it names the record.
fn telling_id(store: &Store, entry: &Entry) -> Option<String> {
    let memory = store.memory(entry)?;
    let id = memory.id()?;
    let is_word = |word: &&str| {
        word.len() >= SHORTEST_WORD && word.chars().all(char::is_alphabetic) && **word != *memory.kind()
    };
    let mut words = id.split(|c: char| !c.is_alphanumeric()).filter(is_word).peekable();
    words.peek()?;
    let text = text_of(store, entry);
    let says = format!("{} {}", text.title.raw(), text.text.raw()).to_lowercase();
    words.all(|word| says.contains(&word.to_lowercase())).then(|| {
        format!(
            "the id {id} repeats words of the memory. It stays where other memories name it, and in palimp's list of \
             what was erased"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::disk::write_new;
    use crate::model::{Extent, Moment, NotReached};
    use crate::ops::erase::DEFAULT_REASON;
    use crate::store::erase::{ERASE_UNPACK_LIMIT, SecretValues};
    use crate::store::steps::keep_text;
    use crate::store::{Place, load};
    use crate::text::repack::gzip;
    use crate::usecase::drafts::keep_draft;
    use crate::usecase::write::write_erasure;

    const NOW: Moment = Moment(1_770_000_000_000_000);

    fn store_at(root: &Path) -> Arc<Store> {
        let line = |id: &str, text: &str| {
            format!("{{{id}\"session_id\":\"s\",\"content\":{{\"message\":\"{text}\"}}}}\n")
        };
        let lines = [line("\"id\":\"mem_1\",", "It is to be forgotten."), line("", "It has no id at all.")];
        write_new(&root.join("sessions/s/memory.jsonl"), lines.concat().as_bytes()).unwrap();
        let place = Place::whole(root.to_owned(), "session-log");
        Arc::new(load(&place, Extent::All, None, NOW))
    }

    #[test]
    fn an_archive_that_is_too_large_to_be_searched_is_said_and_does_not_count_as_holding_the_value() {
        let folder = crate::folder::new();
        let (store, data) = (store_at(&folder.path().join("store")), folder.path().join("data"));
        let packed = gzip(&vec![b'\n'; ERASE_UNPACK_LIMIT as usize + 1]).unwrap();
        write_new(&store.root.join("old.gz"), &packed).unwrap();
        let context = WriteContext::of(&store, NOW, [7; 16]);
        let plan = |value: &str| {
            let options =
                EraseOptions { values: SecretValues::of([value.as_bytes()]), ..EraseOptions::default() };
            let asked = (&options, true);
            plan_erasure(Host::here(&data, NOW), &context, &store, &[], asked, &Progress::default()).unwrap()
        };
        let told = |own: &PlannedErasure| {
            own.plan
                .lines
                .iter()
                .filter(|line| line.contains("old.gz") && line.contains("not searched"))
                .count()
        };
        let nowhere = plan("nowhere-to-be-found");
        assert!(nowhere.is_empty(), "{:?}", nowhere.places);
        assert_eq!(told(&nowhere), 1, "{:?}", nowhere.plan.lines);
        let found = plan("to be forgotten");
        assert_eq!((found.places.len(), told(&found)), (1, 1), "{:?} {:?}", found.places, found.plan.lines);
    }

    #[test]
    fn a_draft_of_an_erased_memory_goes_though_it_has_other_words() {
        let folder = crate::folder::new();
        let (store, data) = (store_at(&folder.path().join("store")), folder.path().join("data"));
        let told = keep_draft(&data, (&store, &store.entries[0]), b"Quite other words.", NOW);
        let other = keep_draft(&data, (&store, None), b"About no memory.", NOW);
        let path = |told: &str| told["What you wrote is kept in ".len()..told.len() - 1].to_owned();
        assert!(Path::new(&path(&told)).exists() && Path::new(&path(&other)).exists());
        let (host, options) = (Host::here(&data, NOW), EraseOptions::default());
        let context = WriteContext::of(&store, NOW, [7; 16]);
        let asked = (&options, true);
        let planned =
            plan_erasure(host, &context, &store, &[store.entries[0]], asked, &Progress::default()).unwrap();
        write_erasure(host, &planned, &NotReached::default(), DEFAULT_REASON).unwrap();
        assert!(!Path::new(&path(&told)).exists() && Path::new(&path(&other)).exists());
    }

    #[test]
    fn what_is_kept_while_its_memory_is_being_erased_goes_as_well() {
        for number in [0, 1] {
            let folder = crate::folder::new();
            let (store, data) = (store_at(&folder.path().join("store")), folder.path().join("data"));
            let host = Host::here(&data, NOW);
            let context = WriteContext::of(&store, NOW, [7; 16]);
            let entry = store.entries[number];
            let keep = || {
                let asked = plan_erasure(
                    host,
                    &context,
                    &store,
                    &[entry],
                    (&EraseOptions::default(), true),
                    &Progress::default(),
                )
                .unwrap();
                write_erasure(host, &asked, &NotReached::default(), DEFAULT_REASON).unwrap();
                keep_text(host, &store.root, None, b"It was typed meanwhile.").unwrap()
            };
            let mut dropped = Vec::new();
            let kept = unless_erased(host, (&store, &entry), keep, |path| dropped.push(path)).unwrap();
            assert_eq!((kept, dropped.len()), (None, 1), "record {number}");
        }
    }
}
