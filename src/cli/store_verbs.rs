//! `init`, `compact`, `reindex`, `repair`: verbs on stores as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::change::{Carry, make, make_with, scene};
use super::failure::{Exit, Failure};
use super::{Context, open};
use crate::disk::{Disk, Real, Seen};
use crate::format::writing::Scene;
use crate::model::{Moment, Plan, Store, Tell};
use crate::ops;
use crate::store::commit::make_folders;
use crate::store::{self, Place, packed_bytes};

/// Makes an empty store.
pub fn init(context: &mut Context, format: &str, folder: &Path) -> Result<Exit, Failure> {
    let why = match Seen::from(Real.list(folder)) {
        Seen::Absent => None,
        Seen::Read(items) => (!items.is_empty()).then(|| "is not empty".to_owned()),
        Seen::Unreadable(error) => Some(format!("can't be read: {error}")),
    };
    if let Some(why) = why {
        let message = format!("{} {why}; nothing was written.", folder.told());
        return Err(Failure::new(Exit::Refused, message));
    }
    let root = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let plan = ops::init::init(format, &root, context.now)?;
    let writes = context.options.yes && !context.options.dry_run && !context.options.readonly;
    if writes {
        let failed = |error| Failure::new(Exit::Failed, format!("{} can't be made: {error}.", root.told()));
        make_folders(&Real, &root).map_err(failed)?;
    }
    let empty = store::load(&place(&root, &plan), crate::model::Extent::Whole, None, context.now);
    make(context, &[(&empty, plan)])
}

fn place(root: &Path, plan: &Plan) -> Place {
    Place { root: root.to_owned(), format: plan.format, session: None }
}

/// Drops what logs need not keep.
pub fn compact(context: &mut Context, session: Option<&str>) -> Result<Exit, Failure> {
    each(context, |context, store| {
        let mut plan = ops::compact::compact(&scene(context, store), session)?;
        let rule = ops::compact::rule(store);
        tell(&mut plan, store, &rule, context.now);
        Ok(plan)
    })
}

/// Makes what is derived anew.
pub fn reindex(context: &mut Context) -> Result<Exit, Failure> {
    each(context, |context, store| Ok(ops::reindex::reindex(&scene(context, store))?))
}

/// Does what is due, one thing after the other: each is planned on the store as the one
/// before left it.
pub fn maintain(context: &mut Context) -> Result<Exit, Failure> {
    let mut any = false;
    for _ in 0..ROUNDS {
        let snapshot = open::to_change(context)?;
        let mut plans: Vec<(&Store, Plan)> = Vec::new();
        for store in &snapshot.stores {
            let packed = due_files(context, store)?;
            let scene = Scene { packed: &packed, ..scene(context, store) };
            let due = ops::upkeep::due(&scene)?.into_iter().filter(|(plan, _)| !plan.is_empty());
            let most = if context.options.yes && !context.options.dry_run { 1 } else { usize::MAX };
            let before = plans.len();
            plans.extend(due.take(most).map(|(mut plan, rule)| {
                tell(&mut plan, store, &rule, context.now);
                (&**store, plan)
            }));
            if plans.len() == before && !any {
                // That nothing is due is told of each store once.
                plans.push((store, Plan::of("maintain", store.whole()?)));
            }
        }
        let is_over = plans.iter().all(|(_, plan)| plan.is_empty());
        if is_over && any {
            return Ok(Exit::Done);
        }
        let ended = make(context, &plans)?;
        any = true;
        if is_over || !context.options.yes || context.options.dry_run {
            return Ok(ended);
        }
    }
    Ok(Exit::Done)
}

/// Adds to a plan the rule that it follows, and exactly which memories it concerns.
fn tell(plan: &mut Plan, store: &Store, rule: &str, now: Moment) {
    let touched = ops::effect::effect(store, plan, now);
    if !touched.is_empty() {
        plan.lines.push(format!("the rule: {rule}"));
    }
    plan.lines.extend(touched.iter().map(ops::effect::Touched::line));
}

/// The compressed files that it takes to do what is due.
fn due_files(context: &Context, store: &Store) -> Result<BTreeMap<PathBuf, Vec<u8>>, Failure> {
    let files = ops::upkeep::due_files(&scene(context, store))?;
    packed_bytes(&Real, store, &files).map_err(|error| {
        Failure::new(Exit::Failed, format!("an archive can't be read: {error}. Nothing was changed."))
    })
}

/// More things than any store has due at once.
const ROUNDS: usize = 100;

/// Brings files of an older version to this one.
pub fn migrate(context: &mut Context) -> Result<Exit, Failure> {
    each(context, |context, store| Ok(ops::upkeep::migrate(&scene(context, store))?))
}

fn each(
    context: &mut Context,
    plan: impl Fn(&Context, &Store) -> Result<Plan, Failure>,
) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    let mut plans: Vec<(&Store, Plan)> = Vec::new();
    for store in &snapshot.stores {
        plans.push((store, plan(context, store)?));
    }
    make(context, &plans)
}

/// Repairs what can be repaired without a loss; what leaves a store is kept in quarantine.
pub fn repair(context: &mut Context) -> Result<Exit, Failure> {
    let snapshot = open::to_change(context)?;
    let mut plans: Vec<(&Store, Plan)> = Vec::new();
    let mut out = Vec::new();
    for store in &snapshot.stores {
        let repair = ops::repair::all_safe(&scene(context, store))?;
        let none = Plan::of("repair", store.whole()?);
        plans.push((store, repair.plan.unwrap_or(none)));
        out.push((store.root.clone(), repair.quarantined));
    }
    let now: Moment = context.now;
    let carry: &Carry<'_> = &|writer, plan| {
        let own = out.iter().find(|(root, _)| *root == plan.root);
        for (path, at, bytes) in own.iter().flat_map(|(_, own)| own) {
            writer.vault().quarantine(path, *at, bytes, now)?;
        }
        writer.commit(plan)
    };
    make_with(context, &plans, carry)
}
