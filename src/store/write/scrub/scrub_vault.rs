//! Removes erased records from palimp's data: undo data, drafts, quarantine, backups.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use memchr::memmem;

use super::byte_search::GZIP;
use super::erasure_list::{KEYS, LIST};
use super::{PendingErasure, each_within};
use crate::disk::ItemKind;
use crate::model::{Act, ArchivedItem, Bytes, Change, MemoryName};
use crate::store::erase::{
    ERASE_UNPACK_LIMIT, ErasedContents, ErasureMarks, ErasureMatcher, ErasureTarget, FileVisitor,
    OutsideFile, SearchTexts, clean, is_log_or_copy,
};
use crate::store::steps::archive::{ARCHIVE, is_item, item_of, to_bytes};
use crate::store::steps::backups::file_in_name;
use crate::store::steps::pending_erasure::json;
use crate::store::steps::retention::is_unfinished;
use crate::store::steps::undo_step::DerivedState;
use crate::store::steps::{JOURNAL, UndoStep, draft_of, is_text_of};
use crate::store::{CommitError, Vault};
use crate::text::unpack::gunzip;

/// The folders with content of stores, beside undo data.
const FOLDERS: [&str; 4] = ["drafts", "quarantine", "backups", ARCHIVE];

impl Vault<'_> {
    /// Returns why a file must stay although it names erased records.
    pub(super) fn why_kept(&self, path: &Path) -> Option<&'static str> {
        match path.strip_prefix(self.path("")).ok()?.to_str()? {
            LIST | KEYS => Some("; keep it: palimp needs it to keep erased memories from coming back"),
            JOURNAL => Some("; keep it: palimp needs it to number its steps"),
            _ => None,
        }
    }

    /// Visits every file with content of the store: its path, and each piece of it. Fails if a file can't be read:
    /// its content is unknown.
    pub(super) fn each_kept(&self, see: &mut dyn FnMut(&Path, KeptPiece<'_>)) -> Result<(), CommitError> {
        for (number, entry) in self.entries()?.iter() {
            let (path, _) = entry.place();
            let data = entry.data(self.disk).map_err(|error| CommitError::unread(path, error))?;
            let step = data.and_then(|data| UndoStep::read(&data, &|_, _| Bytes::default()));
            step.iter().for_each(|step| pieces_of_step(*number, step, &mut |own| see(path, own)));
        }
        self.each_in(&FOLDERS, see)
    }

    /// Visits palimp's copies (with the paths of their originals), drafts and the quarantine.
    pub(crate) fn each_copy(&self, see: FileVisitor<'_>) -> Result<(), CommitError> {
        let backups = self.path("backups");
        self.each_in(&FOLDERS, &mut |path, own| {
            let is_loose = !path.starts_with(&backups) && !is_item(path);
            see(OutsideFile { path: own.path, bytes: own.bytes, is_loose });
        })
    }

    fn each_in(
        &self,
        folders: &[&str],
        see: &mut dyn FnMut(&Path, KeptPiece<'_>),
    ) -> Result<(), CommitError> {
        for name in folders {
            let folder = self.path(name);
            for item in self.items(name)? {
                let path = folder.join(&item.name);
                if item.kind != ItemKind::File || item.link.is_some() {
                    continue;
                }
                // A file that was removed since the listing holds nothing.
                if let Some(bytes) = self.read_own_file(&path)? {
                    pieces(&path, &bytes, &mut |own| see(&path, own));
                }
            }
        }
        Ok(())
    }

    /// Removes or rewrites every file that holds erased content. What was quarantined since the erasure began stays,
    /// except for values.
    pub(super) fn sweep(
        &self,
        wanted: &ErasureMatcher<'_>,
        sought: &SearchTexts,
        entry: &PendingErasure,
    ) -> Result<(), CommitError> {
        let mut came = self.quarantined()?;
        came.retain(|piece| piece.step == Some(entry.step));
        self.sweep_steps(wanted, sought, &entry.steps)?;
        for name in FOLDERS {
            let folder = self.path(name);
            let mut changed = false;
            let mut items = self.items(name)?;
            // Logs first, because they may repeat what documents say.
            items.sort_by_key(|item| !is_log_or_copy(&named(Path::new(&item.name))));
            for item in items {
                let path = folder.join(&item.name);
                if wanted.values.is_empty() && came.iter().any(|piece| piece.path == path) {
                    continue;
                }
                if is_unfinished(&path) {
                    self.drop_own(&path)?;
                    changed = true;
                } else if item.kind == ItemKind::File && item.link.is_none() {
                    changed |= self.sweep_one(wanted, sought, &entry.reason, &path)?;
                }
            }
            if changed {
                self.disk.sync_folder(&folder).map_err(|source| CommitError::own_data(&folder, source))?;
            }
        }
        Ok(())
    }

    /// Removes the steps with erased content from undo data. An index has words of its records: where it has the id of
    /// an erased one, only its change goes, and an undo of the step rebuilds it.
    fn sweep_steps(
        &self,
        wanted: &ErasureMatcher<'_>,
        sought: &SearchTexts,
        known: &BTreeSet<u64>,
    ) -> Result<(), CommitError> {
        let ids = IdFinder::of(wanted);
        self.rewrite(&mut |entry| {
            let unread = |error| CommitError::unread(entry.place().0, error);
            let line = entry.last_line(self.disk).map_err(unread)?;
            let line = line.map(|own| json(&own)).transpose()?.unwrap_or_default();
            let is_named = sought.needles.any(&line) || holds_value(wanted, &line);
            if entry.header.is_void {
                return Ok(is_named.then(Vec::new));
            }
            // What can't be read can't be searched.
            let Some(step) = self.step(entry.header.step)? else { return Ok(Some(Vec::new())) };
            let less = ids.without_derived(step.clone());
            let is_less = less.is_some() || is_named;
            match less.unwrap_or(step) {
                // The first try knows the texts themselves.
                step if wanted.is_resumed() && known.contains(&entry.header.step)
                    || step_holds(wanted, sought, &step) =>
                {
                    Ok(Some(Vec::new()))
                }
                // The journal has the line, too, and says why it must stay there.
                step if is_less => entry.with(&step).map(Some).map_err(unread),
                _ => Ok(None),
            }
        })
    }

    fn sweep_one(
        &self,
        wanted: &ErasureMatcher<'_>,
        sought: &SearchTexts,
        reason: &str,
        path: &Path,
    ) -> Result<bool, CommitError> {
        let failed = |source| CommitError::own_data(path, source);
        if is_item(path)
            && let Some(item) = item_of(&self.read_own_file(path)?.unwrap_or_default())
        {
            return self.sweep_item(wanted, sought, path, item);
        }
        let (bytes, _) = self.disk.read(path, 0, None).map_err(failed)?;
        let mut holds = holds(wanted, sought, path, &bytes);
        let of = draft_of(path, &bytes);
        // The text of a draft differs from its memory, but it must be erased, too.
        let is_text = wanted.targets.iter().any(|target| is_text_about(path, target));
        holds |= is_text || of.as_ref().is_some_and(|of| is_erased(of, wanted.targets));
        if !holds {
            return Ok(false);
        }
        let left = if of.is_some() || is_text { None } else { left_of(wanted, sought, reason, path, &bytes) };
        match left.filter(|left| !left.is_empty()) {
            Some(left) => self.write_own_file(path, &left)?,
            None => self.disk.remove(path).map_err(failed)?,
        }
        Ok(true)
    }
}

/// Returns the steps whose undo data an erasure removes: it holds something that is erased. What else is in it can't
/// be restored afterwards.
pub fn dropped_steps(
    vault: &Vault<'_>,
    wanted: &ErasureMatcher<'_>,
    sought: &SearchTexts,
) -> Result<BTreeSet<u64>, CommitError> {
    let mut steps = BTreeSet::new();
    let names = IdFinder::of(wanted);
    for number in vault.steps()? {
        let Some(step) = vault.step(number)? else { continue };
        let less = names.without_derived(step.clone());
        if step_holds(wanted, sought, less.as_ref().unwrap_or(&step)) {
            steps.insert(number);
        }
    }
    Ok(steps)
}

/// True if undo data holds something that is erased.
fn step_holds(wanted: &ErasureMatcher<'_>, sought: &SearchTexts, step: &UndoStep) -> bool {
    let has = |bytes: &[u8]| sought.needles.any(bytes) || holds_value(wanted, bytes);
    let mut holds = has(&step.to_bytes());
    pieces_of_step(0, step, &mut |own| {
        holds |= ErasedContents::default().see(wanted, own.path, own.bytes) > 0 || has(own.bytes);
        // The undo data of such a file is valid only for the bytes before the erasure.
        holds |= wanted.format.forbids_rebase(own.path);
    });
    holds
}

/// Finds the ids of erased records.
struct IdFinder<'a>(Vec<memmem::Finder<'a>>);

