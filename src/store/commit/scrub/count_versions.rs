//! Counts what an erasure also removes: copies and earlier versions in backups and in palimp's data.

use std::collections::BTreeMap;
use std::path::Path;

use super::{UnreadSources, each_within, is_unread, scrub_vault};
use crate::model::{PathText, Store, container};
use crate::store::commit::CommitError;
use crate::store::erase::{CopySource, ErasedContents, ErasureMatcher, OutsideFile};

/// Counts these versions by place: a file, or the undo data of a step.
///
/// # Errors
///
/// If palimp's data can't be read.
pub fn count_versions(
    store: &Store,
    wanted: &ErasureMatcher<'_>,
    gathered: &UnreadSources<'_>,
) -> Result<BTreeMap<String, usize>, CommitError> {
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut add = |place: String, count: usize| {
        if count > 0 {
            *found.entry(place).or_default() += count;
        }
    };
    let see = |path: &Path, bytes: &[u8]| ErasedContents::default().see(wanted, path, bytes);
    // The plan names the records of these files one by one.
    let is_listed = |own: OutsideFile<'_>| {
        store.documents.iter().any(|read| {
            !is_unread(read.role) && (read.path == own.path || container(&read.path) == Some(own.path))
        })
    };
    gathered.outside(&mut |own| {
        if !is_listed(own) {
            each_within(own.path, own.bytes, &mut |path, bytes| {
                add(own.path.to_text().into_owned(), see(path, bytes));
            });
        }
    })?;
    gathered.vault.each_kept(&mut |path, own| {
        let step = path.file_stem().and_then(|stem| stem.to_str()?.parse::<u64>().ok());
        let place = match step.filter(|_| scrub_vault::is_step(path)) {
            Some(step) => format!("undo data of step {step}"),
            None => path.to_text().into_owned(),
        };
        add(place, see(own.path, own.bytes));
    })?;
    Ok(found)
}
