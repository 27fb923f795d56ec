//! `palimp verify-erased`: searches again for what was erased.

use std::path::{Path, PathBuf};

use super::failure::warn;
use super::surroundings_search::{search_values, with_progress};
use super::value_input::ValueOptions;
use super::{Context, Exit, Failure, ReadScope, Result, load_stores, say};
use crate::disk::host::Host;
use crate::model::{PathText, Snapshot};
use crate::store::erase::SecretValues;
use crate::usecase::surroundings::told;
use crate::usecase::verify_erased::{ErasureCheck, ErasureChoice, keep_check, verify_erased};
use crate::usecase::{erasure_receipts, is_erasing};

/// Checks the receipt, all receipts, or values. Ends with 1 if something is found.
pub fn run(context: &mut Context, receipt: Option<PathBuf>, values: &ValueOptions) -> Result {
    let all = context.options.all;
    if usize::from(receipt.is_some()) + usize::from(all) + usize::from(values.is_given()) != 1 {
        return Err(Failure::usage("name a receipt, or use --all or --value-from -."));
    }
    let choice = match receipt {
        Some(path) => ErasureChoice::Receipt(path),
        None if all => ErasureChoice::All,
        None => ErasureChoice::Values(SecretValues::of(values.read()?)),
    };
    let data = load_stores::data_folder(context)?;
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let mut checks = checks_of(context, (&data, &snapshot), &choice)?;
    let beside = match &choice {
        ErasureChoice::Values(values) => Some(search_values(context, (&data, &snapshot), values)),
        _ => None,
    };
    if let Some(report) = &beside {
        checks.iter_mut().for_each(|own| own.add_surroundings(report));
    }
    for check in checks.iter().filter(|check| !context.options.quiet || !check.is_clean()) {
        match context.options.json {
            true => context.out.json(check)?,
            false => check.told().iter().try_for_each(|line| context.out.line(line))?,
        }
    }
    if let Some(report) = beside.filter(|_| !context.options.json && !context.options.quiet) {
        told(&report).iter().try_for_each(|line| context.out.line(line))?;
    }
    checks.iter().flat_map(|own| &own.unread).for_each(|line| warn(line));
    let is_clean = checks.iter().all(ErasureCheck::is_clean);
    Ok(if is_clean { Exit::Done } else { Exit::Nothing })
}

pub fn list(context: &mut Context) -> Result {
    let data = load_stores::data_folder(context)?;
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let mut any = false;
    for store in &snapshot.stores {
        let rows = erasure_receipts(Host::here(&data, context.now), store);
        for row in rows.map_err(|error| Failure::failed(error.to_string()))? {
            any = true;
            let (now, place) = (context.now, row.receipt.to_text().into_owned());
            context.row(&row, || format!("{}  step {}  {}  {place}", row.store, row.step, row.told(now)))?;
        }
    }
    Ok(if any { Exit::Done } else { Exit::Nothing })
}

/// Returns the check of each store. Fails if there is none.
fn checks_of(
    context: &Context,
    (data, snapshot): (&Path, &Snapshot),
    choice: &ErasureChoice,
) -> Result<Vec<ErasureCheck>> {
    let mut checks = Vec::new();
    for store in &snapshot.stores {
        let host = Host::here(data, context.now);
        let check =
            with_progress(|progress| verify_erased(host, (store, &snapshot.stores), choice, progress));
        let check = check.map_err(|error| Failure::refused(error.to_string()))?;
        if let Some(check) = check.as_ref().filter(|_| !context.options.readonly) {
            let kept = keep_check(host, store, check);
            kept.unwrap_or_else(|error| warn(&format!("the check can't be kept with its receipt: {error}")));
        }
        checks.extend(check);
    }
    if !checks.is_empty() {
        return Ok(checks);
    }
    let is_interrupted = || snapshot.stores.iter().any(|own| is_erasing(data, &own.root));
    let message = match choice {
        ErasureChoice::All if is_interrupted() => {
            return Err(Failure::nothing(
                "an erasure is not finished: nothing can be checked yet. Ask for the same erasure again.",
            ));
        }
        ErasureChoice::Receipt(_) => {
            "this is no receipt of a store that is open: name its store with --store."
        }
        _ => "palimp's own data has no erasure of a store at these paths.",
    };
    match choice {
        ErasureChoice::All => {
            say(message);
            Ok(checks)
        }
        _ => Err(Failure::refused(message)),
    }
}