impl<'a> IdFinder<'a> {
    fn of(wanted: &'a ErasureMatcher<'_>) -> IdFinder<'a> {
        let ids: HashSet<&str> = wanted.targets.iter().filter_map(|own| own.id.as_deref()).collect();
        IdFinder(ids.into_iter().map(memmem::Finder::new).collect())
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        self.0.iter().any(|id| id.find(bytes).is_some())
    }

    /// Returns the step without the changes of derived files that have one of these ids: an undo rebuilds the files.
    /// `None` if no change has one.
    fn without_derived(&self, mut step: UndoStep) -> Option<UndoStep> {
        let says = |change: &Change| match &change.act {
            Act::Splice(splices) => {
                splices.iter().any(|own| self.is_in(&own.was) || self.is_in(&own.becomes))
            }
            Act::Create(bytes) => self.is_in(bytes),
            Act::Append(bytes) => self.is_in(bytes),
            _ => false,
        };
        let (gone, stay): (Vec<Change>, Vec<Change>) = step.derived.into_iter().partition(says);
        if gone.is_empty() {
            return None;
        }
        step.derived = stay;
        let rebuilt = |own: Change| DerivedState { path: own.path, digest: String::new(), at: None };
        step.remade.extend(gone.into_iter().map(rebuilt));
        Some(step)
    }
}

