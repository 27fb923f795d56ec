//! The receipts of erasures, each with its later checks.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::planned_change::memory_count;
use crate::disk::RealDisk;
use crate::model::plan::count_with_noun;
use crate::model::{Moment, PathText, Store};
use crate::store::commit::scrub::ErasureReceipt;
use crate::store::commit::{CommitError, ErasureCheckLine, Vault};

/// A receipt, and its later checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiptRow {
    /// The store.
    pub store: String,
    /// The step of the erasure.
    pub step: u64,
    /// When it began.
    pub at: String,
    /// `erased`, or `left` if something was found.
    pub state: String,
    /// The number of memories that it erased.
    pub memories: usize,
    /// The number of values that it erased wherever they were.
    pub values: usize,
    /// The number of places beside the stores that had it.
    pub beside: usize,
    /// The number of keys to replace at their providers.
    pub rotate: usize,
    /// Its file.
    pub receipt: PathBuf,
    /// The later checks, oldest first.
    pub checks: Vec<LaterCheck>,
}

/// A later check of an erasure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LaterCheck {
    /// When it was made.
    pub at: String,
    /// The number of places where something was found.
    pub found: usize,
    /// True if everything could be searched.
    pub complete: bool,
}

impl LaterCheck {
    /// Says when it was made, and what was found.
    pub fn told(&self, now: Moment) -> String {
        let at = Moment::of(&self.at).map_or_else(|| self.at.clone(), |at| at.long_date_at(now));
        let found = match (self.found, self.complete) {
            (0, true) => "nothing found".to_owned(),
            (0, false) => "nothing found, but not everything could be searched".to_owned(),
            (count, _) => format!("found in {}", count_with_noun(count as u64, "place")),
        };
        format!("searched again {at}: {found}")
    }
}

impl ReceiptRow {
    /// Says what was erased and how it was checked, in one line.
    pub fn told(&self, now: Moment) -> String {
        let at = Moment::of(&self.at).map_or_else(|| self.at.clone(), |at| at.long_date_at(now));
        let values = match self.values {
            0 => String::new(),
            count => format!(", {}", count_with_noun(count as u64, "value")),
        };
        let left = if self.state == "erased" { "" } else { ", and something is left" };
        let check = self.checks.last().map_or_else(|| "not searched again yet".into(), |own| own.told(now));
        format!("{at}  {}{values} erased{left}; {check}", memory_count(self.memories))
    }
}

/// Returns the receipts of a store, oldest first.
///
/// # Errors
///
/// If palimp's own data can't be read.
pub fn erasure_receipts(data: &Path, store: &Store) -> Result<Vec<ReceiptRow>, CommitError> {
    let vault = Vault::open_read_only(&RealDisk, data, &store.root);
    let checks = vault.erasure_checks()?;
    let mut names: Vec<PathBuf> = vault.items("receipts")?.into_iter().map(|own| own.name.into()).collect();
    names.sort();
    let mut rows = Vec::new();
    for name in names.into_iter().filter(|name| name.extension().is_some_and(|end| end == "json")) {
        let path = vault.path("receipts").join(name);
        let Some(bytes) = vault.read_own_file(&path)? else { continue };
        let read: Result<ErasureReceipt, _> = serde_json::from_slice(&bytes);
        let own = read.map_err(|error| CommitError::unread(&path, error.into()))?;
        let of = checks.iter().filter(|check| check.step == own.step);
        let later = |check: &ErasureCheckLine| LaterCheck {
            at: check.at.clone(),
            found: check.found,
            complete: check.complete,
        };
        rows.push(ReceiptRow {
            store: store.root.to_text().into_owned(),
            step: own.step,
            at: own.at,
            state: own.state.into_owned(),
            memories: own.records.len(),
            values: own.erased_values,
            beside: own.not_reached.beside.map_or(0, |own| own.found.len()),
            rotate: own.not_reached.rotate.iter().map(|own| own.keys).sum(),
            receipt: path,
            checks: of.map(later).collect(),
        });
    }
    Ok(rows)
}
