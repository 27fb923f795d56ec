//! What the user said of findings, and which kinds of them are wanted.

use super::failure::{Failure, Result};
use super::load_stores;
use crate::cli::context::Context;
use crate::ops::secrets::Finding;
use crate::usecase::Triage;

pub fn verdicts(context: &Context) -> Result<Triage> {
    let data = load_stores::data_folder(context)?;
    Triage::kept_in(&data).map_err(Failure::failed)
}

/// True for a finding of one of these kinds, or of any if there are none.
pub fn is_wanted(only: &[String], own: &Finding) -> bool {
    only.is_empty() || only.iter().any(|kind| kind == own.kind.as_str())
}