/// True if a file of palimp's data holds something that is erased.
fn holds(wanted: &ErasureMatcher<'_>, sought: &SearchTexts, path: &Path, bytes: &[u8]) -> bool {
    let has = |bytes: &[u8]| sought.needles.any(bytes) || holds_value(wanted, bytes);
    let mut holds = has(bytes);
    pieces(path, bytes, &mut |own| {
        let mut found = ErasedContents::default();
        holds |= found.see(wanted, own.path, own.bytes) > 0 || has(own.bytes);
    });
    holds
}

impl Vault<'_> {
    /// Removes an erased memory from the archive. Of one that stays only lines of an index go.
    fn sweep_item(
        &self,
        wanted: &ErasureMatcher<'_>,
        sought: &SearchTexts,
        path: &Path,
        mut item: ArchivedItem,
    ) -> Result<bool, CommitError> {
        let has = |bytes: &[u8]| sought.needles.any(bytes) || holds_value(wanted, bytes);
        // A memory that stays, and its lines of an index, lose the value alone.
        let masked = |bytes: &[u8]| wanted.values.masked(bytes).filter(|_| wanted.keeps_memories);
        let before = (item.bytes.clone(), item.lines.clone());
        item.bytes = masked(&item.bytes).unwrap_or(item.bytes);
        for line in &mut item.lines {
            let text = masked(line.text.as_bytes()).and_then(|own| String::from_utf8(own).ok());
            line.text = text.unwrap_or_else(|| std::mem::take(&mut line.text));
        }
        let mut found = ErasedContents::default();
        if found.see(wanted, &item.path, &item.bytes) > 0 || has(&item.bytes) {
            self.drop_own(path)?;
            return Ok(true);
        }
        item.lines.retain(|own| !has(own.text.as_bytes()));
        let is_changed = before != (item.bytes.clone(), item.lines.clone());
        if is_changed {
            self.write_own_file(path, &to_bytes(&item))?;
        }
        Ok(is_changed)
    }
}

fn holds_value(wanted: &ErasureMatcher<'_>, bytes: &[u8]) -> bool {
    !wanted.values.is_empty() && wanted.values.any(bytes)
}

