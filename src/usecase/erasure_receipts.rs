//! The receipts of erasures, each with its later checks.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::erasure_report::ErasureReport;
use super::planned_change::memory_count;
use super::surroundings::not_reached_lines;
use crate::disk::host::Host;
use crate::model::plan::count_with_noun;
use crate::model::{ErasureState, Moment, PathText, Store};
use crate::store::steps::ErasureCheckLine;
use crate::store::write::scrub::ErasureReceipt;
use crate::store::{CommitError, Vault};

/// A receipt, and its later checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReceiptRow {
    pub store: String,
    /// The step of the erasure.
    pub step: u64,
    /// When it began.
    pub at: String,
    /// How it ended.
    pub state: ErasureState,
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
    pub(super) fn of_step(checks: &[ErasureCheckLine], step: u64) -> Vec<LaterCheck> {
        let later = |own: &ErasureCheckLine| LaterCheck {
            at: own.at.clone(),
            found: own.found,
            complete: own.complete,
        };
        checks.iter().filter(|own| own.step == step).map(later).collect()
    }

    /// Says when it was made, and what was found.
    pub fn told(&self, now: Moment) -> String {
        let at = day_of(&self.at, now);
        let found = match (self.found, self.complete) {
            (0, true) => "nothing found".to_owned(),
            (0, false) => "not everything could be searched for; nothing of the rest was found".to_owned(),
            (count, _) => format!("found in {}", count_with_noun(count as u64, "place")),
        };
        format!("searched again {at}: {found}")
    }
}

impl ReceiptRow {
    /// Says what was erased and how it was checked, in one line.
    pub fn told(&self, now: Moment) -> String {
        let at = day_of(&self.at, now);
        let values = match self.values {
            0 => String::new(),
            count => format!(", {}", count_with_noun(count as u64, "value")),
        };
        let left = if self.state == ErasureState::Erased { "" } else { ", and something is left" };
        let check = self.checks.last().map_or_else(|| "not searched again yet".into(), |own| own.told(now));
        format!("{at}  {}{values} erased{left}; {check}", memory_count(self.memories))
    }
}

/// Returns a written time as people read it.
fn day_of(written: &str, now: Moment) -> String {
    Moment::of(written).map_or_else(|| written.to_owned(), |at| at.long_date_at(now))
}

/// Returns the receipts of a store, oldest first.
/// Fails if palimp's own data can't be read.
pub fn erasure_receipts(host: Host<'_>, store: &Store) -> Result<Vec<ReceiptRow>, CommitError> {
    let vault = Vault::open_read_only(host.disk, host.data, &store.root);
    let checks = vault.erasure_checks()?;
    let row = |own: ErasureReceipt| ReceiptRow {
        store: store.root.to_text().into_owned(),
        step: own.step,
        at: own.at,
        state: own.state,
        memories: own.memories as usize,
        values: own.erased_values,
        beside: own.not_reached.beside.map_or(0, |own| own.found.len()),
        rotate: own.not_reached.rotate.iter().map(|own| own.keys).sum(),
        receipt: own.receipt,
        checks: LaterCheck::of_step(&checks, own.step),
    };
    Ok(vault.receipts()?.into_iter().map(row).collect())
}

/// Returns the receipt of a step in lines, as it was shown after the erasure. `None` if the step has none. May quote
/// the store.
/// Fails if it can't be read. The text says why.
pub fn receipt_lines(host: Host<'_>, root: &Path, step: u64) -> Result<Option<Vec<String>>, String> {
    let vault = Vault::open_read_only(host.disk, host.data, root);
    let Some(receipt) = vault.receipt(step).map_err(|error| error.in_short())? else { return Ok(None) };
    let when = day_of(&receipt.at, host.now);
    let memories = memory_count(receipt.memories as usize);
    let head = match receipt.keeps_memories {
        true => format!("a value taken out of {memories}, {when}"),
        false => format!("{memories} erased, {when}; reason: {}", receipt.reason),
    };
    let not_reached = not_reached_lines(&receipt.not_reached);
    let checks = vault.erasure_checks().map_err(|error| error.in_short())?;
    let checks = LaterCheck::of_step(&checks, step).iter().map(|check| check.told(host.now)).collect();
    let report = ErasureReport::of(receipt);
    Ok(Some([vec![head], report.told(true), not_reached, checks].concat()))
}
