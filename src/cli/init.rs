//! `palimp init`.

use std::path::Path;
use std::sync::Arc;

use super::{Context, Result};
use crate::cli::load_stores::data_folder;
use crate::cli::run_change::{request, run_change};
use crate::disk::host::Host;
use crate::model::{Extent, Snapshot};
use crate::ops::init::InitStore;
use crate::store;
use crate::usecase::place_of_new;

pub fn init(context: &mut Context, format: &str, folder: &Path) -> Result {
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let data = data_folder(context)?;
    let settles = !context.options.readonly && !context.options.dry_run;
    let place = place_of_new(Host::here(&data, context.now), format, &root, settles)?;
    let empty = Arc::new(store::load(&place, Extent::All, None, context.now));
    let request = request(context, &Snapshot::of(vec![empty]), Arc::new(InitStore));
    run_change(context, request, None)
}