/// True if a draft may be of an erased record. An erased record without an id can't be recognized:
/// every draft of a record without an id counts.
fn is_erased(of: &MemoryName, targets: &[ErasureTarget]) -> bool {
    targets.iter().any(|target| match target.name() {
        Some(name) => {
            name == of.id && target.session == of.session || target.earlier.iter().any(|own| own.name == *of)
        }
        None => of.id.contains('@'),
    })
}

/// True if a file is a text that was written about an erased record, and not saved.
fn is_text_about(path: &Path, target: &ErasureTarget) -> bool {
    let of = |id: &str| MemoryName { session: target.session.clone(), id: id.to_owned() };
    target.name().is_some_and(|id| is_text_of(path, &of(id)))
        || target.earlier.iter().any(|own| is_text_of(path, &own.name))
}

/// Returns what remains of a copy, a text draft or a quarantined piece. `None` if nothing does.
fn left_of(
    wanted: &ErasureMatcher<'_>,
    sought: &SearchTexts,
    reason: &str,
    path: &Path,
    bytes: &[u8],
) -> Option<Vec<u8>> {
    let own = named(path);
    if is_packed(bytes) {
        return None;
    }
    let marks = ErasureMarks { main: &sought.main, parts: &sought.parts, reason, is_live: false };
    let left = clean(wanted, &own, bytes, marks).ok()?.left(bytes)?;
    // The needles have no text of remaining records, so a line with one of them must go.
    let stays = |line: &&[u8]| !sought.needles.any(line) && !holds_value(wanted, line);
    match is_log_or_copy(&own) {
        true => Some(left.split_inclusive(|byte| *byte == b'\n').filter(stays).collect::<Vec<_>>().concat()),
        false => Some(left).filter(|left| !sought.needles.any(left) && !holds_value(wanted, left)),
    }
}

/// A piece of a file of the store in palimp's data.
pub(super) struct KeptPiece<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
    /// True for a whole file, and not some of its lines.
    pub is_whole: bool,
    /// The step whose undo data has it.
    pub step: Option<u64>,
}

/// Visits the pieces of the store's files in a file of palimp's data.
fn pieces(path: &Path, bytes: &[u8], see: &mut dyn FnMut(KeptPiece<'_>)) {
    let mut whole = |path: &Path, bytes: &[u8]| see(KeptPiece { path, bytes, is_whole: true, step: None });
    if is_item(path)
        && let Some(item) = item_of(bytes)
    {
        item.lines.iter().for_each(|own| whole(Path::new(""), own.text.as_bytes()));
        return whole(&item.path, &item.bytes);
    }
    let unpacked = if is_packed(bytes) { gunzip(bytes, ERASE_UNPACK_LIMIT).content } else { Vec::new() };
    whole(&named(path), if is_packed(bytes) { &unpacked } else { bytes })
}

/// Visits the pieces of the store's files in the undo data of a step.
fn pieces_of_step(number: u64, step: &UndoStep, see: &mut dyn FnMut(KeptPiece<'_>)) {
    for change in step.changes.iter().chain(&step.derived) {
        pieces_of(number, change, see);
    }
}

fn pieces_of(number: u64, change: &Change, see: &mut dyn FnMut(KeptPiece<'_>)) {
    let mut give = |is_whole: bool, path: &Path, bytes: &[u8]| {
        see(KeptPiece { path, bytes, is_whole, step: Some(number) });
    };
    match &change.act {
        Act::Create(bytes) => each_within(&change.path, bytes, &mut |path, bytes| give(true, path, bytes)),
        Act::Append(bytes) => each_within(&change.path, bytes, &mut |path, bytes| give(false, path, bytes)),
        Act::Remove(bytes) => each_within(&change.path, bytes, &mut |path, bytes| give(true, path, bytes)),
        Act::Splice(splices) => {
            for bytes in splices.iter().flat_map(|own| [&own.was[..], &own.becomes, &own.line_before]) {
                give(false, &change.path, bytes);
            }
        }
        Act::MakeFolder | Act::RemoveFolder | Act::Expire(_) => {}
    }
}

fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(GZIP)
}

fn named(path: &Path) -> PathBuf {
    // palimp made the name, so it is UTF-8.
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    file_in_name(name)
}
