//! The receipt of an erasure, read again.

use std::path::Path;

use super::erasure_receipts::LaterCheck;
use super::erasure_report::ErasureReport;
use super::not_reached::not_reached_lines;
use super::planned_change::memory_count;
use crate::disk::RealDisk;
use crate::model::Moment;
use crate::store::commit::Vault;

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
    let Some(receipt) = vault.receipt(step).map_err(|error| error.to_string())? else { return Ok(None) };
    let when = Moment::of(&receipt.at).map_or_else(|| receipt.at.clone(), |at| at.long_date_at(now));
    let head = format!("{} erased, {when}; reason: {}", memory_count(receipt.records.len()), receipt.reason);
    let not_reached = not_reached_lines(&receipt.not_reached);
    let checks = vault.erasure_checks().map_err(|error| error.to_string())?;
    let checks = LaterCheck::of_step(&checks, step).iter().map(|own| own.told(now)).collect();
    let report = ErasureReport::of(receipt);
    Ok(Some([vec![head], report.told(true), not_reached, checks].concat()))
}
