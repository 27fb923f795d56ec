//! The end of an erasure: the search of every byte, the journal's line, and the receipt.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::byte_search::{self, SearchReport, SearchTerms};
use super::erasure_receipt::{ErasureReceipt, cannot_reach};
use super::{GitHistory, PendingErasure, erase_records, receipt_files, torn_tombstones};
use crate::detectors::has_secret;
use crate::format::writing::Refusal;

use crate::model::{ChangeKind, ErasureState, FileLine, JournalLine, PathText, Verb};
use crate::store::erase::{ErasedContents, ErasedValues, ErasureMatcher, ErasureTarget, SearchTexts};
use crate::store::hidden_names::is_ours;
use crate::store::own_files;
use crate::store::steps::pending_erasure;
use crate::store::write::{CommitContext, CommitError};
use crate::text::keyed_search::{ValueDigest, ValueKey};
use crate::text::needle::Needles;

#[derive(Deserialize)]
struct EarlierReceipt {
    at: String,
    left: Vec<String>,
}

/// Searches every byte and writes the receipt. Names of records may repeat erased text. They stay in
/// tombstones and in palimp's data, and are reported: so the journal is written before its search.
/// Files that other programs kept changing (`changed`) are reported, too.
pub fn conclude(
    context: &CommitContext<'_>,
    entry: &PendingErasure,
    (sought, contents, values): (SearchTexts, &ErasedContents, &ErasedValues),
    key: &ValueKey,
    changed: &BTreeSet<PathBuf>,
    (with_torn, wanted): (BTreeSet<String>, &ErasureMatcher<'_>),
    resumed: bool,
) -> Result<ErasureReceipt, CommitError> {
    let names = Needles::of(contents.revealing_names(&entry.records));
    let look = SearchTerms { needles: &sought.needles, names: &names, values };
    let mut root = byte_search::search(context.host.disk, &context.place.root, look);
    let changed = changed.iter().map(|own| context.path(own));
    for path in changed.filter(|own| context.host.disk.look(own).is_ok()) {
        root.find(
            path,
            "other programs kept changing it: it may still hold what was to be erased".to_owned(),
        );
    }
    let around = search_around(context, look)?;
    [Some(&root), around.as_ref()].into_iter().flatten().try_for_each(|own| without_ours(context, own))?;
    journal_erased(context, entry)?;
    context.vault.folder(receipt_files::FOLDER)?;
    let receipt = context.vault.receipt_path(entry.step);
    let mut git = GitHistory::of(context.host.disk, &context.place.root, &files_beside(context), look);
    erase_records::has_late_lines(context);
    let own = search_own(context, &receipt, look);
    // What comes after this counts as written after the erasure.
    root.search_new(context.host.disk, look);
    without_ours(context, &root)?;
    let arrivals = wanted.arrivals(&context.load());
    let searched: Vec<SearchReport> = [root, own].into_iter().chain(around).collect();
    if resumed {
        // Content that was gone before the interruption is unknown.
        git.iter_mut().for_each(|own| own.stop("the erasure was interrupted"));
    }
    let replaces = |own: &FileLine| matches!(own.change, ChangeKind::Rewrite | ChangeKind::Remove);
    let is_replaced = |path: &Path| entry.files.iter().any(|own| own.path == path && replaces(own));
    // What other programs wrote to files while these were changed.
    let kept = context.vault.quarantined()?.into_iter().filter(|piece| piece.step == Some(entry.step));
    let kept = kept.map(|piece| format!("{}, kept in {}", piece.file.to_text(), piece.path.to_text()));
    let numbers = searched.iter().flat_map(|report| &report.contents);
    let contents_left = numbers.filter_map(|number| sought.needles.content(*number)).collect::<Vec<_>>();
    let mut erased = ErasureReceipt {
        step: entry.step,
        at: entry.at.clone(),
        state: ErasureState::Erased,
        reason: entry.reason.clone(),
        records: entry.records.iter().map(ErasureTarget::when_over).collect(),
        memories: entry.count,
        keeps_memories: entry.keeps_memories,
        left: searched.iter().flat_map(SearchReport::told).collect(),
        searched,
        erased_values: entry.values.len(),
        values: digests(entry, (&sought, &contents_left), key, resumed),
        asked_values: entry.values.clone(),
        value_key: key.id(),
        alike: sought.alike,
        arrivals: arrivals.iter().map(|(name, _)| name.clone()).chain(kept).collect(),
        with_torn: with_torn.into_iter().collect(),
        too_short: sought.needles.skipped(),
        also_elsewhere: sought.also_elsewhere,
        resumed,
        cannot_reach: cannot_reach(git.as_ref(), context.store, &is_replaced),
        git,
        beside_values: entry.beside_values.clone(),
        not_reached: entry.not_reached.clone(),
        receipt,
        notes: Vec::new(),
    };
    if let Some(why) = look.says(&pending_erasure::json(&erased)?) {
        erased.searched.get_mut(1).into_iter().for_each(|own| own.left += 1);
        erased.left.push(byte_search::line(&erased.receipt, &why));
    }
    let doubtful = arrivals.iter().filter(|own| own.1).map(|(own, _)| {
        format!("{own}: it came under the name of an erased memory, and seems to repeat it. Look at it: erase it again, or keep it.")
    });
    erased.left.extend(doubtful);
    if resumed && !entry.texts.is_empty() && entry.value_key != key.id() {
        let root = context.place.root.to_text();
        erased.left.push(format!(
            "{root}: the key of the erased texts is lost, so copies of them can't be searched for."
        ));
    }
    add_earlier(context, entry, &mut erased)?;
    if !erased.left.is_empty() {
        erased.state = ErasureState::Left;
    }
    context.vault.write_own_file(&erased.receipt, &pending_erasure::json(&erased)?)?;
    torn_tombstones::drop_adding(context);
    context.vault.end_erasing()?;
    Ok(erased)
}

/// Refuses to go on if palimp's own files still hold it: the next start removes them.
fn without_ours(context: &CommitContext<'_>, searched: &SearchReport) -> Result<(), CommitError> {
    if !searched.has_ours {
        return Ok(());
    }
    let ours = searched.found.iter().filter(|hit| hit.path.file_name().is_some_and(is_ours));
    let ours = ours.map(|hit| byte_search::line(&hit.path, &hit.why)).collect::<Vec<_>>().join("; ");
    Err(refused(context, &Refusal::unfit(format!("palimp's own old files could not be removed: {ours}."))))
}

/// Returns the digests of the values, and of the main texts of erased records: after an interruption, those that were
/// known when it began, unless another memory has one of the texts, too. Other memories may get the same tags
/// and paths later, so these are left out unless they are secret. Of the `contents_left` somewhere, and of all if no main
/// text is known, those are in that other memories hardly get.
fn digests(
    entry: &PendingErasure,
    (sought, contents_left): (&SearchTexts, &[&[u8]]),
    key: &ValueKey,
    resumed: bool,
) -> Vec<ValueDigest> {
    let secrets = sought.needles.contents().filter(|own| has_secret(own));
    // Undo data of a document has only pieces of a main text.
    let pieces = sought.needles.contents().filter(|_| sought.main.contents().next().is_none());
    let telling = contents_left.iter().copied().chain(pieces).filter(|content| tells_one(content));
    let texts = sought.main.contents().chain(secrets).chain(telling).map(|text| key.digest(text));
    let is_known = resumed && entry.alike.is_empty() && entry.value_key == key.id();
    let known = entry.texts.iter().filter(|_| is_known).chain(&entry.values).cloned();
    let all: BTreeSet<ValueDigest> = texts.chain(known).collect();
    all.into_iter().collect()
}

/// True for a text of several words, a long one of a script without spaces, and a long one with a digit.
fn tells_one(content: &[u8]) -> bool {
    content.contains(&b' ')
        || content.len() >= 40 && !content.is_ascii()
        || content.len() >= 12 && content.iter().any(u8::is_ascii_digit)
}

fn search_around(
    context: &CommitContext<'_>,
    look: SearchTerms<'_>,
) -> Result<Option<SearchReport>, CommitError> {
    let olds = own_files::own_files_beside(context.host.disk, &context.place.root, context.format)
        .map_err(|error| CommitError::unread(&context.place.root, error))?;
    let files = files_beside(context).into_iter().chain(olds.iter().map(|own| context.path(own)));
    let folder = context.place.root.parent().unwrap_or(&context.place.root);
    Ok(byte_search::search_beside(context.host.disk, folder, files, look))
}

fn files_beside(context: &CommitContext<'_>) -> Vec<PathBuf> {
    context.store.outside_files.iter().map(|(path, _)| context.path_beside(path)).collect()
}

/// Searches palimp's data, except the pending entry, removed at the end, and the receipt, written later.
fn search_own(context: &CommitContext<'_>, receipt: &Path, look: SearchTerms<'_>) -> SearchReport {
    let (folder, under_way) = (context.vault.path(""), context.vault.path(pending_erasure::ERASING));
    let mut searched = SearchReport::of(&folder);
    searched.files = 1;
    byte_search::each_file(context.host.disk, &folder, 0, &mut |path, outcome| {
        if path != under_way && path != receipt {
            searched.add(context.host.disk, path, outcome, look);
        }
    });
    for own in &mut searched.found {
        own.why.extend(context.vault.why_kept(&own.path));
    }
    searched
}

fn journal_erased(context: &CommitContext<'_>, entry: &PendingErasure) -> Result<(), CommitError> {
    if context.vault.journal()?.iter().any(|line| line.step == entry.step) {
        return Ok(());
    }
    context.vault.write(&JournalLine {
        step: entry.step,
        at: entry.at.clone(),
        verb: if entry.keeps_memories { Verb::Purge } else { Verb::Erase },
        records: entry.count,
        files: entry.files.clone(),
        ids: entry.records.iter().filter_map(|own| own.name().map(str::to_owned)).collect(),
        format: context.place.format.to_owned(),
        ..JournalLine::default()
    })
}

/// Adds the findings of an earlier, interrupted try, which may have known more texts to search for.
fn add_earlier(
    context: &CommitContext<'_>,
    entry: &PendingErasure,
    erased: &mut ErasureReceipt,
) -> Result<(), CommitError> {
    let bytes = context.vault.read_own_file(&erased.receipt)?.unwrap_or_default();
    let Ok(earlier) = serde_json::from_slice::<EarlierReceipt>(&bytes) else { return Ok(()) };
    if earlier.at == entry.at {
        let new: Vec<String> = earlier.left.into_iter().filter(|own| !erased.left.contains(own)).collect();
        erased.left.extend(new);
    }
    Ok(())
}

pub(super) fn refused(context: &CommitContext<'_>, why: &Refusal) -> CommitError {
    CommitError::NotErased(context.place.root.clone(), why.message.clone())
}
