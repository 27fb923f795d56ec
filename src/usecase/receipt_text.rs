//! The receipt of an erasure, read again.

use std::path::Path;

use super::erasure_receipts::LaterCheck;
use super::erasure_report::ErasureReport;
use super::not_reached::not_reached_lines;
use super::planned_change::memory_count;
use crate::disk::RealDisk;
use crate::model::{Moment, PathText};
use crate::store::commit::Vault;
use crate::store::commit::scrub::ErasureReceipt;

/// Returns the receipt of a step in lines, as it was shown after the erasure. `None` if the step has none. May quote
/// the store.
///
/// # Errors
///
/// If it can't be read. The text says why.
pub fn receipt_lines(
    data: &Path,
    root: &Path,
    step: u64,
    now: Moment,
) -> Result<Option<Vec<String>>, String> {
    let vault = Vault::open_read_only(&RealDisk, data, root);
    let path = vault.path("receipts").join(format!("{step:06}.json"));
    let Some(bytes) = vault.read_own_file(&path).map_err(|error| error.to_string())? else {
        return Ok(None);
    };
    let read: Result<ErasureReceipt, _> = serde_json::from_slice(&bytes);
    let receipt = read.map_err(|error| format!("the receipt {} can't be read: {error}", path.to_text()))?;
    let when = Moment::of(&receipt.at).map_or_else(|| receipt.at.clone(), |at| at.long_date_at(now));
    let head = format!("{} erased, {when}; reason: {}", memory_count(receipt.records.len()), receipt.reason);
    let not_reached = not_reached_lines(&receipt.not_reached);
    let checks = vault.erasure_checks().map_err(|error| error.to_string())?;
    let checks = checks.into_iter().filter(|own| own.step == step);
    let checks =
        checks.map(|own| LaterCheck { at: own.at, found: own.found, complete: own.complete }.told(now));
    let checks: Vec<String> = checks.collect();
    let report = ErasureReport::of(ErasureReceipt { receipt: path, ..receipt });
    Ok(Some([vec![head], report.told(true), not_reached, checks].concat()))
}
