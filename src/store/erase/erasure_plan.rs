//! Plans the changes that erase records from a store. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::clean_file::{
    CleanedFile, ERASE_UNPACK_LIMIT, ErasureEdits, ErasureMarks, clean, clean_tombstones, scrubbed,
};
use super::erased_contents::{ErasedContents, SearchTextFilter, SearchTexts};
use super::matcher::{ErasureMatcher, is_live};
use crate::format::Placement;
use crate::format::writing::{AuditEvent, Refusal, WriteContext, document};
use crate::model::FileLine;
use crate::model::plan::change::SHARED_MODE;
use crate::model::plan::effect::MemoryEffect;
use crate::model::{
    Act, Bytes, Change, ChangeKind, Document, Entry, Moment, PathText, Plan, Record, Role, Span, Verb,
    container,
};
use crate::store::compressed_files::{FileCompression, inside};
use crate::store::erase::original_path::is_log_or_copy;
use crate::store::plan_effects::effects_of;
use crate::store::write::scrub::UnreadSources;
use crate::store::{CommitError, derived_files};
use crate::text::lines;
use crate::text::needle::Needles;
use crate::text::repack::{gzip, retar};
use crate::text::unpack::{gunzip, untar};

/// A file whose bytes a loaded store does not have: a copy, an archive, an unknown file.
#[derive(Clone, Copy, Debug)]
pub struct OutsideFile<'a> {
    /// Relative to the store's root. A copy has the path of its original.
    pub path: &'a Path,
    /// Its bytes on disk.
    pub bytes: &'a [u8],
    /// True for a draft or a quarantined piece: it is no copy of a complete file.
    pub is_loose: bool,
}

/// Takes one file after another, so that they are not all in memory at once.
pub type FileVisitor<'a> = &'a mut dyn FnMut(OutsideFile<'_>);

/// The changes that erase, and what to search for afterwards.
pub struct ErasurePlan {
    /// The changes of the store.
    pub plan: Plan,
    /// The texts to search for afterwards.
    pub search_texts: SearchTexts,
}

/// The input of the planning.
pub struct ErasureContext<'a> {
    /// The store, the time and random values.
    pub context: &'a WriteContext<'a>,
    /// Recognizes what is erased.
    pub matcher: &'a ErasureMatcher<'a>,
    /// The texts of the erased records.
    pub contents: &'a ErasedContents,
    /// The files whose bytes the store does not have.
    pub copies: &'a UnreadSources<'a>,
    /// The reason code.
    pub reason: &'a str,
    /// The start of the interrupted erasure that this one continues.
    pub began: Option<Moment>,
    /// The files that it was to change.
    pub begun_files: &'a [FileLine],
}

#[derive(Default)]
struct ErasureChanges {
    tombstones: Vec<Change>,
    data: Vec<Change>,
    /// Like `data`, but content of archives has the path it is read by. Derived files need these.
    seen: Vec<Change>,
}

