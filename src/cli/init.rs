//! `palimp init`.

use std::path::Path;
use std::sync::Arc;

use super::{Context, Failure, Result};
use crate::cli::run_change::{confirm_and_execute, request};
use crate::disk::{Disk, Lookup, RealDisk};
use crate::model::{Extent, PathText, Snapshot};
use crate::ops;
use crate::store::{self, Place};
use crate::usecase::{ChangeCommand, PlannedChange};

pub fn init(context: &mut Context, format: &str, folder: &Path) -> Result {
    let why = match Lookup::from(RealDisk.list(folder)) {
        Lookup::Absent => None,
        Lookup::Read(items) => (!items.is_empty()).then(|| "is not empty".to_owned()),
        Lookup::Unreadable(error) => Some(format!("can't be read: {error}")),
    };
    if let Some(why) = why {
        let message = format!("{} {why}. Nothing was written.", folder.to_text());
        return Err(Failure::refused(message));
    }
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let plan = ops::init::init(format, &root, context.now)?;
    let place = Place::whole(root, plan.format);
    let empty = Arc::new(store::load(&place, Extent::All, None, context.now));
    let request = request(context, &Snapshot::of(vec![empty]), ChangeCommand::Init);
    confirm_and_execute(context, PlannedChange::of(request, vec![(0, plan)]), None)
}
