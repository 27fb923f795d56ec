//! Erasure: finds the erased memories in all files of the store, and removes them.
//!
//! A part of the bundle is in the state and in every checkpoint, and its number can change. So
//! palimp finds it by its title if that is unique in the section, else by its content. Each file's
//! hash is updated. No checkpoint is added: it would hold nothing new.
//!
//! The numbers of events must have no gaps. So an erased event stays as a line with only its
//! number, kind, source and time. Signals of other events that repeat an erased part are removed.

use crate::format::record_reader::{object_of, without_mark};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::super::bundle::SECTIONS;
use super::super::main_text::text;
use super::super::{AgentMemory, checkpoint, layout};
use super::canonical_write::around;
use super::recall_effects::without as without_signals;
use super::rewritten;
use super::store_files::{StoreFiles, canonical_text, too_deep};
use super::write_event::event_line;
use crate::format::writing::{
    ChangesResult, ErasablePart, FormatEraser, Refusal, Result, WriteContext, document,
};
use crate::model::{Act, Change, Entry, PathText, Span, Store};
use crate::text::canonical::{indented, sha256_indented};
use crate::text::json::{Json, JsonKind};
use crate::text::json_edit::{self, quoted};
use crate::text::json_scanner::Tape;
use crate::text::lines::BOM;
use crate::text::needle::Needles;

/// The content hash of an erased event, and its `sourceRef`.
const HASH: &str = "erased";
const BY: &str = "palimp:erase";

impl FormatEraser for AgentMemory {
    fn may_erase(&self, store: &Store, entry: &Entry) -> Result<()> {
        let own = store.document(entry);
        if is_events_log(&own.path) {
            return Ok(());
        }
        let Some(memory) = store.memory(entry) else {
            return Err(Refusal::corrupt("it is broken: repair it first."));
        };
        if layout::is_checkpoint(&own.path) {
            let latest = latest(store);
            let is_latest = own.path.starts_with(layout::CHECKPOINTS) && latest.as_deref() == memory.id();
            return match is_latest {
                true => Err(Refusal::unfit(
                    "the latest checkpoint repeats the state: erase the part of the bundle.",
                )),
                false => Ok(()),
            };
        }
        if own.path != Path::new(layout::STATE) {
            return Err(Refusal::unfit("the import sources are registered by the format's own tool."));
        }
        match self.parts(&own.path, &own.bytes).iter().any(|part| part.span == store.record(entry).span) {
            true => Ok(()),
            false => Err(Refusal::unfit(format!(
                "a bundle must have its {:?}: edit it so that it does not say so any more, and erase the \
                 checkpoints that do.",
                memory.kind()
            ))),
        }
    }

    fn is_snapshot(&self, file: &Path) -> bool {
        layout::is_checkpoint(file)
    }

    // The parts are the items of lists, and the sections that the specification does not name.
    fn parts(&self, file: &Path, bytes: &[u8]) -> Vec<ErasablePart> {
        let mut tape = Tape::default();
        let Some(bundle) = bundle_of(&mut tape, file, bytes) else { return Vec::new() };
        let mark = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let part = |span, names| ErasablePart { span, names, of: Vec::new() };
        let mut parts = Vec::new();
        for (name, section) in bundle.members() {
            let name = name.text().unwrap_or_default();
            if section.kind() == JsonKind::Array {
                let mut counts: HashMap<String, usize> = HashMap::new();
                section.items().filter_map(title).for_each(|own| *counts.entry(own).or_default() += 1);
                let named = |item| part(span(item, mark), names(&name, item, &counts));
                parts.extend(section.items().map(named));
            } else if !SECTIONS.contains(&&*name) {
                parts.push(part(span(section, mark), vec![name.as_bytes().to_vec()]));
            }
        }
        parts
    }

    fn without(&self, file: &Path, bytes: &[u8], spans: &[Span]) -> Result<Vec<u8>> {
        let failed = || Refusal::corrupt(format!("{} has no bundle that can be read.", file.to_text()));
        let (mark, body) = bytes.split_at(if bytes.starts_with(BOM) { BOM.len() } else { 0 });
        let mut tape = Tape::default();
        let owner = object_of(&mut tape, body).map_err(|_| failed())?;
        let bundle = owner.get("bundle").ok_or_else(failed)?;
        let spans: HashSet<Span> = spans.iter().copied().collect();
        let goes = |value: Json<'_>| spans.contains(&span(value, mark.len()));
        let lists = bundle.members().filter(|(_, section)| section.kind() == JsonKind::Array);
        let cuts = lists
            .map(|(_, list)| list)
            .chain([bundle])
            .flat_map(|own| json_edit::without(own, |_, _, value| goes(value)));
        let left = json_edit::apply(body, cuts.collect());
        let mut tape = Tape::default();
        let new = json_edit::scan(&mut tape, &left).map_err(|_| failed())?;
        let hash = new.get("bundle").and_then(sha256_indented).ok_or_else(too_deep)?;
        let signed = json_edit::apply(&left, vec![json_edit::put_sorted(new, "bundleHash", quoted(&hash))]);
        let is_canonical = indented(owner).is_some_and(|own| (own + "\n").as_bytes() == body);
        let left = if is_canonical { canonical_text(&signed)? } else { signed };
        Ok([mark, &left].concat())
    }