impl ErasureContext<'_> {
    /// Returns the plan, and the texts to search for after it is applied. Fails if a file may hold erased content and
    /// can't be taken apart, or if a file of palimp can't be read.
    pub fn removal(&self) -> Result<ErasurePlan, CommitError> {
        let store = self.context.store;
        let (all, main) = self.contents.needles();
        let parts = self.contents.parts(self.matcher, &store.documents);
        let marks = ErasureMarks { main: &main, parts: &parts, reason: self.reason, is_live: false };
        let mut changes =
            ErasureChanges { tombstones: self.tombstones(&all, &main), ..ErasureChanges::default() };
        let with_torn = self.clean(marks, &mut changes)?;
        let follows = self
            .matcher
            .erases()
            .map(|own| own.dependent_changes(self.context, &changes.data))
            .transpose()?;
        // Documents with erased parts change last. Until then, their texts are available to find repeats.
        let chosen = self.matcher.targets.iter().filter(|own| own.was.is_some());
        let said: HashSet<&Path> = chosen.map(|own| &*own.file).collect();
        changes.data.sort_by_key(|own| (said.contains(&*own.path), !is_log_or_copy(&own.path)));
        let mut plan = Plan::of(Verb::Erase, store.whole()?);
        plan.records = self.matcher.targets.len();
        let seen: Vec<Change> = changes.tombstones.iter().chain(&changes.seen).cloned().collect();
        let after = derived_files::documents_after(store, &seen, self.context.now);
        let mut seeking = SearchTextFilter::of(self.matcher, (&all, &main));
        after.iter().for_each(|own| seeking.see(own));
        self.copies.outside(&mut |own| self.see_copy(own, marks, &mut seeking));
        self.copies.vault.each_copy(&mut |own| self.see_copy(own, marks, &mut seeking))?;
        let mut sought = seeking.sought();
        plan.derived = self.derived(&after, &seen, &sought.needles)?;
        let follows = self.masked_beside(follows.unwrap_or_default());
        plan.changes = changes.tombstones.into_iter().chain(follows).collect();
        plan.changes.extend(changes.data);
        plan.changes.retain(|change| !change.is_empty());
        plan.effects = self.effects(&plan.changes, &seen);
        plan.lines.extend(self.lines(&sought, &with_torn));
        plan.with_torn = with_torn;
        sought.parts = parts;
        store.whole()?;
        Ok(ErasurePlan { plan, search_texts: sought })
    }

    /// Returns what the changes do to which memories. Those of archives are changes of their members, as they are read.
    fn effects(&self, changes: &[Change], seen: &[Change]) -> Vec<MemoryEffect> {
        let members = seen.iter().filter(|own| container(&own.path).is_some());
        let archives: HashSet<&Path> = members.clone().filter_map(|own| container(&own.path)).collect();
        let files = changes.iter().filter(|own| !archives.contains(&*own.path));
        let changes: Vec<Change> = files.chain(members).cloned().collect();
        effects_of(self.context.store, &changes, self.context.now)
    }

    /// Masks the values in the files beside the store, in which people write, too. `follows` are their other changes.
    fn masked_beside(&self, mut follows: Vec<Change>) -> Vec<Change> {
        for (path, was) in &self.context.store.outside_files {
            let path = Path::new("..").join(path);
            let at = follows.iter().position(|change| change.path == path);
            let now = at.and_then(|at| follows[at].after()).unwrap_or_else(|| was.clone());
            let Some(masked) = self.matcher.values.masked(&now) else { continue };
            let change = Change { mode: SHARED_MODE, ..Change::rewrite(&path, was.clone(), masked) };
            match at {
                Some(at) => follows[at] = change,
                None => follows.push(change),
            }
        }
        follows
    }

    /// Removes erased content from each file. Returns where something goes together with a torn record.
    fn clean(
        &self,
        marks: ErasureMarks<'_>,
        changes: &mut ErasureChanges,
    ) -> Result<Vec<String>, CommitError> {
        self.matcher.with_torn.borrow_mut().clear();
        let mut outcome = Ok(());
        for own in self.context.store.documents.iter().filter(|own| self.is_plain(own)) {
            outcome = outcome.and_then(|()| self.plain(own, marks, changes));
        }
        self.copies.outside(&mut |own| {
            if outcome.is_ok() {
                outcome = self.outside(own, marks, changes);
            }
        });
        // Users don't know the places in palimp's own copies, so these are not reported.
        let with_torn = self.matcher.with_torn.borrow().iter().cloned().collect();
        outcome?;
        self.tell(changes)?;
        Ok(with_torn)
    }

    /// Returns the description of the plan, one line per record.
    fn lines(&self, sought: &SearchTexts, with_torn: &[String]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        lines.extend(self.matcher.targets.iter().map(|own| {
            let name = own.name().unwrap_or("a memory without an id");
            format!("erase {name}  {}", own.file.to_text())
        }));
        lines.extend(self.namesakes());
        lines.extend(sought.alike.iter().map(|own| format!("stays, with the same text: {own}")));
        let goes_too =
            |own: &String| format!("erase too, as it may be part of the torn line before it: {own}");
        lines.extend(with_torn.iter().map(goes_too));
        lines
    }

    /// Returns one line for each remaining record that has the id of an erased one.
    fn namesakes(&self) -> Vec<String> {
        let store = self.context.store;
        let stays = |entry: &&Entry| {
            let memory = store.memory(entry);
            memory.and_then(|memory| memory.id()).is_some_and(|id| self.matcher.is_shared(id))
                && !self.matcher.is_erased(&store.document(entry).path, &store.raw(entry), memory, None)
        };
        let name = |entry: &Entry| {
            let (own, line) = (store.document(entry), store.record(entry).line);
            format!("stays, another memory with the same id: {}:{line}", own.path.to_text())
        };
        store.entries.iter().filter(stays).map(name).collect()
    }

    /// Adds the erasure to the store's own audit log, if the format has one.
    fn tell(&self, changes: &mut ErasureChanges) -> Result<(), Refusal> {
        let Some(audit) = self.matcher.format.own().audit else { return Ok(()) };
        let what = self.began.map_or(AuditEvent::Erasure, AuditEvent::RestOfErasure);
        let count = self.matcher.targets.len();
        let mut files: Vec<&Path> = changes.data.iter().map(|change| &*change.path).collect();
        // An interrupted erasure may have changed all of them. The others are of the event that it was to add.
        let is_cleaned = |file: &&FileLine| matches!(file.change, ChangeKind::Rewrite | ChangeKind::Remove);
        files.extend(self.begun_files.iter().filter(is_cleaned).map(|file| &*file.path));
        for own in audit(self.context, what, &files, count)? {
            for all in [&mut changes.data, &mut changes.seen] {
                match (all.iter_mut().find(|change| change.path == own.path), &own.act) {
                    (Some(change), Act::Append(lines)) => *change = change.clone().and_append(lines),
                    _ => all.push(own.clone()),
                }
            }
        }
        Ok(())
    }

    /// True if the document's bytes are those of its file. Tombstones are handled apart.
    fn is_plain(&self, own: &Document) -> bool {
        let unread = matches!(own.role, Role::Backup | Role::Temp | Role::Lock | Role::Other);
        let within = container(&own.path).is_some();
        !unread && !within && FileCompression::of(&own.path).is_none() && own.role != Role::Tombstones
    }

    fn plain(
        &self,
        own: &Document,
        marks: ErasureMarks<'_>,
        changes: &mut ErasureChanges,
    ) -> Result<(), Refusal> {
        if matches!(own.role, Role::Index | Role::Metadata) {
            return Ok(());
        }
        let (base, marks) = (own.bytes.clone(), ErasureMarks { is_live: is_live(own), ..marks });
        if let Some(change) = clean(self.matcher, &own.path, &own.bytes, marks)?.change(&own.path, base) {
            changes.seen.push(change.clone());
            changes.data.push(change);
        }
        Ok(())
    }

    fn outside(
        &self,
        own: OutsideFile<'_>,
        marks: ErasureMarks<'_>,
        changes: &mut ErasureChanges,
    ) -> Result<(), Refusal> {
        let base = Bytes::from(own.bytes);
        if let Some(packing) = FileCompression::of(own.path) {
            if let Some(bytes) = self.repacked(own, packing, marks, changes)? {
                changes.data.push(Change::rewrite(own.path, base, &*bytes));
            }
            return Ok(());
        }
        changes.data.extend(self.cleaned(own.path, own.bytes, marks)?.change(own.path, base));
        Ok(())
    }

    /// Removes erased content from a file, or from a member of an archive. Only values are removed from what the
    /// format does not know.
    fn cleaned(&self, path: &Path, bytes: &[u8], marks: ErasureMarks<'_>) -> Result<CleanedFile, Refusal> {
        let is_placed = matches!(self.matcher.format.place(path, false), Placement::File(Role::Backup));
        let is_known = is_log_or_copy(path) || is_placed || self.matcher.is_of_format(path);
        match is_known || self.matcher.is_index(path, bytes) {
            true => clean(self.matcher, path, bytes, marks),
            false => Ok(self.matcher.values.masked(bytes).map_or(CleanedFile::Same, CleanedFile::Becomes)),
        }
    }

    /// Removes erased content from a compressed file. Returns `None` if it holds none.
    fn repacked(
        &self,
        own: OutsideFile<'_>,
        packing: FileCompression,
        marks: ErasureMarks<'_>,
        changes: &mut ErasureChanges,
    ) -> Result<Option<Vec<u8>>, Refusal> {
        let unpacked = gunzip(own.bytes, ERASE_UNPACK_LIMIT);
        let failed =
            |why: String| Refusal::corrupt(format!("{} can't be packed again: {why}.", own.path.to_text()));
        let (mut refusal, mut repacked) = (None, None);
        let mut edited = |path: &Path, bytes: &[u8]| match self.cleaned(path, bytes, marks) {
            Ok(CleanedFile::Same) => None,
            Ok(outcome) => Some(outcome.left(bytes).unwrap_or_default()),
            Err(why) => {
                refusal = Some(why);
                None
            }
        };
        let new = match packing {
            FileCompression::Gzip => {
                let new = edited(own.path, &unpacked.content);
                changes.seen.extend(
                    new.as_ref()
                        .map(|new| Change::rewrite(own.path, unpacked.content.as_slice().into(), &new[..])),
                );
                new
            }
            FileCompression::TarGzip => {
                let within = inside(own.path);
                // palimp can't read this archive. The search afterwards may still look into it.
                if unpacked.fault.is_some() && unpacked.content.is_empty() {
                    return Ok(None);
                }
                let mut members = untar(own.bytes, ERASE_UNPACK_LIMIT).content;
                let mut any = false;
                for member in &mut members {
                    let Some(new) = edited(&within.join(&member.path), &member.bytes) else { continue };
                    let path = within.join(&member.path);
                    changes.seen.push(Change::rewrite(path, member.bytes.as_slice().into(), &new[..]));
                    member.bytes = new;
                    any = true;
                }
                if any {
                    if let Some(rederive) = self.matcher.format.own().rederive_archive {
                        rederive(own.path, &mut members, self.context.now)?;
                    }
                    repacked = Some(members.clone());
                }
                let edit = &mut |path: &Path, _: &[u8]| {
                    members.iter().find(|member| member.path == path).map(|member| member.bytes.clone())
                };
                if any {
                    retar(&unpacked.content, edit).map_err(|error| failed(error.to_string()))?
                } else {
                    None
                }
            }
        };
        match (refusal, new, unpacked.fault) {
            (Some(why), ..) => Err(why),
            (None, None, _) => Ok(None),
            // If it were packed again, the part that can't be unpacked would be lost.
            (None, Some(_), Some(fault)) => Err(failed(fault)),
            (None, Some(new), None) => {
                let packed = gzip(&new).map_err(|error| failed(error.to_string()))?;
                if let Some((members, sidecars)) = repacked.zip(self.matcher.format.own().archive_sidecars) {
                    let len = packed.len() as u64;
                    changes.data.extend(sidecars(self.context, own.path, &members, len)?);
                }
                Ok(Some(packed))
            }
        }
    }

    /// Returns tombstones for erased records, and edits that remove erased texts from existing ones.
    fn tombstones(&self, all: &Needles, main: &Needles) -> Vec<Change> {
        let store = self.context.store;
        let mut lines: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        for own in store.documents.iter().filter(|own| own.role == Role::Tombstones) {
            lines.entry(own.path.clone()).or_default();
        }
        let mut known: HashMap<PathBuf, HashSet<&str>> = HashMap::new();
        let mut made = HashSet::new();
        for entry in &store.entries {
            let (file, memory) = (store.document(entry), store.memory(entry));
            if !self.matcher.takes(file, &store.raw(entry), memory, Some(main)) {
                continue;
            }
            let id = memory.and_then(|memory| memory.id());
            // A tombstone would hide the remaining record with this id.
            if id.is_some_and(|id| self.matcher.is_shared(id)) {
                continue;
            }
            let new =
                self.matcher.format.own().tombstone.and_then(|own| own(self.context, entry, self.reason));
            let Some((path, line)) = new else { continue };
            let known = known.entry(path.clone()).or_insert_with(|| {
                let own = document(&store.documents, &path).into_iter().flat_map(|own| &own.records);
                own.filter_map(|own| own.id()).collect()
            });
            let is_known = id.is_some_and(|id| known.contains(id));
            let own = lines.entry(path.clone()).or_default();
            if !is_known && made.insert((path, line.clone())) {
                own.extend(line);
            }
        }
        let change = |(path, new): (PathBuf, Vec<u8>)| {
            let Some(there) = document(&store.documents, &path) else {
                return Change::append(path, new, None);
            };
            let mut edits = clean_tombstones(self.matcher, there, all, self.reason);
            edits.extend(self.tombstones_of_arrivals(there));
            edits.sort_by_key(|(range, _)| range.start);
            if edits.is_empty() {
                return Change::append(path, new, Some(there.bytes.clone()));
            }
            Change::edits(path, there.bytes.clone(), edits).and_append(&new)
        };
        lines.into_iter().map(change).filter(|change| !change.is_empty()).collect()
    }

    /// Returns the removal of the tombstones that this erasure wrote for ids that other memories got meanwhile.
    fn tombstones_of_arrivals(&self, there: &Document) -> ErasureEdits {
        let store = self.context.store;
        let Some((tombstone, began)) = self.matcher.format.own().tombstone.zip(self.began) else {
            return ErasureEdits::new();
        };
        let hides =
            |own: &Entry| tombstone(self.context, own, self.reason).is_some_and(|own| own.0 == there.path);
        let arrived = self.matcher.arrived(store).filter(|own| hides(own));
        let ids: HashSet<&str> = arrived.filter_map(|own| store.id(own)).collect();
        let is_ours = |own: &Record| {
            let Some(memory) = own.memory() else { return false };
            // A tombstone has milliseconds.
            let is_since = |at: Moment| at.0.div_euclid(1_000) >= began.0.div_euclid(1_000);
            memory.id().is_some_and(|id| ids.contains(id)) && memory.created.is_some_and(is_since)
        };
        let spans: Vec<Span> = there.records.iter().filter(|own| is_ours(own)).map(|own| own.span).collect();
        lines::removal_edits(&there.bytes, &spans)
    }

    /// Marks the texts that the remaining part of a copy also has.
    fn see_copy(&self, own: OutsideFile<'_>, marks: ErasureMarks<'_>, seeking: &mut SearchTextFilter<'_>) {
        let is_read = is_log_or_copy(own.path) || own.is_loose || self.matcher.erases().is_some();
        if !is_read || FileCompression::of(own.path).is_some() {
            return;
        }
        // A loose text is no record and goes if it has a main text. A tag or a path is not the
        // record's alone.
        let is_text = own.is_loose && !is_log_or_copy(own.path);
        let outcome = match is_text {
            true if marks.main.any(own.bytes) => CleanedFile::Gone,
            true => CleanedFile::Same,
            false => clean(self.matcher, own.path, own.bytes, marks).unwrap_or(CleanedFile::Same),
        };
        let bytes = outcome.left(own.bytes).unwrap_or_default();
        let records =
            if is_text { Vec::new() } else { self.matcher.read(own.path, &bytes, Some(marks.main)) };
        if records.is_empty() && is_log_or_copy(own.path) {
            return;
        }
        seeking.see(&Document { records, ..Document::of_bytes(own.path.to_owned(), Role::Backup, bytes) });
    }

    /// Rebuilds indexes and counts, without terms that only an erased record had. Refuses a value that the rebuilt index has
    /// as a name of its own.
    fn derived(
        &self,
        after: &[Arc<Document>],
        seen: &[Change],
        needles: &Needles,
    ) -> Result<Vec<Change>, Refusal> {
        let store = self.context.store;
        // All files count as touched. The search also covers an index that is stale for another
        // reason. Otherwise palimp would rebuild it without a line in the preview.
        let data = store.documents.iter().filter(|own| self.is_plain(own) && own.role != Role::Index);
        let seen_at = seen.iter().map(|change| change.path.clone());
        let touched: BTreeSet<PathBuf> = data.map(|own| own.path.clone()).chain(seen_at).collect();
        let touched: Vec<PathBuf> = touched.into_iter().collect();
        let mut derived = derived_files::derived_changes(store, after, &touched, self.context.now);
        let changed: HashSet<&Path> = seen.iter().map(|own| &*own.path).collect();
        derived.retain(|change| !change.is_empty() && !changed.contains(&*change.path));
        let values = &self.matcher.values;
        let role = |own: &&Arc<Document>| matches!(own.role, Role::Index | Role::Metadata);
        for own in store.documents.iter().filter(role) {
            let change = derived.iter().position(|change| change.path == own.path);
            let now = change.and_then(|at| derived[at].after()).unwrap_or_else(|| own.bytes.clone());
            if own.role == Role::Index && values.are_names_in(&now) {
                return Err(Refusal::unfit("the value is a word of the format, and other memories need it."));
            }
            // Users name their sessions in the metadata, so only a value is removed from it.
            let clean = match own.role {
                Role::Index if needles.any(&now) => {
                    scrubbed(&now, needles).map(|own| values.masked(&own).unwrap_or(own))
                }
                _ => values.masked(&now),
            };
            if let Some(clean) = clean {
                let new = Change::rewrite(&own.path, own.bytes.clone(), clean);
                match change {
                    Some(at) => derived[at] = new,
                    None => derived.push(new),
                }
            }
        }
        Ok(derived)
    }
}
