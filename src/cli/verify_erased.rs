//! `palimp verify-erased`: searches again for what was erased.

use std::path::PathBuf;

use super::failure::{Exit, Failure, Result, say};
use super::load_stores;
use super::read_scope::ReadScope;
use super::value_input::ValueOptions;
use crate::cli::context::Context;
use crate::disk::host::Host;
use crate::store::erase::SecretValues;
use crate::usecase::verify_erased::{ErasureCheck, ErasureChoice, verify_erased};

/// Checks the receipt, all receipts, or values. Ends with 1 if something is found.
pub fn run(context: &mut Context, receipt: Option<PathBuf>, values: &ValueOptions) -> Result {
    let all = context.options.all;
    if usize::from(receipt.is_some()) + usize::from(all) + usize::from(values.is_given()) != 1 {
        let message = "name a receipt, or use --all or --value-from -.";
        return Err(Failure::new(Exit::Usage, message));
    }
    let choice = match receipt {
        Some(path) => ErasureChoice::Receipt(path),
        None if all => ErasureChoice::All,
        None => ErasureChoice::Values(SecretValues::of(values.read()?)),
    };
    let data = load_stores::data_folder(context)?;
    let snapshot = load_stores::snapshot(context, ReadScope::All)?;
    let mut checks = Vec::new();
    for store in &snapshot.stores {
        let check = verify_erased(Host::here(&data, context.now), store, &choice);
        checks.extend(check.map_err(|error| Failure::new(Exit::Refused, error.to_string()))?);
    }
    if checks.is_empty() {
        let message = match &choice {
            ErasureChoice::Receipt(_) => {
                "this is no receipt of a store that is open: name its store with --store."
            }
            _ => "nothing was erased from these stores yet.",
        };
        return Err(Failure::new(Exit::Refused, message));
    }
    for check in &checks {
        match context.options.json {
            true => context.out.json(check)?,
            false => check.told().iter().try_for_each(|line| context.out.line(line))?,
        }
    }
    checks
        .iter()
        .filter(|own| !own.unread.is_empty())
        .for_each(|own| own.unread.iter().for_each(|line| say(line)));
    Ok(if checks.iter().all(ErasureCheck::is_clean) { Exit::Done } else { Exit::Nothing })
}
