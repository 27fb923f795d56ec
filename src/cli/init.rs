//! `palimp init`.

use std::path::Path;
use std::sync::Arc;

use super::{Context, Failure, Result};
use crate::cli::run_change::{request, run_change};
use crate::disk::{Disk, RealDisk, optional};
use crate::model::{Extent, PathText, Snapshot};
use crate::ops::{self, init::InitStore};
use crate::store::{self, Place};

pub fn init(context: &mut Context, format: &str, folder: &Path) -> Result {
    let why = match optional(RealDisk.list(folder)) {
        Ok(None) => None,
        Ok(Some(items)) => (!items.is_empty()).then(|| "is not empty".to_owned()),
        Err(error) => Some(format!("can't be read: {error}")),
    };
    if let Some(why) = why {
        let message = format!("{} {why}. Nothing was written.", folder.to_text());
        return Err(Failure::refused(message));
    }
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let format = ops::init::init(format, &root, context.now)?.format;
    let empty = Arc::new(store::load(&Place::whole(root, format), Extent::All, None, context.now));
    let request = request(context, &Snapshot::of(vec![empty]), Arc::new(InitStore));
    run_change(context, request, None)
}