    fn resigned(&self, file: &Path, bytes: &[u8]) -> Result<Option<Vec<u8>>> {
        let has_bundle = bundle_of(&mut Tape::default(), file, bytes).is_some();
        if has_bundle { self.without(file, bytes, &[]).map(Some) } else { Ok(None) }
    }

    // The empty event keeps only its number, kind, source and time.
    fn blank_record(&self, file: &Path, raw: &[u8], reason: &str) -> Option<Vec<u8>> {
        let mut tape = Tape::default();
        let event = object_of(&mut tape, raw).ok().filter(|_| is_events_log(file))?;
        if event.get("contentHash").is_some_and(|own| own.is_text(HASH))
            && event.get("sourceRef").is_some_and(|own| own.is_text(BY))
        {
            return Some(raw.to_vec());
        }
        let [id, kind, source, at] = ["id", "kind", "sourceId", "createdAt"].map(|name| text(event, name));
        let signals =
            r#"{"decisions":[],"gotchas":[],"nextStepHints":[],"keyPaths":[],"validationObservations":[]}"#;
        Some(event_line([&id?, &kind?, &source?, &at?, HASH, reason, BY], signals).into_bytes())
    }

    fn without_repeats(&self, file: &Path, raw: &[u8], parts: &Needles) -> Option<Vec<u8>> {
        let says = !parts.is_empty() && is_events_log(file) && parts.any(raw);
        says.then(|| without_signals(raw, &|signal| parts.any(signal.raw()))).flatten()
    }

    // Updates the projections, the entry block, and the manifests of batches that lose checkpoints.
    fn dependent_changes(&self, context: &WriteContext<'_>, changes: &[Change]) -> ChangesResult {
        let mut follows = manifests(context.store, changes)?;
        let state = changes.iter().find(|change| change.path == Path::new(layout::STATE));
        let Some(new) = state.and_then(Change::after) else { return Ok(follows) };
        let files = StoreFiles::of(&context.store.documents)?;
        let (mut before, mut after) = (Tape::default(), Tape::default());
        let failed = |why| Refusal::corrupt(format!("`state.json` can't be read: {why}."));
        let before = object_of(&mut before, &files.state.bytes).map_err(failed)?;
        let after = object_of(&mut after, &new).map_err(failed)?;
        let hash = text(after, "bundleHash").unwrap_or_default();
        let pages = around(&files, before, after, &hash, &context.store.outside_files);
        follows.extend(pages.iter().filter_map(|page| rewritten(context.store, page)));
        Ok(follows)
    }
}

/// Returns the place of a value in a file with a byte order mark of this length.
fn span(value: Json<'_>, mark: usize) -> Span {
    let (start, end) = value.span();
    Span { start: (start + mark) as u64, end: (end + mark) as u64 }
}

fn is_events_log(file: &Path) -> bool {
    file.file_name().is_some_and(|name| name == "events.jsonl")
}

fn latest(store: &Store) -> Option<String> {
    let state = document(&store.documents, Path::new(layout::STATE))?;
    json_edit::text_at(without_mark(&state.bytes), &["maintenance", "latestCheckpointId"])
}

fn bundle_of<'a>(tape: &'a mut Tape, file: &Path, bytes: &'a [u8]) -> Option<Json<'a>> {
    let has_bundle = file == Path::new(layout::STATE) || layout::is_checkpoint(file);
    if has_bundle { checkpoint::bundle_of(tape, bytes) } else { None }
}

fn title(item: Json<'_>) -> Option<String> {
    let title = text(item, "title").or_else(|| text(item, "label")).or_else(|| text(item, "id"));
    title.map(Into::into)
}

/// Returns the title and the content of an item. The title comes first if no other item has it.
fn names(section: &str, item: Json<'_>, counts: &HashMap<String, usize>) -> Vec<Vec<u8>> {
    let whole = indented(item).unwrap_or_else(|| item.plain());
    let whole = format!("{section}\0\0{whole}").into_bytes();
    let Some(own) = title(item) else { return vec![whole] };
    let titled = format!("{section}\0{own}").into_bytes();
    if counts.get(&own) == Some(&1) { vec![titled, whole] } else { vec![whole, titled] }
}

/// Removes erased checkpoints from the manifests of their batches.
fn manifests(store: &Store, changes: &[Change]) -> ChangesResult {
    let mut gone: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for change in changes.iter().filter(|change| matches!(change.act, Act::Remove(_))) {
        let own = document(&store.documents, &change.path);
        let ids = own.into_iter().flat_map(|own| &own.records).filter_map(|record| record.id());
        if let Some(batch) = layout::batch_of(&change.path) {
            gone.entry(batch.join("manifest.json")).or_default().extend(ids.map(str::to_owned));
        }
    }
    let mut changed = Vec::new();
    for (path, ids) in gone {
        let Some(own) = document(&store.documents, &path) else { continue };
        let mut tape = Tape::default();
        let manifest = json_edit::scan(&mut tape, &own.bytes).ok();
        let Some(list) = manifest.and_then(|own| own.get("archivedCheckpointIds")) else { continue };
        let cuts = json_edit::without(list, |_, _, id| ids.iter().any(|own| id.is_text(own)));
        changed.push(Change::rewrite(&path, own.bytes.clone(), json_edit::apply(&own.bytes, cuts)));
    }
    Ok(changed)
}
