//! `palimp backup`: copies of files as they were.

use std::path::Path;

use super::args::BackupVerb;
use super::change::{Carry, make, make_with, scene};
use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::disk::Real;
use crate::model::{Plan, Snapshot, Store};
use crate::ops;
use crate::ops::erase::Gone;
use crate::store::commit::{Copy, Vault, copies};

/// Does what was asked with backups.
pub fn run(context: &mut Context, what: BackupVerb) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    match what {
        BackupVerb::List => list(context, &snapshot),
        BackupVerb::Create => create(context, &snapshot),
        BackupVerb::Diff { backup } => diff(context, &snapshot, &backup),
        BackupVerb::Restore { backup, ids, replace } => restore(context, &snapshot, &backup, &ids, replace),
    }
}

fn all(context: &Context, snapshot: &Snapshot) -> Result<Vec<(usize, Copy)>, Failure> {
    let data = open::data_folder(context)?;
    let mut found = Vec::new();
    for (number, store) in snapshot.stores.iter().enumerate() {
        let vault = Vault::look(&Real, &data, &store.root);
        found.extend(copies(store, &vault).into_iter().map(|copy| (number, copy)));
    }
    Ok(found)
}

fn list(context: &mut Context, snapshot: &Snapshot) -> Result<Exit, Failure> {
    let found = all(context, snapshot)?;
    for (number, copy) in &found {
        let store = &snapshot.stores[*number];
        if context.options.json {
            let row = serde_json::json!({
                "store": store.root.display().to_string(),
                "backup": copy.path.display().to_string(),
                "file": copy.file.display().to_string(),
                "at": copy.at.map(|at| at.to_rfc3339()),
                "bytes": copy.bytes,
            });
            context.out.json(&row)?;
        } else {
            let at = copy.at.map(|at| at.to_minute()).unwrap_or_default();
            context.out.line(&format!(
                "{at:16} {:10} {}  of {}",
                copy.bytes,
                copy.path.display(),
                copy.file.display()
            ))?;
        }
    }
    Ok(if found.is_empty() { Exit::Nothing } else { Exit::Done })
}

/// Copies every file that holds memories: where the format keeps backups, else in our own data.
fn create(context: &mut Context, snapshot: &Snapshot) -> Result<Exit, Failure> {
    let mut plans: Vec<(&Store, Plan)> = Vec::new();
    let mut own: Vec<&Store> = Vec::new();
    for store in &snapshot.stores {
        match ops::backup::create(&scene(context, store))? {
            Some(plan) => plans.push((store, plan)),
            None => own.push(store),
        }
    }
    let data = open::data_folder(context)?;
    if own.is_empty() {
        return make(context, &plans);
    }
    let writes = !context.options.dry_run && !context.options.readonly;
    if writes && !context.options.yes {
        return Err(Failure::new(Exit::Refused, "nothing was copied: say --yes to do it."));
    }
    if writes {
        for store in own {
            let vault = Vault::open(&Real, &data, &store.root)?;
            for document in ops::backup::worth(store) {
                let path = vault.copy(&document.path, &document.bytes, context.now)?;
                if context.options.json {
                    let row = serde_json::json!({
                        "store": store.root.display().to_string(),
                        "backup": path.display().to_string(),
                        "file": document.path.display().to_string(),
                        "bytes": document.len,
                    });
                    context.out.json(&row)?;
                } else {
                    context.out.line(&path.display().to_string())?;
                }
            }
        }
    }
    if plans.is_empty() { Ok(Exit::Done) } else { make(context, &plans) }
}

fn the_copy(context: &Context, snapshot: &Snapshot, name: &str) -> Result<(usize, Copy, Vec<u8>), Failure> {
    let found = all(context, snapshot)?;
    let fits = |(number, copy): &&(usize, Copy)| {
        let whole = snapshot.stores[*number].root.join(&copy.path);
        copy.path.as_os_str() == name
            || whole.as_os_str() == name
            || copy.path.file_name().is_some_and(|own| own == name)
    };
    let Some((number, copy)) = found.iter().find(fits).cloned() else {
        return Err(Failure::new(
            Exit::Nothing,
            format!("there is no backup {name:?}; `palimp backup list` names them."),
        ));
    };
    let whole = snapshot.stores[number].root.join(&copy.path);
    let read = crate::disk::Disk::read(&Real, &whole, 0, None);
    let (bytes, _) = read.map_err(|error| {
        Failure::new(
            Exit::Failed,
            format!("{} can't be read: {error}. Nothing was changed.", whole.display()),
        )
    })?;
    Ok((number, copy, bytes))
}

/// What was erased of a store.
pub fn gone(data: &Path, store: &Store) -> Result<Gone, Failure> {
    let erased = Vault::look(&Real, data, &store.root).erased()?;
    Ok(Gone::of(erased.into_iter().map(|line| line.record)))
}

/// The records that a backup has and the file lacks.
fn diff(context: &mut Context, snapshot: &Snapshot, name: &str) -> Result<Exit, Failure> {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let missing = ops::backup::missing(
        &scene(context, store),
        &copy.file,
        &bytes,
        &gone(&open::data_folder(context)?, store)?,
    )?;
    for one in &missing {
        if context.options.json {
            let raw = String::from_utf8_lossy(&one.raw);
            context.out.json(
                &serde_json::json!({ "id": one.id, "line": one.line, "change": one.change, "raw": raw }),
            )?;
        } else {
            let id = one.id.as_deref().unwrap_or("(no id)");
            context.out.line(&format!("{:8} line {} {id}", one.change, one.line))?;
        }
    }
    Ok(if missing.is_empty() { Exit::Nothing } else { Exit::Done })
}

fn restore(
    context: &mut Context,
    snapshot: &Snapshot,
    name: &str,
    ids: &[String],
    replace: bool,
) -> Result<Exit, Failure> {
    let (number, copy, bytes) = the_copy(context, snapshot, name)?;
    let store = &snapshot.stores[number];
    let gone = gone(&open::data_folder(context)?, store)?;
    let scene = scene(context, store);
    let plan = match replace {
        true => ops::backup::replace(&scene, &copy.file, &bytes, &gone)?,
        false => ops::backup::restore(&scene, &copy.file, &bytes, ids, &gone)?,
    };
    let carry: &Carry<'_> = &|writer, plan| writer.commit(plan);
    make_with(context, &[(store, plan)], carry)
}
