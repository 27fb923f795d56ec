//! Completes a plan with what only the disk tells when it is carried out: free names, folders, owners.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::ItemKind;
use crate::model::plan::change;
use crate::model::{Act, Change, ChangeKind, Plan};
use crate::store::steps::UndoStep;
use crate::store::write::{CommitContext, CommitError};

/// Undo restores an expired copy up to this size, in bytes.
const KEPT_COPY_LIMIT: u64 = 64 << 10;
/// The numbers below this one are tried in a copy's name.
const NAMES: usize = 100;

/// Gives other names to copies whose names are taken, and makes the folders of new files.
pub fn place_new_files(context: &CommitContext<'_>, plan: &mut Plan) {
    take_free_names(context, plan);
    if !plan.changes.is_empty() {
        make_missing_folders(context, plan);
    }
}

/// Gives restored files the owners and modes that they had, and reads small copies that are removed, for undo.
pub fn restore_surroundings(context: &CommitContext<'_>, plan: &mut Plan) -> Result<(), CommitError> {
    give_saved_owners(context, plan)?;
    let is_small = |change: &&mut Change| matches!(change.act, Act::Expire(len) if len <= KEPT_COPY_LIMIT);
    for change in plan.changes.iter_mut().filter(is_small) {
        let read = context.host.disk.read(&context.path(&change.path), 0, None);
        change.base = read.ok().map(|(bytes, _)| bytes.into());
    }
    Ok(())
}

fn take_free_names(context: &CommitContext<'_>, plan: &mut Plan) {
    let is_there = |path: &Path| context.host.disk.look(&context.path(path)).is_ok();
    let Some(other) = context.format.own().alternative_name else { return };
    let created = plan.changes.iter_mut().filter(|change| matches!(change.act, Act::Create(_)));
    for change in created.filter(|change| is_there(&change.path)) {
        let mut others = (2..NAMES).map_while(|number| other(&change.path, number));
        if let Some(free) = others.find(|other| !is_there(other)) {
            change.path = free;
        }
    }
}

/// Undo removes the folders that are made here, but no folder that existed.
fn make_missing_folders(context: &CommitContext<'_>, plan: &mut Plan) {
    let looked = |path: &Path| context.host.disk.look(&context.path(path));
    let is_there = |path: &Path| looked(path).is_ok_and(|item| item.kind == ItemKind::Folder);
    let is_absent = |path: &&Path| looked(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
    plan.changes.retain(|change| change.act != Act::MakeFolder || !is_there(&change.path));
    let makes = |change: &&Change| matches!(change.act, Act::Create(_) | Act::Append(_) | Act::MakeFolder);
    // Outer folders come first.
    let mut missing: BTreeMap<PathBuf, u32> = BTreeMap::new();
    for change in plan.all().filter(makes).filter(|change| !change.path.starts_with("..")) {
        let mode = if change.mode == change::SHARED_MODE { 0o777 } else { 0o700 };
        let above = change.path.ancestors().skip(1).filter(|path| !path.as_os_str().is_empty());
        for folder in above.take_while(is_absent) {
            missing.entry(folder.to_owned()).or_insert(mode);
        }
    }
    let is_made =
        |path: &PathBuf| plan.changes.iter().any(|own| own.act == Act::MakeFolder && own.path == *path);
    missing.retain(|path, _| !is_made(path));
    let made = missing.into_iter().map(|(path, mode)| Change { mode, ..Change::make_folder(path) });
    plan.changes.splice(0..0, made);
}

/// Not only undo restores files: their owners and modes are in the undo data of the steps that removed them.
fn give_saved_owners(context: &CommitContext<'_>, plan: &mut Plan) -> Result<(), CommitError> {
    let is_bare = |change: &Change| is_made(change) && change.owner.is_none();
    let wanted: HashSet<&Path> =
        plan.changes.iter().filter(|own| is_bare(own)).map(|own| &*own.path).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let mut removed = HashMap::new();
    for line in context.vault.journal()? {
        for file in line.files.iter().filter(|file| wanted.contains(&*file.path)) {
            removed.insert(file.path.clone(), Some(line.step).filter(|_| file.change == ChangeKind::Remove));
        }
    }
    let mut steps: HashMap<u64, Option<UndoStep>> = HashMap::new();
    for number in removed.values().flatten() {
        steps.insert(*number, context.vault.step(*number)?);
    }
    let before = |path: &Path| {
        let step = steps.get(removed.get(path)?.as_ref()?)?.as_ref()?;
        step.changes.iter().find(|own| own.path == path && own.owner.is_some())
    };
    for change in plan.changes.iter_mut().filter(|change| is_bare(change)) {
        if let Some(own) = before(&change.path) {
            (change.mode, change.owner) = (own.mode, own.owner);
        }
    }
    Ok(())
}

/// True if the change makes a file or a folder.
pub fn is_made(change: &Change) -> bool {
    matches!(change.act, Act::Create(_) | Act::MakeFolder)
}
