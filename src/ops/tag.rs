//! `tag`: tags added and taken away, importance set.

use super::{Refusal, Scene, Setting, backups, base, by_document, check, is_json, plan, writable, writes};
use crate::format::writing::{Deed, Writes, list};
use crate::model::{Change, Entry, Plan};
use crate::text::edit::{self, quoted, scan, set};
use crate::text::json::Kind;
use crate::text::scan::Tape;

/// Adds and removes tags of records.
pub fn tag(scene: &Scene<'_>, entries: &[Entry], add: &[String], remove: &[String]) -> Result<Plan, Refusal> {
    let (format, writes) = writes(scene.store)?;
    check_words(add.iter().map(String::as_str))?;
    let mut changes: Vec<Change> = Vec::new();
    let mut count = 0;
    for (document, own) in by_document(scene.store, entries) {
        writes.may(Deed::Tag, &document.path).map_err(Refusal::unfit)?;
        let mut edits = Vec::new();
        for entry in &own {
            writable(scene.store, entry)?;
            let Some(view) = scene.store.view(entry) else {
                return Err(Refusal::broken());
            };
            if is_json(format, scene.store, entry) {
                check_list(scene, entry)?;
            }
            let now: Vec<String> = view.tags.iter().map(|tag| tag.to_string()).collect();
            let tags = changed(&now, add, remove);
            if tags == now {
                continue;
            }
            count += 1;
            if let Some(changes_of) = writes.set_tags(scene, entry, &tags) {
                changes.extend(changes_of?);
            } else if is_json(format, scene.store, entry) {
                let span = scene.store.record(entry).span;
                let after = retagged(scene, writes, entry, add, remove)?;
                edits.push((span.start as usize..span.end as usize, after));
            }
        }
        if !edits.is_empty() {
            changes.push(Change::edits(&document.path, base(&document), edits));
        }
    }
    let mut all = backups(scene, writes, &changes);
    all.extend(changes);
    let plan = plan("tag", scene, count, all)?;
    check(scene, &plan)?;
    Ok(plan)
}

/// Refuses to tag a record whose `tags` are something else than a list: what stands there
/// would be lost.
fn check_list(scene: &Scene<'_>, entry: &Entry) -> Result<(), Refusal> {
    let mut tape = Tape::default();
    let record = scan(&mut tape, scene.store.raw(entry))?;
    let Some(tags) = record.get("tags").filter(|tags| !matches!(tags.kind(), Kind::Array | Kind::Null))
    else {
        return Ok(());
    };
    let id = scene.store.view(entry).and_then(|view| view.id.as_deref()).map(str::to_owned);
    let id = id.unwrap_or_else(|| scene.store.key(entry));
    let what = tags.kind().as_str();
    Err(Refusal::invalid(format!(
        "`tags` of {id} is {what} and no list: what stands there would be lost. Make a list of it first, as with `palimp edit {id} --set 'tags=[\"…\"]'`."
    )))
}

/// What every format asks of tags that we write: something to be seen, and to be found by. A
/// format's own rules come on top.
pub(super) fn check_words<'t>(tags: impl IntoIterator<Item = &'t str>) -> Result<(), Refusal> {
    let is_word = |tag: &str| !tag.trim().is_empty() && !tag.chars().any(char::is_control);
    match tags.into_iter().find(|tag| !is_word(tag)) {
        Some(tag) if tag.trim().is_empty() => Err(Refusal::invalid("a tag is empty.")),
        Some(tag) => Err(Refusal::invalid(format!("a tag has no control characters; {tag:?} has."))),
        None => Ok(()),
    }
}

/// The record with items of its tags removed and others put behind them: what else stands in
/// the list keeps its bytes.
fn retagged(
    scene: &Scene<'_>,
    writes: &dyn Writes,
    entry: &Entry,
    add: &[String],
    remove: &[String],
) -> Result<Vec<u8>, Refusal> {
    let raw = scene.store.raw(entry);
    let mut tape = Tape::default();
    let before = scan(&mut tape, raw)?;
    let Some(tags) = before.get("tags").filter(|tags| tags.kind() == Kind::Array) else {
        return writes.edited(before, set(raw, &["tags"], &list(add))?, scene.now);
    };
    let named = |text: &String| tags.items().any(|item| item.is_text(text));
    let goes: Vec<usize> = tags
        .items()
        .enumerate()
        .filter(|(_, item)| remove.iter().any(|text| item.is_text(text)))
        .map(|(at, _)| at)
        .collect();
    let mut after = raw.to_vec();
    for at in goes.into_iter().rev() {
        after = edit::remove(&after, &["tags", &at.to_string()])?;
    }
    for text in add.iter().filter(|text| !named(text) || remove.contains(text)) {
        after = edit::insert_item(&after, &["tags"], usize::MAX, &quoted(text))?;
    }
    writes.edited(before, after, scene.now)
}

/// The tags in their order, without those removed, and with those added behind them.
pub fn changed(now: &[String], add: &[String], remove: &[String]) -> Vec<String> {
    let mut tags: Vec<String> = now.iter().filter(|tag| !remove.contains(tag)).cloned().collect();
    for tag in add {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    tags
}

/// Sets the importance of a record.
pub fn importance(scene: &Scene<'_>, entry: &Entry, value: f64) -> Result<Plan, Refusal> {
    let (_, writes) = writes(scene.store)?;
    let kind = scene.store.view(entry).map_or("", |view| &view.kind);
    let (name, raw) = writes.importance(kind, value).map_err(Refusal::unfit)?;
    let text = raw.trim_matches('"');
    super::edit::edit(scene, entry, &[Setting { name, value: text }])
}
